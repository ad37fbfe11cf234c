"""TCL printers that were made from their protocol alone: the unit by itself, and evenings with it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from adversary.tcl_evening import evening
from adversary.tcl_unit import Habits, TclUnit, habits

ORDER = (
    b"^P|0|1|00-5671-4085-4797-7327|DEMO CASINO|1 TEST STREET|RENO NV 00000|CASHOUT TICKET|VALIDATION|"
    b"00-5671-4085-4797-7327|11/29/2026|23:40:00|TICKET # 0045|EIGHTY FIVE DOLLARS AND TWO CENTS| |$85.02||"
    b"30 days|MACHINE# 0003-031|005671408547977327|^"
)
STEADY = Habits(start_ms=(3_000, 3_000), print_ms=(5_000, 5_000))


def answers(unit: TclUnit, from_ms: int, to_ms: int, says: Iterable[tuple[int, bytes]] = ()) -> list[bytes]:
    """What the unit says while it is told these things."""
    due, out = sorted(says), []
    for now_ms in range(from_ms, to_ms):
        while due and due[0][0] <= now_ms:
            unit.receive(due.pop(0)[1], now_ms)
        if said := unit.tick(now_ms):
            out.append(said)
    return out


def flags(frame: bytes) -> str:
    """F1, F3 and F5 as hexadecimal digits: the bytes at their places, whatever they are."""
    at = frame.index(b"|", frame.index(b"|", 3) + 1) + 1
    return "/".join(f"{frame[at + 2 * place]:02X}" for place in (0, 2, 4))


def test_the_unit_prints_as_the_protocol_tells() -> None:
    unit = TclUnit("p", STEADY, "1")
    asked = [(ms, b"^Se|^") for ms in range(400, 12_000, 200)]
    said = answers(unit, 0, 12_000, [(100, b"^C|^"), (300, ORDER), *asked])
    seen = list(dict.fromkeys(flags(frame) for frame in said))
    assert seen == ["40/40/40", "60/40/40", "60/40/60", "60/48/60", "40/48/60"]
    assert said[-1].endswith(b"|P0|*")
    assert [(p.number, p.cents, p.whole, p.consistent) for p in unit.papers] == [
        ("005671408547977327", 8502, True, True)
    ]


def test_the_bit_of_the_last_ticket_stays_through_the_start_gap() -> None:
    unit = TclUnit("p", STEADY, "1")
    answers(unit, 0, 10_000, [(300, ORDER)])
    unit.take()
    said = answers(unit, 10_000, 12_000, [(10_000, ORDER), (11_500, b"^Se|^")])
    assert [flags(frame) for frame in said] == ["40/40/61"]


def test_a_door_that_opens_on_the_last_sheet_gives_a_flag_that_looks_like_a_separator() -> None:
    unit = TclUnit("p", STEADY, "1")
    answers(unit, 0, 5_000, [(100, b"^C|^"), (300, ORDER)])
    unit.sensors.head_up = unit.sensors.paper_out = unit.sensors.drawer = True
    (said,) = answers(unit, 5_000, 5_200, [(5_000, b"^Se|^")])
    assert said[len(b"*S|0|GURUSAG18|") :].startswith(b"||@|@|@|D|P")


def test_an_order_with_a_barcode_of_seventeen_digits_is_refused_and_never_printed() -> None:
    unit = TclUnit("p", STEADY, "1")
    short = ORDER.replace(b"|005671408547977327|", b"|00567140854797732|")
    said = answers(unit, 0, 20_000, [(300, short), (19_000, b"^Se|^")])
    assert not unit.papers
    assert said[-1].startswith(b"*S|0|GURUSAG18|P|H|")


def test_an_order_that_stops_half_way_is_no_order() -> None:
    unit = TclUnit("p", STEADY, "1")
    said = answers(unit, 0, 20_000, [(300, ORDER[:150]), (19_000, b"^Se|^")])
    assert not unit.papers
    assert flags(said[-1]) == "50/60/41"


def test_power_lost_in_a_ticket_leaves_a_scrap_and_the_power_up_flag() -> None:
    unit = TclUnit("p", STEADY, "1")
    answers(unit, 0, 6_000, [(100, b"^C|^"), (300, ORDER)])
    unit.power_off(6_000)
    unit.power_on(7_000)
    (said,) = answers(unit, 7_000, 30_000, [(20_000, b"^Se|^")])
    assert [paper.whole for paper in unit.papers] == [False]
    assert said.split(b"|")[-3:] == [b"A", b"P ", b"*"]


def test_units_differ() -> None:
    made = [habits(random.Random(seed)) for seed in range(200)]
    assert len({(h.start_ms, h.holds, h.keeps_job, h.waits_for_chute) for h in made}) > 20


@pytest.mark.parametrize("seed", [0, 1, 3, 6, 9, 12])
def test_a_short_evening_leaves_no_paper_and_no_cent_unexplained(seed: int, tmp_path: Path) -> None:
    report = evening(seed, tmp_path, minutes=2, accidents=4)
    assert not report.problems, "\n".join(report.story)
    assert report.papers or report.handpaid_cents


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(300))
def test_an_evening_of_accidents_leaves_no_paper_and_no_cent_unexplained(seed: int, tmp_path: Path) -> None:
    report = evening(seed, tmp_path, minutes=4, accidents=8)
    assert not report.problems, "\n".join(report.story)
