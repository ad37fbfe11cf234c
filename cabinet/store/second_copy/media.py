"""Where the second copy is kept: a memory on an I2C bus, or a file on another disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from cabinet.store.directory.files import read_file, sync_directory
from cabinet.store.errors import os_text
from cabinet.store.second_copy.copy import MEDIUM_BYTES, SLOT_BYTES, SLOT_MAGIC, SlottedCopy
from cabinet.store.second_copy.nonce import NONCE_MAGIC, NONCE_PLACES
from drivers.i2c import I2cMemory, OpenBus, open_bus


class FileMedium:
    """A file of MEDIUM_BYTES bytes, made full of zeros, written through to the disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = False  # to be a second copy, or to be new

    def foreign(self) -> str:
        """Why the file is something else than a second copy, and must not be written; "" if it is one, is
        empty or is not there. OSError."""
        try:
            content = read_file(self._path, MEDIUM_BYTES + 1, follow=True)
        except FileNotFoundError:
            return ""
        if not any(content) and len(content) <= MEDIUM_BYTES:
            return ""
        places = {0: SLOT_MAGIC, SLOT_BYTES: SLOT_MAGIC, **dict.fromkeys(NONCE_PLACES, NONCE_MAGIC)}
        marked = any(content.startswith(magic, place) for place, magic in places.items())
        return "" if marked and len(content) <= MEDIUM_BYTES else "a file that is no second copy"

    def load(self, offset: int, count: int) -> bytes:
        """OSError says what to do."""
        try:
            content = read_file(self._path, MEDIUM_BYTES, follow=True)
        except FileNotFoundError:
            content = b""
        except OSError as error:
            raise OSError(error.errno, os_text(error, self._path)) from error
        return content.ljust(MEDIUM_BYTES, b"\0")[offset : offset + count]

    def store(self, offset: int, data: bytes) -> None:
        """OSError says what to do."""
        if not self._known and (why := self.foreign()):
            raise OSError(f"{self._path} is {why}: nothing is written over it; give another path")
        self._known = True
        try:
            self._store(offset, data)
        except OSError as error:
            raise OSError(error.errno, os_text(error, self._path)) from error

    def _store(self, offset: int, data: bytes) -> None:
        fresh = not self._path.exists()
        flags = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(self._path, flags, 0o600)
        try:
            if os.pwrite(fd, data, offset) != len(data):
                raise OSError(errno.ENOSPC, "it took only a part of the record")
            os.fsync(fd)
        finally:
            os.close(fd)
        if fresh:
            sync_directory(self._path.parent)


class FileSecondCopy(SlottedCopy):
    """The second copy in a file: for the lab, and for cabinets with a second card."""

    def __init__(self, path: Path) -> None:
        super().__init__(FileMedium(path))


class FramSecondCopy(SlottedCopy):
    """The second copy in an FRAM on I2C bus ``bus`` at ``address``."""

    def __init__(self, bus: int, address: int, opened: OpenBus = open_bus) -> None:
        super().__init__(I2cMemory(bus, address, opened))
