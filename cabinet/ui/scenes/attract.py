"""The attract loop: a title with a demonstration round, how it is played, the house rules.

One change each four seconds. The demonstration uses fixed cards and no random source; the seats
along the lower edge are the real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cabinet.core.look import Button, View
from cabinet.core.timing import Timing
from cabinet.ui.draw.paint import Item
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.slots import Slot
from cabinet.ui.draw.theme import ACCENT, CAPTION, DEMO, LINE, ON_ACCENT, TEXT, TEXT_2, Face, Type
from cabinet.ui.moment import Moment
from cabinet.ui.pages import howto, rulebook
from cabinet.ui.parts import topbar
from cabinet.ui.parts.cell import draw_cell
from cabinet.ui.scenes.piece import Piece, lock, seats
from game.grid import Cell, CellState
from game.settle import Outcome

SLOT_MS: Final = 4000
TITLE_SLOTS: Final = 6  # the demonstration grows, then stands
SLOTS: Final = TITLE_SLOTS + 2
COMMON: Final = Type(Face.MEDIUM, 84, 0.394)
NAME: Final = Type(Face.BOLD, 174)
TAGLINE: Final = Type(Face.MEDIUM, 52)
CALL: Final = Type(Face.BOLD, 48)
FACTS: Final = Type(Face.MEDIUM, 34)
NOTES_WIDE: Final = 820  # between the two lines beside it
DEMO_TITLE: Final = Type(Face.SEMI, 32, 0.08)
DEMO_NOTE: Final = Type(Face.MEDIUM, 32)
DEALER_TOTAL: Final = Type(Face.BOLD, 100)
HAND_TOTAL: Final = Type(Face.BOLD, 160)
LEFT: Final = 1072
CARDS: Final = 1322
STANDS_EARLY: Final = (3, 5)  # these seats stand on 13 in the demonstration


def pieces(at: Moment, times: Timing) -> Iterator[Piece]:
    """The page of the moment, then the seats."""
    view = at.view
    key = (view.attract_ms, view.top, view.rules, view.seats, _is_shared(at))
    yield Piece("page", key, _page, still=False)
    yield Piece("top", (view.banners, view.attract_ms), _banners, still=False)
    yield from seats(at, times)
    yield from lock(at, column=False)


def slot_of(view: View, now_ms: int) -> tuple[int, int]:
    """Which change of the loop is shown, and when it began."""
    passed = max(0, now_ms - view.attract_ms)
    return passed // SLOT_MS % SLOTS, view.attract_ms + passed // SLOT_MS * SLOT_MS


def _page(pen: Pen, at: Moment) -> None:
    number, began_ms = slot_of(at.view, pen.now_ms)
    pen.until(began_ms + SLOT_MS)
    if number < TITLE_SLOTS:
        _title(pen, at.view, shared=_is_shared(at))
        _demonstration(pen, at.view, number, began_ms)
    elif number == TITLE_SLOTS:
        howto.title(pen, at.view.seats, 92)
        howto.four_pictures(pen, at.view.seats, shift=-78)
    else:
        rulebook.house_rules(pen, at.view, shift=-78, rows_apart=54)
        pen.text(pen.word("attract.all_rules", FACTS, 600), FACTS, TEXT, 60, 722)
        pen.text(pen.word("attract.notice", FACTS, 1160), FACTS, TEXT_2, 1860, 722, "r")
        if at.view.top.notes_cents:
            notes = "  ".join(pen.kit.words.money(cents, True) for cents in at.view.top.notes_cents)
            pen.text(pen.word("attract.notes", FACTS, NOTES_WIDE, notes=notes), FACTS, TEXT, 937, 722, "c")


def _banners(pen: Pen, at: Moment) -> None:
    number, began_ms = slot_of(at.view, pen.now_ms)
    pen.until(began_ms + SLOT_MS)
    # Beside the mark, or beside the headline of the other pages.
    if number < TITLE_SLOTS:
        topbar.banners(pen, at.view.banners, 260, 1010, 102)
    else:
        topbar.banners(pen, at.view.banners, 1000, 1860, 34)


def _is_shared(at: Moment) -> bool:
    """One validator for several seats: a note is taken only after BUY IN."""
    return any(button is Button.BUY_IN for seat in at.step.seats for button, _ in seat.lamps)


def _title(pen: Pen, view: View, *, shared: bool) -> None:
    left, top, width, height = pen.kit.scale.box(540, 0, 480, 620)
    pen.items.append(Item(pen.kit.sprites.made("arc", width, height), left, top))
    pen.icon("mark", 132, ACCENT, 92, 56)
    pen.text(pen.word("attract.common_hand", COMMON, 860), COMMON, TEXT_2, 98, 282)
    pen.text(pen.word("attract.blackjack", NAME, 860), NAME, TEXT, 90, 432)
    pen.bar_box(96, 450, 838, 4, ACCENT)
    key = "attract.tagline_one" if view.seats == 1 else "attract.tagline"
    pen.lines(pen.word(key, TAGLINE, 840), TAGLINE, TEXT, 96, 532, 62)
    pen.halo(96, 634, 520, 84)
    pen.box(96, 634, 520, 84, 14, ACCENT)
    call = pen.word("attract.press_buy_in" if shared else "attract.insert_note", CALL, 440)
    x = 356 - (pen.width(call, CALL) + 68) / 2
    pen.icon("note", 50, ON_ACCENT, x, 651)
    pen.caps(call, CALL, ON_ACCENT, x + 68, 634, 84)
    limits = pen.word(
        "attract.bets", FACTS, 380, min_cents=view.top.min_bet_cents, max_cents=view.top.max_bet_cents
    )
    pays = pen.word("attract.pays", FACTS, 380, pays=view.rules.blackjack_pays)
    pen.lines(f"{limits}\n{pays}", FACTS, TEXT_2, 648, 670, 40)


def _demonstration(pen: Pen, view: View, number: int, began_ms: int) -> None:
    """A round in five changes: deal, decide, draw, dealer, results."""
    pen.box(1040, 40, 860, 690, 20, DEMO, (LINE, 2))
    pen.text(pen.word("attract.demonstration", DEMO_TITLE, 400), DEMO_TITLE, ACCENT, LEFT, 91)
    pen.text(pen.word("attract.no_bets", DEMO_NOTE, 340), DEMO_NOTE, TEXT_2, 1868, 91, "r")
    flight = pen.kit.times.deal_flight_ms
    gap = pen.kit.times.deal_gap_ms
    begins = {step: began_ms - (number - step) * SLOT_MS for step in range(TITLE_SLOTS)}
    dealt = begins[0] + 2 * gap
    pen.text(pen.word("caption.dealer", CAPTION, 220), CAPTION, TEXT_2, LEFT, 153)
    hand_key = "caption.your_hand" if view.seats == 1 else "caption.common_hand"
    pen.text(pen.word(hand_key, CAPTION, 240), CAPTION, TEXT_2, LEFT, 339)
    _total(pen, DEALER_TOTAL, 253, ((dealt + flight, "9"), (begins[3] + flight, "17")))
    second = begins[0] + gap + flight
    _total(pen, HAND_TOTAL, 494, ((begins[0] + flight, "9"), (second, "13"), (begins[2] + flight, "19")))
    _cells(pen, view, number, dealt + flight, begins[2] + flight)
    cards = (
        ("9C", 0, dealt, 116, 122),
        ("8D", 1, begins[3], 116, 122),
        ("9H", 0, begins[0], 172, 312),
        ("4C", 1, begins[0] + gap, 172, 312),
        ("6S", 2, begins[2], 172, 312),
    )
    for name, place, start_ms, width, y in cards:
        if start_ms <= pen.now_ms:
            slot = Slot(CARDS + place * (width + (12 if width == 116 else 14)), y, width, width * 1.4)
            howto.fly_in(pen, name, slot, start_ms)
        else:
            pen.until(start_ms)


def _total(pen: Pen, kind: Type, baseline: float, changes: tuple[tuple[int, str], ...]) -> None:
    """The last total whose time has come."""
    shown = ""
    for at_ms, figure in changes:
        if at_ms <= pen.now_ms:
            shown = figure
        else:
            pen.until(at_ms)
    pen.text(shown, kind, TEXT, LEFT, baseline)


def _cells(pen: Pen, view: View, number: int, asked_ms: int, drawn_ms: int) -> None:
    """A cell per seat, as in the grid."""
    count = view.seats
    width = (798 - 5 * (count - 1)) / count
    pen.until(asked_ms)
    pen.until(drawn_ms)
    for place in range(count):
        early = place + 1 in STANDS_EARLY
        result: Outcome | None = None
        if number >= 4:
            result = Outcome.LOSE if early else Outcome.WIN
        if pen.now_ms < asked_ms:
            cell = Cell(place + 1, CellState.WAIT)
        elif number == 0:
            cell = Cell(place + 1, CellState.TURN)
        elif early:
            cell = Cell(place + 1, CellState.STAND if number == 1 else CellState.STOOD, 13, result=result)
        elif pen.now_ms < drawn_ms:
            cell = Cell(place + 1, CellState.HIT)
        else:
            cell = Cell(place + 1, CellState.STOOD, 19, result=result)
        draw_cell(pen, cell, LEFT + place * (width + 5), 566, width)
