"""Named moments of the screen, played by the real program, and their pictures.

`./dev shots`, and tests of the screen.
"""

__all__: list[str] = []
