"""A simulated ESC/POS receipt printer.

For the lab and for tests.
"""

from drivers.sim.escpos.machine import (
    EscPosPrinter,
    Setup,
    any_setup,
)

__all__ = ["EscPosPrinter", "Setup", "any_setup", "paper"]
