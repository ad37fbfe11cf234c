"""A simulated ESC/POS receipt printer.

For the lab and for tests.
"""

from drivers.sim.escpos.machine import (
    BAUD,
    BITS,
    KEEPS_EVIDENCE,
    MACHINE,
    EscPosMachine,
    Setup,
    any_setup,
    make,
)

__all__ = [
    "BAUD",
    "BITS",
    "KEEPS_EVIDENCE",
    "MACHINE",
    "EscPosMachine",
    "Setup",
    "any_setup",
    "make",
]
