"""A simulated TCL ticket printer.

For the lab and for tests.
"""

from drivers.sim.tcl.machine import (
    BAUD,
    BITS,
    KEEPS_EVIDENCE,
    MACHINE,
    Setup,
    TclMachine,
    make,
)

__all__ = [
    "BAUD",
    "BITS",
    "KEEPS_EVIDENCE",
    "MACHINE",
    "Setup",
    "TclMachine",
    "make",
]
