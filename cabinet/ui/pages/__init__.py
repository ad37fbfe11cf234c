"""Pages to read: how to play, house rules, the chart, a recalled round's banner.

For scenes.
"""

__all__ = ["advice", "howto", "recall", "rulebook"]
