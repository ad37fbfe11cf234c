"""Ticket printers, one package for each language; the registry finds a driver by the name of its package.

Nobody imports a driver by hand.
"""

__all__: list[str] = []
