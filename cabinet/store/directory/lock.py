"""One cabinet per state directory: a lock that dies with its process and names its holder.

The directory itself is locked: it cannot be removed while it holds a journal, and whoever replaces it has
another journal. ``lock`` in it only says who has it, and is never followed anywhere else.
"""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

from cabinet.store.errors import JournalLocked

LOCK_NAME = "lock"
_HOLDER_BYTES = 200  # a pid and a start time; more would be somebody else's file
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class DirectoryLock:
    """An flock on the directory, and the holder's name in ``directory/lock``."""

    def __init__(self, directory: Path, started: str = "") -> None:
        """Raises JournalLocked when another process holds it, OSError when it can not be had."""
        self._fd = os.open(directory, _DIRECTORY)
        self._file = -1
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._file = _holder_file(directory)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a version before locked this one only
            holder = f"process {os.getpid()}" + (f", started {started}" if started else "")
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, holder.encode()[:_HOLDER_BYTES] + b"\n", 0)
        except BlockingIOError:
            self.release()
            raise JournalLocked(directory, _holder(directory) or "another process") from None
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        for fd in (self._file, self._fd):
            if fd >= 0:
                os.close(fd)
        self._file = self._fd = -1


def _holder_file(directory: Path) -> int:
    """``lock``, made if it is not there. What is no plain file of its own, a link to another one for example,
    is removed and not written to. OSError."""
    path = directory / LOCK_NAME
    try:
        fd = os.open(path, _FILE)
        found = os.fstat(fd)
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
            return fd
        os.close(fd)
    except FileNotFoundError:
        pass
    except OSError:
        if not path.is_symlink():
            raise
    path.unlink(missing_ok=True)
    return os.open(path, _FILE | os.O_CREAT | os.O_EXCL, 0o600)


def _holder(directory: Path) -> str:
    try:
        fd = os.open(directory / LOCK_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.pread(fd, _HOLDER_BYTES, 0).decode(errors="replace").strip()
    except OSError:
        return ""
    finally:
        os.close(fd)
