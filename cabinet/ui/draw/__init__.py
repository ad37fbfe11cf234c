"""How anything is drawn: colours and type, places, pen, painter, surfaces that are made once.

For parts, pages, scenes and the window.
"""

__all__ = ["art", "felt", "layout", "paint", "pen", "shapes", "slots", "sprites", "text", "theme"]
