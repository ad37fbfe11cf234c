"""Receipt printers that speak ESC/POS.

The registry takes `Options` and `create`.
"""

from drivers.ticket_printer.escpos.driver import (
    Options,
    create,
)

__all__ = ["Options", "create"]
