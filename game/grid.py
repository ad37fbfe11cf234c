"""The Blackjack Grid: seats across, hands down, and the choices that led there.

A pure view of a round at any moment. Words, icons and colours are the screen's; this says what is
true. A bust and a blackjack show at once, because nothing can undo them; results only when the
round is finished, because until then the dealer may still change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from game.hand import total
from game.play import Fate, Hand, HandStatus, Play, Said
from game.round import Phase, Round
from game.settle import HandResult, Outcome, settle


class CellState(StrEnum):
    """What a seat is doing, or has done, on a hand."""

    EMPTY = "empty"  # not on this hand
    IN = "in"  # has a bet; the first cards are being dealt
    WAIT = "wait"  # a split hand whose turn has not come
    TURN = "turn"  # has to decide
    HIT = "hit"  # said hit, waits for the card
    DOUBLE = "double"  # said double, waits for the card
    SPLIT = "split"  # said split, waits for the others
    STAND = "stand"  # said stand in the decision that is still open
    STOOD = "stood"
    TIME = "time"  # stood because the time ran out
    DOUBLED = "doubled"  # doubled, and has its card
    TWENTY_ONE = "twenty_one"  # stands by itself
    ONE_CARD = "one_card"  # split ace
    BUST = "bust"
    BJ = "bj"


class RowKind(StrEnum):
    """The label of a row."""

    HAND = "hand"
    PAIR = "pair"
    SPLIT_1 = "split_1"
    SPLIT_2 = "split_2"


class Word(StrEnum):
    """A seat's entry in a line of choices."""

    NONE = "none"  # was not asked
    OPEN = "open"  # is being asked
    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Cell:
    """One seat on one hand.

    ``total`` is the figure of the cell: what the seat stands on or went bust with; None while it
    has none of its own. ``mark`` is the whole cell in a few ASCII characters, for paper and logs.
    """

    seat: int
    state: CellState
    total: int | None = None
    doubled: bool = False
    result: Outcome | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One hand. ``total`` is that of the played cards, ``continued`` that with continuation cards, if any."""

    kind: RowKind
    hand: int
    status: HandStatus
    active: bool
    total: int
    soft: bool
    continued: int | None
    cells: tuple[Cell, ...]

    @property
    def empty(self) -> bool:
        """No seat is on this hand: the pair when all split."""
        return all(cell.state is CellState.EMPTY for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ChoiceLine:
    """CHOICES ON ``total``: one word per column of the grid."""

    hand: int
    total: int
    soft: bool
    words: tuple[Word, ...]

    @property
    def title(self) -> str:
        """``"11"`` or ``"SOFT 17"``."""
        return f"SOFT {self.total}" if self.soft else str(self.total)


@dataclass(frozen=True, slots=True)
class Grid:
    """``seats`` are the columns. ``lines`` are oldest first, those of hand 0 before the split hands'."""

    seats: tuple[int, ...]
    rows: tuple[Row, ...]
    lines: tuple[ChoiceLine, ...]

    def cell(self, hand: int, seat: int) -> Cell:
        """The cell of a seat on a hand. Raises KeyError when the grid does not have it."""
        for row in self.rows:
            for cell in row.cells:
                if row.hand == hand and cell.seat == seat:
                    return cell
        raise KeyError((hand, seat))


def grid(
    state: Round, seats: Sequence[int] | None = None, recorded: Sequence[HandResult] | None = None
) -> Grid:
    """The grid of a round, with a column for each of ``seats`` (all of the cabinet's), in that order.

    Without ``seats`` only those that play have one. ``recorded``: the results that were paid, which an old
    round keeps whatever today's rules make of it; without them a finished round is settled here.
    """
    columns = state.seats if seats is None else tuple(seats)
    results: dict[tuple[int, int], Outcome] = {}
    if state.phase is Phase.FINISHED:
        paid = settle(state).hands if recorded is None else recorded
        results = {(result.hand, result.seat): result.outcome for result in paid}
    split = len(state.hands) > 1
    kinds = (RowKind.PAIR, RowKind.SPLIT_1, RowKind.SPLIT_2) if split else (RowKind.HAND,)
    rows = tuple(_row(state, number, kind, columns, results) for number, kind in enumerate(kinds))
    lines = tuple(line for number in range(len(state.hands)) for line in _lines(state, number, columns))
    return Grid(columns, rows, lines)


