"""The firmware of a bench, in a process of its own: the field program plus a read-only tap.

What differs from ``cabinet run``: committed states are told to the bench through a socket, the
presentation may be paced, and where no forwarder could be built the GPIO lines come through a
socket instead of /dev/gpiochip*.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import socket
import sys
from pathlib import Path

from cabinet.core.live import Live
from cabinet.core.state import State
from cabinet.lab import glance
from cabinet.program import field
from drivers.gpio import open_bank
from drivers.i2c import open_bus
from drivers.link import open_serial
from drivers.registry import Io
from drivers.sim.gpio.socket_bank import open_bank_at

PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Some hundred glances: a bench that is busy for a while misses nothing, one that hangs costs nothing.
TAP_BYTES = 1 << 20


class GlanceSender:
    """Sends a glance at every committed state. What a bench that hangs has no room for is lost."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, TAP_BYTES)
        self._socket.connect(path)
        self._socket.setblocking(False)

    def __call__(self, state: State, live: Live) -> None:
        try:
            self._socket.send(glance.encode(glance.glance(state, live)))
        except (BlockingIOError, BrokenPipeError, ConnectionResetError):
            return  # the firmware never waits for its audience


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent is gone: a killed bench tidies nothing up."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) is refused")
    if os.getppid() != parent:  # it was gone before the kernel knew
        sys.exit("the bench is gone")


def main(args: list[str]) -> int:
    """Run the firmware until SIGTERM; its exit code."""
    parser = argparse.ArgumentParser(prog="cabinet.lab.bench.child")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--tap", required=True, help="the bench's socket for glances")
    parser.add_argument("--pace", type=int, default=1)
    parser.add_argument("--parent", type=int, required=True, help="the bench: nobody outlives it")
    given = parser.parse_args(args)
    die_with(given.parent)
    # Without a clock: a call to a line takes as long as the bench is busy, which says nothing of the board.
    io = Io(open_link=open_serial, open_bank=open_bank, open_bus=open_bus)
    server = os.environ.get("GPIO_SERVER", "")
    if server and not os.environ.get("LD_PRELOAD"):
        io = Io(open_link=open_serial, open_bank=lambda: open_bank_at(Path(server)))
    return field.run(
        given.config, given.state, on_publish=GlanceSender(given.tap), io=io, pace=given.pace, lab=True
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
