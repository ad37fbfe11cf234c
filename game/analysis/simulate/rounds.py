"""Whole rounds, compiled: the dealer, the settlement, and what is counted.

Results are in original bets. Sources of chance and cards are in ``kernel``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from game.analysis.simulate.jit import compiled
from game.analysis.simulate.kernel import (
    ENDED,
    NATURAL,
    PATTERNS,
    SOME_SPLIT,
    STAKED,
    TO_DEALER,
    Bytes,
    Deck,
    Ints,
    RuleNumbers,
    best_of,
    draw,
    play_hands,
)

# Ends of the dealer: no card but the upcard; one card that was no blackjack, where only that counted;
# totals 17 to 21 as themselves; bust; blackjack.
DEALER_NONE, DEALER_LOOKED, DEALER_BUST, DEALER_BLACKJACK, DEALER_ENDS = 0, 1, 22, 23, 24

# Outcomes of a hand, in the order of ``game.settle.Outcome``.
WIN, PUSH, LOSE, BUST, BLACKJACK, OUTCOMES = range(6)

# Net results of a player: -4 to +4 bets, then a blackjack that was paid.
NET_ZERO, NET_PAID, NETS = 4, 9, 10
# Of a table: -28 to +28 bets, then a blackjack that was paid to all.
TABLE_ZERO, TABLE_PAID, TABLE_NETS = 28, 57, 58
# Best totals up to 30 (20 and a ten); no round of a legal shoe takes more than 58 cards.
TOTALS, MOST_CARDS = 32, 64

# Places in the counts of a table: the first of each group ...
ROUNDS, SHOES, SHOE_SQUARES, NOBODYS, PATTERN = range(5)
DEALER = PATTERN + PATTERNS
CARDS = DEALER + DEALER_ENDS
TABLE_NET = CARDS + MOST_CARDS
TABLE_WIDTH = TABLE_NET + TABLE_NETS
# ... and of a player. With a cut card the rounds of a shoe are no independent samples, but shoes are:
# hence sums over shoes of the net squared and of the net times the rounds, in parts of a bet.
NET = 0
STAKE, STAKES = NET + NETS, 5  # rounds with 0 to 4 bets staked
OUTCOME = STAKE + STAKES
TOTAL = OUTCOME + OUTCOMES
DOUBLED = TOTAL + TOTALS  # rounds with a double
NET_SQUARES, NET_ROUNDS, PLAYER_WIDTH = DOUBLED + 1, DOUBLED + 2, DOUBLED + 3


@compiled
def dealer_cards(deck: Deck, upcard: int, hits_soft_17: int, only_one: int) -> int:
    """The dealer draws by his rule, or one card only; where he ends (``DEALER_...``)."""
    hard = upcard
    ace = upcard == 1
    best = 0
    cards = 1
    while True:
        card = draw(deck, TO_DEALER)
        cards += 1
        hard += card
        ace |= card == 1
        best = best_of(hard, ace)
        if cards == 2 and best == 21:
            return DEALER_BLACKJACK
        if only_one:
            return DEALER_LOOKED
        if best > 17 or (best == 17 and not (hits_soft_17 and ace and hard <= 11)):
            return min(best, DEALER_BUST)


@compiled
def play_dealer(deck: Deck, seats: Ints, upcard: int, pattern: int, numbers: RuleNumbers) -> int:
    """The dealer draws as far as a bet depends on it; where he ends."""
    may_be_natural = upcard == 1 or upcard == 10
    if pattern == NATURAL:
        return dealer_cards(deck, upcard, 0, 1) if may_be_natural else DEALER_NONE
    more = 0
    for hand in range(3 if pattern >= SOME_SPLIT else 1):
        for player in range(seats.shape[1]):
            stake = seats[STAKED + hand, player]
            if stake and seats[ENDED + hand, player] <= 21:
                return dealer_cards(deck, upcard, numbers.hits_soft_17, 0)
            more |= stake > 1 or (hand > 0 and stake > 0)
    # Every bet is lost, but a blackjack that takes original bets only would give some back.
    if more and numbers.takes_original and may_be_natural:
        return dealer_cards(deck, upcard, 0, 1)
    return DEALER_NONE


@compiled
def settle_player(
    seats: Ints, player: int, pattern: int, end: int, numbers: RuleNumbers, counts: Ints
) -> int:
    """Pays one player; the net result in bets, or NET_PAID for a blackjack that was paid."""
    if pattern == NATURAL:
        counts[TOTAL + 21] += 1
        counts[STAKE + 1] += 1
        paid = end != DEALER_BLACKJACK
        counts[OUTCOME + (BLACKJACK if paid else PUSH)] += 1
        return NET_PAID if paid else 0
    dealer = 0 if end == DEALER_BUST else end
    owed = 1  # what a blackjack that takes original bets only still has to take
    net = 0
    staked = 0
    doubled = 0
    for hand in range(3 if pattern >= SOME_SPLIT else 1):
        stake = seats[STAKED + hand, player]
        if not stake:
            continue
        total = seats[ENDED + hand, player]
        if end == DEALER_BLACKJACK and numbers.takes_original:
            outcome = PUSH if not owed else BUST if total > 21 else LOSE
            net -= owed
            owed = 0
        elif total > 21:
            outcome = BUST
            net -= stake
        elif total > dealer:
            outcome = WIN
            net += stake
        elif total == dealer:
            outcome = PUSH
        else:
            outcome = LOSE
            net -= stake
        counts[OUTCOME + outcome] += 1
        counts[TOTAL + total] += 1
        staked += stake
        doubled |= stake == 2
    counts[STAKE + staked] += 1
    counts[DOUBLED] += doubled
    return net


@compiled
def play_round(
    deck: Deck,
    seats: Ints,
    charts: Bytes,
    weights: Ints,
    numbers: RuleNumbers,
    table: Ints,
    players: Ints,
    said: Ints,
    nets: Ints,
) -> None:
    """One round from the present place of the shoe, counted. ``nets`` collects parts of a bet won."""
    place = deck.place
    start = place[0]
    pattern, nobodys = play_hands(deck, seats, said, charts)
    upcard: Any = np.int64(deck.shoe[start + 2])
    end = play_dealer(deck, seats, upcard, pattern, numbers)
    together = 0
    paid = False
    for player in range(len(charts)):
        net = settle_player(seats, player, pattern, end, numbers, players[player])
        if net == NET_PAID:
            paid = True
            players[player, NET + NET_PAID] += 1
            nets[player] += numbers.pays_win
        else:
            players[player, NET + NET_ZERO + net] += 1
            nets[player] += net * numbers.pays_stake
            together += weights[player] * net
    table[TABLE_NET + (TABLE_PAID if paid else TABLE_ZERO + together)] += 1
    table[PATTERN + pattern] += 1
    table[NOBODYS] += nobodys
    table[DEALER + end] += 1
    table[CARDS + place[0] - start] += 1


@compiled
def play_rounds(
    rounds: int,
    deck: Deck,
    seats: Ints,
    charts: Bytes,
    weights: Ints,
    numbers: RuleNumbers,
    table: Ints,
    players: Ints,
    said: Ints,
    nets: Ints,
) -> None:
    """Many rounds, from a complete shoe on; the last shoe ends with the last round."""
    place = deck.place
    since = 0
    place[:2] = 0
    for number in range(rounds):
        if number and place[2] - place[0] <= numbers.behind:
            end_shoe(number - since, table, players, nets)
            since = number
            place[0] = 0
            place[1] = 0
        play_round(deck, seats, charts, weights, numbers, table, players, said, nets)
    end_shoe(rounds - since, table, players, nets)
    table[ROUNDS] += rounds


@compiled
def end_shoe(rounds: int, table: Ints, players: Ints, nets: Ints) -> None:
    """Counts a shoe as one sample of rounds."""
    table[SHOES] += 1
    table[SHOE_SQUARES] += rounds * rounds
    for player in range(len(players)):
        net = nets[player]
        players[player, NET_SQUARES] += net * net
        players[player, NET_ROUNDS] += net * rounds
        nets[player] = 0
