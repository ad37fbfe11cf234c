"""What the screen shows, as data: the contract between the decider and anything that draws.

``view(state, live)`` makes one `View` whenever something has changed; the window draws
``draw(view, now_ms)`` on every frame. Drawing is a function of those two: the same pair gives
the same pixels, and drawing twice draws the same.

**Time in a view.** All that will happen on the table until the next decision is already
committed when a view is made (several cards, a whole dealer's hand, the settlement), but it is
shown one event after another. So a view holds

* cards with the times of their flights (`CardLook.start_ms`, `land_ms`): a card is not there
  before `start_ms`, flies until `land_ms`, then lies; totals are those of the cards that lie;
* `steps`: complete still pictures of everything else, each valid from its `from_ms` until the
  next one's. The step to draw is the last one with ``from_ms <= now_ms``.

Texts are `Message` keys of the catalogue (`cabinet/ui/catalogue`), never sentences; amounts are
integers in minor units, formatted by the window. Times are session milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from game.cards import Card
from game.chart import Chart
from game.grid import Grid


@dataclass(frozen=True, slots=True)
class Message:
    """A catalogue key and what is put into it.

    Argument names tell the format: ``*_cents`` is money, ``seats`` is a tuple of seat numbers
    (shown as "3 and 5"), anything else is put in as it is.
    """

    key: str
    args: tuple[tuple[str, int | str | tuple[int, ...]], ...] = ()


class Scene(StrEnum):
    ATTRACT = "attract"
    TABLE = "table"
    HELP = "help"  # full screen; only while no round is open
    SERVICE = "service"


class TablePhase(StrEnum):
    """The phase word over the dial."""

    IDLE = "idle"  # nobody has a bet: Place your bets, no clock
    BET = "bet"
    DEAL = "deal"
    DECIDE = "decide"
    DRAW = "draw"
    COMPLETE = "complete"
    DEALER = "dealer"
    PAID = "paid"  # Round over
    CLOSED = "closed"  # the house has closed the table: no new round


@dataclass(frozen=True, slots=True)
class Clock:
    """A countdown. Running: `deadline_ms` is when it ends. Frozen: `deadline_ms` is None and
    `remaining_ms` stands still. `total_ms` is the full circle of the dial."""

    total_ms: int
    deadline_ms: int | None
    remaining_ms: int = 0


@dataclass(frozen=True, slots=True)
class CardLook:
    card: Card
    start_ms: int
    land_ms: int


class HandTurn(StrEnum):
    NEXT = "next"
    NOW = "now"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class HandLook:
    """Hand 0 is the common hand (the pair once a seat has split), 1 and 2 are split hands.

    A split hand starts with the pair's own card (`cards[0]`), which carries the foot PAIR.
    `opens_ms`: when the column of this hand appears (None: there is no split, hand 0 has the
    whole zone). `gone` tells that the pair was split by all: hand 0 is not drawn any more.
    """

    index: int
    cards: tuple[CardLook, ...]
    continuation: tuple[CardLook, ...]
    owners: tuple[int, ...]
    opens_ms: int | None = None
    gone: bool = False


class SeatState(StrEnum):
    """How a seat's panel is dressed (fill, edge, mark change together)."""

    EMPTY = "empty"
    CREDIT = "credit"  # has credit, no clock runs
    PLACE_BET = "place_bet"  # has credit, the betting clock runs: amber head
    BET = "bet"  # bet in
    READY = "ready"  # bet in and DEAL pressed
    OUT = "out"  # sits this round out
    WATCH = "watch"  # in the round, cards are moving, no decision open yet
    TURN = "turn"
    DECIDED = "decided"  # head says which choice
    DOUBLED = "doubled"
    SPLIT = "split"
    STOOD = "stood"
    BUST = "bust"
    BLACKJACK = "blackjack"
    TIME_OUT = "time_out"
    WIN = "win"
    PUSH = "push"
    LOSE = "lose"
    AWAY = "away"
    LOCKED = "locked"
    CASH_OUT = "cash_out"


class Button(StrEnum):
    BET_MINUS = "bet_minus"
    BET_PLUS = "bet_plus"
    DEAL = "deal"
    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    CASH_OUT = "cash_out"
    HELP = "help"
    BUY_IN = "buy_in"


class LampLook(StrEnum):
    OFF = "off"
    OUTLINED = "outlined"  # also possible
    LIT = "lit"  # the expected answer


class CashOutState(StrEnum):
    QUEUED = "queued"  # the shared printer is busy: `place` in the queue
    PRINTING = "printing"
    TAKE = "take"  # printed and in the chute
    HANDPAY = "handpay"  # an attendant pays this amount
    ASK = "ask"  # the attendant is asked: ticket in hand?


@dataclass(frozen=True, slots=True)
class TicketLook:
    state: CashOutState
    cents: int
    last_digits: str = ""  # never more than four
    since_ms: int = 0
    expected_ms: int = 4000  # how long a print takes, for the progress bar
    place: int = 0
    why: Message | None = None  # why it is paid by hand: the caption of the slip


