"""What all printers' languages share: which text may stand on a ticket, and how its number is written.

A ticket is money. A printer that lacks a letter prints another one, a line that is too long is cut, and
neither is reported. So a text that a printer would change is refused before anything is sent, except for
the names of places, which may lose an accent.
"""

from __future__ import annotations

import unicodedata

NUMBER_DIGITS = 18
VOID_NUMBER = "VOID"


class TicketRefusedError(ValueError):
    """A ticket that must not be sent: the printer would change it silently."""


def checked_number(number: str) -> str:
    """18 digits, or nothing at all: a ticket without a number is a test print and has no bar code."""
    if number and not (len(number) == NUMBER_DIGITS and number.isascii() and number.isdigit()):
        raise TicketRefusedError(
            f"the validation number has {len(number)} letters, not {NUMBER_DIGITS} digits"
        )
    return number


def grouped(number: str) -> str:
    """2-4-4-4-4, as the trade prints it; VOID without a number."""
    if not checked_number(number):
        return VOID_NUMBER
    return "-".join((number[:2], *(number[at : at + 4] for at in range(2, NUMBER_DIGITS, 4))))


def is_plain(text: str) -> bool:
    """Only letters that every printer has."""
    return all(" " <= letter <= "~" for letter in text)


def plain(text: str) -> str:
    """`text` in the letters that every printer has: no accents, no controls."""
    letters = []
    for letter in unicodedata.normalize("NFKD", text):
        if unicodedata.combining(letter):
            continue
        if letter.isspace():
            letters.append(" ")
        else:
            letters.append(letter if " " <= letter <= "~" else "?")
    return "".join(letters)
