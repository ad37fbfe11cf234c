"""What is stored is read again while the table plays: damage is found, a bad slot is mended."""

from __future__ import annotations

import select
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from cabinet.store import checker as checkers
from cabinet.store import writer as writers
from cabinet.store.checker import COPY_EVERY, ROWS, Checker, Finding
from cabinet.store.journal import Entry, Journal
from cabinet.store.second_copy import SLOT_BYTES, SlottedCopy
from cabinet.store.second_copy.media import FramSecondCopy
from cabinet.store.writer import Writer
from drivers.sim.gpio.fram import FramChip, I2cBus

Facts = Callable[..., Sequence[Entry]]
BOUND = 3 * COPY_EVERY  # slices in which a short journal is read more than once, and the copy too


def spoil(directory: Path, sql: str) -> None:
    with closing(sqlite3.connect(max(directory.glob("journal-*.db")))) as db:
        db.executescript(f"DROP TRIGGER facts_are_not_changed; DROP TRIGGER facts_are_not_removed; {sql}")


def chip_and_copy() -> tuple[FramChip, SlottedCopy]:
    chip = FramChip()
    return chip, FramSecondCopy(1, 0x50, lambda _number: I2cBus({0x50: chip}))


def found(writer: Writer, slices: int = BOUND) -> Finding | None:
    for _ in range(slices):
        writer.check()
        if (finding := writer.take_finding()) is not None:
            return finding
    return None


