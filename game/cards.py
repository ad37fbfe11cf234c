"""Cards as small integers.

A ``Card`` is ``deck * 52 + suit * 13 + rank``: deck 0..7, suit 0..3 in the order S H D C, rank
0..12 in the order A 2 .. 10 J Q K. Two cards of equal face from different decks are different
cards, so every card of a shoe can be traced through journal and recall.
"""

from __future__ import annotations

from typing import TypeAlias

Card: TypeAlias = int

RANKS: tuple[str, ...] = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: tuple[str, ...] = ("S", "H", "D", "C")
DECK_CARDS = 52
MAX_DECKS = 8
CARD_LIMIT = DECK_CARDS * MAX_DECKS  # the first number that is no card

# Points of every card, an ace as 1. Indexed by card; read by the inner loops of hand and chart.
POINTS: tuple[int, ...] = tuple(min(card % 13 + 1, 10) for card in range(CARD_LIMIT))

_FACES: tuple[str, ...] = tuple(RANKS[face % 13] + SUITS[face // 13] for face in range(DECK_CARDS))
_FACE_NUMBERS: dict[str, int] = {text: number for number, text in enumerate(_FACES)}


def rank(card: Card) -> str:
    """The rank as printed on the card: ``"A"``, ``"2"`` .. ``"10"``, ``"J"``, ``"Q"``, ``"K"``."""
    return RANKS[_checked(card) % 13]


def suit(card: Card) -> str:
    """The suit letter: ``"S"``, ``"H"``, ``"D"`` or ``"C"``."""
    return SUITS[_checked(card) % DECK_CARDS // 13]


def deck(card: Card) -> int:
    """The deck that the card belongs to, from 0."""
    return _checked(card) // DECK_CARDS


def text(card: Card) -> str:
    """Rank and suit, ``"10H"``; the deck is not part of it."""
    return _FACES[_checked(card) % DECK_CARDS]


def points(card: Card) -> int:
    """1 for an ace, 10 for ten, jack, queen and king, else the number on the card."""
    return POINTS[_checked(card)]


def same_rank(first: Card, second: Card) -> bool:
    """True for two eights or two queens; a queen and a king differ in rank, though not in points."""
    return _checked(first) % 13 == _checked(second) % 13


def parse(face: str, deck_number: int = 0) -> Card:
    """The card of a face such as ``"10H"`` or ``"as"``; of the first deck unless told otherwise.

    Raises ValueError, saying what was found and what is allowed.
    """
    number = _FACE_NUMBERS.get(face.strip().upper())
    if number is None:
        raise ValueError(
            f"{face!r} is no card: a rank ({' '.join(RANKS)}) and a suit ({' '.join(SUITS)}), like 10H"
        )
    if not 0 <= deck_number < MAX_DECKS:
        raise ValueError(f"deck {deck_number} does not exist: 0 to {MAX_DECKS - 1}")
    return deck_number * DECK_CARDS + number


def _checked(card: Card) -> Card:
    """The card itself; a negative number would otherwise silently count from the end of a table."""
    if not 0 <= card < CARD_LIMIT:
        raise ValueError(f"{card} is no card: 0 to {CARD_LIMIT - 1}")
    return card
