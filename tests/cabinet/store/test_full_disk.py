"""A real disk, a small one, that gets full wherever it may. Only where a test may mount one."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cabinet.store.journal import Entry, Journal, StorageError

Facts = Callable[..., Sequence[Entry]]


def mounted(place: Path) -> bool:
    """A megabyte of its own at this place."""
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    return subprocess.run(command, capture_output=True).returncode == 0


def _may_mount() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return mounted(Path(folder)) and subprocess.run(["umount", folder]).returncode == 0


__test__ = _may_mount()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of its own with one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    assert mounted(place)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(directory: Path, facts: Facts) -> None:
    journal = Journal.open(directory)
    try:
        for number in range(1, 200):
            journal.commit(facts(1, first=number))
    finally:
        journal.close()


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize("room", range(0, 160, 16))
def test_a_real_disk_that_is_full_is_never_told_as_a_broken_card(
    small_disk: Path, facts: Facts, room: int
) -> None:
    """With this many kilobytes left, wherever in a start or a commit they come to an end."""
    filler = small_disk / "filler"
    free = os.statvfs(small_disk)
    with filler.open("wb") as file:
        file.write(bytes(free.f_bavail * free.f_frsize - room * 1024))
    with pytest.raises(StorageError) as caught:
        fill(small_disk / "state", facts)
    assert caught.value.text.startswith("the disk is full: free space or fit a larger card")
    filler.unlink()
    journal = Journal.open(small_disk / "state")
    journal.commit(facts(1, first=journal.head.seq + 1))
    journal.close()
