"""Small builders of what a view is made of, for tests of the screen."""

from __future__ import annotations

from collections.abc import Sequence

from cabinet.core.look import (
    Button,
    CardLook,
    HandLook,
    HandTurn,
    HouseRules,
    LampLook,
    Message,
    Scene,
    SeatLook,
    SeatState,
    Step,
    TablePhase,
    TopBar,
    View,
)
from cabinet.core.renewal import replace
from game.cards import RANKS, SUITS, Card
from game.grid import Cell, CellState, ChoiceLine, Grid, Row, RowKind, Word
from game.hand import total
from game.play import HandStatus as Stage
from game.settle import Outcome

WALL_2147 = (21 * 60 + 47) * 60_000
RULES = HouseRules(
    "3:2", False, 6, True, "9 10 11", ("A", "2", "3", "6", "7", "8", "9"), True, "all", 500, 20_000, 15, 12
)


def msg(key: str, **args: int | str | tuple[int, ...]) -> Message:
    return Message(key, tuple(args.items()))


def card(name: str) -> Card:
    return SUITS.index(name[-1]) * 13 + RANKS.index(name[:-1])


def lying(*names: str) -> tuple[CardLook, ...]:
    """Cards that have lain for long."""
    return tuple(CardLook(card(name), -2000, -1000) for name in names)


def dealt(names: Sequence[str], start: int, flight: int = 320, gap: int = 560) -> tuple[CardLook, ...]:
    return tuple(
        CardLook(card(name), start + n * gap, start + n * gap + flight) for n, name in enumerate(names)
    )


def lamps(lit: str = "", outlined: str = "") -> tuple[tuple[Button, LampLook], ...]:
    def state(button: Button) -> LampLook:
        if button.value in lit.split():
            return LampLook.LIT
        return LampLook.OUTLINED if button.value in outlined.split() else LampLook.OFF

    return tuple((button, state(button)) for button in Button)


def seat(
    number: int, state: SeatState, head: Message, bet: int = 0, credit: int = 0, won: int = 0, **more: object
) -> SeatLook:
    look = SeatLook(number, state, head, 1 if bet else 0, bet, credit, won, lamps())
    return replace(look, **more)  # type: ignore[arg-type]


def free(number: int) -> SeatLook:
    return seat(number, SeatState.EMPTY, msg("head.free"), message=msg("seat.insert_note"))


def turn(
    number: int, bet: int, credit: int, won: int = 0, lit: str = "hit stand", **more: object
) -> SeatLook:
    return seat(number, SeatState.TURN, msg("head.your_turn"), bet, credit, won, lamps=lamps(lit), **more)


def decided(number: int, key: str, bet: int, credit: int, won: int, waiting: tuple[int, ...]) -> SeatLook:
    waits = msg("seat.waiting_for", seats=waiting)
    return seat(number, SeatState.DECIDED, msg(key), bet, credit, won, message=waits)


def cell(
    number: int,
    state: CellState,
    figure: int | None = None,
    result: Outcome | None = None,
    doubled: bool = False,
) -> Cell:
    return Cell(number, state, figure, doubled, result, "")


def row(
    kind: RowKind, hand: int, cells: Sequence[Cell], names: Sequence[str], continued: int | None = None
) -> Row:
    now = total([card(name) for name in names])
    return Row(
        kind,
        hand,
        Stage.DECIDING if hasattr(Stage, "DECIDING") else next(iter(Stage)),
        True,
        now.best,
        now.soft,
        continued,
        tuple(cells),
    )


def line(hand: int, figure: int, words: Sequence[Word], soft: bool = False) -> ChoiceLine:
    return ChoiceLine(hand, figure, soft, tuple(words))


def view(
    seats: Sequence[SeatLook],
    grid: Grid,
    phase: TablePhase,
    dealer: tuple[CardLook, ...] = (),
    hands: tuple[HandLook, ...] = (),
    number: int = 48213,
    **step: object,
) -> View:
    still = Step(0, phase, None, None, None, grid, (), tuple(HandTurn.NOW for _ in hands), tuple(seats))
    still = replace(still, **step)  # type: ignore[arg-type]
    top = TopBar(500, 20_000, number, WALL_2147)
    return View(Scene.TABLE, len(seats), 1, top, RULES, dealer, hands, (still,))
