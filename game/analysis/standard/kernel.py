"""The compiled loop of ``game.analysis.standard``: hands of their own, dealt from one shoe.

Shoe, chance and decision tables are those of ``game.analysis.simulate.kernel``; only the order of play
is another. Cards are points (an ace is 1). Money is counted in whole parts of a bet
(``RuleNumbers.pays_stake`` of them make one), so sums are exact whatever a blackjack pays.
"""

from __future__ import annotations

from typing import Any

from game.analysis.simulate.jit import compiled
from game.analysis.simulate.kernel import (
    DOUBLE,
    MORE_STATES,
    SPLIT,
    SPLIT_STATES,
    STAND,
    STATES,
    Bytes,
    Deck,
    Ints,
    RuleNumbers,
    best_of,
    draw,
)

# What is counted over rounds.
(
    ROUNDS, SHOES, CARDS, DRAWN, SPLIT_CARDS, DEALER_CARDS, DEALER_TURNS, DECISIONS, PASSES, SPLITS, SETTLED,
    STAKED, NET, NET_SQUARES, SEAT_SQUARES, COUNTERS,
) = range(16)  # fmt: skip

# In ``Deck.place``: the first three are the simulation's, START is where the round began.
NEXT, OPEN, SIZE, START = range(4)

# What a seat has, a row each: its first two cards, whether they are a blackjack, how many hands; and of
# each hand the total (over 21: bust) and the stake in bets, the second hand's beside the first's.
FIRST, SECOND, NATURAL, HANDS, TOTAL, STAKE, SEAT_WIDTH = 0, 1, 2, 3, 4, 6, 8

# How far the dealer draws.
NO_CARD, ONE_CARD, TO_17 = 0, 1, 2


@compiled
def card_of(deck: Deck, counts: Ints) -> Any:
    """The next card. A shoe that ends within a round goes on with the cards that lie on no hand.

    Seven seats can in theory need more than one deck; no rule of the game says what happens then.
    """
    shoe, place = deck.shoe, deck.place
    if place[NEXT] == place[SIZE]:
        start = place[START]
        if start == 0:
            raise ValueError("a round took more cards than the shoe has")
        for _ in range(start):  # the cards of the table go to the front, one place at a time
            first = shoe[0]
            for at in range(len(shoe) - 1):
                shoe[at] = shoe[at + 1]
            shoe[-1] = first
        place[NEXT] -= start
        place[OPEN] = place[NEXT]
        place[START] = 0
        counts[SHOES] += 1
    return draw(deck, 0)


@compiled
def _play_hand(
    deck: Deck, charts: Bytes, counts: Ints, table: Ints,
    seat: int, hand: int, second: int, up: int, choice: int,
) -> None:  # fmt: skip
    """A hand of two cards on which the first choice has been made, to its end."""
    first = table[seat, FIRST]
    hard, ace, stake = first + second, int(first == 1 or second == 1), 1
    while True:
        counts[DECISIONS] += 1
        if choice == STAND:
            break
        card = card_of(deck, counts)
        counts[DRAWN] += 1
        hard, ace = hard + card, ace | (card == 1)
        best = best_of(hard, ace)
        if choice == DOUBLE:
            stake = 2
            break
        if best >= 21:
            break
        choice = int(charts[seat, up + MORE_STATES + best + 22 * (best > hard)])
    table[seat, TOTAL + hand] = best_of(hard, ace)
    table[seat, STAKE + hand] = stake


@compiled
def _play_seat(
    deck: Deck, charts: Bytes, counts: Ints, table: Ints,
    seat: int, upcard: int,
) -> None:  # fmt: skip
    """A seat's one hand, or its two after a split."""
    first, second = table[seat, FIRST], table[seat, SECOND]
    table[seat, NATURAL], table[seat, HANDS] = 0, 1
    if first + second == 11 and (first == 1 or second == 1):
        table[seat, NATURAL], table[seat, TOTAL], table[seat, STAKE] = 1, 21, 1
        return
    up = STATES * (upcard - 1)
    choice = int(charts[seat, up + 10 * first + second - 11])
    if choice != SPLIT:
        _play_hand(deck, charts, counts, table, seat, 0, second, up, choice)
        return
    counts[DECISIONS] += 1
    counts[SPLITS] += 1
    table[seat, HANDS] = 2
    for hand in range(2):
        card = card_of(deck, counts)
        counts[SPLIT_CARDS] += 1
        best = best_of(first + card, int(first == 1 or card == 1))
        if first == 1 or best == 21:
            table[seat, TOTAL + hand], table[seat, STAKE + hand] = best, 1
        else:
            choice = int(charts[seat, up + SPLIT_STATES + 10 * first + card - 11])
            _play_hand(deck, charts, counts, table, seat, hand, card, up, choice)


