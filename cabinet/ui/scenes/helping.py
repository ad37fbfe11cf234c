"""The full-screen help pages: how to play, all house rules, what is said in plain words, and the
strategy chart if there is one for these rules.

They are shown only while no round is open; during a round a seat has its short help in its own
panel. Page numbers begin with 1; a view may ask for more pages than there are, then they repeat.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cabinet.core.look import View
from cabinet.core.timing import Timing
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import ACCENT, LINE, PANEL, TEXT, TEXT_2, Face, Type
from cabinet.ui.moment import Moment
from cabinet.ui.pages import advice, howto, rulebook
from cabinet.ui.pages.howto import TITLE
from cabinet.ui.parts import topbar
from cabinet.ui.scenes.piece import Piece, lock

PAGES: Final = 3  # and one more with a chart
NAMES: Final = ("top.how_to_play", "help.rules_title", "help.common_title", "help.chart_title")
SAYING: Final = Type(Face.SEMI, 42)
FOOT: Final = Type(Face.MEDIUM, 32)
KEYS: Final = Type(Face.MEDIUM, 28)
KEYS_STRONG: Final = Type(Face.SEMI, 28)
POINT: Final = Type(Face.BOLD, 36)
PROSE: Final = Type(Face.MEDIUM, 32)
POINTS: Final = 6


def pieces(at: Moment, times: Timing) -> Iterator[Piece]:
    """Top bar and page."""
    view = at.view
    yield Piece("top", (view.top, view.banners, view.help), _top, still=False)
    yield Piece("page", (view.help, view.rules, view.seats), _page, still=False)
    yield from lock(at, column=False)


def _top(pen: Pen, at: Moment) -> None:
    end = topbar.right(pen, at.view, page=NAMES[_number(at)])
    topbar.banners(pen, at.view.banners, 470, end)


def _number(at: Moment) -> int:
    """Which page is open, from 0."""
    look = at.view.help
    return (look.page - 1) % (PAGES + (look.chart is not None)) if look is not None else 0


def _page(pen: Pen, at: Moment) -> None:
    look = at.view.help
    (_how, _rules, _plain_words, _chart)[_number(at)](pen, at.view)
    if look is not None:
        page = pen.word("help.page", KEYS_STRONG, 300, page=look.page, pages=look.pages)
        pen.text(page, KEYS_STRONG, TEXT, 1860, 118, "r")
        pen.text(pen.word("help.keys", KEYS, 760), KEYS, TEXT_2, 1860, 156, "r")


def _how(pen: Pen, view: View) -> None:
    howto.title(pen, view.seats, 160)
    howto.four_pictures(pen, view.seats)
    pen.bar_box(60, 840, 6, 104, ACCENT)
    pen.lines(pen.word("help.never_changes", SAYING, 1780), SAYING, TEXT, 88, 882, 54)
    pen.bar_box(60, 970, 1800, 2, LINE)
    soft = "help.soft17_hits" if view.rules.dealer_hits_soft_17 else "help.soft17_stands"
    decks = pen.kit.words.word(f"rule.decks.{view.rules.decks}")
    args = {"pays": view.rules.blackjack_pays, "soft17": pen.kit.words.word(soft), "decks": decks}
    pen.text(pen.word("help.foot_rules", FOOT, 1800, **args), FOOT, TEXT_2, 60, 1018)
    pen.text(pen.word("help.foot_notice", FOOT, 1800), FOOT, TEXT_2, 60, 1060)


def _rules(pen: Pen, view: View) -> None:
    rulebook.house_rules(pen, view, rows_apart=74)
    pen.text(pen.word("help.foot_notice", FOOT, 1800), FOOT, TEXT_2, 60, 1010)


def _plain_words(pen: Pen, view: View) -> None:
    """Six points in two columns."""
    pen.text(pen.word("help.common_title", TITLE, 1000), TITLE, TEXT, 60, 160)
    for number in range(POINTS):
        x, y = (60, 970)[number % 2], 204 + number // 2 * 288
        pen.box(x, y, 890, 272, 16, PANEL, (LINE, 2))
        alone = "_one" if view.seats == 1 and number in (0, 2) else ""
        head = pen.word(f"help.common_{number + 1}_title{alone}", POINT, 830)
        pen.text(head, POINT, TEXT, x + 28, y + 56)
        text = pen.kit.words.word(f"help.common_{number + 1}_text{alone}").replace("\n", " ")
        for place, line in enumerate(pen.wrapped(text, PROSE, 834)):
            pen.text(line, PROSE, TEXT, x + 28, y + 108 + 44 * place)


def _chart(pen: Pen, view: View) -> None:
    if view.help is not None and view.help.chart is not None:
        advice.advice(pen, view.help.chart)
    pen.text(pen.word("help.foot_notice", FOOT, 1800), FOOT, TEXT_2, 60, 1060)
