"""What each key of the lab does to the machines, and through them to the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cabinet.core.options import MENU_AFTER_MS
from cabinet.core.staff.menu import path
from cabinet.lab import report, table
from cabinet.lab.deck.controls import FAULT_ROWS, KEYS, SOME_TICKET, Action, Tab
from cabinet.lab.table import LabOptions
from drivers.sim.validator.path import PathState as Path003
from support.evenings.desk import START_MS, Desk

Sit = Callable[..., Desk]


@pytest.fixture
def sit(tmp_path: Path) -> Iterator[Sit]:
    """A desk that is ready to play; keywords are the lab's options."""
    desks: list[Desk] = []

    def make(**options: object) -> Desk:
        chosen: dict[str, object] = {"virtual": True, "wire": "memory", **options}
        desk = Desk(tmp_path / str(len(desks)), LabOptions(**chosen))  # type: ignore[arg-type]
        desks.append(desk)
        desk.wait(START_MS)
        return desk

    yield make
    for desk in desks:
        if not desk.table.runtime.stopped:
            desk.close()


# ---- buttons


@pytest.mark.parametrize(
    ("key", "button"),
    [
        ("h", "hit"), ("s", "stand"), ("d", "double"), ("p", "split"), ("up", "bet_plus"),
        ("down", "bet_minus"), ("return", "deal"), ("enter", "deal"), ("c", "cash_out"), ("f1", "help"),
        ("b", "buy_in"),
    ],
)  # fmt: skip
def test_a_key_holds_the_button_of_the_chosen_seat_as_long_as_it_is_down(
    sit: Sit, key: str, button: str
) -> None:
    desk = sit(cabinet="shared3")
    desk.tap("2")
    desk.controls.key(key, True, desk.now_ms)
    desk.wait(500)
    held = [name for name in desk.controls.contacts if desk.controls.panel.active(name)]
    assert held == [f"seat2.{button}"]
    assert desk.live.inputs.get(f"seat2.{button}")
    desk.controls.key(key, False, desk.now_ms)
    desk.wait(100)
    assert not desk.controls.panel.active(f"seat2.{button}")
    assert not desk.live.inputs.get(f"seat2.{button}")


def test_a_click_that_is_over_within_a_turn_is_still_a_press(sit: Sit) -> None:
    desk = sit()
    desk.pay_in("4")
    desk.tap("up")
    assert desk.state.bet(1) == 500


def test_two_quick_taps_are_two_presses(sit: Sit) -> None:
    desk = sit()
    desk.pay_in("4")
    for down in (True, False, True, False):
        desk.controls.key("up", down, desk.now_ms)
    desk.wait(400)
    assert desk.state.bet(1) == 1_000


def test_a_press_is_debounced_like_any_other(sit: Sit) -> None:
    desk = sit()
    desk.pay_in("5")
    desk.controls.do(("fault", "panel.bouncing"), desk.now_ms)
    desk.tap("up", "up", "up")
    assert desk.state.bet(1) == 1_500


def test_a_button_that_the_cabinet_does_not_have_is_said(sit: Sit) -> None:
    desk = sit()
    desk.tap("b")
    assert desk.controls.said == "this cabinet has no seat1.buy_in"


def test_a_figure_chooses_a_seat_that_there_is(sit: Sit) -> None:
    desk = sit()
    desk.tap("3")
    assert (desk.controls.seat, desk.controls.validator, desk.controls.printer) == (
        3,
        "validator3",
        "printer3",
    )
    desk.tap("6", "0")
    assert desk.controls.seat == 3
    desk.tap("[4]")
    assert desk.controls.seat == 4


def test_a_round_is_played_with_keys_alone(sit: Sit) -> None:
    desk = sit(cards="10H 6S 10D 5C")
    desk.pay_in("4")
    desk.tap("up", "up", "return")
    desk.until(lambda: bool(desk.state.deciding()))
    desk.wait(1_500)
    desk.tap("h")
    desk.until(lambda: not desk.state.round_open)
    assert desk.state.round is not None
    assert desk.state.credit(1) == 3_000


# ---- papers


@pytest.mark.parametrize(
    ("place", "cents"), [(1, 100), (2, 500), (3, 1_000), (4, 2_000), (5, 5_000), (6, 10_000)]
)
def test_n_and_a_figure_put_in_a_note(sit: Sit, place: int, cents: int) -> None:
    desk = sit()
    desk.tap("2")
    desk.pay_in(str(place))
    assert desk.state.credit(2) == cents
    assert [paper.cents for paper in desk.validator.cash_box] == [cents]
    assert desk.controls.said == f"${cents // 100} goes into validator2"
    assert desk.controls.seat == 2


