"""Words and figures of an amount come from the same integer; reading the words back must give it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cabinet.core.currency import EUR, JPY, USD, Currency
from cabinet.core.money import amounts as words
from cabinet.core.money.amounts import (
    AmountDoesNotFitError,
    amount_in_figures,
    amount_in_words,
    two_lines,
)

LIMIT_CENTS = words.LIMIT * USD.whole
AMOUNTS = st.integers(min_value=0, max_value=LIMIT_CENTS - 1)

SMALL = {
    "ZERO": 0, "ONE": 1, "TWO": 2, "THREE": 3, "FOUR": 4, "FIVE": 5, "SIX": 6, "SEVEN": 7, "EIGHT": 8,
    "NINE": 9, "TEN": 10, "ELEVEN": 11, "TWELVE": 12, "THIRTEEN": 13, "FOURTEEN": 14, "FIFTEEN": 15,
    "SIXTEEN": 16, "SEVENTEEN": 17, "EIGHTEEN": 18, "NINETEEN": 19, "TWENTY": 20, "THIRTY": 30,
    "FORTY": 40, "FIFTY": 50, "SIXTY": 60, "SEVENTY": 70, "EIGHTY": 80, "NINETY": 90,
}  # fmt: skip


def read_back(text: str) -> int:
    """Cents of an amount in words, by a reader that knows nothing of the writer."""
    units, part = text.split(" AND ")
    return number(units.split()[:-1]) * 100 + (0 if part.startswith("NO ") else number(part.split()[:-1]))


def number(names: list[str]) -> int:
    total = group = 0
    for name in names:
        if name == "THOUSAND":
            total, group = group * 1000, 0
        elif name == "HUNDRED":
            group *= 100
        else:
            group += SMALL[name]
    return total + group


@pytest.mark.requirement("PRN-03")
@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (8502, "EIGHTY FIVE DOLLARS AND TWO CENTS"),
        (50, "ZERO DOLLARS AND FIFTY CENTS"),
        (100, "ONE DOLLAR AND NO CENTS"),
        (1, "ZERO DOLLARS AND ONE CENT"),
        (0, "ZERO DOLLARS AND NO CENTS"),
        (23500, "TWO HUNDRED THIRTY FIVE DOLLARS AND NO CENTS"),
        (1_000_00, "ONE THOUSAND DOLLARS AND NO CENTS"),
        (100_100_10, "ONE HUNDRED THOUSAND ONE HUNDRED DOLLARS AND TEN CENTS"),
        (19_014_29, "NINETEEN THOUSAND FOURTEEN DOLLARS AND TWENTY NINE CENTS"),
    ],
)
def test_amounts_read_like_a_cheque(cents: int, text: str) -> None:
    assert amount_in_words(cents, USD) == text


@pytest.mark.requirement("PRN-03")
@given(AMOUNTS)
@example(29)  # 0.29 dollars is 28.999... hundredths for a program that counts in floats
@example(8502)
def test_words_and_figures_say_the_same_amount(cents: int) -> None:
    assert read_back(amount_in_words(cents, USD)) == cents
    assert int(amount_in_figures(cents, USD).lstrip("$").replace(",", "").replace(".", "")) == cents


@given(AMOUNTS, st.sampled_from([USD, EUR, JPY]))
def test_a_printer_has_every_letter_of_it(cents: int, money: Currency) -> None:
    cents %= words.LIMIT * money.whole
    text = amount_in_words(cents, money) + amount_in_figures(cents, money)
    assert all(" " <= letter <= "~" and letter not in "^|" for letter in text)


def test_a_currency_without_a_sign_in_the_printer_s_font_is_lettered() -> None:
    assert amount_in_figures(123456, EUR) == "EUR 1,234.56"
    assert amount_in_words(201, EUR) == "TWO EUROS AND ONE CENT"


def test_a_currency_without_decimals_has_none_on_paper() -> None:
    assert amount_in_figures(8_502, JPY) == "JPY 8,502"
    assert amount_in_words(8_502, JPY) == "EIGHT THOUSAND FIVE HUNDRED TWO YEN"
    with pytest.raises(AmountDoesNotFitError, match="¥1,000,000 is a million"):
        amount_in_words(1_000_000, JPY)


def test_the_limit_is_a_million_units() -> None:
    most = LIMIT_CENTS - 1
    assert amount_in_words(most, USD).startswith("NINE HUNDRED NINETY NINE THOUSAND")
    for refuse in (amount_in_words, amount_in_figures):
        with pytest.raises(AmountDoesNotFitError):
            refuse(most + 1, USD)
        with pytest.raises(ValueError, match="negative"):
            refuse(-1, USD)


@given(AMOUNTS)
@example(777_777_77)  # the longest words there are
def test_every_amount_below_the_limit_fits_two_lines(cents: int) -> None:
    text = amount_in_words(cents, USD)
    first, second = two_lines(text)
    assert f"{first} {second}".strip() == text
    assert max(len(first), len(second)) <= words.WORDS_WIDTH_CHARS


@given(AMOUNTS, st.integers(min_value=1, max_value=100))
def test_no_line_is_longer_than_it_may_be(cents: int, width: int) -> None:
    text = amount_in_words(cents, USD)
    try:
        first, second = two_lines(text, width)
    except AmountDoesNotFitError:
        assert len(text) > width
    else:
        assert max(len(first), len(second)) <= width
        assert f"{first} {second}".strip() == text


def test_a_short_amount_leaves_the_second_line_empty() -> None:
    assert two_lines("ONE DOLLAR AND NO CENTS") == ("ONE DOLLAR AND NO CENTS", "")


def test_lines_are_broken_where_they_are_most_alike() -> None:
    assert two_lines("ONE DOLLAR AND NO CENTS", 14) == ("ONE DOLLAR", "AND NO CENTS")


@pytest.mark.parametrize(("text", "width"), [("ONE DOLLAR AND NO CENTS", 11), ("UNBREAKABLE", 5)])
def test_what_does_not_fit_is_refused_and_never_cut(text: str, width: int) -> None:
    with pytest.raises(AmountDoesNotFitError):
        two_lines(text, width)


def test_a_validation_number_is_grouped_as_the_trade_prints_it() -> None:
    assert words.grouped("005671408547977327") == "00-5671-4085-4797-7327"


@pytest.mark.parametrize("bad", ["", "0" * 17, "0" * 19, "0" * 17 + "x", "\uff10" * 18])
def test_anything_but_18_digits_is_not_grouped(bad: str) -> None:
    with pytest.raises(ValueError, match="18 digits"):
        words.grouped(bad)
