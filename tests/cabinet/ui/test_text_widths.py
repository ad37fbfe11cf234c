"""Every text fits its place at all three screen sizes: the long form or, there, the short one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from cabinet.ui.draw import theme
from cabinet.ui.draw.pen import Kit, Pen
from cabinet.ui.draw.theme import Face, Type
from cabinet.ui.pages import howto, rulebook
from cabinet.ui.pages.howto import STEP_TEXT, STEP_TITLE
from cabinet.ui.parts import block, dial, lockup, seat, topbar

SIZES = ((1280, 720), (1920, 1080), (3840, 2160))

ARGUMENTS: dict[str, int | str | tuple[int, ...]] = {
    "total": 24, "seat": 7, "count": 7, "hand": 2, "place": 6, "rank": 12, "number": 9_999_999,
    "missing_cents": 19_950, "amount_cents": 1_234_500, "credit_cents": 0, "bet_cents": 20_000,
    "min_cents": 500, "max_cents": 20_000, "seats": (1, 2, 4, 5, 7), "splitters": (1, 3, 5, 7),
    "keepers": (2, 4, 6), "pays": "3:2", "digits": "3467", "button": "DOUBLE", "codes": "D01, T02, B05",
    "round": 9_999_999, "when": "29 Nov, 21:12:40", "step": 99, "steps": 99, "page": 3, "pages": 3,
    "decks": "Seven decks", "soft17": "Dealer stands on soft 17.", "totals": "hard 9, 10 or 11",
    "ranks": "A, 2, 3, 6, 7, 8 or 9", "bet_seconds": 15, "decide_seconds": 12,
}  # fmt: skip

MESSAGE_7 = Type(Face.NARROW_SEMI, 32)
MESSAGE_5 = Type(Face.SEMI, 34)


class Budget(NamedTuple):
    """Where the texts of a section stand: type, native width, most lines."""

    section: str
    kind: Type
    width: float
    lines: int


BUDGETS = (
    Budget("head.", seat.HEAD_NARROW, 182, 1),
    Budget("head.", seat.HEAD, 290, 1),
    Budget("lamp.", Type(Face.NARROW_BOLD, 30), 111, 1),
    Budget("seat.", MESSAGE_7, 236, 2),
    Budget("seat.", MESSAGE_5, 336, 2),
    Budget("refused.", MESSAGE_7, 228, 2),
    Budget("refused.", MESSAGE_5, 336, 2),
    Budget("help.seat_", MESSAGE_7, 228, 2),
    Budget("line.", theme.LINE_TEXT, 240, 2),
    Budget("phase.", theme.PHASE, 240, 1),
    Budget("story.", theme.STORY, 408, 3),
    Budget("shoe.", theme.NOTE, 264, 2),
    Budget("row.", theme.GRID_LABEL, 260, 1),
    Budget("cell.", theme.GRID_WORD, 76, 1),
    Budget("rule.", theme.RULES, 240, 2),
    Budget("banner.", topbar.BANNER, 430, 1),
    Budget("help.step_1_title", STEP_TITLE, 330, 1),
    Budget("help.step_2_title", STEP_TITLE, 330, 1),
    Budget("help.step_3_title", STEP_TITLE, 330, 1),
    Budget("help.step_4_title", STEP_TITLE, 330, 1),
    Budget("help.r_", rulebook.NARROW, rulebook.VALUE_WIDTH, 1),
    Budget("help.never_changes", Type(Face.SEMI, 42), 1780, 2),
    Budget("help.foot_", Type(Face.MEDIUM, 32), 1800, 1),
)
WIDE = {"seat.ticket_caption", "seat.handpay_caption"}
CONSOLE_ONLY = "seat.hint_"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("budget", BUDGETS, ids=lambda b: f"{b.section}{b.kind.face.value}{b.width}")
def test_a_text_fits_in_its_long_or_short_form(
    kit_of: Callable[..., Kit], size: tuple[int, int], budget: Budget
) -> None:
    kit = kit_of(*size)
    pen = Pen(kit, 0)
    for key in list(kit.words.keys()):
        if not key.startswith(budget.section) or key.startswith(CONSOLE_ONLY):
            continue
        arguments = {name: ARGUMENTS[name] for name in kit.words.arguments(key)}
        text = pen.word(key, budget.kind, budget.width, **arguments)
        assert text.count("\n") < budget.lines, (key, text)
        assert kit.text.fits(text, budget.kind, budget.width), (key, text)


@pytest.mark.parametrize("size", SIZES)
def test_the_hints_of_the_console_fit(kit_of: Callable[..., Kit], size: tuple[int, int]) -> None:
    kit = kit_of(*size)
    pen = Pen(kit, 0)
    for key in list(kit.words.keys()):
        if key.startswith(CONSOLE_ONLY):
            arguments = {name: ARGUMENTS[name] for name in kit.words.arguments(key)}
            text = pen.word(key, Type(Face.BOLD, 34), 436, **arguments)
            assert kit.text.fits(text, Type(Face.BOLD, 34), 436), (key, text)


@pytest.mark.parametrize("size", SIZES)
def test_the_lock_panel_holds_every_condition(kit_of: Callable[..., Kit], size: tuple[int, int]) -> None:
    kit = kit_of(*size)
    pen = Pen(kit, 0)
    for key in list(kit.words.keys()):
        if key != "lock.reading" and (not key.startswith("lock.") or key.count(".") != 2):
            continue
        kind, width = {
            "title": (lockup.TITLE.sized(64), 860),
            "text": (lockup.WORDS, 930),
            "call": (lockup.CALL, 560),
            "reading": (lockup.WORDS, 930),
        }[key.rsplit(".", 1)[1]]
        arguments = {"count": 9_999_000} if key == "lock.reading" else {}
        text = pen.word(key, kind, width, **arguments)
        assert kit.text.fits(text, kind, width), (key, text)


@pytest.mark.parametrize("size", SIZES)
def test_a_refusal_fits_one_row_of_lamps(kit_of: Callable[..., Kit], size: tuple[int, int]) -> None:
    """So that it never has to hide a lit lamp at seven seats."""
    kit = kit_of(*size)
    kind = Type(Face.NARROW_SEMI, 28)
    for key in list(kit.words.keys()):
        if key.startswith(("refused.", "help.seat_")) and key != "help.seat_asked":
            arguments = {name: ARGUMENTS[name] for name in kit.words.arguments(key)}
            texts = [
                kit.words.word(key, short=short, **arguments).replace("\n", " ") for short in (False, True)
            ]
            assert any(kit.text.fits(text, kind, 224) for text in texts), (key, texts)


@pytest.mark.parametrize("size", SIZES)
def test_the_help_steps_fit_their_panels(kit_of: Callable[..., Kit], size: tuple[int, int]) -> None:
    kit = kit_of(*size)
    pen = Pen(kit, 0)
    for number in (1, 2, 3, 4):
        for key in (f"help.step_{number}_text", f"help.step_{number}_text_one"):
            if key in set(kit.words.keys()):
                text = pen.word(key, STEP_TEXT, 391)
                assert text.count("\n") <= 2
                assert kit.text.fits(text, STEP_TEXT, 391), (key, text)


@pytest.mark.parametrize("size", SIZES)
def test_figures_keep_their_places(kit_of: Callable[..., Kit], size: tuple[int, int]) -> None:
    """Tabular figures: equal advances, so a counting meter does not shiver."""
    kit = kit_of(*size)
    for kind in (
        Type(Face.BOLD, 44),
        Type(Face.SEMI, 40),
        Type(Face.NARROW_SEMI, 40),
        Type(Face.NARROW_BOLD, 44),
    ):
        assert len({kit.text.glyph(figure, kind, theme.TEXT).advance for figure in "0123456789"}) == 1


def test_the_largest_total_leaves_the_cards_alone(kit: Kit) -> None:
    assert kit.text.width("28", theme.HAND_TOTAL) <= 500 - 280
    assert kit.text.width("30", theme.SPLIT_TOTAL) <= 150


def test_every_glyph_that_is_used_is_in_the_fonts(kit: Kit) -> None:
    """A missing glyph would be drawn as a box: it is compared with one that is certainly missing."""
    signs = set("\N{MINUS SIGN}\N{MULTIPLICATION SIGN}\N{RIGHT SINGLE QUOTATION MARK}\N{EN DASH}+$,.")
    for key in list(kit.words.keys()):
        for form in kit.words._forms(key):
            signs |= set(form)
    font = kit.text.font(Type(Face.SEMI, 40))
    narrow = kit.text.font(Type(Face.NARROW_BOLD, 40))
    for each in (font, narrow):
        missing = each.metrics("\U0001f0a1")
        for sign in signs - set("\n*{}|_ "):
            assert each.metrics(sign)[0] is not None, sign
            assert each.metrics(sign) != missing or missing == [None], sign


def test_what_the_budgets_name_is_what_is_drawn() -> None:
    assert dial.COLUMN == 240
    assert block.HELP_PAGES == 5
    assert howto.WIDTH - 44 == 391
