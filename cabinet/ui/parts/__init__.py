"""The pieces of which scenes are made."""
