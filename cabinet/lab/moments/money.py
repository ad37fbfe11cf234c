"""Moments of money and trouble: notes, tickets, hand payments, doors, faults, restarts."""

from __future__ import annotations

from cabinet.core.conditions import Code
from cabinet.core.turn import TroubleReported
from cabinet.lab.moments.stage import Stage, Story

TABLE, SHARED = "table5", "shared3"
DAY_MS = 25 * 3600 * 1000


def _decision(stage: Stage) -> None:
    """Four seats decide on 16; seat 2 has credit and sits this round out."""
    stage.notes({1: 220, 2: 235, 3: 450, 4: 600, 5: 35})
    stage.bet({1: 20, 3: 25, 4: 50, 5: 15})
    stage.press("1.deal", "3.deal", "4.deal", "5.deal")
    stage.until("open choices", lambda state, _: bool(state.deciding()))


# ---- tickets


def _note(stage: Stage) -> None:
    stage.notes({4: 40})
    stage.insert(2, 20)
    stage.until("a note in the validator", lambda _, live: live.device("validator2").taking)
    stage.wait(400)
    stage.shoot("note-inside", "Seat 2's validator reads a note; nothing is credited before it is stacked")


def _given_back(stage: Stage) -> None:
    stage.notes({2: 40})
    for seat in (2, 4):
        stage.insert_ticket(seat, "012345678901234567")
    stage.wait(3_500)
    stage.shoot("ticket-refused", "A ticket that the book does not know comes back, with what to do next")


def _cash_out(stage: Stage) -> None:
    _decision(stage)
    stage.decide(seat3="stand", seat5="hit")
    stage.press("2.cash_out")
    stage.until("a ticket in print", lambda state, _: bool(state.tickets))
    stage.wait(2_300)
    stage.shoot("ticket-printing", "Seat 2 cashes out while the others decide")
    stage.until("paper in the chute", lambda state, _: bool(state.presented))
    stage.wait(300)
    stage.shoot("take-your-ticket", "The ticket is in the chute; the round goes on")


def _queue(stage: Stage) -> None:
    for seat, dollars in ((1, 140), (2, 60), (3, 300)):
        stage.press(f"{seat}.buy_in")
        stage.notes({seat: dollars})
    stage.press("1.cash_out")
    stage.press("3.cash_out")
    stage.until("a ticket in print", lambda state, _: bool(state.tickets))
    stage.press("2.buy_in")
    stage.wait(1_500)
    stage.shoot("printer-queue", "One printer for three seats: seat 3 is told its place")


def _bound(stage: Stage) -> None:
    stage.wait(4_000)
    stage.shoot("press-buy-in", "A shared validator takes no note before a seat has pressed BUY IN")
    stage.press("2.buy_in")
    stage.wait(500)
    stage.shoot("notes-go-to-seat", "Notes go to seat 2 now, and to nobody else")


def _large_win(stage: Stage) -> None:
    for seat, dollars in ((1, 1300), (2, 100)):
        stage.press(f"{seat}.buy_in")
        stage.notes({seat: dollars})
    stage.bet({1: 600, 2: 20})
    stage.deal()
    stage.decide(seat1="double", seat2="stand")
    stage.until_settled(4_000)
    stage.shoot("large-win", "A win over the limit is paid by hand: the seat waits for the attendant")


def _paper(stage: Stage) -> None:
    stage.notes({1: 180, 2: 60, 4: 90})
    stage.fault("printer4.paper_low")
    stage.wait(2_000)
    stage.shoot("paper-low", "Few tickets are left in a printer")
    stage.fault("printer1.paper_out")
    stage.wait(2_000)
    stage.press("1.cash_out")
    stage.wait(1_000)
    stage.shoot("handpay", "Seat 1's printer is out of paper: an attendant pays")
    for printer in range(2, 6):
        stage.fault(f"printer{printer}.paper_out")
    stage.wait(2_000)
    stage.shoot("no-tickets", "No printer can print: the top bar says so")


# ---- doors and faults


