"""Names of the files in a state directory, and making them durable. No database in here."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cabinet.store.errors import JournalError

BUILDING = "next.db"  # a journal file that is not whole yet
_NAME = re.compile(r"journal-(\d{6})\.db")


def path_of(directory: Path, number: int) -> Path:
    return directory / f"journal-{number:06}.db"


def newest(directory: Path) -> int:
    """The number of the newest journal file, 0 if there is none. OSError."""
    names = (_NAME.fullmatch(entry.name) for entry in directory.iterdir())
    return max((int(name[1]) for name in names if name), default=0)


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
        directory.mkdir(exist_ok=True)
        sync_directory(directory.parent)


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


def _sync(path: Path, flags: int) -> None:
    fd = os.open(path, flags)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
