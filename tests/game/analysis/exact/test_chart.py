"""The best chart: proven against every other cell, and played as the cabinet reads charts."""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np
import pytest

from game.analysis.exact.odds import ALWAYS_STAND, Analysis, analyse
from game.analysis.exact.play import (
    CELLS,
    LETTERS,
    NO_ROW,
    best_values,
    chart_actions,
    chart_of,
    letters_of,
    round_value,
)
from game.analysis.exact.search import Search
from game.analysis.exact.states import WHOLE, Odds, make_table
from game.chart import UPCARDS, Chart, advise
from game.play import Choice
from game.rules import SPLIT_RANKS, Rules, Takes

HOUSE = Rules()
LOOSE = Rules(decks=2, double_totals="any", splittable=SPLIT_RANKS, dealer_hits_soft_17=True)
# One deck, one kind of pair, doubles on a total that nobody would double.
ODD = Rules(
    decks=1,
    double_totals=(8, 11, 18),
    double_after_split=False,
    splittable=("10",),
    dealer_blackjack_takes=Takes.ORIGINAL,
    blackjack_pays="1:1",
)
BARE = Rules(decks=3, double_totals=(), splittable=(), dealer_hits_soft_17=True)
SETS = pytest.mark.parametrize("rules", [HOUSE, LOOSE, ODD, BARE], ids=["house", "loose", "odd", "bare"])

# Advice is asked for cards by points; which of the like cards of a shoe it is does not matter.
LETTER = {Choice.HIT: "H", Choice.STAND: "S", Choice.DOUBLE: "D", Choice.SPLIT: "P"}


@lru_cache(maxsize=8)  # more than the rule sets of this file
def analysed(rules: Rules) -> Analysis:
    return analyse(rules)


def random_chart(seed: int) -> Chart:
    chance = random.Random(seed)

    def rows(count: int, letters: str) -> tuple[str, ...]:
        return tuple("".join(chance.choices(letters, k=10)) for _ in range(count))

    pairs = tuple(row if chance.random() < 0.7 else "" for row in rows(10, "HSDP"))
    return Chart("by chance", rows(17, "HSD"), rows(9, "HSD"), pairs)


@SETS
def test_no_other_letter_in_any_cell_is_better_and_each_costs_what_was_foretold(rules: Rules) -> None:
    table = make_table(Odds.of(rules))
    search = Search(table)
    best = search.best()
    value = search.value(best)
    gains = search.gains(best)
    tried = 0
    for cell in range(CELLS):
        for letter in range(len(LETTERS)):
            if best[cell, 0] == NO_ROW or np.isneginf(gains[letter, cell, 0]):
                continue
            tried += 1
            other = best.copy()
            other[cell] = letter  # all ten upcards at once: they do not touch each other
            change = search.value(other) - value
            assert change.max() <= 1e-15, (cell, letter)
            # A cell that the chart never comes to (hard 4 where deuces are split) changes nothing.
            foretold = np.where(change == 0, 0, gains[letter, cell])
            assert change == pytest.approx(foretold, abs=1e-15), (cell, letter)
    assert tried >= 2 * 26


@SETS
def test_composition_is_never_worse_than_totals_and_the_letter_is_the_best_of_its_cell(rules: Rules) -> None:
    found = analysed(rules)
    assert found.edge_cd <= found.edge_td
    for key, cell in found.cells.items():
        worths = {"H": cell.hit, "S": cell.stand, "D": cell.double, "P": cell.split}
        legal = {letter: worth for letter, worth in worths.items() if worth is not None}
        assert legal[cell.letter] == pytest.approx(max(legal.values()), abs=1e-12), key
        assert (cell.split is not None) == key[0].startswith("pair")


def test_a_double_is_offered_where_the_rules_have_it() -> None:
    house = analysed(HOUSE)
    doubled = {name for (name, _), cell in house.cells.items() if cell.double is not None}
    assert doubled == {"hard 9", "hard 10", "hard 11"}
    loose = analysed(LOOSE)
    assert all(cell.double is not None for cell in loose.cells.values())
    odd = analysed(ODD)
    assert {name for (name, _), cell in odd.cells.items() if cell.double is not None} == {
        "hard 8",
        "hard 11",
        "hard 18",
    }
    assert odd.cells["hard 18", "6"].letter == "S"


