"""Disks that are full, read-only, forbidden or gone: a clear text, and nothing acknowledged is lost."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from cabinet.store import schema
from cabinet.store.directory import files
from cabinet.store.errors import os_text, result_text
from cabinet.store.journal import Entry, Journal, JournalBroken, StorageError
from support.programs.strace import acknowledged, child_command, environment, run_child

Facts = Callable[..., Sequence[Entry]]


# ---- at open

TROUBLE = [
    (errno.ENOSPC, "the disk is full: free space or fit a larger card"),
    (errno.EROFS, "the disk is read-only"),
    (errno.EACCES, "permission is missing: the directory must belong to the cabinet's user"),
    (errno.EIO, "replace the card"),
    (errno.EBADF, "the disk refused"),
]


def refusing(number: int) -> Callable[..., int]:
    def refuse(path: object, *rest: object, **more: object) -> int:
        raise OSError(number, os.strerror(number), str(path))

    return refuse


@pytest.mark.parametrize(("number", "text"), TROUBLE)
def test_a_directory_that_can_not_be_locked_says_why(
    directory: Path, monkeypatch: pytest.MonkeyPatch, number: int, text: str
) -> None:
    directory.mkdir()
    with monkeypatch.context() as broken:
        broken.setattr(os, "open", refusing(number))
        with pytest.raises(StorageError) as refused:
            Journal.open(directory)
    assert text in refused.value.text
    assert str(directory) in refused.value.text
    assert os.strerror(number) in refused.value.text


@pytest.mark.parametrize(("number", "text"), TROUBLE)
def test_a_directory_that_can_not_be_made_durable_says_why(
    directory: Path, monkeypatch: pytest.MonkeyPatch, number: int, text: str
) -> None:
    directory.mkdir()
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", refusing(number))
        with pytest.raises(StorageError) as refused:
            Journal.open(directory)
    assert text in refused.value.text
    Journal.open(directory).close()  # a half-made file from before does not matter


def test_a_lock_that_the_file_system_does_not_know_says_why(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("fcntl.flock", refusing(errno.ENOLCK))
        with pytest.raises(StorageError, match="the disk refused"):
            Journal.open(directory)


def test_a_file_in_the_place_of_the_directory(directory: Path) -> None:
    directory.write_text("")
    with pytest.raises(StorageError, match="a file stands where the state directory should be"):
        Journal.open(directory)
    with pytest.raises(StorageError, match="a file stands where the state directory should be"):
        Journal.open(directory / "deeper")


def test_a_directory_that_is_not_there_for_a_reader(directory: Path) -> None:
    with pytest.raises(StorageError, match="No such file or directory"):
        Journal.read(directory)


def test_free_bytes_of_a_disk_that_is_gone(directory: Path) -> None:
    journal = Journal.open(directory)
    journal.close()
    (directory / "lock").unlink()
    (directory / "journal-000001.db").unlink()
    directory.rmdir()
    with pytest.raises(StorageError, match="No such file"):
        journal.free_bytes()


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SQLITE_FULL", "the disk is full"),
        ("SQLITE_IOERR_FSYNC", "replace the card"),
        ("SQLITE_READONLY_DBMOVED", "read-only"),
        ("SQLITE_CANTOPEN", "who owns the directory"),
        ("SQLITE_BUSY", "another program holds the journal"),
    ],
)
def test_what_sqlite_says_in_words(name: str, text: str) -> None:
    told = result_text(name, "as sqlite puts it", Path("/var/lib/cabinet"))
    assert told is not None
    assert text in told
    assert told.endswith(f"(/var/lib/cabinet: as sqlite puts it, {name})")


def test_damage_is_not_the_storage_refusing() -> None:
    assert result_text("SQLITE_CORRUPT", "malformed", Path()) is None


def test_an_error_without_a_number() -> None:
    assert os_text(OSError("no number"), Path("state")) == "the disk refused (state: no number)"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (errno.ENOSPC, "the disk is full: free space"),
        (errno.EDQUOT, "the quota is used up"),
        (errno.EROFS, "the disk is read-only"),
        (errno.EACCES, "permission is missing"),
        (errno.EIO, "replace the card"),
        (0, "replace the card"),
    ],
)
@pytest.mark.requirement("MEM-10")
def test_a_vague_error_of_sqlite_is_told_by_what_the_disk_says_itself(number: int, text: str) -> None:
    """SQLite calls a full disk an input/output error wherever it does not expect one."""
    told = result_text(
        "SQLITE_IOERR_WRITE", "disk I/O error", Path("/var/lib/cabinet"), lambda _place: number
    )
    assert told is not None
    assert told.startswith(text) or text in told
    assert ("card" in told) is (number in (errno.EIO, errno.ENOSPC, errno.EROFS, 0))


def test_a_disk_that_takes_a_page_does_not_refuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files.refusal(tmp_path) == 0
    assert list(tmp_path.iterdir()) == [], "the page has no name"
    assert files.refusal(tmp_path / "gone" / "journal.db") == 0, "that is told by who looked for it"
    monkeypatch.setattr(os, "fsync", refusing(errno.EIO))
    assert files.refusal(tmp_path) == errno.EIO
    monkeypatch.setattr(os, "open", refusing(errno.EOPNOTSUPP))
    assert files.refusal(tmp_path) == 0, "this file system cannot say"


# ---- in the middle of the night


@pytest.fixture
def held(directory: Path, facts: Facts) -> Path:
    """A state directory with one row, whose file a technician's tool has locked for writing."""
    journal = Journal.open(directory)
    journal.commit(facts(1))
    journal.close()
    return directory


