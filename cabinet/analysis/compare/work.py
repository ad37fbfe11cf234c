"""What the simulations of the two games have counted, as the work of a round."""

from __future__ import annotations

from cabinet.analysis.compare.timing import Work
from game.analysis.standard import StandardTally
from game.analysis.standard.common import CommonTally


def common_work(sums: CommonTally, seats: int, cut_card: bool) -> Work:
    """A round of so many seats that play alike: one hand, or two when all split."""
    rounds = sums.rounds
    periods = sums.decisions / rounds
    return Work(
        seats=seats,
        deal=3,
        drawn=sums.drawn / rounds,
        continuation=sums.continuation / rounds,
        continued=sums.continued / rounds,
        dealer=sums.dealer_cards / rounds,
        dealer_turns=sums.dealer_turns / rounds,
        splits=sums.splits / rounds,
        next_hands=sums.splits / rounds,
        asked=(*(0.0,) * (seats - 1), periods),
        registered=seats * periods,
        passes=0,
        settled=seats * (1 + sums.splits / rounds),
        shuffles=sums.shoes / rounds if cut_card else 0,
    )


def standard_work(sums: StandardTally, cut_card: bool) -> Work:
    """A round of standard dealing. Every decision is made by one seat while all others wait."""
    rounds, seats = sums.rounds, sums.seats
    return Work(
        seats=seats,
        deal=2 * seats + 1,
        drawn=(sums.drawn + sums.split_cards) / rounds,
        continuation=0,
        continued=0,
        dealer=sums.dealer_cards / rounds,
        dealer_turns=sums.dealer_turns / rounds,
        splits=sums.splits / rounds,
        next_hands=sums.splits / rounds,
        asked=(sums.decisions / rounds,),
        registered=0,
        passes=sums.passes / rounds,
        settled=sums.settled / rounds,
        shuffles=sums.shoes / rounds if cut_card else 0,
    )
