"""What serial protocols have in common: check sums, one request in flight, faults, the log of frames.

For drivers.
"""

__all__ = ["crc", "exchange", "faults", "framelog"]
