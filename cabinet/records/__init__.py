"""What the journal says: replayed at a start, looked up, checked, exported, told as text.

For the program, its commands, the service pages and the lab.
"""

__all__ = ["check", "export", "lookup", "replay", "seals", "text"]
