"""The hands of a round, compiled: the same cards to the same places as ``game.round`` deals them.

Seats that play one chart always do the same on a shared hand, so the kernel plays *players*: one per
different chart. Cards are points (1 the ace, 10 every ten-valued card); no other property of a card
counts. Stakes are in original bets. Sets of players are bits of an integer.

Sources: xoshiro256++ by Blackman and Vigna, https://prng.di.unimi.it/xoshiro256plusplus.c (public
domain); an index without bias from D. Lemire, "Fast Random Integer Generation in an Interval", ACM
TOMACS 29 (2019), the multiplication with rejection.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from game.analysis.simulate.jit import compiled

Ints: TypeAlias = npt.NDArray[np.int64]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Words: TypeAlias = npt.NDArray[np.uint64]

# Choices as a decision table holds them.
HIT, STAND, DOUBLE, SPLIT, CHOICES = range(5)

# A decision table has STATES choices per upcard: two cards as dealt (by both points), two cards of a
# split hand, then three and more cards by best total, hard before soft.
SPLIT_STATES, MORE_STATES, STATES = 100, 200, 244

# Where a card goes: the number of its hand (0 the common hand, 1 and 2 split hands), with CONTINUED
# added when it is a continuation card, or TO_DEALER.
CONTINUED, TO_DEALER = 4, 8

# Rows of what each player has (``seats``, one column per player): the stake on hand 0 to 2, the total
# that the hand ended on, the last word.
STAKED, ENDED, SPOKEN, SEAT_ROWS = 0, 3, 6, 7

# How the hands were dealt.
NATURAL, NO_SPLIT, SOME_SPLIT, ALL_SPLIT, PATTERNS = range(5)

_LOW = np.uint64(0xFFFFFFFF)
_SPAN = np.uint64(1 << 32)
_HALF = np.uint64(32)


class Deck(NamedTuple):
    """A shoe that is dealt from. ``place`` is [next card, first card whose order is open, cards].

    ``shoe`` holds the points, ``given`` where each dealt card went, ``words`` the generator's state.
    """

    shoe: Bytes
    given: Bytes
    place: Ints
    words: Words


class RuleNumbers(NamedTuple):
    """The rules as numbers. The shoe is shuffled before a round with ``behind`` cards or fewer left.

    A net result is counted in ``1 / pays_stake`` of a bet where a blackjack and others are added.
    """

    behind: int
    hits_soft_17: int
    takes_original: int
    pays_win: int
    pays_stake: int


@compiled
def next_word(words: Words) -> Any:
    """The next 64 random bits (xoshiro256++)."""
    a, b, c, d = words[0], words[1], words[2], words[3]
    mixed = a + d
    mixed = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
    c ^= a
    d ^= b
    words[1] = b ^ c
    words[0] = a ^ d
    words[2] = c ^ (b << np.uint64(17))
    words[3] = (d << np.uint64(45)) | (d >> np.uint64(19))
    return mixed


@compiled
def draw(deck: Deck, to: int) -> Any:
    """The next card. One whose order is open is chosen now among all that are left.

    Whatever the order of the others was before, every card is equally likely, so a new shuffle is
    just ``place[:2] = 0`` and never moves a card.
    """
    shoe, place = deck.shoe, deck.place
    at = place[0]
    if at >= place[1]:
        left = np.uint64(place[2] - at)
        wide = (next_word(deck.words) >> _HALF) * left
        if (wide & _LOW) < left:
            uneven = (_SPAN - left) % left
            while (wide & _LOW) < uneven:
                wide = (next_word(deck.words) >> _HALF) * left
        other = at + np.int64(wide >> _HALF)
        card = shoe[other]
        shoe[other] = shoe[at]
        shoe[at] = card
        place[1] = at + 1
    deck.given[at] = to
    place[0] = at + 1
    return np.int64(shoe[at])


@compiled
def best_of(hard: int, ace: int) -> int:
    """The best total of a sum with aces as 1, of which there are any if ``ace`` is 1."""
    return hard + 10 * (ace & (hard <= 11))


@compiled
def _choose(seats: Ints, said: Ints, charts: Bytes, row: int, live: int) -> int:
    """The live players speak; who splits is returned."""
    splitting = 0
    for player in range(len(charts)):
        if live >> player & 1:
            choice = np.int64(charts[player, row])
            seats[SPOKEN, player] = choice
            said[player, choice] += 1
            if choice == SPLIT:
                splitting |= 1 << player
    return splitting


@compiled
def _play(
    deck: Deck, seats: Ints, said: Ints, charts: Bytes, up: int, hand: int, hard: int, ace: int, live: int
) -> int:
    """One hand of two cards, on which the live players have spoken, to its end; continuation cards on it."""
    best = best_of(hard, ace)
    while True:
        asked = 0
        doubled = 0
        for player in range(len(charts)):
            if live >> player & 1:
                choice = seats[SPOKEN, player]
                if choice == STAND:
                    seats[ENDED + hand, player] = best
                else:
                    asked |= 1 << player
                    if choice == DOUBLE:
                        doubled |= 1 << player
                        seats[STAKED + hand, player] = 2
        if not asked:
            break
        card = draw(deck, hand)
        hard += card
        ace |= card == 1
        best = best_of(hard, ace)
        live = 0
        for player in range(len(charts)):
            if asked >> player & 1:
                if best >= 21 or doubled >> player & 1:
                    seats[ENDED + hand, player] = best
                else:
                    live |= 1 << player
        if not live:
            break
        soft = ace & (hard <= 11)
        _choose(seats, said, charts, up + MORE_STATES + best + 22 * soft, live)
    nobodys = 0
    while best < 21:
        card = draw(deck, hand + CONTINUED)
        nobodys += 1
        hard += card
        ace |= card == 1
        best = best_of(hard, ace)
    return nobodys


@compiled
def play_hands(deck: Deck, seats: Ints, said: Ints, charts: Bytes) -> tuple[int, int]:
    """All before the dealer's second card: how the hands were dealt, and how many cards belong to no seat."""
    count = len(charts)
    first = draw(deck, 0)
    second = draw(deck, 0)
    upcard = draw(deck, TO_DEALER)
    everyone = (1 << count) - 1
    ace = first == 1 or second == 1
    for player in range(count):
        seats[STAKED, player] = 1
        seats[ENDED, player] = 21
    if ace and first + second == 11:
        return NATURAL, 0
    up = STATES * (upcard - 1)
    splitting = _choose(seats, said, charts, up + 10 * first + second - 11, everyone)
    if splitting:
        for player in range(count):
            left = splitting >> player & 1
            seats[STAKED, player] = 1 - left
            seats[STAKED + 1, player] = left
            seats[STAKED + 2, player] = left
    live = everyone & ~splitting
    hard = first + second
    nobodys = 0
    for hand in range(3 if splitting else 1):
        if hand:
            live = splitting
            card = draw(deck, hand)
            hard = first + card
            ace = first == 1 or card == 1
            best = best_of(hard, ace)
            if first == 1 or best == 21:
                for player in range(count):
                    seats[ENDED + hand, player] = best
                continue
            _choose(seats, said, charts, up + SPLIT_STATES + 10 * first + card - 11, live)
        if live:
            nobodys += _play(deck, seats, said, charts, up, hand, hard, ace, live)
    if not splitting:
        return NO_SPLIT, nobodys
    return (ALL_SPLIT if splitting == everyone else SOME_SPLIT), nobodys
