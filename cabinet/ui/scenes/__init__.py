"""What the screen can show: table, attract loop, help and service pages."""
