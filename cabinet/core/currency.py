"""The money of a cabinet: one type for a currency, and the one place that writes an amount in figures.

Amounts are integers of the currency's minor unit, everywhere. Names that end in ``_cents`` mean that unit,
also where it is a yen. Codes and decimals are those of ISO 4217, notes those of the issuing banks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Currency:
    """`exponent`: decimals. `notes`: what validators take unless the cabinet file chooses, in minor units,
    the smallest first. The words are those of a ticket, in capitals; `paper` stands before figures there:
    letters and a space where the fonts of printers have no sign."""

    code: str
    exponent: int
    symbol: str
    notes: tuple[int, ...]
    unit: str
    units: str
    part: str
    parts: str
    paper: str

    @property
    def whole(self) -> int:
        """Minor units of one unit."""
        return int(10**self.exponent)

    def digits(self, minor: int, group: str = ",") -> str:
        """``1,250.00`` without sign or symbol; ``1,250`` where there are no decimals."""
        units, part = divmod(abs(minor), self.whole)
        grouped = f"{units:,}".replace(",", group)
        return f"{grouped}.{part:0{self.exponent}d}" if self.exponent else grouped

    def text(self, minor: int) -> str:
        """``$1,250.00``, ``-$5.00``, ``¥1,250``: for staff, logs and the laboratory. Screens for players
        follow the locale too (`ui.catalogue`)."""
        return f"{'-' if minor < 0 else ''}{self.symbol}{self.digits(minor)}"

    def short(self, minor: int) -> str:
        """``$20`` and ``$1.50``: a whole amount without decimals."""
        return self.text(minor).removesuffix("." + "0" * self.exponent)


USD: Final = Currency(
    "USD", 2, "$", (100, 200, 500, 1_000, 2_000, 5_000, 10_000), "DOLLAR", "DOLLARS", "CENT", "CENTS", "$"
)
EUR: Final = Currency(
    "EUR", 2, "€", (500, 1_000, 2_000, 5_000, 10_000, 20_000), "EURO", "EUROS", "CENT", "CENTS", "EUR "
)
JPY: Final = Currency("JPY", 0, "¥", (1_000, 2_000, 5_000, 10_000), "YEN", "YEN", "", "", "JPY ")
CURRENCIES: Final[Mapping[str, Currency]] = {each.code: each for each in (USD, EUR, JPY)}


def of_settings(settings: Mapping[str, str]) -> Currency:
    """The currency that a journal was written in: recalled money is shown in it, whatever the cabinet has."""
    return CURRENCIES.get(settings.get("cabinet.currency", "").strip('"'), USD)
