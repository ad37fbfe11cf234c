"""What a round needs next, and why it refuses things."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

# The hand number of cards that go to the dealer.
DEALER_HAND = -1


class IllegalBet(ValueError):  # noqa: N818 - the name says it already
    """A round was opened with no bet, or with one the rules do not take."""


class IllegalCard(ValueError):  # noqa: N818
    """A card that is not in the shoe, lies on the table already, or is not due."""


class IllegalChoice(ValueError):  # noqa: N818
    """A decision that this seat cannot make now."""


class Phase(StrEnum):
    """What a round does now."""

    # Tables are looked up by phase for every card; an enum's own hash is a Python function.
    __hash__ = str.__hash__

    DEAL = "deal"
    UPCARD = "upcard"
    DECIDE = "decide"
    DRAW = "draw"
    SPLIT_CARD = "split_card"
    CONTINUATION = "continuation"
    DEALER = "dealer"
    FINISHED = "finished"


class Purpose(StrEnum):
    """What a card is drawn for. Each purpose is the phase of the same name."""

    DEAL = "deal"
    UPCARD = "upcard"
    DRAW = "draw"
    SPLIT_CARD = "split_card"
    CONTINUATION = "continuation"
    DEALER = "dealer"


@dataclass(frozen=True, slots=True)
class NeedCard:
    """The next card goes to ``hand`` (``DEALER_HAND`` for the dealer)."""

    purpose: Purpose
    hand: int


@dataclass(frozen=True, slots=True)
class NeedDecisions:
    """These seats, ascending, still have to decide on ``hand``; at least one."""

    hand: int
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing more happens; the round can be settled."""


Needs: TypeAlias = NeedCard | NeedDecisions | Finished

_DEALERS = (Purpose.UPCARD, Purpose.DEALER)

# By phase, then by active hand. Made once: a need is asked for before every card.
NEED_CARD: dict[Phase, tuple[NeedCard, ...]] = {
    Phase(purpose.value): tuple(
        NeedCard(purpose, DEALER_HAND if purpose in _DEALERS else hand) for hand in range(3)
    )
    for purpose in Purpose
}
FINISHED = Finished()
