"""The copper under a panel, and the ways to it: in memory, over a socket, as the kernel's calls.

For the lab, for tests, and for simulated panels.
"""

from drivers.sim.gpio.bank import (
    MemoryBank,
)

__all__ = ["MemoryBank", "board", "fram", "server", "socket_bank"]
