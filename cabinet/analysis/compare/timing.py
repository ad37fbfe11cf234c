"""The timing model of a table: how long each thing takes, and so a round.

A round takes the sum of its parts: cards by what they are for, decisions, settlement, and the bets
before the next deal. In Common-Hand Blackjack all seats decide at once, so a decision takes as long as
the slowest of those who are asked; in standard dealing one waits for the other, so they add up.

How long one person thinks is a random time: at least ``fastest_s``, then exponential with mean
``spread_s``, and never beyond ``longest_s``, where a countdown ends it. That is the simplest law with
a floor and a long tail, and the mean of the slowest of n people has a closed form, so no time is
simulated and none adds to the standard errors. What people decide does not depend on how long they
take, nor on the clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from drivers.tables import TableModel, Wrong, shown

SECONDS_MOST = 600
Seconds = Annotated[float, Meta(ge=0, le=SECONDS_MOST, description=f"seconds, 0 to {SECONDS_MOST}")]
NAME_MOST = 40


# No key has a default: a cost that is left out would be a cost of nothing, in favour of one side.


class CardTiming(TableModel, frozen=True, kw_only=True):
    """Seconds from the moment before a card until the next thing may begin."""

    deal_start_s: Seconds  # before the first card of a round
    deal_s: Seconds  # each card of the deal: the seats' first two, the dealer's first
    draw_s: Seconds  # each card for those who hit, doubled or split
    continuation_start_s: Seconds  # before the first continuation card on a hand (Common-Hand Blackjack only)
    continuation_s: Seconds  # each continuation card
    dealer_start_s: Seconds  # before the dealer's first drawn card
    dealer_s: Seconds  # each card that the dealer draws
    split_s: Seconds  # a pair is moved apart
    next_hand_s: Seconds  # from one hand of a split to the next
    shuffle_s: Seconds  # each time the cut card has come; nothing where every round has a fresh shoe


class Thought(TableModel, frozen=True, kw_only=True):
    """How long one person takes; see the module."""

    fastest_s: Seconds
    spread_s: Seconds
    longest_s: Seconds

    @classmethod
    def across(cls, table: Mapping[str, object]) -> list[Wrong]:
        match table.get("fastest_s"), table.get("longest_s"):
            case int() | float() as least, int() | float() as most if most < least:
                return [Wrong(("longest_s",), shown(most), f"at least fastest_s ({least})")]
            case _:
                return []

    def slowest_s(self, people: int) -> float:
        """The expected time of the slowest of ``people`` who think at the same time.

        The integral of the chance that somebody still thinks, 1 - (1 - exp(-t / spread)) ** people,
        up to ``longest_s``; the power written out term by term.
        """
        if people < 1:
            return 0.0
        room_s = self.longest_s - self.fastest_s
        if self.spread_s == 0:
            return self.fastest_s
        terms = (
            (-1) ** (j + 1) * math.comb(people, j) * (1 - math.exp(-j * room_s / self.spread_s)) / j
            for j in range(1, people + 1)
        )
        return self.fastest_s + self.spread_s * math.fsum(terms)


class Decisions(Thought, frozen=True, kw_only=True):
    """Thinking, and what the dealer or the machine does about it."""

    register_s: Seconds  # to take down one seat's decision (Common-Hand Blackjack only)
    next_player_s: Seconds  # from one seat to the next (standard dealing only)


class SettlementTiming(TableModel, frozen=True, kw_only=True):
    start_s: Seconds  # before the first bet is settled
    bet_s: Seconds  # each bet: a seat has one, or two after a split
    hold_s: Seconds  # cards and results stay, or are cleared, before bets can be placed


class TableTiming(TableModel, frozen=True, kw_only=True):
    """A whole file. ``name`` is what its table is headed with."""

    name: str
    cards: CardTiming
    decisions: Decisions
    settlement: SettlementTiming
    bets: Thought  # all seats at once, in both games


@dataclass(frozen=True, slots=True)
class Work:
    """What happens in a round of ``seats`` seats, as mean numbers: all that a timing model asks for.

    Cards by what they are for: ``deal`` the first ones, ``drawn`` those of hits, doubles and splits,
    ``continuation`` those laid on ``continued`` hands, ``dealer`` the dealer's after his first, in
    ``dealer_turns`` of a round. ``splits`` are pairs moved apart, ``next_hands`` steps from one hand of
    a split to the next. ``asked[n - 1]`` are decisions that n seats make at the same time (in standard
    dealing n is always 1), ``registered`` single decisions that have to be taken down, ``passes`` turns
    that go from seat to seat. ``settled`` are bets, ``shuffles`` complete shoes with a cut card.
    """

    seats: int
    deal: float
    drawn: float
    continuation: float
    continued: float
    dealer: float
    dealer_turns: float
    splits: float
    next_hands: float
    asked: tuple[float, ...]
    registered: float
    passes: float
    settled: float
    shuffles: float

    @property
    def cards(self) -> float:
        return self.deal + self.drawn + self.continuation + self.dealer


@dataclass(frozen=True, slots=True)
class RoundParts:
    """Where the seconds of a round go."""

    cards_s: float
    decisions_s: float
    settlement_s: float
    bets_s: float

    @property
    def round_s(self) -> float:
        return self.cards_s + self.decisions_s + self.settlement_s + self.bets_s


def seconds(timing: TableTiming, work: Work) -> RoundParts:
    """The expected seconds of a round. Linear in the work, so means of rounds may be put in."""
    cards, decisions = timing.cards, timing.decisions
    thinking_s = sum(
        times * decisions.slowest_s(people) for people, times in enumerate(work.asked, start=1) if times
    )
    return RoundParts(
        cards_s=cards.deal_start_s
        + work.deal * cards.deal_s
        + work.drawn * cards.draw_s
        + work.continued * cards.continuation_start_s
        + work.continuation * cards.continuation_s
        + work.dealer_turns * cards.dealer_start_s
        + work.dealer * cards.dealer_s
        + work.splits * cards.split_s
        + work.next_hands * cards.next_hand_s
        + work.shuffles * cards.shuffle_s,
        decisions_s=thinking_s
        + work.registered * decisions.register_s
        + work.passes * decisions.next_player_s,
        settlement_s=timing.settlement.start_s
        + work.settled * timing.settlement.bet_s
        + timing.settlement.hold_s,
        bets_s=timing.bets.slowest_s(work.seats),
    )