def test_dealt_cells_are_what_a_first_decision_is_worth() -> None:
    """Cells of a dealt hand leave out the third card, where D is a hit."""
    house = analysed(HOUSE)
    dealt = house.dealt["hard 11", "6"]
    assert dealt.double is not None
    assert dealt.double == pytest.approx(0.67667, abs=5e-6)
    assert dealt.double == pytest.approx(2 * dealt.hit, abs=1e-12)
    every = house.cells["hard 11", "6"]
    assert every.double is not None
    assert dealt.hit < every.double < dealt.double  # three cards of 11 are hit
    assert house.dealt["pair 8", "6"] == house.cells["pair 8", "6"]
    assert house.dealt["hard 4", "10"].hit == house.dealt["pair 2", "10"].hit


def test_half_of_a_dealer_blackjack_belongs_to_each_hand_of_a_split() -> None:
    """The original bet only is lost: a split pair of aces loses one bet in all, not two."""
    rules = Rules(dealer_blackjack_takes=Takes.ORIGINAL)
    all_bets = analysed(Rules()).cells["pair A", "10"]
    original = analysed(rules).cells["pair A", "10"]
    assert original.split is not None
    assert all_bets.split is not None
    # The dealer's next card is an ace with 22 of 309.
    assert original.split - all_bets.split == pytest.approx(22 / 309, abs=1e-12)
    assert original.hit == pytest.approx(all_bets.hit, abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_charts_are_played_as_the_cabinet_reads_them(seed: int) -> None:
    chart = random_chart(seed)
    rules = (HOUSE, LOOSE, ODD, BARE)[seed]
    odds = Odds.of(rules)
    table = make_table(odds)
    actions = chart_actions(table, letters_of(chart, odds.splits))
    hands = table.hands
    asked = 0
    for state in np.nonzero(hands.decided)[0]:
        cards = [rank for rank in range(10) for _ in range(hands.own[state, rank])]
        split = hands.context[state] != WHOLE
        if split and cards.count(hands.context[state]) == 2 and len(cards) == 2:
            continue  # a pair that came again: see the next test
        legal = [Choice.HIT, Choice.STAND]
        if rules.may_double(cards, after_split=bool(split)):
            legal.append(Choice.DOUBLE)
        if not split and rules.may_split(cards):
            legal.append(Choice.SPLIT)
        for up in range(10):
            asked += 1
            letter = LETTER[advise(chart, rules, cards, up, legal)]
            assert letter == LETTERS[actions[state, up]], (cards, up)
    assert asked > 50_000


def test_a_pair_that_comes_again_after_its_split_is_played_by_total() -> None:
    """It was split, so its row says P, which is not legal twice."""
    rules = LOOSE
    odds = Odds.of(rules)
    base = random_chart(9)
    chart = Chart("split all", base.hard, base.soft, ("P" * 10,) * 10)
    table = make_table(odds)
    actions = chart_actions(table, letters_of(chart, odds.splits))
    for rank in range(1, 10):
        again = table.hands.children[table.hands.root[rank], rank]
        for up in range(10):
            legal = [Choice.HIT, Choice.STAND, Choice.DOUBLE]
            choice = advise(chart, rules, (rank, rank + 13), up, legal)
            assert LETTER[choice] == LETTERS[actions[again, up]]


def test_letters_and_charts_are_the_same_thing() -> None:
    chart = random_chart(3)
    letters = letters_of(chart, (True,) * 10)
    assert chart_of(letters, chart.name) == chart
    assert LETTERS[letters[0, SPLIT_RANKS.index("A")]] == chart.hard[0][UPCARDS.index("A")]
    assert letters_of(ALWAYS_STAND, (True,) * 10)[0].tolist() == [LETTERS.index("S")] * 10


def test_a_search_from_anywhere_ends_on_a_chart_of_the_same_worth() -> None:
    search = Search(make_table(Odds.of(LOOSE)))
    best = search.best()
    for seed in range(3):
        start = random_chart(seed)
        rows = tuple(row or "PHSDPHSDPH" for row in start.pairs)
        climbed = search.climb(letters_of(Chart("start", start.hard, start.soft, rows), (True,) * 10))
        assert search.value(climbed) == pytest.approx(search.value(best), abs=1e-12)


def test_composition_beats_every_chart_by_every_upcard() -> None:
    search = Search(make_table(Odds.of(HOUSE)))
    best = round_value(search.table, best_values(search.table))
    assert (best >= search.value(search.best()) - 1e-15).all()
