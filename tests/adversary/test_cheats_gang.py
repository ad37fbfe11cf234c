"""Some seats against another one: every cabinet, the shipped program and drivers, random hostile hands.

Buttons, notes, tickets and their copies, guessed numbers, several seats in one step, jams, pulled paper,
doors, dead units, killed programs, from one millisecond to some seconds apart. Afterwards the staff puts
everything right, and each seat must own exactly what it brought, won and lost: nobody has a cent of another.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cabinet.core.money import binding
from cabinet.core.turn import Turn
from support.evenings.gang import Gang

CABINETS = ("table5", "shared3", "shared3+", "receipt3", "receipt3+", "slot1")
QUICK = 2
MANY = 150
ACTS = 80


def evening(directory: Path, cabinet: str, seed: int, acts: int = ACTS) -> list[str]:
    gang = Gang(directory, cabinet, seed)
    try:
        return gang.evening(acts)
    finally:
        gang.close()


@pytest.mark.parametrize("seed", range(QUICK))
@pytest.mark.parametrize("cabinet", CABINETS)
def test_nobody_owns_what_another_has_brought(cabinet: str, seed: int, tmp_path: Path) -> None:
    assert evening(tmp_path, cabinet, seed) == []


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(QUICK, MANY))
@pytest.mark.parametrize("cabinet", CABINETS)
def test_many_evenings_of_a_gang(cabinet: str, seed: int, tmp_path: Path) -> None:
    assert evening(tmp_path, cabinet, seed, acts=150) == []


# ---- one thing happens, and at every moment of its life somebody does something

SEATS_PRESS = ("buy_in", "cash_out", "deal")


def pushed(gang: Gang, number: str) -> None:
    """The validator takes what seat 1 puts in, as soon as it is open."""
    for _ in range(50):
        if gang.push(1, 2_000, number):
            return
        gang.wait(100)
    raise AssertionError("it does not open")


def moment(gang: Gang, thing: str, offset_ms: int, hand: str) -> list[str]:
    """Seat 1 puts in a note or a ticket, or cashes out, to paper or by hand; `offset_ms` later comes the hand
    of seat 2."""
    gang.wait(4_000)
    number = ""
    gang.press(1, "buy_in")
    assert gang.until(lambda: gang.mine(1), 9_000)
    if thing != "note":
        assert gang.push(1, 2_000)
        gang.wait(6_000)
    if thing == "ticket":
        gang.press(1, "cash_out")
        gang.wait(9_000)
        gang.world.take(gang.printer_of(1), gang.now_ms)
        number = gang.own_number(1)
        assert number
        gang.press(1, "buy_in")
        assert gang.until(lambda: gang.mine(1), 9_000)
    if thing == "hand_payment":
        gang.world.inject(f"{gang.printer_of(1)}.paper_out", gang.now_ms)
    if thing in ("cash_out", "hand_payment"):
        gang.press(1, "cash_out")
    else:
        pushed(gang, number)
    gang.wait(offset_ms)
    match hand:
        case "all_buy_in":
            for seat in range(1, gang.seats + 1):
                gang.press(seat, "buy_in")
        case "owner_cashes_out":
            gang.press(1, "cash_out")
        case "killed":
            gang.kill(lose_bytes=offset_ms % 2 == 0)
            gang.press(2, "buy_in")
        case "copy":
            gang.press(2, "buy_in")
            gang.until(lambda: gang.mine(2), 9_000)
            if number:
                gang.push(2, 0, number)
        case "key":
            gang.world.turn("key.attendant", True, gang.now_ms)
            for button in ("deal", "bet_plus", "deal", "cash_out"):
                gang.press(2, button)
                gang.press(1, button)
                gang.wait(130)
            gang.world.turn("key.attendant", False, gang.now_ms)
        case _:
            gang.press(2, hand)
    gang.wait(4_000)
    return gang.settled()


HANDS = (*SEATS_PRESS, "all_buy_in", "owner_cashes_out", "killed", "copy", "key")
THINGS = ("note", "ticket", "cash_out", "hand_payment")


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("hand", HANDS)
def test_a_hand_of_another_seat_in_the_middle(thing: str, hand: str, tmp_path: Path) -> None:
    offset_ms = 150 + 170 * (HANDS.index(hand) * len(THINGS) + THINGS.index(thing)) % 1_900
    gang = Gang(tmp_path, "shared3+", offset_ms)
    assert moment(gang, thing, offset_ms, hand) == []
    gang.close()


@pytest.mark.campaign
@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("hand", HANDS)
def test_a_hand_of_another_seat_at_every_moment(thing: str, hand: str, tmp_path: Path) -> None:
    """Every millisecond of five seconds, each with habits of its own: an hour and a half of one processor
    for all, if `--basetemp` is in memory."""
    for offset_ms in range(5_000):
        gang = Gang(tmp_path / "state", "shared3+", offset_ms)
        assert moment(gang, thing, offset_ms, hand) == [], offset_ms
        gang.close()
        shutil.rmtree(tmp_path / "state")


# ---- programs that err are found out


def test_a_validator_that_is_bound_at_once_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_once(turn: Turn, seat: int) -> None:
        binding._bound(turn, turn.policy.validator_of(seat), seat)

    monkeypatch.setattr(binding, "bind", at_once)
    found = []
    for offset_ms in (5, 20, 40, 60, 90, 120):
        gang = Gang(tmp_path / str(offset_ms), "shared3", offset_ms)
        found += moment(gang, "note", offset_ms, "buy_in")
        gang.close()
    assert any("owns" in what for what in found)
