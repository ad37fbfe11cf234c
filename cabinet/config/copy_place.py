"""Where the second copy is kept, if it is a file: never with the journal nor in place of something else.

A copy in the state directory, or on its disk, is lost or changed together with the journal, so it proves
nothing. Links are followed first: what counts is the file that would be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cabinet.config.file import CheckCopy, FileCopy, FramCopy
from cabinet.config.problems import Problem
from cabinet.store.second_copy.media import FileMedium
from drivers.tables import shown

ELSEWHERE = "an absolute path on another disk, in a directory of its own (docs/second-copy.md)"
_JOURNAL = re.compile(r"journal-\d+\.db.*|next\.db.*")


def checker(state_dir: Path | None = None, *, same_disk: bool = False) -> CheckCopy:
    """What is wrong with the place, for `cabinet.config.load`. `state_dir`: of the cabinet, where it is
    known. `same_disk`: a lab may keep both on one disk; nothing else is let pass."""

    def check(file: str, copy: FileCopy | FramCopy | None) -> tuple[Problem, ...]:
        if not isinstance(copy, FileCopy):
            return ()
        try:
            found = tuple(_found(Path(copy.path), state_dir, same_disk=same_disk))
        except (OSError, ValueError, RuntimeError) as error:  # a loop of links, a name that no system takes
            found = (f"a path that cannot be followed ({error})",)
        return tuple(
            Problem(file, "second_copy", "path", f"{shown(copy.path)}, {text}", ELSEWHERE) for text in found
        )

    return check


def _found(path: Path, state_dir: Path | None, *, same_disk: bool) -> Iterator[str]:
    real = path.resolve()
    state = state_dir.resolve() if state_dir is not None else None
    if real.is_dir():
        yield "a directory"
        return
    if state is not None and real.is_relative_to(state):
        yield f"in the state directory {state_dir}"
        return
    if _JOURNAL.fullmatch(real.name) or any(_holds_a_journal(folder) for folder in real.parents):
        yield "in the directory of a journal"
        return
    if state is not None and real.exists() and (link := _same_file(real, state)):
        yield f"the same file as {link}"
        return
    if why := FileMedium(real).foreign():
        yield why
        return
    if state is not None and not same_disk and disk_of(real) == disk_of(state):
        yield f"on the same disk as the state directory {state_dir}: mount the other disk, or give its path"


def _holds_a_journal(folder: Path) -> bool:
    return next(folder.glob("journal-[0-9][0-9][0-9][0-9][0-9][0-9].db"), None) is not None


def _same_file(path: Path, state: Path) -> Path | None:
    """The file of the state directory that `path` is a hard link to."""
    mine = path.stat()
    for entry in state.rglob("*") if state.is_dir() else ():
        found = entry.lstat()
        if (found.st_dev, found.st_ino) == (mine.st_dev, mine.st_ino):
            return entry
    return None


def disk_of(path: Path) -> int:
    """The number of the file system on which a file is, or would be made."""
    while not path.exists():
        path = path.parent
    return path.stat().st_dev
