"""What a person in front of the cabinet can know at a glance: the eyes of the simulated people.

Made from a committed state of the cabinet, small enough to be sent through a socket as one packet of
JSON. Nothing in it leads back into the program.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from cabinet.core.conditions import Code
from cabinet.core.live import Live, active_conditions
from cabinet.core.look import LampLook
from cabinet.core.money.clock import asked as clock_asked
from cabinet.core.options import lamps, paying_out, seat_locked
from cabinet.core.staff import menu
from cabinet.core.state import State


@dataclass(frozen=True, slots=True)
class SeatGlance:
    seat: int
    credit_cents: int
    bet_cents: int
    last_bet_cents: int
    lamps: tuple[str, ...]
    locked: bool
    waiting: bool  # for a ticket


@dataclass(frozen=True, slots=True)
class Matter:
    """Something that waits for the attendant, with what he needs to look for."""

    kind: str  # "handpay", "ticket", "note", "redeem" (a ticket that came in), "round", "clock"
    ref: int
    seat: int
    cents: int
    device: str = ""
    number: str = ""  # of the ticket, whole: two in one tray may end in the same four digits


@dataclass(frozen=True, slots=True)
class Laid:
    """What lies on the table and whose money it is: what no loss of power may change."""

    round_number: int
    live: bool
    hands: tuple[tuple[int, ...], ...]  # cards of every hand, without the continuation
    continued: tuple[tuple[int, ...], ...]  # the continuation cards of every hand
    dealer: tuple[int, ...]
    said: tuple[str, ...]  # every play as "hand seat stake fate words": all decisions so far
    bets_cents: tuple[int, ...]  # by seat
    credits_cents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Glance:
    # The first facts of this start are in the journal, or nothing can be: before that it is the table of the
    # start before.
    begun: bool
    now_ms: int
    session: int
    laid: Laid
    settled_ms: int | None
    frozen: str
    opened_ms: int  # of the decision that is open
    deciding: tuple[int, ...]
    hand: tuple[int, ...]  # cards of the hand that is decided on
    seats: tuple[SeatGlance, ...]
    matters: tuple[Matter, ...]
    in_work: tuple[str, ...]  # devices with a note or a ticket whose end is not recorded yet
    conditions: tuple[tuple[str, str], ...]
    key: str
    menu: tuple[tuple[str, ...], ...]  # what each item of the open page does
    cursor: int
    confirming: tuple[str, ...]  # the act that the key is asked to confirm; () for none
    key_off: bool  # the key has been turned off for it
    bills_cents: tuple[tuple[str, int], ...]  # by the meters in each cash box; while a note is looked for
    binding: tuple[tuple[str, int], ...]
    stopping: bool


def laid(state: State) -> Laid:
    """The table of a state."""
    round_, seats = state.round, state.seats
    hands = () if round_ is None else round_.hands
    return Laid(
        round_number=state.round_number,
        live=state.round_open,
        hands=tuple(hand.cards for hand in hands),
        continued=tuple(hand.continuation for hand in hands),
        dealer=() if round_ is None else round_.dealer,
        said=tuple(
            " ".join([str(place), str(play.seat), str(play.stake_cents), play.fate, *play.said])
            for place, hand in enumerate(hands)
            for play in hand.plays
        ),
        bets_cents=tuple(state.bet(seat) for seat in seats),
        credits_cents=tuple(state.credit(seat) for seat in seats),
    )


def glance(state: State, live: Live) -> Glance:
    """What can be seen of the cabinet once `state` is committed."""
    round_ = state.round
    active = None if round_ is None else round_.active_hand
    hand = () if round_ is None or active is None else round_.hands[active].cards
    items = menu.items(state, live) if live.key else ()
    return Glance(
        begun=bool(live.first_ref or live.unrecorded),
        now_ms=live.now_ms,
        session=state.session,
        laid=laid(state),
        settled_ms=state.settled_ms,
        frozen=state.frozen,
        opened_ms=state.decision_opened_ms,
        deciding=state.deciding(),
        hand=hand,
        seats=tuple(_seat(state, live, seat) for seat in state.seats),
        matters=_matters(state),
        in_work=(*(note.device for note in state.notes), *(ticket.device for ticket in state.tickets)),
        conditions=tuple((row.code, device) for row, device, _ in active_conditions(state, live)),
        key=live.key,
        menu=tuple(item.does or ("open", item.opens) for item in items),
        cursor=live.cursor,
        confirming=() if live.confirming is None else live.confirming.order,
        key_off=live.confirming is not None and live.confirming.off_ms is not None,
        bills_cents=_bills(state, live) if any(note.unresolved for note in state.notes) else (),
        binding=tuple(live.binding.items()),
        stopping=live.stopping,
    )


def _seat(state: State, live: Live, seat: int) -> SeatGlance:
    lit = tuple(b.value for b, look in lamps(state, live, seat).items() if look is not LampLook.OFF)
    held, waiting = seat_locked(state, seat), paying_out(state, seat)
    last = state.record(seat).last_bet_cents
    return SeatGlance(seat, state.credit(seat), state.bet(seat), last, lit, held, waiting)


def _bills(state: State, live: Live) -> tuple[tuple[str, int], ...]:
    bills = {name: 0 for name, _ in live.policy.validators}
    for key, count in state.meters.items():
        if key.startswith("bills."):
            device, _, cents = key.removeprefix("bills.").rpartition(".")
            if device in bills:
                bills[device] += int(cents) * count
    return tuple(bills.items())


def _matters(state: State) -> tuple[Matter, ...]:
    pays = [Matter("handpay", p.ref, p.seat, p.cents) for p in state.handpays]
    tickets = [
        Matter("ticket", t.ref, t.seat, t.cents, t.device, t.number) for t in state.tickets if t.unknown
    ]
    notes = [
        Matter("redeem" if n.number else "note", n.ref, n.seat, n.cents, n.device, n.number)
        for n in state.notes
        if n.unresolved
    ]
    old = [Matter("round", 0, 0, 0)] if state.round_open and (Code.OLD_ROUND, "") in state.conditions else []
    date = [Matter("clock", 0, 0, 0)] if clock_asked(state) else []
    return (*pays, *tickets, *notes, *old, *date)


_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Glance)


def encode(seen: Glance) -> bytes:
    return _ENCODER.encode(seen)


def decode(data: bytes) -> Glance:
    return _DECODER.decode(data)
