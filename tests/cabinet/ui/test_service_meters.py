"""Pages of meters as they are set: no figure is ever cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pygame
import pytest

from cabinet.core.meters import TOP, shown
from cabinet.service.pages import service_look
from cabinet.ui.compose import Composer
from cabinet.ui.paint import Painter
from cabinet.ui.pen import Kit, Pen
from cabinet.ui.scenes import service
from cabinet.ui.theme import Type
from drivers.device import Fault
from support import screens
from support.service_menu import Bench


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
