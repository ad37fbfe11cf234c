"""Laws that hold for every shoe, every table and every decision.

Shoes of one deck shrink well and have many pairs; the rules are drawn too. An independent
reference at the end of the file plays the same rounds from the printed rules, seat by seat.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from game.cards import Card
from game.grid import CellState, grid
from game.hand import total
from game.round import Choice, Fate, Finished, NeedCard, NeedDecisions, Play, Round
from game.rules import Rules, Takes, longest_round_cards
from game.settle import Outcome, settle

ANY_PAIR = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")

rule_sets = st.builds(
    Rules,
    decks=st.just(1),
    dealer_hits_soft_17=st.booleans(),
    double_totals=st.sampled_from([(9, 10, 11), "any"]),
    double_after_split=st.booleans(),
    splittable=st.sampled_from([Rules().splittable, ANY_PAIR]),
    dealer_blackjack_takes=st.sampled_from(Takes),
    blackjack_pays=st.sampled_from(["3:2", "6:5"]),
)
bets = st.dictionaries(st.integers(1, 7), st.sampled_from([500, 1000, 4500]), min_size=1, max_size=7)


@st.composite
def shoes(draw: st.DrawFn) -> tuple[Card, ...]:
    """One deck in any order; every other one begins with a pair, most often of small cards."""
    order = list(draw(st.permutations(range(52))))
    if draw(st.booleans()):
        first, second = draw(st.sampled_from([(7, 20), (0, 13), (1, 14), (5, 18), (8, 21), (9, 25)]))
        order = [first, second, *(card for card in order if card not in (first, second))]
    return tuple(order)


@dataclass
class Words:
    """Decisions out of a list of numbers, so that a failing table shrinks to few of them."""

    numbers: list[int]
    used: int = 0
    spoken: list[tuple[int, Choice, bool]] = field(default_factory=list)

    def next(self, limit: int) -> int:
        self.used += 1
        return self.numbers[self.used % len(self.numbers)] % limit

    def decide(self, state: Round, seats: Sequence[int]) -> Round:
        seat = seats[self.next(len(seats))]
        legal = state.legal(seat)
        choice = legal[self.next(len(legal))]
        timed_out = choice is Choice.STAND and self.next(4) == 0
        self.spoken.append((seat, choice, timed_out))
        return state.decide(seat, choice, timed_out)


words = st.builds(Words, st.lists(st.integers(0, 11), min_size=1, max_size=60))


def states(rules: Rules, stakes: dict[int, int], order: Sequence[Card], table: Words) -> Iterator[Round]:
    """All states of one round, the first and the last included."""
    state, used = Round.open(rules, stakes), 0
    yield state
    while True:
        need = state.needs()
        if isinstance(need, NeedCard):
            state, used = state.deal(order[used]), used + 1
        elif isinstance(need, NeedDecisions):
            state = table.decide(state, need.seats)
        else:
            return
        yield state


@given(rule_sets, bets, shoes(), words)
def test_every_table_of_decisions_ends_the_round(
    rules: Rules, stakes: dict[int, int], order: tuple[Card, ...], table: Words
) -> None:
    *_, last = states(rules, stakes, order, table)
    dealt = last.cards
    assert len(set(dealt)) == len(dealt), "no card twice"
    assert set(dealt) == set(order[: len(dealt)]), "the cards of the shoe, in order, none left out"
    assert len(dealt) <= longest_round_cards(1)
    for hand in last.hands:
        assert all(play.fate is not Fate.LIVE for play in hand.plays)


@given(rule_sets, bets, shoes(), words)
def test_money_is_conserved(
    rules: Rules, stakes: dict[int, int], order: tuple[Card, ...], table: Words
) -> None:
    staked = dict(stakes)
    last = Round.open(rules, stakes)
    for state in states(rules, stakes, order, table):
        if table.spoken:
            seat, choice, _ = table.spoken.pop()
            staked[seat] += last.extra_stake(seat, choice)
        assert {seat: state.stakes(seat) for seat in state.seats} == staked, "at every moment"
        last = state
    settled = settle(last)
    assert {seat: settled.staked_cents(seat) for seat in staked} == staked
    for seat, bet_cents in stakes.items():
        assert bet_cents <= staked[seat] <= 4 * bet_cents
    # In half stakes. A lost double of which only the original bet was taken returns the other half.
    most = {Outcome.WIN: 4, Outcome.BLACKJACK: 5, Outcome.PUSH: 2}
    for result in settled.hands:
        assert 0 <= 2 * result.returned_cents <= most.get(result.outcome, 1) * result.stake_cents


@given(rule_sets, bets, shoes(), words, st.randoms(use_true_random=False))
def test_the_order_of_simultaneous_decisions_leaves_no_trace(
    rules: Rules, stakes: dict[int, int], order: tuple[Card, ...], table: Words, dice: random.Random
) -> None:
    state = shuffled = Round.open(rules, stakes)
    cards = iter(order)
    while not isinstance(need := state.needs(), Finished):
        if isinstance(need, NeedCard):
            card = next(cards)
            state, shuffled = state.deal(card), shuffled.deal(card)
            continue
        table.spoken.clear()
        waiting = need.seats
        while waiting:
            state = table.decide(state, waiting)
            waiting = tuple(seat for seat in waiting if seat != table.spoken[-1][0])
        dice.shuffle(table.spoken)
        for seat, choice, timed_out in table.spoken:
            shuffled = shuffled.decide(seat, choice, timed_out)
        assert shuffled == state


@given(rule_sets, bets, shoes(), words)
def test_a_snapshot_at_any_moment_is_the_round(
    rules: Rules, stakes: dict[int, int], order: tuple[Card, ...], table: Words
) -> None:
    for state in states(rules, stakes, order, table):
        assert msgspec.json.decode(msgspec.json.encode(state), type=Round) == state


@given(rule_sets, bets, shoes(), words)
def test_the_grid_says_what_the_round_says(
    rules: Rules, stakes: dict[int, int], order: tuple[Card, ...], table: Words
) -> None:
    for state in states(rules, stakes, order, table):
        view = grid(state, range(1, 8))
        assert len(view.rows) == len(state.hands)
        need = state.needs()
        asked = need.seats if isinstance(need, NeedDecisions) else ()
        for row, hand in zip(view.rows, state.hands, strict=True):
            assert row.total == total(hand.cards).best
            for cell in row.cells:
                play = hand.play(cell.seat)
                assert (cell.state is CellState.EMPTY) == (cell.seat not in hand.owners)
                assert (cell.state is CellState.TURN) == (cell.seat in asked and row.active)
                if play is not None and cell.state is not CellState.EMPTY:
                    assert (cell.total or 0) == play.total
                    assert cell.doubled == play.doubled
                result = settle(state).result(cell.seat, row.hand) if state.phase == "finished" else None
                assert cell.result == (result.outcome if result else None)


# --------------------------------------------------------------------------------------
# The theorem: for a given order of the shoe, hit, stand and double never change the cards that the
# dealer draws or would draw; splitting only chooses one of three deals.


def would_draw(rules: Rules, upcard: Card, rest: Sequence[Card]) -> tuple[Card, ...]:
    """The dealer's hand if he plays to the end."""
    dealer, cards = [upcard], iter(rest)
    while True:
        now = total(dealer)
        if now.best > 17 or (now.best == 17 and not (now.soft and rules.dealer_hits_soft_17)):
            return tuple(dealer)
        dealer.append(next(cards))


