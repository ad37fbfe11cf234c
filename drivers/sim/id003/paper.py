"""The rows of a simulated validator's currency table."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.bill_validator.id003.codec import FIRST_NOTE_CODE


@dataclass(frozen=True, slots=True)
class CurrencyEntry:
    """One row of the machine's currency table."""

    code: int
    country: int
    base: int
    exponent: int
    currency: str
    minor: int = 100  # minor units of one unit

    @property
    def cents(self) -> int:
        return int(self.base * 10**self.exponent * self.minor)

    def packed(self) -> bytes:
        return bytes((self.code, self.country, self.base, self.exponent))


#: What the data sets of some countries hold: base and exponent of each code from the first on; (0, 0): not
#: assigned. Dollars and euros are counted in hundredths here, yen are not.
_DATA_SETS = {
    "USD": (0x01, 100, ((1, 0), (0, 0), (5, 0), (1, 1), (2, 1), (5, 1), (1, 2))),
    "EUR": (0xE0, 100, ((5, 0), (1, 1), (2, 1), (5, 1), (1, 2), (2, 2), (0, 0))),
    "JPY": (0x0A, 1, ((1, 3), (2, 3), (5, 3), (1, 4), (0, 0), (0, 0), (0, 0))),
}


def rows_of(currency: str) -> tuple[CurrencyEntry, ...]:
    """The currency table of a machine for one country. KeyError: there is no data set."""
    country, minor, values = _DATA_SETS[currency]
    return tuple(
        CurrencyEntry(FIRST_NOTE_CODE + place, country, base, exponent, currency, minor)
        for place, (base, exponent) in enumerate(values)
    )


def usd_rows() -> tuple[CurrencyEntry, ...]:
    """$1 $5 $10 $20 $50 $100 under the codes of a US data set; 62 and 68 are not assigned."""
    return rows_of("USD")


EURO_5 = CurrencyEntry(0x69, 0xE0, 5, 0, "EUR")
