"""The service pages: a menu, the state of what was chosen, and four large buttons.

Everything comes as data; this only sets it. Panels are laid out from the top: two halves side by
side, others over the whole width. When the rows do not fit, they are set closer, then cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cabinet.core.look import Button, ServiceLook, ServicePanel, ServiceRow
from cabinet.core.timing import Timing
from cabinet.ui.draw.layout import SERVICE_KEYS
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import (
    ACCENT,
    INK,
    INK_EDGE,
    LINE,
    LINE_HI,
    ON_ACCENT,
    PANEL,
    PANEL_HI,
    ROW_LINE,
    TEXT,
    TEXT_2,
    TEXT_3,
    Colour,
    Face,
    Type,
)
from cabinet.ui.moment import Moment
from cabinet.ui.parts import topbar
from cabinet.ui.scenes.piece import Piece

NAME: Final = Type(Face.SEMI, 32, 0.09)
PATH: Final = Type(Face.MEDIUM, 32)
PATH_NOW: Final = Type(Face.SEMI, 32)
MENU: Final = Type(Face.MEDIUM, 36)
MENU_NOW: Final = Type(Face.BOLD, 36)
HINT: Final = Type(Face.MEDIUM, 28)
HEADLINE: Final = Type(Face.BOLD, 64)
SUBLINE: Final = Type(Face.MEDIUM, 32)
PANEL_HEAD: Final = Type(Face.SEMI, 28, 0.08)
KEY: Final = Type(Face.BOLD, 40)
KEY_NOTE: Final = Type(Face.MEDIUM, 30)
BUTTON: Final = Type(Face.SEMI, 22, 0.06)  # of seat 1, that is pressed for it
SECOND_MS: Final = 1000
MENU_ROWS: Final = 10
MENU_STEP: Final = 72
LEFT: Final = 464
WIDTH: Final = 1432
TOP: Final = 276
BOTTOM: Final = 946
GAP: Final = 16
HEAD_HEIGHT: Final = 56
WORDY_CELLS: Final = 5  # a row with more cells is one of figures
COLUMN_GAP: Final = 28  # behind a column of figures that words follow
CLOSER: Final = 0.7  # rows are never set closer than this share of their height

# What is shown in the moment between the turn of a key and the first page.
NOTHING: Final = ServiceLook((), "", "", (), 0, "", "check", "", (), "", "", "", "", "")

BoxF = tuple[float, float, float, float]


def pieces(at: Moment, times: Timing) -> Iterator[Piece]:
    """Top line, menu, state, panels, buttons."""
    look = _look(at)
    view = at.view
    yield Piece("top", (look.path, look.key, look.note, view.top, view.banners, view.lock), _top, still=False)
    yield Piece("menu", (look.menu, look.cursor, look.hint), _menu, still=False)
    yield Piece("state", (look.headline, look.headline_mark, look.subline, look.panels), _state, still=False)
    yield Piece("keys", (look.back, look.up, look.down, look.enter), _keys, still=False)


def _look(at: Moment) -> ServiceLook:
    return at.view.service or NOTHING


def _top(pen: Pen, at: Moment) -> None:
    look = _look(at)
    pen.bar_box(0, 0, 1920, 72, INK)
    pen.bar_box(0, 70, 1920, 2, INK_EDGE)
    pen.icon("key", 36, TEXT, 24, 18)
    title = pen.word("service.title", NAME, 300)
    pen.text(title, NAME, TEXT, 74, 47)
    x = 74 + pen.width(title, NAME) + 18
    wall = at.view.top.wall_ms + pen.now_ms
    pen.until(pen.now_ms + SECOND_MS - wall % SECOND_MS)
    clock = pen.kit.words.hours_minutes_seconds(wall)
    end = 1896.0
    for text, kind, colour in ((clock, PATH_NOW, TEXT), (look.note, PATH, TEXT_2), (look.key, PATH, TEXT_2)):
        pen.text(text, kind, colour, end, 47, "r")
        end -= pen.width(text, kind) + (34 if text else 0)
    if at.view.lock is not None:
        codes = " ".join((at.view.lock.code, *at.view.lock.others[:3]))
        pen.text(codes, PATH_NOW, ACCENT, end, 47, "r")
        end -= pen.width(codes, PATH_NOW) + 44
        pen.icon("warn", 32, ACCENT, end, 20)
        end -= 34
    for number, name in enumerate(look.path):
        if number:
            pen.icon("right", 14, TEXT_3, x + 2, 29)
            x += 28
        last = number == len(look.path) - 1
        kind = PATH_NOW if last else PATH
        text = cut(pen, name, kind, end - x - 20)
        pen.text(text, kind, TEXT if last else TEXT_2, x, 47)
        x += pen.width(text, kind) + 12
    topbar.banners(pen, at.view.banners, x + 20, end, 14)


def cut(pen: Pen, text: str, kind: Type, width: float) -> str:
    """A text that is too long for its place, with a sign that it goes on."""
    if pen.kit.text.fits(text, kind, width):
        return text
    while text and not pen.kit.text.fits(text + "…", kind, width):
        text = text[:-1]
    return text.rstrip() + "…" if text else ""


def _menu(pen: Pen, at: Moment) -> None:
    look = _look(at)
    pen.box(24, 96, 420, 850, 16, PANEL, (LINE, 2))
    first = max(0, min(look.cursor - MENU_ROWS // 2, len(look.menu) - MENU_ROWS))
    for place, name in enumerate(look.menu[first : first + MENU_ROWS]):
        y = 110 + MENU_STEP * place
        if first + place == look.cursor:
            pen.box(38, y, 392, MENU_STEP, 10, ACCENT)
            pen.caps(cut(pen, name, MENU_NOW, 330), MENU_NOW, ON_ACCENT, 56, y, MENU_STEP)
            pen.icon("right", 24, ON_ACCENT, 388, y + 24)
        else:
            pen.caps(cut(pen, name, MENU, 356), MENU, TEXT, 56, y, MENU_STEP)
    if first > 0:
        pen.icon("up", 20, TEXT_3, 224, 99)
    if first + MENU_ROWS < len(look.menu):
        pen.icon("down", 20, TEXT_3, 224, 110 + MENU_STEP * MENU_ROWS + 2)
    lines = pen.wrapped(look.hint, HINT, 366)[:2]
    for number, line in enumerate(lines):
        pen.text(line, HINT, TEXT_2, 56, 916 - 36 * (len(lines) - 1 - number))


def _state(pen: Pen, at: Moment) -> None:
    look = _look(at)
    pen.box(LEFT, 96, WIDTH, 164, 16, PANEL, (LINE, 2))
    warn = look.headline_mark == "warn"
    if warn:
        pen.icon("warn", 96, ACCENT, LEFT + 30, 130)
    else:
        pen.box(LEFT + 30, 132, 96, 96, 48, TEXT)
        pen.icon("check", 60, INK, LEFT + 48, 150)
    kind = HEADLINE if pen.kit.text.fits(look.headline, HEADLINE, 1240) else HEADLINE.sized(48)
    pen.text(cut(pen, look.headline, kind, 1240), kind, ACCENT if warn else TEXT, LEFT + 154, 184)
    pen.text(cut(pen, look.subline, SUBLINE, 1250), SUBLINE, TEXT_2, LEFT + 156, 231)
    _panels(pen, look.panels)


def _panels(pen: Pen, panels: Sequence[ServicePanel]) -> None:
    """Bands from the top; the row height follows from what has to fit."""
    bands: list[list[ServicePanel]] = []
    for panel in panels:
        if panel.half and bands and len(bands[-1]) == 1 and bands[-1][0].half:
            bands[-1].append(panel)
        else:
            bands.append([panel])
    rows = [max(len(panel.rows) for panel in band) for band in bands]
    heights = [44 if band[0].half else 42 for band in bands]
    fixed = (HEAD_HEIGHT + 12) * len(bands) + GAP * max(0, len(bands) - 1)
    wanted = sum(count * height for count, height in zip(rows, heights, strict=True))
    share = min(1.0, max(CLOSER, (BOTTOM - TOP - fixed) / wanted)) if wanted else 1.0
    y = float(TOP)
    for band, count, height in zip(bands, rows, heights, strict=True):
        step = height * share
        shown = min(count, int((BOTTOM - y - HEAD_HEIGHT - 12) // step))
        if shown <= 0:
            return
        tall = HEAD_HEIGHT + 12 + step * shown
        for number, panel in enumerate(band):
            half = panel.half
            width = 706 if half else WIDTH
            _panel(pen, panel, (LEFT + number * 726, y, width, tall), step, shown)
        y += tall + GAP


def _panel(pen: Pen, panel: ServicePanel, box: BoxF, step: float, shown: int) -> None:
    x, y, w, h = box
    pen.box(x, y, w, h, 16, PANEL, (LINE, 2))
    pen.caps(cut(pen, panel.title, PANEL_HEAD, w - 60), PANEL_HEAD, TEXT_2, x + 26, y + 8, 48)
    size = (32 if panel.half else 30) if step >= 40 else 28 if step >= 32 else 24
    total = sum(panel.widths) or 1
    room = w - 52
    for number, row in enumerate(panel.rows[:shown]):
        top = y + HEAD_HEIGHT + step * number
        pen.bar_box(x + 26, top, w - 52, 2, ROW_LINE)
        if number == shown - 1 and shown < len(panel.rows):
            pen.caps("…", Type(Face.SEMI, size), TEXT_2, x + 26, top, step)
            return
        left = x + 26
        widths = [room * width / total for width in panel.widths]
        for place, (text, width) in enumerate(zip(row.cells, widths, strict=False)):
            right = place == panel.right or (panel.figures and place > 0)
            gap = COLUMN_GAP if place == panel.right else 0
            wide = width if right else _open_room(row, widths, place)
            _cell(pen, row, place, text, (left, top, wide - gap, step), size, right=right)
            left += width


def _open_room(row: ServiceRow, widths: Sequence[float], place: int) -> float:
    """How wide a text may be: over the empty cells behind its own too."""
    room = widths[place]
    for text, width in zip(row.cells[place + 1 :], widths[place + 1 :], strict=False):
        if text:
            break
        room += width
    return room


_MARKS: Final = {"check": "check", "warn": "warn", "from": "left", "to": "right"}


def _cell(
    pen: Pen, row: ServiceRow, place: int, text: str, box: BoxF, size: int, *, right: bool = False
) -> None:
    """A cell; the mark of a row stands before its second cell."""
    x, y, w, h = box
    colour: Colour = TEXT_2 if place == 0 else TEXT
    # What is looked for stands out; in a table of figures all columns are alike.
    plain_text = place == 0 or place > 2 or len(row.cells) > WORDY_CELLS
    kind = Type(Face.MEDIUM if plain_text else Face.SEMI, size)
    if place == 1 and row.mark in _MARKS:
        if row.mark in ("warn", "to"):
            colour = ACCENT
        icon = size - 6 if row.mark in ("check", "warn") else size - 10
        pen.icon(_MARKS[row.mark], icon, colour, x, y + h / 2 - icon / 2 + 1)
        x += icon + 12
        w -= icon + 12
        if row.mark in ("from", "to"):
            kind = Type(Face.MEDIUM, size)
    text = cut(pen, text, kind, w - 8)
    if right:
        pen.caps(text, kind, colour, x + w, y + 1, h, "r")
    else:
        pen.caps(text, kind, colour, x, y + 1, h)


def _keys(pen: Pen, at: Moment) -> None:
    """The four keys of the cabinet and what they do now."""
    look = _look(at)
    pen.bar_box(0, 966, 1920, 114, INK)
    pen.bar_box(0, 966, 1920, 2, INK_EDGE)
    keys = (
        ("left", "service.back", Button.CASH_OUT, look.back),
        ("up", "service.up", Button.BET_MINUS, look.up),
        ("down", "service.down", Button.BET_PLUS, look.down),
        ("right", "service.enter", Button.DEAL, look.enter),
    )
    for (icon, key, button, does), (x, y, w, h) in zip(keys, SERVICE_KEYS, strict=True):
        fill, edge, ink = (PANEL_HI, LINE_HI, TEXT) if does else (None, LINE, TEXT_3)
        pen.box(x, y, w, h, 14, fill, (edge, 2))
        pen.icon(icon, 34, ink, x + 24, y + 23)
        name = pen.word(key, KEY, 200)
        pen.caps(name, KEY, ink, x + 76, y - 12, h)
        pressed = pen.word(f"lamp.{button}", BUTTON, 150)
        pen.caps(pressed, BUTTON, TEXT_2 if does else TEXT_3, x + 76, y + 24, h)
        room = w - 76 - max(pen.width(name, KEY), pen.width(pressed, BUTTON)) - 20 - 24
        kind = KEY_NOTE if pen.kit.text.fits(does, KEY_NOTE, room) else KEY_NOTE.sized(26)
        pen.caps(cut(pen, does, kind, room), kind, TEXT_2, x + w - 24, y, h, "r")
