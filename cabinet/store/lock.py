"""One cabinet per state directory: a lock that dies with its process and names its holder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from cabinet.store.errors import JournalLocked

LOCK_NAME = "lock"
_HOLDER_BYTES = 200  # a pid and a start time; more would be somebody else's file


class DirectoryLock:
    """An flock on ``directory/lock``. The file stays when the lock goes: removing it would let two in."""

    def __init__(self, directory: Path, started: str = "") -> None:
        """Raises JournalLocked when another process holds it, OSError when the file can not be had."""
        self._fd = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            holder = f"process {os.getpid()}" + (f", started {started}" if started else "")
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, holder.encode()[:_HOLDER_BYTES] + b"\n", 0)
        except BlockingIOError:
            holder = os.pread(self._fd, _HOLDER_BYTES, 0).decode(errors="replace").strip()
            os.close(self._fd)
            raise JournalLocked(directory, holder or "another process") from None
        except OSError:
            os.close(self._fd)
            raise

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
