"""Ticket printers that speak TCL.

The registry takes `Options` and `create`.
"""

from drivers.ticket_printer.tcl.driver import (
    Options,
    create,
)

__all__ = ["Options", "create"]
