"""Tickets of simulated printers: how they look, their bar code, what they are worth.

For simulated printers, the lab and tests.
"""

__all__ = ["art", "itf", "reader", "worth"]
