"""The lab's window: the cabinet's picture, the deck beside it, one person's hands.

For an evening that is drawn.
"""

__all__ = ["cockpit", "controls"]
