"""The house rules as a page: everything a player may want to know before the first bet."""

from __future__ import annotations

import re
from typing import Final

from cabinet.core.look import HouseRules, View
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.theme import LINE, PANEL, ROW_LINE, TEXT, TEXT_2, Face, Type
from cabinet.ui.pages.howto import TITLE

HEAD: Final = Type(Face.SEMI, 28, 0.08)
NAME: Final = Type(Face.MEDIUM, 32)
VALUE: Final = Type(Face.SEMI, 32)
NARROW: Final = Type(Face.NARROW_SEMI, 32)
NAME_WIDTH: Final = 250
VALUE_WIDTH: Final = 588
PANEL_WIDTH: Final = 890
LEFT: Final = 60
RIGHT: Final = 970
TOP: Final = 204


def house_rules(pen: Pen, view: View, shift: float = 0, rows_apart: float = 60) -> None:
    """Two panels of rules under a headline."""
    pen.text(pen.word("help.rules_title", TITLE, 900), TITLE, TEXT, 60, (160 if shift == 0 else 92))
    left, right = _bets(pen, view), _play(pen, view)
    rows = max(len(left), len(right))
    for x, head, entries in ((LEFT, "help.rules_left", left), (RIGHT, "help.rules_right", right)):
        y = TOP + shift
        pen.box(x, y, PANEL_WIDTH, 62 + rows * rows_apart, 16, PANEL, (LINE, 2))
        pen.caps(pen.word(head, HEAD, 800), HEAD, TEXT_2, x + 26, y + 6, 50)
        for number, (name, value) in enumerate(entries):
            row_y = y + 56 + number * rows_apart
            pen.bar_box(x + 26, row_y, PANEL_WIDTH - 52, 2, ROW_LINE)
            pen.caps(pen.word(name, NAME, NAME_WIDTH - 10), NAME, TEXT_2, x + 26, row_y, rows_apart)
            kind = VALUE if pen.kit.text.fits(value, VALUE, VALUE_WIDTH) else NARROW
            pen.caps(value, kind, TEXT, x + 26 + NAME_WIDTH, row_y, rows_apart)


def _fit(pen: Pen, key: str, **args: int | str | tuple[int, ...]) -> str:
    return pen.word(key, NARROW, VALUE_WIDTH, **args)


def _bets(pen: Pen, view: View) -> list[tuple[str, str]]:
    rules = view.rules
    limits = {"min_cents": rules.min_bet_cents, "max_cents": rules.max_bet_cents}
    times = {"bet_seconds": rules.bet_seconds, "decide_seconds": rules.decide_seconds}
    single = view.seats == 1
    takes = "original" if rules.dealer_blackjack_takes == "original" else "all"
    return [
        ("help.r_limits", _fit(pen, "help.r_limits_v", **limits)),
        ("help.r_blackjack", _fit(pen, "help.r_blackjack_v", pays=rules.blackjack_pays)),
        ("help.r_win", _fit(pen, "help.r_win_v")),
        ("help.r_tie", _fit(pen, "help.r_tie_v")),
        ("help.r_dealer_bj", _fit(pen, f"help.r_dealer_bj_{takes}")),
        ("help.r_insurance", _fit(pen, "help.r_insurance_v")),
        ("help.r_surrender", _fit(pen, "help.r_surrender_v")),
        ("help.r_time", _fit(pen, "help.r_time_one" if single else "help.r_time_v", **times)),
        ("help.r_timeout", _fit(pen, "help.r_timeout_v")),
    ]


def _play(pen: Pen, view: View) -> list[tuple[str, str]]:
    rules = view.rules
    decks = pen.kit.words.word(f"rule.decks.{rules.decks}")
    shuffle = "round" if rules.shuffle_every_round else "cut"
    soft = "hits" if rules.dealer_hits_soft_17 else "stands"
    after = "yes" if rules.double_after_split else "no"
    return [
        ("help.r_decks", _fit(pen, f"help.r_decks_{shuffle}", decks=decks)),
        ("help.r_soft17", _fit(pen, f"help.r_soft17_{soft}")),
        ("help.r_dealer_last", _fit(pen, "help.r_dealer_last_v")),
        ("help.r_double", _fit(pen, "help.r_double_v", totals=double_totals(pen, rules))),
        ("help.r_split", _fit(pen, "help.r_split_v", ranks=split_ranks(pen, rules))),
        ("help.r_second", _fit(pen, "help.r_second_v")),
        ("help.r_after_split", _fit(pen, f"help.r_das_{after}")),
        ("help.r_aces", _fit(pen, "help.r_aces_v")),
        ("help.r_natural", _fit(pen, "help.r_natural_v")),
    ]


def double_totals(pen: Pen, rules: HouseRules) -> str:
    """ "hard 9, 10 or 11", or "any total"."""
    totals = re.findall(r"\d+", rules.double_totals)
    if not totals:
        return pen.kit.words.word("help.any_total")
    return pen.kit.words.word("help.hard_totals", totals=either(pen, totals))


def split_ranks(pen: Pen, rules: HouseRules) -> str:
    """ "A, 2, 3, 6, 7, 8 or 9"."""
    return either(pen, list(rules.splittable))


def either(pen: Pen, words: list[str]) -> str:
    """A list that ends with "or"."""
    comma, last = pen.kit.words.word("words.list_next"), pen.kit.words.word("words.list_or")
    return last.join([comma.join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
