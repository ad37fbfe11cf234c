"""What a long work says to the person who waits for it."""

from __future__ import annotations

import pytest

from cabinet.lab.patience import Remaining


@pytest.mark.parametrize(
    ("passed_s", "done", "total", "text"),
    [
        (10, 1, 5, "about 40 s left"),
        (10, 1, 9.9, "about 89 s left"),
        (30, 1, 10, "about 4 min left"),
        (600, 1, 25, "about 4.0 h left"),
        (600, 24, 24, "about 0 s left"),
        (600, 25, 24, "about 0 s left"),
    ],
)
def test_what_is_left_goes_as_what_is_done(passed_s: int, done: float, total: float, text: str) -> None:
    now_ms = 100_000
    remaining = Remaining(lambda: now_ms)
    now_ms += passed_s * 1000
    assert remaining.text(done, total) == text
