"""The disk under an evening: what had not been flushed may be gone when power goes, and disks lie.

The system calls of a real evening are recorded. Behind every prefix of them stand up to four disks that a
power cut may legally leave; the store must open each, with every fact on it that anybody had been told.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cabinet.core.renewal import replace
from cabinet.lab import begun
from cabinet.lab.crash import evening as crash_evening
from cabinet.lab.crash.checks import Check
from cabinet.lab.crash.cut import Bytes, Cut, Plug
from cabinet.lab.crash.disk import Call, Disk, Survival, lay_out, states
from cabinet.lab.crash.disk import DiskAct as CallKind
from cabinet.lab.crash.evening import COPY_NAME, LIFE_LIMIT_MS, Life
from cabinet.lab.crash.play import CrashOptions, open_scene, recorded, run
from cabinet.lab.crash.record import at_hand
from cabinet.lab.crash.watch import Point, PointKind
from cabinet.store.errors import NotBegun
from cabinet.store.journal import Journal, JournalBroken, JournalError
from cabinet.store.second_copy import CopyVerdict, judge
from cabinet.store.second_copy.media import FileSecondCopy
from support.programs.crash_states import ships_normal

pytestmark = pytest.mark.no_cover  # whole evenings, again and again: tracing them costs three times as much

__test__ = at_hand()  # without strace nobody knows what a disk has flushed

NOTES = CrashOptions("slot1", scenes=("notes",))
SEED = 20261130


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder without a disk behind it, if there is one: hundreds of recoveries flush a lot."""
    base = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="crash-disk-", dir=base if base.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


# ---- every disk that a power cut may leave


@dataclass
class Evening:
    """What the recorded evening had acknowledged at each of its points, and all its rows."""

    told: dict[int, int] = field(default_factory=lambda: {0: 0})  # point -> row
    digests: list[str] = field(default_factory=list)  # of row 0, 1, 2 ...
    ends: set[int] = field(default_factory=lambda: {0})  # rows with which a transaction ends


def played(options: CrashOptions, folder: Path) -> Evening:
    """The same evening in this process."""
    evening = Evening()

    def at_point(point: Point) -> None:
        seq = life.runtime.journal.head.seq
        evening.told[point.number] = seq
        evening.ends.add(seq)

    scene = open_scene(options, folder)
    life = scene.first_life(folder / "played", at_point)
    life.run(life.all_gone)
    life.stop()
    evening.ends.add(life.runtime.head.seq)
    reader = Journal.read(folder / "played")
    evening.digests = [str(reader.digest_at(seq)) for seq in range(reader.head.seq + 1)]
    reader.close()
    return evening


def wrong(directory: Path, files: dict[str, bytes], evening: Evening, told: int) -> str:
    """Start on this disk: what is wrong with it; "" if all is well."""
    shutil.rmtree(directory, ignore_errors=True)
    lay_out(directory, files)
    try:
        journal = Journal.open(directory, begun=True)
    except NotBegun:
        return "" if told == 0 and can_be_begun(directory) else "is not begun"
    except JournalError as error:
        lost = told == 0 and not list(directory.glob("journal-*")) and can_be_begun(directory)
        return "" if lost else f"does not open: {error.text}"
    try:
        seq = sum(1 for _ in journal.rows())  # each is checked against the chain
        if seq < told:
            return f"lost rows {seq + 1} to {told}"
        if journal.head.digest != evening.digests[seq] or seq not in evening.ends:
            return f"ends at row {seq}, in the middle of a transaction or on another chain"
        record = FileSecondCopy(directory / COPY_NAME).read()
        verdict = judge(record, journal.head, journal.previous_seq, journal.digest_at)
        if verdict not in (CopyVerdict.EQUAL, CopyVerdict.BEHIND) and not (
            verdict is CopyVerdict.MISSING and journal.previous_seq == 0
        ):
            return f"second copy {verdict}"
    except JournalError as error:
        return f"does not replay: {error.text}"
    finally:
        journal.close()
    return ""


def can_be_begun(directory: Path) -> bool:
    """Power went while the memory was begun: nobody had been told of it, and it is begun again."""
    begun.begin(directory, 1)
    Journal.open(directory, begun=True).close()
    return True


def search(options: CrashOptions, memory: Path) -> int:
    """How many disks there are; each must be right."""
    evening = played(options, memory)
    recording = recorded(options, memory)
    assert recording.digest == evening.digests[-1], "the recorded evening is the same"
    count, bad = 0, []
    for where, point, files in states(list(recording.calls), SEED, {}):
        count += 1
        if text := wrong(memory / "state", files, evening, evening.told[point]):
            bad.append(f"{where}, point {point}: {text}")
    assert bad == []
    return count


