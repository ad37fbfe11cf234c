"""Folders for one run of the lab: wires, sockets, journals. Nothing of them outlives the run.

A run that is killed cannot tidy up: it leaves a folder with links to ptys that are gone. So each folder is
locked by its owner, and every new run removes those whose lock has fallen with their owner. A folder whose
owner lives is never touched, nor one that is just being made.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "cabinet-lab-"
OWNER = ".owner"


@contextmanager
def folder(name: str, place: Path | None = None) -> Iterator[Path]:
    """A folder for this run, in `place` or where temporary files go. First those of dead runs are removed."""
    where = Path(tempfile.gettempdir() if place is None else place)
    remove_orphans(where)
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{name}-", dir=where) as made:
        owner = os.open(Path(made) / OWNER, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(owner, fcntl.LOCK_EX)
            os.write(owner, f"{os.getpid()}\n".encode())  # until then nobody takes it for an orphan
            yield Path(made)
        finally:
            os.close(owner)


def remove_orphans(where: Path) -> list[Path]:
    """Remove the folders of runs that are dead; which they were."""
    removed = []
    for found in sorted(where.glob(f"{PREFIX}*")):
        with suppress(OSError):  # somebody else's, or another run removes it as well
            owner = os.open(found / OWNER, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                status = os.fstat(owner)
                if status.st_uid != os.getuid() or not status.st_size:
                    continue
                shutil.rmtree(found)
                removed.append(found)
            finally:
                os.close(owner)
    return removed