def all_ends(state: Round, order: Sequence[Card], used: int) -> Iterator[tuple[Round, int]]:
    """Every way the round can end, with the number of cards used before the dealer's second."""
    need = state.needs()
    if isinstance(need, NeedCard):
        yield from all_ends(state.deal(order[used]), order, used + 1)
    elif isinstance(need, NeedDecisions):
        for choices in product(*(state.legal(seat) for seat in need.seats)):
            spoken = state
            for seat, choice in zip(need.seats, choices, strict=True):
                spoken = spoken.decide(seat, choice)
            yield from all_ends(spoken, order, used)
    else:
        yield state, used - len(state.dealer) + 1


@settings(max_examples=150, deadline=None)
@given(rule_sets, shoes())
def test_decisions_do_not_change_the_dealers_cards(rules: Rules, order: tuple[Card, ...]) -> None:
    """Every decision of two seats on this shoe; the three deals of a pair apart."""
    dealers: dict[str, set[tuple[Card, ...]]] = {}
    for state, used in all_ends(Round.open(rules, {1: 500, 2: 500}), order, 0):
        dealer = would_draw(rules, order[2], order[used:])
        assert state.dealer == dealer[: len(state.dealer)], "what he drew is what he would have drawn"
        splits = sum(play.fate is Fate.SPLIT for play in state.hands[0].plays)
        dealers.setdefault(("none", "some", "all")[splits], set()).add(dealer)
    for pattern, seen in dealers.items():
        assert len(seen) == 1, pattern


