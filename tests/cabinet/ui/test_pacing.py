"""Frames keep their own schedule by an injected clock."""

from __future__ import annotations

from cabinet.ui.pacing import NS_PER_MS, Pacer


class Clock:
    def __init__(self) -> None:
        self.ns = 1_000

    def __call__(self) -> int:
        return self.ns


def test_sixty_frames_a_second_without_rounding() -> None:
    clock = Clock()
    pacer = Pacer(60, clock)
    frames = 0
    for _ in range(10_000):
        frames += pacer.due()
        clock.ns += NS_PER_MS
    assert frames in (600, 601)
    assert pacer.late_frames == 0


def test_a_stall_is_one_late_frame_and_no_burst() -> None:
    clock = Clock()
    pacer = Pacer(60, clock)
    assert pacer.due()
    clock.ns += 500 * NS_PER_MS
    assert pacer.due()
    assert not pacer.due()
    assert pacer.late_frames == 1


def test_the_owner_may_sleep_until_the_next_frame() -> None:
    clock = Clock()
    pacer = Pacer(50, clock)
    assert pacer.wait_ms() == 0
    assert pacer.due()
    assert pacer.wait_ms() == 20
    clock.ns += 15 * NS_PER_MS
    assert pacer.wait_ms() == 5
    clock.ns += 30 * NS_PER_MS
    assert pacer.wait_ms() == 0
    assert pacer.frames == 1
