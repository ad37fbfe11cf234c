"""Settings of the cabinet: each change is told with the old and the new value, and by whose word."""

from __future__ import annotations

import pytest

from cabinet.core.facts import SettingChange, SettingsTaken
from cabinet.core.fold import after
from cabinet.core.ledger import RefusedError
from cabinet.core.state import State
from support.evening import Evening

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
    assert evening.state.live


def test_a_setting_that_had_another_value_cannot_have_been_changed_like_that() -> None:
    state = after(State(), SettingsTaken(0, FILE, (SettingChange("a", "", "1"),)))
    with pytest.raises(RefusedError, match="a was not '2'"):
        after(state, SettingsTaken(0, FILE, (SettingChange("a", "2", "3"),)))
