"""The table of codes as it is set: no word of it is ever cut."""

from __future__ import annotations

from collections.abc import Callable

import pygame
import pytest

from cabinet.core.conditions import TABLE
from cabinet.core.renewal import replace
from cabinet.core.staff.menu import CODES_SHOWN
from cabinet.service.pages import service_look
from cabinet.ui.compose import Composer
from cabinet.ui.draw.paint import Painter
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.draw.theme import Type
from cabinet.ui.scenes import service
from support.evenings.service_menu import Bench
from support.screens import screens


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_every_code_stands_whole(
    kit_of: Callable[..., Kit], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, kit = Bench(), kit_of(*size)
    whole, seen, cuts = service.cut, set[str](), list[str]()

    def cut(pen: Pen, text: str, kind: Type, width: float) -> str:
        made = whole(pen, text, kind, width)
        (seen.add if made == text else cuts.append)(text)
        return made

    monkeypatch.setattr(service, "cut", cut)
    bench.turn("service")
    for screen in range(-(-len(TABLE) // CODES_SHOWN)):
        live = replace(bench.evening.live, menu=(f"codes:{screen}",))
        look = service_look(bench.evening.state, live, bench.devices)
        frame = Composer(kit).frame(replace(screens.service(), service=look), 0)
        Painter(pygame.Surface(size).convert()).paint(frame)
    assert cuts == []
    assert {row.name for row in TABLE} <= seen
