"""Views of the attract loop, the help pages and the service pages, made by hand."""

from __future__ import annotations

from cabinet.core.look import (
    HelpLook,
    Scene,
    SeatState,
    ServiceLook,
    ServicePanel,
    ServiceRow,
    TablePhase,
    View,
)
from cabinet.core.renewal import replace
from game.grid import Grid
from support.screens.looks import free, lamps, msg, seat, view
from support.screens.tables import betting


def attract() -> View:
    mine = seat(4, SeatState.CREDIT, msg("head.credit"), 0, 4000, lamps=lamps("bet_plus", "cash_out"))
    seats = tuple(mine if n == 4 else free(n) for n in range(1, 8))
    grid = Grid(tuple(range(1, 8)), (), ())
    return replace(view(seats, grid, TablePhase.IDLE, number=0), scene=Scene.ATTRACT)


def help_page(page: int = 1, pages: int = 3) -> View:
    return replace(betting(), scene=Scene.HELP, help=HelpLook(2, page, pages))


def service() -> View:
    def entry(name: str, value: str, mark: str = "") -> ServiceRow:
        return ServiceRow((name, value), mark)

    device = ServicePanel("DEVICE", (200, 458), (
        entry("Protocol", "ID-003, polled every 100 ms"), entry("Unit", "i(USA)100-SS"),
        entry("Firmware", "ID003-05 V280-42"), entry("Port", "validator, 9600 8E1"),
        entry("Stacker", "412 of 500, near full", "warn"), entry("Last note", "$20, 09:11:48, seat 5"),
    ), half=True)  # fmt: skip
    link = ServicePanel("LINK, SINCE START-UP 08:02", (200, 458), (
        entry("Polls", "43270 sent, 43268 answered", "check"),
        entry("Answer time", "6 ms median, 31 ms worst", "check"),
        entry("Bad checksum", "2, last 08:40:17", "warn"), entry("No answer", "0", "check"),
        entry("Sent again", "2", "check"), entry("Lost bytes", "0 in the last hour", "check"),
    ), half=True)  # fmt: skip

    def wire(time: str, way: str, data: str, text: str) -> ServiceRow:
        return ServiceRow((time, way, data, text), way)

    last = ServicePanel("LAST NOTE ON THE WIRE", (210, 150, 340, 680), (
        wire("09:11:46.204", "from", "FC 05 12 BC 64", "ACCEPTING"),
        wire("09:11:46.906", "from", "FC 06 13 63 A2 D8", "ESCROW, code 63: $20"),
        wire("09:11:46.931", "to", "FC 05 42 39 36", "STACK-2, after the intent was stored"),
        wire("09:11:47.655", "from", "FC 05 15 03 10", "VEND VALID"),
        wire("09:11:47.702", "to", "FC 05 50 AA 05", "ACK, after the credit was stored"),
        wire("09:11:48.010", "from", "FC 05 16 98 22", "STACKED"),
    ))  # fmt: skip
    look = ServiceLook(
        ("Devices", "Bill validator", "State now"), "Key: technician", "Table out of play",
        ("State now", "Notes accepted", "Test a note", "Restart device", "Enable, disable",
         "Link statistics", "Event log"),
        0, "Ready for a note", "check",
        "IDLING, answered 38 ms ago. Notes $5 to $100 accepted, credit limit not reached.",
        (device, link, last), "A test note is always given back and makes no credit.",
        "to Devices", "", "Notes accepted", "read again",
    )  # fmt: skip
    return replace(betting(), scene=Scene.SERVICE, service=look)
