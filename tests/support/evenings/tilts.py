"""How each row of the condition table begins, and how its cause goes away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cabinet.core.conditions import TABLE, Code
from cabinet.core.facts import MemoryCleared, encode
from cabinet.core.renewal import replace
from cabinet.core.turn import (
    PrintTicket,
    TroubleReported,
)
from drivers.device import (
    Fault,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    ValidatorReport,
)
from game.cards import parse
from support.evenings.audit import Audit
from support.evenings.evening import NUMBERS, Evening

V1, P1, PANEL = "validator1", "printer1", "panel1"
DAY_MS = 24 * 3600 * 1000


@dataclass(frozen=True)
class Story:
    """How a condition begins and how its cause goes away. `settle`: an answer in the menu ends it."""

    begin: Callable[[Evening], object]
    end: Callable[[Evening], object] = lambda evening: None
    settle: str = ""


def device_fault(device: str, fault: Fault) -> Story:
    return Story(lambda evening: evening.fault(device, fault), lambda evening: evening.mended(device, fault))


def switch(name: str) -> Story:
    return Story(lambda evening: evening.switch(name, True), lambda evening: evening.switch(name, False))


def generator_fails(evening: Evening) -> None:
    evening.stacked.broken = True
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "deal")


def generator_works(evening: Evening) -> None:
    evening.stacked.broken = False


def old_round(evening: Evening) -> None:
    evening.deal(1)
    evening.wall_ms += DAY_MS + 1_000
    evening.start(clean=False)


def note_in_question(evening: Evening) -> None:
    evening.feed(NoteEscrowed(V1, 0, 2_000, 1))
    evening.feed(ValidatorReport(V1, 0, Holding.NOTHING))


def ticket_in_question(evening: Evening) -> None:
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    evening.feed(TicketDone(P1, 0, evening.state.tickets[0].ref, TicketOutcome.UNKNOWN))


def wins_much(evening: Evening) -> None:
    evening.policy = replace(evening.policy, large_win_cents=500)
    evening.start()
    evening.stacked.cards = [parse(word) for word in ("10H", "9S", "7D", "10C")]
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()


def over_the_limit(evening: Evening) -> None:
    evening.insert(1, 600_000)
    evening.press(1, "cash_out")


def refused_often(evening: Evening) -> None:
    for _ in range(20):
        evening.feed(NoteAccepting(V1, evening.at_ms))
        evening.feed(NoteGivenBack(V1, evening.at_ms, "photo pattern"))


def new_settings(evening: Evening) -> None:
    if evening.state.credit(2):
        evening.press(2, "cash_out")
        evening.printed()
    evening.crash(settings=(("cabinet.ticket_limit_cents", "2"),))


def no_ticket_four_times(evening: Evening) -> None:
    """Two cash-outs with two orders each: none of them begins."""
    evening.insert(1, 10_000)
    for _ in range(2):
        evening.press(1, "cash_out")
        for _ in range(2):
            for order in evening.ordered(PrintTicket):
                assert isinstance(order, PrintTicket)
                evening.feed(TicketDone(P1, evening.at_ms, order.ref, TicketOutcome.NOT_STARTED, "refused"))
        if evening.state.handpays:
            evening.advance(2_000)
            evening.press(1, "cash_out")  # it is taken back


def printer_stands(evening: Evening) -> None:
    evening.feed(PrinterReady(P1, evening.at_ms, False))
    evening.advance(60_001)


def books_wrong(evening: Evening) -> None:
    """A driver that reports a note of no value: a fact that cannot be true."""
    evening.books_may_fail = True
    evening.audit.check = lambda *_args: None  # type: ignore[method-assign]
    evening.feed(NoteEscrowed(V1, evening.at_ms, 0, 1))


def unknown_tickets(evening: Evening) -> None:
    for number in range(3):
        evening.insert_ticket(1, f"{number:018}")


def key_lost(evening: Evening) -> None:
    evening.crash(numbers=None, no_numbers="state/keys/ticket is gone")


def key_found(evening: Evening) -> None:
    evening.crash(numbers=NUMBERS, no_numbers="")


def memory_cleared(evening: Evening) -> None:
    """The journal that the command begins again, at its first start."""
    evening.journal = [encode(MemoryCleared(0, 900, "ab" * 32, 40, 30, 30, "asked for"))]
    evening.audit = Audit()
    evening.start()


def clock_went_back(evening: Evening) -> None:
    """The battery of the clock is empty: it stands where a factory has left it."""
    evening.wall_ms -= 30 * DAY_MS
    evening.crash()


STORIES: dict[str, Story] = {
    "M02": Story(
        lambda evening: evening.feed(TroubleReported(evening.at_ms, Code.MEMORY_FAILED, "row 9 has changed"))
    ),
    "M06": Story(memory_cleared),
    "M01": Story(
        lambda evening: evening.feed(TroubleReported(evening.at_ms, Code.NO_SECOND_COPY, "no answer")),
        lambda evening: evening.feed(TroubleReported(evening.at_ms, Code.NO_SECOND_COPY, "")),
    ),
    "M03": Story(
        lambda evening: evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full"))
    ),
    "M05": Story(books_wrong),
    "F04": Story(generator_fails, generator_works),
    "D02": switch("door.logic"),
    "D01": switch("door.main"),
    "D03": switch("door.printer"),
    "S07": device_fault(PANEL, Fault.BOARD_LOST),
    "OLD": Story(old_round, settle="all bets back"),
    "H08": Story(new_settings),
    "H05": switch("key.service"),
    "H04": switch("key.attendant"),
    "H06": Story(lambda evening: evening.choose("Table > Close the table"), settle="Table > Open the table"),
    "D04": switch("door.cash_box"),
    "D05": switch("door.drop"),
    "B05": device_fault(V1, Fault.CHEATED),
    "B06": Story(note_in_question, settle="returned"),
    "B01": device_fault(V1, Fault.JAM),
    "B07": Story(refused_often),
    "D06": device_fault(V1, Fault.STACKER_OPEN),
    "B02": device_fault(V1, Fault.STACKER_FULL),
    "B03": device_fault(V1, Fault.DEVICE_FAILED),
    "B04": device_fault(V1, Fault.LINK_LOST),
    "B11": device_fault(V1, Fault.TWO_DOCUMENTS),
    "B12": Story(unknown_tickets),
    "T09": Story(key_lost, key_found),
    "B09": device_fault(V1, Fault.DOCUMENT_STUCK),
    "B13": device_fault(V1, Fault.NOT_READY),
    "T05": Story(ticket_in_question, settle="in hand"),
    "T03": device_fault(P1, Fault.PAPER_JAM),
    "T07": device_fault(P1, Fault.HEAD_OPEN),
    "T02": device_fault(P1, Fault.PAPER_OUT),
    "T08": device_fault(P1, Fault.PRINTER_FAILED),
    "T04": device_fault(P1, Fault.LINK_LOST),
    "T11": Story(no_ticket_four_times),
    "T12": Story(printer_stands, lambda evening: evening.feed(PrinterReady(P1, evening.at_ms, True))),
    "H02": Story(wins_much, settle="paid by hand"),
    "H01": Story(over_the_limit, settle="paid by hand"),
    "T06": device_fault(P1, Fault.TICKET_NOT_TAKEN),
    "T01": device_fault(P1, Fault.PAPER_LOW),
    "P03": Story(clock_went_back, settle="Date is right"),
    "S03": device_fault(PANEL, Fault.INPUT_STUCK),
    "S04": Story(
        lambda evening: evening.feed(
            TroubleReported(evening.at_ms, Code.NO_DISPLAY, "the display server has ended")
        ),
        lambda evening: evening.feed(TroubleReported(evening.at_ms, Code.NO_DISPLAY, "")),
    ),
    "S08": Story(
        lambda evening: evening.feed(TroubleReported(evening.at_ms, Code.NO_SOUND, "no audio device")),
        lambda evening: evening.feed(TroubleReported(evening.at_ms, Code.NO_SOUND, "")),
    ),
}
# Of settings that are no good or may not be taken yet (M04) tells test_settings, of a journal that has not
# answered yet (M07) test_runtime_commits.
ROWS = tuple(row for row in TABLE if row.code not in ("M04", "M07"))
FOR_EVER = ("M02", "M03", "M05")  # only a restart knows what is on the disk


def table() -> Evening:
    """Two seats; a changed setting of theirs touches the money."""
    settings = (("cabinet.ticket_limit_cents", "1"),)
    return Evening(seats=2, credit_limit_cents=10_000_000, settings=settings)
