"""Drivers are found by name, and a wrong table is told key by key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import drivers.bill_validator
from drivers import registry
from drivers.link import Link, SerialSettings
from drivers.registry import Io, OptionsError
from drivers.tables import Wrong

DRIVER = """
from typing import Annotated

from msgspec import Meta

from drivers.tables import TableModel


class Options(TableModel, frozen=True, kw_only=True):
    port: Annotated[str, Meta(pattern="^/", description="an absolute path")]
    baud: Annotated[int, Meta(ge=1200)] = 9600


def create(name, options, io):
    return name, options, io
"""


def open_nothing(settings: SerialSettings) -> Link:
    raise AssertionError("a driver opens nothing before its first tick")


def no_bank() -> object:
    raise AssertionError("no lines here")


IO = Io(open_nothing, no_bank)  # type: ignore[arg-type]


@pytest.fixture
def extra_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A second folder of validator drivers, with one driver and one helper."""
    (tmp_path / "another.py").write_text(DRIVER)
    (tmp_path / "another_codec.py").write_text("FRAME = b''\n")
    monkeypatch.setattr(drivers.bill_validator, "__path__", [*drivers.bill_validator.__path__, str(tmp_path)])
    return tmp_path


def test_a_file_in_the_folder_is_a_driver(extra_folder: Path) -> None:
    assert {"another", "id003"} <= set(registry.drivers_of("bill_validator"))
    assert "another_codec" not in registry.drivers_of("bill_validator")
    made: Any = registry.make("bill_validator", "another", "v1", {"port": "/dev/x"}, IO)
    name, options, io = made
    assert name == "v1"
    assert options.baud == 9600
    assert io is IO


def test_helpers_of_id003_are_no_drivers() -> None:
    assert [name for name in registry.drivers_of("bill_validator") if name.startswith("id003")] == ["id003"]


def test_an_unknown_driver_is_answered_with_those_that_exist(extra_folder: Path) -> None:
    for name in ("ccnet", "another_codec", "../device", "Id003", ""):
        (row,) = registry.check("bill_validator", name, {})
        assert row.key == "driver"
        assert row.found == f'"{name}"'
        assert "another" in row.allowed
        assert "id003" in row.allowed


def test_an_unknown_kind_is_answered_with_the_kinds() -> None:
    (row,) = registry.check("hopper", "id003", {})
    assert row == Wrong(("kind",), '"hopper"', "one of bill_validator, ticket_printer, panel")


def test_every_wrong_key_is_told_with_what_is_allowed(extra_folder: Path) -> None:
    assert registry.check("bill_validator", "another", {"port": "/dev/x"}) == []
    rows = registry.check("bill_validator", "another", {"baud": 300, "parity": "E"})
    told = {row.key: row for row in rows}
    assert told["port"].found == "nothing"
    assert told["port"].allowed == "an absolute path"
    assert told["baud"] == Wrong(("baud",), "300", "a whole number, 1200 or more")
    assert told["parity"] == Wrong(("parity",), "an unknown key", "one of baud, port")
    (row,) = registry.check("bill_validator", "another", {"port": "tty"})
    assert row == Wrong(("port",), '"tty"', "an absolute path")


def test_make_refuses_with_the_same_rows() -> None:
    options = {"port": "/dev/x", "poll_ms": 5}
    with pytest.raises(OptionsError, match="poll_ms: found 5") as caught:
        registry.make("bill_validator", "id003", "v1", options, IO)
    assert caught.value.rows == registry.check("bill_validator", "id003", options)


def test_lists_inside_a_table_are_located() -> None:
    options = {"port": "/dev/x", "enabled_cents": [100, -5]}
    (row,) = registry.check("bill_validator", "id003", options)
    assert row.key == "enabled_cents.1"


def test_a_driver_whose_library_is_missing_says_so(extra_folder: Path) -> None:
    (extra_folder / "broken.py").write_text("import a_library_that_nobody_has\n")
    with pytest.raises(ModuleNotFoundError, match="a_library_that_nobody_has"):
        registry.check("bill_validator", "broken", {})
