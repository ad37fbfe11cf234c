"""A recalled round as the table showed it, one picture for each card, decision and the settlement.

It is the table's own view of the round as it was, at one moment. All of it lies in the past, so that
nothing flies, rolls or sounds; no lamp is lit; a banner says that it is no play.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from cabinet.core.live import Live, begin
from cabinet.core.look import (
    BannerLook,
    CardLook,
    HandLook,
    Message,
    Scene,
    SeatLook,
    SeatState,
    Step,
    TablePhase,
    TopBar,
    View,
)
from cabinet.core.past.recall import RecalledRound, moments
from cabinet.core.policy import Policy
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.view.replay import Played, replayed
from cabinet.core.view.round_messages import message
from cabinet.core.view.rules import house_rules
from cabinet.core.view.seats import SeatFaces
from cabinet.core.view.sight import Sight
from cabinet.core.view.steps import still_step
from game.hand import total
from game.round import Round

PAST_MS: Final = -1_000_000  # when everything has happened, as the window sees it
APART_MS: Final = 10  # steps are retold one after another; what time lay between them is in the figures


def recall_view(record: RecalledRound, place: int, live: Live, seq: int = 0) -> View:
    """The picture after step `place` (from 0). `live` is the cabinet's: its name, clock and settings."""
    state = _retold(record)
    at_ms = APART_MS * (place + 1)
    policy = replace(live.policy, rules=record.rules, seats=len(state.seat_records))
    was = begin(policy, at_ms, record.opened_ms)
    seen = Sight(state, was, (), False, at_ms, tuple({} for _ in state.seats))
    played = replayed(state, APART_MS * (moments(record) + 1), policy.timing)
    hands = _hands(played, at_ms)
    moment = played.moments[played.shown(at_ms)]
    step = still_step(seen, moment, SeatFaces(seen), len(hands))
    if moment.settled:
        step = replace(step, line=_ended(moment.round))
    return View(
        scene=Scene.TABLE,
        seats=policy.seats,
        seq=seq,
        top=TopBar(record.rules.min_bet_cents, record.rules.max_bet_cents, record.number, live.wall_base_ms),
        rules=house_rules(policy),
        dealer=_lying(played.dealer, at_ms),
        hands=hands,
        steps=(_past(step),),
        banners=_banners(record, place, policy),
    )


def _retold(record: RecalledRound) -> State:
    """The round with a time of its own for each step, and nothing else open at the seats."""
    moves = tuple(
        replace(move, at_ms=at_ms, start_ms=at_ms, land_ms=at_ms)
        for at_ms, move in zip(
            range(APART_MS, APART_MS * (len(record.steps) + 1), APART_MS), record.state.moves, strict=True
        )
    )
    return replace(
        record.state,
        moves=moves,
        settled_ms=None if record.settled_ms is None else APART_MS * moments(record),
        decision_deadline_ms=None,
        bet_deadline_ms=None,
        frozen="",
        remaining_ms=None,
        waiting=(),
        notes=(),
        tickets=(),
        handpays=(),
        presented=(),
        conditions=(),
        restored=False,
    )


def _lying(cards: tuple[CardLook, ...], at_ms: int) -> tuple[CardLook, ...]:
    """The cards that lie by then."""
    return tuple(CardLook(card.card, PAST_MS, PAST_MS) for card in cards if card.land_ms <= at_ms)


def _hands(played: Played, at_ms: int) -> tuple[HandLook, ...]:
    """The hands that there are by then, with their cards."""
    hands = played.hands
    opens_ms = hands[0].opens_ms
    split = opens_ms is not None and opens_ms <= at_ms
    return tuple(
        replace(
            hand,
            # The pair's own card of a split hand slides over for a while; here it is there at once.
            cards=_lying(hand.cards[:1], max(at_ms, hand.cards[0].land_ms)) + _lying(hand.cards[1:], at_ms)
            if hand.index
            else _lying(hand.cards, at_ms),
            continuation=_lying(hand.continuation, at_ms),
            opens_ms=PAST_MS if split else None,
            gone=hand.gone and split,
        )
        for hand in (hands if split else hands[:1])
    )


def _ended(round_: Round) -> Message:
    """What the dealer and the hand have come to."""
    dealer = total(round_.dealer).best
    if len(round_.hands) > 1:
        return message("recall.ended_split", dealer=dealer)
    hand = round_.hands[0]
    return message("recall.ended", dealer=dealer, total=total(hand.cards + hand.continuation).best)


def _past(step: Step) -> Step:
    seats = tuple(_resting(seat, step.phase) for seat in step.seats)
    return replace(step, from_ms=PAST_MS, clock=None, seats=seats)


def _resting(seat: SeatLook, phase: TablePhase) -> SeatLook:
    """Without the roll of its meters, and without words that invite or promise: it is past."""
    text = seat.message
    if seat.state is SeatState.EMPTY:
        text = None
    elif phase is TablePhase.DECIDE and text is not None and text.key == "seat.in_play":
        text = message("recall.chosen" if seat.state is SeatState.DECIDED else "recall.no_choice")
    credit_cents, won_cents = seat.credit_cents, seat.won_cents
    return replace(seat, message=text, roll_ms=None, credit_from_cents=credit_cents, won_from_cents=won_cents)


def _banners(record: RecalledRound, place: int, policy: Policy) -> tuple[BannerLook, ...]:
    """What tells it from play: which round it is, which step, and that nothing is paid."""
    when = datetime.fromtimestamp(record.opened_ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    end = "recall.voided" if record.voided else "recall.open" if record.settled_ms is None else "recall.past"
    banners = (
        BannerLook("recall", message("banner.recall", round=record.number, when=when)),
        BannerLook("recall_step", message("recall.step", step=place + 1, steps=moments(record))),
        BannerLook("recall_end", message(end)),
    )
    return (*banners, BannerLook("lab", message("banner.lab"))) if policy.lab else banners
