"""The lab's window: the deck beside the picture, what lies where, and a person with a mouse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pygame
import pytest

from cabinet.core.look import Button
from cabinet.core.renewal import replace
from cabinet.core.timing import Timing
from cabinet.lab.deck import cockpit
from cabinet.lab.deck import view as deck_view
from cabinet.lab.deck.cockpit import Cockpit, Evening, picture_size
from cabinet.lab.deck.controls import FAULT_ROWS, KEYS, Controls, Tab
from cabinet.lab.deck.deck import HEIGHT, WIDTH, Box, Role, Tone, action_at, spots, words
from cabinet.lab.deck.look import DeckLook, MachineLook, look
from cabinet.lab.deck.view import LABELS, SMALLEST, STACKED, TONES
from cabinet.lab.table import LabOptions
from cabinet.program.presenter import Presenter
from cabinet.ui.catalogue import Catalogue
from cabinet.ui.draw.layout import SERVICE_KEYS, layout
from cabinet.ui.draw.paint import bounds
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.draw.sprites import Sprites
from cabinet.ui.draw.text import TextKit
from cabinet.ui.draw.theme import NATIVE_WIDTH, Look, Scale
from cabinet.ui.pointing import InputEvent, KeyPressed, Pointed, Wheeled, WindowClosed
from cabinet.ui.window import Window, WindowOptions
from drivers.bill_validator.id003.codec import Status
from support.evenings.desk import START_MS, Desk
from support.screens import screens

PICTURE = (1280, 720)
DESKTOP = (1920, 1080)


class Sitting:
    """A person at the lab's window: the desk, and the cockpit in front of it."""

    def __init__(self, directory: Path, **options: object) -> None:
        chosen: dict[str, object] = {"virtual": True, "wire": "memory", **options}
        self.desk = Desk(directory, LabOptions(**chosen))  # type: ignore[arg-type]
        runtime = self.desk.table.runtime
        shape = WindowOptions(*PICTURE, beside=WIDTH, fullscreen=False, sound=False, strict_texts=True)
        self.window = Window(shape, runtime.policy.timing)
        presenter = Presenter(self.window, runtime.devices)
        self.desk.table.watchers.append(presenter.publish)
        self.cockpit = Cockpit(presenter, self.desk.controls, Evening(7), DESKTOP)
        self.over_x = self.over_y = -1.0
        self.window.pointer = lambda: (self.over_x, self.over_y)  # type: ignore[method-assign]
        self.wait(START_MS)

    @property
    def controls(self) -> Controls:
        return self.desk.controls

    @property
    def look(self) -> DeckLook:
        return self.cockpit.look(self.desk.now_ms)

    def wait(self, ms: int) -> None:
        self.desk.wait(ms)
        self.cockpit.frame(self.desk.now_ms)

    def give(self, *events: InputEvent) -> None:
        for event in events:
            self.cockpit.take(event, self.desk.now_ms)
        self.wait(300)

    def click(self, x: float, y: float) -> None:
        self.give(Pointed(x, y, True), Pointed(x, y, False))

    def click_deck(self, *action: str) -> None:
        box = next(spot.box for spot in spots(self.look) if spot.action == action)
        x, y = middle(box)
        self.click(NATIVE_WIDTH + x, y)


Sit = Callable[..., Sitting]


@cache
def _kit(width: int, height: int) -> Kit:
    pygame.display.init()
    pygame.font.init()
    if pygame.display.get_surface() is None:
        pygame.display.set_mode((64, 64))
    scale, look = Scale(width, height), Look()
    return Kit(scale, look, TextKit(scale), Sprites(scale, look), Catalogue(), Timing())


@pytest.fixture
def kit_of() -> Callable[..., Kit]:
    return _kit


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    sittings: list[Sitting] = []

    def make(**options: object) -> Sitting:
        sittings.append(Sitting(tmp_path / str(len(sittings)), **options))
        return sittings[-1]

    yield make
    for sitting in sittings:
        sitting.desk.close()
    pygame.display.set_mode((64, 64))


