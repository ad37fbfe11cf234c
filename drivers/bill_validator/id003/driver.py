"""Driver for bill validators that speak JCM ID-003: UBA, iVizion, WBA, Vega and others.

``Id003Session`` holds the conversation, ``codec`` the frames; the rest is what all validators share.
"""

from __future__ import annotations

from drivers.bill_validator.common.validator import Validator
from drivers.bill_validator.id003.options import Options
from drivers.bill_validator.id003.session import Id003Session
from drivers.device import DeviceEvent
from drivers.registry import Io

__all__ = ["Options", "create"]


def create(name: str, options: Options, io: Io) -> Validator:
    events: list[DeviceEvent] = []
    return Validator(name, options.port, Id003Session(name, options, io.open_link, events.append), events)
