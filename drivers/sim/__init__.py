"""The far end of every wire: simulated devices. Never in the field package.

For the lab and for tests; a simulated validator on a shipped machine is free money.
"""

__all__ = ["gpio", "panel", "printers", "ticket", "validator", "wire"]
