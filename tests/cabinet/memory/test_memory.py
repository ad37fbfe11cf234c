"""What a start finds in the critical memory, and what the table does about it while it runs."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.core.conditions import Code
from cabinet.core.live import active_conditions, play_lock
from cabinet.core.outputs import outputs
from cabinet.core.view import view
from cabinet.memory.check import BOARD_FILE, Foreign, board_of, check
from cabinet.service.pages import service_look
from cabinet.store.checker import COPY_EVERY, Checker
from cabinet.store.journal import Journal, JournalBroken, StorageError
from cabinet.store.lost_journal import LostJournal
from cabinet.store.second_copy import SLOT_BYTES, SlottedCopy
from cabinet.store.second_copy import nonce as nonces
from cabinet.store.second_copy.media import FramSecondCopy
from cabinet.store.writer import Writer
from drivers.device import InputChanged, NoteEscrowed, Pattern
from drivers.sim.gpio.fram import FramChip, I2cBus, I2cMessage
from support.programs.runtime_bench import Bench


class Cabinet:
    """One state directory and one chip, and the program that is started on them again and again."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.chip = FramChip()
        self.bench: Bench | None = None

    def copy(self) -> SlottedCopy:
        return FramSecondCopy(1, 0x50, lambda _number: I2cBus({0x50: self.chip}))

    def start(self, board: str = "board 1", *, fitted: bool = True) -> Bench:
        self.bench = Bench(self.directory, second_copy=self.copy() if fitted else None, board=board)
        self.bench.step()
        self.bench.step()
        return self.bench

    def stop(self, *, clean: bool = True) -> None:
        assert self.bench is not None
        self.bench.runtime.close(clean=clean, now_ms=self.bench.now_ms)
        self.bench = None

    def evening(self, **how: bool) -> None:
        """A start with something to remember, and its end."""
        b = self.start()
        b.insert(1, 2_000)
        self.stop(**how)


def spoil(directory: Path, sql: str) -> None:
    """A change behind the program's back, as a card makes it that has lost a bit."""
    with closing(sqlite3.connect(max(directory.glob("journal-*.db")))) as db:
        for name in ("facts_are_not_changed", "facts_are_not_removed"):
            db.execute(f"DROP TRIGGER IF EXISTS {name}")
        db.executescript(sql)


@pytest.fixture
def cabinet(tmp_path: Path) -> Iterator[Cabinet]:
    made = Cabinet(tmp_path / "state")
    yield made
    if made.bench is not None:
        made.stop(clean=False)


def codes(b: Bench) -> list[str]:
    return [row.code for row, _, _ in active_conditions(b.state, b.runtime.live)]


def copy_facts(b: Bench) -> list[str]:
    """What the journal says about the second copy, in order."""
    return [r.entry.kind for r in b.journal.rows() if '"M01"' in r.entry.body]


# ---- the copies agree, or nearly


@pytest.mark.requirement("MEM-02", "MEM-03")
@pytest.mark.parametrize("clean", [True, False])
def test_after_a_quiet_stop_and_after_a_crash_play_goes_on(cabinet: Cabinet, clean: bool) -> None:
    cabinet.evening(clean=clean)
    b = cabinet.start()
    assert (codes(b), copy_facts(b)) == ([], [])
    assert b.state.credit(1) == 2_000


@pytest.mark.requirement("MEM-02")
@pytest.mark.parametrize("notes", [(), (1_000,)])
def test_a_copy_that_is_behind_is_written_before_anything_is_committed(
    cabinet: Cabinet, notes: tuple[int, ...]
) -> None:
    """Power may go again between the first commit of the new start and its copy: it never is two behind."""
    b = cabinet.start()
    before = bytes(cabinet.chip.content)
    for cents in (2_000, *notes):
        b.insert(1, cents)
    head = b.journal.head
    cabinet.stop(clean=False)
    cabinet.chip.content[:] = before
    cabinet.bench = Bench(cabinet.directory, second_copy=cabinet.copy(), board="board 1")
    record = cabinet.copy().read()
    assert record is not None
    assert cabinet.bench.journal.head == record.head == head


