"""The far end of every wire: simulated devices. Never in the field package.

For the lab and for tests; a simulated validator on a shipped machine is free money.
"""

__all__ = ["escpos", "gpio", "id003", "panel", "printers", "tcl", "ticket", "wire"]