@compiled
def _reach(table: Ints, takes_original: int, upcard: int) -> int:
    """How far the dealer draws.

    With no bet open that his total decides, only a blackjack of his can still change something: for a
    seat's blackjack, or where it would give a seat bets back.
    """
    natural, several_lost = False, False
    for seat in range(len(table)):
        stakes = 0
        for hand in range(table[seat, HANDS]):
            if table[seat, NATURAL] == 0 and table[seat, TOTAL + hand] <= 21:
                return TO_17
            stakes += table[seat, STAKE + hand]
        natural = natural or table[seat, NATURAL] == 1
        several_lost = several_lost or stakes > 1
    matters = natural or (takes_original == 1 and several_lost)
    return ONE_CARD if matters and upcard in (1, 10) else NO_CARD


@compiled
def _net(table: Ints, seat: int, numbers: RuleNumbers, dealer: int, dealer_natural: bool) -> int:
    """What a seat wins, in parts of a bet."""
    if table[seat, NATURAL] == 1:
        return 0 if dealer_natural else numbers.pays_win
    if dealer_natural and numbers.takes_original == 1:
        return -numbers.pays_stake
    net = 0
    for hand in range(table[seat, HANDS]):
        best, stake = table[seat, TOTAL + hand], table[seat, STAKE + hand] * numbers.pays_stake
        if best > 21 or dealer_natural or (dealer <= 21 and best < dealer):
            net -= stake
        elif dealer > 21 or best > dealer:
            net += stake
    return int(net)


@compiled
def play_round(
    deck: Deck, charts: Bytes, numbers: RuleNumbers, counts: Ints,
    table: Ints, nets: Ints,
) -> None:  # fmt: skip
    """One round. Each seat's win goes into ``nets``, everything else is counted.

    Cards go round the table twice, then one to the dealer; then the seats play one after another.
    """
    seats = len(table)
    deck.place[START] = deck.place[NEXT]
    before = counts[DRAWN] + counts[SPLIT_CARDS]
    for lap in (FIRST, SECOND):
        for seat in range(seats):
            table[seat, lap] = card_of(deck, counts)
    upcard = card_of(deck, counts)
    turns = 0
    for seat in range(seats):
        decisions = counts[DECISIONS]
        _play_seat(deck, charts, counts, table, seat, upcard)
        turns += counts[DECISIONS] > decisions
    reach, drawn = _reach(table, numbers.takes_original, upcard), 0
    hard, ace = upcard, int(upcard == 1)
    dealer = best_of(hard, ace)
    soft_17 = numbers.hits_soft_17 == 1
    while reach and (dealer < 17 or (dealer == 17 and dealer > hard and soft_17)):
        card = card_of(deck, counts)
        hard, ace, drawn = hard + card, ace | (card == 1), drawn + 1
        dealer = best_of(hard, ace)
        if reach == ONE_CARD:
            break
    won = 0
    for seat in range(seats):
        nets[seat] = _net(table, seat, numbers, dealer, drawn == 1 and dealer == 21)
        won += nets[seat]
        counts[SEAT_SQUARES] += nets[seat] * nets[seat]
        counts[SETTLED] += table[seat, HANDS]
        for hand in range(table[seat, HANDS]):
            counts[STAKED] += table[seat, STAKE + hand] * numbers.pays_stake
    counts[ROUNDS] += 1
    counts[CARDS] += 2 * seats + 1 + counts[DRAWN] + counts[SPLIT_CARDS] - before + drawn
    counts[DEALER_CARDS] += drawn
    counts[DEALER_TURNS] += drawn > 0
    counts[PASSES] += max(turns - 1, 0)
    counts[NET] += won
    counts[NET_SQUARES] += won * won


@compiled
def play_rounds(
    deck: Deck, charts: Bytes, numbers: RuleNumbers, counts: Ints,
    table: Ints, nets: Ints, rounds: int,
) -> None:  # fmt: skip
    """That many rounds; a shoe with too few cards left is made complete before a round."""
    place = deck.place
    for _ in range(rounds):
        if place[SIZE] - place[NEXT] <= numbers.behind:
            place[NEXT] = place[OPEN] = 0
            counts[SHOES] += 1
        play_round(deck, charts, numbers, counts, table, nets)