@pytest.mark.requirement("MEM-02", "MEM-03")
def test_power_that_goes_inside_the_copy_costs_nothing(cabinet: Cabinet) -> None:
    """The last commit is in the journal; of the second copy a part of it is. Every byte: test_second_copy."""
    b = cabinet.start()
    b.insert(1, 2_000)
    size = cabinet.chip.written
    b.insert(1, 1_000)
    size = cabinet.chip.written - size  # of two commits of one note
    cabinet.stop(clean=False)
    kept = bytes(cabinet.chip.content)
    saved = cabinet.directory.with_name("saved")
    shutil.copytree(cabinet.directory, saved)
    for left in (0, 1, 8, 48, size // 4, size // 2 - 5, size // 2 + 20, size - 4, size):
        shutil.rmtree(cabinet.directory)
        shutil.copytree(saved, cabinet.directory)
        cabinet.chip = FramChip(bytearray(kept))
        b = cabinet.start()
        cabinet.chip.left = left
        b.insert(1, 500)
        cabinet.stop(clean=False)
        cabinet.chip.left = None
        again = cabinet.start()
        assert play_lock(again.state, again.runtime.live) == ""
        assert again.state.credit(1) == 3_500
        cabinet.stop(clean=False)


@pytest.mark.requirement("MEM-04")
def test_a_copy_that_was_not_kept_for_a_while_is_written_anew_and_logged(cabinet: Cabinet) -> None:
    cabinet.evening()
    b = cabinet.start(fitted=False)
    b.insert(1, 1_000)
    cabinet.stop()
    b = cabinet.start()
    assert copy_facts(b) == ["ConditionRaised", "ConditionCleared"]
    assert codes(b) == []
    assert b.state.meters["on.M01"] == 1
    cabinet.stop()
    b = cabinet.start()
    assert copy_facts(b) == ["ConditionRaised", "ConditionCleared"]


@pytest.mark.requirement("MEM-04")
@pytest.mark.parametrize("slots", [(0,), (1,), (0, 1)])
def test_bad_slots_are_found_rebuilt_verified_and_logged(cabinet: Cabinet, slots: tuple[int, ...]) -> None:
    cabinet.evening()
    for slot in slots:
        cabinet.chip.content[slot * SLOT_BYTES + 20] ^= 4
    b = cabinet.start()
    assert copy_facts(b) == ["ConditionRaised", "ConditionCleared"]
    assert b.state.credit(1) == 2_000
    b.insert(1, 1_000)
    cabinet.stop()
    found = cabinet.copy().look()
    assert (found.bad, found.record is not None) == ((), True)


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize("fault", ["missing", "hang", "write_protected"])
def test_a_chip_that_fails_is_told_play_goes_on_and_it_is_caught_up(cabinet: Cabinet, fault: str) -> None:
    cabinet.evening()
    cabinet.chip.fault = fault
    b = cabinet.start()
    assert codes(b) == ["M01"]
    b.insert(1, 1_000)
    assert b.state.credit(1) == 3_000
    cabinet.chip.fault = ""
    b.now_ms += 20_000
    b.insert(1, 500)
    b.step()
    assert codes(b) == []
    assert copy_facts(b) == ["ConditionRaised", "ConditionCleared"]
    record = cabinet.copy().read()
    assert record is not None
    assert record.head == b.journal.head


def test_a_dead_chip_is_not_asked_at_every_commit(cabinet: Cabinet) -> None:
    """A bus that hangs costs two seconds each time."""
    b = cabinet.start()
    asked: list[int] = []

    class Dead(FramChip):
        def transfer(self, messages: Sequence[I2cMessage]) -> list[bytes]:
            asked.append(b.now_ms)
            raise OSError(errno.ETIMEDOUT, "Connection timed out")

    dead = Dead()
    second_copy = FramSecondCopy(1, 0x50, lambda _number: I2cBus({0x50: dead}))
    b.writer.close()
    b.runtime.writer = Writer(b.journal, second_copy, thread=False)
    for _ in range(8):
        b.insert(1, 500)
        b.now_ms += 3_000
    assert sorted(set(asked)) == [0, 12_000]


# ---- they do not


@pytest.mark.requirement("MEM-05")
def test_a_card_that_has_lost_what_it_had_promised_locks_the_table(cabinet: Cabinet) -> None:
    b = cabinet.start()
    cabinet.stop()
    saved = cabinet.directory.with_name("saved")
    shutil.copytree(cabinet.directory, saved)
    cabinet.evening()
    shutil.rmtree(cabinet.directory)
    saved.rename(cabinet.directory)
    b = cabinet.start()
    assert play_lock(b.state, b.runtime.live) == "M02"
    assert "the second copy is ahead of the journal: the journal has lost rows" in b.runtime.live.trouble(
        Code.MEMORY_FAILED
    )
    assert "cabinet memory clear" in b.runtime.live.trouble(Code.MEMORY_FAILED)


@pytest.mark.requirement("MEM-05")
def test_no_key_and_no_restart_clears_it_and_nothing_is_taken_or_written(cabinet: Cabinet) -> None:
    test_a_card_that_has_lost_what_it_had_promised_locks_the_table(cabinet)
    assert cabinet.bench is not None
    rows = cabinet.bench.journal.head
    kept = bytes(cabinet.chip.content)
    for _ in range(2):
        b = cabinet.bench
        for name in ("key.attendant", "key.service"):
            b.step(InputChanged("panel1", b.now_ms, name, True))
            b.step(InputChanged("panel1", b.now_ms, name, False))
        said = b.step(NoteEscrowed("validator1", b.now_ms, 2_000, 1))
        assert "validator1 give_back" in said
        assert play_lock(b.state, b.runtime.live) == "M02"
        cabinet.stop()
        cabinet.start()
    assert cabinet.bench.journal.head == rows
    assert bytes(cabinet.chip.content) == kept


@pytest.mark.requirement("MEM-05", "MTR-09")
def test_the_lamps_call_and_the_meters_can_be_read_marked_doubtful(cabinet: Cabinet) -> None:
    test_a_card_that_has_lost_what_it_had_promised_locks_the_table(cabinet)
    b = cabinet.bench
    assert b is not None
    levels = outputs(b.state, b.runtime.live)
    assert levels.panel["candle.bottom"] is Pattern.FAST
    assert levels.panel["candle.top"] is Pattern.FAST
    assert not any(levels.accept.values())
    lock = view(b.state, b.runtime.live).lock
    assert lock is not None
    assert lock.code == "M02"
    b.step(InputChanged("panel1", b.now_ms, "key.service", True))
    b.now_ms += 2_000
    b.step()
    page = service_look(b.state, b.runtime.live, {})
    both = next(panel for panel in page.panels if panel.title.startswith("WHAT DIFFERS"))
    assert ("credit.1, cents", "0", "2000") in [entry.cells for entry in both.rows]
    for _ in range(page.menu.index("Meters")):
        b.press("seat1.bet_plus")
    b.press("seat1.deal")
    page = service_look(b.state, b.runtime.live, {})
    assert page.path[-1] == "Meters"
    assert page.headline.startswith("Doubtful: M02")
    b.press("seat1.cash_out")
    assert b.runtime.live.menu == ()


@pytest.mark.requirement("MEM-05")
def test_a_chip_of_another_evening_with_the_same_number_locks_the_table(cabinet: Cabinet) -> None:
    cabinet.evening()
    shutil.rmtree(cabinet.directory)
    b = cabinet.start()
    assert b.runtime.live.trouble(Code.MEMORY_FAILED)
    cabinet.stop()
    other = Cabinet(cabinet.directory.with_name("other"))
    b = other.start()
    for _ in range(4):
        b.insert(1, 500)
    other.stop()
    other.chip = cabinet.chip  # numbers are drawn alike in these tests: only the chain tells them apart
    b = other.start()
    assert "the second copy is of another journal" in b.runtime.live.trouble(Code.MEMORY_FAILED)
    assert play_lock(b.state, b.runtime.live) == "M02"
    other.stop()


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_totals_that_differ_under_one_head_are_shown_with_both_values(cabinet: Cabinet) -> None:
    cabinet.evening()
    copy = cabinet.copy()
    record = copy.read()
    assert record is not None
    copy.renew(record.head, record.totals.replace(b'"credit.1":2000', b'"credit.1":9000'))
    b = cabinet.start()
    assert "journal and second copy differ: credit.1, cents 2000 and 9000" in b.runtime.live.trouble(
        Code.MEMORY_FAILED
    )
    assert play_lock(b.state, b.runtime.live) == "M02"


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_a_row_that_has_changed_at_rest_is_no_crash_but_a_lock(cabinet: Cabinet) -> None:
    cabinet.evening()
    spoil(
        cabinet.directory,
        "DELETE FROM snapshot; UPDATE facts SET body = replace(body, '2000', '9000')"
        " WHERE kind = 'NoteIntended';",
    )
    b = cabinet.start()
    assert "the journal is broken at row" in b.runtime.live.trouble(Code.MEMORY_FAILED)
    assert play_lock(b.state, b.runtime.live) == "M02"
    assert b.state.session == 1  # what was read up to the bad row can be shown


@pytest.mark.requirement("MEM-05")
def test_a_journal_that_cannot_be_opened_leaves_what_the_copy_knows(cabinet: Cabinet) -> None:
    cabinet.evening()
    path = max(cabinet.directory.glob("journal-*.db"))
    path.write_bytes(path.read_bytes()[:4096] + bytes(4096))
    with pytest.raises(JournalBroken) as broken:
        Journal.open(cabinet.directory)
    lost = LostJournal(cabinet.directory, "test", broken.value.text)
    checked = check(lost, cabinet.copy(), "board 1", bytes, machine_id=1, seats=2, damage=broken.value.text)
    assert checked.restored.state.credit(1) == 2_000
    assert checked.restored.state.meters["bill_in"] == 2_000
    assert checked.found.memory.startswith("the journal is broken")
    with pytest.raises(StorageError):
        lost.commit([])
    lost.close()
    cabinet.chip.fault = "missing"
    nothing = check(lost, cabinet.copy(), "board 1", bytes, machine_id=1, seats=2, damage="gone")
    assert nothing.restored.state.meters == {}
    assert check(lost, None, "", bytes, machine_id=1, seats=2, damage="gone").restored.facts == 0


# ---- while it runs


def checked(b: Bench, copy: SlottedCopy) -> Writer:
    """The writer of this program, with a checker whose slices the test runs."""
    b.writer.close()
    b.runtime.writer = Writer(b.journal, copy, thread=False, checker=Checker(copy))
    return b.runtime.writer


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_a_row_that_changes_while_the_table_plays_stops_it_at_once(cabinet: Cabinet) -> None:
    b = cabinet.start()
    writer = checked(b, cabinet.copy())
    b.insert(1, 2_000)
    spoil(cabinet.directory, "UPDATE facts SET at_ms = at_ms + 1 WHERE seq = 2;")
    for _ in range(5):
        writer.check()
    b.step()
    assert play_lock(b.state, b.runtime.live) == "M02"
    assert "the journal is broken at row 2" in b.runtime.live.trouble(Code.MEMORY_FAILED)
    assert "validator1 give_back" in b.step(NoteEscrowed("validator1", b.now_ms, 2_000, 1))
    head = b.journal.head
    cabinet.stop()  # asked to stop: nothing more is written, and no mark says that all was well
    with closing(Journal.read(cabinet.directory)) as reader:
        assert (reader.head, reader.was_clean) == (head, False)


@pytest.mark.requirement("MEM-03", "MEM-04")
def test_a_slot_that_changes_while_the_table_plays_is_mended_and_logged(cabinet: Cabinet) -> None:
    b = cabinet.start()
    writer = checked(b, cabinet.copy())
    b.insert(1, 2_000)
    slot = next(n for n in (0, 1) if cabinet.chip.content[n * SLOT_BYTES])
    cabinet.chip.content[slot * SLOT_BYTES + 30] ^= 1
    for _ in range(COPY_EVERY):
        writer.check()
    b.step()
    b.step()
    assert copy_facts(b) == ["ConditionRaised", "ConditionCleared"]
    assert codes(b) == []
    assert b.state.meters["on.M01"] == 1
    cabinet.chip.content[30] ^= 1
    cabinet.chip.content[SLOT_BYTES + 30] ^= 1
    cabinet.chip.fault = "write_protected"
    for _ in range(COPY_EVERY):
        writer.check()
    b.step()
    assert codes(b) == ["M01"]


@pytest.mark.requirement("MEM-10")
def test_a_disk_that_is_nearly_full_stops_the_table_before_anything_is_lost(
    cabinet: Cabinet, monkeypatch: pytest.MonkeyPatch
) -> None:
    b = cabinet.start()
    writer = checked(b, cabinet.copy())
    monkeypatch.setattr(b.journal, "free_bytes", lambda: 1 << 20)
    for _ in range(COPY_EVERY):
        writer.check()
    b.step()
    assert play_lock(b.state, b.runtime.live) == "M03"
    assert "1 MB left" in b.runtime.live.trouble(Code.STORAGE_FAILED)


# ---- rotation


def test_a_copy_one_behind_agrees_with_a_file_that_has_just_begun(cabinet: Cabinet) -> None:
    b = cabinet.start()
    b.insert(1, 2_000)
    kept = bytes(cabinet.chip.content)
    b.insert(1, 500)
    cabinet.stop()
    journal = Journal.open(cabinet.directory, rotate_bytes=1)
    journal.idle()
    journal.close()
    assert len(list(cabinet.directory.glob("journal-*.db"))) == 2
    for content, said in ((bytes(cabinet.chip.content), []), (kept, ["ConditionRaised", "ConditionCleared"])):
        cabinet.chip.content[:] = content
        b = cabinet.start()
        assert play_lock(b.state, b.runtime.live) == ""
        assert copy_facts(b)[-2:] == said
        cabinet.stop()


def test_a_copy_older_than_the_files_that_are_here_is_written_again(cabinet: Cabinet) -> None:
    b = cabinet.start()
    kept = bytes(cabinet.chip.content)
    b.insert(1, 2_000)
    cabinet.stop()
    journal = Journal.open(cabinet.directory, rotate_bytes=1)
    journal.idle()
    journal.mark_clean()
    journal.close()
    min(cabinet.directory.glob("journal-*.db")).unlink()
    cabinet.chip.content[:] = kept
    b = cabinet.start()
    assert play_lock(b.state, b.runtime.live) == ""
    assert codes(b) == []
    assert b.state.credit(1) == 2_000


@pytest.mark.requirement("MEM-05", "MEM-06")
def test_a_file_that_does_not_follow_the_one_before_it_is_not_played_on(
    cabinet: Cabinet, tmp_path: Path
) -> None:
    """The newest file of another evening was put beside the older ones: no board and no chip tells."""
    for name, cents in (("state", 2_000), ("other", 9_000)):
        b = Bench(tmp_path / name, board="")
        b.step()
        b.insert(1, cents)
        b.runtime.close(clean=True, now_ms=b.now_ms)
        journal = Journal.open(tmp_path / name, rotate_bytes=1)
        journal.idle()
        journal.mark_clean()
        journal.close()
    name = "journal-000002.db"
    own = (cabinet.directory / name).read_bytes()
    shutil.copy(tmp_path / "other" / name, cabinet.directory / name)
    b = cabinet.start("", fitted=False)
    assert play_lock(b.state, b.runtime.live) == "M02"
    assert "does not follow the file before it" in b.runtime.live.trouble(Code.MEMORY_FAILED)
    assert b.state.credit(1) == 0
    cabinet.stop()
    (cabinet.directory / name).write_bytes(own)
    (cabinet.directory / "journal-000001.db").write_bytes(b"worn out")
    b = cabinet.start("", fitted=False)
    assert play_lock(b.state, b.runtime.live) == "", "an old file that cannot be read is another matter"
    assert b.state.credit(1) == 2_000


# ---- whose it is


@pytest.mark.requirement("MEM-05")
def test_a_card_in_another_cabinet_is_refused_with_the_reason(cabinet: Cabinet) -> None:
    cabinet.evening()
    with pytest.raises(Foreign, match="kept on the board board 1, this one is board 2") as refused:
        cabinet.start("board 2")
    assert "cabinet memory bind" in str(refused.value)
    cabinet.bench = None


def test_another_chip_is_refused_a_blank_one_too(cabinet: Cabinet) -> None:
    cabinet.evening()
    own = cabinet.chip
    cabinet.chip = FramChip()
    with pytest.raises(Foreign, match=r"its second copy is of the number 5a5a5a5a.*is blank"):
        cabinet.start()
    nonces.write(cabinet.copy().medium, "77" * 16)
    with pytest.raises(Foreign, match="the one that is fitted is of the number 77777777"):
        cabinet.start()
    cabinet.chip = own
    cabinet.bench = None


class BadAnswers(FramChip):
    """A bus on which the first answers from some places are wrong."""

    def __init__(self, good: FramChip, wrong: bytes, places: Sequence[int], times: int) -> None:
        super().__init__(good.content)
        self.wrong, self.places, self.times = wrong, places, times
        self.asked = 0

    def _give(self, count: int) -> bytes:
        place = self.pointer
        given = super()._give(count)
        if place not in self.places or self.asked >= self.times * len(self.places):
            return given
        self.asked += 1
        return (self.wrong * count)[:count] if self.wrong else bytes([given[0] ^ 1]) + given[1:]


NUMBERS = (2 * SLOT_BYTES, 2 * SLOT_BYTES + 64)


@pytest.mark.parametrize("wrong", [b"\xff", b"\x00", b""])
@pytest.mark.parametrize("places", [NUMBERS, (0, SLOT_BYTES), (0, SLOT_BYTES, *NUMBERS)])
def test_wrong_answers_of_the_chip_at_a_start_are_asked_for_again(
    cabinet: Cabinet, wrong: bytes, places: Sequence[int]
) -> None:
    cabinet.evening()
    cabinet.chip = BadAnswers(cabinet.chip, wrong, places, times=3)
    b = cabinet.start()
    assert codes(b) == []
    assert b.state.credit(1) == 2_000
    assert cabinet.chip.asked == 3 * len(places)


def test_a_copy_that_knows_more_is_found_behind_a_wrong_answer(cabinet: Cabinet) -> None:
    b = cabinet.start()
    b.insert(1, 2_000)
    cabinet.stop()
    before = {path: path.read_bytes() for path in cabinet.directory.glob("journal-*")}
    cabinet.evening()
    for path, content in before.items():
        path.write_bytes(content)
    cabinet.chip = BadAnswers(cabinet.chip, b"\xff", (0, SLOT_BYTES), times=1)
    assert "M02" in codes(cabinet.start())


def test_a_chip_without_its_number_whose_record_is_of_this_journal_is_its_own(
    cabinet: Cabinet,
) -> None:
    cabinet.evening()
    for place in NUMBERS:
        cabinet.chip.content[place + 8] ^= 1
    b = cabinet.start()
    assert b.state.credit(1) == 2_000
    cabinet.stop()
    for place in NUMBERS:
        assert nonces.decode(bytes(cabinet.chip.content[place : place + 64])) == "5a" * 16


def test_a_chip_whose_number_has_gone_and_that_knows_another_journal_is_refused(cabinet: Cabinet) -> None:
    cabinet.evening()
    other = Cabinet(cabinet.directory.with_name("other"))
    other.evening()
    other.evening()
    for place in NUMBERS:
        other.chip.content[place + 8] ^= 1
    cabinet.chip = other.chip
    with pytest.raises(Foreign, match="is blank"):
        cabinet.start()
    cabinet.bench = None


def test_a_number_is_given_once_and_mended_when_one_of_its_copies_goes(cabinet: Cabinet) -> None:
    cabinet.evening()
    medium = cabinet.copy().medium
    for place in (2 * SLOT_BYTES, 2 * SLOT_BYTES + 64):
        cabinet.chip.content[place + 8] ^= 1
        spoilt = bytes(cabinet.chip.content)
        assert nonces.read(medium) == "5a" * 16
        assert bytes(cabinet.chip.content) == spoilt, "to look changes nothing"
        cabinet.start()
        cabinet.stop()
        assert nonces.decode(bytes(cabinet.chip.content[place : place + 64])) == "5a" * 16


def test_a_chip_that_was_changed_while_the_cabinet_ran_is_not_written(cabinet: Cabinet) -> None:
    b = cabinet.start()
    cabinet.chip.fault = "missing"
    b.insert(1, 500)
    other = FramChip()
    nonces.write(FramSecondCopy(1, 0x50, lambda _number: I2cBus({0x50: other})).medium, "77" * 16)
    before = bytes(other.content)
    cabinet.chip.content, cabinet.chip.fault = other.content, ""
    b.now_ms += 20_000
    b.insert(1, 500)
    assert "another second copy was fitted" in b.runtime.live.trouble(Code.NO_SECOND_COPY)
    assert bytes(other.content) == before


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("more", [(), (1_000, 1_000, 1_000)])
def test_a_chip_that_answers_late_still_tells_that_the_card_has_lost_rows(
    cabinet: Cabinet, more: tuple[int, ...]
) -> None:
    """An older card and a wire that is off at the start: what the chip knows must not be written over. With
    `more` the journal has come as far again as the chip, on another way."""
    cabinet.evening()
    saved = cabinet.directory.with_name("saved")
    shutil.copytree(cabinet.directory, saved)
    b = cabinet.start()
    b.insert(1, 5_000)
    cabinet.stop()
    shutil.rmtree(cabinet.directory)
    shutil.copytree(saved, cabinet.directory)
    known = bytes(cabinet.chip.content)
    cabinet.chip.fault = "missing"
    b = cabinet.start()
    assert codes(b) == ["M01"]
    for cents in more:
        b.insert(1, cents)
    cabinet.chip.fault = ""
    b.now_ms += 20_000
    b.insert(1, 500)
    b.step()
    assert play_lock(b.state, b.runtime.live) == "M02"
    assert "cabinet memory show" in b.runtime.live.trouble(Code.MEMORY_FAILED)
    cabinet.stop()
    assert bytes(cabinet.chip.content) == known
    again = cabinet.start()
    assert play_lock(again.state, again.runtime.live) == "M02"


@pytest.mark.parametrize("size", [512, 2048, 4096, 8192, 65536])
def test_a_chip_that_is_too_small_is_told_at_every_start_and_never_trusted(
    cabinet: Cabinet, size: int
) -> None:
    cabinet.chip = FramChip(bytearray(size))
    for _ in range(2):
        b = cabinet.start()
        b.now_ms += 20_000
        b.insert(1, 2_000)
        assert play_lock(b.state, b.runtime.live) == ""
        assert ("too small" in b.runtime.live.trouble(Code.NO_SECOND_COPY)) == (size < 8192)
        cabinet.stop()


def test_an_owner_that_has_changed_by_itself_is_not_believed(cabinet: Cabinet) -> None:
    cabinet.evening()
    spoil(cabinet.directory, "UPDATE owner SET board = 'board 2';")
    with pytest.raises(Foreign, match="has changed by itself"):
        cabinet.start("board 2")
    cabinet.bench = None


def test_the_owner_stays_with_the_next_file(cabinet: Cabinet) -> None:
    cabinet.evening()
    journal = Journal.open(cabinet.directory, rotate_bytes=1)
    owner = journal.owner()
    journal.idle()
    assert journal.owner() == owner
    journal.close()
    assert owner is not None
    assert (owner.board, owner.medium, owner.machine_id) == ("board 1", "5a" * 16, 796)


def test_a_file_from_before_owners_is_bound_at_its_next_start(cabinet: Cabinet) -> None:
    cabinet.evening()
    spoil(cabinet.directory, "DROP TABLE owner;")
    b = cabinet.start("board 3")
    owner = b.journal.owner()
    assert owner is not None
    assert owner.board == "board 3"


def test_the_board_tells_its_number_or_none(tmp_path: Path) -> None:
    (tmp_path / "serial").write_bytes(b"10000000abcdef01\0")
    assert board_of(tmp_path / "serial") == "10000000abcdef01"
    assert board_of(tmp_path / "missing") == ""
    assert str(BOARD_FILE).startswith("/sys/")