def test_the_theorem_covers_all_three_deals() -> None:
    """A shoe with a pair of eights, whose three deals give the dealer three different hands."""
    order = random.Random(4).sample([card for card in range(52) if card not in (7, 20)], 40)
    dealers: dict[int, set[tuple[Card, ...]]] = {}
    for state, used in all_ends(Round.open(Rules(decks=1), {1: 500, 2: 500}), (7, 20, *order), 0):
        splits = sum(play.fate is Fate.SPLIT for play in state.hands[0].plays)
        dealers.setdefault(splits, set()).add(would_draw(Rules(), order[0], (7, 20, *order)[used:]))
    assert sorted(dealers) == [0, 1, 2]
    assert [len(seen) for _, seen in sorted(dealers.items())] == [1, 1, 1]
    assert len(set.union(*dealers.values())) == 3


# --------------------------------------------------------------------------------------
# The reference. It knows only what each seat said, and gives each seat a hand of its own on the
# cards of the shoe.


def best_of(values: Sequence[int]) -> int:
    hard = sum(values)
    return hard + 10 if 1 in values and hard <= 11 else hard


def value(card: Card) -> int:
    return min(card % 13 + 1, 10)


def run(begin: Sequence[int], shoe: Iterator[Card]) -> list[int]:
    """A hand dealt to 21 or bust."""
    dealt = list(begin)
    while best_of(dealt) < 21:
        dealt.append(value(next(shoe)))
    return dealt


def alone(dealt: Sequence[int], play: Play) -> tuple[int, int]:
    """(total, bets) of one seat that says its words on a hand of its own."""
    held, stake = 2, 1
    for word in play.said:
        if word in ("hit", "double"):
            held += 1
            stake += word == "double"
    return best_of(dealt[:held]), stake


def reference(state: Round, order: Sequence[Card]) -> dict[int, int]:
    """Net cents of every seat, worked out from the words in ``state`` and the order of the shoe."""
    shoe = iter(order)
    pair, upcard = [value(next(shoe)), value(next(shoe))], value(next(shoe))
    rules, bets_of = state.rules, dict(state.bets)
    if best_of(pair) == 21:
        dealer_too = upcard in (1, 10) and best_of([upcard, value(next(shoe))]) == 21
        return {seat: 0 if dealer_too else rules.blackjack_win_cents(bet) for seat, bet in bets_of.items()}
    splitters = [play.seat for play in state.hands[0].plays if "split" in play.said]
    runs = [run(pair, shoe) if len(splitters) < len(bets_of) else []]
    for card in pair if splitters else []:
        start = [card, value(next(shoe))]
        runs.append(start if card == 1 else run(start, shoe))
    dealer = [upcard]
    while best_of(dealer) < 17 or (sum(dealer) == 7 and best_of(dealer) == 17 and rules.dealer_hits_soft_17):
        dealer.append(value(next(shoe)))
    end, blackjack = best_of(dealer), len(dealer) == 2 and best_of(dealer) == 21
    net = {}
    for seat, bet in bets_of.items():
        won = lost = 0
        for number in (1, 2) if seat in splitters else (0,):
            play = state.hands[number].play(seat)
            assert play is not None
            mine, stake = alone(runs[number], play)
            if mine > 21 or blackjack or (mine < end <= 21):
                lost += stake
            elif end > 21 or mine > end:
                won += stake
        if blackjack and rules.dealer_blackjack_takes == "original":
            lost = 1
        net[seat] = (won - lost) * bet
    return net


@settings(max_examples=300)
@given(rule_sets, bets, shoes(), words)
def test_every_seat_gets_what_it_would_get_alone(
    rules: Rules, stakes: dict[int, int], order: tuple[Card, ...], table: Words
) -> None:
    *_, last = states(rules, stakes, order, table)
    settled = settle(last)
    assert {seat: settled.net_cents(seat) for seat in stakes} == reference(last, order)
