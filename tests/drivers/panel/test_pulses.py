"""Hard-meter pulses and blinking as functions of time."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.device import Pattern
from drivers.panel.pulses import ORDERS_MOST, PulseTrain, lit, next_turn


def run(train: PulseTrain, pauses: list[int]) -> tuple[list[tuple[int, bool]], list[int]]:
    """Step at the given pauses (the last one for ever). Returns level changes and finished orders."""
    now_ms, level = 0, False
    turns: list[tuple[int, bool]] = []
    done: list[int] = []
    steps = iter(pauses)
    while train.wake_at(now_ms) is not None:
        count = train.step(now_ms)
        if count is not None:
            done.append(count)
        if train.level != level:
            level = train.level
            turns.append((now_ms, level))
        now_ms += next(steps, pauses[-1])
    return turns, done


def test_an_order_is_that_many_pulses_then_done() -> None:
    train = PulseTrain(on_ms=50, off_ms=30)
    assert train.wake_at(7) is None
    assert train.order(2)
    assert train.wake_at(7) == 7
    turns, done = run(train, [0, 50, 0, 30, 0, 50, 0, 30])
    assert turns == [(0, True), (50, False), (80, True), (130, False)]
    assert done == [2]


@given(st.lists(st.integers(0, 90), min_size=1, max_size=40), st.integers(1, 4))
def test_a_program_that_is_held_up_between_clock_and_line_makes_no_pulse_too_short(
    held_up: list[int], count: int
) -> None:
    """A page that is read from a slow card, a machine with other things to do: the line changes later than
    the program believes. A counter needs the whole width."""
    train = PulseTrain(on_ms=50, off_ms=50)
    assert train.order(count)
    now_ms, level, waits = 0, False, itertools.cycle(held_up)
    turned: list[tuple[int, bool]] = []
    while (wake_ms := train.wake_at(now_ms)) is not None:
        now_ms = max(now_ms, wake_ms)
        train.step(now_ms)
        now_ms += next(waits)  # only now is the level written
        if train.level != level:
            level = train.level
            turned.append((now_ms, level))
    assert [level for _, level in turned] == [True, False] * count
    assert all(after - before >= 50 for (before, _), (after, _) in itertools.pairwise(turned))


def test_orders_follow_each_other() -> None:
    train = PulseTrain(on_ms=20, off_ms=20)
    assert train.order(1)
    assert train.order(3)
    turns, done = run(train, [1])
    assert len(turns) == 8
    assert done == [1, 3]


def test_the_queue_is_bounded() -> None:
    train = PulseTrain(on_ms=20, off_ms=20)
    assert all(train.order(1) for _ in range(ORDERS_MOST))
    assert not train.order(1)


def test_a_pulse_that_was_cut_is_given_again() -> None:
    train = PulseTrain(on_ms=50, off_ms=50)
    train.order(1)
    train.step(0)
    levels = [train.level]
    train.interrupt()
    assert [*levels, train.level] == [True, False]
    turns, done = run(train, [1])
    assert [level for _, level in turns] == [True, False]
    assert done == [1]


def test_a_pulse_that_was_whole_is_not_given_again() -> None:
    train = PulseTrain(on_ms=50, off_ms=50)
    train.order(1)
    train.step(0)
    train.step(0)
    train.step(50)
    train.interrupt()
    assert train.step(60) == 1
    assert not train.level


def test_only_the_step_behind_the_width_of_a_pulse_ends_it() -> None:
    train = PulseTrain(on_ms=50, off_ms=30)
    assert not train.ends_pulse(1_000)
    train.order(1)
    train.step(0)
    assert not train.ends_pulse(1_000), "the line does not have it yet"
    train.step(0)
    assert [train.ends_pulse(at_ms) for at_ms in (0, 49, 50)] == [False, False, True]
    train.step(50)
    assert not train.ends_pulse(80)


def test_a_rest_has_nothing_to_interrupt() -> None:
    train = PulseTrain(on_ms=50, off_ms=50)
    train.interrupt()
    assert train.idle
    assert not train.level


@given(
    st.lists(st.integers(1, 10), min_size=1, max_size=4),
    st.lists(st.integers(1, 90), min_size=1, max_size=30),
)
def test_a_slow_loop_makes_pulses_longer_but_never_shorter_or_fewer(
    counts: list[int], pauses: list[int]
) -> None:
    train = PulseTrain(on_ms=40, off_ms=30)
    for count in counts:
        assert train.order(count)
    turns, done = run(train, pauses)
    assert done == counts
    assert len(turns) == 2 * sum(counts)
    spans = [(later - at, level) for (at, level), (later, _) in itertools.pairwise(turns)]
    assert all(span >= (40 if level else 30) for span, level in spans)


@pytest.mark.parametrize(("pattern", "hertz"), [(Pattern.SLOW, 0.5), (Pattern.FAST, 2)])
def test_blinking_has_its_rate_and_is_lit_half_of_the_time(pattern: Pattern, hertz: float) -> None:
    levels = [lit(pattern, now_ms) for now_ms in range(10_000)]
    rises = sum(later and not level for level, later in itertools.pairwise(levels))
    assert rises == pytest.approx(10 * hertz, abs=1)
    assert sum(levels) == 5_000


@pytest.mark.parametrize("pattern", [Pattern.SLOW, Pattern.FAST])
@given(now_ms=st.integers(0, 10**9))
def test_the_next_turn_is_the_first_other_level(pattern: Pattern, now_ms: int) -> None:
    turn_ms = next_turn(pattern, now_ms)
    assert turn_ms > now_ms
    assert lit(pattern, turn_ms) != lit(pattern, now_ms) == lit(pattern, turn_ms - 1)


def test_steady_patterns_are_steady() -> None:
    assert {lit(Pattern.ON, now_ms) for now_ms in range(3_000)} == {True}
    assert {lit(Pattern.OFF, now_ms) for now_ms in range(3_000)} == {False}