@pytest.mark.requirement("MEM-03")
def test_sound_memory_is_read_over_and_over_and_nothing_is_said(journal: Journal, facts: Facts) -> None:
    _, copy = chip_and_copy()
    checker = Checker(copy)
    writer = Writer(journal, copy, thread=False, checker=checker)
    writer.submit(facts(ROWS + 1), 0, b"totals")
    assert found(writer, BOUND) is None
    assert checker.passes == (BOUND - BOUND // COPY_EVERY) // 2
    writer.poll()
    writer.submit(facts(ROWS, first=ROWS + 2), 0, b"more")
    assert found(writer, BOUND) is None
    writer.close()


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("UPDATE facts SET body = replace(body, '500', '501') WHERE seq = 70", 70),
        ("UPDATE facts SET wall_ms = wall_ms + 1 WHERE seq = 1", 1),
        ("UPDATE facts SET digest = zeroblob(32) WHERE seq = 149", 149),
        ("DELETE FROM facts WHERE seq = 100", 100),
        ("DELETE FROM facts WHERE seq = 150", 150),
        ("UPDATE meta SET head_seq = 149", 150),
    ],
)
def test_a_row_that_changes_at_rest_is_named_within_one_pass(
    journal: Journal, directory: Path, facts: Facts, sql: str, row: int
) -> None:
    writer = Writer(journal, thread=False, checker=Checker())
    writer.submit(facts(150), 0)
    writer.poll()
    assert found(writer) is None
    spoil(directory, sql)
    slices = 2 * (150 // ROWS + 1) + 1  # the pass that had begun, and one more
    finding = found(writer, slices)
    assert finding is not None
    assert f"the journal is broken at row {row}" in finding.broken
    assert found(writer) is None  # it looks no further: once is enough
    writer.close()


def test_the_next_file_is_followed_from_its_beginning(directory: Path, facts: Facts) -> None:
    journal = Journal.open(directory, rotate_bytes=1)
    checker = Checker()
    writer = Writer(journal, thread=False, checker=checker)
    writer.submit(facts(ROWS + 9), 0)
    writer.poll()
    writer.check()
    journal.snapshot(1, journal.head.seq, b"state")
    journal.idle()
    writer.submit(facts(3, first=ROWS + 10), 0)
    writer.poll()
    assert found(writer) is None
    assert checker.passes > 1
    writer.close()
    journal.close()


@pytest.mark.requirement("MEM-03", "MEM-04")
@pytest.mark.parametrize("slot", [0, 1])
def test_a_slot_that_changes_at_rest_is_written_anew_verified_and_told(
    journal: Journal, facts: Facts, slot: int
) -> None:
    chip, copy = chip_and_copy()
    writer = Writer(journal, copy, thread=False, checker=Checker(copy))
    for number in (1, 2):
        writer.submit(facts(1, first=number), 0, b"totals %d" % number)
        writer.poll()
    assert found(writer) is None
    chip.content[slot * SLOT_BYTES + 50] ^= 0x20
    name = "AB"[slot]
    assert found(writer) == Finding(
        repaired=f"slot {name} of the second copy has changed by itself: written again"
    )
    assert found(writer) is None
    look = copy.look()
    assert look.bad == ()
    assert look.record is not None
    assert (look.record.head, look.record.totals) == (journal.head, b"totals 2")
    writer.close()


@pytest.mark.requirement("MEM-04")
def test_a_slot_that_cannot_be_written_anew_is_told(journal: Journal, facts: Facts) -> None:
    chip, copy = chip_and_copy()
    writer = Writer(journal, copy, thread=False, checker=Checker(copy))
    writer.submit(facts(1), 0, b"totals")
    writer.poll()
    chip.content[50] ^= 1
    chip.fault = "write_protected"
    finding = found(writer)
    assert finding is not None
    assert "WP pin" in finding.copy
    chip.fault = "missing"
    writer.submit(facts(1, first=2), 0, b"totals")
    writer.poll()
    chip.fault = ""
    writer.submit(facts(1, first=3), writers.COPY_AGAIN_MS + 1, b"totals")
    writer.poll()
    assert found(writer) is None
    writer.close()


@pytest.mark.requirement("MEM-10")
def test_a_disk_that_is_nearly_full_is_told_before_it_is(
    journal: Journal, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(journal, thread=False, checker=Checker())
    writer.submit(facts(1), 0)
    writer.poll()
    monkeypatch.setattr(journal, "free_bytes", lambda: checkers.FREE_BYTES - 1)
    finding = found(writer)
    assert finding is not None
    assert finding.storage.startswith("the disk is nearly full (63 MB left): free space")
    writer.close()


@pytest.mark.requirement("MEM-10")
def test_a_card_that_does_not_give_a_row_is_a_storage_fault(
    journal: Journal, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = Writer(journal, thread=False, checker=Checker())
    writer.submit(facts(1), 0)
    writer.poll()

    def refuses(*_: object) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorname = "SQLITE_IOERR_READ"
        raise error

    monkeypatch.setattr(journal._file, "check_rows", refuses)
    finding = found(writer)
    assert finding is not None
    assert "input/output errors: replace the card" in finding.storage
    writer.close()


@pytest.mark.requirement("MEM-03")
def test_the_writer_thread_looks_when_nobody_wants_anything(
    journal: Journal, directory: Path, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "PAUSE_S", 0.001)
    writer = Writer(journal, checker=Checker())
    writer.submit(facts(80), 0)
    writer.wait()
    spoil(directory, "UPDATE facts SET kind = 'NoteReturned' WHERE seq = 33")
    assert select.select([writer.fileno()], [], [], PATIENCE_S)[0]
    finding = writer.take_finding()
    assert finding is not None
    assert "at row 33" in finding.broken
    assert not select.select([writer.fileno()], [], [], 0)[0]
    assert writer.take_finding() is None
    writer.submit(facts(1, first=81), 0)  # what to do about it is for others to say
    assert writer.wait() is not None
    writer.close()


def test_a_checker_that_fails_ends_nobody(journal: Journal, facts: Facts) -> None:
    class Wrong(Checker):
        def step(self, *_: object) -> Finding | None:
            raise KeyError("oops")

    writer = Writer(journal, thread=False, checker=Wrong())
    writer.submit(facts(1), 0)
    writer.poll()
    finding = found(writer)
    assert finding is not None
    assert "cannot be checked: KeyError" in finding.broken
    writer.close()
