"""Small secret files in the folder ``keys`` of a state directory: read whole, replaced whole.

The folder is for its owner alone (0700), as is each file (0600); nothing is read through a symbolic link, and
nothing that others could have read or written. A file is replaced by a rename: after power has gone there
is the old content or the new one. What is in a file stands in no error, no ``repr`` and no log.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cabinet.store.directory.files import make_directory, sync_directory
from cabinet.store.errors import JournalError, os_text

FOLDER = "keys"
LARGEST = 65_536  # bytes; more is not a key
_FILE_MODE, _FOLDER_MODE = 0o600, 0o700
_OTHERS = 0o077  # what group and others may do
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a named pipe in place of the file would hold the start for ever.
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class KeyFileError(JournalError):
    """A key file cannot be used. ``text`` names it and says what to do."""


def path_of(state_dir: Path, name: str) -> Path:
    return state_dir / FOLDER / name


def make_folder(folder: Path) -> None:
    """Makes a folder for keys, durably; fine if it is there and for nobody else. KeyFileError."""
    with _errors_named(folder):
        make_directory(folder.parent)
        try:
            folder.mkdir(_FOLDER_MODE)
            sync_directory(folder.parent)
        except FileExistsError:
            pass
        os.close(_open_folder(folder))


def read(path: Path) -> bytes | None:
    """What is in a file; None if there is no such file. KeyFileError."""
    with _errors_named(path):
        try:
            folder = _open_folder(path.parent)
        except FileNotFoundError:
            return None
        try:
            fd = os.open(path.name, _READ_FLAGS, dir_fd=folder)
        except FileNotFoundError:
            return None
        finally:
            os.close(folder)
        with os.fdopen(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                raise KeyFileError(f"{path} is no file: remove it and restore the key")
            _check(path, found, _FILE_MODE)
            data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise KeyFileError(f"{path} is larger than {LARGEST} bytes and no key: restore the right file")
    return data


def write(path: Path, data: bytes) -> None:
    """Puts `data` in the place of what is there, durably; makes the folder if need be. KeyFileError."""
    if len(data) > LARGEST:
        raise ValueError(f"{len(data)} bytes are no key")
    make_folder(path.parent)
    fresh = _fresh(path)
    with _errors_named(path):
        folder = _open_folder(path.parent)
        try:
            _remove(fresh, folder)  # what a power cut has left
            fd = os.open(fresh, _NEW_FLAGS, _FILE_MODE, dir_fd=folder)
            try:
                with os.fdopen(fd, "wb") as file:
                    os.fchmod(fd, _FILE_MODE)  # whatever the umask is
                    file.write(data)
                    file.flush()
                    os.fsync(fd)
                os.rename(fresh, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                _remove(fresh, folder)
                raise
            os.fsync(folder)
        finally:
            os.close(folder)


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if isinstance(error, NotADirectoryError) or path.is_symlink():
            text = f"{path} is a link, or no folder where one should be: put the real one in its place"
            raise KeyFileError(text) from error
        if error.filename == _fresh(path):  # the system names what is in the folder without it
            path = path.with_name(error.filename)
        raise KeyFileError(os_text(error, path)) from error


def _fresh(path: Path) -> str:
    """The name under which a file is written, before it takes the place of the one before."""
    return f".{path.name}.next"


def _open_folder(folder: Path) -> int:
    fd = os.open(folder, _FOLDER_FLAGS)
    try:
        _check(folder, os.fstat(fd), _FOLDER_MODE)
    except KeyFileError:
        os.close(fd)
        raise
    return fd


def _check(path: Path, found: os.stat_result, mode: int) -> None:
    if found.st_uid != os.geteuid():
        raise KeyFileError(
            f"{path} belongs to user {found.st_uid} and this program runs as user {os.geteuid()}:"
            " run it as the cabinet's user, or give the file to that user (chown)"
        )
    if found.st_mode & _OTHERS:
        raise KeyFileError(
            f"{path} is open to others ({stat.S_IMODE(found.st_mode):04o}): find out who has read it, then"
            f" chmod {mode:o} {path}"
        )


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
