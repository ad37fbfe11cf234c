"""Losing power at every point of an evening, and counting what comes of it.

`cabinet lab crash`, and tests.
"""

__all__ = ["command"]
