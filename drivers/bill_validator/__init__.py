"""Validators: one package for each protocol, found by its name, and `common`, what they share.

Nobody imports a driver by hand, except its simulated device, which shares the codec.
"""

__all__ = ["id003"]
