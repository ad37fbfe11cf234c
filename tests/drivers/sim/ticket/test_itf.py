"""The bar code of a ticket, dot by dot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.sim.ticket import itf

# Wide elements of each digit as the standard's table has them (weights 1, 2, 4, 7 and parity).
WIDE = {
    "0": (2, 3), "1": (0, 4), "2": (1, 4), "3": (0, 1), "4": (2, 4),
    "5": (0, 2), "6": (1, 2), "7": (3, 4), "8": (0, 3), "9": (1, 3),
}  # fmt: skip


def decode(bars: list[tuple[int, int]]) -> str:
    """A reader written from the standard's table."""
    elements = []
    for (offset, width), following in zip(bars, [*bars[1:], None], strict=True):
        elements.append(width)
        if following is not None:
            elements.append(following[0] - offset - width)
    narrow_wide = ["w" if size == itf.WIDE_DOTS else "n" for size in elements]
    assert narrow_wide[:4] == list("nnnn")
    assert narrow_wide[-3:] == list("wnn")
    digits = ""
    body = narrow_wide[4:-3]
    for at in range(0, len(body), 10):
        for parity in (0, 1):
            wide = tuple(place for place in range(5) if body[at + 2 * place + parity] == "w")
            digits += next(digit for digit, places in WIDE.items() if places == wide)
    return digits


def test_a_ticket_s_code_is_781_dots_wide() -> None:
    assert itf.width_dots("002860834232083467") == 781


def test_the_two_element_widths_are_those_of_the_paper() -> None:
    bars = itf.bars("0123456789")
    assert {width for _, width in bars} == {itf.NARROW_DOTS, itf.WIDE_DOTS} == {5, 13}
    assert bars[:3] == [(0, 5), (10, 5), (20, 5)]  # the start pattern, then the first digit


@given(st.text(alphabet="0123456789", min_size=1, max_size=12).map(lambda half: half + half[::-1]))
def test_what_is_drawn_reads_back(digits: str) -> None:
    assert decode(itf.bars(digits)) == digits


@pytest.mark.parametrize("bad", ["", "1", "123", "12a4", "\uff11\uff12", "1 "])
def test_no_digit_is_ever_padded_or_dropped(bad: str) -> None:
    with pytest.raises(ValueError, match="even number"):
        itf.bars(bad)
    with pytest.raises(ValueError, match="even number"):
        itf.width_dots(bad)
