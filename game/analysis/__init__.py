"""Exact odds of the game and its simulation, for an office or a laboratory.

Counts with numpy (extra ``lab``); never imported by the program of a cabinet.
"""

__all__ = ["exact", "simulate", "standard"]
