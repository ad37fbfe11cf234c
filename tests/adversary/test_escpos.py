"""The receipt cabinet against a printer that shares no code with the program or with the lab's simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from adversary.escpos.accidents import PRINTER
from adversary.escpos.evening import AdversaryWorld, Evening, Story
from adversary.escpos.habits import Habits
from adversary.escpos.paper import Piece, Row, read_itf
from adversary.escpos.unit import EscPosUnit

EVENINGS = 300
QUICK_MS = 40_000


def told(story: Story) -> str:
    return "\n".join([f"seed {story.seed}, line {story.line}, {story.unit}", *story.told, *story.problems])


def run(unit: EscPosUnit, data: bytes, until_ms: int = 20_000) -> bytes:
    """Everything that it answers to bytes which arrive once it is on."""
    said = b""
    for now_ms in range(0, until_ms, 5):
        if now_ms == 10_000:
            unit.receive(data, now_ms)
        said += unit.tick(now_ms)
    return said


def a_unit(**habits: object) -> EscPosUnit:
    return EscPosUnit(Habits(**habits), xonxoff=False)  # type: ignore[arg-type]


# ---- the unit keeps to the public facts


@pytest.mark.parametrize(
    ("trouble", "bytes_of_four"),
    [
        ("", "12 12 12 12"),
        ("paper", "1a 32 12 7e"),
        ("cover", "1a 16 12 12"),
        ("off-line", "1a 12 12 12"),
    ],
)
def test_the_unit_answers_in_real_time_as_printers_do(trouble: str, bytes_of_four: str) -> None:
    unit = a_unit()
    if trouble == "paper":
        unit.end_paper(0)
    elif trouble == "cover":
        unit.open_cover(0)
    elif trouble:
        unit.break_down(0, "refuses")
    said = run(unit, b"\x1dr\x01" + b"".join(b"\x10\x04%c" % n for n in (1, 2, 3, 4)))
    in_order = b"" if trouble else b"\x00"  # off-line only questions in real time are answered
    assert sorted(said) == sorted(bytes.fromhex(bytes_of_four) + in_order)


def test_the_marker_is_answered_when_the_paper_is_out_and_a_stuck_job_comes_later() -> None:
    unit = a_unit(mm_a_s=40)
    job = b"\x1b@" + b"A LINE\n" * 40 + b"\x1dVB\x00\x1dr\x01"
    unit.tick(5_000)
    unit.receive(job, 5_001)
    said = b"".join(unit.tick(ms) for ms in range(5_001, 6_000, 5))
    assert said == b""
    assert unit.holds
    unit.end_paper(6_000)
    assert b"".join(unit.tick(ms) for ms in range(6_000, 30_000, 50)) == b""
    unit.mend(30_000)
    assert b"".join(unit.tick(ms) for ms in range(30_000, 60_000, 50)) == b"\x00"
    assert len(unit.pieces) == 2  # one part on either roll


def test_the_unit_reads_bars_that_are_drawn() -> None:
    wide, digits = {"n": 1, "w": 3}, {"0": "nnwwn", "5": "wnwnn"}
    runs = "nnnn" + "".join(a + b for a, b in zip(digits["0"], digits["5"], strict=True)) + "wnn"
    dots = "".join(("1", "0")[at % 2] * wide[run] for at, run in enumerate(runs))
    dots = f"00000000{dots}" + "0" * (-len(dots) % 8)
    assert read_itf(int(dots, 2).to_bytes(len(dots) // 8)) == "05"


# ---- the books


@pytest.mark.parametrize("seed", [1, 2])
def test_a_unit_that_keeps_to_every_rule_gets_each_ticket_told_printed(seed: int, tmp_path: Path) -> None:
    story = Evening(seed, tmp_path, healthy=True, ms=QUICK_MS).run()
    assert not story.problems, told(story)
    assert story.tickets > 0
    assert (story.unknown, story.early, story.by_hand) == (0, 0, 0), told(story)


@pytest.mark.parametrize("seed", [3, 7, 11, 15])
def test_an_evening_with_accidents(seed: int, tmp_path: Path) -> None:
    story = Evening(seed, tmp_path, healthy=False, ms=QUICK_MS).run()
    assert not story.problems, told(story)


def test_paper_that_contradicts_the_books_is_found(tmp_path: Path) -> None:
    evening = Evening(2, tmp_path, healthy=True, ms=80_000)
    evening.start()
    evening.until(80_000)
    whole = [piece for piece in evening.unit.pieces if piece.whole]
    evening.unit.pieces.append(Piece(99, list(whole[0].rows)))
    evening.unit.pieces.remove(whole[-1])
    forged = [Row("row", 99, row.text.replace("$", "$9"), row.digits) for row in whole[0].rows]
    evening.unit.pieces.append(Piece(98, forged))
    evening.judge()
    found = "\n".join(evening.story.problems)
    for words in ("on 3 whole papers", "is on no paper", "the paper says"):
        assert words in found
    evening.world.close()


@pytest.mark.parametrize("lies", [False, True])
def test_an_attendant_who_lies_about_half_a_ticket_is_found(
    lies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unit loses its power while it prints, and with it what it had not printed."""
    evening = Evening(2, tmp_path, healthy=True, ms=QUICK_MS)
    evening.after_order(1_500, "dark", lambda: evening.world.darken(PRINTER, evening.now_ms, lose_bytes=True))
    evening.after_order(0, "light", lambda: evening.world.light(PRINTER, evening.now_ms))
    if lies:
        monkeypatch.setattr(AdversaryWorld, "in_tray", lambda *_: True)
    story = evening.run()
    assert story.unknown == 1, told(story)
    assert any("is on no paper" in problem for problem in story.problems) == lies, told(story)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(EVENINGS))
def test_three_hundred_evenings(seed: int, tmp_path: Path) -> None:
    """Every fourth unit is a healthy one, of any speed on any line."""
    story = Evening(seed, tmp_path, healthy=seed % 4 == 0).run()
    assert not story.problems, told(story)
    assert seed % 4 or (story.unknown, story.early) == (0, 0), told(story)
