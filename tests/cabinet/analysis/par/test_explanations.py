"""Small figures of the PAR sheet."""

from __future__ import annotations

from fractions import Fraction

import pytest

from cabinet.analysis.par.sheet import result_name, rounded


@pytest.mark.parametrize(
    ("result", "name"),
    [
        (Fraction(-4), "-4"),
        (Fraction(0), "0"),
        (Fraction(3, 2), "1.5"),
        (Fraction(6, 5), "1.2"),
        (Fraction(8, 7), "8/7"),
    ],
)
def test_a_net_result_is_written_exactly(result: Fraction, name: str) -> None:
    assert result_name(result) == name


def test_there_is_no_zero_below_zero() -> None:
    assert str(rounded(-1e-15)) == "0.0"
