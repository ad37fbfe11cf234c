"""Views with cards in flight, settlements under way, refused presses; and every state of a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cabinet.core.look import (
    BannerLook,
    CardLook,
    CashOutState,
    Clock,
    Cue,
    CueAt,
    HandLook,
    HandTurn,
    SeatState,
    TablePhase,
    TicketLook,
    View,
)
from cabinet.core.renewal import replace
from game.grid import CellState, Grid, RowKind, Word
from support.screens.looks import card, cell, dealt, free, lamps, line, lying, msg, row, seat, turn, view
from support.screens.pages import attract
from support.screens.tables import cashout, completion, deciding, recall, settlement, split


def dealing() -> View:
    """The deal: two cards and the dealer's, one after another; the clock starts when all lie."""
    base = deciding()
    first, dealer, second = (
        CardLook(card(n), 100 + 180 * k, 420 + 180 * k) for k, n in enumerate(("9D", "10S", "2C"))
    )
    still = base.steps[0]
    quiet = tuple(
        seat(n, SeatState.WATCH, msg("head.in_play"), 1000 * n, 20_000, message=msg("seat.in_play"))
        for n in range(1, 7)
    )
    s = CellState
    cells = [cell(n, s.IN if n < 7 else s.EMPTY) for n in range(1, 8)]
    grid = Grid(tuple(range(1, 8)), (row(RowKind.HAND, 0, cells, ()),), ())
    asked = [cell(n, s.TURN if n < 7 else s.EMPTY) for n in range(1, 8)]
    ask = Grid(
        tuple(range(1, 8)),
        (row(RowKind.HAND, 0, asked, ()),),
        (line(0, 11, (Word.OPEN,) * 6 + (Word.NONE,)),),
    )
    turns = tuple(turn(n, 1000 * n, 20_000, lit="hit stand double") for n in range(1, 7))
    deal = replace(
        still, phase=TablePhase.DEAL, clock=None, line=msg("line.cards_first"), grid=grid,
        seats=(*quiet, free(7)), hand_status=(HandTurn.NOW,),
    )  # fmt: skip
    decide = replace(
        still, from_ms=800, phase=TablePhase.DECIDE, clock=Clock(12_000, 12_800),
        line=msg("line.seats_to_go", count=6), grid=ask, seats=(*turns, free(7)),
    )  # fmt: skip
    hand = HandLook(0, (first, second), (), (1, 2, 3, 4, 5, 6))
    cues = (
        CueAt(1, 420, Cue.CARD),
        CueAt(2, 600, Cue.CARD),
        CueAt(3, 780, Cue.CARD),
        CueAt(4, 800, Cue.TURN),
    )
    return replace(base, dealer=(dealer,), hands=(hand,), steps=(deal, decide), cues=cues)


LONG_HAND = ("AS", "AH", "2D", "AC", "2S", "AD", "2H", "3C", "AS", "2C", "3D", "AH")


def growing(names: Sequence[str] = LONG_HAND, seats: int = 7) -> View:
    """A hand that grows card by card up to twelve cards, then continuation cards, then the dealer's."""
    base = completion() if seats == 7 else replace(recall(), banners=())
    own = dealt(names, 0, 360, 600)
    end = own[-1].land_ms + 440
    nobody = tuple(replace(c, start_ms=c.start_ms + 200) for c in dealt(("2S", "KH"), end, 420, 660))
    dealer = (*lying("8D"), *dealt(("3H", "2C", "4D"), nobody[-1].land_ms + 500, 360, 600))
    hand = HandLook(0, own, nobody, tuple(range(1, seats + 1)))
    return replace(base, dealer=dealer, hands=(hand,))


def splitting(gone: bool = False) -> View:
    """A pair that slides apart into three (or two) columns at 500 ms; the grid changes its rows."""
    base = split()
    pair = lying("8S", "8D")
    hands = (
        HandLook(0, pair, (), () if gone else (2, 4), 500, gone),
        HandLook(1, (pair[0], *dealt(("3D",), 1200)), (), (1, 3, 5), 500),
        HandLook(2, (pair[1], *dealt(("10C",), 2000)), (), (1, 3, 5), 500),
    )
    s = CellState
    before = [cell(n, s.SPLIT if n % 2 else s.STAND, None if n % 2 else 16) for n in range(1, 6)]
    grid = Grid((1, 2, 3, 4, 5), (row(RowKind.HAND, 0, before, ("8S", "8D")),), ())
    still = base.steps[0]
    one = replace(still, grid=grid, story=None, row_notes=(None,), clock=None, phase=TablePhase.DRAW)
    two = replace(still, from_ms=500, clock=Clock(15_000, 15_500))
    return replace(base, hands=hands, steps=(one, two))


def settling() -> View:
    """From the dealer's last card to counted-up credits; the settlement begins at 1000 ms."""
    base = settlement()
    last = base.steps[0]
    rows = tuple(replace(r, cells=tuple(replace(c, result=None) for c in r.cells)) for r in last.grid.rows)
    waiting = tuple(
        replace(
            s, state=SeatState.STOOD, head=msg("head.stood", total=18), result_cents=None,
            credit_cents=s.credit_cents - s.won_cents, won_cents=0, message=msg("seat.dealer_draws"),
        )
        for s in last.seats
    )  # fmt: skip
    before = replace(
        last,
        phase=TablePhase.DEALER,
        grid=replace(last.grid, rows=rows),
        seats=waiting,
        line=msg("line.dealer_to_17"),
    )
    rolling = tuple(
        replace(s, roll_ms=2000, credit_from_cents=s.credit_cents - s.won_cents, won_from_cents=0)
        for s in last.seats
    )
    after = replace(last, from_ms=1000, seats=rolling)
    dealer = (*lying("6H", "2S"), CardLook(card("10D"), 200, 560))
    return replace(base, dealer=dealer, steps=(before, after), settled_ms=1000)


