"""Validators, one package for each protocol; the registry finds a driver by the name of its package.

Nobody imports a driver by hand, except its simulated device, which shares the codec.
"""

__all__ = ["id003"]
