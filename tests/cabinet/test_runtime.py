"""The loop: read all, decide, commit, publish, act; and what it does when the disk does not answer."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import permutations
from pathlib import Path

import pytest

from cabinet import runtime as loops
from cabinet.core.decide import due
from cabinet.core.facts import Fact
from cabinet.core.live import Live, play_lock
from cabinet.core.policy import Policy
from cabinet.core.state import SCHEMA, State
from cabinet.core.turn import MendPrinter, ResetValidator, StorageFailed
from cabinet.replay import SNAPSHOT_DECODER, SNAPSHOT_ENCODER, Restored, restore, totals
from cabinet.runtime import RealClock, Runtime, StalledError, loop
from cabinet.store.journal import Entry, Journal, StorageError
from cabinet.store.second_copy import SecondCopyError
from cabinet.store.writer import Writer
from drivers.device import (
    DeviceEvent,
    Fault,
    FaultRaised,
    InputChanged,
    NoteEscrowed,
    NoteVendValid,
    Pattern,
    PrinterReady,
    PulsesDone,
    TicketDone,
    TicketOutcome,
)
from support.evening import WALL_MS, Evening, policy
from support.fakes import Fake, FakePanel, FakePrinter, FakeValidator

Draw = Callable[[int], int]


class SlowCard:
    """Every commit waits here until the test lets it go on."""

    def __init__(self) -> None:
        self.reached = threading.Semaphore(0)
        self.ready = threading.Semaphore(0)

    def __call__(self) -> None:
        self.reached.release()
        assert self.ready.acquire(timeout=20)


class Bench:
    """A runtime with fake devices. `log` has everything in the order in which it happened."""

    def __init__(
        self,
        directory: Path,
        *,
        slow: bool = False,
        virtual: bool = True,
        draw: Draw = lambda n: 0,
        **changes: object,
    ) -> None:
        changes.setdefault("seats", 2)
        self.policy: Policy = policy(**changes)  # type: ignore[arg-type]
        self.log: list[str] = []
        self.panel = FakePanel("panel1", self.log)
        self.validators = [FakeValidator(name, self.log) for name, _ in self.policy.validators]
        self.printers = [FakePrinter(name, self.log) for name, _ in self.policy.printers]
        devices: list[Fake] = [*self.validators, *self.printers, self.panel]
        self.journal = Journal.open(directory)
        self.card = SlowCard() if slow else None
        self.writer = Writer(self.journal, delay_for_tests=self.card)
        self.now_ms = 0
        self.published: list[State] = []
        self.runtime = Runtime(
            self.policy,
            {device.name: device for device in devices},
            self.journal,
            draw,
            wall_ms=WALL_MS,
            writer=self.writer,
            virtual=virtual and not slow,
            on_publish=self._published,
            on_facts=self._facts,
        )

    def _published(self, state: State, live: Live) -> None:
        self.published.append(state)
        self.log.append("published")

    def _facts(self, facts: tuple[Fact, ...]) -> None:
        self.log += [type(fact).__name__ for fact in facts]

    @property
    def state(self) -> State:
        return self.runtime.state

    # ---- time and people

    def step(self, *said: DeviceEvent) -> list[str]:
        """One step in which the devices report these events; what happened in it."""
        for event in said:
            self.device(event.device).say.append(event)
        self.log.clear()
        self.runtime.step(self.now_ms)
        return [line for line in self.log if not line.endswith(" read")]

    def device(self, name: str) -> Fake:
        found = self.runtime.devices[name]
        assert isinstance(found, Fake)
        return found

    def press(self, *names: str) -> list[str]:
        return self.step(*[InputChanged("panel1", self.now_ms, name, True) for name in names])

    def run(self, ms: int) -> None:
        """Virtual time: from one due instant to the next."""
        end = self.now_ms + ms
        while True:
            next_ms = self.runtime.wake_at(self.now_ms)
            timer = due(self.runtime.state, self.runtime.live)
            next_ms = min(next_ms, end) if timer is None else min(next_ms, timer, end)
            self.now_ms = max(self.now_ms, next_ms)
            self.runtime.step(self.now_ms)
            if self.now_ms >= end:
                return

    def insert(self, seat: int, cents: int) -> None:
        name = self.policy.validator_of(seat)
        self.step(NoteEscrowed(name, self.now_ms, cents, 1))
        self.step(NoteVendValid(name, self.now_ms))

    def start(self) -> None:
        self.step(*[PrinterReady(name, self.now_ms, True) for name, _ in self.policy.printers])

    def finish_commit(self) -> None:
        """Let the commit in flight come back."""
        assert self.card is not None
        assert self.card.reached.acquire(timeout=20)
        self.card.ready.release()
        assert select.select([self.writer.fileno()], [], [], 20)[0]

    def settle(self) -> None:
        """Everything that waits is decided and committed."""
        for _ in range(20):
            if not self.runtime.idle or self.writer.busy:
                if self.writer.busy:
                    self.finish_commit()
                self.runtime.step(self.now_ms)

    def kinds(self) -> list[str]:
        return [row.entry.kind for row in self.journal.rows()]

    def end(self) -> None:
        if not self.runtime.stopped:
            if self.card is not None:
                self.card.ready.release(1_000)
            self.runtime.close(clean=False, now_ms=self.now_ms)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    made: list[Bench] = []

    def make(**options: object) -> Bench:
        made.append(Bench(tmp_path / "state", **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for one in made:
        one.end()


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
    b.panel.wake_at = 0
    b.runtime.step(0, ready=())
    assert len(b.runtime.ticked) == 5, "the first step reads all"
    b.panel.wake_at = None
    b.validators[1].wake_at = 40
    b.runtime.step(10, ready=("validator2",))
    assert b.runtime.ticked == ["validator2"]
    b.runtime.step(39, ready=("printer1",))
    assert b.runtime.ticked == ["printer1"]
    b.panel.wake_at = 30  # an edge has come: a panel needs no byte
    b.runtime.step(40, ready=())
    assert b.runtime.ticked == ["validator2", "panel1"]


def test_the_first_step_opens_the_session_and_asks_the_printers(bench: Make) -> None:
    b = bench()
    happened = b.step()
    assert b.kinds() == ["SessionStarted", "RulesTaken"]
    assert happened == [
        "SessionStarted",
        "RulesTaken",
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
    assert b.journal.previous_seq == before + 1 == 2, "one transaction after that of the start"


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


# ---- while a commit is in flight


def test_nothing_is_shown_ordered_or_decided_before_the_commit_has_returned(bench: Make) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    for now_ms in (16, 33, 50):
        b.now_ms = now_ms
        assert b.step(InputChanged("panel1", now_ms, "seat1.help", True)) == []
    assert not b.runtime.idle
    assert b.state.notes == ()
    decided = b.runtime.decided
    b.finish_commit()
    happened = b.step()
    assert happened[:1] == ["NoteIntended"]
    assert "validator1 stack" in happened
    assert b.runtime.decided == decided + 3, "what waited is decided on the state that the commit made"
    assert b.kinds()[-1] == "NoteIntended"


def test_double_taps_during_a_commit_of_two_seconds_draw_one_card(bench: Make) -> None:
    """Seven seats hit twice within a commit of two seconds. The card that the first taps drew lies in the
    state long before anybody has seen it."""
    b = bench(slow=True, seats=7, draw=cards("5H 4S 7D 2C 3C"))
    b.step()
    b.settle()
    for seat in range(1, 8):
        b.step(
            NoteEscrowed(f"validator{seat}", b.now_ms, 10_000, 1),
            NoteVendValid(f"validator{seat}", b.now_ms),
            InputChanged("panel1", b.now_ms, f"seat{seat}.bet_plus", True),
        )
        b.settle()
    b.press(*[f"seat{seat}.deal" for seat in range(1, 8)])
    b.settle()
    b.now_ms = b.state.landed_ms
    b.step()
    b.settle()
    assert b.state.deciding() == (1, 2, 3, 4, 5, 6, 7)
    b.press(*[f"seat{seat}.hit" for seat in range(1, 8)])  # the last one draws; its commit takes two seconds
    start_ms = b.now_ms
    for seat in range(1, 8):
        b.now_ms += 250
        b.press(f"seat{seat}.hit")
    b.now_ms = start_ms + 2_000
    b.finish_commit()
    b.step()
    b.settle()
    assert b.state.round is not None
    assert len(b.state.round.hands[0].cards) == 3
    assert b.state.deciding() == (1, 2, 3, 4, 5, 6, 7)
    assert b.state.decision_opened_ms == start_ms + 2_000
    assert b.state.decision_deadline_ms == start_ms + 14_000


def cards(text: str) -> Draw:
    """Deals these cards; the shoe is full before the first one."""
    evening = Evening(text, start=False, seats=7)
    left = list(range(312))

    def draw(n: int) -> int:
        nonlocal left
        assert len(left) == n
        index = evening.index(left)
        left = left[:index] + left[index + 1 :]
        return index

    return draw


def test_a_press_queued_behind_a_commit_wins_over_the_expiry(bench: Make) -> None:
    b = bench(slow=True, draw=cards("5H 4S 7D 2C 3C"))
    b.step()
    b.settle()
    for seat in (1, 2):
        b.step(NoteEscrowed(f"validator{seat}", 0, 10_000, 1), NoteVendValid(f"validator{seat}", 0))
        b.settle()
    b.press("seat1.bet_plus")
    b.settle()
    b.press("seat2.bet_plus")
    b.settle()
    b.now_ms = 14_990
    b.press("seat1.bet_plus")  # its commit is on its way when time is up
    b.now_ms = 15_030
    b.press("seat2.bet_plus")
    b.finish_commit()
    b.step()
    b.settle()
    assert b.state.bets == ((1, 1_000), (2, 1_000))


def test_a_commit_that_takes_long_inhibits_the_validators_until_it_is_back(bench: Make) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    b.now_ms = 1_999
    assert b.step() == []
    b.now_ms = 2_000
    assert b.step() == ["validator1 inhibit", "validator2 inhibit"]
    b.now_ms = 2_500
    assert b.step() == []
    b.finish_commit()
    happened = b.step()
    assert happened.index("validator1 accept") < happened.index("validator1 stack")


def test_a_disk_that_never_answers_ends_the_process(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    monkeypatch.setattr(loops, "QUEUE_MAX", 10)
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    b.now_ms = 180_000
    with pytest.raises(StalledError, match="180000 ms"):
        b.press(*["seat1.help"] * 11)


def test_in_virtual_time_the_clock_stands_still_while_a_commit_runs(bench: Make) -> None:
    b = bench()
    b.start()
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    assert b.runtime.idle
    assert b.kinds()[-1] == "NoteIntended"


# ---- a commit that fails


def broken(b: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(entries: Sequence[Entry]) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(b.journal, "commit", refuse)


def test_after_a_failed_commit_nothing_of_it_is_true_and_the_note_goes_back(
    bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    b = bench()
    b.start()
    b.insert(1, 10_000)
    before, live = b.state, b.runtime.live
    broken(b, monkeypatch)
    happened = b.step(NoteEscrowed("validator1", 5, 2_000, 1))
    assert happened == [
        "panel1 set_outputs",
        "validator1 inhibit",
        "validator2 inhibit",
        "validator1 give_back",
        "validator2 give_back",
        "published",
    ]
    assert b.state is before
    assert b.runtime.live.storage == "the disk is full"
    assert live.storage == ""
    assert play_lock(b.state, b.runtime.live) == "M03"
    assert b.panel.levels == {"candle.top": Pattern.FAST, "candle.bottom": Pattern.FAST}
    assert b.press("seat1.bet_plus", "seat1.cash_out") == ["panel1 set_outputs", "published"]
    assert b.state is before
    b.run(3_600_000)
    assert b.state is before


def test_a_failed_disk_is_not_marked_clean(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    b = bench()
    b.start()
    with monkeypatch.context() as patch:
        broken(b, patch)
        b.press("seat1.bet_plus")
        b.insert(1, 500)
    b.runtime.close(clean=True, now_ms=9)
    again = bench()
    again.step()
    assert not again.state.clean
    assert "SessionStopped" not in again.kinds()
    assert again.runtime.live.storage == ""


def test_a_commit_that_fails_while_the_program_ends(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    broken(b, monkeypatch)
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    assert b.card is not None
    b.card.ready.release(100)
    b.runtime.close(clean=True, now_ms=9)
    assert b.runtime.stopped
    monkeypatch.undo()
    again = bench()
    again.step()
    assert not again.state.clean


def test_a_second_copy_that_fails_is_told(bench: Make, tmp_path: Path) -> None:
    class Broken:
        def write(self, *_: object) -> None:
            raise SecondCopyError("no FRAM")

        def read(self) -> None:
            return None

        def close(self) -> None:
            return None

    b = bench()
    b.writer.close()
    b.runtime.writer = Writer(b.journal, Broken())
    b.step()
    assert b.runtime.copy_error == "no FRAM"
    assert b.runtime.head == b.journal.head


def test_a_posted_event_is_decided_like_any_other(bench: Make) -> None:
    b = bench()
    b.start()
    b.runtime.post(StorageFailed(0, "pulled"))
    assert not b.runtime.idle
    b.step()
    assert b.runtime.live.storage == "pulled"


# ---- the end


def test_a_clean_end_is_the_last_fact_and_is_remembered(bench: Make) -> None:
    b = bench()
    b.start()
    b.runtime.ask_stop(3)
    b.step()
    assert b.runtime.live.stopping
    b.runtime.close(clean=True, now_ms=7)
    assert all(device.closed for device in (*b.validators, *b.printers, b.panel))
    again = bench()
    assert again.kinds()[-1] == "SessionStopped"
    assert again.runtime.restored.facts == 0, "the snapshot at the end saves the replay"
    again.step()
    assert again.state.clean
    assert again.state.session == 2


def test_an_end_without_being_asked_is_a_crash(bench: Make) -> None:
    b = bench()
    b.start()
    b.runtime.close(clean=False, now_ms=7)
    again = bench()
    again.step()
    assert not again.state.clean
    assert again.state.meters["power_resets"] == 1


def test_the_end_waits_for_the_commit_in_flight(bench: Make) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    assert b.card is not None
    b.card.ready.release(100)
    b.runtime.close(clean=True, now_ms=9)
    assert "validator1 stack" in b.log
    again = bench()
    assert again.kinds()[-2:] == ["NoteIntended", "SessionStopped"]


# ---- restore


def played(b: Bench) -> None:
    b.start()
    for seat in (1, 2):
        b.insert(seat, 10_000)
    b.press("seat1.bet_plus", "seat2.bet_plus")
    b.press("seat1.deal", "seat2.deal")
    b.run(60_000)
    b.press("seat1.cash_out")
    assert b.state.round_number == 1
    assert not b.state.live


def test_with_and_without_a_snapshot_the_state_is_the_same(bench: Make) -> None:
    b = bench()
    played(b)
    state, seq = b.state, b.journal.head.seq
    assert restore(b.journal) == Restored(state, seq)
    b.journal.snapshot(SCHEMA, seq, SNAPSHOT_ENCODER.encode(state))
    assert restore(b.journal) == Restored(state, 0)
    b.insert(2, 500)
    after = restore(b.journal)
    assert after.state == b.state
    assert 0 < after.facts < 10


def test_a_snapshot_in_the_middle_of_a_round_folds_on(bench: Make) -> None:
    b = bench(draw=cards("5H 4S 7D 2C 3C 4C 5C 6C"))
    b.start()
    b.insert(1, 10_000)
    b.press("seat1.bet_plus", "seat1.deal")
    b.run(5_000)
    b.journal.snapshot(SCHEMA, b.journal.head.seq, SNAPSHOT_ENCODER.encode(b.state))
    assert restore(b.journal).state == b.state
    b.press("seat1.hit")
    b.run(5_000)
    assert restore(b.journal).state == b.state
    assert restore(b.journal).facts > 0


@pytest.mark.parametrize("strange", ["schema", "bytes"])
def test_a_strange_snapshot_is_rebuilt_from_the_facts(bench: Make, strange: str) -> None:
    b = bench()
    played(b)
    seq = b.journal.head.seq
    if strange == "schema":
        b.journal.snapshot(SCHEMA + 1, seq, SNAPSHOT_ENCODER.encode(b.state))
    else:
        b.journal.snapshot(SCHEMA, seq, b'{"session": "many"')
    assert restore(b.journal) == Restored(b.state, seq)


@pytest.mark.parametrize(
    "entry",
    [
        Entry("NoteCredited", '{"at_ms":0,"ref":99}', 0, 0),
        Entry("TimeTravelled", "{}", 0, 0),
        Entry("RoundSettled", '{"at_ms":0,"results":[],"show_ms":0}', 0, 0),
        Entry("BetMoved", '{"at_ms":0,"seat":1,"cents":999999999}', 0, 0),
    ],
    ids=lambda entry: entry.kind,
)
def test_a_fact_that_cannot_be_true_stops_the_table_and_not_the_program(bench: Make, entry: Entry) -> None:
    b = bench()
    b.start()
    b.end()
    journal = Journal.open(b.journal._directory)
    journal.commit([entry])
    journal.close()
    for _ in range(2):
        again = bench()
        assert again.runtime.live.books.startswith("journal row ")
        head = again.journal.head
        happened = again.step(
            NoteEscrowed("validator1", 0, 2_000, 1), InputChanged("panel1", 0, "seat1.deal", True)
        )
        assert "validator1 give_back" in happened
        assert not any(validator.enabled for validator in again.validators)
        assert play_lock(again.state, again.runtime.live) == "M05"
        again.run(100_000)
        again.runtime.close(clean=True, now_ms=again.now_ms)
        with closing(Journal.read(again.journal._directory)) as read:
            assert read.head == head, "the trouble is still there to be seen"


def test_a_snapshot_is_taken_between_rounds_and_bounds_the_replay(
    bench: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "SNAPSHOT_EVERY", 20)
    b = bench()
    b.start()
    seen: list[int] = []
    for _ in range(12):
        b.insert(1, 500)
        b.press("seat1.bet_plus", "seat1.deal")
        while b.state.live:
            assert seen == [] or b.journal.load_snapshot(SCHEMA) is not None
            b.run(3_000)
        b.run(10_000)
        found = b.journal.load_snapshot(SCHEMA)
        if found is not None:
            seen.append(found[0])
            assert SNAPSHOT_DECODER.decode(found[1]).live is False
    assert len(set(seen)) > 2
    assert restore(b.journal).state == b.state
    assert restore(b.journal).facts < 60


def test_a_large_journal_goes_on_in_a_new_file(bench: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "SNAPSHOT_EVERY", 5)
    b = bench()
    b.journal._rotate_bytes = 1
    b.start()
    b.insert(1, 500)
    files = sorted(path.name for path in b.journal._directory.glob("journal-*.db"))
    assert len(files) > 1
    b.insert(1, 500)
    assert restore(b.journal).state == b.state


def test_the_totals_for_the_second_copy_are_short_and_name_what_is_owed() -> None:
    evening = Evening(seats=7)
    evening.deal(*range(1, 8))
    text = totals(evening.state)
    assert len(text) < 400
    assert b'"credit.1":9500' in text
    assert b'"notes":-70000' in text
    assert text.endswith(b"true]")


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