def refusing() -> View:
    """Refused presses with lamps lit and without, short help, and a bet that changes."""
    base = deciding()
    still = base.steps[0]
    refused = msg("refused.need_more", missing_cents=575)
    seats = list(still.seats)
    seats[2] = replace(seats[2], refused=refused, refused_ms=300)
    seats[0] = replace(seats[0], refused=msg("refused.already_decided"), refused_ms=600)
    seats[4] = replace(seats[4], help_page=1)
    seats[6] = replace(seats[6], help_page=4)
    return replace(base, steps=(still, replace(still, from_ms=300, seats=tuple(seats))))


def all_states(seats: int = 7) -> tuple[View, ...]:
    """Every state of a seat, as many at a time as the cabinet has seats."""
    heads = {
        SeatState.EMPTY: "head.free", SeatState.CREDIT: "head.credit", SeatState.PLACE_BET: "head.place_bet",
        SeatState.BET: "head.bet_in", SeatState.READY: "head.ready", SeatState.OUT: "head.sits_out",
        SeatState.WATCH: "head.in_play", SeatState.TURN: "head.your_turn", SeatState.DECIDED: "head.hit",
        SeatState.DOUBLED: "head.doubled", SeatState.SPLIT: "head.split",
        SeatState.BLACKJACK: "head.blackjack",
        SeatState.TIME_OUT: "head.time_out", SeatState.WIN: "head.win", SeatState.PUSH: "head.push",
        SeatState.LOSE: "head.lose", SeatState.AWAY: "head.away", SeatState.LOCKED: "head.locked",
        SeatState.CASH_OUT: "head.cash_out",
    }  # fmt: skip
    messages = {
        SeatState.EMPTY: "seat.insert_note", SeatState.READY: "seat.in_play", SeatState.OUT: "seat.sits_out",
        SeatState.WATCH: "seat.in_play", SeatState.DECIDED: "seat.plays_two",
        SeatState.SPLIT: "seat.plays_two",
        SeatState.AWAY: "seat.press_to_return", SeatState.LOCKED: "seat.attendant_called",
        SeatState.BUST: "seat.over_21",
    }  # fmt: skip
    lit = {
        SeatState.CREDIT: ("bet_plus", "cash_out"), SeatState.PLACE_BET: ("bet_plus", "cash_out"),
        SeatState.BET: ("deal", "bet_minus bet_plus"), SeatState.TURN: ("hit stand double split", ""),
    }  # fmt: skip
    net = {SeatState.WIN: 2500, SeatState.PUSH: 0, SeatState.LOSE: -2500}
    looks = []
    for state in SeatState:
        head = msg(heads[state]) if state in heads else msg(f"head.{state.value}", total=24)
        look = seat(
            1, state, head, 2500, 123_450, 2500, lamps=lamps(*lit.get(state, ("", ""))),
            message=msg(messages[state]) if state in messages else None, result_cents=net.get(state),
            ticket=TicketLook(CashOutState.TAKE, 23_500, "3467") if state is SeatState.CASH_OUT else None,
        )  # fmt: skip
        looks.append(look)
    while len(looks) % seats:
        looks.append(looks[0])
    found = []
    for first in range(0, len(looks), seats):
        shown = tuple(replace(look, seat=n + 1) for n, look in enumerate(looks[first : first + seats]))
        cells = [cell(n + 1, CellState.STOOD, 20) for n in range(seats)]
        grid = Grid(tuple(range(1, seats + 1)), (row(RowKind.HAND, 0, cells, ("KS", "QH")),), ())
        hand = HandLook(0, lying("KS", "QH"), (), (1,))
        found.append(view(shown, grid, TablePhase.DEALER, lying("7C", "10H"), (hand,), row_notes=(None,)))
    return tuple(found)


LAB = BannerLook("lab", msg("banner.lab"))
MOVING: dict[str, tuple[Callable[[], View], int]] = {
    "dealing": (dealing, 2500),
    "growing": (growing, 12_500),
    "splitting": (splitting, 2600),
    "all split": (lambda: splitting(gone=True), 2600),
    "settling": (settling, 3000),
    "refusing": (refusing, 3500),
    "attract": (attract, 33_000),
    "cash-out": (cashout, 4500),
}


def many_continued(count: int, *, split_hand: bool = False, seats: int = 7) -> View:
    """Very many cards of nobody, one after another, in the lane or under a split hand."""
    names = ("AS", "AH", "AD", "AC", "AS", "AH", "AD", "AC", "2S")[:count]
    given = dealt(names, 500, 420, 660)
    if split_hand:
        base = split()
        first, *others = base.hands
        return replace(base, hands=(replace(first, cards=lying("2S", "2D"), continuation=given), *others))
    base = completion() if seats == 7 else replace(recall(), banners=())
    hand = HandLook(0, lying("2D", "2C", "4S"), given, (1,))
    return replace(base, hands=(hand,))


def long_split(count: int) -> View:
    """A split hand of very many cards."""
    base = split()
    pair, one, two = base.hands
    cards = lying(*("AS", "AH", "2D", "AC", "2S", "AD", "2H", "AC", "AS", "2C")[:count])
    return replace(base, hands=(pair, replace(one, cards=cards), two))
