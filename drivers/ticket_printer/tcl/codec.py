"""Orders in TCL, the template language of thermal ticket printers (FutureLogic, Nanoptix, TransAct).

Host to printer: ``^`` code ``|`` field ``|`` ... ``^``, in 8-bit text. There is no length, no
checksum, no sequence number and no acknowledgement: the status (``status``) is the only answer.
Neither ``^`` nor ``|`` can be escaped, so no field may hold one.

Nothing here knows time. Sources: public programs that drive these printers, as far as three or
more agree; what is disputed among them is named where it matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from drivers.device import TicketFields
from drivers.ticket_printer.common import ticket_text
from drivers.ticket_printer.common.ticket_text import (
    NUMBER_DIGITS,
    TicketRefusedError,
    checked_number,
    grouped,
)

EXTENDED_STATUS = b"^Se|^"  # answered with five flags
STANDARD_STATUS = b"^S|^"  # answered with three flags, by some firmware with five
CLEAR = b"^C|^"  # latched flags
CLEAR_JAM = b"^C|j|^"  # the same and the jam flag
#: The printer starts again and forgets its orders. Nothing else in the language takes an order back.
RESET = b"^r|^"
#: Ends a command that was broken off. Between commands it would begin one, so it is only sent to a
#: printer that does not answer.
LONE_CARET = b"^"

FIELD_LIMIT = 60  # letters; the widest line of a ticket takes 50
COPIES = "1"  # never more: every copy of a ticket would be money


class FieldName(StrEnum):
    """What a template field can be filled with."""

    NUMBER = "number"  # the validation number for people, in groups
    ESTABLISHMENT = "establishment"
    STREET = "street"
    CITY = "city"
    TITLE = "title"
    LABEL = "label"
    DATE = "date"
    TIME = "time"
    TICKET_NO = "ticket_no"
    WORDS_1 = "words_1"
    WORDS_2 = "words_2"
    FIGURES = "figures"
    SEAT = "seat"
    EXPIRY = "expiry"
    MACHINE = "machine"
    BAR_CODE = "bar_code"
    NOTHING = "nothing"


_F = FieldName
#: Template 0, the cash-out voucher: the one template on whose order all known programs agree.
CASHOUT_LAYOUT = (
    *(_F.NUMBER, _F.ESTABLISHMENT, _F.STREET, _F.CITY, _F.TITLE, _F.LABEL, _F.NUMBER, _F.DATE, _F.TIME),
    *(_F.TICKET_NO, _F.WORDS_1, _F.WORDS_2, _F.FIGURES, _F.SEAT, _F.EXPIRY, _F.MACHINE, _F.BAR_CODE),
)
#: A half command may sit in the printer's buffer from a host that died. These fields make it longer
#: than any template and put VOID wherever a forgiving printer would still print: no ticket comes of
#: it. A printer that waits for a command takes no notice of text.
SPOIL = b"VOID|" * (len(CASHOUT_LAYOUT) + 1)

#: An empty field is not blank: the firmware may print a text of its own there. Only where that is
#: wanted, or where the sample tickets of the makers have it, does a field stay empty.
_MAY_BE_EMPTY = frozenset({FieldName.TITLE, FieldName.SEAT})
#: Names of places may lose an accent or a stray sign. Everything else is money or evidence: it is
#: printed as ordered or not at all.
_MAY_BE_CHANGED = frozenset(
    {
        FieldName.ESTABLISHMENT,
        FieldName.STREET,
        FieldName.CITY,
        FieldName.TITLE,
        FieldName.MACHINE,
        FieldName.SEAT,
    }
)


def layout_for(
    firmware: str, layouts: Mapping[str, Sequence[FieldName]], usual: Sequence[FieldName] = CASHOUT_LAYOUT
) -> Sequence[FieldName]:
    """The field order for a firmware id: the entry with the longest matching beginning, else `usual`."""
    fitting = [start for start in layouts if firmware.startswith(start)]
    return layouts[max(fitting, key=len)] if fitting else usual


def print_command(ticket: TicketFields, template: str, layout: Sequence[FieldName]) -> bytes:
    """The whole print order for one copy. Raises TicketRefusedError, and then nothing may be sent."""
    fields = [_field(ticket, name) for name in layout]
    return ("^" + "|".join(("P", template, COPIES, *fields)) + "|^").encode("ascii")


#: Paper without a number is a test print: no amount is on it either.
_WITHOUT_NUMBER = {FieldName.WORDS_1: "NO CASH VALUE", FieldName.WORDS_2: "", FieldName.FIGURES: "VOID"}


def _field(ticket: TicketFields, name: FieldName) -> str:
    match name:
        case _ if not ticket.validation and name in _WITHOUT_NUMBER:
            text = _WITHOUT_NUMBER[name]
        case FieldName.NUMBER:
            text = grouped(ticket.validation)
        case FieldName.BAR_CODE:
            text = checked_number(ticket.validation)
        case FieldName.LABEL:
            text = "VALIDATION"
        case FieldName.NOTHING:
            text = ""
        case _:
            text = getattr(ticket, name.value)
    if name in _MAY_BE_CHANGED:
        text = plain(text)[:FIELD_LIMIT]
    elif not _is_safe(text):
        raise TicketRefusedError(f"{name.value} holds letters that the printer cannot print")
    elif len(text) > FIELD_LIMIT:
        raise TicketRefusedError(f"{name.value} is longer than {FIELD_LIMIT} letters")
    return text if text or name in _MAY_BE_EMPTY else " "


def _is_safe(text: str) -> bool:
    return ticket_text.is_plain(text) and "^" not in text and "|" not in text


def plain(text: str) -> str:
    """`text` in the letters that every firmware has: no accents, no delimiters, no controls."""
    return ticket_text.plain(text).replace("^", "-").replace("|", "-")


def masked(command: bytes) -> bytes:
    """A print order without the number of a ticket that is not redeemed: the last four digits stay."""
    fields = command.split(b"|")
    for place, field in enumerate(fields):
        if len(field.replace(b"-", b"")) == NUMBER_DIGITS and field.replace(b"-", b"").isdigit():
            fields[place] = b"x" * (len(field) - 4) + field[-4:]
    return b"|".join(fields)
