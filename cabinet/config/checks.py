"""What must hold between the tables of the cabinet file.

Each table may be right by itself and the cabinet still impossible: a seat without a printer, two
drivers on one port, a shared validator that no seat can claim. Money never crosses seats, so who
serves whom is checked here and never guessed later.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babel import localedata

from cabinet.config.problems import Problem
from cabinet.config.tables import NAME_PATTERN, Cabinet, DeviceKind, DeviceTable
from cabinet.core.currency import CURRENCIES
from cabinet.core.look import Button
from drivers.panel import wiring
from drivers.tables import did_you_mean, shown
from game.rules import Rules

BUY_IN = Button.BUY_IN  # only where seats share a validator
SEAT_BUTTONS = tuple(button for button in Button if button is not BUY_IN)
# A cabinet whose doors and keys are not wired cannot be served and cannot be trusted. The drop door
# is missing on cabinets where the cash box stands behind one door, the printer's (or the belly's) where
# the main door covers all.
NEEDED_INPUTS = ("key.attendant", "key.service", "door.main", "door.logic", "door.cash_box")
KNOWN_INPUTS = (*NEEDED_INPUTS, "door.drop", "door.printer")
KNOWN_OUTPUTS = ("candle.top", "candle.bottom")
KNOWN_METERS = ("meter.in", "meter.out", "meter.drop")
CATALOGUES = Path(__file__).parents[1] / "ui" / "catalogue"
# The keys of [cabinet] that are right by themselves.
Known = Mapping[str, Any]
_SEAT_NAME = re.compile(r"seat([1-7])\.([a-z_]+)")


def check_devices(file: str, seats: int | None, devices: tuple[DeviceTable, ...]) -> Iterator[Problem]:
    """``seats`` is None when nobody knows how many there are: then what depends on it is left out."""
    yield from _names(file, devices)
    yield from _ports(file, devices)
    if seats is None:
        return
    for kind in (DeviceKind.BILL_VALIDATOR, DeviceKind.TICKET_PRINTER):
        yield from _service(file, kind, seats, [device for device in devices if device.kind is kind])
    yield from _panels(file, seats, devices)


def check_words(file: str, cabinet: Known) -> Iterator[Problem]:
    """Whether there is a catalogue of the language, and whether the locale's rules are known."""
    language, locale = cabinet.get("language"), cabinet.get("locale")
    languages = sorted(path.stem for path in CATALOGUES.glob("*.toml"))
    if language is not None and language not in languages:
        yield Problem(file, "cabinet", "language", shown(language), " or ".join(map(shown, languages)))
    if locale is not None and not localedata.exists(locale):
        yield Problem(file, "cabinet", "locale", shown(locale), 'a known locale, e.g. "en_US"')


def check_currency(file: str, cabinet: Known, devices: tuple[DeviceTable, ...]) -> Iterator[Problem]:
    """A validator that counts another currency than the cabinet would turn notes into the wrong money."""
    for device in devices if "currency" in cabinet else ():
        currency = device.options.get("currency", cabinet["currency"])
        if currency != cabinet["currency"]:
            allowed = f"{shown(cabinet['currency'])}, the cabinet's currency"
            yield Problem(file, device.table, "currency", shown(currency), allowed)


def check_policy(file: str, cabinet: Known, rules: Rules) -> Iterator[Problem]:
    """Limits of the cabinet against limits of the table."""
    limit = cabinet.get("credit_limit_cents")
    if limit is not None and limit < rules.max_bet_cents:
        found = f"{limit}, less than the highest bet ({rules.max_bet_cents})"
        yield Problem(file, "cabinet", "credit_limit_cents", found, f"{rules.max_bet_cents} or more")


def check_pulse(file: str, cabinet: Known, devices: tuple[DeviceTable, ...]) -> Iterator[Problem]:
    """A hard meter counts whole pulses; what is left below one counts with the next amount. A note that is
    worth a pulse or more has to be whole pulses, or the counter never agrees with the cash box again."""
    if not {"pulse_cents", "currency"} <= cabinet.keys():
        return
    pulse, notes = cabinet["pulse_cents"], taken_notes(cabinet["currency"], devices)
    odd = [note for note in notes if note >= pulse and note % pulse]
    if odd:
        why = f"a note of {odd[0]} cents is {odd[0]} / {pulse} pulses, which is not whole"
    elif notes[-1] < pulse:
        why = f"no note is worth a pulse: the largest that is taken has {notes[-1]} cents"
    else:
        return
    allowed = f"an amount that divides every note from its own value up ({why})"
    yield Problem(file, "cabinet", "pulse_cents", str(pulse), allowed)


def taken_notes(currency: str, devices: tuple[DeviceTable, ...]) -> list[int]:
    """The values of all notes that a validator of this cabinet may take, in cents, the smallest first."""
    notes, found = CURRENCIES[currency].notes, set[int]()
    for device in devices:
        if device.kind is DeviceKind.BILL_VALIDATOR:
            chosen = device.options.get("enabled_cents")
            # What is no list of amounts has been refused by the driver.
            listed = chosen if isinstance(chosen, (list, tuple)) else ()
            found.update([cents for cents in listed if type(cents) is int] or notes)
    return sorted(found or notes)


def smallest_amount(cabinet: Cabinet, rules: Rules, devices: tuple[DeviceTable, ...]) -> int:
    """Every note and every ticket of this cabinet is a whole multiple of it, in cents."""
    notes, stakes = taken_notes(cabinet.currency, devices), (rules.min_bet_cents, rules.bet_step_cents)
    credit = math.gcd(*notes, *stakes, *map(rules.blackjack_win_cents, stakes))
    paid = cabinet.payout_unit_cents  # a ticket is cut down to it, unless all credit is made of it anyway
    return math.gcd(*notes, paid) if credit % paid else credit


