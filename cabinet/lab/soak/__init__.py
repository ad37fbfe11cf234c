"""Killing the firmware again and again while people play.

`./dev soak`, and tests.
"""

__all__ = ["run"]
