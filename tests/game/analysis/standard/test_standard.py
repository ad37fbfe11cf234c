"""Standard dealing: against a slow version told in the words of the engine, and against exact figures."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.random import SeedSequence

from game.analysis.standard import kernel
from game.analysis.standard.dealing import (
    LoopTable,
    StandardJob,
    StandardTally,
    make_table,
    simulate_standard,
)
from game.cards import DECK_CARDS, POINTS, Card
from game.chart import Chart, advise
from game.hand import is_natural, total
from game.play import Choice, Fate, Hand, HandStatus, Play, Said
from game.round import NeedDecisions, Phase, Purpose, Round
from game.rules import SPLIT_RANKS, Rules, Shuffle, Takes
from game.settle import settle
from support.evenings.rounds import Story, default_chart

BET_CENTS = 1000


# --------------------------------------------------------------------------------------
# The slow version. It knows nothing of the compiled one: hands are the engine's, choices are asked of
# `advise`, bets are paid by `settle`.


class SlowTable:
    """One round of standard dealing, card by card."""

    def __init__(self, rules: Rules, charts: Sequence[Chart], order: Sequence[Card]) -> None:
        self.rules, self.charts, self.order = rules, charts, iter(order)
        self.taken = self.decisions = self.turns = self.drawn = 0
        first = [self.card() for _ in charts]
        pairs = [(card, self.card()) for card in first]
        self.dealer: tuple[Card, ...] = (self.card(),)
        self.seats = [self.play(chart, pair) for chart, pair in zip(charts, pairs, strict=True)]
        self.play_dealer()

    def card(self) -> Card:
        self.taken += 1
        return next(self.order)

    def play(self, chart: Chart, pair: tuple[Card, Card]) -> tuple[Hand, ...]:
        if is_natural(pair):
            return (Hand(HandStatus.DONE, pair, (Play(1, BET_CENTS, Fate.BLACKJACK, 21),)),)
        self.turns += 1
        if self.ask(chart, pair, split=None) is not Choice.SPLIT:
            self.decisions -= 1  # asked again, and counted, by play_hand
            return (self.play_hand(chart, pair, None),)
        left = Hand(HandStatus.DONE, pair, (Play(1, 0, Fate.SPLIT, 0, (Said.SPLIT,)),))
        return (left, *[self.play_split(chart, card) for card in pair])

    def play_split(self, chart: Chart, first: Card) -> Hand:
        cards = (first, self.card())
        best = total(cards).best
        if POINTS[first] == 1 or best == 21:
            fate = Fate.ONE_CARD if POINTS[first] == 1 else Fate.TWENTY_ONE
            return Hand(HandStatus.DONE, cards, (Play(1, BET_CENTS, fate, best),))
        return self.play_hand(chart, cards, True)

    def play_hand(self, chart: Chart, cards: tuple[Card, ...], split: bool | None) -> Hand:
        while True:
            choice = self.ask(chart, cards, split)
            if choice is Choice.STAND:
                return self.done(cards, Fate.STOOD)
            cards = (*cards, self.card())
            self.drawn += 1
            best = total(cards).best
            if choice is Choice.DOUBLE:
                return self.done(cards, Fate.BUST if best > 21 else Fate.DOUBLED, 2 * BET_CENTS)
            if best >= 21:
                return self.done(cards, Fate.BUST if best > 21 else Fate.TWENTY_ONE)

    def done(self, cards: tuple[Card, ...], fate: Fate, stake: int = BET_CENTS) -> Hand:
        return Hand(HandStatus.DONE, cards, (Play(1, stake, fate, total(cards).best),))

    def ask(self, chart: Chart, cards: tuple[Card, ...], split: bool | None) -> Choice:
        self.decisions += 1
        legal = [Choice.HIT, Choice.STAND]
        if self.rules.may_double(cards, after_split=split is True):
            legal.append(Choice.DOUBLE)
        if split is None and self.rules.may_split(cards):
            legal.append(Choice.SPLIT)
        return advise(chart, self.rules, cards, self.dealer[0], legal)

    def play_dealer(self) -> None:
        plays = [[hand.plays[0] for hand in hands] for hands in self.seats]
        fates = {play.fate for seat in plays for play in seat}
        if fates - {Fate.BUST, Fate.BLACKJACK, Fate.SPLIT}:
            while self.dealer_draws():
                self.dealer = (*self.dealer, self.card())
            return
        lost_twice = any(sum(play.stake_cents for play in seat) > BET_CENTS for seat in plays)
        gives_back = lost_twice and self.rules.dealer_blackjack_takes is Takes.ORIGINAL
        if POINTS[self.dealer[0]] in (1, 10) and (Fate.BLACKJACK in fates or gives_back):
            self.dealer = (*self.dealer, self.card())

    def dealer_draws(self) -> bool:
        now = total(self.dealer)
        return now.best < 17 or (now.best == 17 and now.soft and self.rules.dealer_hits_soft_17)

    def net_cents(self, seat: int) -> int:
        """Paid by the engine, as if the seat had been alone with this dealer."""
        bets = ((1, BET_CENTS),)
        state = Round(self.rules, bets, self.seats[seat], self.dealer, Phase.FINISHED)
        return settle(state).net_cents(1)


def a_table(rules: Rules, charts: Sequence[Chart]) -> LoopTable:
    return make_table(rules, charts, SeedSequence(1))


def with_shoe(table: LoopTable, points: Sequence[int], taken: int = 0) -> LoopTable:
    """The table with these cards in this order, of which some are taken already, and nothing counted."""
    deck = table.deck._replace(
        shoe=np.array(points, dtype=np.uint8),
        given=np.zeros(len(points), dtype=np.uint8),
        place=np.array([taken, len(points), len(points), 0], dtype=np.int64),
    )
    return table._replace(deck=deck, counts=np.zeros(kernel.COUNTERS, dtype=np.int64))


def compiled_round(table: LoopTable, order: Sequence[Card]) -> tuple[list[int], dict[int, int]]:
    """The compiled loop on the same cards: net cents of each seat, and the counters."""
    table = with_shoe(table, [POINTS[card] for card in order])
    kernel.play_round(*table)
    assert table.deck.place[kernel.NEXT] == table.counts[kernel.CARDS]
    cents = [int(net) * BET_CENTS // table.numbers.pays_stake for net in table.nets]
    return cents, dict(enumerate(table.counts.tolist()))


# --------------------------------------------------------------------------------------
# Rules, charts and shoes of all kinds.


def any_rules(chance: random.Random) -> Rules:
    ranks = tuple(rank for rank in SPLIT_RANKS if chance.random() < 0.7)
    totals = tuple(total for total in range(4, 21) if chance.random() < 0.3)
    return Rules(
        decks=chance.randint(2, 8),
        dealer_hits_soft_17=chance.random() < 0.5,
        blackjack_pays=chance.choice(["3:2", "6:5", "1:1"]),
        double_totals=chance.choice([(9, 10, 11), totals, "any"]),
        double_after_split=chance.random() < 0.5,
        splittable=ranks,
        dealer_blackjack_takes=chance.choice(list(Takes)),
    )


def any_chart(chance: random.Random, letters: str = "HHSD") -> Chart:
    def row(letters: str) -> str:
        return "".join(chance.choices(letters, k=10))

    pairs = [row(letters + "PPPP") if chance.random() < 0.9 else "" for _ in SPLIT_RANKS]
    return Chart(
        "any", tuple(row(letters) for _ in range(17)), tuple(row(letters) for _ in range(9)), tuple(pairs)
    )


def any_order(chance: random.Random, rules: Rules) -> list[Card]:
    """Often with the aces and tens, or a pair, near the front, where the rare rules are."""
    order = list(range(rules.decks * DECK_CARDS))
    chance.shuffle(order)
    if chance.random() < 0.5:
        points = {1, 10} if chance.random() < 0.5 else {chance.randint(1, 10)}
        wanted = [card for card in order if POINTS[card] in points][:8]
        front = wanted + [card for card in order if card not in wanted][: chance.randint(0, 12)]
        chance.shuffle(front)
        order = front + [card for card in order if card not in front]
    return order


@pytest.mark.parametrize("seats", [1, 2, 4, 7])
def test_the_compiled_round_is_the_slow_round(seats: int) -> None:
    chance = random.Random(seats)
    seen: set[str] = set()
    for _ in range(20):
        rules = any_rules(chance)
        charts = [any_chart(chance) for _ in range(seats)]
        table = a_table(rules, charts)
        for _ in range(50):
            order = any_order(chance, rules)
            slow = SlowTable(rules, charts, order)
            same_rounds(slow, *compiled_round(table, order))
            seen |= events(slow)
    assert seen >= {"split", "blackjack", "dealer blackjack", "dealer stays", "one card", "original bet"}


def same_rounds(slow: SlowTable, nets: Sequence[int], counts: Mapping[int, int]) -> None:
    expected = [slow.net_cents(seat) for seat in range(len(slow.charts))]
    assert list(nets) == expected
    assert counts[kernel.NET] * BET_CENTS // slow.rules.pays[1] == sum(expected)
    assert counts[kernel.CARDS] == slow.taken
    assert counts[kernel.DRAWN] == slow.drawn
    assert counts[kernel.DECISIONS] == slow.decisions
    assert counts[kernel.PASSES] == max(slow.turns - 1, 0)
    assert counts[kernel.DEALER_CARDS] == len(slow.dealer) - 1
    assert counts[kernel.DEALER_TURNS] == (len(slow.dealer) > 1)
    assert counts[kernel.SETTLED] == sum(max(1, len(hands) - 1) for hands in slow.seats)
    staked = sum(hand.plays[0].stake_cents for hands in slow.seats for hand in hands)
    assert counts[kernel.STAKED] * BET_CENTS // slow.rules.pays[1] == staked


def events(slow: SlowTable) -> set[str]:
    """Rare things, which the random rounds must have met for the comparison to mean anything."""
    fates = {play.fate for hands in slow.seats for hand in hands for play in hand.plays}
    stakes = [sum(hand.plays[0].stake_cents for hand in hands) for hands in slow.seats]
    natural = is_natural(slow.dealer)
    original = slow.rules.dealer_blackjack_takes is Takes.ORIGINAL
    found = {
        "split": Fate.SPLIT in fates,
        "one card": Fate.ONE_CARD in fates,
        "blackjack": Fate.BLACKJACK in fates,
        "dealer blackjack": natural,
        "dealer stays": len(slow.dealer) == 1,
        "original bet": natural and original and max(stakes) > BET_CENTS,
    }
    return {name for name, met in found.items() if met}


def test_one_seat_that_plays_on_to_21_or_bust_has_the_round_of_the_common_hand() -> None:
    """Where there is no continuation card, the two games are one: the engine itself must say the same."""
    chance = random.Random(21)
    same = 0
    for _ in range(15):
        rules = any_rules(chance)
        chart = any_chart(chance, letters="HHHHHD")
        table = a_table(rules, [chart])
        for _ in range(100):
            order = any_order(chance, rules)
            story = common_hand(rules, chart, order)
            if Purpose.CONTINUATION not in story.purposes:
                nets, counts = compiled_round(table, order)
                assert nets == [story.net(1)]
                assert counts[kernel.CARDS] == story.used
                same += 1
    assert same > 800


def common_hand(rules: Rules, chart: Chart, order: Sequence[Card]) -> Story:
    """The round that the engine plays with one seat."""
    story = Story(order, {1: BET_CENTS}, rules)
    while not story.finished:
        need = story.round.needs()
        assert isinstance(need, NeedDecisions)
        hand, upcard = story.round.hands[need.hand], story.round.dealer[0]
        story.say({1: advise(chart, rules, hand.cards, upcard, story.round.legal(1)).value})
    return story


# --------------------------------------------------------------------------------------
# Exact figures of one player (default rules, chart by totals), and what follows for a table.


@pytest.fixture(scope="module")
def alone() -> StandardTally:
    return added(simulate_standard(StandardJob(Rules(), (default_chart(),), 1_000_000, seed=1)))


@pytest.fixture(scope="module")
def full() -> StandardTally:
    return added(simulate_standard(StandardJob(Rules(), (default_chart(),) * 7, 200_000, seed=2)))


def added(batches: Sequence[StandardTally]) -> StandardTally:
    sums = {
        field.name: sum(getattr(batch, field.name) for batch in batches)
        for field in fields(StandardTally)
        if field.name not in ("seats", "part")
    }
    return replace(batches[0], **sums)


def test_one_player_has_the_exact_edge_deviation_and_stake(alone: StandardTally) -> None:
    bets = alone.part * alone.rounds
    assert alone.net / bets == pytest.approx(-0.00666675, abs=4 * 1.103265 / alone.rounds**0.5)
    variance = alone.net_squares / alone.part**2 / alone.rounds - (alone.net / bets) ** 2
    assert variance == pytest.approx(1.217195, abs=0.008)
    assert alone.staked / bets == pytest.approx(1.092813, abs=0.0013)
    assert alone.splits / alone.rounds == pytest.approx(0.0218011, abs=4 * 0.146 / alone.rounds**0.5)
    assert alone.seat_squares == alone.net_squares
    assert alone.passes == 0


def test_every_seat_of_a_full_table_has_the_same_odds_and_shares_the_dealer(
    alone: StandardTally, full: StandardTally
) -> None:
    seat_rounds = full.rounds * full.seats
    mean = full.net / full.part / seat_rounds
    seat_variance = full.seat_squares / full.part**2 / seat_rounds - mean**2
    table_variance = full.net_squares / full.part**2 / full.rounds - (mean * full.seats) ** 2
    assert mean == pytest.approx(-0.00666675, abs=4 * (table_variance / full.rounds) ** 0.5 / full.seats)
    assert seat_variance == pytest.approx(1.217195, abs=0.012)
    assert full.drawn / seat_rounds == pytest.approx(alone.drawn / alone.rounds, abs=0.006)
    # The dealer's hand is common to all: wins go together, though far from wholly.
    assert 2.5 * seat_variance < table_variance / full.seats < 4 * seat_variance


def test_rounds_are_spread_over_batches_and_equal_jobs_are_equal() -> None:
    job = StandardJob(Rules(), (default_chart(),) * 2, 1003, seed=5, batches=4)
    told: list[int] = []
    batches = simulate_standard(job, told.append)
    assert [batch.rounds for batch in batches] == [251, 251, 251, 250]
    assert told == [251, 502, 753, 1003]
    assert batches == simulate_standard(job)
    assert batches != simulate_standard(replace(job, seed=6))
    assert len({batch.net_squares for batch in batches}) > 1


def test_jobs_that_cannot_be_played_are_refused() -> None:
    chart = default_chart()
    with pytest.raises(ValueError, match="1 to 7 seats, not 8"):
        StandardJob(Rules(), (chart,) * 8, 100, seed=1)
    with pytest.raises(ValueError, match="5 rounds do not fill 6 batches"):
        StandardJob(Rules(), (chart,), 5, seed=1, batches=6)


# --------------------------------------------------------------------------------------
# The shoe.


def test_a_shoe_is_complete_every_round_or_after_the_cut_card() -> None:
    chart = default_chart()
    fresh = added(simulate_standard(StandardJob(Rules(), (chart,), 2000, seed=1, batches=1)))
    assert fresh.shoes == 2000
    rules = Rules(shuffle=Shuffle.CUT_CARD, penetration=0.75)
    cut = added(simulate_standard(StandardJob(rules, (chart,) * 3, 20_000, seed=1, batches=1)))
    # A shoe ends with the round in which the cut card comes: half a round beyond it on average.
    per_round = cut.cards / cut.rounds
    assert cut.cards / cut.shoes == pytest.approx(312 - rules.cards_behind + per_round / 2, rel=0.01)


def test_a_shoe_that_ends_within_a_round_goes_on_with_the_cards_that_lie_on_no_hand() -> None:
    points = POINTS[:DECK_CARDS]
    table = with_shoe(a_table(Rules(decks=1), (default_chart(),) * 7), points, taken=40)
    kernel.play_round(*table)
    cards = table.counts[kernel.CARDS]
    assert cards > 12
    assert table.deck.place.tolist() == [cards, cards, DECK_CARDS, 0]
    assert table.counts[kernel.SHOES] == 1
    assert table.deck.shoe[:12].tolist() == list(points[40:])
    assert sorted(table.deck.shoe.tolist()) == sorted(points)


def test_a_round_never_takes_a_card_twice() -> None:
    table = with_shoe(a_table(Rules(), (default_chart(),) * 7), [2] * 10)
    with pytest.raises(ValueError, match="more cards than the shoe has"):
        kernel.play_round(*table)
