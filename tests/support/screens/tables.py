"""Still views of a table, made by hand, so that the screen is tested without a game."""

from __future__ import annotations

from cabinet.core.look import (
    BannerLook,
    CashOutState,
    Clock,
    HandLook,
    HandTurn,
    LockIcon,
    LockLook,
    SeatLook,
    SeatState,
    TablePhase,
    TicketLook,
    TopBar,
    View,
)
from cabinet.core.renewal import replace
from game.grid import CellState, Grid, RowKind, Word
from game.settle import Outcome
from support.screens.looks import cell, decided, free, lamps, line, lying, msg, row, seat, turn, view


def betting() -> View:
    seats = (
        seat(1, SeatState.BET, msg("head.bet_in"), 2500, 28500, lamps=lamps("deal", "bet_minus bet_plus")),
        seat(2, SeatState.PLACE_BET, msg("head.place_bet"), 0, 8500, lamps=lamps("bet_plus", "cash_out")),
        seat(
            3,
            SeatState.READY,
            msg("head.ready"),
            3500,
            12250,
            2000,
            message=msg("seat.waiting_for", seats=(2, 5)),
        ),
        seat(
            4,
            SeatState.BET,
            msg("head.bet_in"),
            13000,
            112000,
            7500,
            lamps=lamps("deal", "bet_minus bet_plus"),
        ),
        seat(5, SeatState.PLACE_BET, msg("head.place_bet"), 0, 2000, lamps=lamps("bet_plus", "cash_out")),
    )
    said, open_ = CellState.IN, CellState.TURN
    states = (said, open_, said, said, open_)
    cells = [cell(n + 1, state) for n, state in enumerate(states)]
    grid = Grid((1, 2, 3, 4, 5), (row(RowKind.HAND, 0, cells, ()),), ())
    return view(
        seats, grid, TablePhase.BET, number=48216, clock=Clock(15_000, 12_000), line=msg("line.or_sit_out"),
        row_notes=(msg("row.seats_in", count=3),), shoe_note=msg("shoe.new_shuffle", decks=6),
    )  # fmt: skip


def deciding() -> View:
    waiting = (3, 5)
    seats = (
        decided(1, "head.hit", 2500, 31000, 0, waiting),
        seat(
            2,
            SeatState.DOUBLED,
            msg("head.doubled"),
            4000,
            8500,
            2000,
            message=msg("seat.one_card_stands", total=16),
        ),
        turn(3, 1000, 4250),
        decided(4, "head.stand", 7500, 62000, 7500, waiting),
        turn(5, 5000, 125000),
        seat(
            6,
            SeatState.TIME_OUT,
            msg("head.time_out"),
            1500,
            6000,
            message=msg("seat.no_choice_stands", total=11),
        ),
        free(7),
    )
    s = CellState
    cells = [
        cell(1, s.HIT), cell(2, s.DOUBLED, 16, doubled=True), cell(3, s.TURN), cell(4, s.STAND, 16),
        cell(5, s.TURN), cell(6, s.TIME, 11), cell(7, s.EMPTY),
    ]  # fmt: skip
    w = Word
    lines = (
        line(0, 11, (w.HIT, w.DOUBLE, w.HIT, w.HIT, w.HIT, w.TIME, w.NONE)),
        line(0, 16, (w.HIT, w.NONE, w.OPEN, w.STAND, w.OPEN, w.NONE, w.NONE)),
    )
    grid = Grid((1, 2, 3, 4, 5, 6, 7), (row(RowKind.HAND, 0, cells, ("7C", "4H", "5D")),), lines)
    hand = HandLook(0, lying("7C", "4H", "5D"), (), (1, 2, 3, 4, 5, 6))
    return view(
        seats, grid, TablePhase.DECIDE, lying("10S"), (hand,),
        clock=Clock(12_000, 9_000), line=msg("line.seats_to_go", count=2), row_notes=(None,),
    )  # fmt: skip


def _split_hands() -> tuple[HandLook, ...]:
    pair = HandLook(0, lying("8S", "8D", "3C"), lying("AD", "4H"), (2, 4), -5000)
    one = HandLook(1, lying("8S", "3D"), (), (1, 3, 5), -5000)
    two = HandLook(2, lying("8D"), (), (1, 3, 5), -5000)
    return pair, one, two


