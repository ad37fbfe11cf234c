"""The loop: read all, decide, commit, publish, act."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

from cabinet.core.turn import MendPrinter, ResetValidator
from cabinet.program.loop import loop
from cabinet.program.runtime import RealClock
from drivers.device import (
    Fault,
    FaultRaised,
    InputChanged,
    NoteEscrowed,
    NoteVendValid,
    Pattern,
    PulsesDone,
    TicketDone,
    TicketOutcome,
)
from support.evenings.evening import WALL_MS
from support.programs.runtime_bench import Bench

Make = Callable[..., Bench]


# ---- the order of a step


def test_all_devices_are_read_first_and_always_in_the_same_order(bench: Make) -> None:
    b = bench()
    b.step()
    reads = [line for line in b.log if line.endswith(" read")]
    assert reads == [
        f"{name} read" for name in ("validator1", "validator2", "printer1", "printer2", "panel1")
    ]
    assert b.log[: len(reads)] == reads


def test_whoever_knows_where_input_is_has_only_those_devices_read(bench: Make) -> None:
    b = bench()
    b.runtime.step(0, ready=())
    assert len(b.runtime.ticked) == 5, "the first step reads all"
    b.validators[1].wake_at = 40
    b.runtime.step(10, ready=("validator2",))
    assert b.runtime.ticked == ["validator2"]
    b.runtime.step(39, ready=("printer1",))
    assert b.runtime.ticked == ["printer1"]
    b.runtime.step(40, ready=("panel1",))  # an edge has come: a panel needs no byte
    assert b.runtime.ticked == ["validator2", "panel1"]


def test_the_first_step_opens_the_session_and_asks_the_printers(bench: Make) -> None:
    b = bench()
    happened = b.step()
    assert b.kinds() == ["SessionStarted", "RulesTaken", "SequenceGiven"]
    assert happened == [
        "SessionStarted",
        "RulesTaken",
        "SequenceGiven",
        "panel1 set_outputs",
        "validator1 accept",
        "validator2 accept",
        "printer1 release",
        "printer2 release",
        "published",
    ]


def test_after_a_commit_come_levels_then_acts_then_the_screen(bench: Make) -> None:
    b = bench()
    b.start()
    assert b.step(NoteEscrowed("validator1", 0, 2_000, 1)) == [
        "NoteIntended",
        "panel1 set_outputs",
        "validator1 stack",
        "published",
    ]


def test_events_of_one_step_are_one_commit(bench: Make) -> None:
    b = bench()
    b.start()
    before = len(b.published)
    b.step(
        NoteEscrowed("validator1", 0, 2_000, 1),
        NoteVendValid("validator1", 0),
        InputChanged("panel1", 0, "seat1.bet_plus", True),
    )
    assert len(b.published) == before + 1
    assert b.state.bet(1) == 500
    assert b.journal.previous_seq == 3, "one transaction after the three rows of the start"


def test_presses_of_one_step_are_ordered_by_seat_whoever_was_quicker(tmp_path: Path) -> None:
    heads = []
    for place, order in enumerate(permutations((1, 2, 3))):
        b = Bench(tmp_path / f"order{place}", seats=3)
        b.start()
        for seat in (1, 2, 3):
            b.insert(seat, 10_000)
        for word in ("bet_plus", "deal"):
            b.press(*[f"seat{seat}.{word}" for seat in order])
        assert b.state.bets == ((1, 500), (2, 500), (3, 500))
        heads.append(b.journal.head)
        b.end()
    assert all(head == heads[0] for head in heads), "the same journal, byte for byte"


def test_a_note_of_the_same_step_counts_before_the_presses(bench: Make) -> None:
    """The panel is read last and its presses come last: the credit is there when BET + is judged."""
    b = bench()
    b.start()
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    b.panel.say.append(InputChanged("panel1", 0, "seat1.bet_plus", True))
    b.step(NoteVendValid("validator1", 0))
    assert b.state.bet(1) == 500


def test_events_without_facts_are_published_without_a_commit(bench: Make) -> None:
    b = bench()
    b.start()
    head = b.journal.head
    assert b.press("seat1.help") == ["panel1 set_outputs", "published"]
    assert b.journal.head == head
    assert b.runtime.live.help_open(1) == 1


def test_levels_go_out_as_a_whole(bench: Make) -> None:
    b = bench()
    b.start()
    b.insert(1, 10_000)
    assert b.panel.levels["seat1.bet_plus"] is Pattern.ON
    b.step(InputChanged("panel1", 0, "door.main", True))
    assert b.panel.levels == {"candle.top": Pattern.FAST}
    assert not b.validators[0].enabled


def test_every_order_reaches_its_device(bench: Make) -> None:
    b = bench()
    b.start()
    b.insert(1, 2_500)
    orders = b.press("seat1.cash_out")
    assert "printer1 print 2 $25.00" in orders
    assert "printer1 recorded 2" in b.step(TicketDone("printer1", 0, 2, TicketOutcome.PRINTED))
    assert "panel1 pulse meter.in 10" in b.step(PulsesDone("panel1", 0, "meter.in", 10))
    b.step(FaultRaised("printer1", 0, Fault.PAPER_JAM), FaultRaised("validator2", 0, Fault.JAM))
    happened = b.step(InputChanged("panel1", 0, "key.attendant", True))
    assert [line for line in happened if "clear_fault" in line or "reset" in line] == [
        "validator2 reset",
        "printer1 clear_fault",
    ]
    b.runtime._carry_out(MendPrinter("printer9"))
    b.runtime._carry_out(ResetValidator("panel1"))


def test_an_escrow_that_is_refused_is_given_back(bench: Make) -> None:
    b = bench(credit_limit_cents=1_000)
    b.start()
    assert "validator1 give_back" in b.step(NoteEscrowed("validator1", 0, 2_000, 1))


def test_a_ticket_in_doubt_is_asked_about_after_a_restart(bench: Make) -> None:
    b = bench()
    b.start()
    b.insert(1, 2_500)
    b.press("seat1.cash_out")
    b.end()
    again = bench()
    assert "printer1 inquire 2" in again.step()
    assert again.runtime.restored.facts > 5
    assert not again.state.clean


# ---- time


def test_timers_fire_when_they_are_due_and_no_input_waits(bench: Make) -> None:
    b = bench()
    b.start()
    b.insert(1, 10_000)
    b.press("seat1.bet_plus")
    b.run(14_999)
    assert b.state.round is None
    b.run(1)
    assert b.state.bets == ((1, 500),)


def test_a_press_in_the_step_of_the_expiry_wins(bench: Make) -> None:
    b = bench()
    b.start()
    for seat in (1, 2):
        b.insert(seat, 10_000)
    b.press("seat1.bet_plus")
    b.now_ms = 15_000
    b.press("seat2.bet_plus")
    assert b.state.bets == ((1, 500), (2, 500))


def test_a_late_timer_counts_from_now(bench: Make) -> None:
    """The loop was late: whoever sees the card now has the full countdown from now."""
    b = bench()
    b.start()
    b.insert(1, 10_000)
    b.press("seat1.bet_plus", "seat1.deal")
    b.now_ms = b.state.landed_ms + 700
    b.step()
    assert b.state.decision_deadline_ms == b.now_ms + 12_000


def test_when_the_loop_wants_to_run_again(bench: Make) -> None:
    b = bench(attract_after_ms=500)
    assert b.runtime.wake_at(0) == 0, "the session waits to be opened"
    b.step()
    assert b.runtime.idle
    assert b.runtime.wake_at(0) == 500
    b.validators[0].wake_at = 120
    b.step()
    assert b.runtime.wake_at(0) == 120
    b.validators[0].wake_at = None
    b.step()
    b.run(60_000)
    assert b.runtime.wake_at(60_000) == 61_000, "nothing is due: once a second is enough"
    b.device("printer1").descriptor = 77
    assert b.runtime.descriptors() == [77, b.writer.fileno()]


# ---- the real loop


class Screen:
    """Wants a frame every 20 ms."""

    def __init__(self, clock: RealClock) -> None:
        self.clock = clock
        self.frames: list[int] = []

    def due(self) -> bool:
        return self.clock.now_ms() >= 20 * len(self.frames)

    def wait_ms(self) -> float:
        return max(0, 20 * len(self.frames) - 1 - self.clock.now_ms())

    def frame(self, now_ms: int) -> None:
        self.frames.append(now_ms)


class Steps(RealClock):
    """A clock that goes where the loop wants to wait until."""

    def __init__(self) -> None:
        super().__init__()
        self.ms = 0
        self.waits: list[int] = []
        self.watched: list[list[int]] = []

    def now_ms(self) -> int:
        return self.ms

    def wait(self, descriptors: object, until_ms: int) -> None:
        assert isinstance(descriptors, list)
        self.watched.append(descriptors)
        self.waits.append(until_ms)
        self.ms = max(self.ms + 1, until_ms)


class Around:
    wake_at: int | None = None

    def __init__(self) -> None:
        self.ticks: list[int] = []

    def tick(self, now_ms: int) -> None:
        self.ticks.append(now_ms)

    def descriptors(self) -> list[int]:
        return [99]


def test_the_loop_draws_when_a_frame_is_due_and_sleeps_in_between(bench: Make) -> None:
    b = bench()
    clock = Steps()
    screen = Screen(clock)
    beats: list[int] = []
    loop(b.runtime, clock, screen=screen, until=lambda now_ms: now_ms >= 1_000, heartbeat=beats.append)
    assert screen.frames == [20 * n for n in range(50)]
    assert beats[-1] == 1_000
    assert len(beats) == 51
    assert clock.watched[0] == [b.writer.fileno()]


def test_the_loop_sleeps_until_something_is_due(bench: Make) -> None:
    b = bench(attract_after_ms=10**9)
    world = Around()
    clock = Steps()
    loop(b.runtime, clock, world=world, until=lambda now_ms: now_ms >= 3_000)
    assert clock.waits == [1_000, 2_000, 3_000]
    assert world.ticks == [0, 0, 1_000, 1_000, 2_000, 2_000, 3_000, 3_000]
    assert clock.watched[0] == [b.writer.fileno(), 99]
    Around.wake_at = 3_100
    try:
        loop(b.runtime, clock, world=world, until=lambda now_ms: now_ms >= 3_100)
    finally:
        Around.wake_at = None
    assert clock.waits[-1] == 3_100


def test_the_clock_sleeps_until_input_comes_and_survives_a_port_that_died() -> None:
    clock = RealClock()
    reader, writer = os.pipe()
    os.write(writer, b"x")
    clock.wait([reader], clock.now_ms() + 20_000)  # returns at once: there is something to read
    os.close(reader)
    os.close(writer)
    clock.wait([reader], clock.now_ms() + 1)  # a descriptor that is closed
    clock.wait([-1], clock.now_ms() + 1)
    clock.wait([], clock.now_ms() - 5)
    assert clock.now_ms() >= 0
    assert clock.wall_ms() > 1_700_000_000_000
    both = clock.both_ms()
    assert both is None or abs(both[1] - clock.wall_ms()) < 3_600_000


# ---- the wall clock


class Wall:
    """A wall clock that somebody sets, and a loop that may be cut off between the two readings."""

    def __init__(self) -> None:
        self.ahead_ms = 0
        self.torn = False
        self.asked_ms: list[int] = []
        self.now_ms = 0

    def __call__(self) -> tuple[int, int] | None:
        self.asked_ms.append(self.now_ms)
        return None if self.torn else (self.now_ms, WALL_MS + self.now_ms + self.ahead_ms)


def run_with(b: Bench, wall: Wall, ms: int) -> None:
    for _ in range(ms // 100):
        wall.now_ms = b.now_ms = b.now_ms + 100
        b.runtime.step(b.now_ms)


def test_a_wall_clock_that_is_set_is_noticed_within_a_second_and_written_down_once(bench: Make) -> None:
    wall = Wall()
    b = bench(clock=wall)
    run_with(b, wall, 3_000)
    assert "ClockStepped" not in b.kinds()
    assert wall.asked_ms == [1_000, 2_000, 3_000]
    wall.ahead_ms = 3_600_000
    run_with(b, wall, 5_000)
    assert b.kinds().count("ClockStepped") == 1
    assert b.runtime.live.wall_ms == WALL_MS + b.runtime.live.now_ms + 3_600_000
    newest = list(b.journal.rows())[-1]
    assert newest.entry.wall_ms == WALL_MS + newest.entry.at_ms + 3_600_000


def test_what_is_less_than_a_step_and_what_was_read_in_two_instants_sets_nothing(bench: Make) -> None:
    wall = Wall()
    b = bench(clock=wall)
    wall.ahead_ms = 900
    run_with(b, wall, 3_000)
    wall.torn, wall.ahead_ms = True, -7_200_000
    run_with(b, wall, 3_000)
    assert "ClockStepped" not in b.kinds()
    wall.torn = False
    run_with(b, wall, 1_000)
    assert b.kinds().count("ClockStepped") == 1


def test_the_clock_is_not_read_twice_while_a_commit_is_in_flight(bench: Make) -> None:
    wall = Wall()
    b = bench(clock=wall, slow=True)
    card = b.card
    assert card is not None
    wall.ahead_ms = 60_000
    run_with(b, wall, 2_500)  # the first commit of the session has not come back
    assert wall.asked_ms == []
    card.ready.release()
    b.end()
