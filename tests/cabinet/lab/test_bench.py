"""The bench: the unmodified firmware as a child on ptys and GPIO chips, killed and started again."""

from __future__ import annotations

import contextlib
import inspect
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.config.assembly import policy_of
from cabinet.core.conditions import Code
from cabinet.core.live import begin, with_trouble
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.lab import scratch
from cabinet.lab.audit import Audit
from cabinet.lab.bench.bench import Bench, BenchOptions
from cabinet.lab.glance import Glance, encode, glance, laid
from cabinet.lab.patience import NotComeError, wait_for
from cabinet.program.runtime import RealClock
from cabinet.records.replay import read_totals
from cabinet.store.journal import Journal
from cabinet.store.second_copy.media import FramSecondCopy
from drivers.sim.validator.path import PathState as Note

SMALL = (1280, 720)


def until(bench: Bench, come: Callable[[], object]) -> None:
    """Let the world go on until something is so."""
    bench.until(come, inspect.getsource(come).strip())


def seen(bench: Bench) -> Glance:
    """What the firmware has told last."""
    assert bench.seen is not None
    return bench.seen


def first(bench: Bench) -> Glance | None:
    """What the firmware has told first after its start."""
    return bench.first_seen


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    benches: list[Bench] = []

    def made(**options: object) -> Bench:
        bench = Bench(BenchOptions(pace=8, resolution=SMALL, **options), tmp_path / str(len(benches)))  # type: ignore[arg-type]
        benches.append(bench)
        return bench

    yield made
    for bench in benches:
        bench.close()


@pytest.mark.parametrize("forwarder", [True, False])
def test_a_note_in_work_outlives_the_firmware(make: Callable[..., Bench], forwarder: bool) -> None:
    """With the GPIO library behind the forwarder, and with lines through a socket where no compiler is."""
    bench = make(cabinet="slot1", autoplay=False, forwarder=forwarder)
    world = bench.world
    bench.start()
    until(bench, lambda: world.insert("validator1", 2_000, bench.clock.now_ms()))
    until(bench, lambda: bench.phases() == {"validator1": "note pushing"})
    told = bench.kill(lose_bytes=True)
    assert told is not None
    assert told.in_work == ("validator1",)
    audit = Audit(bench.state_dir, bench.second_copy)
    audit.read()
    audit.compare(world)
    assert audit.state.credit(1) == 0
    assert bench.world.seen is None, "nobody knows anything of a dead machine"

    bench.start()
    until(bench, lambda: bench.seen is not None and not bench.seen.in_work)
    assert seen(bench).session == told.session + 1
    assert seen(bench).laid.credits_cents == (2_000,)
    world.press("seat1.bet_plus", bench.clock.now_ms())
    until(bench, lambda: seen(bench).seats[0].bet_cents > 0)
    assert bench.stop() == 0
    audit.read()
    audit.compare(world)
    assert audit.problems == []
    assert laid(audit.state) == seen(bench).laid


def test_what_a_start_shows_first_is_kept_while_people_go_on(make: Callable[..., Bench]) -> None:
    """Somebody whose cabinet is up before the devices have light again plays on unobserved."""
    bench = make(cabinet="slot1", autoplay=False)
    world = bench.world
    bench.start()
    until(bench, lambda: bench.seen is not None)
    shown = seen(bench).laid
    until(bench, lambda: world.insert("validator1", 2_000, bench.clock.now_ms()))
    until(bench, lambda: seen(bench).laid.credits_cents == (2_000,))
    kept = first(bench)
    assert kept is not None
    assert kept.laid == shown
    assert kept.laid.credits_cents == (0,)
    bench.kill(lose_bytes=False)
    assert first(bench) is None
    bench.start()
    until(bench, lambda: bench.seen is not None)
    again = first(bench)
    assert again is not None
    assert again.laid.credits_cents == (2_000,)


def test_the_table_of_the_start_before_is_not_taken_for_this_one(make: Callable[..., Bench]) -> None:
    """A card takes two seconds for the first facts of a start: the screen says so, over the table as it was.
    On a new journal there are no seats on it."""
    bench = make(cabinet="slot1", autoplay=True)
    live = begin(policy_of(bench.config, "test"), 0, 0)
    for before in (State(), State(session=4, next_ref=8)):
        waits = glance(before, with_trouble(live, Code.STORAGE_SLOW, "the card is slow"))
        assert not waits.begun
        bench._look(encode(waits))
        assert (bench.seen, bench.first_seen, bench.world.seen, bench.news) == (None, None, None, 0)
        bench.world.tick(5_000)  # people look up, and nobody sees a table
    up = glance(State(session=5, next_ref=8), replace(live, first_ref=8))
    bench._look(encode(up))
    assert (bench.seen, bench.first_seen, bench.news) == (up, up, 1)


def test_a_wait_that_nothing_can_end_says_what_it_waited_for(make: Callable[..., Bench]) -> None:
    bench = make(cabinet="slot1", autoplay=False)
    with pytest.raises(NotComeError, match="a table cannot come: no firmware is running"):
        bench.until(lambda: bench.seen is not None, "a table")
    with pytest.raises(NotComeError, match="the moon has not come in 0 s\nfirmware: none"):
        wait_for(bench.clock, bool, bench.turn, "the moon", story=lambda: "firmware: none", patience_ms=30)