@pytest.mark.parametrize("figure", ["7", "8"])
def test_a_foreign_note_and_a_ticket_come_back(sit: Sit, figure: str) -> None:
    desk = sit()
    desk.pay_in(figure)
    assert len(desk.validator.path.returned) == 1
    assert desk.state.credit(1) == 0
    assert desk.state.notes == ()


def inside(desk: Desk) -> str:
    """The number of the ticket in the chosen seat's validator."""
    paper = desk.validator.path.paper
    return "" if paper is None else paper.digits


def test_the_ticket_that_is_put_in_is_the_one_that_was_printed(sit: Sit) -> None:
    desk = sit()
    desk.tap("n", "8")
    assert inside(desk) == SOME_TICKET
    desk.wait(3_000)
    desk.pay_in("5")
    desk.tap("c")
    desk.until(lambda: desk.printer.printed_count == 1)
    desk.tap("t", "n", "8")
    assert inside(desk) == desk.printer.tray[0].text.validation


def test_a_validator_that_takes_nothing_is_told_apart(sit: Sit) -> None:
    desk = sit(cabinet="shared3")  # nobody has pressed BUY IN
    desk.tap("n", "4")
    assert desk.controls.said == "validator1 does not take $20"
    assert not desk.validator.busy


def test_the_choice_of_a_paper_can_be_left(sit: Sit) -> None:
    desk = sit()

    def choosing_after(*keys: str) -> bool:
        desk.tap(*keys)
        return desk.controls.choosing

    assert choosing_after("n")
    assert choosing_after("9")  # no such paper: still choosing
    assert not choosing_after("escape")
    assert not choosing_after("n", "n")
    assert not choosing_after("n", "h")  # anything else ends it too
    assert not desk.validator.busy
    assert len(desk.controls.papers) == 8


def test_t_takes_what_stands_in_the_chute(sit: Sit) -> None:
    desk = sit()
    desk.tap("t")
    assert desk.controls.said == "nothing stands in the chute of printer1"
    desk.pay_in("4")
    desk.tap("c")
    desk.until(lambda: desk.printer.path.chute_occupied)
    desk.tap("t")
    assert desk.controls.said == "printer1 still holds the paper"
    desk.until(lambda: desk.printer.printed_count == 1)
    desk.tap("t")
    assert desk.controls.said == "the ticket of printer1 is taken"
    assert not desk.printer.path.chute_occupied
    assert desk.printer.printed_cents == 2_000


# ---- doors and keys


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("o", "door.main"),
        ("l", "door.logic"),
        ("x", "door.cash_box"),
        ("v", "door.drop"),
        ("a", "key.attendant"),
        ("k", "key.service"),
    ],
)
def test_a_door_or_key_stays_as_it_is_put(sit: Sit, key: str, name: str) -> None:
    desk = sit()
    desk.tap(key)
    desk.wait(1_000)
    assert desk.controls.panel.active(name)
    assert desk.live.inputs[name]
    desk.tap(key)
    assert not desk.controls.panel.active(name)
    assert not desk.live.inputs[name]


def test_an_open_door_stops_the_table_until_it_is_shut(sit: Sit) -> None:
    desk = sit()
    desk.tap("o")
    assert desk.state.frozen == "D01"
    assert desk.controls.said == "door.main opened"
    desk.tap("o")
    assert desk.state.frozen == ""
    assert desk.controls.said == "door.main closed"


def test_in_a_menu_arrows_go_where_they_point(sit: Sit) -> None:
    desk = sit()
    desk.tap("k")
    desk.wait(MENU_AFTER_MS)
    desk.tap("down", "down", "up")
    assert desk.live.cursor == 1
    desk.tap("down", "return")
    assert path(desk.live) == ("service", "meters")
    desk.tap("escape")
    assert path(desk.live) == ("service",)
    desk.tap("k")
    desk.pay_in("4")
    desk.tap("up")
    assert desk.state.bet(1) == 500


# ---- faults


def test_every_fault_is_on_one_page_of_one_tab(sit: Sit) -> None:
    desk = sit(cabinet="shared3")
    seen: list[str] = []
    for _ in Tab:
        for _ in range(desk.controls.pages):
            assert len(desk.controls.listed()) <= FAULT_ROWS
            seen += desk.controls.listed()
            desk.tap("page down")
        assert desk.controls.page == 0  # round and round
        desk.tap("tab")
    assert sorted(seen) == sorted(desk.table.world.faults())