@pytest.fixture
def deck_of(tmp_path: Path) -> Iterator[Callable[[str], DeckLook]]:
    """The deck of a cabinet at its start, without a window."""
    desks: list[Desk] = []

    def make(cabinet: str) -> DeckLook:
        directory = tmp_path / str(len(desks))
        desks.append(Desk(directory, LabOptions(cabinet=cabinet, virtual=True, wire="memory")))
        return look(desks[-1].controls, 0, Evening(7).foot, ending=False)

    yield make
    for desk in desks:
        desk.close()


def middle(box: Box) -> tuple[float, float]:
    x, y, w, h = box
    return x + w / 2, y + h / 2


def overlap(a: Box, b: Box) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


CABINETS = ("table5", "slot1", "shared3")


# ---- where it stands


@pytest.mark.parametrize("cabinet", CABINETS)
def test_nothing_on_the_deck_lies_over_anything_else(
    deck_of: Callable[[str], DeckLook], cabinet: str
) -> None:
    deck = replace(deck_of(cabinet), seats=7)
    boxes = [spot.box for spot in spots(deck)] + [line.box for line in words(deck)]
    for number, box in enumerate(boxes):
        x, y, w, h = box
        assert x >= deck_view.BORDER
        assert y >= 0
        assert x + w <= WIDTH
        assert y + h <= HEIGHT
        assert [other for other in boxes[number + 1 :] if overlap(box, other)] == []


@pytest.mark.parametrize("cabinet", CABINETS)
def test_what_is_drawn_is_what_is_clicked(deck_of: Callable[[str], DeckLook], cabinet: str) -> None:
    deck = deck_of(cabinet)
    for spot in spots(deck):
        assert action_at(deck, *middle(spot.box)) == spot.action
    assert action_at(deck, 4, 500) == ()
    named = {spot.action for spot in spots(deck)}
    assert {("note", paper) for paper in ("100", "10000", "foreign", "ticket")} < named
    assert {("take",), ("mend",), ("end",), ("deck",), ("turn", "door.main")} < named


def test_every_key_names_a_spot_or_is_named_by_one(deck_of: Callable[[str], DeckLook]) -> None:
    deck = deck_of("shared3")
    shown = {spot.action for spot in spots(deck)}
    silent = {("papers",), ("leave",), ("tab", "next")}  # told by the spots that they lead to
    assert set(KEYS.values()) - silent <= shown


def test_the_buttons_are_those_that_the_seat_has(deck_of: Callable[[str], DeckLook]) -> None:
    own, shared = deck_of("table5"), deck_of("shared3")
    assert ("press", "buy_in") not in {spot.action for spot in spots(own)}
    assert ("press", "buy_in") in {spot.action for spot in spots(shared)}


# ---- texts


def longest(deck: DeckLook, controls: Controls) -> Iterator[DeckLook]:
    """The deck with every text that can stand on it, at its longest."""
    bag = "box: 1,000 notes, $100,000.00; given back: 1000"
    for status in Status:
        word = status.name.replace("_", " ").lower()
        yield replace(deck, validator=MachineLook("validator7", word, True, bag))
    tray = "paper: 200; out: 1,000 tickets, $100,000.00, 100 spoilt"
    for word in ("ticket in chute", "cutter stuck", "drawer open", "bad supply"):
        yield replace(deck, printer=MachineLook("printer7", word, True, tray))
    yield replace(
        deck,
        candle="candle top slow, bottom slow; meters in 100000, out 100000, drop 100000",
        foot="seed 1000000 · session 1000, continued",
    )
    yield replace(deck, foot="ENDING when all is settled", ending=True)
    for tab in Tab:
        names = tuple(
            name for name in controls.table_of_faults if name.startswith(f"{controls.device(tab)}.")
        )
        for first in range(0, len(names), FAULT_ROWS):
            yield replace(deck, tab=tab, faults=names[first : first + FAULT_ROWS], page=8, pages=9)
    for name, what in controls.table_of_faults.items():
        yield replace(deck, says=f"{name}: {what}")


