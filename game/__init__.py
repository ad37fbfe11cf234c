"""The rules of Common-Hand Blackjack, pure: no input, no output, no clock and no chance of its own.

``round`` plays, ``settle`` pays, ``grid`` shows; ``rules`` holds every number; ``cards``, ``hand`` and
``shoe`` are what they play with; ``chart`` knows which choice is best.
"""

__all__ = [
    "analysis",
    "cards",
    "chart",
    "grid",
    "hand",
    "needs",
    "play",
    "round",
    "rules",
    "settle",
    "shoe",
]