def hurried(journal: Journal) -> Journal:
    """Waits for other programs hardly at all."""
    journal._file.db.execute("PRAGMA busy_timeout = 50")
    return journal


def test_after_a_failed_commit_the_journal_is_dead(held: Path, facts: Facts) -> None:
    journal = hurried(Journal.open(held))
    with closing(sqlite3.connect(held / "journal-000001.db", isolation_level=None)) as tool:
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="another program holds the journal"):
            journal.commit(facts(1, first=2))
        tool.execute("ROLLBACK")
    for call in (lambda: journal.commit(facts(1, first=2)), lambda: list(journal.rows()), journal.mark_clean):
        with pytest.raises(StorageError, match="another program holds the journal"):
            call()
    journal.close()
    journal = Journal.open(held)
    assert [row.entry for row in journal.rows()] == list(facts(1))
    journal.close()


@pytest.mark.requirement("MEM-10")
def test_another_program_that_holds_the_journal_for_a_moment_is_waited_for(held: Path, facts: Facts) -> None:
    """A second is nothing: the commit comes back late, and no more."""
    journal = Journal.open(held)
    tool = sqlite3.connect(held / "journal-000001.db", isolation_level=None, check_same_thread=False)
    tool.execute("BEGIN IMMEDIATE")
    release = threading.Timer(1.0, lambda: tool.execute("ROLLBACK"))
    release.start()
    assert journal.commit(facts(1, first=2)).seq == 2
    release.join()
    tool.close()
    journal.close()


def test_a_reader_does_not_hold_up_a_checkpoint_for_as_long(held: Path, facts: Facts) -> None:
    journal = Journal.open(held)
    with closing(sqlite3.connect(held / "journal-000001.db", isolation_level=None)) as tool:
        tool.execute("BEGIN")
        tool.execute("SELECT * FROM facts").fetchall()
        journal.commit(facts(1, first=2))
        began = time.monotonic()
        journal.idle()
        assert time.monotonic() - began < schema.BUSY_MS / 1000
    assert journal._file.db.execute("PRAGMA busy_timeout").fetchone() == (schema.BUSY_MS,)
    journal.close()


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize("what", ["snapshot", "mark_clean", "idle"])
def test_every_failed_write_kills_the_journal(held: Path, facts: Facts, what: str) -> None:
    journal = hurried(Journal.open(held))
    calls: dict[str, Callable[[], None]] = {
        "snapshot": lambda: journal.snapshot(1, 1, b"state"),
        "mark_clean": journal.mark_clean,
        "idle": journal.idle,
    }
    with closing(sqlite3.connect(held / "journal-000001.db", isolation_level=None)) as tool:
        if what == "idle":
            tool.execute("DROP TABLE snapshot")
        else:
            tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError):
            calls[what]()
    with pytest.raises(StorageError):
        journal.commit(facts(1, first=2))
    journal.close()


