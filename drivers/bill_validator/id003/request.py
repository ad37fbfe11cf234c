"""What is asked of an ID-003 device."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drivers.bill_validator.common.document import Want
from drivers.bill_validator.id003.setup import SetupStep


class RequestKind(StrEnum):
    POLL = "poll"
    VERSION = "version"
    TABLE = "table"
    RESET = "reset"
    STEP = "step"
    INHIBIT = "inhibit"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Request:
    """What an answer will belong to."""

    kind: RequestKind
    step: SetupStep | None = None
    want: Want | None = None
