"""Amounts as a ticket prints them: in words and in figures, both from the same integer cents.

A ticket must carry its amount in words and in figures (gaming regulators' ticket rules). A
printer silently cuts a line that is too long, so an amount whose words do not fit on two lines
is refused here, before any number is used.
"""

from __future__ import annotations

from cabinet.core.currency import Currency

#: With 50 characters a line every amount below one million fits on the two lines of a ticket,
#: and a full line fits the ticket's width.
WORDS_WIDTH_CHARS = 50

#: Units of any currency. The next word would be "million"; no cabinet pays that on paper.
LIMIT = 1_000_000

GROUPS = (2, 4, 4, 4, 4)

_TEENS = ("TEN", "ELEVEN", "TWELVE", "THIRTEEN", "FOURTEEN", "FIFTEEN", "SIXTEEN", "SEVENTEEN", "EIGHTEEN")
_ONES = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
_SMALL = (*_ONES, *_TEENS, "NINETEEN")
_TENS = ("ZERO", "TEN", "TWENTY", "THIRTY", "FORTY", "FIFTY", "SIXTY", "SEVENTY", "EIGHTY", "NINETY")


class AmountDoesNotFitError(ValueError):
    """The amount cannot be put on a ticket; it has to be paid by hand."""


def amount_in_words(cents: int, currency: Currency) -> str:
    """The amount in English, e.g. 8502 is EIGHTY FIVE DOLLARS AND TWO CENTS, and 8502 yen are EIGHT THOUSAND
    FIVE HUNDRED TWO YEN.

    Raises AmountDoesNotFitError from one million units on, ValueError for a negative amount.
    """
    units, part = divmod(_checked(cents, currency), currency.whole)
    text = f"{_whole_number(units)} {currency.unit if units == 1 else currency.units}"
    if currency.exponent:
        part_words = _below_thousand(part) if part else "NO"
        text += f" AND {part_words} {currency.part if part == 1 else currency.parts}"
    return text


def amount_in_figures(cents: int, currency: Currency) -> str:
    """The amount in figures, e.g. 123456 is $1,234.56. Limits as amount_in_words."""
    return f"{currency.paper}{currency.digits(_checked(cents, currency))}"


def two_lines(words: str, width: int = WORDS_WIDTH_CHARS) -> tuple[str, str]:
    """`words` on at most two lines of `width` characters, broken between words.

    One line if it fits (the second is then empty), otherwise the break that leaves the lines
    most alike in length. Raises AmountDoesNotFitError if there is none.
    """
    if len(words) <= width:
        return words, ""
    breaks = [at for at, letter in enumerate(words) if letter == " "]
    at = min(breaks, key=lambda at: max(at, len(words) - at - 1), default=0)
    first, second = words[:at], words[at + 1 :]
    if not first or max(len(first), len(second)) > width:
        raise AmountDoesNotFitError(f"{len(words)} letters do not fit two lines of {width}")
    return first, second


def days_in_words(days: int) -> str:
    """How long a ticket is good for. Printers write it in capitals."""
    return "1 day" if days == 1 else f"{days} days"


def grouped(number: str) -> str:
    """A validation number as it is printed for people: 2-4-4-4-4. ValueError if not 18 digits."""
    if len(number) != sum(GROUPS) or not (number.isascii() and number.isdigit()):
        raise ValueError("a validation number has exactly 18 digits")
    parts = []
    at = 0
    for size in GROUPS:
        parts.append(number[at : at + size])
        at += size
    return "-".join(parts)


def _checked(cents: int, currency: Currency) -> int:
    if cents < 0:
        raise ValueError("a ticket amount is never negative")
    if cents >= LIMIT * currency.whole:
        raise AmountDoesNotFitError(f"{currency.text(cents)} is a million or more")
    return cents


def _whole_number(number: int) -> str:
    """English words of 0 to 999,999, without AND and without hyphens."""
    thousands, rest = divmod(number, 1000)
    if not thousands:
        return _below_thousand(rest)
    head = f"{_below_thousand(thousands)} THOUSAND"
    return f"{head} {_below_thousand(rest)}" if rest else head


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    if not hundreds:
        return _below_hundred(rest)
    head = f"{_SMALL[hundreds]} HUNDRED"
    return f"{head} {_below_hundred(rest)}" if rest else head


def _below_hundred(number: int) -> str:
    if number < 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]} {_SMALL[ones]}" if ones else _TENS[tens]
