"""The views that the tests of the screen use, under one name."""

from __future__ import annotations

from collections.abc import Callable

from cabinet.core.look import View
from support.looks import RULES, card, cell, dealt, free, lamps, line, lying, msg, row, seat, turn, view
from support.moving import (
    LAB,
    LONG_HAND,
    MOVING,
    all_states,
    dealing,
    growing,
    long_split,
    many_of_nobody,
    refusing,
    settling,
    splitting,
)
from support.pages import attract, help_page, service
from support.tables import (
    betting,
    cashout,
    completion,
    deciding,
    door_open,
    one_seat,
    recall,
    settlement,
    split,
    storage_tilt,
)

__all__ = [
    "LAB",
    "LONG_HAND",
    "MOMENTS",
    "MOVING",
    "RULES",
    "all_states",
    "attract",
    "betting",
    "card",
    "cashout",
    "cell",
    "completion",
    "dealing",
    "dealt",
    "deciding",
    "door_open",
    "free",
    "growing",
    "help_page",
    "lamps",
    "line",
    "long_split",
    "lying",
    "many_of_nobody",
    "msg",
    "one_seat",
    "recall",
    "refusing",
    "row",
    "seat",
    "service",
    "settlement",
    "settling",
    "split",
    "splitting",
    "storage_tilt",
    "turn",
    "view",
]

MOMENTS: dict[str, Callable[[], View]] = {
    "01-attract": attract,
    "02-betting": betting,
    "03-deciding": deciding,
    "04-split": split,
    "05-settlement": settlement,
    "06-cashout": cashout,
    "07-lockup": door_open,
    "07b-storage": storage_tilt,
    "08-service": service,
    "09-one-seat": one_seat,
    "10-how-to-play": help_page,
    "11-recall": recall,
    "12-completion": completion,
}
