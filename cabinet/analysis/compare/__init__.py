"""Common-Hand Blackjack against standard dealing.

A command of its own; nothing imports it.
"""

__all__: list[str] = []
