"""Where the cards of a common hand go: against the engine on the same cards, and in the long run."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.random import SeedSequence

from game.analysis.standard.common import (
    SEEN,
    CommonTally,
    make_table,
    simulate_common,
    tally_of,
    watch_rounds,
)
from game.analysis.standard.dealing import StandardJob
from game.cards import DECK_CARDS, POINTS, Card
from game.chart import advise
from game.play import Said
from game.round import Purpose
from game.rules import Rules
from support.evenings.rounds import Story, default_chart


def watched(order: Sequence[Card]) -> CommonTally:
    """One round of the compiled loop on these cards."""
    table = make_table(StandardJob(Rules(), (default_chart(),), 1, seed=1, batches=1), SeedSequence(1))
    deck = table.deck._replace(
        shoe=np.array([POINTS[card] for card in order], dtype=np.uint8),
        place=np.array([0, len(order), len(order)], dtype=np.int64),
    )
    table, seen = (
        table._replace(deck=deck, numbers=table.numbers._replace(behind=0)),
        np.zeros(SEEN, np.int64),
    )
    watch_rounds(*table, seen, 1)
    return tally_of(1, table, seen)


def by_the_chart(order: Sequence[Card], seats: int) -> Story:
    """The engine's round of seats that all follow the chart."""
    rules, chart = Rules(), default_chart()
    story = Story(order, dict.fromkeys(range(1, seats + 1), 1000), rules)
    while not story.finished:
        active = story.round.active_hand
        assert active is not None
        cards, upcard = story.round.hands[active].cards, story.round.dealer[0]
        words = {seat: advise(chart, rules, cards, upcard, story.round.legal(seat)) for seat in story.asked}
        story.say({seat: choice.value for seat, choice in words.items()})
    return story


def shoes() -> list[list[Card]]:
    """Orders of a shoe; every other one begins with a pair, so that splits are not rare."""
    chance = random.Random(7)
    found = []
    for number in range(400):
        order = list(range(6 * DECK_CARDS))
        chance.shuffle(order)
        if number % 2:
            twin = next(place for place in range(2, 312) if POINTS[order[place]] == POINTS[order[0]])
            order[1], order[twin] = order[twin], order[1]
        found.append(order)
    return found


def test_cards_and_decisions_are_those_of_the_engine() -> None:
    met: Counter[str] = Counter()
    for order in shoes():
        story, tally = by_the_chart(order, 1), watched(order)
        purposes = Counter(story.purposes)
        said = [word for hand in story.round.hands for play in hand.plays for word in play.said]
        splits = said.count(Said.SPLIT)
        assert tally.drawn == purposes[Purpose.DRAW] + purposes[Purpose.SPLIT_CARD]
        assert tally.continuation == purposes[Purpose.CONTINUATION]
        assert tally.continued == sum(bool(hand.continuation) for hand in story.round.hands)
        assert tally.dealer_cards == purposes[Purpose.DEALER]
        assert tally.dealer_turns == (purposes[Purpose.DEALER] > 0)
        assert tally.splits == splits
        assert tally.decisions == len(said)
        assert tally.net * 1000 == story.net(1) * tally.part
        assert tally.net_squares == tally.net**2
        met.update({"split": splits, "twice": tally.continued > 1, "idle dealer": tally.dealer_turns == 0})
    assert min(met.values()) > 10


def test_any_number_of_seats_that_play_alike_have_the_cards_of_one() -> None:
    for order in shoes()[:120]:
        one, five = by_the_chart(order, 1), by_the_chart(order, 5)
        assert five.purposes == one.purposes
        assert [five.net(seat) for seat in five.round.seats] == [one.net(1)] * 5


def per_round(tallies: Sequence[CommonTally]) -> Mapping[str, float]:
    rounds = sum(tally.rounds for tally in tallies)
    names = ("drawn", "continuation", "dealer_cards", "splits", "net", "net_squares")
    return {name: sum(getattr(tally, name) for tally in tallies) / rounds for name in names}


def test_the_long_run_has_the_known_cards_edge_and_deviation() -> None:
    mean = per_round(simulate_common(StandardJob(Rules(), (default_chart(),), 1_000_000, seed=3)))
    assert 3 + mean["drawn"] + mean["continuation"] + mean["dealer_cards"] == pytest.approx(6.27, abs=0.01)
    assert mean["splits"] == pytest.approx(0.0218011, abs=0.0006)
    assert mean["net"] / 2 == pytest.approx(-0.00666675, abs=4 * 0.001103)
    assert mean["net_squares"] / 4 == pytest.approx(1.217195 + 0.0066668**2, abs=0.009)


def test_equal_jobs_are_equal_and_only_one_chart_is_taken() -> None:
    told: list[int] = []
    job = StandardJob(Rules(), (default_chart(),), 1001, seed=5, batches=2)
    assert simulate_common(job, told.append) == simulate_common(job)
    assert told == [501, 1001]
    assert sum(tally.shoes for tally in simulate_common(job)) == 1001
    with pytest.raises(ValueError, match="one chart, not 2"):
        simulate_common(StandardJob(Rules(), (default_chart(),) * 2, 1001, seed=5))