def test_the_page_stays_on_the_list_when_another_seat_is_chosen(sit: Sit) -> None:
    desk = sit()
    desk.tap("page up")
    last = desk.controls.page
    assert last == desk.controls.pages - 1
    desk.tap("2")
    assert desk.controls.listed()
    assert all(name.startswith("validator2.") for name in desk.controls.listed())


def test_every_fault_happens_when_it_is_asked_for(sit: Sit) -> None:
    desk = sit(cabinet="slot1")
    for name, what in desk.table.world.faults().items():
        desk.controls.do(("fault", name), desk.now_ms)
        assert desk.controls.said == f"{name}: {what}"
        desk.wait(50)
    assert desk.state.conditions


def test_a_jam_is_put_right_by_hands_and_a_key(sit: Sit) -> None:
    desk = sit()
    desk.tap("n", "4")
    desk.controls.do(("fault", "validator1.jam_acceptor"), desk.now_ms)
    desk.wait(1_000)
    assert ("B01", "validator1") in desk.state.conditions
    desk.controls.do(("fault", "validator1.jam_cleared"), desk.now_ms)
    desk.tap("a")
    desk.wait(3_000)
    desk.tap("a")
    desk.wait(1_000)
    assert desk.state.conditions == ()
    assert desk.validator.path.state is Path003.IDLE
    desk.pay_in("4")
    assert desk.state.credit(1) == 2_000


@pytest.mark.parametrize(
    ("fault", "tab"),
    [("validator1.unplug", "validator"), ("printer1.silent", "printer"), ("panel.stuck_button", "panel")],
)
def test_m_puts_the_device_of_the_tab_right(sit: Sit, fault: str, tab: str) -> None:
    desk = sit()
    desk.controls.do(("tab", tab), desk.now_ms)
    desk.controls.do(("fault", fault), desk.now_ms)
    desk.wait(70_000 if tab == "panel" else 12_000)
    troubles = [said.faults for said in desk.live.devices.values() if said.faults]
    assert troubles
    desk.tap("m")
    desk.wait(12_000)
    assert [said.faults for said in desk.live.devices.values() if said.faults] == []


# ---- the end


def test_q_ends_between_rounds_and_a_second_q_now(sit: Sit) -> None:
    desk = sit()
    desk.pay_in("4")
    desk.tap("up", "return")
    desk.until(lambda: desk.state.round_open)
    desk.tap("q")
    desk.wait(2_000)
    assert desk.state.round_open
    assert not desk.over
    desk.tap("q")
    assert desk.over


def test_an_evening_ends_by_itself_when_its_round_is_over(sit: Sit) -> None:
    desk = sit(cards="10H 9S 10D")
    desk.pay_in("4")
    desk.tap("up", "return")
    desk.until(lambda: desk.state.round_open)
    desk.tap("q")
    desk.until(lambda: bool(desk.state.deciding()))
    desk.wait(1_500)
    desk.tap("s")
    desk.until(lambda: desk.over)
    assert not desk.state.round_open
    assert desk.table.rounds == 1


def test_an_evening_does_not_end_while_a_ticket_is_printed(sit: Sit) -> None:
    desk = sit()
    desk.pay_in("4")
    desk.tap("c", "q")
    desk.wait(500)
    assert desk.state.tickets
    assert not desk.over
    desk.until(lambda: desk.over)
    assert desk.printer.printed_cents == 2_000


def test_a_continued_evening_says_so_and_its_books_are_right(sit: Sit, tmp_path: Path) -> None:
    first = sit(state=tmp_path / "state", cards="10H 9S 10D")
    assert table.welcome(first.table) == ""
    first.pay_in("5")
    first.tap("up", "return")
    first.until(lambda: bool(first.state.deciding()))
    first.wait(1_500)
    first.tap("q", "q")  # in the middle of the round
    first.close()
    second = sit(state=tmp_path / "state")
    told = table.welcome(second.table)
    assert told == f"{tmp_path / 'state'}: session 2 goes on in round 1, with 50.00 at the seats"
    second.pay_in("4")
    second.tap("q")
    second.until(lambda: second.over)  # the round comes back and times out
    second.close()
    runtime = second.table.runtime
    made = report.make(
        runtime.state, "", second.table.world, 0, 0, read_images=False, before=runtime.restored.state
    )
    assert made.problems == []
    assert (made.rounds, made.notes_in_cents, made.opening_credit_cents) == (0, 2_000, 5_000)


def test_no_two_keys_mean_the_same_except_the_two_enters() -> None:
    meanings: dict[Action, list[str]] = {}
    for key, action in KEYS.items():
        meanings.setdefault(action, []).append(key)
    assert [keys for keys in meanings.values() if len(keys) > 1] == [["return", "enter"]]
    assert not any(key.isdecimal() for key in KEYS)
