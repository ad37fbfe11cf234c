"""Exact odds of a rule set: the house edge, the best chart, and the law of a round.

For one player and a fresh shoe; where several seats play, each of them alone has these odds, because
what a seat decides by its own hand changes nothing in the law of the others' cards. All figures are
counted without replacement from the finite shoe, in double precision.

Two edges are told. *By totals* (``edge_td``): one chart by the total of the hand, the best there is:
changing any one cell of it costs (``game.analysis.exact.search``). *By composition* (``edge_cd``):
every decision from the exact cards of the player's own hand, in a split hand also knowing that the
other card of the pair is gone, but nothing of the other hand. A chart is played exactly as
``game.chart.advise`` reads it: a double that is not legal (third card, or after a split) is a hit, or a
stand from hard 17 and soft 18 on; a pair that cannot be split again is played by its total.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np

from game.analysis.exact.dealer import OUTCOME_NAMES, OUTCOMES, RANK_COUNT, Ints, dealer_laws, full_shoe
from game.analysis.exact.net import RoundLaw, round_law
from game.analysis.exact.play import (
    DOUBLE,
    HIT,
    LETTERS,
    SPLIT,
    STAND,
    best_values,
    chart_actions,
    chart_of,
    letters_of,
    round_value,
    values,
)
from game.analysis.exact.search import Search, Worth, cell_names
from game.analysis.exact.split import TOTALS
from game.analysis.exact.states import Odds, OddsTable, make_table
from game.chart import HARD_TOTALS, SOFT_TOTALS, UPCARDS, Chart
from game.rules import SPLIT_RANKS, Rules

# What a cabinet does for a player who never presses a button: every decision times out.
ALWAYS_STAND = Chart(
    "Always stand",
    hard=("S" * len(UPCARDS),) * len(HARD_TOTALS),
    soft=("S" * len(UPCARDS),) * len(SOFT_TOTALS),
    pairs=("",) * len(SPLIT_RANKS),
)


@dataclass(frozen=True, slots=True)
class ChartCell:
    """One cell of a chart: its letter, and what every letter is worth there in initial bets.

    A worth is the mean over the hands that come to the cell (see ``Analysis``), each then played on by
    the chart. ``double`` is the worth of the letter D, which plays hands that may not be doubled by
    its fall-back; None where no hand of the cell may be doubled. ``split`` (both hands together) is
    None where there is nothing to split.
    """

    letter: str
    hit: float
    stand: float
    double: float | None
    split: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The law of a round under a chart, per unit of the initial bet; probabilities of a round.

    ``net`` has the results -4..4 and the payout of a natural, ascending, also where a probability is
    0. ``bet_per_round`` is all that is staked: the bet, its splits and doubles. ``split``, ``double``,
    ``natural``: a round with a split, with at least one double, with a player's natural.
    ``hand_totals``: shares of all hands played, both hands of a split counted: "4".."21", "bust",
    "blackjack"; a double that busts is a bust. ``dealer_totals``: "17".."21", "bust", "blackjack", as
    if the dealer always played out.
    """

    net: Mapping[Fraction, float]
    bet_per_round: float
    variance: float
    sd: float
    win: float
    push: float
    loss: float
    split: float
    double: float
    natural: float
    hand_totals: Mapping[str, float]
    dealer_totals: Mapping[str, float]

    @property
    def mean(self) -> float:
        """The expected result of a round; less than 0 where the house wins."""
        return math.fsum(float(result) * chance for result, chance in self.net.items())

    @property
    def edge_per_unit_staked(self) -> float:
        """The house's share of all money staked, splits and doubles included."""
        return -self.mean / self.bet_per_round


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis(Distribution):
    """A rule set with its best chart by totals, and the law of the round under it.

    Edges are shares of the initial bet, above 0 for the house. ``cells`` and ``dealt`` have a cell per
    name ("hard 12", "soft 18", "pair 8") and upcard ("2".."10", "A"). ``cells`` are means over every
    hand that comes to a cell under the chart, with its frequency: dealt hands, hands of three and more
    cards, hands after a split (per hand). The letter is the best of these means. ``dealt`` are means
    over the two cards as dealt, what a player finds when he looks up his first decision; where the
    chart has a row for the only such pair (hard 4, soft 12), over that pair.
    """

    rules: Rules
    chart: Chart
    cells: Mapping[tuple[str, str], ChartCell]
    dealt: Mapping[tuple[str, str], ChartCell]
    edge_td: float
    edge_cd: float


