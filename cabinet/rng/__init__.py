"""Randomness: the kernel's generator, scaled without bias, watched and tested.

For the program, its commands, and the battery of tests.
"""

from cabinet.rng.source import (
    Source,
    deal,
    kernel,
    uniform,
)

__all__ = ["Source", "collect", "deal", "generator", "health", "kernel", "selftest", "uniform"]
