"""What a simulation has counted, and the figures that follow from it.

A ``Tally`` is whole numbers only. Tallies of parts are added, in any order and any grouping, to the very
tally of the whole; figures are made from it at the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from game.analysis.simulate import rounds as counted
from game.analysis.simulate.kernel import ALL_SPLIT, CHOICES, NATURAL, PATTERNS, SOME_SPLIT, SPLIT
from game.play import Choice
from game.settle import Outcome

Counts = tuple[int, ...]

# In the order of the kernel's numbers.
_CHOICES = (Choice.HIT, Choice.STAND, Choice.DOUBLE, Choice.SPLIT)
_OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of a table and of its players, one per different chart, as ``rounds`` lays them out.

    ``seats`` has the player of each seat; ``pays`` is what a blackjack wins, win to stake.
    """

    seats: tuple[int, ...]
    pays: tuple[int, int]
    table: Counts
    players: tuple[Counts, ...]
    said: tuple[Counts, ...]

    @classmethod
    def empty(cls, seats: tuple[int, ...], pays: tuple[int, int]) -> Tally:
        """Nothing played yet."""
        players = max(seats) + 1
        table = (0,) * counted.TABLE_WIDTH
        return cls(seats, pays, table, ((0,) * counted.PLAYER_WIDTH,) * players, ((0,) * CHOICES,) * players)

    @property
    def rounds(self) -> int:
        """Rounds played."""
        return self.table[counted.ROUNDS]

    def merge(self, other: Tally) -> Tally:
        """Both together. Raises ValueError when they are not of one job."""
        if (self.seats, self.pays) != (other.seats, other.pays):
            raise ValueError("tallies of different tables cannot be added")
        return Tally(
            self.seats,
            self.pays,
            _sum(self.table, other.table),
            tuple(map(_sum, self.players, other.players)),
            tuple(map(_sum, self.said, other.said)),
        )


@dataclass(frozen=True, slots=True)
class SeatFigures:
    """One seat; shares of rounds and numbers per round, in original bets.

    ``edge`` is what the house keeps of an original bet on average, ``standard_error`` that of the
    edge; ``sd`` and ``variance`` are of the net result of one round, whose law is ``net``. ``hands``
    are outcomes of hands per round, of which a split round has two; ``totals`` counts the totals that
    played hands ended on; ``choices`` are decisions per round.
    """

    edge: float
    standard_error: float
    variance: float
    win: float
    push: float
    loss: float
    split: float
    double: float
    bet_per_round: float
    net: dict[Fraction, float]
    hands: dict[Outcome, float]
    totals: dict[int, int]
    choices: dict[Choice, float]

    @property
    def sd(self) -> float:
        """Standard deviation of one round."""
        return math.sqrt(self.variance)

    @property
    def edge_per_unit_staked(self) -> float:
        """What the house keeps of all that is staked, doubles and splits included."""
        return self.edge / self.bet_per_round


@dataclass(frozen=True, slots=True)
class Figures:
    """A table: ``seats`` in order, and what all of them share. Shares of rounds, cards per round.

    ``table_net`` is the law of the sum over the seats, each with a bet of 1, ``table_variance`` its
    variance. ``dealer`` has where the dealer ended: a total, ``bust``, ``blackjack``, ``one card``
    (where only a blackjack would have counted) or ``none``. ``cards`` counts rounds by their cards.
    """

    rounds: int
    shoes: int
    seats: tuple[SeatFigures, ...]
    table_net: dict[Fraction, float]
    table_variance: float
    cards_per_round: float
    nobodys_per_round: float
    dealer_drew: float
    natural: float
    some_split: float
    all_split: float
    dealer: dict[str, float]
    cards: dict[int, int]

    def error_of(self, share: float) -> float:
        """The standard error of a share of rounds, each round for itself."""
        return math.sqrt(share * (1 - share) / self.rounds)


