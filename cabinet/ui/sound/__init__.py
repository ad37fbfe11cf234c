"""Sounds: made at the start, played when a cue's time has come.

For the window.
"""

__all__ = ["player"]
