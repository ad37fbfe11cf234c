"""The exact odds against a second count that shares nothing with them but the rules.

The second count deals card after card from a list of what is left, asks the cabinet's own reader of
charts for every decision, and walks every order of cards. It is slow, so it counts single deals; they
are taken out of whole-round figures as the difference between two charts that differ in one pair.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
import pytest

from game.analysis.exact.odds import ALWAYS_STAND, distribution_of, edge_of
from game.analysis.exact.play import best_values, chart_actions, letters_of, round_value, values
from game.analysis.exact.states import Odds, make_table
from game.chart import UPCARDS, Chart, advise
from game.play import Choice
from game.round import NeedCard, NeedDecisions, Round
from game.rules import SPLIT_RANKS, Rules, Takes
from game.settle import settle
from support.evenings.rounds import default_chart

Left = tuple[int, ...]
Law = dict[Fraction, float]

ONE_DECK = Rules(
    decks=1,
    double_totals="any",
    splittable=SPLIT_RANKS,
    dealer_hits_soft_17=True,
    blackjack_pays="6:5",
    dealer_blackjack_takes=Takes.ORIGINAL,
)
TWO_DECKS = Rules(decks=2, double_totals="any", splittable=SPLIT_RANKS, blackjack_pays="6:5")
NO_DAS = Rules(
    decks=1,
    double_after_split=False,
    dealer_hits_soft_17=True,
    dealer_blackjack_takes=Takes.ORIGINAL,
)

# Doubles what can be doubled and stands early elsewhere: many results, few orders of cards.
EAGER = Chart(
    "eager",
    hard=("H" * 10,) * 4 + ("D" * 10,) * 4 + ("D" * 10,) * 3 + ("S" * 10,) * 6,
    soft=("D" * 10,) * 9,
    pairs=("",) * 10,
)


def shoe(rules: Rules, *gone: int) -> Left:
    """What is left by points, from the ace at 0."""
    left = [4 * rules.decks] * 9 + [16 * rules.decks]
    for rank in gone:
        left[rank] -= 1
    assert min(left) >= 0
    return tuple(left)


def draws(left: Left) -> Iterator[tuple[int, float, Left]]:
    cards = sum(left)
    for rank in range(10):
        if left[rank]:
            yield rank, left[rank] / cards, (*left[:rank], left[rank] - 1, *left[rank + 1 :])


def best(cards: tuple[int, ...]) -> tuple[int, bool]:
    points = sum(rank + 1 for rank in cards)
    return (points + 10, True) if 0 in cards and points <= 11 else (points, False)


@lru_cache(maxsize=200_000)  # more shoes than any of these deals leaves
def dealer(up: int, left: Left, hits_soft_17: bool) -> tuple[tuple[int, float], ...]:
    """(total, chance) with 0 for a bust and 22 for a blackjack: every order of his cards."""
    law = [0.0] * 23
    shoe_now = list(left)

    def draw(points: int, aces: bool, drawn: int, chance: float, cards: int) -> None:
        for rank in range(10):
            if not shoe_now[rank]:
                continue
            share = chance * shoe_now[rank] / cards
            hard, ace = points + rank + 1, aces or rank == 0
            soft = ace and hard <= 11
            total = hard + 10 if soft else hard
            if total < 17 or (total == 17 and soft and hits_soft_17):
                shoe_now[rank] -= 1
                draw(hard, ace, drawn + 1, share, cards - 1)
                shoe_now[rank] += 1
            else:
                law[0 if total > 21 else 22 if total == 21 and drawn == 1 else total] += share

    draw(up + 1, up == 0, 1, 1.0, sum(left))
    return tuple((end, chance) for end, chance in enumerate(law) if chance)


def hand_ends(
    rules: Rules, chart: Chart, cards: tuple[int, ...], left: Left, up: int, split: bool
) -> Iterator[tuple[int, int, float, Left]]:
    """(total, stake, chance, left) of one hand that is not split any more."""
    if split and cards[0] == 0 and len(cards) == 2:
        yield best(cards)[0], 1, 1.0, left
        return
    if len(cards) >= 2:
        if best(cards)[0] >= 21:
            yield best(cards)[0], 1, 1.0, left
            return
        legal = [Choice.HIT, Choice.STAND]
        if rules.may_double(cards, after_split=split):
            legal.append(Choice.DOUBLE)
        match advise(chart, rules, cards, up, legal):
            case Choice.STAND:
                yield best(cards)[0], 1, 1.0, left
                return
            case Choice.DOUBLE:
                for rank, chance, after in draws(left):
                    yield best((*cards, rank))[0], 2, chance, after
                return
    for rank, chance, after in draws(left):
        for total, stake, share, rest in hand_ends(rules, chart, (*cards, rank), after, up, split):
            yield total, stake, chance * share, rest


def merged(ends: Iterator[tuple[int, int, float, Left]]) -> dict[tuple[int, int, Left], float]:
    found: dict[tuple[int, int, Left], float] = {}
    for total, stake, chance, left in ends:
        found[total, stake, left] = found.get((total, stake, left), 0.0) + chance
    return found


def result(bets: list[tuple[int, int]], house: int, rules: Rules) -> int:
    """Net of (total, stake) bets that are no naturals."""
    if house == 22 and rules.dealer_blackjack_takes is Takes.ORIGINAL:
        return -1
    net = 0
    for total, stake in bets:
        if total > 21 or house == 22 or total < house:
            net -= stake
        elif total > house:
            net += stake
    return net


def deal_law(rules: Rules, chart: Chart, first: int, second: int, up: int) -> Law:
    """The law of the net result after three cards."""
    left = shoe(rules, first, second, up)
    law: Law = {}

    def add(net: Fraction, chance: float) -> None:
        law[net] = law.get(net, 0.0) + chance

    if best((first, second))[0] == 21:
        for end, chance in dealer(up, left, rules.dealer_hits_soft_17):
            add(Fraction(0) if end == 22 else Fraction(*rules.pays), chance)
        return law
    legal = list(Choice) if rules.may_split((first, second)) else [Choice.HIT, Choice.STAND, Choice.DOUBLE]
    if advise(chart, rules, (first, second), up, legal) is not Choice.SPLIT:
        for (total, stake, after), share in merged(
            hand_ends(rules, chart, (first, second), left, up, False)
        ).items():
            for end, chance in dealer(up, after, rules.dealer_hits_soft_17):
                add(Fraction(result([(total, stake)], end, rules)), share * chance)
        return law
    for (total, stake, after), share in merged(hand_ends(rules, chart, (first,), left, up, True)).items():
        for (other, twice, last), chance in merged(
            hand_ends(rules, chart, (second,), after, up, True)
        ).items():
            for end, odds in dealer(up, last, rules.dealer_hits_soft_17):
                net = result([(total, stake), (other, twice)], end, rules)
                add(Fraction(net), share * chance * odds)
    return law


def with_pair(chart: Chart, rank: int, up: int, letter: str) -> Chart:
    """The chart with a row for one pair only: its letter against the upcard, S elsewhere."""
    column = (up + 9) % 10
    rows = [""] * 10
    rows[rank] = "S" * column + letter + "S" * (9 - column)
    return Chart(chart.name, chart.hard, chart.soft, tuple(rows))


def dealt(rules: Rules, first: int, second: int, up: int) -> float:
    """The chance of two cards in either order and the upcard."""
    cards = 52 * rules.decks
    ways = shoe(rules)[first] * shoe(rules, first)[second] * shoe(rules, first, second)[up]
    return ways * (1 if first == second else 2) / (cards * (cards - 1) * (cards - 2))


@pytest.mark.parametrize(
    ("rules", "chart", "rank", "up", "letter"),
    [
        (Rules(), default_chart(), 8, 5, "P"),  # nines against a six, doubles after the split
        (Rules(), default_chart(), 5, 5, "P"),
        (Rules(), default_chart(), 7, 4, "P"),
        (ONE_DECK, default_chart(), 0, 0, "P"),  # aces against an ace: one ace is left
        (ONE_DECK, default_chart(), 0, 9, "P"),
        (ONE_DECK, default_chart(), 9, 5, "P"),
        pytest.param(ONE_DECK, default_chart(), 9, 9, "P", marks=pytest.mark.campaign),
        pytest.param(
            ONE_DECK, default_chart(), 8, 9, "P", marks=pytest.mark.campaign
        ),  # busts, and a dealer blackjack takes one bet of two
        (ONE_DECK, EAGER, 8, 9, "P"),  # doubles that bust
        (ONE_DECK, EAGER, 6, 9, "P"),
        pytest.param(ONE_DECK, EAGER, 3, 9, "P", marks=pytest.mark.campaign),
        (TWO_DECKS, EAGER, 9, 9, "P"),
        (TWO_DECKS, EAGER, 8, 9, "D"),
        (TWO_DECKS, default_chart(), 4, 9, "D"),
        pytest.param(NO_DAS, default_chart(), 8, 8, "P", marks=pytest.mark.campaign),
        pytest.param(NO_DAS, default_chart(), 7, 9, "P", marks=pytest.mark.campaign),
        pytest.param(NO_DAS, default_chart(), 6, 6, "P", marks=pytest.mark.campaign),
        pytest.param(TWO_DECKS, default_chart(), 5, 8, "P", marks=pytest.mark.campaign),
        (NO_DAS, default_chart(), 1, 9, "H"),  # every way to draw from two deuces
    ],
)
def test_one_letter_of_one_pair_moves_every_result_as_counted(
    rules: Rules, chart: Chart, rank: int, up: int, letter: str
) -> None:
    changed, stands = with_pair(chart, rank, up, letter), with_pair(chart, rank, up, "S")
    one, other = distribution_of(rules, changed), distribution_of(rules, stands)
    counted, stood = deal_law(rules, changed, rank, rank, up), deal_law(rules, stands, rank, rank, up)
    assert sum(counted.values()) == pytest.approx(1, abs=1e-12)
    weight = dealt(rules, rank, rank, up)
    moved = 0
    for net in one.net:
        difference = counted.get(net, 0.0) - stood.get(net, 0.0)
        assert (one.net[net] - other.net[net]) / weight == pytest.approx(difference, abs=1e-11)
        moved += abs(difference) > 1e-9
    assert moved >= 2
    mean = sum(float(net) * (counted.get(net, 0.0) - stood.get(net, 0.0)) for net in one.net)
    assert (edge_of(rules, stands) - edge_of(rules, changed)) / weight == pytest.approx(mean, abs=1e-11)
    assert one.split - other.split == pytest.approx(weight if letter == "P" else 0, abs=1e-14)


@pytest.mark.parametrize("rules", [ONE_DECK, NO_DAS], ids=["6:5, hits soft 17", "original bet only"])
def test_a_player_who_never_presses_a_button(rules: Rules) -> None:
    """Every deal of one deck: the whole law, not only differences."""
    law: Law = {}
    for first in range(10):
        for second in range(first, 10):
            for up in range(10):
                weight = dealt(rules, first, second, up)
                if weight:
                    for net, chance in deal_law(rules, ALWAYS_STAND, first, second, up).items():
                        law[net] = law.get(net, 0.0) + weight * chance
    found = distribution_of(rules, ALWAYS_STAND)
    for net, chance in found.net.items():
        assert chance == pytest.approx(law.get(net, 0.0), abs=1e-13)
    assert found.bet_per_round == 1
    assert found.split == found.double == 0
    assert edge_of(rules, ALWAYS_STAND) == pytest.approx(
        -sum(float(n) * c for n, c in law.items()), abs=1e-13
    )


def upcard_value(rules: Rules, up: int, chart: Chart | None) -> float:
    """What rounds with an upcard add to the expectation, by recursion over hands; without a chart the
    best decision for every hand. Bets that a dealer blackjack gives back are left out until the end."""
    original = rules.dealer_blackjack_takes is Takes.ORIGINAL
    hits = rules.dealer_hits_soft_17

    @cache  # one table of a few thousand hands, gone with this call
    def stand(total: int, left: Left) -> float:
        value = 0.0
        for end, chance in dealer(up, left, hits):
            if end == 22 and original:
                continue
            lost = total > 21 or end == 22
            value += chance * (-1 if lost else (total > end) - (total < end))
        return value

    @cache
    def hand(cards: tuple[int, ...], left: Left, split: int | None) -> float:
        """``split``: the rank of the pair that this hand was split from."""
        total = best(cards)[0]
        if len(cards) >= 2 and (total >= 21 or split == 0):
            return stand(total, left)
        options = {Choice.HIT: sum(p * hand(tuple(sorted((*cards, r))), a, split) for r, p, a in draws(left))}
        if len(cards) < 2:
            return options[Choice.HIT]
        options[Choice.STAND] = stand(total, left)
        if rules.may_double(cards, after_split=split is not None):
            options[Choice.DOUBLE] = 2 * sum(p * stand(best((*cards, r))[0], a) for r, p, a in draws(left))
        if split is None and rules.may_split(cards):
            options[Choice.SPLIT] = 2 * hand(cards[:1], left, cards[0])
        if chart is None:
            return max(options.values())
        return options[advise(chart, rules, cards, up, tuple(options))]

    value = 0.0
    for first in range(10):
        for second in range(first, 10):
            weight = dealt(rules, first, second, up)
            if not weight:
                continue
            left = shoe(rules, first, second, up)
            house = dict(dealer(up, left, hits))
            if best((first, second))[0] == 21:
                value += weight * float(Fraction(*rules.pays)) * (1 - house.get(22, 0.0))
            else:
                cost = house.get(22, 0.0) if original else 0.0
                value += weight * (hand((first, second), left, None) - cost)
    return value


@pytest.mark.parametrize(
    ("rules", "up"),
    [
        (ONE_DECK, 9),
        (NO_DAS, 8),
        pytest.param(ONE_DECK, 7, marks=pytest.mark.campaign),
        pytest.param(TWO_DECKS, 9, marks=pytest.mark.campaign),
    ],
)
def test_every_hand_against_an_upcard(rules: Rules, up: int) -> None:
    odds = Odds.of(rules)
    table = make_table(odds)
    by_cards = round_value(table, best_values(table))[up]
    assert by_cards == pytest.approx(upcard_value(rules, up, None), abs=1e-13)
    chart = default_chart()
    by_chart = round_value(table, values(table, chart_actions(table, letters_of(chart, odds.splits)))[0])[up]
    assert by_chart == pytest.approx(upcard_value(rules, up, chart), abs=1e-13)
    assert by_cards > by_chart


# --------------------------------------------------------------------------------------
# Against the game itself.


def engine_law(rules: Rules, chart: Chart, first: int, second: int, up: int) -> Law:
    """Every order of cards through the round and its settlement; continuation cards too."""
    law: Law = {}
    bet_cents = 1000

    def walk(state: Round, left: Left, fixed: tuple[int, ...], chance: float) -> None:
        need = state.needs()
        if isinstance(need, NeedDecisions):
            hand = state.hands[need.hand].cards
            choice = advise(chart, rules, hand, state.dealer[0], state.legal(1))
            walk(state.decide(1, choice), left, fixed, chance)
        elif not isinstance(need, NeedCard):
            net = Fraction(settle(state).net_cents(1), bet_cents)
            law[net] = law.get(net, 0.0) + chance
        elif fixed:
            walk(state.deal(card(fixed[0], left)), take(left, fixed[0]), fixed[1:], chance)
        else:
            for rank, share, after in draws(left):
                walk(state.deal(card(rank, left)), after, (), chance * share)

    def take(left: Left, rank: int) -> Left:
        return (*left[:rank], left[rank] - 1, *left[rank + 1 :])

    def card(rank: int, left: Left) -> int:
        """One of the cards of these points that is not on the table yet."""
        number = left[rank] - 1
        return rank + number // 4 + 13 * (number % 4) if rank == 9 else rank + 13 * number

    walk(Round.open(rules, {1: bet_cents}), shoe(rules), (first, second, up), 1.0)
    return law


@pytest.mark.parametrize("takes", list(Takes))
@pytest.mark.parametrize(
    ("first", "second", "up"),
    [(0, 0, 9), (0, 9, 0), (9, 9, 9), (5, 9, 9), (9, 8, 8)],
    ids=["split aces", "a natural", "two tens", "a stiff hand", "nineteen"],
)
def test_the_round_itself_gives_the_same_law(takes: Takes, first: int, second: int, up: int) -> None:
    rules = Rules(decks=1, dealer_blackjack_takes=takes, dealer_hits_soft_17=True, bet_step_cents=100)
    chart = with_pair(default_chart(), 0, up, "P")
    played, counted = engine_law(rules, chart, first, second, up), deal_law(rules, chart, first, second, up)
    assert sum(played.values()) == pytest.approx(1, abs=1e-12)
    for net in {**played, **counted}:
        assert played.get(net, 0.0) == pytest.approx(counted.get(net, 0.0), abs=1e-13)


@pytest.mark.parametrize("rules", [ONE_DECK, NO_DAS], ids=["any double", "no double after split"])
def test_split_rounds_of_the_game_fall_as_the_law_says(rules: Rules) -> None:
    """Eights against a ten, busts and doubles included; the seed is fixed, so this is no lottery."""
    chart, rounds, chance = with_pair(EAGER, 7, 9, "P"), 3_000, random.Random(11)
    seen: Counter[Fraction] = Counter()
    for _ in range(rounds):
        order = [card for card in range(52) if card not in (7, 20, 9)]
        chance.shuffle(order)
        state = Round.open(rules, {1: 1000}).deal(7).deal(20).deal(9)
        while not isinstance(need := state.needs(), NeedCard) or order:
            if isinstance(need, NeedCard):
                state = state.deal(order.pop())
            elif isinstance(need, NeedDecisions):
                hand = state.hands[need.hand].cards
                state = state.decide(1, advise(chart, rules, hand, state.dealer[0], state.legal(1)))
            else:
                break
        seen[Fraction(settle(state).net_cents(1), 1000)] += 1
    law = deal_law(rules, chart, 7, 7, 9)
    for net, share in law.items():
        spread = np.sqrt(rounds * share * (1 - share))
        assert abs(seen[net] - rounds * share) <= 4.5 * spread + 1
    assert set(seen) <= set(law)


def test_upcards_are_where_the_charts_have_them() -> None:
    """A letter against the ace and a letter against the deuce are at the two ends of a row."""
    assert with_pair(default_chart(), 7, 0, "S").pairs[7][UPCARDS.index("A")] == "S"
    assert with_pair(default_chart(), 7, 1, "S").pairs[7][UPCARDS.index("2")] == "S"