def figures(tally: Tally) -> Figures:
    """The figures of what has been played. Raises ValueError when that is nothing."""
    rounds, table = tally.rounds, tally.table
    if not rounds:
        raise ValueError("no round has been played")
    cards = table[counted.CARDS : counted.CARDS + counted.MOST_CARDS]
    ends = table[counted.DEALER : counted.DEALER + counted.DEALER_ENDS]
    pattern = table[counted.PATTERN : counted.PATTERN + PATTERNS]
    together = table[counted.TABLE_NET : counted.TABLE_NET + counted.TABLE_NETS]
    paid = Fraction(*tally.pays) * len(tally.seats)
    law = _law(together, counted.TABLE_ZERO, counted.TABLE_PAID, paid)
    players = [_seat(tally, player) for player in range(len(tally.players))]
    return Figures(
        rounds=rounds,
        shoes=table[counted.SHOES],
        seats=tuple(players[player] for player in tally.seats),
        table_net={net: count / rounds for net, count in law.items()},
        table_variance=_variance(law, rounds),
        cards_per_round=sum(number * count for number, count in enumerate(cards)) / rounds,
        nobodys_per_round=table[counted.NOBODYS] / rounds,
        dealer_drew=1 - ends[counted.DEALER_NONE] / rounds,
        natural=pattern[NATURAL] / rounds,
        some_split=pattern[SOME_SPLIT] / rounds,
        all_split=pattern[ALL_SPLIT] / rounds,
        dealer={_end_name(end): count / rounds for end, count in enumerate(ends) if count},
        cards={number: count for number, count in enumerate(cards) if count},
    )


def _seat(tally: Tally, player: int) -> SeatFigures:
    rounds, counts, said = tally.rounds, tally.players[player], tally.said[player]
    law = _law(
        counts[counted.NET : counted.NET + counted.NETS],
        counted.NET_ZERO,
        counted.NET_PAID,
        Fraction(*tally.pays),
    )
    outcomes = counts[counted.OUTCOME : counted.OUTCOME + counted.OUTCOMES]
    stakes = counts[counted.STAKE : counted.STAKE + counted.STAKES]
    totals = counts[counted.TOTAL : counted.TOTAL + counted.TOTALS]
    win = sum(count for net, count in law.items() if net > 0)
    loss = sum(count for net, count in law.items() if net < 0)
    return SeatFigures(
        edge=float(-_sum_of(law) / rounds),
        standard_error=_standard_error(tally, player),
        variance=_variance(law, rounds),
        win=win / rounds,
        push=law.get(Fraction(0), 0) / rounds,
        loss=loss / rounds,
        split=said[SPLIT] / rounds,
        double=counts[counted.DOUBLED] / rounds,
        bet_per_round=sum(stake * count for stake, count in enumerate(stakes)) / rounds,
        net={net: count / rounds for net, count in law.items()},
        hands={outcome: outcomes[place] / rounds for place, outcome in enumerate(_OUTCOMES)},
        totals={total: count for total, count in enumerate(totals) if count},
        choices={choice: said[place] / rounds for place, choice in enumerate(_CHOICES)},
    )


def _standard_error(tally: Tally, player: int) -> float:
    """Of the mean net result: a ratio of sums over shoes, which are independent of one another.

    With a shuffle before every round a shoe is a round, and this is the usual formula.
    """
    counts, table = tally.players[player], tally.table
    net = _sum_of(
        _law(
            counts[counted.NET : counted.NET + counted.NETS],
            counted.NET_ZERO,
            counted.NET_PAID,
            Fraction(*tally.pays),
        )
    )
    mean = net * tally.pays[1] / tally.rounds
    squares = (
        counts[counted.NET_SQUARES]
        - 2 * mean * counts[counted.NET_ROUNDS]
        + mean * mean * table[counted.SHOE_SQUARES]
    )
    return math.sqrt(squares) / tally.rounds / tally.pays[1]


def _law(counts: Sequence[int], zero: int, paid_place: int, paid: Fraction) -> dict[Fraction, int]:
    """Rounds by net result, ascending; a paid blackjack may win as much as another result."""
    law: dict[Fraction, int] = {}
    for place, count in enumerate(counts):
        net = paid if place == paid_place else Fraction(place - zero)
        if count:
            law[net] = law.get(net, 0) + count
    return dict(sorted(law.items()))


def _sum_of(law: dict[Fraction, int]) -> Fraction:
    return sum((net * count for net, count in law.items()), Fraction(0))


def _variance(law: dict[Fraction, int], rounds: int) -> float:
    squares = sum((net * net * count for net, count in law.items()), Fraction(0))
    mean = _sum_of(law) / rounds
    return float(squares / rounds - mean * mean)


def _end_name(end: int) -> str:
    special = {
        counted.DEALER_NONE: "none",
        counted.DEALER_LOOKED: "one card",
        counted.DEALER_BUST: "bust",
        counted.DEALER_BLACKJACK: "blackjack",
    }
    return special.get(end, str(end))


def _sum(first: Counts, second: Counts) -> Counts:
    return tuple(map(int.__add__, first, second))
