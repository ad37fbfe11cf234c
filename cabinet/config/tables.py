"""The tables of the cabinet file: their keys, bounds and defaults. `cabinet.config` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

from msgspec import Meta

from drivers.tables import TableModel

# The ticket's amount in words is written up to 999,999 dollars and 99 cents.
TICKET_CENTS_LIMIT = 99_999_999
# A name in the file: it stands in events, logs and on the service screen.
NAME_PATTERN = r"^[a-z][a-z0-9_]{0,31}\Z"

# Text that reaches paper. Printers take ASCII; `^`, `|` and `*` are control characters of ticket languages.
PaperText = Annotated[
    str,
    Meta(pattern=r"^[ -)+-{}~]{1,40}\Z", description="1 to 40 printable ASCII characters without * ^ |"),
]
Cents = Annotated[int, Meta(ge=100, le=TICKET_CENTS_LIMIT)]


class DeviceKind(StrEnum):
    """The kinds of device; each is a table of the cabinet file and a package under ``drivers``."""

    BILL_VALIDATOR = "bill_validator"
    TICKET_PRINTER = "ticket_printer"
    PANEL = "panel"


class Cabinet(TableModel, frozen=True, kw_only=True):
    """``[cabinet]``: identity and policy. Money limits have no defaults: somebody decides them."""

    name: PaperText
    serial: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{4}-[0-9]{3}\Z",
            description='the machine number as printed on tickets, e.g. "0003-031"',
        ),
    ]
    # Goes into every ticket number: no two cabinets of one establishment may have the same.
    machine_id: Annotated[int, Meta(ge=1, le=0xFFFFFF)]
    establishment: PaperText
    street: PaperText
    city: PaperText
    seats: Annotated[int, Meta(ge=1, le=7)]
    rules: Annotated[
        str,
        Meta(pattern=NAME_PATTERN, description='the name of a rule set, e.g. "standard" (not a path)'),
    ]
    credit_limit_cents: Cents  # a note that would take a seat's credit over it is given back
    ticket_limit_cents: Cents  # a cash-out over it is paid by hand
    # A round's win of a seat from here on is paid by hand; 0: never.
    large_win_cents: Annotated[int, Meta(ge=0, le=TICKET_CENTS_LIMIT)]
    # "cash": validators with `barcode = true` take them back; "receipt": only a cashier pays them.
    tickets: Literal["cash", "receipt"] = "cash"
    # The first sequence number of an empty ticket book: after a memory clear, the one that it has told.
    ticket_sequence_from: Annotated[int, Meta(ge=1, le=0xFFFFFF)] = 1
    # Tickets are multiples of it; what is left below stays on the meter, and the attendant pays it.
    payout_unit_cents: Annotated[int, Meta(ge=1, le=10_000)] = 1
    handpay_receipts: bool = True  # a hand payment is followed by a receipt, where a printer works
    handpay_cancel: bool = True  # a seat may take back credit that waits for an attendant; never a win
    ticket_expiry_days: Annotated[int, Meta(ge=1, le=999)]
    pulse_cents: Annotated[int, Meta(ge=1, le=100_000)] = 100  # what one pulse of a hard meter counts

    currency: Literal["USD", "EUR", "JPY"] = "USD"  # as cabinet.core.currency has them
    locale: Annotated[
        str,
        Meta(
            pattern=r"^[a-z]{2,3}(_[A-Z]{2})?\Z",
            description='a locale such as "en_US": how money and dates look on the screen',
        ),
    ] = "en_US"
    language: Annotated[
        str,
        Meta(pattern=r"^[a-z]{2}\Z", description='the two letters of a text catalogue, e.g. "en"'),
    ] = "en"
    deck: Literal["four", "two"] = "four"  # colours of the suits
    volume_percent: Annotated[int, Meta(ge=0, le=100)] = 60
    attract_after_s: Annotated[int, Meta(ge=10, le=3600)] = 120
    resolution: Annotated[
        tuple[Annotated[int, Meta(ge=1280, le=3840)], Annotated[int, Meta(ge=720, le=2160)]],
        Meta(description="[width, height] in pixels, [1280, 720] to [3840, 2160]"),
    ] = (1920, 1080)
    fullscreen: bool = True


class FileCopy(TableModel, frozen=True, kw_only=True):
    """``[second_copy]`` in a file, for cabinets with a second disk. An absolute path."""

    kind: Literal["file"]
    path: Annotated[str, Meta(pattern=r"^/.+", description="an absolute path on another disk")]


class FramCopy(TableModel, frozen=True, kw_only=True):
    """``[second_copy]`` in an FRAM on an I2C bus: /dev/i2c-``bus``, the chip at ``address``."""

    kind: Literal["fram"]
    bus: Annotated[int, Meta(ge=0, le=31)] = 1  # on the header of every Raspberry Pi
    address: Annotated[
        int, Meta(ge=0x50, le=0x57, description="0x50 to 0x57, as the pins A0 to A2 of the chip say")
    ] = 0x50


@dataclass(frozen=True, slots=True)
class DeviceTable:
    """One device. ``seats``: whom it serves (empty for panels). ``options`` are the driver's own."""

    kind: DeviceKind
    name: str
    driver: str
    seats: tuple[int, ...]
    options: Mapping[str, Any]

    @property
    def table(self) -> str:
        return f"{self.kind}.{self.name}"

    @property
    def shared(self) -> bool:
        return len(self.seats) > 1
