"""Panels: buttons, lamps, keys, doors, candle and hard meters on lines.

The registry takes `gpio`; simulated panels share `wiring` and `pulses`.
"""

__all__ = ["pulses", "wiring"]
