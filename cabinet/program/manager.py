"""The service manager (systemd): it is told that the loop lives, and what the cabinet waits for."""

from __future__ import annotations

import logging
import os
import socket

LOG = logging.getLogger("cabinet")
LONGEST = 20  # digits of the largest number of microseconds that a service manager can say
START_MORE_S = 30  # for the next thousand facts of a start, on any card


def _watchdog_us() -> int:
    """How long the service manager waits for a sign of life; 0 if it waits for none."""
    text = os.environ.get("WATCHDOG_USEC", "0")
    if text.isascii() and text.isdigit() and len(text) <= LONGEST:
        return int(text)
    LOG.warning("WATCHDOG_USEC is no number of microseconds, so there is no watchdog: %r", text[:LONGEST])
    return 0


class ServiceManager:
    """Silent where there is none (no NOTIFY_SOCKET)."""

    def __init__(self) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "")
        self._every_ms = _watchdog_us() // 2000
        self._next_ms: int | None = None
        self._status = ""
        self._socket: socket.socket | None = None
        if self._address:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)

    @property
    def present(self) -> bool:
        """Somebody starts the program again when it ends; without, a person reads its exit code."""
        return self._socket is not None

    def say(self, message: str) -> None:
        if self._socket is None:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            self._socket.sendto(message.encode(), address)
        except OSError as error:
            LOG.warning("the service manager cannot be told %r: %s", message, error)

    def status(self, text: str) -> None:
        """One line for `systemctl status`; the start counts as done with the first one, also when the table
        stands and waits: a start that is given up after a minute could tell nobody anything."""
        line = " ".join(text.split())
        if line != self._status:
            self.say(f"STATUS={line}" if self._status else f"READY=1\nSTATUS={line}")
            self._status = line

    def reading(self, facts: int) -> None:
        """A start that folds a long journal lives: killed, the next one would have to begin again."""
        self.say(f"STATUS=reading the journal, {facts} facts\nEXTEND_TIMEOUT_USEC={START_MORE_S * 1_000_000}")

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()

    def beat(self, now_ms: int) -> None:
        """Called by the loop itself, never by a thread of its own: it proves that the loop runs. Times may
        begin again."""
        if self._next_ms is None or now_ms >= self._next_ms or now_ms < self._next_ms - self._every_ms:
            self._next_ms = now_ms + self._every_ms
            if self._every_ms:
                self.say("WATCHDOG=1")
