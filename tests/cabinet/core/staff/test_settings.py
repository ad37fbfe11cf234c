"""Settings of the cabinet: each change is told with the old and the new value, and by whose word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.facts import ConditionCleared, SettingChange, SettingsTaken
from cabinet.core.live import active_conditions, play_lock
from cabinet.core.outputs import outputs
from cabinet.core.staff import menu
from cabinet.core.staff.settings import touches_money
from cabinet.core.state import State
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import FactRefusedError
from support.evenings.evening import Evening

FILE = "table5.toml"
FIRST = (("cabinet.seats", "2"), ("cabinet.ticket_limit_cents", "10000"))


@pytest.mark.requirement("REC-08")
def test_a_new_cabinet_tells_all_its_settings_once() -> None:
    evening = Evening(seats=2, settings=FIRST, settings_from=FILE)
    assert evening.last("SettingsTaken") == SettingsTaken(
        0,
        FILE,
        (SettingChange("cabinet.seats", "", "2"), SettingChange("cabinet.ticket_limit_cents", "", "10000")),
    )
    evening.crash()
    assert len(evening.facts("SettingsTaken")) == 1
    assert evening.state.settings == dict(FIRST)


@pytest.mark.requirement("REC-08")
def test_a_changed_file_tells_what_has_changed_and_that_it_was_the_file() -> None:
    evening = Evening(seats=2, settings=FIRST, settings_from=FILE)
    evening.crash(
        settings=(("cabinet.currency", '"USD"'), ("cabinet.ticket_limit_cents", "9000")),
        settings_from="other.toml",
    )
    assert evening.last("SettingsTaken") == SettingsTaken(
        0,
        "other.toml",
        (
            SettingChange("cabinet.currency", "", '"USD"'),
            SettingChange("cabinet.seats", "2", ""),
            SettingChange("cabinet.ticket_limit_cents", "10000", "9000"),
        ),
    )
    assert evening.state.settings == {"cabinet.currency": '"USD"', "cabinet.ticket_limit_cents": "9000"}


@pytest.mark.requirement("REC-08")
def test_a_change_is_told_in_the_middle_of_a_round_too() -> None:
    evening = Evening("10H 9S 7D 10C", seats=2, settings=FIRST, settings_from=FILE)
    evening.deal(1)
    evening.crash(settings=(*FIRST, ("rules.bet_seconds", "20")))
    changes = evening.last("SettingsTaken").changes  # type: ignore[attr-defined]
    assert changes == (SettingChange("rules.bet_seconds", "", "20"),)
    assert evening.state.round_open


def test_a_setting_that_had_another_value_cannot_have_been_changed_like_that() -> None:
    state = after(State(), SettingsTaken(0, FILE, (SettingChange("a", "", "1"),)))
    with pytest.raises(FactRefusedError, match="a was not '2'"):
        after(state, SettingsTaken(0, FILE, (SettingChange("a", "2", "3"),)))


# ---- settings that touch the money


BEFORE = (("cabinet.ticket_limit_cents", "10000"), ("rules.blackjack_pays", '"3:2"'))
AFTER = (("cabinet.ticket_limit_cents", "10000"), ("rules.blackjack_pays", '"6:5"'))


def old_table() -> Evening:
    return Evening("10H 9S 7D 10C", seats=2, settings=BEFORE, settings_from=FILE)


def with_credit(evening: Evening) -> None:
    evening.insert(2, 500)


def with_a_bet(evening: Evening) -> None:
    evening.insert(2, 500)
    evening.press(2, "bet_plus")


def with_a_round(evening: Evening) -> None:
    with_a_bet(evening)
    evening.press(2, "deal")


def with_a_ticket_in_work(evening: Evening) -> None:
    evening.insert(2, 500)
    evening.press(2, "cash_out")


def with_a_hand_payment(evening: Evening) -> None:
    evening.insert(2, 600_000)
    evening.press(2, "cash_out")


@pytest.mark.requirement("MEM-09")
@pytest.mark.parametrize(
    "money", [with_credit, with_a_bet, with_a_round, with_a_ticket_in_work, with_a_hand_payment]
)
def test_what_touches_the_money_is_not_changed_while_a_seat_holds_any(
    money: Callable[[Evening], None],
) -> None:
    """The table stands still and says why; with the old file back it goes on as if nothing had been."""
    evening = old_table()
    money(evening)
    books, state = evening.state.ledger, evening.state.settings
    for _ in range(2):
        evening.crash(settings=AFTER)
        assert play_lock(evening.state, evening.live) == "M04"
        assert not any(outputs(evening.state, evening.live).accept.values())
        assert (evening.state.ledger, evening.state.settings) == (books, state)
        evening.press(2, "bet_plus", "deal", "cash_out")
        evening.advance(60_000)
        assert (evening.state.ledger, evening.state.settings) == (books, state)
    ((_, _, why),) = [
        found for found in active_conditions(evening.state, evening.live) if found[0].code == "M04"
    ]
    assert 'rules.blackjack_pays "3:2" -> "6:5"' in why
    assert "put the old file back" in why
    evening.crash(settings=BEFORE)
    assert play_lock(evening.state, evening.live) == ""
    assert evening.state.ledger.total("credit") + evening.state.ledger.total("bet") == (
        books.total("credit") + books.total("bet")
    )
    assert len(evening.facts("SettingsTaken")) == 1


@pytest.mark.requirement("MEM-09")
def test_with_empty_seats_they_wait_for_the_service_key_at_the_open_logic_area() -> None:
    evening = old_table()
    evening.crash(settings=AFTER)
    assert evening.state.settings == dict(AFTER)
    assert play_lock(evening.state, evening.live) == "H08"
    evening.crash()
    assert play_lock(evening.state, evening.live) == "H08", "over a power cut too"
    for key in ("attendant", "service"):
        evening.switch(f"key.{key}", True)
        evening.switch(f"key.{key}", False)
        assert play_lock(evening.state, evening.live) == "H08", "the key alone is not enough"
    evening.switch("door.logic", True)
    evening.switch("key.service", True)
    assert evening.last("ConditionCleared") == ConditionCleared(evening.at_ms, "H08", "", "technician")
    evening.switch("door.logic", False)
    evening.switch("key.service", False)
    assert play_lock(evening.state, evening.live) == ""


@pytest.mark.requirement("MEM-09")
@pytest.mark.parametrize(
    ("name", "touches"),
    [
        ("rules.blackjack_pays", True),
        ("rules.decks", True),
        ("rules.max_bet_cents", True),
        ("rules.bet_seconds", False),
        ("cabinet.credit_limit_cents", True),
        ("cabinet.ticket_limit_cents", True),
        ("cabinet.large_win_cents", True),
        ("cabinet.currency", True),
        ("cabinet.volume_percent", False),
        ("bill_validator.validator1.enabled_cents", True),
        ("bill_validator.validator1.currency", True),
        ("bill_validator.validator1.barcode", True),
        ("bill_validator.validator1.port", False),
        ("ticket_printer.printer1.port", False),
        ("program.version", False),
    ],
)
def test_which_settings_touch_the_money(name: str, touches: bool) -> None:
    assert touches_money(name) is touches
    evening = Evening(seats=2, settings=((name, "1"),))
    evening.insert(1, 500)
    evening.crash(settings=((name, "2"),))
    assert play_lock(evening.state, evening.live) == ("M04" if touches else "")


@pytest.mark.requirement("MEM-09")
def test_no_page_of_any_menu_changes_a_setting() -> None:
    """Every item of every page is chosen once: only the file on the medium says what the settings are."""
    for key in ("attendant", "service"):
        evening = old_table()
        evening.switch(f"key.{key}", True)
        seen: set[tuple[str, ...]] = set()
        _walk_all(evening, seen)
        assert len(seen) >= (2 if key == "attendant" else 8)
        assert evening.state.settings == dict(BEFORE)
        assert len(evening.facts("SettingsTaken")) == len(evening.facts("RulesTaken")) == 1


def _walk_all(evening: Evening, seen: set[tuple[str, ...]]) -> None:
    page = menu.path(evening.live)
    seen.add(page)
    for item in menu.items(evening.state, evening.live):
        if item.does == ("back",) or (*page, item.opens) in seen:
            continue
        evening.walk(item.label)
        if item.opens:
            _walk_all(evening, seen)
            evening.press(1, "cash_out")
