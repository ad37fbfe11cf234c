"""What is worth a picture in an evening: each kind of moment, and which of two is the better one.

A `Stretch` is one still picture of a view for as long as it was really shown. A kind looks at it and
says at what time the picture is to be taken and how good it would be, or that it is not of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cabinet.core.look import CardLook, CashOutState, Scene, SeatState, Step, TablePhase, View
from cabinet.core.timing import Timing
from game.grid import CellState
from game.hand import is_natural
from game.settle import Outcome

ATTRACT_SHOWS_MS = 22_000  # the demonstration of the attract loop has ended and still stands
LONG_HAND = 6
Found = tuple[int, int]  # how good, and when (session ms)


@dataclass(frozen=True, slots=True)
class Stretch:
    """`step` of `view` was on the screen from `start_ms` until before `end_ms`."""

    view: View
    step: Step
    start_ms: int
    end_ms: int
    timing: Timing

    @property
    def calm_ms(self) -> int:
        """When everything has faded in, or the last moment of a short stretch."""
        fades_ms = self.timing.lamp_fade_ms + 2 * self.timing.grid_fade_ms
        return min(self.end_ms - 1, max(self.start_ms, self.step.from_ms) + fades_ms)

    @property
    def table(self) -> bool:
        return self.view.scene is Scene.TABLE and self.view.lock is None

    def count(self, *states: SeatState) -> int:
        return sum(seat.state in states for seat in self.step.seats)

    def flying(self, cards: tuple[CardLook, ...], least: int = 0) -> Found | None:
        """The last card, from the `least`-th on, that is half way in this stretch."""
        for place in range(len(cards) - 1, least - 1, -1):
            half_ms = (cards[place].start_ms + cards[place].land_ms) // 2
            if self.start_ms <= half_ms < self.end_ms:
                return place, half_ms
        return None


def stretches(view: View, start_ms: int, end_ms: int, timing: Timing) -> Iterator[Stretch]:
    """The still pictures of a view that was shown from `start_ms` until before `end_ms`."""
    for place, step in enumerate(view.steps):
        last = place + 1 == len(view.steps)
        begins_ms = start_ms if place == 0 else max(start_ms, step.from_ms)
        ends_ms = end_ms if last else min(end_ms, view.steps[place + 1].from_ms)
        if begins_ms < ends_ms:
            yield Stretch(view, step, begins_ms, ends_ms, timing)


# ---- the table


def _attract(at: Stretch) -> Found | None:
    if at.view.scene is not Scene.ATTRACT:
        return None
    ms = max(at.start_ms, min(at.end_ms - 1, at.view.attract_ms + ATTRACT_SHOWS_MS))
    return ms - at.view.attract_ms, ms


def _first_note(at: Stretch) -> Found | None:
    credit = any(seat.credit_cents for seat in at.step.seats)
    return (0, at.calm_ms) if at.table and at.step.phase is TablePhase.IDLE and credit else None


def _betting(at: Stretch) -> Found | None:
    if not at.table or at.step.phase is not TablePhase.BET:
        return None
    kinds = len({seat.state for seat in at.step.seats})
    return 2 * at.count(SeatState.BET, SeatState.READY) + kinds, at.calm_ms


def _dealing(at: Stretch) -> Found | None:
    found = at.flying(at.view.hands[0].cards, 1) if at.table and at.view.hands else None
    if found is None or at.step.phase is not TablePhase.DEAL:
        return None
    return at.count(SeatState.WATCH), found[1]


def _deciding(at: Stretch) -> Found | None:
    turn = at.count(SeatState.TURN)
    return (turn, at.calm_ms) if at.table and turn and not at.count(SeatState.DECIDED) else None


def _waiting(at: Stretch) -> Found | None:
    turn, said = at.count(SeatState.TURN), at.count(SeatState.DECIDED)
    if not (at.table and turn and said):
        return None
    return 3 * len({seat.state for seat in at.step.seats}) + turn + said, at.calm_ms


def _split(at: Stretch, *, gone: bool) -> Found | None:
    hands = at.view.hands
    if not at.table or len(hands) < 3 or hands[0].gone is not gone or at.step.phase is not TablePhase.DECIDE:
        return None
    opens_ms = hands[1].opens_ms
    if opens_ms is None or opens_ms > at.start_ms:
        return None
    cards = sum(card.land_ms <= at.start_ms for hand in hands for card in hand.cards)
    return cards + at.count(SeatState.TURN, SeatState.DECIDED), at.calm_ms


def _continued(at: Stretch) -> Found | None:
    if not at.table or at.step.phase is not TablePhase.COMPLETE:
        return None
    cards = tuple(card for hand in at.view.hands for card in hand.continuation)
    lying = sum(card.land_ms <= at.start_ms for card in cards)
    flying = at.flying(cards)
    if flying is not None:
        return 2 * flying[0] + 1, flying[1]
    return (2 * lying, at.calm_ms) if lying else None


def _dealer(at: Stretch) -> Found | None:
    return at.flying(at.view.dealer, 1) if at.table and at.step.phase is TablePhase.DEALER else None


def _long_hand(at: Stretch) -> Found | None:
    if not at.table or len(at.view.hands) != 1:
        return None
    lying = sum(card.land_ms <= at.start_ms for card in at.view.hands[0].cards)
    return (lying, at.calm_ms) if lying >= LONG_HAND else None


def _time_out(at: Stretch) -> Found | None:
    count = at.count(SeatState.TIME_OUT)
    return (count, at.calm_ms) if at.table and count else None


# ---- results


def _shown_ms(at: Stretch) -> int | None:
    """When the whole settlement is on the screen, meters and all; None outside a settled table."""
    settled_ms = at.view.settled_ms
    if not at.table or settled_ms is None or at.step.phase is not TablePhase.PAID or at.start_ms < settled_ms:
        return None
    return max(at.start_ms, min(at.end_ms - 1, settled_ms + at.timing.settle_ms))


def _settled(at: Stretch) -> Found | None:
    ms = _shown_ms(at)
    results = [seat for seat in at.step.seats if seat.result_cents is not None]
    if ms is None or not results:
        return None
    return 2 * len({(seat.state, seat.head.key) for seat in results}) + len(results), ms


def _result(at: Stretch, wanted: Callable[[Stretch], int]) -> Found | None:
    """A settled table on which something is true for at least one seat or cell."""
    ms = _shown_ms(at)
    count = wanted(at) if ms is not None else 0
    return (count, ms) if ms is not None and count else None


def _nets(at: Stretch, sign: int) -> int:
    nets = [seat.result_cents for seat in at.step.seats if seat.result_cents is not None]
    return sum((net > 0) - (net < 0) == sign for net in nets)


def _cells(at: Stretch, outcome: Outcome, *, doubled: bool = False) -> int:
    cells = [cell for row in at.step.grid.rows for cell in row.cells]
    return sum(cell.result is outcome and cell.doubled >= doubled for cell in cells)


def _dealer_natural(at: Stretch) -> int:
    cards = [card.card for card in at.view.dealer if card.land_ms <= at.start_ms]
    return int(len(cards) == 2 and is_natural(cards))


def _busts(at: Stretch) -> int:
    return sum(cell.state is CellState.BUST for row in at.step.grid.rows for cell in row.cells)


# ---- money, help, trouble


def _ticket(at: Stretch, state: CashOutState) -> Found | None:
    slips = [seat.ticket for seat in at.step.seats if seat.ticket and seat.ticket.state is state]
    if at.view.scene is Scene.SERVICE or not slips:
        return None
    busy = at.count(SeatState.TURN, SeatState.DECIDED)
    if state is not CashOutState.PRINTING:
        return busy + len(slips), at.calm_ms
    half_ms = slips[0].since_ms + slips[0].expected_ms // 2
    return busy, max(at.start_ms, min(at.end_ms - 1, half_ms))


def _refused(at: Stretch) -> Found | None:
    told = [seat.refused_ms for seat in at.step.seats if seat.refused is not None]
    if not at.table or not told:
        return None
    return len(told), max(at.start_ms, min(at.end_ms - 1, max(told) + at.timing.lamp_fade_ms))


def _note_inside(at: Stretch) -> Found | None:
    checked = [s for s in at.step.seats if s.message is not None and s.message.key == "seat.note_coming"]
    return (len(checked), at.calm_ms) if at.table and checked else None


def _banner(at: Stretch, kind: str) -> Found | None:
    if at.view.scene is not Scene.TABLE or all(banner.kind != kind for banner in at.view.banners):
        return None
    return at.count(SeatState.TURN), at.calm_ms


def _locked(at: Stretch) -> Found | None:
    if at.view.lock is None or at.view.scene is Scene.SERVICE:
        return None
    return len(at.view.hands), at.end_ms - 1


def _page(at: Stretch, key: str) -> Found | None:
    look = at.view.service
    if at.view.scene is not Scene.SERVICE or look is None or key not in look.key:
        return None
    return sum(len(panel.rows) for panel in look.panels), at.calm_ms


def _help(at: Stretch) -> Found | None:
    if at.view.scene is Scene.HELP:
        return 2, at.calm_ms
    return (1, at.calm_ms) if at.table and any(seat.help_page for seat in at.step.seats) else None


# By name: the title of the picture, and how it is found.
KINDS: dict[str, tuple[str, Callable[[Stretch], Found | None]]] = {
    "attract": ("Nobody is here yet", _attract),
    "note": ("The first note is credit", _first_note),
    "note-inside": ("A note is being checked", _note_inside),
    "betting": ("Bets are placed", _betting),
    "dealing": ("The deal: a card in flight", _dealing),
    "deciding": ("All decide at once", _deciding),
    "waiting": ("Some have decided and wait for the others", _waiting),
    "three-hands": ("A split pair: three hands", lambda at: _split(at, gone=False)),
    "all-split": ("All have split: two hands", lambda at: _split(at, gone=True)),
    "long-hand": ("A long hand", _long_hand),
    "completion": ("The hand is completed with continuation cards", _continued),
    "dealer": ("The dealer draws", _dealer),
    "time-out": ("No choice in time", _time_out),
    "refused": ("A press is refused, with the reason", _refused),
    "settlement": ("The settlement", _settled),
    "win": ("A win", lambda at: _result(at, lambda a: _nets(a, 1))),
    "lose": ("A loss", lambda at: _result(at, lambda a: _nets(a, -1))),
    "push": ("A push", lambda at: _result(at, lambda a: _cells(a, Outcome.PUSH))),
    "bust": ("A bust", lambda at: _result(at, _busts)),
    "blackjack": ("Blackjack", lambda at: _result(at, lambda a: _cells(a, Outcome.BLACKJACK))),
    "double-win": ("A doubled win", lambda at: _result(at, lambda a: _cells(a, Outcome.WIN, doubled=True))),
    "double-loss": (
        "A doubled loss",
        lambda at: _result(at, lambda a: _cells(a, Outcome.LOSE, doubled=True)),
    ),
    "dealer-blackjack": ("The dealer has blackjack", lambda at: _result(at, _dealer_natural)),
    "printing": ("A ticket is being printed", lambda at: _ticket(at, CashOutState.PRINTING)),
    "take": ("Take your ticket", lambda at: _ticket(at, CashOutState.TAKE)),
    "queue": ("The printer is busy", lambda at: _ticket(at, CashOutState.QUEUED)),
    "handpay": ("An attendant pays by hand", lambda at: _ticket(at, CashOutState.HANDPAY)),
    "ask": ("A ticket is in doubt", lambda at: _ticket(at, CashOutState.ASK)),
    "attendant-called": ("An attendant is called", lambda at: _banner(at, "attendant_seats")),
    "restored": ("The game is restored", lambda at: _banner(at, "restored")),
    "closed": ("The table closes", lambda at: _banner(at, "closed")),
    "locked": ("The table is locked", _locked),
    "attendant": ("The attendant's page", lambda at: _page(at, "attendant")),
    "service": ("The technician's page", lambda at: _page(at, "technician")),
    "help": ("Help", _help),
}