@dataclass(frozen=True, slots=True)
class SeatLook:
    seat: int
    state: SeatState
    head: Message
    bets: int  # number of bets on the table (caption "2 BETS")
    bet_cents: int
    credit_cents: int
    won_cents: int
    lamps: tuple[tuple[Button, LampLook], ...]  # every button of the seat, in the order of Button
    message: Message | None = None  # the two-line text in the block when no lamp is lit
    result_cents: int | None = None  # net of the round: the result block
    ticket: TicketLook | None = None
    # Meters roll from these values to the ones above, from `roll_ms` on (None: no roll).
    credit_from_cents: int = 0
    won_from_cents: int = 0
    roll_ms: int | None = None
    refused: Message | None = None  # why a press was refused, shown from refused_ms for a while
    refused_ms: int = 0
    refused_until_ms: int = 0
    trouble: Message | None = None  # an attendant is called to this seat's note: it stands until it is over
    help_page: int = 0  # > 0: short help inside this seat's own panel (a round is open)
    notes_here: bool = False  # shared validator: NOTES GO TO SEAT n


@dataclass(frozen=True, slots=True)
class Step:
    from_ms: int
    phase: TablePhase
    line: Message | None  # under the dial
    clock: Clock | None
    story: Message | None  # the three lines beside the dealer's card
    grid: Grid
    row_notes: tuple[Message | None, ...]  # right end of each grid row's label ("final total 24")
    hand_status: tuple[HandTurn, ...]
    seats: tuple[SeatLook, ...]
    shoe_note: Message | None = None  # under the shoe while bets are placed ("Six decks, new shuffle")


class LockIcon(StrEnum):
    DOOR = "door"
    WARN = "warn"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class LockLook:
    """The lock-up panel: the frozen frame under a scrim, motion stopped at `since_ms`."""

    code: str
    icon: LockIcon
    title: Message
    text: Message
    call: Message
    since_ms: int
    remaining_ms: int | None  # of the frozen countdown
    others: tuple[str, ...] = ()  # codes of the other active faults, in priority order


@dataclass(frozen=True, slots=True)
class BannerLook:
    """A line in the top bar: LAB, GAME RESTORED, DOOR CLOSED, RECALL, NOTES GO TO SEAT n."""

    kind: str
    text: Message
    until_ms: int | None = None


@dataclass(frozen=True, slots=True)
class HelpLook:
    seat: int
    page: int
    pages: int
    chart: Chart | None = None  # the last page, if there is advice for the rules of this table


@dataclass(frozen=True, slots=True)
class ServiceRow:
    cells: tuple[str, ...]
    mark: str = ""  # "", "check", "warn", "from", "to"


@dataclass(frozen=True, slots=True)
class ServicePanel:
    """A titled table. `widths` are the relative widths of its columns."""

    title: str
    widths: tuple[int, ...]
    rows: tuple[ServiceRow, ...]
    half: bool = False  # two half panels stand side by side
    figures: bool = False  # all columns but the first are figures: they end below each other
    right: int | None = None  # the only column of figures, with words behind it


@dataclass(frozen=True, slots=True)
class ServiceLook:
    path: tuple[str, ...]
    key: str  # which key is turned
    note: str  # e.g. "Table out of play"
    menu: tuple[str, ...]
    cursor: int
    headline: str
    headline_mark: str  # "check" | "warn"
    subline: str
    panels: tuple[ServicePanel, ...]
    hint: str
    back: str  # what each of the four buttons does now, "" = nothing
    up: str
    down: str
    enter: str


class Cue(StrEnum):
    """Sounds by meaning."""

    BET = "bet"
    DEAL = "deal"
    REFUSED = "refused"
    NOTE = "note"
    CARD = "card"
    CONTINUATION = "continuation"
    TURN = "turn"
    TICK = "tick"
    DECIDED = "decided"
    DOUBLED = "doubled"
    SPLIT = "split"
    TWENTY_ONE = "twenty_one"
    BUST = "bust"
    PUSH = "push"
    WIN = "win"
    BLACKJACK = "blackjack"
    PRINTING = "printing"
    TAKE_TICKET = "take_ticket"
    ALARM = "alarm"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class CueAt:
    """A sound, played once when its time comes. `serial` rises; equal serials are the same sound."""

    serial: int
    at_ms: int
    cue: Cue


@dataclass(frozen=True, slots=True)
class TopBar:
    min_bet_cents: int
    max_bet_cents: int
    round_number: int  # 0: none yet
    wall_ms: int  # wall clock (local time, ms since 1970-01-01 00:00 local) at session time 0
    notes_cents: tuple[int, ...] = ()  # that every validator takes; none before they have told


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What the four lines at the upper left, the help pages and the attract loop state."""

    blackjack_pays: str
    dealer_hits_soft_17: bool
    decks: int
    shuffle_every_round: bool
    double_totals: str
    splittable: tuple[str, ...]
    double_after_split: bool
    dealer_blackjack_takes: str
    min_bet_cents: int
    max_bet_cents: int
    bet_seconds: int
    decide_seconds: int


@dataclass(frozen=True, slots=True)
class View:
    scene: Scene
    seats: int  # of the cabinet, 1 to 7
    seq: int  # rises with every view
    top: TopBar
    rules: HouseRules
    dealer: tuple[CardLook, ...]
    hands: tuple[HandLook, ...]
    steps: tuple[Step, ...]  # at least one; from_ms rises
    banners: tuple[BannerLook, ...] = ()
    lock: LockLook | None = None
    help: HelpLook | None = None
    service: ServiceLook | None = None
    attract_ms: int = 0  # when the attract loop began (its pictures change every 4 s)
    cues: tuple[CueAt, ...] = ()
    settled_ms: int | None = None  # when the settlement starts to show: cells darken, then fill