def _silent(_text: str) -> None:
    """Nobody wants to know."""


def analyse(rules: Rules, say: Callable[[str], None] = _silent) -> Analysis:
    """Everything about a rule set, in a few seconds. ``say`` is told what is being done."""
    say("the dealer against every hand of the player")
    table = make_table(Odds.of(rules))
    say("the best chart by totals")
    search = Search(table)
    letters = search.best()
    edge_td = -math.fsum(search.value(letters))
    say("the best play by composition")
    edge_cd = -math.fsum(round_value(table, best_values(table)))
    law = _distribution(table, letters, say)
    return Analysis(
        rules=rules,
        chart=chart_of(letters, "Best by total"),
        cells=_cells(table, letters, search.worth(letters)),
        dealt=_cells(table, letters, search.worth(letters, table.dealt)),
        edge_td=edge_td,
        edge_cd=edge_cd,
        **{field.name: getattr(law, field.name) for field in fields(Distribution)},
    )


def edge_of(rules: Rules, chart: Chart) -> float:
    """The exact house edge of a chart, as a share of the initial bet."""
    table = make_table(Odds.of(rules))
    actions = chart_actions(table, letters_of(chart, table.odds.splits))
    return -math.fsum(round_value(table, values(table, actions)[0]))


def distribution_of(rules: Rules, chart: Chart, say: Callable[[str], None] = _silent) -> Distribution:
    """The exact law of a round that is played by a chart."""
    table = make_table(Odds.of(rules))
    return _distribution(table, letters_of(chart, table.odds.splits), say)


def _distribution(table: OddsTable, letters: Ints, say: Callable[[str], None]) -> Distribution:
    law = round_law(table, letters, say)
    mean = math.fsum(float(result) * chance for result, chance in law.net.items())
    variance = math.fsum((float(result) - mean) ** 2 * chance for result, chance in law.net.items())
    return Distribution(
        net=law.net,
        bet_per_round=1 + law.split + law.doubles,
        variance=variance,
        sd=math.sqrt(variance),
        win=math.fsum(chance for result, chance in law.net.items() if result > 0),
        push=law.net[Fraction(0)],
        loss=math.fsum(chance for result, chance in law.net.items() if result < 0),
        split=law.split,
        double=law.double,
        natural=law.natural,
        hand_totals=_hand_totals(law),
        dealer_totals=_dealer_totals(table.odds),
    )


def _hand_totals(law: RoundLaw) -> dict[str, float]:
    """Shares of all hands; a round has one, or two after a split."""
    names = (*map(str, range(4, 22)), "bust")
    by_total = law.hands[:TOTALS] + law.hands[TOTALS:]
    shares = {name: float(count) for name, count in zip(names, by_total, strict=True)}
    shares["blackjack"] = law.natural
    return {name: share / (1 + law.split) for name, share in shares.items()}


def _dealer_totals(odds: Odds) -> dict[str, float]:
    """The dealer alone with a fresh shoe: what players draw before him does not change his odds."""
    shoe = full_shoe(odds.decks)
    law = np.zeros(OUTCOMES)
    for up in range(RANK_COUNT):
        left = shoe - (np.arange(RANK_COUNT) == up)
        law += shoe[up] / shoe.sum() * dealer_laws(left[None], up, odds.hits_soft_17)[0]
    return dict(zip(OUTCOME_NAMES, law.tolist(), strict=True))


def _cells(table: OddsTable, letters: Ints, worth: Worth) -> dict[tuple[str, str], ChartCell]:
    """Every cell by name and upcard, in the order of a chart."""
    cells = {}
    for name, cell in cell_names(table.odds.splits).items():
        for upcard in UPCARDS:
            up = SPLIT_RANKS.index(upcard)
            mean = worth.sums[:, cell, up] / worth.weight[cell, up]
            cells[name, upcard] = ChartCell(
                letter=LETTERS[letters[cell, up]],
                hit=float(mean[HIT]),
                stand=float(mean[STAND]),
                double=float(mean[DOUBLE]) if worth.legal[DOUBLE, cell] else None,
                split=float(mean[SPLIT]) if worth.legal[SPLIT, cell] else None,
            )
    return cells