def test_rows_that_another_program_has_appended_are_not_built_upon(held: Path, facts: Facts) -> None:
    journal = Journal.open(held)
    with closing(sqlite3.connect(held / "journal-000001.db", isolation_level=None)) as tool:
        tool.execute("UPDATE meta SET head_seq = 2")
    with pytest.raises(StorageError, match="another program has written into the journal"):
        journal.commit(facts(1, first=2))
    journal.close()


def test_a_table_that_vanishes_under_a_running_cabinet(held: Path) -> None:
    journal = Journal.open(held)
    reader = Journal.read(held)
    with closing(sqlite3.connect(held / "journal-000001.db", isolation_level=None)) as tool:
        tool.execute("DROP TABLE snapshot")
        with pytest.raises(JournalBroken, match="no such table: snapshot"):
            journal.load_snapshot(1)
        for table in ("meta", "facts"):
            tool.execute(f"DROP TABLE {table}")
    with pytest.raises(JournalBroken, match="no such table: meta"):
        journal.digest_at(1)
    with pytest.raises(JournalBroken, match="no such table: meta"):
        list(reader.rows())
    reader.close()
    journal.close()


def test_a_log_that_a_power_cut_left_of_an_unfinished_file_is_thrown_away(directory: Path) -> None:
    directory.mkdir()
    for name in (files.BUILDING, f"{files.BUILDING}-wal", f"{files.BUILDING}-journal"):
        (directory / name).write_bytes(b"half")
    Journal.open(directory).close()
    assert sorted(path.name for path in directory.iterdir()) == ["journal-000001.db", "lock"]


# ---- real short writes: the system takes a part of a write and refuses the rest


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize("limit", [33_000, 34_111, 41_200, 42_222, 53_333, 57_353, 61_999])
def test_a_disk_that_takes_only_a_part(directory: Path, limit: int) -> None:
    run = run_child(directory, 0, f"--file-bytes={limit}")
    last = acknowledged(run.stdout)
    assert run.returncode == 1
    assert run.stdout.splitlines()[-1].startswith("error the disk ")
    assert run.stderr == ""

    journal = Journal.open(directory)
    rows = list(journal.rows())
    assert len(rows) >= last > 0
    journal.close()
    assert acknowledged(run_child(directory, 1).stdout) == len(rows) + 1


# ---- a real full disk, where a test may mount one


def mounts_allowed() -> bool:
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(probe, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


class TestFullDisk:
    """Collected only where a user may have a mount of his own."""

    __test__ = mounts_allowed()

    @staticmethod
    def on_a_disk_of(kilobytes: int, directory: Path, script: str) -> str:
        """What ``script`` prints in a shell that has a small disk at ``directory``."""
        directory.mkdir()
        mount = f"mount -t tmpfs -o size={kilobytes}k none {directory}"
        run = subprocess.run(
            ["unshare", "-rm", "sh", "-c", f"{mount} && {script}"],
            capture_output=True,
            text=True,
            env=environment(),
            timeout=PATIENCE_S,
        )
        assert run.stderr == ""
        return run.stdout

    def test_full_while_playing(self, directory: Path) -> None:
        forever = " ".join(child_command(directory, 0))
        once = " ".join(child_command(directory, 1))
        said = self.on_a_disk_of(
            260,
            directory,
            f"head -c 50000 /dev/zero > {directory}/ballast; {forever}; rm {directory}/ballast; {once}",
        ).splitlines()
        refused = next(number for number, line in enumerate(said) if line.startswith("error"))
        assert "the disk is full: free space or fit a larger card, then restart" in said[refused]
        before, after = said[:refused], said[refused + 1 :]
        assert acknowledged("\n".join(before)) > 3
        assert acknowledged("\n".join(after)) > acknowledged("\n".join(before))
        assert after[-1] == "done"

    def test_full_before_the_first_start(self, directory: Path) -> None:
        said = self.on_a_disk_of(8, directory, f"{' '.join(child_command(directory, 1))} || true")
        assert said.startswith("error the disk ")

    def test_read_only(self, directory: Path) -> None:
        once = " ".join(child_command(directory, 1))
        said = self.on_a_disk_of(400, directory, f"{once}; mount -o remount,ro {directory}; {once} || true")
        assert said.splitlines()[-1].startswith("error the disk is read-only: ")
