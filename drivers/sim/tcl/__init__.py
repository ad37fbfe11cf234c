"""A simulated TCL ticket printer.

For the lab and for tests.
"""

from drivers.sim.tcl.machine import (
    BITS,
    Setup,
    TclPrinter,
)

__all__ = ["BITS", "Setup", "TclPrinter", "paper"]
