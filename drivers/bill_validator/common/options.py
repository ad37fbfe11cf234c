"""The keys that every ``[bill_validator.NAME]`` table has, whatever the validator speaks."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from drivers.tables import TableModel

Firmware = Annotated[
    str, Meta(max_length=100, pattern=r"^[ -~]+\Z", description="1 to 100 printable ASCII characters")
]
Cents = Annotated[int, Meta(ge=1, le=100_000_000)]


class ValidatorOptions(TableModel, frozen=True, kw_only=True):
    """A driver adds its own keys; one that reads tickets a `barcode`."""

    port: Annotated[str, Meta(min_length=1, description="the path of a serial port")]
    #: Versions that were tried here, as the unit tells them, or how they begin; empty: any.
    firmware: tuple[Firmware, ...] = ()
    baud: Annotated[int, Meta(ge=1200, le=115_200)] = 9600
    currency: Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z", description='three letters such as "USD"')] = "USD"
    enabled_cents: tuple[Cents, ...] = ()  # empty: every note of the currency
    poll_ms: Annotated[int, Meta(ge=100, le=1000)] = 200
    answer_ms: Annotated[int, Meta(ge=50, le=3000)] = 300
    missed_polls: Annotated[int, Meta(ge=2, le=20)] = 5
