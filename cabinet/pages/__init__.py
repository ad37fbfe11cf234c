"""HTML pages that are one file: one frame, one style sheet, templates that escape what they are given.

For the commands that write pages. The program of a cabinet imports nothing from here.
"""

__all__ = ["rendering"]
