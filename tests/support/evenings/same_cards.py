"""One round twice, on the same order of the shoe: by ``game.round`` and by the compiled simulation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from game.analysis.simulate import rounds as counted
from game.analysis.simulate.kernel import CHOICES, CONTINUED, SEAT_ROWS, TO_DEALER, Bytes, Deck
from game.analysis.simulate.tables import decisions, numbers_of
from game.cards import DECK_CARDS, POINTS, Card
from game.chart import Chart, advise
from game.hand import is_natural, total
from game.round import DEALER_HAND, NeedCard, NeedDecisions, Purpose, Round
from game.rules import SPLIT_RANKS, Rules, Takes
from game.settle import Outcome, settle

_POINTS = np.array(POINTS, np.uint8)


@dataclass(frozen=True)
class Played:
    """What has to agree. ``cards`` has where each card went, as the kernel writes it, and its points.

    By seat: net results in half bets, stakes in bets. ``dealer``: his total if he drew and it counted.
    """

    cards: tuple[tuple[int, int], ...]
    nets: tuple[float, ...]
    stakes: tuple[int, ...]
    outcomes: tuple[tuple[int, ...], ...]
    dealer: int


@dataclass(frozen=True)
class Table:
    """A rule set, a chart per seat and the bets, with the charts as the kernel reads them."""

    rules: Rules
    charts: tuple[Chart, ...]
    bets: tuple[int, ...]
    coded: Bytes

    @classmethod
    def any(cls, chance: random.Random, seats: int) -> Table:
        """Any rules, any charts, however silly."""
        rules = any_rules(chance)
        charts = tuple(any_chart(chance) for _ in range(seats))
        bets = tuple(chance.choice((500, 1000, 4500)) for _ in range(seats))
        return cls(rules, charts, bets, np.stack([decisions(chart, rules) for chart in charts]))

    def order(self, chance: random.Random) -> list[Card]:
        """A shoe in any order; every other one begins with a pair, for splits are where tables differ."""
        cards = list(range(self.rules.decks * DECK_CARDS))
        order = chance.sample(cards, 60) if len(cards) > 60 else chance.sample(cards, len(cards))
        if chance.random() < 0.5:
            for place in range(1, len(order)):
                if POINTS[order[place]] == POINTS[order[0]]:
                    order[1], order[place] = order[place], order[1]
                    break
        return order


def any_rules(chance: random.Random) -> Rules:
    totals: tuple[tuple[int, ...], ...] = ((9, 10, 11), (), (10, 11), (4, 12, 20))
    return Rules(
        decks=chance.choice((1, 2, 6, 8)),
        dealer_hits_soft_17=chance.random() < 0.5,
        blackjack_pays=chance.choice(("3:2", "6:5", "1:1", "2:1")),
        double_totals="any" if chance.random() < 0.4 else chance.choice(totals),
        double_after_split=chance.random() < 0.5,
        splittable=chance.choice((SPLIT_RANKS, Rules().splittable, ("A", "8"), ())),
        dealer_blackjack_takes=chance.choice(tuple(Takes)),
    )


def any_chart(chance: random.Random) -> Chart:
    def row(letters: str) -> str:
        return "".join(chance.choices(letters, k=10))

    letters = chance.choice(("HSD", "HHHSD", "HSSSD"))
    pairs = tuple(chance.choice(("", row("HSDP"), row("HSPPP"))) for _ in range(10))
    return Chart("any", tuple(row(letters) for _ in range(17)), tuple(row(letters) for _ in range(9)), pairs)


def by_the_game(table: Table, order: Sequence[Card]) -> Played:
    seats = range(1, len(table.charts) + 1)
    state = Round.open(table.rules, dict(zip(seats, table.bets, strict=True)))
    dealt: list[tuple[int, int]] = []
    while True:
        match state.needs():
            case NeedCard(purpose, hand):
                card = order[len(dealt)]
                to = TO_DEALER if hand == DEALER_HAND else hand
                dealt.append((to + CONTINUED * (purpose is Purpose.CONTINUATION), POINTS[card]))
                state = state.deal(card)
            case NeedDecisions(hand, asked):
                cards = state.hands[hand].cards
                for seat in asked:
                    chart = table.charts[seat - 1]
                    state = state.decide(
                        seat, advise(chart, table.rules, cards, state.dealer[0], state.legal(seat))
                    )
            case _:
                break
    paid = settle(state)
    results = [[result for result in paid.hands if result.seat == seat] for seat in seats]
    bets = table.bets
    return Played(
        cards=tuple(dealt),
        nets=tuple(paid.net_cents(seat) / bets[seat - 1] for seat in seats),
        stakes=tuple(paid.staked_cents(seat) // bets[seat - 1] for seat in seats),
        outcomes=tuple(
            tuple(sum(result.outcome is outcome for result in hands) for outcome in Outcome)
            for hands in results
        ),
        dealer=_end(state),
    )


def _end(state: Round) -> int:
    """Where the dealer ended, in the kernel's numbers, from the cards and fates on the table."""
    if len(state.dealer) == 1:
        return counted.DEALER_NONE
    if is_natural(state.dealer):
        return counted.DEALER_BLACKJACK
    lost = all(play.fate in ("bust", "split") for hand in state.hands for play in hand.plays)
    if state.natural or lost:
        return counted.DEALER_LOOKED
    return min(total(state.dealer).best, counted.DEALER_BUST)


def by_the_simulation(table: Table, order: Sequence[Card]) -> Played:
    seats = len(table.charts)
    shoe = _POINTS[list(order)]
    size = len(shoe)
    words = np.zeros(4, np.uint64)  # a state that no card may be drawn with
    deck = Deck(shoe, np.zeros(size, np.uint8), np.array([0, size, size], np.int64), words)
    counts = np.zeros(counted.TABLE_WIDTH, np.int64)
    players = np.zeros((seats, counted.PLAYER_WIDTH), np.int64)
    counted.play_round(
        deck,
        np.zeros((SEAT_ROWS, seats), np.int64),
        table.coded,
        np.ones(seats, np.int64),
        numbers_of(table.rules),
        counts,
        players,
        np.zeros((seats, CHOICES), np.int64),
        np.zeros(seats, np.int64),
    )
    dealt = int(deck.place[0])
    win, stake = table.rules.pays
    nets = players[:, counted.NET : counted.NET + counted.NETS].argmax(axis=1).tolist()
    outcomes = players[:, counted.OUTCOME : counted.OUTCOME + counted.OUTCOMES].tolist()
    ends = counts[counted.DEALER : counted.DEALER + counted.DEALER_ENDS]
    return Played(
        cards=tuple(zip(deck.given[:dealt].tolist(), shoe[:dealt].tolist(), strict=True)),
        nets=tuple(win / stake if net == counted.NET_PAID else float(net - counted.NET_ZERO) for net in nets),
        stakes=tuple(players[:, counted.STAKE : counted.STAKE + counted.STAKES].argmax(axis=1).tolist()),
        outcomes=tuple(map(tuple, outcomes)),
        dealer=int(ends.argmax()),
    )