def _door(stage: Stage) -> None:
    _decision(stage)
    stage.decide(seat3="stand", seat5="hit")
    stage.wait(2_000)
    stage.switch("door.main", True)
    stage.wait(1_000)
    stage.shoot("door-open", "The main door is open: the round is frozen, everything stays in sight")
    stage.switch("door.main", False)
    stage.wait(600)
    stage.shoot("door-closed", "The door is closed: the countdown starts again in full")


def _storage(stage: Stage) -> None:
    _decision(stage)
    stage.table.runtime.post(TroubleReported(stage.now_ms, Code.STORAGE_FAILED, "disk I/O error"))
    stage.wait(500)
    stage.shoot("storage-tilt", "The journal cannot be written: nothing goes on before a technician comes")


def _memory(stage: Stage) -> None:
    _decision(stage)
    stage.table.runtime.post(TroubleReported(stage.now_ms, Code.MEMORY_FAILED, "row 118 has changed"))
    stage.wait(500)
    stage.shoot("memory-error", "A row of the journal has changed: only a technician goes on from here")
    stage.switch("key.service", True)
    stage.wait(300)
    stage.shoot("memory-status", "Behind the key: what is wrong, since when, and what ends it")


def _jam(stage: Stage) -> None:
    stage.notes({1: 60, 3: 40})
    stage.bet({1: 10})
    stage.insert(3, 20)
    stage.wait(900)
    stage.fault("validator3.jam_acceptor")
    stage.fault("validator5.jam_acceptor")
    stage.wait(2_500)
    stage.shoot(
        "validator-jam", "Two validators are jammed: the attendant is called to their seats, play goes on"
    )


def _panel(stage: Stage) -> None:
    _decision(stage)
    stage.fault("panel.board_lost")
    stage.wait(1_500)
    stage.shoot("panel-lost", "The board with the doors does not answer: play stops")


# ---- a new session


def _restored(stage: Stage) -> None:
    _decision(stage)
    stage.decide(seat3="stand", seat5="hit")
    stage.wait(800)
    stage.power_cut()
    stage.until("open choices", lambda state, _: bool(state.deciding()))
    stage.wait(900)
    stage.shoot("game-restored", "After a power cut: the same cards and choices, a countdown in full")


def _old_round(stage: Stage) -> None:
    _decision(stage)
    stage.power_cut(DAY_MS)
    stage.wait(4_000)
    stage.shoot("old-round", "A round of the day before waits for an attendant")


def _in_doubt(stage: Stage) -> None:
    stage.notes({1: 180, 2: 60, 3: 100})
    stage.fault("printer1.paper_out")
    stage.wait(1_500)
    stage.press("1.cash_out", "2.cash_out")
    stage.until("a ticket in print", lambda state, _: bool(state.tickets))
    stage.insert(3, 20)
    stage.wait(2_200)
    stage.power_cut()
    stage.until("a ticket in doubt", lambda state, _: any(ticket.unknown for ticket in state.tickets))
    stage.wait(4_000)
    stage.shoot("ticket-in-doubt", "Power was cut while seat 2's ticket was printed: an attendant decides")
    stage.switch("key.attendant", True)
    stage.wait(300)
    stage.shoot("attendant-matters", "The attendant's page: everything that waits for a person")
    stage.press("1.bet_plus")
    stage.wait(300)
    stage.shoot("attendant-answer", "The ticket is in hand, or it is not: one line each")
    stage.press("1.deal")
    stage.wait(1_200)
    stage.shoot("attendant-asked", "What would be recorded, as a sentence: only the key itself confirms it")
    stage.switch("key.attendant", False)
    stage.shoot("attendant-key-off", "The key is off; on again within five seconds, and it is recorded")
    stage.switch("key.attendant", True)
    stage.wait(300)
    stage.shoot("attendant-recorded", "It is recorded, and the list is back")


