"""Pages of meters as they are set: no figure is ever cut."""

from __future__ import annotations

from collections.abc import Callable

import pygame
import pytest

from cabinet.core.look import ServiceLook, ServicePanel, ServiceRow
from cabinet.core.renewal import replace
from cabinet.core.state.meters import TOP, shown
from cabinet.service.pages import service_look
from cabinet.ui.compose import Composer
from cabinet.ui.draw.paint import Painter
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.draw.theme import Type
from cabinet.ui.scenes import service
from drivers.device import Fault
from support.evenings.service_menu import Bench
from support.screens import screens


@pytest.mark.requirement("MTR-05")
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_ten_digits_stand_whole_on_every_page(
    kit_of: Callable[..., Kit], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, kit = Bench(), kit_of(*size)
    evening = bench.evening
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    for fault in (Fault.PAPER_JAM, Fault.PAPER_OUT):
        evening.fault("printer1", fault)
    state = replace(evening.state, meters=dict.fromkeys(evening.state.meters, TOP - 1))
    assert shown(TOP - 1) == 9_999_999_999
    cuts: list[str] = []

    def cut(pen: Pen, text: str, kind: Type, width: float) -> str:
        made = whole(pen, text, kind, width)
        if made != text:
            cuts.append(text)
        return made

    whole = service.cut
    monkeypatch.setattr(service, "cut", cut)
    bench.turn("service")
    pages = ("", "seat_meters:1", "occurrences", "fault_counts", "notes", "notes:validator1")
    texts: set[str] = set()
    for page in (*pages, "rule_sets", "hard_meters", "period"):
        live = replace(evening.live, menu=("meters", page) if page else ("meters",))
        look = service_look(state, live, bench.devices)
        texts |= {cell for panel in look.panels for row in panel.rows for cell in row.cells}
        frame = Composer(kit).frame(replace(screens.service(), service=look), 0)
        Painter(pygame.Surface(size).convert()).paint(frame)
    assert {"$99,999,999.99", "9,999,999,999"} <= texts
    assert [text for text in cuts if text in texts] == []


def test_a_text_may_stand_over_the_empty_cells_behind_it_and_amounts_end_below_each_other(
    kit_of: Callable[..., Kit], monkeypatch: pytest.MonkeyPatch
) -> None:
    kit = kit_of(1920, 1080)
    rows = (
        ServiceRow(
            ("2026-06-01", "a start after a power cut or a crash: session 12, software 1.0", "", "", "")
        ),
        ServiceRow(("2026-06-01", "note", "seat 3", "$5.00", "accepted")),
        ServiceRow(("2026-06-01", "note", "seat 3", "$9,999.00", "accepted")),
    )
    look = replace(service_look_of_a_log(), panels=(ServicePanel("LOG", (11, 12, 6, 6, 16), rows, right=3),))
    ends: dict[str, tuple[float, str]] = {}

    def caps(
        self: Pen, text: str, kind: Type, colour: object, x: float, y: float, h: float, at: str = "l"
    ) -> None:
        ends[text] = (x, at)

    monkeypatch.setattr(Pen, "caps", caps)
    Composer(kit).frame(replace(screens.service(), service=look), 0)
    assert rows[0].cells[1] in ends, "it is whole"
    assert ends["$5.00"] == ends["$9,999.00"]
    assert ends["$5.00"][1] == "r"
    assert ends["$5.00"][0] < ends["accepted"][0], "there is room between the amount and what follows"


def service_look_of_a_log() -> ServiceLook:
    bench = Bench()
    bench.turn("service")
    return bench.look()
