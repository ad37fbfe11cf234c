"""A chart and the rules as the compiled rounds read them."""

from __future__ import annotations

import numpy as np

from game.analysis.simulate.kernel import MORE_STATES, SPLIT_STATES, STATES, Bytes, RuleNumbers
from game.cards import DECK_CARDS, POINTS, Card
from game.chart import Chart, advise
from game.hand import total
from game.round import Choice
from game.rules import Rules, Takes

RANKS = range(1, 11)

# In the order of HIT, STAND, DOUBLE, SPLIT.
CHOICES = (Choice.HIT, Choice.STAND, Choice.DOUBLE, Choice.SPLIT)


def decisions(chart: Chart, rules: Rules) -> Bytes:
    """What the chart says to every hand that can be asked for, by ``advise`` itself: (10 * STATES,)."""
    table = np.zeros((10, STATES), np.uint8)
    more = _more_cards()
    for up in RANKS:
        row = table[up - 1]
        for first in RANKS:
            for second in RANKS:
                cards = (first - 1, second - 1)
                place = 10 * (first - 1) + second - 1
                row[place] = _said(chart, rules, cards, up, after_split=False)
                row[SPLIT_STATES + place] = _said(chart, rules, cards, up, after_split=True)
        for place, hand in more.items():
            row[place] = _said(chart, rules, hand, up, after_split=False)
    return table.reshape(-1)


def numbers_of(rules: Rules) -> RuleNumbers:
    """The rules as numbers."""
    win, stake = rules.pays
    cards = rules.decks * DECK_CARDS
    behind = max((left for left in range(cards + 1) if rules.must_shuffle(left)), default=0)
    takes_original = rules.dealer_blackjack_takes is Takes.ORIGINAL
    return RuleNumbers(behind, int(rules.dealer_hits_soft_17), int(takes_original), win, stake)


def full_shoe(decks: int) -> Bytes:
    """The points of a complete shoe."""
    return np.array(POINTS[: decks * DECK_CARDS], np.uint8)


def _said(chart: Chart, rules: Rules, cards: tuple[Card, ...], up: int, after_split: bool) -> int:
    """Cards of the first suit, so that card ``n - 1`` has ``n`` points."""
    legal = [Choice.HIT, Choice.STAND]
    if rules.may_double(cards, after_split):
        legal.append(Choice.DOUBLE)
    if not after_split and rules.may_split(cards):
        legal.append(Choice.SPLIT)
    return CHOICES.index(advise(chart, rules, cards, up - 1, legal))


def _more_cards() -> dict[int, tuple[Card, ...]]:
    """A hand of three cards for each total below 21 that so many cards can have, by its state."""
    hands: dict[int, tuple[Card, ...]] = {}
    for first in range(10):
        for second in range(10):
            for third in range(10):
                cards = (first, second, third)
                now = total(cards)
                if now.best < 21:
                    hands[MORE_STATES + now.best + 22 * now.soft] = cards
    return hands
