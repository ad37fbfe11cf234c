"""One hand on the table, and what each seat has made of it.

The cards of a hand are shared; what a seat *owns* of it is its ``Play``: the stake, the words it
said, and how it ended. The dealer's continuation cards lie beside the hand and belong to nobody.

The k-th word of a seat was said when the hand had k + 1 cards, because a seat decides once per
card from the second on and drops out when it is finished. So words need no card count, and the
order in which seats pressed their buttons is not part of the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from game.cards import Card


class Choice(StrEnum):
    """What a seat can do with a hand."""

    # A table is looked up by choice for every decision; an enum's own hash is a Python function.
    __hash__ = str.__hash__

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"


class Said(StrEnum):
    """A decision as it is recorded: the choice, or that the time ran out (which stands)."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    TIME = "time"


class Fate(StrEnum):
    """How a play stands or ended."""

    LIVE = "live"  # has to decide, or waits for the card it asked for
    STOOD = "stood"
    TIMED_OUT = "timed_out"  # stood because no choice came in time
    TWENTY_ONE = "twenty_one"  # reached exactly 21 and stands by itself
    DOUBLED = "doubled"  # took its one card and did not bust
    ONE_CARD = "one_card"  # split ace: one card, no decision
    BLACKJACK = "blackjack"
    BUST = "bust"
    SPLIT = "split"  # left the pair; the bets are on the two split hands


class HandStatus(StrEnum):
    """Where a hand is in its life."""

    WAITING = "waiting"  # a split hand whose turn has not come
    PLAYING = "playing"
    COMPLETING = "completing"  # continuation cards are dealt
    DONE = "done"


# The word that records each choice.
SAID: dict[Choice, Said] = {choice: Said(choice.value) for choice in Choice}

# Looked up once: on Python 3.11 the member of an enum costs as much as a call.
_LIVE = Fate.LIVE


@dataclass(frozen=True, slots=True)
class Play:
    """One seat on one hand.

    ``stake_cents`` is all that the seat has at risk on it: two bets after DOUBLE. ``total`` is what
    the play ended on, bust totals included; 0 while it is live and after a split. ``said`` has one
    word per decision, oldest first.
    """

    seat: int
    stake_cents: int
    fate: Fate = Fate.LIVE
    total: int = 0
    said: tuple[Said, ...] = ()

    @property
    def doubled(self) -> bool:
        """The stake of this play was doubled, whatever came of it."""
        return Said.DOUBLE in self.said


@dataclass(frozen=True, slots=True)
class Hand:
    """``cards`` were played, ``continuation`` cards belong to no seat; ``plays`` ascend by seat.

    A split hand begins with one card of the pair, the same card that lies in the pair.
    """

    status: HandStatus
    cards: tuple[Card, ...]
    plays: tuple[Play, ...]
    continuation: tuple[Card, ...] = ()

    @property
    def owners(self) -> tuple[int, ...]:
        """The seats that play this hand; those that split have left the pair."""
        return tuple(play.seat for play in self.plays if play.fate is not Fate.SPLIT)

    @property
    def undecided(self) -> tuple[int, ...]:
        """The live seats that have said nothing on the cards as they lie now."""
        words = len(self.cards) - 1
        return tuple([play.seat for play in self.plays if play.fate is _LIVE and len(play.said) < words])

    def asks(self, seat: int) -> bool:
        """The seat is among the undecided."""
        play = self.play(seat)
        return play is not None and play.fate is _LIVE and len(play.said) < len(self.cards) - 1

    def play(self, seat: int) -> Play | None:
        """The play of a seat, also one that has split; None if it never was on this hand."""
        for play in self.plays:
            if play.seat == seat:
                return play
        return None
