"""The screen and the sounds: the only importers of pygame.

What is written here uses only what pygame 2.6.1 and pygame-ce share, so that either can be
installed (never both).
"""

import os

# pygame greets on standard output when it is imported; a cabinet's log is no place for that.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

__all__ = ["catalogue", "draw", "pointing", "window"]
