"""Cards in the lab: a seeded draw, and a stacked shoe. Neither exists in the field program."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from cabinet.core.turn import Draw
from game import cards
from game.shoe import Shoe


def seeded(seed: int) -> Draw:
    """A stream of its own for cards, apart from those of people and devices."""
    return random.Random(f"cards {seed}").randrange


def entropy(seed: int) -> Callable[[int], bytes]:
    """A stream of its own for keys: what the kernel's generator gives a cabinet."""
    return random.Random(f"keys {seed}").randbytes


class Stacked:
    """Deals the named cards first, then draws as `then` does.

    ``shoe`` tells the shoe on the table, from which cards are drawn between shuffles; a draw from a
    complete shoe is the first after a shuffle.
    """

    def __init__(self, names: str, decks: int, then: Draw, shoe: Callable[[], Shoe | None]) -> None:
        self._names = [cards.parse(name) for name in names.replace(",", " ").split()]
        self._full = list(Shoe.full(decks).cards)
        self._then = then
        self._shoe = shoe
        self._left: list[int] = []

    def __call__(self, n: int) -> int:
        if n == 1:
            return 0  # no card: the question whether there are any
        if n == len(self._full):
            self._left = list(self._full)
        elif n != len(self._left):
            shoe = self._shoe()
            self._left = list(shoe.cards) if shoe is not None else []
        index = self._wanted(self._left) if self._names else self._then(n)
        del self._left[index]
        return index

    def _wanted(self, left: Sequence[int]) -> int:
        """Where the next named card lies; any deck will do. ValueError when the shoe has no more."""
        name = self._names.pop(0)
        for index, card in enumerate(left):
            if card % cards.DECK_CARDS == name:
                return index
        raise ValueError(f"{cards.text(name)} is asked for more often than the shoe has it")
