"""What a paper is worth to whoever holds it, by what stands on it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

RECEIPTS: Final = ("HANDPAY RECEIPT", "JACKPOT RECEIPT")  # they prove a payment that has been made
_FIGURES = re.compile(r"([0-9][0-9,]*)\.([0-9]{2})")
# A lab's paper has no amount of money on it. So many cents are its number's in the lab's own books.
LAB_FIGURES: Final = re.compile(r"LAB ([0-9]+)")


def worth_cents(figures: str, titles: Iterable[str]) -> int:
    """The amount in its figures; 0 for a test print, which has none, and for a receipt."""
    if any(title.strip() in RECEIPTS for title in titles):
        return 0
    if units := LAB_FIGURES.fullmatch(figures.strip()):
        return int(units[1])
    found = _FIGURES.search(figures)
    if found is None:
        return 0
    return int(found[1].replace(",", "") + found[2])