def _names(file: str, devices: tuple[DeviceTable, ...]) -> Iterator[Problem]:
    """Events and logs name a device by its name alone."""
    seen: dict[str, str] = {}
    for device in devices:
        if not re.match(NAME_PATTERN, device.name):
            yield Problem(
                file, device.table, "", f"the name {shown(device.name)}", "letters a-z, digits and _"
            )
        if device.name in seen:
            yield Problem(
                file, device.table, "", f"a name that [{seen[device.name]}] has too", "a name of its own"
            )
        seen.setdefault(device.name, device.table)


def _ports(file: str, devices: tuple[DeviceTable, ...]) -> Iterator[Problem]:
    seen: dict[object, str] = {}
    for device in devices:
        port = device.options.get("port")
        if not isinstance(port, str):
            continue  # no port, or the driver has already said what is wrong with it
        if port in seen:
            found = f"{shown(port)}, which [{seen[port]}] uses"
            yield Problem(file, device.table, "port", found, "a port of its own")
        seen.setdefault(port, device.table)


def _service(file: str, kind: DeviceKind, seats: int, devices: list[DeviceTable]) -> Iterator[Problem]:
    """Every seat is served by exactly one validator and exactly one printer."""
    servers: dict[int, list[str]] = {seat: [] for seat in range(1, seats + 1)}
    for device in devices:
        for seat in device.seats:
            if seat not in servers:
                yield Problem(file, device.table, "seats", f"seat {seat}", f"seats 1 to {seats}")
            elif device.name in servers[seat]:
                yield Problem(file, device.table, "seats", f"seat {seat} twice", "each seat once")
            else:
                servers[seat].append(device.name)
        if not device.seats:
            yield Problem(file, device.table, "seats", "no seat", "at least one seat")
    for seat, names in servers.items():
        if not names:
            yield Problem(file, kind, "", f"no device for seat {seat}", "exactly one for each seat")
        elif len(names) > 1:
            found = f"{' and '.join(names)} for seat {seat}"
            yield Problem(file, kind, "seats", found, "exactly one for each seat")


def input_names(device: DeviceTable) -> Iterable[str]:
    return _table(device.options, "inputs")


def output_names(device: DeviceTable) -> Iterable[str]:
    return _table(device.options, "outputs")


def meter_names(device: DeviceTable) -> Iterable[str]:
    return _table(device.options, "meters")


def _table(options: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = options.get(key)
    return value if isinstance(value, dict) else {}


def _panels(file: str, seats: int, devices: tuple[DeviceTable, ...]) -> Iterator[Problem]:
    panels = [device for device in devices if device.kind is DeviceKind.PANEL]
    shared = {
        seat: device.name
        for device in devices
        if device.kind is DeviceKind.BILL_VALIDATOR and device.shared
        for seat in device.seats
    }
    buttons = {
        f"seat{seat}.{button}"
        for seat in range(1, seats + 1)
        for button in (*SEAT_BUTTONS, *((BUY_IN,) if seat in shared else ()))
    }
    owners: dict[str, str] = {}
    for panel in panels:
        for key, names, known in (
            ("inputs", input_names(panel), KNOWN_INPUTS),
            ("outputs", output_names(panel), KNOWN_OUTPUTS),
            ("meters", meter_names(panel), KNOWN_METERS),
        ):
            for name in names:
                where = f"{key}.{shown(name)}"
                if name not in known and (key == "meters" or name not in buttons):
                    allowed = _allowed(name, seats, known, key, buttons)
                    yield Problem(file, panel.table, where, "an unknown name", allowed)
                if (owner := owners.setdefault(f"{key} {name}", panel.name)) != panel.name:
                    yield Problem(file, panel.table, where, f"a name that {owner} has too", "each name once")
    yield from _lines(file, panels)
    wired = {name for panel in panels for name in input_names(panel)}
    for name in (*NEEDED_INPUTS, *sorted(buttons)):
        if name in wired:
            continue
        why = ""
        if name.endswith("." + BUY_IN):
            why = f" ({shared[int(name[4])]} is shared, so each of its seats needs a BUY IN button)"
        yield Problem(
            file, DeviceKind.PANEL, "inputs", f"no {name}{why}", "every button, key and door wired once"
        )


def _lines(file: str, panels: list[DeviceTable]) -> Iterator[Problem]:
    """Lines between panels; inside one panel its driver looks after them."""
    if len(panels) < 2:
        return
    first: dict[tuple[str, str], tuple[str, str, str]] = {}  # who has a line in a panel
    for panel in panels:
        for at, line in wiring.lines_of(panel.options):
            first.setdefault((panel.table, line), (panel.table, *at))
    for row in wiring.clashes((at, line) for (_, line), at in first.items()):
        table, key = (
            (row.at[0], f"{row.at[1]}.{shown(row.at[2])}") if row.at else (DeviceKind.PANEL.value, "")
        )
        yield Problem(file, table, key, row.found, row.allowed)


def _allowed(name: str, seats: int, known: tuple[str, ...], key: str, buttons: Iterable[str]) -> str:
    match = _SEAT_NAME.fullmatch(name)
    if match and key != "meters":
        if int(match[1]) > seats:
            return f"seats 1 to {seats}"
        if match[2] == BUY_IN:
            return "BUY IN only where the seat's validator is shared"
    names = known if key == "meters" else (*known, *(f"seatN.{button}" for button in Button))
    near = did_you_mean(name, known if key == "meters" else (*known, *buttons))
    return f"{near}one of {', '.join(names)}"
