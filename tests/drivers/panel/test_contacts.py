"""Debouncing: what bounces is one press, what is short is none, what stays is seen in time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from drivers.panel.contacts import Contact, step

DEBOUNCE_MS = 10


def test_a_level_counts_when_it_has_lasted() -> None:
    contact = step(Contact(), True, True, 100, DEBOUNCE_MS)
    assert contact == Contact(active=False, since_ms=100)
    contact = step(contact, True, False, 109, DEBOUNCE_MS)
    assert not contact.active
    assert step(contact, True, False, 110, DEBOUNCE_MS) == Contact(active=True)


def test_a_level_that_goes_back_never_happened() -> None:
    contact = step(Contact(), True, True, 100, DEBOUNCE_MS)
    assert step(contact, False, True, 105, DEBOUNCE_MS) == Contact()


def test_an_edge_starts_the_wait_again_although_the_level_is_the_same() -> None:
    """It was away and came back between two looks."""
    contact = step(Contact(), True, True, 100, DEBOUNCE_MS)
    contact = step(contact, True, True, 110, DEBOUNCE_MS)
    assert contact == Contact(active=False, since_ms=110)
    assert step(contact, True, False, 120, DEBOUNCE_MS) == Contact(active=True)


# Looks at a contact: milliseconds since the last one, level, whether edges came in between.
LOOKS = st.lists(st.tuples(st.integers(0, 12), st.booleans(), st.booleans()), max_size=60)


@given(LOOKS, st.integers(1, 20))
def test_every_accepted_level_was_stable_for_the_whole_time(
    looks: list[tuple[int, bool, bool]], debounce_ms: int
) -> None:
    contact, now_ms = Contact(), 0
    stable_since: int | None = None
    last_level = False
    for pause_ms, level, moved in looks:
        now_ms += pause_ms
        if level != last_level or moved or stable_since is None:
            stable_since = now_ms
        last_level = level
        before, contact = contact, step(contact, level, moved, now_ms, debounce_ms)
        if contact.active != before.active:
            assert contact.active == level
            assert now_ms - stable_since >= debounce_ms
        assert contact.since_ms is None or contact.active != level


@given(LOOKS, st.booleans(), st.integers(1, 20))
def test_whatever_came_before_a_lasting_level_is_accepted(
    looks: list[tuple[int, bool, bool]], level: bool, debounce_ms: int
) -> None:
    contact, now_ms = Contact(), 0
    for pause_ms, noise, moved in looks:
        now_ms += pause_ms
        contact = step(contact, noise, moved, now_ms, debounce_ms)
    contact = step(contact, level, True, now_ms + 1, debounce_ms)
    contact = step(contact, level, False, now_ms + 1 + debounce_ms, debounce_ms)
    assert contact == Contact(active=level)


@given(LOOKS)
def test_a_level_without_change_asks_for_nothing(looks: list[tuple[int, bool, bool]]) -> None:
    contact, now_ms = Contact(active=True), 0
    for pause_ms, _level, moved in looks:
        now_ms += pause_ms
        contact = step(contact, True, moved, now_ms, DEBOUNCE_MS)
    assert contact == Contact(active=True)