OWNER = """
import sys, time
from pathlib import Path
from cabinet.config.assembly import policy_of
from cabinet.core.live import begin
from cabinet.core.state import State
from cabinet.lab import scratch
from cabinet.lab.bench.bench import Bench, BenchOptions
from cabinet.lab.scratch import folder

with folder("test", Path(sys.argv[1])) as scratch:
    options = BenchOptions(cabinet="slot1", resolution=(1280, 720), forwarder=False, autoplay=False)
    bench = Bench(options, scratch)
    bench.start()
    bench.until(lambda: bench.seen is not None, "a table")
    print(bench.child.pid, flush=True)
    while True:
        bench.turn()
"""


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A socket's path has at most 107 characters; that of a test is longer."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        yield Path(name)


def test_a_bench_that_is_killed_takes_its_firmware_with_it_and_the_next_tidies_up(short_path: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(short_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        firmware = int(owner.stdout.readline())
        (left,) = short_path.iterdir()
        with scratch.folder("other", short_path) as other:
            assert left.is_dir(), "its owner lives"
            owner.send_signal(signal.SIGKILL)
            owner.wait()
            clock = RealClock()

            def pause() -> None:
                clock.wait((), clock.now_ms() + 20)

            wait_for(clock, lambda: not lives(firmware), pause, "the end of the firmware")
            wires = sorted((left / "wires").iterdir())
            assert [wire.name for wire in wires] == ["printer1", "validator1"]
            assert all(wire.is_symlink() for wire in wires)
            assert scratch.remove_orphans(short_path) == [left]
            assert list(short_path.iterdir()) == [other], "the wires lead nowhere"
    assert list(short_path.iterdir()) == []


def lives(process: int) -> bool:
    """Neither gone nor a zombie that nobody has waited for."""
    with contextlib.suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return False


def test_a_folder_that_is_just_being_made_or_is_no_run_of_the_lab_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "cabinet-lab-fresh").mkdir()
    (tmp_path / "cabinet-lab-fresh" / scratch.OWNER).touch()
    (tmp_path / "cabinet-lab-mine").mkdir()
    (tmp_path / "somebody").mkdir()
    (tmp_path / "somebody" / scratch.OWNER).write_text("1", encoding="utf-8")
    assert scratch.remove_orphans(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 3


def test_a_firmware_whose_bench_was_gone_before_it_began_does_not_begin(tmp_path: Path) -> None:
    args = ["--config", "nowhere", "--state", str(tmp_path / "state"), "--tap", "nowhere", "--parent", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "cabinet.lab.bench.child", *args], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "the bench is gone\n")
    assert not (tmp_path / "state").exists()


def test_devices_lose_their_power_only_when_they_are_told_to(make: Callable[..., Bench]) -> None:
    bench = make(cabinet="shared3", autoplay=False)
    machine = bench.world.validator("validator1")
    bench.start()
    bench.kill(lose_bytes=False)
    assert machine.path.state is Note.POWER_UP
    machine.path.restart(0)
    bench.start()
    bench.kill(lose_bytes=False, dark=["validator1"])
    assert bench.dark == {"validator1"}
    assert bench.phases() == {}
    states = [machine.path.state]
    bench.light()
    states.append(machine.path.state)
    assert states == [Note.OFF, Note.POWER_UP]


def test_who_is_killed_before_he_was_heard_is_not_heard_later(make: Callable[..., Bench]) -> None:
    """And whoever dies by himself is missed at once; what everybody waits for can be asked at any time."""
    bench = make(cabinet="shared3")
    assert "the firmware has not told anything yet" in bench.situation()
    bench.start()
    bench.run_for(30)
    assert bench.kill(lose_bytes=False) is None
    bench.turn()
    assert bench.seen is None
    bench.start()
    until(bench, lambda: bench.seen is not None)
    assert seen(bench).session == 1, "the first start has not come so far as to write anything"
    for who in ("firmware: Glance(", "player 1 ", "player 2 ", "player 3 ", "attendant is elsewhere"):
        assert who in bench.situation()
    assert bench.child is not None
    bench.child.kill()
    wait_for(bench.clock, lambda: not bench.alive, bench.turn, "the end of the firmware")
    assert "start 2" in bench.log_tail()


@pytest.mark.requirement("MEM-02", "MEM-04", "MEM-05", "MEM-06")
def test_the_unmodified_firmware_keeps_its_second_copy_in_the_chip(make: Callable[..., Bench]) -> None:
    """Started without the chip, killed, started with it; the chip is on the bus of this process."""
    bench = make(cabinet="slot1", autoplay=False, fram=True)
    world, chip = bench.world, bench.world.buses[1].chips[0x50]
    chip.fault, blank = "missing", bytes(chip.content)  # but for the beginning of the memory
    bench.start()
    until(bench, lambda: bench.seen is not None and ("M01", "") in seen(bench).conditions)
    bench.kill(lose_bytes=False)
    assert bytes(chip.content) == blank

    chip.fault = ""
    bench.start()
    until(bench, lambda: world.insert("validator1", 2_000, bench.clock.now_ms()))
    until(bench, lambda: seen(bench).laid.credits_cents == (2_000,))
    assert ("M01", "") not in seen(bench).conditions
    assert bench.stop() == 0
    record = FramSecondCopy(1, 0x50, lambda number: world.buses[number]).read()
    assert record is not None
    kept = read_totals(record.totals)
    assert kept is not None
    assert kept.accounts["credit.1"] == 2_000
    with closing(Journal.read(bench.state_dir)) as journal:
        assert record.head == journal.head

    # The card loses the journal: the table says so, shows what the chip knows, and does nothing else.
    path = max(bench.state_dir.glob("journal-*.db"))
    path.write_bytes(path.read_bytes()[:4096] + bytes(4096))
    bench.start()
    until(bench, lambda: bench.seen is not None and ("M02", "") in seen(bench).conditions)
    assert seen(bench).laid.credits_cents == (2_000,)
    assert not world.insert("validator1", 2_000, bench.clock.now_ms())
    assert bench.stop() == 0