def _desk(stage: Stage) -> None:
    stage.notes({1: 80, 2: 45, 4: 120})
    stage.press("1.cash_out", "2.cash_out", "4.cash_out")
    stage.until("tickets on paper", lambda state, _: len(state.issued) == 3)
    for printer, _ in stage.live.policy.printers:
        stage.table.world.take(printer, stage.now_ms)
    stage.wait(1_000)
    stage.switch("key.attendant", True)
    stage.press("1.deal")
    stage.wait(300)
    stage.shoot("pay-tickets", "Tickets that the desk may pay: chosen by number and amount on the paper")
    stage.press("1.bet_plus")
    stage.press("1.deal")
    for _ in range(5):
        stage.press("1.bet_plus")
        stage.wait(200)
        stage.press("1.deal")
        stage.wait(200)
    stage.shoot("pay-number", "Digits from the paper: nobody pays a ticket without holding it")


def _date(stage: Stage) -> None:
    stage.notes({1: 80})
    stage.press("1.cash_out")
    stage.until("a ticket on paper", lambda state, _: len(state.issued) == 1)
    stage.wait(2_000)
    stage.power_cut(later_ms=3 * 24 * 3600 * 1000)
    stage.wait(4_000)
    stage.switch("key.attendant", True)
    stage.wait(300)
    stage.shoot("date-asked", "A start three days later: the attendant says whether the date is right")


def _away(stage: Stage) -> None:
    stage.notes({1: 100, 3: 40, 4: 60})
    stage.bet({1: 10, 3: 5, 4: 10})
    stage.deal()
    stage.all_say("stand")
    stage.until_settled()
    stage.press("1.deal", "3.deal")
    stage.until("next round", lambda state, _: state.round_open)
    stage.all_say("stand")
    stage.wait(stage.live.policy.attract_after_ms)  # its note is not fresh any more
    stage.press("1.deal")
    stage.wait(1_500)
    stage.shoot("away", "Seat 4 has let a round pass: the deal does not wait for it")


def _closing(stage: Stage) -> None:
    stage.notes({2: 60, 3: 90})
    stage.table.runtime.ask_stop(stage.now_ms)
    stage.wait(2_500)
    stage.shoot("table-closed", "The house closes the table: no new round, cash out at any time")


STORIES = (
    Story("note", "money", TABLE, "", ("note-inside",), _note),
    Story("given-back", "money", TABLE, "", ("ticket-refused",), _given_back),
    Story("away", "bets", TABLE, "10H 9S 7D 10C 10D 10H 8S 7D 10C 10D", ("away",), _away),
    Story("cash-out", "money", TABLE, "9D 7S 4C", ("ticket-printing", "take-your-ticket"), _cash_out),
    Story("queue", "money", SHARED, "", ("printer-queue",), _queue),
    Story("buy-in", "money", SHARED, "", ("press-buy-in", "notes-go-to-seat"), _bound),
    Story("large-win", "money", SHARED, "6H 5C 6S 9D 4C 10D 8C", ("large-win",), _large_win),
    Story("paper", "money", TABLE, "", ("paper-low", "handpay", "no-tickets"), _paper),
    Story("door", "trouble", TABLE, "9D 7S 4C", ("door-open", "door-closed"), _door),
    Story("storage", "trouble", TABLE, "9D 7S 4C", ("storage-tilt",), _storage),
    Story("memory", "trouble", TABLE, "9D 7S 4C", ("memory-error", "memory-status"), _memory),
    Story("jam", "trouble", TABLE, "", ("validator-jam",), _jam),
    Story("panel", "trouble", TABLE, "9D 7S 4C", ("panel-lost",), _panel),
    Story("restored", "trouble", TABLE, "9D 7S 4C", ("game-restored",), _restored),
    Story("old-round", "trouble", TABLE, "9D 7S 4C", ("old-round",), _old_round),
    Story("closing", "trouble", TABLE, "", ("table-closed",), _closing),
    Story(
        "in-doubt", "people", TABLE, "",
        (
            "ticket-in-doubt", "attendant-matters", "attendant-answer", "attendant-asked",
            "attendant-key-off", "attendant-recorded",
        ),
        _in_doubt,
    ),
    Story("desk", "people", TABLE, "", ("pay-tickets", "pay-number"), _desk),
    Story("date", "people", TABLE, "", ("date-asked",), _date),
)  # fmt: skip
