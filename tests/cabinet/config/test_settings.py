"""What a cabinet file says, as names and texts that a log can lay side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cabinet.config import file as configuration
from cabinet.config.assembly import policy_of
from cabinet.config.file import FileCopy
from cabinet.config.settings import settings_of
from cabinet.store.directory.owner import Owner


def table5() -> configuration.Config:
    return configuration.load(configuration.shipped_folder() / "cabinets" / "table5.toml")


@pytest.mark.requirement("REC-08")
def test_every_key_of_the_file_and_of_the_rule_set_is_a_setting() -> None:
    config = replace(table5(), second_copy=FileCopy(kind="file", path="/mnt/totals"))
    settings = dict(settings_of(config, "1.2"))
    assert settings["program.version"] == "1.2"
    assert settings["cabinet.large_win_cents"] == "120000"
    assert settings["cabinet.fullscreen"] == "true"
    assert settings["rules.blackjack_pays"] == '"3:2"'
    assert settings["rules.double_totals"] == "[9, 10, 11]"
    assert settings["second_copy.path"] == '"/mnt/totals"'
    assert settings["bill_validator.validator3.seats"] == "[3]"
    assert settings["ticket_printer.printer1.driver"] == '"tcl"'
    assert settings["panel.panel1.inputs.door.main"].startswith('"pinctrl-')
    assert list(settings) == sorted(settings)
    named = {name.partition(".")[2] for name in settings if name.startswith("cabinet.")}
    assert named == set(config.cabinet.__struct_fields__)


def test_board_and_second_copy_are_settings_where_they_are_known() -> None:
    settings = dict(settings_of(table5(), "1.2", owner=Owner("100000004a", "5a" * 16, 796)))
    assert (settings["memory.board"], settings["memory.second_copy"]) == ("100000004a", "5a" * 4)
    for owner in (None, Owner("", "", 796)):
        assert not any(name.startswith("memory.") for name, _ in settings_of(table5(), "1.2", owner=owner))


def test_the_policy_tells_the_file_by_its_name_and_not_by_its_path(tmp_path: Path) -> None:
    config = replace(table5(), path=tmp_path / "house" / "table5.toml")
    policy = policy_of(config, "1.2")
    assert policy.settings_from == "table5.toml"
    assert not any(str(tmp_path) in value for _, value in policy.settings)
