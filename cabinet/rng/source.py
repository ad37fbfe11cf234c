"""Where randomness comes from: the kernel's cryptographic generator, scaled without bias.

Each card is drawn straight from `getrandom(2)` when the rules need it: the generator blocks until
the kernel's pool is ready, its state cannot be reached from here, and nothing undealt exists that
could leak. Scaling takes the fewest bits that can hold the range and throws values away that are
too large, so every value is equally likely. A seeded draw exists only in the lab and in tests.
What watches the bytes on their way is `cabinet.rng.generator`.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from cabinet.core.turn import Draw, DrawError
from game.cards import Card
from game.shoe import Shoe

# A fair source needs more than 100 redraws with a probability below 2**-100: the source is broken.
REDRAWS_MAX = 100

Source = Callable[[int], bytes]


def kernel(count: int) -> bytes:
    """`count` bytes from the kernel's generator, which waits only until it is ready after boot."""
    return os.getrandom(count, 0)


def read(count: int, source: Source) -> bytes:
    """Exactly `count` bytes of `source`. Raises DrawError when it gives anything else."""
    try:
        data = source(count)
    except OSError as error:
        raise DrawError(f"the kernel's random number generator failed: {error}") from error
    if len(data) != count:
        raise DrawError("the random number generator gave too few bytes")
    return data


def uniform(n: int, source: Source = kernel) -> int:
    """A uniform integer 0..n-1 by exact rejection. Raises DrawError when the source is stuck."""
    if n < 1:
        raise ValueError(f"cannot draw one of {n}")
    bits = (n - 1).bit_length()
    if not bits:
        return 0
    size = (bits + 7) // 8
    mask = (1 << bits) - 1
    for _ in range(REDRAWS_MAX):
        value = int.from_bytes(read(size, source), "little") & mask
        if value < n:
            return value
    raise DrawError(f"the random number generator gave {REDRAWS_MAX} unusable values in a row")


def deal(draw: Draw, decks: int, count: int) -> list[Card]:
    """The first `count` cards of a fresh shoe, each drawn as the dealer draws it: one of those that
    remain. With `count` = 52 * `decks` it is a whole shuffle."""
    shoe = Shoe.full(decks)
    dealt: list[Card] = []
    for _ in range(count):
        card, shoe = shoe.take(draw(len(shoe)))
        dealt.append(card)
    return dealt
