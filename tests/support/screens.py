"""Views made by hand for the named moments of a table, so that the screen is tested without a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cabinet.core.look import (
    BannerLook,
    Button,
    CardLook,
    Clock,
    Cue,
    CueAt,
    HandLook,
    HandStatus,
    HelpLook,
    HouseRules,
    LampLook,
    LockIcon,
    LockLook,
    Message,
    Phase,
    Scene,
    SeatLook,
    SeatState,
    ServiceLook,
    ServicePanel,
    ServiceRow,
    Step,
    TicketLook,
    TicketState,
    TopBar,
    View,
)
from game.cards import RANKS, SUITS, Card
from game.grid import Cell, CellState, Grid, Line, Row, RowKind, Word
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


def line(hand: int, figure: int, words: Sequence[Word], soft: bool = False) -> Line:
    return Line(hand, figure, soft, tuple(words))


def view(
    seats: Sequence[SeatLook],
    grid: Grid,
    phase: Phase,
    dealer: tuple[CardLook, ...] = (),
    hands: tuple[HandLook, ...] = (),
    number: int = 48213,
    **step: object,
) -> View:
    still = Step(0, phase, None, None, None, grid, (), tuple(HandStatus.NOW for _ in hands), tuple(seats))
    still = replace(still, **step)  # type: ignore[arg-type]
    top = TopBar(500, 20_000, number, WALL_2147)
    return View(Scene.TABLE, len(seats), 1, top, RULES, dealer, hands, (still,))


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
        seats, grid, Phase.BET, number=48216, clock=Clock(15_000, 12_000), line=msg("line.or_sit_out"),
        row_notes=(msg("row.seats_in", count=3),), shoe_note=msg("shoe.new_shuffle", decks="Six"),
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
        seats, grid, Phase.DECIDE, lying("10S"), (hand,),
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
        seats, Grid((1, 2, 3, 4, 5), rows, ()), Phase.DECIDE, lying("6H"), _split_hands(), 48221,
        clock=Clock(15_000, 7_000), line=msg("line.split_to_go", hand=1, count=2), story=story,
        row_notes=(msg("row.ended_on", total=24), None, None),
        hand_status=(HandStatus.DONE, HandStatus.NOW, HandStatus.NEXT),
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
    notes = tuple(msg("row.ended_on", total=n) for n in (24, 30, 25))
    return view(
        seats, Grid((1, 2, 3, 4, 5), rows, ()), Phase.PAID, lying("6H", "2S", "10D"), hands, 48221,
        line=msg("line.again_or_cash_out"), row_notes=notes, hand_status=(HandStatus.DONE,) * 3,
    )  # fmt: skip


def cashout(state: TicketState = TicketState.PRINTING) -> View:
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
        seats, grid, Phase.DECIDE, lying("4C"), (hand,), 48224,
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
        seats, grid, Phase.COMPLETE, lying("8D"), (hand,), 48230, line=msg("line.all_decided"),
        story=msg("story.completion"), row_notes=(msg("row.now_nobodys", total=20),),
    )  # fmt: skip


def one_seat() -> View:
    look = turn(1, 1000, 18650, lit="hit stand double")
    cells = [cell(1, CellState.TURN)]
    grid = Grid((1,), (row(RowKind.HAND, 0, cells, ("5H", "6C")),), (line(0, 11, (Word.OPEN,)),))
    hand = HandLook(0, lying("5H", "6C"), (), (1,))
    made = view(
        (look,), grid, Phase.DECIDE, lying("6D"), (hand,), 7042,
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
        Phase.PAID,
        lying("7C", "10S"),
        (hand,),
        48197,
        row_notes=(msg("row.ended_on", total=28),),
    )
    text = msg("banner.recall", round=48197, when="29 Nov, 21:12:40", step=9, steps=9)
    return replace(made, banners=(BannerLook("recall", text),))


def attract() -> View:
    mine = seat(4, SeatState.CREDIT, msg("head.credit"), 0, 4000, lamps=lamps("bet_plus", "cash_out"))
    seats = tuple(mine if n == 4 else free(n) for n in range(1, 8))
    grid = Grid(tuple(range(1, 8)), (), ())
    return replace(view(seats, grid, Phase.IDLE, number=0), scene=Scene.ATTRACT)


def help_page(page: int = 1, pages: int = 3) -> View:
    return replace(betting(), scene=Scene.HELP, help=HelpLook(2, page, pages))


def service() -> View:
    def entry(name: str, value: str, mark: str = "") -> ServiceRow:
        return ServiceRow((name, value), mark)

    device = ServicePanel("DEVICE", (200, 458), (
        entry("Protocol", "ID-003, polled every 100 ms"), entry("Unit", "i(USA)100-SS"),
        entry("Firmware", "ID003-05 V280-42"), entry("Port", "validator, 9600 8E1"),
        entry("Stacker", "412 of 500, near full", "warn"), entry("Last note", "$20, 09:11:48, seat 5"),
    ), half=True)  # fmt: skip
    link = ServicePanel("LINK, SINCE START-UP 08:02", (200, 458), (
        entry("Polls", "43270 sent, 43268 answered", "check"),
        entry("Answer time", "6 ms median, 31 ms worst", "check"),
        entry("Bad checksum", "2, last 08:40:17", "warn"), entry("No answer", "0", "check"),
        entry("Sent again", "2", "check"), entry("Lost bytes", "0 in the last hour", "check"),
    ), half=True)  # fmt: skip

    def wire(time: str, way: str, data: str, text: str) -> ServiceRow:
        return ServiceRow((time, way, data, text), way)

    last = ServicePanel("LAST NOTE ON THE WIRE", (210, 150, 340, 680), (
        wire("09:11:46.204", "from", "FC 05 12 BC 64", "ACCEPTING"),
        wire("09:11:46.906", "from", "FC 06 13 63 A2 D8", "ESCROW, code 63: $20"),
        wire("09:11:46.931", "to", "FC 05 42 39 36", "STACK-2, after the intent was stored"),
        wire("09:11:47.655", "from", "FC 05 15 03 10", "VEND VALID"),
        wire("09:11:47.702", "to", "FC 05 50 AA 05", "ACK, after the credit was stored"),
        wire("09:11:48.010", "from", "FC 05 16 98 22", "STACKED"),
    ))  # fmt: skip
    look = ServiceLook(
        ("Devices", "Bill validator", "State now"), "Key: technician", "Table out of play",
        ("State now", "Notes accepted", "Test a note", "Restart device", "Enable, disable",
         "Link statistics", "Event log"),
        0, "Ready for a note", "check",
        "IDLING, answered 38 ms ago. Notes $5 to $100 accepted, credit limit not reached.",
        (device, link, last), "A test note is always given back and makes no credit.",
        "to Devices", "", "Notes accepted", "read again",
    )  # fmt: skip
    return replace(betting(), scene=Scene.SERVICE, service=look)


MOMENTS: dict[str, Callable[[], View]] = {
    "01-attract": attract,
    "02-betting": betting,
    "03-deciding": deciding,
    "04-split": split,
    "05-settlement": settlement,
    "06-cashout": cashout,
    "07-lockup": door_open,
    "07b-storage": storage_tilt,
    "08-service": service,
    "09-one-seat": one_seat,
    "10-how-to-play": help_page,
    "11-recall": recall,
    "12-completion": completion,
}


# ---- moments with movement


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
        still, phase=Phase.DEAL, clock=None, line=msg("line.cards_first"), grid=grid, seats=(*quiet, free(7)),
        hand_status=(HandStatus.NOW,),
    )  # fmt: skip
    decide = replace(
        still, from_ms=800, phase=Phase.DECIDE, clock=Clock(12_000, 12_800),
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
    """A hand that grows card by card up to twelve cards, then nobody's cards, then the dealer's."""
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
    one = replace(still, grid=grid, story=None, row_notes=(None,), clock=None, phase=Phase.DRAW)
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
        phase=Phase.DEALER,
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
            ticket=TicketLook(TicketState.TAKE, 23_500, "3467") if state is SeatState.CASH_OUT else None,
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
        found.append(view(shown, grid, Phase.DEALER, lying("7C", "10H"), (hand,), row_notes=(None,)))
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
