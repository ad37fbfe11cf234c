"""The pieces of which scenes are made."""

__all__ = [
    "block",
    "cards",
    "cell",
    "console",
    "dial",
    "grid",
    "hand",
    "lockup",
    "money",
    "seat",
    "topbar",
]