@pytest.mark.parametrize(
    ("cabinet", "size"),
    [
        ("shared3", (1083, 609)),
        ("shared3", (1523, 857)),
        ("shared3", (1920, 1080)),
        ("receipt3", (1083, 609)),
    ],
)
def test_every_text_fits_its_place(
    tmp_path: Path, kit_of: Callable[..., Kit], cabinet: str, size: tuple[int, int]
) -> None:
    desk = Desk(tmp_path, LabOptions(cabinet=cabinet, virtual=True, wire="memory"))
    pen = Pen(kit_of(*size), 0)
    begin = look(desk.controls, 0, Evening(7).foot, ending=False)
    for deck in (begin, *longest(begin, desk.controls)):
        for line in words(deck):
            kind, _ = TONES[line.tone]
            if line.tone is Tone.SAYS:
                assert deck_view.two_lines(pen, line.text, kind, line.box[2])[1] >= SMALLEST, line.text
                continue
            assert deck_view.fitted(pen, line.text, kind, line.box[2])[0] == line.text
        for spot in spots(deck):
            room = spot.box[2] - (46 if spot.hint and spot.role not in STACKED else 8)
            assert deck_view.fitted(pen, spot.label, LABELS[spot.role], room)[0] == spot.label
    desk.close()


# ---- beside the picture


@pytest.mark.parametrize("seats", range(1, 8))
def test_the_deck_covers_nothing_of_the_table(
    deck_of: Callable[[str], DeckLook], kit_of: Callable[..., Kit], seats: int
) -> None:
    """Neither dealer, hand, countdown and grid nor any seat: all of them end where the column begins."""
    shape = layout(seats)
    ends = [
        shape.grid[0] + shape.grid[2],
        *(x + w for x, w in shape.seat_boxes),
        shape.lane[0] + shape.lane[2],
    ]
    assert max(ends) <= NATIVE_WIDTH
    kit = kit_of(*PICTURE)
    frame = deck_view.frame(kit, replace(deck_of("table5"), seats=seats))
    width, height = frame.background.get_size()
    assert (width, height) == (kit.scale.px(WIDTH), kit.scale.px(HEIGHT))
    for item in frame.parts[0].items:
        x, y, w, h = bounds(item)
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height


def test_the_picture_is_the_same_with_and_without_the_deck(sit: Sit) -> None:
    sitting = sit()
    surface = pygame.display.get_surface()
    assert surface is not None
    assert surface.get_width() > PICTURE[0]
    view = screens.deciding()
    sitting.window.show(view)
    sitting.window.frame(0)
    sitting.cockpit.controls.do(("seat", "3"), 0)
    sitting.cockpit._draw(0)
    picture = pygame.image.tobytes(surface.subsurface((0, 0, *PICTURE)), "RGB")
    assert pygame.image.tobytes(sitting.window.screenshot(view, 0), "RGB") == picture


@pytest.mark.parametrize(
    ("desktop", "beside", "size"),
    [
        ((2560, 1440), WIDTH, (1920, 1080)),  # never larger than the cabinet's own screen
        ((1920, 1080), WIDTH, (1523, 856)),
        ((1366, 768), WIDTH, (1083, 609)),
        ((1920, 1080), 0, (1792, 1008)),  # room for the window's own edges
        ((0, 0), WIDTH, (1920, 1080)),
    ],
)
def test_the_picture_is_as_large_as_the_desktop_allows(
    desktop: tuple[int, int], beside: int, size: tuple[int, int]
) -> None:
    assert picture_size((1920, 1080), desktop, beside) == size
    if all(desktop):
        assert size[0] * (NATIVE_WIDTH + beside) / NATIVE_WIDTH <= desktop[0]
        assert size[1] <= desktop[1]


