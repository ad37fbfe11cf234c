"""A simulated ID-003 validator: frames in front, mechanics behind.

For the lab and for tests.
"""

from drivers.sim.id003.machine import (
    BAUD,
    BITS,
    MACHINE,
    VERSION,
    Id003Machine,
    make,
)

__all__ = [
    "BAUD",
    "BITS",
    "MACHINE",
    "VERSION",
    "Id003Machine",
    "make",
]
