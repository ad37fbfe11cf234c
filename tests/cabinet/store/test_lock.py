"""One cabinet per state directory; the second one learns who is in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cabinet.store.journal import Journal, JournalLocked
from support.programs.strace import child_command, environment, run_child


def test_a_second_start_is_told_who_holds_the_directory(directory: Path) -> None:
    first = Journal.open(directory, started="Friday 20:15:00")
    with pytest.raises(JournalLocked) as refused:
        Journal.open(directory)
    assert refused.value.holder == f"process {os.getpid()}, started Friday 20:15:00"
    assert "stop that cabinet first" in refused.value.text
    first.close()
    Journal.open(directory).close()


def test_another_process_is_refused_and_told_too(directory: Path) -> None:
    journal = Journal.open(directory)
    refused = run_child(directory, 1)
    assert refused.returncode == 1
    assert (
        refused.stdout == f"error {directory} is in use by process {os.getpid()}: stop that cabinet first\n"
    )
    journal.close()
    assert run_child(directory, 1).stdout == "ack 1\ndone\n"


def test_a_killed_holder_leaves_no_lock(directory: Path) -> None:
    with subprocess.Popen(child_command(directory, 0), stdout=subprocess.PIPE, env=environment()) as child:
        assert child.stdout is not None
        child.stdout.readline()  # it has committed, so it holds the lock
        with pytest.raises(JournalLocked, match=f"process {child.pid}"):
            Journal.open(directory)
        child.kill()
        child.stdout.read()
    journal = Journal.open(directory)
    assert not journal.was_clean
    journal.close()


def test_a_holder_that_has_not_written_its_name_yet(directory: Path) -> None:
    journal = Journal.open(directory)
    (directory / "lock").write_text("")
    with pytest.raises(JournalLocked, match="another process"):
        Journal.open(directory)
    journal.close()


def test_a_shorter_name_leaves_nothing_of_a_longer_one(directory: Path) -> None:
    Journal.open(directory, started="on a day with a very long name").close()
    Journal.open(directory).close()
    assert (directory / "lock").read_text() == f"process {os.getpid()}\n"


def test_a_link_in_the_place_of_the_lock_is_not_followed(directory: Path, tmp_path: Path) -> None:
    """What it points to may be anybody's file: it is neither emptied nor written."""
    precious = tmp_path / "precious"
    precious.write_text("of somebody else")
    directory.mkdir()
    (directory / "lock").symlink_to(precious)
    Journal.open(directory).close()
    assert precious.read_text() == "of somebody else"
    assert (directory / "lock").read_text() == f"process {os.getpid()}\n"


def test_a_second_name_of_another_file_is_not_written(directory: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("of somebody else")
    directory.mkdir()
    (directory / "lock").hardlink_to(precious)
    Journal.open(directory).close()
    assert precious.read_text() == "of somebody else"


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_lock_that_was_taken_away_lets_nobody_else_in(directory: Path, how: str) -> None:
    journal = Journal.open(directory)
    (directory / "lock").unlink()
    if how == "replaced":
        (directory / "lock").write_text("process 1\n")
    with pytest.raises(JournalLocked):
        Journal.open(directory)
    assert run_child(directory, 1).returncode == 1
    journal.close()
    assert run_child(directory, 1).stdout == "ack 1\ndone\n"
