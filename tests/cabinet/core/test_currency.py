"""One type for a currency, and one place that writes an amount in figures."""

from __future__ import annotations

import ast
import re

import pytest

from cabinet.core.currency import CURRENCIES, EUR, JPY, USD, Currency, of_settings
from support.programs.source import modules

HOME = "cabinet.core.currency"


@pytest.mark.parametrize(
    ("currency", "minor", "text", "short"),
    [
        (USD, 0, "$0.00", "$0"),
        (USD, 123_456_789, "$1,234,567.89", "$1,234,567.89"),
        (USD, -505, "-$5.05", "-$5.05"),
        (USD, 2_000, "$20.00", "$20"),
        (EUR, 1_050, "€10.50", "€10.50"),
        (JPY, 10_000, "¥10,000", "¥10,000"),
        (JPY, -5, "-¥5", "-¥5"),
    ],
)
def test_an_amount_in_figures(currency: Currency, minor: int, text: str, short: str) -> None:
    assert (currency.text(minor), currency.short(minor)) == (text, short)


def test_notes_ascend_and_are_whole_units() -> None:
    for code, currency in CURRENCIES.items():
        assert code == currency.code
        assert list(currency.notes) == sorted(set(currency.notes))
        assert all(note % currency.whole == 0 for note in currency.notes)


def test_an_old_round_is_shown_in_its_own_money() -> None:
    assert of_settings({"cabinet.currency": '"JPY"'}) is JPY
    assert of_settings({}) is USD, "journals of before there was a choice"


def test_nobody_else_makes_figures_of_an_amount() -> None:
    """A sign, a hundred or two decimals anywhere else would be wrong at a cabinet with other money."""
    by_hand = re.compile(r"[$€¥]|%\s*100:02d\}(?! %)|//\s*100:")  # a percentage is no money
    found = [
        f"{module.path}:{node.lineno}: {ast.unparse(node)}"
        for module in modules()
        if module.within("cabinet") and not module.within(HOME)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.JoinedStr) and by_hand.search(ast.unparse(node))
    ]
    assert found == []
