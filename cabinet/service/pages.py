"""``service_look(state, live, devices)``: the page that is open behind a key, as data.

Where the person is and what can be chosen is in `cabinet.core.staff.menu`; what each page shows beside
its menu is a builder in `BUILDERS`, found by the page's name. A new page is an entry in both.
"""

from __future__ import annotations

from collections.abc import Mapping

from cabinet.core import options
from cabinet.core.live import Live
from cabinet.core.look import ServiceLook
from cabinet.core.renewal import replace
from cabinet.core.staff import desk, menu
from cabinet.core.staff.menu import MenuItem
from cabinet.core.staff.money_acts import CONFIRMED
from cabinet.core.state import State
from cabinet.service.desk import pay, pay_number
from cabinet.service.devices import device, devices, frames, inputs
from cabinet.service.meters import (
    fault_counts,
    hard_meters,
    meters,
    notes,
    occurrences,
    period,
    rule_sets,
    seat_meters,
)
from cabinet.service.page import Body, Builder, Desk
from cabinet.service.past import log, logs, recall
from cabinet.service.status import asked, attendant, codes, status, table
from drivers.device import Device

BUILDERS: Mapping[str, Builder] = {
    "attendant": attendant,
    "confirm": asked,
    "pay": pay,
    "pay_number": pay_number,
    "table": table,
    "service": status,
    "status": status,
    "codes": codes,
    "meters": meters,
    "seat_meters": seat_meters,
    "occurrences": occurrences,
    "fault_counts": fault_counts,
    "notes": notes,
    "rule_sets": rule_sets,
    "hard_meters": hard_meters,
    "period": period,
    "devices": devices,
    "device": device,
    "frames": frames,
    "inputs": inputs,
    "recall": recall,
    "logs": logs,
    "log": log,
}

_WHO = {"attendant": "Key: attendant", "service": "Key: technician"}


def service_look(state: State, live: Live, devices: Mapping[str, Device]) -> ServiceLook:
    """The open page. A key must be turned (`live.key`); `devices` are the real ones, by name."""
    path = menu.path(live)
    name, _, argument = path[-1].partition(":")
    body = BUILDERS[name](Desk(state, live, devices, argument, path[-1]))
    items = menu.items(state, live)
    cursor = max(0, min(live.cursor, len(items) - 1)) if items else 0
    return ServiceLook(
        path=_path(live),
        key=_WHO[live.key],
        note="Table out of play",
        menu=_list(state, live, items),
        cursor=cursor,
        headline=body.headline,
        headline_mark=body.mark,
        subline=body.subline,
        panels=body.panels,
        hint=body.hint,
        back=_back(path),
        up=items[cursor - 1].label if cursor else "",
        down=items[cursor + 1].label if cursor + 1 < len(items) else "",
        enter=_enter(live, items[cursor]) if items and not _resting(live) else "",
    )


def _path(live: Live) -> tuple[str, ...]:
    """The pages from the first one below the service page; the attendant's page is its own root."""
    pages = live.menu if live.key == "service" else menu.path(live)
    return tuple(menu.title(page) for page in pages)


def _back(path: tuple[str, ...]) -> str:
    if path[-1].startswith(f"{desk.ENTRY}:") and desk.asked(path[-1])[1]:
        return "last digit back"
    return f"to {menu.title(path[-2])}" if len(path) > 1 else ""


def _list(state: State, live: Live, items: tuple[MenuItem, ...]) -> tuple[str, ...]:
    """What the menu shows. While the key is asked: the one item that it is asked for."""
    asked = live.confirming
    if asked is not None:
        before = menu.items(state, replace(live, menu=asked.back, confirming=None))
        return tuple(item.label for item in before if item.does == asked.order)
    return tuple(_label(live, item) for item in items)


def _label(live: Live, item: MenuItem) -> str:
    """A lamp that is switched on by hand says so."""
    lit = item.does[:1] == ("lamp",) and item.does[1] == live.lamp_test
    return f"{item.label}, on" if lit else item.label


def _resting(live: Live) -> bool:
    """Something has just counted: ENTER is dark for a moment."""
    return live.settled_by_hand_ms is not None and live.now_ms < options.enter_from_ms(live)


def _enter(live: Live, item: MenuItem) -> str:
    """What ENTER does with the chosen item."""
    if item.opens:
        return "open"
    match item.does:
        case ("lamp", name):
            return "switch off" if name == live.lamp_test else "switch on"
        case ("restart", _):
            return "restart"
    return item.about or ("then the key" if item.does[0] in CONFIRMED else "confirm")


__all__ = ["BUILDERS", "Body", "Desk", "service_look"]
