"""Made-up views that between them show what a table can show, to be drawn unseen while it idles.

Drawing them fills the caches of `text` and `sprites` by the very code that will draw the real ones,
so nothing has to be listed twice: every dress of every seat, every cell of the grid, tickets, split
hands, lock-ups, the pages of help and of the attract loop. Amounts contain all ten figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from typing import Final

from cabinet.core.conditions import Code
from cabinet.core.look import (
    Button,
    CardLook,
    CashOutState,
    Clock,
    HandLook,
    HandTurn,
    HelpLook,
    LampLook,
    LockIcon,
    LockLook,
    Message,
    Scene,
    SeatLook,
    SeatState,
    Step,
    TablePhase,
    TicketLook,
    View,
)
from cabinet.ui.moment import is_recall
from cabinet.ui.scenes import attract
from game.grid import Cell, CellState, ChoiceLine, Grid, Row, RowKind, Word
from game.play import HandStatus as Stage
from game.settle import Outcome

AMOUNT_CENTS: Final = 1_234_567_890  # "$12,345,678.90"
LONG_AGO_MS: Final = -60_000
HELP_PAGES: Final = 3
HEADS: Final = {
    SeatState.EMPTY: "free",
    SeatState.CREDIT: "credit",
    SeatState.PLACE_BET: "place_bet",
    SeatState.BET: "bet_in",
    SeatState.READY: "ready",
    SeatState.OUT: "sits_out",
    SeatState.WATCH: "in_play",
    SeatState.TURN: "your_turn",
    SeatState.DECIDED: "hit",
    SeatState.DOUBLED: "doubled",
    SeatState.SPLIT: "split",
    SeatState.STOOD: "stand",
    SeatState.BUST: "double",
    SeatState.BLACKJACK: "blackjack",
    SeatState.TIME_OUT: "time_out",
    SeatState.WIN: "win",
    SeatState.PUSH: "push",
    SeatState.LOSE: "lose",
    SeatState.AWAY: "away",
    SeatState.LOCKED: "locked",
    SeatState.CASH_OUT: "cash_out",
}
LAMPS: Final = {
    SeatState.CREDIT: LampLook.OUTLINED,
    SeatState.PLACE_BET: LampLook.LIT,
    SeatState.BET: LampLook.OUTLINED,
    SeatState.TURN: LampLook.LIT,
}
RESULTS: Final = {SeatState.WIN: AMOUNT_CENTS, SeatState.PUSH: 0, SeatState.LOSE: -AMOUNT_CENTS}
# Texts without arguments, by the state that they are said in; what is said in others has arguments.
SAID: Final = {
    SeatState.EMPTY: "insert_note",
    SeatState.BET: "in_play",
    SeatState.OUT: "sits_out",
    SeatState.WATCH: "in_play",
    SeatState.DECIDED: "one_card_comes",
    SeatState.SPLIT: "plays_two",
    SeatState.STOOD: "dealer_draws",
    SeatState.BUST: "over_21",
    SeatState.DOUBLED: "hand_played",
    SeatState.BLACKJACK: "blackjack_dealer_draws",
    SeatState.TIME_OUT: "dealer_next",
    SeatState.AWAY: "press_to_return",
}
LINES: Final = {
    TablePhase.IDLE: "place_bet",
    TablePhase.BET: "or_sit_out",
    TablePhase.DEAL: "cards_first",
    TablePhase.DECIDE: "cards_first",
    TablePhase.DRAW: "next_card",
    TablePhase.COMPLETE: "all_decided",
    TablePhase.DEALER: "dealer_to_17",
    TablePhase.PAID: "again_or_cash_out",
    TablePhase.CLOSED: "closed",
}
STORIES: Final = ("completion", "dealer_draws", "dealer_one_card", "dealer_draws_nothing")
CELLS: Final = tuple((each, None) for each in CellState) + tuple((CellState.STOOD, each) for each in Outcome)


def views(shown: View) -> Iterator[View]:
    """What a cabinet like that of `shown` can show, the likeliest first."""
    base = replace(shown, scene=Scene.TABLE, lock=None, help=None, service=None, settled_ms=None, cues=())
    if is_recall(base):
        base = replace(base, banners=())
    yield from _strips(base)
    yield from _hands(base)
    yield from _attract(base)
    yield from _tickets(base)
    yield from _helps(base)
    yield from _locks(base)


def _strips(base: View) -> Iterator[View]:
    """All seats alike in every state, with every kind of cell, phase and text beside them."""
    phases, cells, stories = cycle(LINES), cycle(CELLS), cycle(STORIES)
    for state in SeatState:
        phase = next(phases)
        seats = tuple(seat_look(number + 1, state) for number in range(base.seats))
        clock = Clock(15_000, None, 15_000) if phase in (TablePhase.BET, TablePhase.DECIDE) else None
        step = Step(
            LONG_AGO_MS, phase, _message(f"line.{LINES[phase]}"), clock, _message(f"story.{next(stories)}"),
            _grid(base.seats, *next(cells)), (), (HandTurn.NOW,), seats,
        )  # fmt: skip
        dealt = phase not in (TablePhase.IDLE, TablePhase.BET, TablePhase.CLOSED)
        hand = HandLook(0, _cards(2), (), tuple(range(1, base.seats + 1)))
        yield replace(base, steps=(step,), dealer=_cards(1) if dealt else (), hands=(hand,) if dealt else ())


def seat_look(number: int, state: SeatState) -> SeatLook:
    """A seat in a state, with every figure in its amounts, its lamps, and what it says."""
    lamp = LAMPS.get(state, LampLook.OFF)
    words = SAID.get(state)
    return SeatLook(
        number,
        state,
        _message(f"head.{HEADS[state]}"),
        1,
        0 if state in (SeatState.CREDIT, SeatState.PLACE_BET) else AMOUNT_CENTS,
        AMOUNT_CENTS,
        0 if state in (SeatState.BET, SeatState.CREDIT) else AMOUNT_CENTS,
        tuple((button, lamp) for button in Button),
        None if words is None else _message(f"seat.{words}"),
        RESULTS.get(state),
        refused=_message("refused.not_now") if state is SeatState.READY else None,
        refused_ms=0,
    )


def _tickets(base: View) -> Iterator[View]:
    """A seat's cash-out in every state."""
    for state in CashOutState:
        slip = TicketLook(state, AMOUNT_CENTS, "0123", 0, 4000, 1)
        seats = tuple(
            replace(seat_look(number + 1, SeatState.CASH_OUT), ticket=slip) for number in range(base.seats)
        )
        yield replace(base, dealer=(), hands=(), steps=(_still(base, TablePhase.IDLE, seats),))


