"""When a seat may cash out, and that it gets all of its balance."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.conditions import Code
from cabinet.core.facts import ConditionCleared, ConditionRaised
from cabinet.core.staff import attendant
from cabinet.core.turn import StopAsked, TroubleReported, Turn
from drivers.device import Fault, NoteEscrowed, PrinterReady
from support.evenings.evening import Evening

V2, P1, P2 = "validator2", "printer1", "printer2"
DAY_MS = 24 * 3600 * 1000
STAND_DEAL = "10H 9S 7D 10C"
Begin = Callable[[Evening], object]


def round_of_seat_1(evening: Evening) -> None:
    evening.deal(1)


def closed(evening: Evening) -> None:
    evening.choose("Table > Close the table")


def closed_in_a_round(evening: Evening) -> None:
    evening.deal(1)
    closed(evening)


def seat_1_bets(evening: Evening) -> None:
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus")


def both_bet(evening: Evening) -> None:
    seat_1_bets(evening)
    evening.press(2, "bet_plus", "deal")


def seat_1_waits_for_the_hand(evening: Evening) -> None:
    evening.insert(1, 600_000)
    evening.press(1, "cash_out")


def settled(evening: Evening) -> None:
    """Seat 2 has played and its credit has counted up; the round is still shown."""
    evening.press(2, "bet_plus", "deal")
    evening.land()
    evening.press(2, "stand")
    evening.land()


def fault(device: str, fault: Fault) -> Begin:
    return lambda evening: evening.fault(device, fault)


ALLOWED: dict[str, Begin] = {
    "idle": lambda evening: None,
    "a bet that can be taken back": lambda evening: evening.press(2, "bet_plus"),
    "a bet after DEAL": both_bet,
    "the others bet": seat_1_bets,
    "the others' round": round_of_seat_1,
    "after the count-up": settled,
    "closed by the attendant": closed,
    "closed in the others' round": closed_in_a_round,
    "asked to stop": lambda evening: evening.feed(StopAsked(evening.at_ms)),
    "cash-box door open": lambda evening: evening.switch("door.cash_box", True),
    "jam in its validator": fault(V2, Fault.JAM),
    "its validator without a link": fault(V2, Fault.LINK_LOST),
    "another seat's printer is out": fault(P1, Fault.PAPER_OUT),
    "low paper": fault(P2, Fault.PAPER_LOW),
    "another seat waits for a hand payment": seat_1_waits_for_the_hand,
}


@pytest.mark.requirement("CRD-04")
@pytest.mark.parametrize("state", ALLOWED)
def test_a_seat_without_a_live_bet_cashes_out_all_it_has(state: str) -> None:
    evening = Evening(STAND_DEAL, seats=2)
    evening.insert(2, 10_000)
    ALLOWED[state](evening)
    held = evening.state.credit(2) + evening.state.bet(2)
    assert "cash_out" in evening.lamps(2)
    evening.press(2, "cash_out")
    assert evening.printed().ticket.figures == f"${held // 100}.{held % 100:02}"
    assert (evening.state.credit(2), evening.state.bet(2)) == (0, 0)
    assert evening.state.ledger["tickets_out"] == held


# ---- when not


def in_its_round(evening: Evening) -> None:
    evening.press(2, "bet_plus", "deal")


def deciding(evening: Evening) -> None:
    in_its_round(evening)
    evening.land()


def counting_up(evening: Evening) -> None:
    deciding(evening)
    evening.press(2, "stand")
    assert evening.state.settled_ms is not None
    evening.advance(evening.state.settled_ms + 1 - evening.at_ms)


def books_wrong(evening: Evening) -> None:
    evening.books_may_fail = True
    evening.audit.check = lambda *_args: None  # type: ignore[method-assign]
    evening.feed(NoteEscrowed("validator1", evening.at_ms, 0, 1))


def generator_fails(evening: Evening) -> None:
    evening.insert(1, 10_000)
    evening.stacked.broken = True
    evening.press(1, "bet_plus", "deal")


def round_of_yesterday(evening: Evening) -> None:
    evening.deal(1)
    evening.wall_ms += DAY_MS + 1_000
    evening.start(clean=False)


def switch(name: str) -> Begin:
    return lambda evening: evening.switch(name, True)


def ticket_in_work(evening: Evening) -> None:
    evening.feed(PrinterReady(P2, evening.at_ms, False))
    evening.press(2, "cash_out")


FORBIDDEN: dict[str, Begin] = {
    "its cards are dealt": in_its_round,
    "its decision is open": deciding,
    "its credit counts up": counting_up,
    "main door open": switch("door.main"),
    "logic area open": switch("door.logic"),
    "printer door open": switch("door.printer"),
    "attendant menu": switch("key.attendant"),
    "test mode": switch("key.service"),
    "storage tilt": lambda evening: evening.feed(
        TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full")
    ),
    "memory tilt": lambda evening: evening.feed(
        TroubleReported(evening.at_ms, Code.MEMORY_FAILED, "row 9 has changed")
    ),
    "accounting tilt": books_wrong,
    "generator tilt": generator_fails,
    "input board lost": fault("panel1", Fault.BOARD_LOST),
    "round of yesterday": round_of_yesterday,
    "it waits for its ticket": ticket_in_work,
}


@pytest.mark.requirement("CRD-05")
@pytest.mark.parametrize("state", FORBIDDEN)
def test_there_is_no_cash_out(state: str) -> None:
    evening = Evening(STAND_DEAL, seats=2)
    evening.insert(2, 10_000)
    FORBIDDEN[state](evening)
    assert "cash_out" not in evening.lamps(2) or evening.live.key
    asked, before = len(evening.facts("CashOutAsked")), evening.state.ledger
    evening.press(2, "cash_out")
    assert len(evening.facts("CashOutAsked")) == asked
    assert evening.state.ledger == before
    assert evening.facts("TicketIntended") == []


@pytest.mark.requirement("CRD-04", "CRD-05")
@pytest.mark.parametrize("name", ["door.main", "key.attendant", "key.service"])
def test_it_is_there_again_when_the_cause_is_gone(name: str) -> None:
    evening = Evening(STAND_DEAL, seats=2)
    evening.insert(2, 10_000)
    evening.switch(name, True)
    evening.press(2, "cash_out")
    evening.switch(name, False)
    evening.press(2, "cash_out")
    assert evening.printed().ticket.figures == "$100.00"


# ---- a table that the attendant has closed


@pytest.mark.requirement("CRD-04", "CRD-13")
def test_a_closed_table_plays_the_open_round_to_its_end_and_deals_no_other() -> None:
    evening = Evening(STAND_DEAL, seats=2)
    evening.insert(2, 10_000)
    both_bet(evening)
    evening.press(1, "deal")
    closed(evening)
    assert evening.last("ConditionRaised") == ConditionRaised(evening.at_ms, "H06", "", "")
    evening.land()
    evening.press(1, "stand")
    evening.press(2, "stand")
    evening.land()
    assert evening.credits() == (10_500, 10_500)
    evening.press(1, "bet_plus")
    assert evening.told(1) == "refused.closed"
    evening.advance(60_000)
    assert not evening.playing()
    evening.crash()
    evening.land()
    evening.press(1, "bet_plus")
    assert evening.told(1) == "refused.closed", "closed over a power cut too"
    evening.choose("Table > Open the table")
    assert evening.last("ConditionCleared") == ConditionCleared(evening.at_ms, "H06", "", "attendant")
    evening.press(1, "bet_plus", "deal")
    evening.press(2, "bet_plus", "deal")
    assert evening.playing()


def test_a_table_is_closed_once_and_opened_once() -> None:
    """Two hands at one menu, or a press that came twice."""
    evening = Evening(seats=1)
    turn = Turn(evening.state, evening.live, 0, lambda n: 0)
    for word in ("open", "close", "close", "open", "open"):
        attendant.carry_out(turn, ("table", word))
    assert [type(fact) for fact in turn.facts] == [ConditionRaised, ConditionCleared]
