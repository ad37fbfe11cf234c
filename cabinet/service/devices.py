"""Devices, their wires, and the inputs and lamps of the panels."""

from __future__ import annotations

from collections.abc import Mapping

from cabinet.core.conditions import BY_CODE, Code, code_of_door
from cabinet.core.live import DeviceLive
from cabinet.core.look import ServicePanel, ServiceRow
from cabinet.formats import hex_bytes, plural
from cabinet.service.page import Body, Desk, check, row
from drivers.device import Device, Panel

FRAMES_SHOWN = 14  # what fits on a page; the last ones
PRESSES_SHOWN = 8  # those of the menu are among them
TROUBLE = ("bad_checksum", "no_answer", "resent", "lost_bytes", "boards_lost")  # 0 on a sound wire

_KINDS = {"bill_validator": "Bill validator", "ticket_printer": "Ticket printer", "panel": "Panel"}


def devices(desk: Desk) -> Body:
    """One line for each device."""
    rows = tuple(_line(name, said) for name, said in desk.live.devices.items())
    troubled = [name for name, said in desk.live.devices.items() if not _sound(said)]
    return Body(
        headline="Not all devices are well" if troubled else "All devices answer",
        subline=", ".join(troubled) or f"{plural(len(rows), 'device', 'devices')} in the cabinet file.",
        panels=(ServicePanel("DEVICES", (2, 4, 6), rows),),
        mark=check(not troubled),
        hint="ENTER opens a device.",
    )


def _line(name: str, said: DeviceLive) -> ServiceRow:
    return row(name, state_of(said), said.text or "-", mark=check(_sound(said)))


def _sound(said: DeviceLive) -> bool:
    return not said.faults and (said.said or said.kind == "panel")


def state_of(said: DeviceLive) -> str:
    """What a device is doing, in a few words."""
    if said.faults:
        return ", ".join(f"{code} {BY_CODE[code].name}" for code, _ in said.faults)
    match said.kind:
        case "panel":
            return "inputs are read"
        case _ if not said.said:
            return "has not answered yet"
        case "ticket_printer":
            return "ready to print" if said.ready else "not ready"
        case _ if said.taking:
            return "a document is inside"
    return "ready for a note" if said.enabled else "answers, takes no notes now"


# ---- one device


def device(desk: Desk) -> Body:
    said = desk.live.devices[desk.argument]
    details = [detail for _, detail in said.faults if detail]
    return Body(
        headline=state_of(said).capitalize(),
        subline=". ".join(details) or _KINDS.get(said.kind, said.kind),
        panels=(
            ServicePanel("DEVICE", (1, 3), tuple(_facts(desk, said)), half=True),
            ServicePanel("LINK, SINCE START-UP", (1, 2), _counters(desk), half=True),
            _frames(desk, 5),
        ),
        mark=check(_sound(said)),
        hint="While the key is turned no notes are taken." if said.kind == "bill_validator" else "",
    )


def _facts(desk: Desk, said: DeviceLive) -> list[ServiceRow]:
    policy, unit = desk.live.policy, desk.devices.get(desk.argument)
    seats = ", ".join(str(seat) for seat in policy.seats_of(desk.argument))
    name, _, firmware = said.text.partition(" ")
    rows = [row("Unit", name or "not told")]
    if firmware:
        rows.append(row("Firmware", firmware))
    # A driver that has a port tells it; one that has none (a panel on lines) does not.
    if port := str(getattr(unit, "port", "")):
        rows.append(row("Port", port))
    rows.append(row("Seats", seats))
    if said.kind == "bill_validator":
        rows += _validator_facts(desk, said)
    elif said.kind == "ticket_printer":
        printed = "none in this session" if said.printed_ms is None else desk.clock(said.printed_ms)
        held = [paper.cents for paper in desk.state.presented if paper.device == desk.argument]
        rows.append(row("Last ticket", printed))
        rows.append(row("In the chute", desk.money(held[-1]) if held else "nothing"))
    return rows


def _validator_facts(desk: Desk, said: DeviceLive) -> list[ServiceRow]:
    codes = [code for code, _ in said.faults]
    taken = sorted({note.cents for note in said.notes})
    notes = ", ".join(desk.live.policy.currency.short(cents) for cents in taken)
    last = "none in this session"
    if said.last_note is not None:
        last = f"{desk.money(said.last_note[1])}, {desk.clock(said.last_note[0])}"
    stacker = (
        "removed" if Code.CASH_BOX_REMOVED in codes else "full" if Code.CASH_BOX_FULL in codes else "in place"
    )
    return [
        row("Notes", notes or "not told"),
        row("Stacker", f"{stacker}, {_stacked(desk)} ever stacked", mark=check(stacker == "in place")),
        row("Last note", last),
    ]