def test_f2_hides_the_deck_and_the_picture_takes_the_room(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit()
    titles: list[str] = []
    monkeypatch.setattr(sitting.window, "title", titles.append)
    sitting.give(KeyPressed("f2", True))
    surface = pygame.display.get_surface()
    assert surface is not None
    assert surface.get_size() == picture_size((1920, 1080), DESKTOP, 0)
    assert "F2 shows the deck" in titles[-1]
    sitting.click(NATIVE_WIDTH + 300, 500)  # nothing is there any more
    sitting.give(KeyPressed("n", True))
    assert "4 $20" in titles[-1]
    sitting.give(KeyPressed("4", True))
    assert "$20 goes into validator1" in titles[-1]
    sitting.give(KeyPressed("f2", True))
    wide = picture_size((1920, 1080), DESKTOP, WIDTH)[0]
    assert surface.get_width() == wide + sitting.window.kit.scale.px(WIDTH)


def test_the_deck_is_painted_only_when_it_says_something_new(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit()
    painted: list[object] = []
    paint = sitting.window.paint_beside
    monkeypatch.setattr(sitting.window, "paint_beside", lambda frame: painted.append(paint(frame)))
    sitting.wait(500)
    assert painted == []
    sitting.give(KeyPressed("2", True))
    assert len(painted) == 1


# ---- a person with a mouse


def test_a_click_on_a_lamp_of_the_picture_presses_that_button_of_that_seat(sit: Sit) -> None:
    sitting = sit()
    sitting.give(KeyPressed("3", True), KeyPressed("n", True), KeyPressed("5", True))
    sitting.wait(5_000)
    sitting.controls.choose(1)
    x, y = lamp_on_screen(sitting, 3, Button.BET_PLUS)
    sitting.click(x, y)
    assert sitting.desk.state.bet(3) == 500
    assert sitting.controls.seat == 3


def lamp_on_screen(sitting: Sitting, seat: int, button: Button) -> tuple[float, float]:
    """A place where the picture shows a lamp."""
    now_ms = sitting.desk.now_ms
    places = ((x, y) for y in range(758, 1080, 8) for x in range(0, NATIVE_WIDTH, 8))
    return next(place for place in places if sitting.window.button_at(*place, now_ms) == (seat, button))


def test_a_held_mouse_button_holds_the_button(sit: Sit) -> None:
    sitting = sit()
    box = next(spot.box for spot in spots(sitting.look) if spot.action == ("press", "help"))
    x, y = middle(box)
    sitting.give(Pointed(NATIVE_WIDTH + x, y, True))
    sitting.wait(1_000)
    assert sitting.desk.live.inputs["seat1.help"]
    assert [lamp.button for lamp in sitting.look.lamps if lamp.pressed] == [Button.HELP]
    sitting.give(Pointed(10, 10, False))  # it may come up anywhere
    assert not sitting.desk.live.inputs["seat1.help"]


def test_a_click_on_a_seat_chooses_it(sit: Sit) -> None:
    sitting = sit()
    sitting.click(1000, 780)
    assert sitting.controls.seat == 3
    sitting.click(1000, 300)  # the table itself
    assert sitting.controls.seat == 3


def test_an_evening_with_the_mouse_alone(sit: Sit) -> None:
    sitting = sit(cards="10H 9S 10D")
    sitting.click_deck("seat", "2")
    sitting.click_deck("note", "2000")
    assert sitting.look.validator.word in ("accepting", "escrow", "stacking")
    sitting.wait(4_000)
    assert sitting.look.validator.holds.startswith("box: 1 note, $20.00")
    assert [lamp.button for lamp in sitting.look.lamps if lamp.lit] == [
        Button.BET_PLUS,
        Button.CASH_OUT,
        Button.HELP,
    ]
    sitting.click_deck("press", "bet_plus")
    sitting.click_deck("press", "deal")
    sitting.desk.until(lambda: bool(sitting.desk.state.deciding()))
    sitting.wait(1_500)
    x, y = lamp_on_screen(sitting, 2, Button.STAND)
    sitting.click(x, y)
    sitting.desk.until(lambda: not sitting.desk.state.round_open)
    sitting.wait(8_000)
    sitting.click_deck("press", "cash_out")
    sitting.wait(2_500)
    assert sitting.look.printer.word == "printing"
    sitting.wait(5_000)
    assert sitting.look.printer.word == "ticket in chute"
    sitting.click_deck("take")
    assert sitting.look.printer.word == "ready"
    assert sitting.look.printer.holds.startswith("paper: 199; out: 1 ticket, $")
    sitting.click_deck("end")
    assert sitting.desk.over


def test_doors_keys_and_faults_by_mouse(sit: Sit) -> None:
    sitting = sit()
    sitting.click_deck("turn", "door.main")
    assert dict(sitting.look.contacts)["door.main"]
    assert sitting.desk.state.frozen == "D01"
    sitting.click_deck("turn", "door.main")
    sitting.click_deck("fault", "validator1.jam_stacker")
    assert sitting.look.validator == replace(sitting.look.validator, word="jam in stacker", trouble=True)
    sitting.click_deck("mend")
    sitting.click_deck("turn", "key.attendant")
    sitting.wait(4_000)
    sitting.click_deck("turn", "key.attendant")
    sitting.wait(1_000)
    assert sitting.desk.state.conditions == ()
    assert not sitting.look.validator.trouble
    sitting.click_deck("tab", "printer")
    sitting.click_deck("fault", "printer1.head_open")
    assert sitting.look.printer.word == "head open"


def test_the_keys_of_the_service_pages_can_be_clicked(sit: Sit) -> None:
    sitting = sit()
    sitting.click_deck("seat", "4")
    sitting.click_deck("turn", "key.service")
    sitting.wait(2_000)  # a menu does not take the first presses after the turn of its key
    back, up, down, enter = (middle(box) for box in SERVICE_KEYS)
    for place in (down, down, up, enter):
        sitting.click(*place)
    assert sitting.desk.live.menu == ("attendant",)
    sitting.click(*back)
    assert list(sitting.desk.live.menu) == []
    assert sitting.controls.seat == 4


def test_a_fault_is_explained_under_the_pointer(sit: Sit) -> None:
    sitting = sit()
    spot = next(spot for spot in spots(sitting.look) if spot.role is Role.FAULT)
    x, y = middle(spot.box)
    sitting.over_x, sitting.over_y = NATIVE_WIDTH + x, y
    seen = sitting.look
    assert seen.says == f"{spot.action[1]}: {sitting.controls.what(spot.action[1])}"
    assert [each.action for each in spots(seen) if each.under] == [spot.action]
    assert not sitting.look.validator.trouble  # only a click makes it happen
    sitting.give(KeyPressed("t", True))
    assert sitting.look.says == "nothing stands in the chute of printer1"
    sitting.over_x = 0.0
    assert sitting.look.under == ()
    sitting.over_x = NATIVE_WIDTH + x
    assert sitting.look.says == seen.says


def test_the_wheel_turns_the_pages(sit: Sit) -> None:
    sitting = sit()
    sitting.give(Wheeled(-1))
    assert sitting.look.page == 1
    sitting.give(Wheeled(1), Wheeled(1))
    assert sitting.look.page == sitting.look.pages - 1


def test_closing_the_window_ends_the_evening(sit: Sit) -> None:
    sitting = sit()
    sitting.cockpit.evening.session = 4
    assert sitting.look.foot == "seed 7 · session 4"
    sitting.give(WindowClosed())
    assert sitting.desk.over


def test_a_display_that_nobody_sees_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(tmp_path, LabOptions(virtual=True, wire="memory"))
    monkeypatch.delenv("SDL_VIDEODRIVER")  # pygame has its dummy display open already
    with pytest.raises(cockpit.NoScreenError, match="nobody would see"):
        cockpit.presenter_of(desk.table)
    desk.close()
    monkeypatch.undo()
    pygame.display.init()
    pygame.display.set_mode((64, 64))