def split() -> View:
    played = msg("seat.hand_played")
    seats = (
        turn(1, 4000, 16000, lit="hit stand double", bets=2),
        seat(2, SeatState.STOOD, msg("head.stood", total=16), 1000, 7500, message=played),
        seat(
            3, SeatState.DECIDED, msg("head.double"), 7500, 32500, 2500, bets=2,
            message=msg("seat.split_doubled", hand=1, seats=(1, 5)),
        ),
        seat(4, SeatState.STOOD, msg("head.stood", total=19), 5000, 50000, message=played),
        turn(5, 3000, 500, bets=2),
    )  # fmt: skip
    s = CellState
    none = s.EMPTY
    pair = [cell(1, none), cell(2, s.STOOD, 16), cell(3, none), cell(4, s.STOOD, 19), cell(5, none)]
    one = [cell(1, s.TURN), cell(2, none), cell(3, s.DOUBLE), cell(4, none), cell(5, s.TURN)]
    two = [cell(1, s.WAIT), cell(2, none), cell(3, s.WAIT), cell(4, none), cell(5, s.WAIT)]
    rows = (
        row(RowKind.PAIR, 0, pair, ("8S", "8D", "3C"), 24),
        row(RowKind.SPLIT_1, 1, one, ("8S", "3D")),
        row(RowKind.SPLIT_2, 2, two, ("8D",)),
    )
    story = msg("story.pair_some_split", rank=8, splitters=(1, 3, 5), keepers=(2, 4))
    return view(
        seats, Grid((1, 2, 3, 4, 5), rows, ()), TablePhase.DECIDE, lying("6H"), _split_hands(), 48221,
        clock=Clock(15_000, 7_000), line=msg("line.split_to_go", hand=1, count=2), story=story,
        row_notes=(msg("row.final_total", total=24), None, None),
        hand_status=(HandTurn.DONE, HandTurn.NOW, HandTurn.NEXT),
    )  # fmt: skip


def settlement() -> View:
    hands = (
        HandLook(0, lying("8S", "8D", "3C"), lying("AD", "4H"), (2, 4), -5000),
        HandLook(1, lying("8S", "3D", "9C"), lying("KC"), (1, 3, 5), -5000),
        HandLook(2, lying("8D", "10C", "7S"), (), (1, 3, 5), -5000),
    )
    won = SeatState.WIN

    def end(
        n: int, state: SeatState, key: str, bets: int, bet: int, credit: int, win: int, net: int
    ) -> SeatLook:
        return seat(n, state, msg(key), bet, credit, win, bets=bets, result_cents=net)

    seats = (
        end(1, won, "head.win", 2, 4000, 22000, 2000, 2000),
        end(2, SeatState.LOSE, "head.lose", 1, 1000, 7500, 0, -1000),
        end(3, won, "head.win", 2, 7500, 45000, 5000, 5000),
        end(4, won, "head.win", 1, 5000, 60000, 5000, 5000),
        end(5, SeatState.PUSH, "head.even", 2, 3000, 3500, 1500, 0),
    )
    s, o = CellState, Outcome
    none = s.EMPTY
    lost, won_19 = cell(2, s.STOOD, 16, o.LOSE), cell(4, s.STOOD, 19, o.WIN)
    doubled = cell(3, s.DOUBLED, 20, o.WIN, doubled=True)
    pair = [cell(1, none), lost, cell(3, none), won_19, cell(5, none)]
    one = [cell(1, s.STOOD, 20, o.WIN), cell(2, none), doubled, cell(4, none), cell(5, s.STOOD, 20, o.WIN)]
    two = [
        cell(1, s.STOOD, 18, o.PUSH), cell(2, none), cell(3, s.STOOD, 18, o.PUSH), cell(4, none),
        cell(5, s.BUST, 25, o.BUST),
    ]  # fmt: skip
    rows = (
        row(RowKind.PAIR, 0, pair, ("8S", "8D", "3C")),
        row(RowKind.SPLIT_1, 1, one, ("8S", "3D", "9C")),
        row(RowKind.SPLIT_2, 2, two, ("8D", "10C", "7S")),
    )
    notes = tuple(msg("row.final_total", total=n) for n in (24, 30, 25))
    return view(
        seats, Grid((1, 2, 3, 4, 5), rows, ()), TablePhase.PAID, lying("6H", "2S", "10D"), hands, 48221,
        line=msg("line.again_or_cash_out"), row_notes=notes, hand_status=(HandTurn.DONE,) * 3,
    )  # fmt: skip


def cashout(state: CashOutState = CashOutState.PRINTING) -> View:
    waiting = (1, 4)
    slip = TicketLook(state, 23500, "3467", 0, 4000, 2)
    seats = (
        turn(1, 2000, 20000, 2000),
        seat(2, SeatState.CASH_OUT, msg("head.cash_out"), ticket=slip),
        decided(3, "head.stand", 2500, 42500, 0, waiting),
        turn(4, 5000, 55000),
        decided(5, "head.hit", 1500, 2000, 0, waiting),
    )
    s, w = CellState, Word
    cells = [cell(1, s.TURN), cell(2, s.EMPTY), cell(3, s.STAND, 12), cell(4, s.TURN), cell(5, s.HIT)]
    lines = (line(0, 12, (w.OPEN, w.NONE, w.STAND, w.OPEN, w.HIT)),)
    grid = Grid((1, 2, 3, 4, 5), (row(RowKind.HAND, 0, cells, ("9D", "3S")),), lines)
    hand = HandLook(0, lying("9D", "3S"), (), (1, 3, 4, 5))
    return view(
        seats, grid, TablePhase.DECIDE, lying("4C"), (hand,), 48224,
        clock=Clock(15_000, 11_000), line=msg("line.seats_to_go", count=2), row_notes=(None,),
    )  # fmt: skip


