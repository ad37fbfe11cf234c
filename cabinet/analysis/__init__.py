"""Commands for an office or a laboratory: odds, simulation, comparison with the standard game.

They need the extra ``lab``; the program of a cabinet imports nothing from here.
"""

__all__: list[str] = []
