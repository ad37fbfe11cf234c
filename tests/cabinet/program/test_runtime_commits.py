"""What the loop does while a commit is in flight, when one fails, and at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cabinet.core.conditions import Code
from cabinet.core.facts import Fact
from cabinet.core.live import play_lock
from cabinet.core.turn import AcknowledgeNote, Act, GivePulses, PrintTicket, StackNote, TroubleReported
from cabinet.core.view import view
from cabinet.program import runtime as loops
from cabinet.store.journal import Entry, StorageError
from cabinet.store.second_copy import SecondCopyError
from cabinet.store.writer import Writer
from drivers.device import (
    DeviceEvent,
    InputChanged,
    NoteEscrowed,
    NoteVendValid,
    Pattern,
    PrinterReady,
    TicketDone,
    TicketOutcome,
)
from support.programs.runtime_bench import Bench, cards

Make = Callable[..., Bench]


# ---- while a commit is in flight


@pytest.mark.requirement("PRN-01")
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


ORDERS = ("stack", "acknowledge", "print", "pulse")


def ordered_too_early(b: Bench) -> set[str]:
    """A note and a ticket on a slow card: what devices are told while a commit with facts is in flight."""
    early: set[str] = set()

    def told(happened: list[str]) -> None:
        early.update(word for line in happened for word in ORDERS if f" {word}" in line)

    def through(*said: DeviceEvent) -> None:
        told(b.step(*said))
        while b.writer.busy:
            told(b.step())
            b.finish_commit()
            seen = b.step()  # its own orders, and then what comes of what waited
            told(seen[seen.index("published") :])

    through(*[PrinterReady(name, 0, True) for name, _ in b.policy.printers])
    through(NoteEscrowed("validator1", 0, 2_500, 1))
    through(NoteVendValid("validator1", 0))
    through(InputChanged("panel1", 0, "seat1.cash_out", True))
    through(TicketDone("printer1", 0, 2, TicketOutcome.PRINTED))
    assert {"NoteCredited", "TicketPrinted", "PulseIntended"} <= set(b.kinds())
    return early


@pytest.mark.requirement("PRN-01")
def test_no_device_is_ordered_what_cannot_be_undone_before_its_commit_has_returned(bench: Make) -> None:
    assert ordered_too_early(bench(slow=True)) == set()


@pytest.mark.parametrize(
    ("act", "word"),
    [(StackNote, "stack"), (AcknowledgeNote, "acknowledge"), (PrintTicket, "print"), (GivePulses, "pulse")],
)
def test_one_that_was_would_be_seen(
    bench: Make, monkeypatch: pytest.MonkeyPatch, act: type[Act], word: str
) -> None:
    commit = loops.Runtime._commit

    def hasty(self: loops.Runtime, facts: list[Fact], now_ms: int) -> None:
        assert self._pending is not None
        for each in self._pending.acts:
            if isinstance(each, act):
                self._carry_out(each)
        commit(self, facts, now_ms)

    monkeypatch.setattr(loops.Runtime, "_commit", hasty)
    assert word in ordered_too_early(bench(slow=True))


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


@pytest.mark.requirement("MEM-10")
def test_a_commit_that_takes_long_is_shown_and_inhibits_the_validators_until_it_is_back(bench: Make) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    before = b.state
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    b.now_ms = 1_999
    assert b.step() == []
    b.now_ms = 2_000
    happened = b.step()
    assert {"validator1 inhibit", "validator2 inhibit", "published"} <= set(happened)
    assert b.state == before, "what is decided stays unseen"
    lock = view(b.state, b.shown[-1]).lock
    assert lock is not None
    assert (lock.code, lock.since_ms) == ("M07", 2_000)
    assert b.panel.levels["candle.top"] is Pattern.SLOW
    b.now_ms = 2_500
    assert b.step() == []
    b.finish_commit()
    happened = b.step()
    assert happened.index("validator1 accept") < happened.index("validator1 stack")
    assert view(b.state, b.shown[-1]).lock is None
    b.settle()
    assert b.kinds()[-2:] == ["ConditionRaised", "ConditionCleared"]
    assert b.state.meters["on.M07"] == 1


def test_a_card_that_is_always_slow_is_told_of_once_a_minute(bench: Make) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    for _ in range(4):
        b.press("seat1.help")
        b.step(InputChanged("panel1", b.now_ms, "door.drop", True))
        b.now_ms += 3_000
        b.step()
        b.finish_commit()
        b.step()
        b.step(InputChanged("panel1", b.now_ms, "door.drop", False))
        b.settle()
    assert b.state.meters["on.M07"] == 1


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize("why", ["ten seconds", "more waits than is kept"])
def test_a_disk_that_does_not_answer_is_a_tilt_and_what_it_answers_late_is_only_for_the_next_start(
    bench: Make, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    before = b.state
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    if why == "ten seconds":
        b.now_ms = 9_999
        b.step()
        assert b.runtime.live.trouble(Code.STORAGE_FAILED) == ""
        b.now_ms = 10_000
        happened = b.step()
    else:
        monkeypatch.setattr(loops, "QUEUE_MAX", 10)
        b.now_ms = 3_000
        happened = b.press(*["seat1.help"] * 11)
    assert {"validator1 give_back", "validator2 give_back"} <= set(happened)
    assert play_lock(b.state, b.runtime.live) == "M03"
    assert "the disk has not answered for" in b.runtime.live.trouble(Code.STORAGE_FAILED)
    assert b.state == before
    answered = b.runtime.answered
    assert not answered
    b.now_ms += 1
    assert b.runtime.hung_ms(b.now_ms) == b.now_ms, "the service manager is to know"
    b.finish_commit()
    b.step()
    assert b.runtime.answered
    assert b.runtime.hung_ms(b.now_ms) == 0
    assert b.state == before, "nobody has been told of it"
    assert "validator1 stack" not in b.log


def test_a_commit_of_a_quarter_of_a_second_is_written_down_and_nobody_waits(bench: Make) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    b.now_ms = 249
    b.step()
    b.now_ms = 300
    assert b.step() == [], "neither lamps nor screen change"
    b.finish_commit()
    b.step()
    b.settle()
    assert b.kinds()[-2:] == ["ConditionRaised", "ConditionCleared"]
    assert b.state.meters["on.M07"] == 1


def test_an_end_does_not_wait_for_a_disk_that_does_not_answer(bench: Make) -> None:
    b = bench(slow=True)
    b.step()
    b.settle()
    b.step(NoteEscrowed("validator1", 0, 2_000, 1))
    assert not b.runtime.close(clean=True, now_ms=9, limit_s=0.05)
    assert all(device.closed for device in (*b.validators, *b.printers, b.panel))
    assert b.card is not None
    b.card.ready.release(100)  # for the thread that is left behind
    b.writer.close()
    b.journal.close()


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


@pytest.mark.requirement("MEM-10", "BIL-04")
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
    assert b.runtime.live.trouble(Code.STORAGE_FAILED) == "the disk is full"
    assert live.trouble(Code.STORAGE_FAILED) == ""
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
    assert again.runtime.live.trouble(Code.STORAGE_FAILED) == ""


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
    b.runtime.post(TroubleReported(0, Code.STORAGE_FAILED, "pulled"))
    assert not b.runtime.idle
    b.step()
    assert b.runtime.live.trouble(Code.STORAGE_FAILED) == "pulled"


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
