"""The shoe: which cards have not been dealt yet.

A shoe is a set of cards, not a sequence. The order of the undealt cards exists nowhere; a card
comes into being when a random index is drawn for it, at the moment the rules need it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from game.cards import DECK_CARDS, MAX_DECKS, Card


@dataclass(frozen=True, slots=True)
class Shoe:
    """The cards that remain, ascending. Every card occurs once: its number names its deck."""

    cards: tuple[Card, ...]

    @classmethod
    def full(cls, decks: int) -> Shoe:
        """A complete shoe of 1 to 8 decks."""
        if not 1 <= decks <= MAX_DECKS:
            raise ValueError(f"a shoe has 1 to {MAX_DECKS} decks, not {decks}")
        return cls(tuple(range(decks * DECK_CARDS)))

    def __len__(self) -> int:
        return len(self.cards)

    def __contains__(self, card: object) -> bool:
        return card in self.cards

    def take(self, index: int) -> tuple[Card, Shoe]:
        """The card at ``index`` (0 .. len - 1) and the shoe without it.

        Every card has the same chance when every index has. Raises IndexError outside the range,
        for negative numbers too.
        """
        if not 0 <= index < len(self.cards):
            raise IndexError(f"index {index} in a shoe of {len(self.cards)} cards")
        return self.cards[index], Shoe(self.cards[:index] + self.cards[index + 1 :])

    def remove(self, card: Card) -> Shoe:
        """The shoe without this card, which a journal says was dealt. ValueError if it is not in it."""
        index = bisect_left(self.cards, card)
        if index == len(self.cards) or self.cards[index] != card:
            raise ValueError(f"card {card} is not in the shoe")
        return Shoe(self.cards[:index] + self.cards[index + 1 :])
