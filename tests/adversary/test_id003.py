"""Evenings against bill validators that were written from the protocol alone, with accidents by seed.

After each evening, once the attendant has said where the paper really is: what lies in the boxes is what the
books say, by seat and by note, and no unit has stood still for a minute without somebody having been called.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adversary.id003 import evening as evenings
from adversary.id003.evening import Evening
from adversary.id003.habits import Habits, check_sum, frame, habits
from adversary.id003.unit import Id003Unit, Paper, Place, State

QUICK_MS = 60_000
LONG_MS = 240_000
CABINETS = ("shared3", "slot1", "table5", "shared3")
QUICK = (("shared3", 5), ("shared3", 11), ("slot1", 13), ("slot1", 17), ("table5", 10), ("table5", 26))


@contextmanager
def evening(cabinet: str, seed: int, directory: Path, lasts_ms: int) -> Iterator[Evening]:
    made = Evening(cabinet, seed, directory, "test", lasts_ms)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.parametrize(("cabinet", "seed"), QUICK)
def test_boxes_and_books_agree_after_an_evening_of_accidents(cabinet: str, seed: int, tmp_path: Path) -> None:
    with evening(cabinet, seed, tmp_path, QUICK_MS) as made:
        result = made.run()
    assert result.problems == [], "\n".join(result.story)
    assert result.boxed
    assert result.accidents.total() > 3


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(300))
def test_boxes_and_books_agree_after_a_long_evening(seed: int, tmp_path: Path) -> None:
    with evening(CABINETS[seed % len(CABINETS)], seed, tmp_path, LONG_MS) as made:
        result = made.run()
    assert result.problems == [], "\n".join(result.story)


# ---- the opponent itself: it speaks as the protocol says, and its judge finds what is wrong


@pytest.mark.parametrize(
    ("code", "data", "text"),
    [
        (0x11, "", "FC 05 11 27 56"),
        (0x12, "", "FC 05 12 BC 64"),
        (0x13, "63", "FC 06 13 63 A2 D8"),
        (0x15, "", "FC 05 15 03 10"),
        (0x49, "A2", "FC 06 49 A2 A0 21"),
        (0xC6, "01 12", "FC 07 C6 01 12 BF 49"),
    ],
)
def test_its_frames_are_those_of_the_protocol(code: int, data: str, text: str) -> None:
    assert frame(code, bytes.fromhex(data)) == bytes.fromhex(text)


def test_its_check_sum_has_the_published_check_value() -> None:
    assert check_sum(b"123456789") == bytes((0x89, 0x21))


def pass_ms(unit: Id003Unit, from_ms: int, ms: int) -> bytes:
    return b"".join(unit.tick(at) for at in range(from_ms, from_ms + ms, 5))


def ready(quirks: Habits) -> tuple[Id003Unit, int]:
    """A unit that takes notes, and what time it is."""
    unit = Id003Unit("validator1", quirks, "1", lambda: 3)
    now_ms = 5_000
    pass_ms(unit, 0, now_ms)
    for order in (frame(0x40), frame(0xC0, b"\0\0"), frame(0xC3, b"\0")):
        unit.receive(order, now_ms)
        pass_ms(unit, now_ms, 3_000)
        now_ms += 3_000
    assert unit.state is State.READY
    return unit, now_ms


@pytest.mark.parametrize(
    ("after_ms", "code", "place"),
    [(50, 0x41, Place.PATH), (450, 0x42, Place.PATH), (800, 0x42, Place.BOX), (3_000, 0x42, Place.BOX)],
)
def test_a_power_cut_leaves_the_note_where_it_is(after_ms: int, code: int, place: Place) -> None:
    unit, now_ms = ready(Habits())
    paper = Paper(2_000, 0)
    assert unit.insert(paper, now_ms)
    pass_ms(unit, now_ms, 1_000)
    assert unit.state is State.ESCROW
    unit.receive(frame(0x42), now_ms + 1_000)
    pass_ms(unit, now_ms + 1_000, after_ms)
    now_ms += 1_000 + after_ms
    unit.power_off(now_ms)
    unit.power_on(now_ms)
    pass_ms(unit, now_ms, 1_000)
    assert paper.place is place
    unit.receive(frame(0x11), now_ms + 1_000)
    assert frame(code) in pass_ms(unit, now_ms + 1_000, 100)


def test_vend_valid_is_repeated_until_ack() -> None:
    unit, now_ms = ready(Habits())
    unit.insert(Paper(2_000, 0), now_ms)
    pass_ms(unit, now_ms, 1_000)
    unit.receive(frame(0x42), now_ms + 1_000)
    pass_ms(unit, now_ms + 1_000, 3_000)
    for again in range(5):
        unit.receive(frame(0x11), now_ms + 4_000 + again * 200)
        assert frame(0x15) in pass_ms(unit, now_ms + 4_000 + again * 200, 100)
    unit.receive(frame(0x50), now_ms + 6_000)
    pass_ms(unit, now_ms + 6_000, 400)
    assert unit.state is State.READY


def test_units_differ() -> None:
    assert len({habits(str(seed)).speed for seed in range(20)}) > 2


def judged_again(made: Evening) -> list[str]:
    made.result.problems.clear()
    made._judge()
    return made.result.problems


def test_the_judge_finds_a_lost_note_a_made_up_one_and_a_neighbours(tmp_path: Path) -> None:
    with evening("slot1", 13, tmp_path, QUICK_MS) as made:
        assert made.run().problems == []
        unit = made.units["validator1"]
        paper = next(p for p in unit.papers if p.place is Place.BOX and not p.number)
        assert judged_again(made) == []
        paper.place = Place.CUSTOMER
        assert any("not in the box" in problem for problem in judged_again(made))
        paper.place, paper.owner = Place.BOX, paper.owner + 1
        assert any("not in the books" in problem for problem in judged_again(made))
        paper.owner -= 1
        unit.papers.append(Paper(2_000, paper.owner, place=Place.BOX))
        assert any("by the meters" in problem for problem in judged_again(made))


def test_the_judge_finds_a_unit_for_which_nobody_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evenings, "active_conditions", lambda _state, _live: ())
    with evening("slot1", 5, tmp_path, 1_000) as made:
        made.world.visitors.clear()
        made._start()
        made.order(1_000, ("look",))
        made._until(10_000)
        made.world.inject("validator1.dead", 10_000)
        made._until(90_000)
    assert any("stands still" in problem for problem in made.result.problems)