@pytest.mark.requirement("MEM-02", "MEM-11", "MTR-07")
def test_every_disk_that_a_power_cut_may_leave_has_all_that_was_told(memory: Path) -> None:
    assert search(CrashOptions("slot1", scenes=("ticket",)), memory) > 150


@pytest.mark.campaign
@pytest.mark.requirement("MEM-02", "MEM-11", "MTR-07")
@pytest.mark.parametrize("cabinet", ["shared3", "table5", "slot1"])
def test_every_disk_of_a_whole_evening(cabinet: str, memory: Path) -> None:
    assert search(CrashOptions(cabinet), memory) > 500


# ---- disks that do not do what they say


def without_flushes(calls: list[Call]) -> list[Call]:
    """The card says that the write-ahead log is safe, and has it in a cache."""
    return [call for call in calls if not (call.kind is CallKind.SYNC and call.name.endswith("-wal"))]


@pytest.mark.requirement("MEM-10", "MEM-02")
def test_a_disk_that_lies_about_flushes_is_found_by_the_key_and_by_the_second_copy(memory: Path) -> None:
    """Nothing that runs on such a disk can notice; the next start does, and takes no money: an epoch has
    ended since, and the copy knows rows that are not there."""
    options = CrashOptions("slot1", scenes=("ticket",))
    disk = Disk({})
    for call in without_flushes(list(recorded(options, memory).calls))[:-10]:  # before it was stopped
        disk.apply(call)
    state_dir = memory / "state"
    lay_out(state_dir, disk.after_power_cut(Survival.NONE, random.Random(SEED)))
    scene = open_scene(options, memory / "again")
    with pytest.raises(JournalBroken, match="one is of an earlier time"):
        Life(scene.world, state_dir, seed=1, open_link=scene.open_link)
    reader = Journal.read(state_dir)
    record = FileSecondCopy(state_dir / COPY_NAME).read()
    assert judge(record, reader.head, reader.previous_seq, reader.digest_at) is CopyVerdict.AHEAD
    reader.close()


@pytest.mark.requirement("MEM-10", "MEM-02")
def test_the_loss_of_the_last_rows_alone_is_found_by_the_second_copy(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within one epoch the key knows nothing of it."""
    monkeypatch.setattr(crash_evening, "EPOCH_MS", LIFE_LIMIT_MS)
    scene = open_scene(CrashOptions("slot1", scenes=("ticket",)), memory / "first")
    kept: list[bytes] = []

    def at_point(point: Point) -> None:
        if point.kind is PointKind.COMMITTED and "NoteIntended" in point.what:
            kept.append((memory / "state" / "journal-000001.db-wal").read_bytes())

    life = scene.first_life(memory / "state", at_point)
    life.run(life.all_gone)
    life.runtime.drop()
    assert life.runtime.journal.head.seq > 10
    (memory / "state" / "journal-000001.db-wal").write_bytes(kept[0])
    scene = open_scene(CrashOptions("slot1", scenes=("ticket",)), memory / "again")
    life = Life(scene.world, memory / "state", seed=1, open_link=scene.open_link)
    life.run(lambda: life.now_ms > 10_000)
    assert "the second copy is ahead of the journal: the journal has lost rows" in life.refused
    assert not scene.world.insert("validator1", 2_000, life.now_ms)
    life.runtime.close(clean=False, now_ms=life.now_ms)


# ---- the same with the whole cabinet on it


def lifted(point: Point) -> tuple[Cut, ...]:
    """When a note moves: power goes everywhere, and nothing survives that was not flushed."""
    dark = Cut(Plug.ALL, Bytes.DELIVERED, Survival.NONE)
    return (dark,) if point.kind is PointKind.ARRIVED and "lifting" in point.what else ()


@pytest.mark.requirement("MEM-11", "MTR-07", "BIL-02")
def test_a_journal_that_does_not_flush_each_commit_is_found() -> None:
    """A mutant: `synchronous=NORMAL`. The process may be killed as often as one likes; power may not go."""
    careless = run(replace(NOTES, synchronous=1), lifted, enough=lambda outcome: bool(outcome.problems))
    assert careless.checks[Check.ORDERS], "a note is stacked of which the disk knows nothing"
    assert careless.checks[Check.SHOWN]
    assert run(NOTES, lifted).problems == []


@pytest.mark.requirement("MEM-11", "MTR-07")
def test_the_setting_that_is_shipped_is_the_one_that_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same mutant in the schema itself: no option of the harness may put it right."""
    ships_normal(tmp_path, monkeypatch)
    careless = run(NOTES, lifted, enough=lambda outcome: bool(outcome.problems))
    assert careless.checks[Check.ORDERS]