def _row(
    state: Round,
    number: int,
    kind: RowKind,
    columns: tuple[int, ...],
    results: dict[tuple[int, int], Outcome],
) -> Row:
    hand = state.hands[number]
    now = total(hand.cards)
    continued = total(hand.cards + hand.continuation).best if hand.continuation else None
    turn = hand.undecided if state.phase is Phase.DECIDE and state.active == number else ()
    cells = tuple(_cell(hand, number, seat, seat in turn, bool(turn), results) for seat in columns)
    active = state.active_hand == number
    return Row(kind, number, hand.status, active, now.best, now.soft, continued, cells)


def _cell(
    hand: Hand, number: int, seat: int, turn: bool, deciding: bool, results: dict[tuple[int, int], Outcome]
) -> Cell:
    play = hand.play(seat)
    if play is None or play.fate is Fate.SPLIT:
        return Cell(seat, CellState.EMPTY)
    state = CellState.TURN if turn else _state(play, hand, number, deciding)
    figure = None if play.fate is Fate.LIVE else play.total
    return Cell(
        seat, state, figure, play.doubled, results.get((number, seat)), _mark(state, figure, play.doubled)
    )


_STATES = {
    Fate.STOOD: CellState.STOOD,
    Fate.TIMED_OUT: CellState.TIME,
    Fate.TWENTY_ONE: CellState.TWENTY_ONE,
    Fate.DOUBLED: CellState.DOUBLED,
    Fate.ONE_CARD: CellState.ONE_CARD,
    Fate.BLACKJACK: CellState.BJ,
    Fate.BUST: CellState.BUST,
}
_PENDING = {Said.HIT: CellState.HIT, Said.DOUBLE: CellState.DOUBLE, Said.SPLIT: CellState.SPLIT}


def _state(play: Play, hand: Hand, number: int, deciding: bool) -> CellState:
    """The state of a play that is not asked now."""
    if play.fate is Fate.STOOD and deciding and len(play.said) == len(hand.cards) - 1:
        return CellState.STAND
    if play.fate is not Fate.LIVE:
        return _STATES[play.fate]
    if play.said:
        return _PENDING[play.said[-1]]
    return CellState.WAIT if number else CellState.IN


def _mark(state: CellState, figure: int | None, doubled: bool) -> str:
    """``14 D``, ``16 T``, ``BUST``, ``BJ``, ``17``; a word while there is no figure."""
    match state:
        case CellState.BUST | CellState.BJ | CellState.HIT | CellState.DOUBLE | CellState.SPLIT:
            return state.name
        case CellState.TURN:
            return "?"
        case CellState.TIME:
            return f"{figure} T"
        case _ if figure is None:
            return "..."
        case _:
            return f"{figure} D" if doubled else str(figure)


def _lines(state: Round, number: int, columns: tuple[int, ...]) -> list[ChoiceLine]:
    """One line per decision of a hand: the k-th was made on its first k + 2 cards."""
    hand = state.hands[number]
    decisions = max((len(play.said) for play in hand.plays), default=0)
    turn = hand.undecided if state.phase is Phase.DECIDE and state.active == number else ()
    if turn:
        decisions = len(hand.cards) - 1
    lines = []
    for place in range(decisions):
        now = total(hand.cards[: place + 2])
        last = place == decisions - 1
        words = tuple(
            Word.OPEN if last and seat in turn else _word(hand.play(seat), place) for seat in columns
        )
        lines.append(ChoiceLine(number, now.best, now.soft, words))
    return lines


def _word(play: Play | None, place: int) -> Word:
    return Word(play.said[place].value) if play is not None and place < len(play.said) else Word.NONE
