"""The bench: the unmodified firmware as a child on ptys and GPIO chips, killed and started again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.lab.bench import Bench, Options
from cabinet.lab.books import Books
from cabinet.lab.glance import Glance, laid
from cabinet.replay import read_totals
from cabinet.store.journal import Journal
from cabinet.store.second_copy_media import FramSecondCopy
from drivers.sim.id003_path import State as Note

SMALL = (1280, 720)
GIVE_UP_MS = 60_000  # on a machine that is busy with other things; no test depends on being quick


def until(bench: Bench, come: Callable[[], bool]) -> None:
    """Let the world go on until something is so."""
    end_ms = bench.clock.now_ms() + GIVE_UP_MS
    while not come():
        assert bench.alive, bench.log_tail()
        assert bench.clock.now_ms() < end_ms, bench.situation()
        bench.turn()


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
        bench = Bench(Options(pace=8, resolution=SMALL, **options), tmp_path / str(len(benches)))  # type: ignore[arg-type]
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
    books = Books(bench.state_dir, bench.second_copy)
    books.read()
    books.compare(world)
    assert books.state.credit(1) == 0
    assert bench.world.seen is None, "nobody knows anything of a dead machine"

    bench.start()
    until(bench, lambda: bench.seen is not None and not bench.seen.in_work)
    assert seen(bench).session == told.session + 1
    assert seen(bench).laid.credits_cents == (2_000,)
    world.press("seat1.bet_plus", bench.clock.now_ms())
    until(bench, lambda: seen(bench).seats[0].bet_cents > 0)
    assert bench.stop() == 0
    books.read()
    books.compare(world)
    assert books.problems == []
    assert laid(books.state) == seen(bench).laid


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
    bench.run_for(GIVE_UP_MS)
    assert not bench.alive
    assert "start 2" in bench.log_tail()


@pytest.mark.requirement("MEM-02", "MEM-04", "MEM-05", "MEM-06")
def test_the_unmodified_firmware_keeps_its_second_copy_in_the_chip(make: Callable[..., Bench]) -> None:
    """Started without the chip, killed, started with it; the chip is on the bus of this process."""
    bench = make(cabinet="slot1", autoplay=False, fram=True)
    world, chip = bench.world, bench.world.buses[1].chips[0x50]
    chip.fault = "missing"
    bench.start()
    until(bench, lambda: bench.seen is not None and ("M01", "") in seen(bench).conditions)
    bench.kill(lose_bytes=False)
    assert not any(chip.content)

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
