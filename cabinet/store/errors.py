"""What can go wrong with the journal, in words for the person who has to mend it."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path


class JournalError(Exception):
    """Base of all journal trouble. ``text`` says what is wrong and what to do about it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class JournalLocked(JournalError):  # noqa: N818 - a state of the directory, not an error in it
    """Another process has the directory open. ``holder`` is what it wrote into its lock file."""

    def __init__(self, directory: Path, holder: str) -> None:
        super().__init__(f"{directory} is in use by {holder}: stop that cabinet first")
        self.holder = holder


class JournalUnsafe(JournalError):  # noqa: N818
    """SQLite did not take a setting without which acknowledged money could be lost."""


class JournalBroken(JournalError):  # noqa: N818
    """The stored facts are not what was committed. ``seq`` is the first bad row, None if not one row."""

    def __init__(self, what: str, seq: int | None = None) -> None:
        where = "" if seq is None else f" at row {seq}"
        super().__init__(f"the journal is broken{where}: {what}")
        self.what = what
        self.seq = seq

    def of_file(self, path: Path) -> JournalBroken:
        """The same, with the file's name: who mends it must know which."""
        named = path.name in self.text or path.name in self.what
        return self if named else JournalBroken(f"{self.what} (in {path.name})", self.seq)


class JournalStrange(JournalError):  # noqa: N818 - a state of the directory
    """The directory holds what this program has not made and cannot judge. It may be sound: no clear is
    offered."""


class NotBegun(JournalStrange):
    """Nobody has begun a memory here: a person says that what is empty is new."""

    def __init__(self, directory: Path, why: str) -> None:
        super().__init__(
            f"no memory has been begun in {directory}: cabinet memory begin, if the path is right and nothing"
            f" is lost ({why})"
        )


class StorageError(JournalError):
    """The storage refused to keep something. The journal object is dead: only a restart reads on."""


_BY_ERRNO = {
    errno.ENOENT: "a file or directory is not there: check the path",
    errno.ENOSPC: "the disk is full: free space or fit a larger card, then restart",
    errno.EDQUOT: "the quota is used up: give the cabinet's user more room on this disk, then restart",
    errno.EROFS: "the disk is read-only: a failing card is often switched to that; replace it",
    errno.EACCES: "permission is missing: the directory must belong to the cabinet's user",
    errno.EPERM: "permission is missing: the directory must belong to the cabinet's user",
    errno.EIO: "the disk reports input/output errors: replace the card",
    errno.EEXIST: "a file stands where the state directory should be: remove or rename it",
    errno.ENOTDIR: "a file stands where the state directory should be: remove or rename it",
    errno.EISDIR: "a folder stands where a file should be: move it elsewhere",
    errno.ENODEV: "a device or a pipe stands where a file should be: remove it",
    errno.ENXIO: "a device or a pipe stands where a file should be: remove it",
    errno.ELOOP: "a link stands where a file should be: put the file itself in its place",
}
_BY_RESULT = {  # beginnings of SQLite's result names, first match counts
    "SQLITE_FULL": _BY_ERRNO[errno.ENOSPC],
    # _ROLLBACK, _RECOVERY: a reader finds what only a writer may mend
    "SQLITE_READONLY_R": "a write was broken off: start the cabinet, or look at a copy of the directory",
    "SQLITE_READONLY": _BY_ERRNO[errno.EROFS],
    "SQLITE_IOERR_SHMSIZE": _BY_ERRNO[errno.ENOSPC],  # it could not be made larger
    "SQLITE_IOERR": _BY_ERRNO[errno.EIO],
    "SQLITE_PERM": _BY_ERRNO[errno.EACCES],
    "SQLITE_CANTOPEN": "the journal file can not be opened: check the disk and who owns the directory",
    "SQLITE_BUSY": "another program holds the journal: close it, then restart",
    "SQLITE_LOCKED": "another program holds the journal: close it, then restart",
    "SQLITE_NOMEM": "memory is used up: restart",
}


def os_text(error: OSError, place: Path) -> str:
    """A failed system call in words: what to do, then where and what exactly the system said. The system may
    name a file in the directory `place`: then that one is meant."""
    remedy = _BY_ERRNO.get(error.errno or 0, "the disk refused")
    if isinstance(error.filename, str | Path) and Path(error.filename).is_relative_to(place):
        place = Path(error.filename)
    return f"{remedy} ({place}: {error.strerror or error})"


# Results under which SQLite also reports a disk that is full, read-only or forbidden: it then has an errno,
# which Python does not hand on.
_VAGUE = ("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")


def result_text(
    name: str, detail: str, place: Path, refusal: Callable[[Path], int] = lambda _place: 0
) -> str | None:
    """The same for an SQLite result name such as SQLITE_IOERR_FSYNC. None: it is not the storage. `refusal`:
    the errno with which the disk refuses to keep something at a place now, 0 if it does not refuse."""
    for beginning, remedy in _BY_RESULT.items():
        if name.startswith(beginning):
            if name.startswith(_VAGUE):
                remedy = _BY_ERRNO.get(refusal(place), remedy)
            return f"{remedy} ({place}: {detail}, {name})"
    return None