def _hands(base: View) -> Iterator[View]:
    """Continuation cards beside a common hand and under split hands."""
    owners = tuple(range(1, base.seats + 1))
    seats = tuple(seat_look(number, SeatState.TURN) for number in owners)
    for count in (1, 3):
        hand = HandLook(0, _cards(2), _cards(count), owners)
        yield replace(
            base, dealer=_cards(2), hands=(hand,), steps=(_still(base, TablePhase.COMPLETE, seats),)
        )
    split = tuple(HandLook(n, _cards(2), _cards(1), owners, LONG_AGO_MS) for n in range(3))
    yield replace(
        base, dealer=_cards(1), hands=split, steps=(_still(base, TablePhase.DECIDE, seats, rows=3),)
    )


def _attract(base: View) -> Iterator[View]:
    for number in range(attract.SLOTS):
        yield replace(
            base, scene=Scene.ATTRACT, attract_ms=1 - (number + 1) * attract.SLOT_MS, dealer=(), hands=()
        )


def _helps(base: View) -> Iterator[View]:
    for page in range(1, HELP_PAGES + 1):
        yield replace(base, scene=Scene.HELP, help=HelpLook(1, page, HELP_PAGES))


def _locks(base: View) -> Iterator[View]:
    """The panel of a lock-up; its own words are drawn when it comes."""
    for icon in LockIcon:
        title, text, call = (
            _message(f"lock.{Code.MAIN_DOOR_OPEN}.{part}") for part in ("title", "text", "call")
        )
        yield replace(base, lock=LockLook(Code.MAIN_DOOR_OPEN, icon, title, text, call, 0, 1000))


def _still(base: View, phase: TablePhase, seats: tuple[SeatLook, ...], rows: int = 1) -> Step:
    status = (HandTurn.DONE, HandTurn.NOW, HandTurn.NEXT)[:rows] if rows > 1 else (HandTurn.NOW,)
    grid = _grid(base.seats, CellState.TURN, None, rows)
    return Step(LONG_AGO_MS, phase, None, None, None, grid, (), status, seats)


def _grid(seats: int, state: CellState, result: Outcome | None, rows: int = 1) -> Grid:
    numbers = tuple(range(1, seats + 1))
    figure = None if state in (CellState.EMPTY, CellState.IN, CellState.WAIT, CellState.TURN) else 20
    cells = tuple(Cell(n, state, figure, n % 2 == 0, result) for n in numbers)
    kinds = (RowKind.HAND,) if rows == 1 else (RowKind.PAIR, RowKind.SPLIT_1, RowKind.SPLIT_2)
    made = tuple(
        Row(kind, number, next(iter(Stage)), True, 11, False, None, cells)
        for number, kind in enumerate(kinds)
    )
    first, last = (
        tuple(word for word, _ in zip(cycle(words), numbers, strict=False))
        for words in (Word, reversed(Word))
    )
    return Grid(numbers, made, (ChoiceLine(0, 11, False, first), ChoiceLine(0, 12, False, last)))


def _cards(count: int) -> tuple[CardLook, ...]:
    return tuple(CardLook(card, LONG_AGO_MS, LONG_AGO_MS + 1) for card in range(count))


def _message(key: str) -> Message:
    return Message(key)
