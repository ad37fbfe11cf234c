"""Names of the files in a state directory, and making them durable. No database in here."""

from __future__ import annotations

import errno
import os
import re
import stat
from itertools import pairwise
from pathlib import Path

from cabinet.store.errors import JournalError, JournalStrange

_OTHERS = 0o027  # write for the group, anything for everybody else
BUILDING = "next.db"  # a journal file that is not whole yet
_PAGE = 4096
_REFUSALS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
_NAME = re.compile(r"journal-([0-9]{6})\.db")
_BESIDE = ("", "-wal", "-shm", "-journal")  # what SQLite opens with a file


def path_of(directory: Path, number: int) -> Path:
    return directory / f"journal-{number:06}.db"


def newest(directory: Path) -> int:
    """The number of the newest journal file, 0 if there is none. OSError; JournalStrange if it cannot be the
    next of the others: files are numbered without a gap, and only the oldest ones are ever moved away."""
    names = (_NAME.fullmatch(entry.name) for entry in directory.iterdir())
    numbers = sorted((int(name[1]) for name in names if name), reverse=True)
    for number, before in pairwise(numbers):
        if before != number - 1:
            raise JournalStrange(
                f"{path_of(directory, number)} does not follow {path_of(directory, before).name}: move it"
                " elsewhere if it is not of this cabinet; else bring back the files between the two"
            )
    if numbers:
        _must_be_files(path_of(directory, numbers[0]))
    return numbers[0] if numbers else 0


def _must_be_files(path: Path) -> None:
    """SQLite would open whatever stands there, and follow a link to a place where the log is another one.
    JournalStrange."""
    for each in (path.with_name(path.name + end) for end in _BESIDE):
        if each.is_symlink() or (each.exists() and not each.is_file()):
            raise JournalStrange(
                f"{each} is a link, a folder or a device: put the file itself in its place; if it is not of"
                " this cabinet, move it elsewhere"
            )


def read_file(path: Path, most: int, *, follow: bool = False) -> bytes:
    """The first `most` bytes of a file. A pipe in its place would wait for ever and a device never end: both
    are refused. OSError."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    fd = os.open(path, flags)
    try:
        kind = stat.S_IFMT(os.fstat(fd).st_mode)
        if kind != stat.S_IFREG:
            number = errno.EISDIR if kind == stat.S_IFDIR else errno.ENODEV
            raise OSError(number, os.strerror(number), str(path))
        content = b""
        while len(content) < most and (more := os.read(fd, most - len(content))):
            content += more
        return content
    finally:
        os.close(fd)


def write_again(path: Path, data: bytes) -> None:
    """A file of its own in the place of what is there, which is removed: a link to another file must not have
    that one written over. Durable when this returns, but for the name. OSError."""
    path.unlink(missing_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(fd)


def is_at_rest(path: Path) -> bool:
    """True if nobody is writing a journal file: the index of the write-ahead log, which every writer keeps,
    is not there, and the log is empty. JournalError if rows are still in the log of a directory that is
    read-only to us, because then it could only be read where it can be written. OSError."""
    if path.with_name(f"{path.name}-shm").exists():
        return False
    wal = path.with_name(f"{path.name}-wal")
    if wal.exists() and wal.stat().st_size > 0:
        if os.access(path.parent, os.W_OK):
            return False
        raise JournalError(
            f"{wal.name} holds rows and {path.parent} can not be written: copy that directory to another disk"
            " and read it there"
        )
    return True


def make_directory(directory: Path) -> None:
    """Makes a directory whose name is durable; fine if it is there. OSError."""
    if not directory.is_dir():
        make_directory(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)
        sync_directory(directory.parent)


def too_open(directory: Path) -> str:
    """Why a state directory is open to others than the cabinet's user and its group; "" if it is not.

    It is not mended here: whoever could write meanwhile may have written, so a person has to know. OSError.
    """
    mode = stat.S_IMODE(directory.stat().st_mode)
    if not mode & _OTHERS:
        return ""
    return (
        f"{directory} has the permissions {mode:04o}: others could read the numbers of unpaid tickets, or"
        f" change the journal. Find out who could, then: chmod 0700 {directory}"
    )


def sync_directory(directory: Path) -> None:
    """Makes the names in a directory durable. OSError."""
    _sync(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def remove_unfinished(directory: Path) -> None:
    """Removes what a power cut left of a file that was being built. OSError."""
    for name in (BUILDING, f"{BUILDING}-wal", f"{BUILDING}-shm", f"{BUILDING}-journal"):
        (directory / name).unlink(missing_ok=True)


def publish(directory: Path, number: int) -> Path:
    """Gives the finished file its name; durable when this returns. OSError."""
    path = path_of(directory, number)
    _sync(directory / BUILDING, os.O_RDONLY | os.O_CLOEXEC)
    (directory / BUILDING).rename(path)
    sync_directory(directory)
    return path


def refusal(place: Path) -> int:
    """Why the disk does not take a page more, as an errno; 0 if it takes one. The page has no name and is
    gone at once."""
    try:
        directory = place if place.is_dir() else place.parent
        fd = os.open(directory, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            if os.pwrite(fd, bytes(_PAGE), 0) != _PAGE:
                return errno.ENOSPC
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        # A file system that has no nameless files says nothing about itself.
        return error.errno if error.errno in _REFUSALS else 0
    return 0


def _sync(path: Path, flags: int) -> None:
    fd = os.open(path, flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
