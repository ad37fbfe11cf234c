"""The wire between a driver and a simulated machine: memory or a pty, with its faults.

For the lab, for tests, and for machines.
"""

from drivers.sim.wire.wire import (
    FarEnd,
    Machine,
    memory_wire,
    patch_bay,
    pty_wire,
)

__all__ = ["FarEnd", "Machine", "memory_wire", "patch_bay", "pty_wire", "transport", "wire"]
