"""What the cabinet file may say about an ID-003 validator."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Firmware = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[ -~]+$")]
Cents = Annotated[int, Field(gt=0, le=100_000_000)]


class Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    port: Annotated[str, StringConstraints(min_length=1)]
    #: Versions that were tried here, as the unit tells them, or how they begin; empty: any.
    firmware: tuple[Firmware, ...] = ()
    baud: Annotated[int, Field(ge=1200, le=115_200)] = 9600
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    enabled_cents: tuple[Cents, ...] = ()  # empty: every note of the currency
    barcode: bool = False  # read tickets with a bar code of 18 digits
    high_security: bool = False
    poll_ms: Annotated[int, Field(ge=100, le=1000)] = 200
    answer_ms: Annotated[int, Field(ge=50, le=3000)] = 300
    missed_polls: Annotated[int, Field(ge=2, le=20)] = 5
