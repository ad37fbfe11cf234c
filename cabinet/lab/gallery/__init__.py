"""An evening as pictures, tickets, grids and books on one page.

For an evening that leaves pictures.
"""

__all__ = ["gallery", "page"]
