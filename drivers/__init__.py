"""The hardware: devices behind protocols, ports, lines and buses. Knows no game, no money rule and no screen.

`cabinet` imports `device`, `registry`, `tables`, and what opens ports; the core only `device`.
"""

__all__ = ["bank", "device", "gpio", "i2c", "link", "panel", "registry", "sim", "tables"]
