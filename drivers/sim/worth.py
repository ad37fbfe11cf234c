"""What a paper is worth to whoever holds it, by what stands on it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

RECEIPTS: Final = ("HANDPAY RECEIPT", "JACKPOT RECEIPT")  # they prove a payment that has been made
_FIGURES = re.compile(r"([0-9][0-9,]*)\.([0-9]{2})")


def worth_cents(figures: str, titles: Iterable[str]) -> int:
    """The amount in its figures; 0 for a test print, which has none, and for a receipt."""
    found = _FIGURES.search(figures)
    if found is None or any(title.strip() in RECEIPTS for title in titles):
        return 0
    return int(found[1].replace(",", "") + found[2])
