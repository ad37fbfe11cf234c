"""What the cabinet file may say about an ID-003 validator."""

from __future__ import annotations

from drivers.bill_validator.common.options import ValidatorOptions


class Options(ValidatorOptions, frozen=True, kw_only=True):
    barcode: bool = False  # read tickets with a bar code of 18 digits
    high_security: bool = False
