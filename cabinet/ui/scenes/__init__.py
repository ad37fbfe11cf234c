"""What the screen can show: table, attract loop, help and service pages."""

__all__ = ["attract", "base", "helping", "piece", "service", "table"]