def _stacked(desk: Desk) -> int:
    """All notes that this validator has ever stacked, by the soft meters."""
    return sum(count for key, count in desk.state.meters.items() if key.startswith(f"bills.{desk.argument}."))


def _counters(desk: Desk) -> tuple[ServiceRow, ...]:
    unit = desk.devices.get(desk.argument)
    counted: Mapping[str, int] = unit.statistics() if unit is not None else {}
    rows = (
        row(name.replace("_", " ").capitalize(), str(count), mark=_counter_mark(name, count))
        for name, count in counted.items()
    )
    return tuple(rows) or (row("-", "nothing is counted"),)


def _counter_mark(name: str, count: int) -> str:
    return check(count == 0) if name in TROUBLE else ""


# ---- the wire


def frames(desk: Desk) -> Body:
    unit = desk.devices.get(desk.argument)
    shown = min(len(unit.frames()), FRAMES_SHOWN) if unit is not None else 0
    return Body(
        headline=f"The last {plural(shown, 'frame', 'frames')}" if shown else "Nothing on the wire yet",
        subline=f"{desk.argument}, newest last. Bytes in hex as they were on the wire.",
        panels=(_frames(desk, FRAMES_SHOWN),),
        hint="Newer frames come by themselves.",
    )


def _frames(desk: Desk, count: int) -> ServicePanel:
    unit: Device | None = desk.devices.get(desk.argument)
    kept = unit.frames()[-count:] if unit is not None else ()
    rows = tuple(
        row(
            desk.clock(frame.at_ms),
            "to" if frame.sent else "from",
            hex_bytes(frame.data),
            frame.meaning,
            mark="to" if frame.sent else "from",
        )
        for frame in kept
    )
    return ServicePanel("LAST ON THE WIRE", (3, 2, 8, 7), rows or (row("-", "", "", "nothing yet"),))


# ---- inputs and lamps


def inputs(desk: Desk) -> Body:
    """Every input with its level now; the menu switches lamps by hand."""
    levels = _levels(desk)
    active = [name for name, on in levels.items() if on]
    lamp = desk.live.lamp_test
    return Body(
        headline=f"Lamp {lamp} is on" if lamp else "No lamp is switched by hand",
        subline=f"{plural(len(active), 'input is', 'inputs are')} active: {', '.join(active) or '-'}",
        panels=(
            ServicePanel("INPUTS, ACTIVE ONES IN BRACKETS", (1, 9), _input_rows(levels)),
            ServicePanel("LAST PRESSES", (2, 4), _presses(desk), half=True),
            ServicePanel("DOORS", (2, 4), _doors(levels), half=True),
        ),
        hint="ENTER switches a lamp on or off. Leaving the page puts it out.",
    )


def _levels(desk: Desk) -> Mapping[str, bool]:
    """What the panels read, in their order; without a panel, what it has told."""
    levels: dict[str, bool] = {}
    for unit in desk.devices.values():
        if isinstance(unit, Panel):
            levels |= unit.inputs()
    return levels or dict(desk.live.inputs)


def _input_rows(levels: Mapping[str, bool]) -> tuple[ServiceRow, ...]:
    """One row for each seat, for the keys and for the doors."""
    places: dict[str, list[str]] = {}
    for name, on in levels.items():
        place, _, word = name.partition(".")
        places.setdefault(place, []).append(f"[{word}]" if on else word)
    return tuple(row(place, "  ".join(found)) for place, found in places.items()) or (row("-", "none"),)


def _presses(desk: Desk) -> tuple[ServiceRow, ...]:
    last = reversed(desk.live.presses[-PRESSES_SHOWN:])
    return tuple(row(desk.clock(at_ms), name) for name, at_ms in last) or (row("-", "none"),)


def _doors(levels: Mapping[str, bool]) -> tuple[ServiceRow, ...]:
    rows = (
        row(name.removeprefix("door."), "open" if on else "closed", mark=check(not on))
        for name, on in levels.items()
        if code_of_door(name)
    )
    return tuple(rows) or (row("-", "none"),)