def door_open() -> View:
    lock = LockLook(
        "D01", LockIcon.DOOR, msg("lock.D01.title"), msg("lock.D01.text"), msg("lock.D01.call"), 0, 9000
    )
    return replace(deciding(), lock=lock)


def storage_tilt() -> View:
    lock = LockLook(
        "M03",
        LockIcon.WARN,
        msg("lock.M03.title"),
        msg("lock.M03.text"),
        msg("lock.M03.call"),
        0,
        None,
        ("D01", "T02"),
    )
    return replace(settlement(), lock=lock)


def completion() -> View:
    after = msg("seat.dealer_next")

    def stood(n: int, figure: int, bet: int, credit: int, won: int = 0) -> SeatLook:
        return seat(n, SeatState.STOOD, msg("head.stood", total=figure), bet, credit, won, message=after)

    seats = (
        stood(1, 17, 2500, 31000),
        stood(2, 17, 10000, 1234500, 15000),
        stood(3, 16, 1000, 4250),
        stood(4, 17, 7500, 62000, 7500),
        stood(5, 17, 5000, 125000),
        seat(
            6,
            SeatState.TIME_OUT,
            msg("head.time_out"),
            1500,
            6000,
            message=msg("seat.no_choice_stands", total=16),
        ),
        stood(7, 17, 20000, 80000),
    )
    s, w = CellState, Word
    cells = [cell(n, s.TIME if n == 6 else s.STOOD, 16 if n in (3, 6) else 17) for n in range(1, 8)]
    hit, stand, none = w.HIT, w.STAND, w.NONE
    lines = (
        line(0, 13, (hit,) * 7, soft=True),
        line(0, 17, (hit, stand, hit, hit, hit, hit, stand), soft=True),
        line(0, 16, (hit, none, stand, hit, hit, w.TIME, none)),
        line(0, 17, (stand, none, none, stand, stand, none, none)),
    )
    names = ("AD", "2C", "4S", "9H", "AC")
    grid = Grid(tuple(range(1, 8)), (row(RowKind.HAND, 0, cells, names),), lines)
    hand = HandLook(0, lying(*names), lying("2S", "AH"), tuple(range(1, 8)))
    return view(
        seats, grid, TablePhase.COMPLETE, lying("8D"), (hand,), 48230, line=msg("line.all_decided"),
        story=msg("story.completion"), row_notes=(msg("row.now_extra", total=20),),
    )  # fmt: skip


def one_seat() -> View:
    look = turn(1, 1000, 18650, lit="hit stand double")
    cells = [cell(1, CellState.TURN)]
    grid = Grid((1,), (row(RowKind.HAND, 0, cells, ("5H", "6C")),), (line(0, 11, (Word.OPEN,)),))
    hand = HandLook(0, lying("5H", "6C"), (), (1,))
    made = view(
        (look,), grid, TablePhase.DECIDE, lying("6D"), (hand,), 7042,
        clock=Clock(30_000, 22_000), line=msg("line.no_choice_stand"), row_notes=(msg("row.your_turn"),),
    )  # fmt: skip
    return replace(made, top=TopBar(100, 5000, 7042, (18 * 60 + 30) * 60_000))


def recall() -> View:
    def end(n: int, state: SeatState, key: str, bet: int, credit: int, win: int, net: int) -> SeatLook:
        return seat(n, state, msg(key), bet, credit, win, result_cents=net)

    seats = (
        end(1, SeatState.LOSE, "head.lose", 2000, 14000, 0, -2000),
        end(2, SeatState.PUSH, "head.push", 1000, 9000, 0, 0),
        end(3, SeatState.WIN, "head.win", 5000, 30000, 5000, 5000),
    )
    s, o, w = CellState, Outcome, Word
    cells = [cell(1, s.STOOD, 13, o.LOSE), cell(2, s.STOOD, 17, o.PUSH), cell(3, s.STOOD, 19, o.WIN)]
    lines = (
        line(0, 13, (w.STAND, w.HIT, w.HIT)),
        line(0, 17, (w.NONE, w.STAND, w.HIT)),
        line(0, 19, (w.NONE, w.NONE, w.STAND)),
    )
    grid = Grid((1, 2, 3), (row(RowKind.HAND, 0, cells, ("10D", "3S", "4H", "2D")),), lines)
    hand = HandLook(0, lying("10D", "3S", "4H", "2D"), lying("9S"), (1, 2, 3))
    made = view(
        seats,
        grid,
        TablePhase.PAID,
        lying("7C", "10S"),
        (hand,),
        48197,
        row_notes=(msg("row.final_total", total=28),),
    )
    banners = (
        BannerLook("recall", msg("banner.recall", round=48197, when="29 Nov, 21:12:40")),
        BannerLook("recall_step", msg("recall.step", step=9, steps=9)),
        BannerLook("recall_end", msg("recall.past")),
    )
    return replace(made, banners=banners)
