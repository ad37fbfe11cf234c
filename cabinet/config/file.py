"""The cabinet file: who the cabinet is, its policy, its devices and the rule set that it names.

One TOML file describes one cabinet. It has a table ``[cabinet]``, one table for each device
(``[bill_validator.NAME]``, ``[ticket_printer.NAME]``, ``[panel.NAME]``) and, if there is a second
medium, ``[second_copy]``. The rule set is named, never given by path: ``rules = "standard"`` is
``rules/standard.toml`` beside the cabinet file or among the rule sets that come with the program.

Reading is strict. A key that nobody reads is a mistake (a misspelt limit must not silently become
the default), and every mistake of the files is reported at once (`ConfigError`).

The strategy chart is found by the odds of the rule set (`cabinet.config.chart_file`): in ``charts/`` beside
the cabinet file, else among those that come with the program. There may be none: then nobody is advised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cabinet.config import chart_file
from cabinet.config.chart_file import ChartFile
from cabinet.config.checks import check_currency, check_devices, check_policy, check_pulse, check_words
from cabinet.config.problems import (
    TOP,
    ConfigError,
    Problem,
    UnreadableError,
    of_table,
    read_toml,
)
from cabinet.config.tables import Cabinet, DeviceKind, DeviceTable, FileCopy, FramCopy
from drivers import registry
from drivers.tables import did_you_mean, read, shown
from game.rules import Rules, RulesError

__all__ = [
    "Cabinet",
    "Config",
    "ConfigError",
    "DeviceKind",
    "DeviceTable",
    "FileCopy",
    "FramCopy",
    "Problem",
    "load",
]


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that the cabinet file and its rule set say. ``devices`` in the order in which they
    are read in every step: validators, printers, panels, each in the order of the file."""

    path: Path
    cabinet: Cabinet
    rules: Rules
    rules_path: Path
    devices: tuple[DeviceTable, ...]
    second_copy: FileCopy | FramCopy | None
    advice: ChartFile | None = None  # the strategy chart of these rules

    def of_kind(self, kind: DeviceKind) -> tuple[DeviceTable, ...]:
        return tuple(device for device in self.devices if device.kind is kind)

    def serving(self, kind: DeviceKind, seat: int) -> DeviceTable:
        """The one validator or printer of a seat."""
        return next(device for device in self.of_kind(kind) if seat in device.seats)


def shipped_folder() -> Path:
    """Where the rule sets that come with the program are: inside the installed package, or in the
    source tree."""
    packaged = Path(__file__).parents[1] / "shipped"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "config"


CheckCopy = Callable[[str, FileCopy | FramCopy | None], Iterable[Problem]]


def load(path: Path, check_copy: CheckCopy = lambda _file, _copy: ()) -> Config:
    """Reads a cabinet file and its rule set. Raises ConfigError with every problem of both. `check_copy`:
    what else must hold for the second copy in that file (`cabinet.config.copy_place`)."""
    problems: list[Problem] = []
    tree = _read_toml(path, problems)
    if tree is None:
        raise ConfigError(tuple(problems))
    file = str(path)
    cabinet, known = _cabinet(tree.pop("cabinet", None), file, problems)
    second_copy = _second_copy(tree.pop("second_copy", None), file, problems)
    devices = tuple(_devices(tree, file, problems))
    for key, value in tree.items():
        tables = ["cabinet", "second_copy", *DeviceKind]
        allowed = f"{did_you_mean(key, tables)}only the tables {', '.join(tables)}"
        found = "an unknown table" if isinstance(value, dict) else shown(value)
        problems.append(Problem(file, TOP, key, found, allowed))
    rules, rules_path = _rules(known["rules"], path, problems) if "rules" in known else (None, None)
    advice = _advice(rules, path, problems) if rules else None
    problems.extend(check_devices(file, known.get("seats"), devices))
    problems.extend(check_words(file, known))
    problems.extend(check_currency(file, known, devices))
    problems.extend(check_pulse(file, known, devices))
    if rules:
        problems.extend(check_policy(file, known, rules))
    problems.extend(check_copy(file, second_copy))
    if problems or cabinet is None or rules is None or rules_path is None:
        raise ConfigError(tuple(problems))
    return Config(path, cabinet, rules, rules_path, devices, second_copy, advice)


def _read_toml(path: Path, problems: list[Problem]) -> dict[str, Any] | None:
    try:
        return read_toml(path)
    except UnreadableError as error:
        problems.append(Problem(str(path), TOP, "", error.found, error.allowed))
        return None


def _cabinet(table: Any, file: str, problems: list[Problem]) -> tuple[Cabinet | None, Mapping[str, Any]]:
    """The table, and those of its keys that are right by themselves: what depends on them is checked also
    when others are wrong."""
    if not isinstance(table, dict):
        problems.append(Problem(file, "cabinet", "", "nothing" if table is None else shown(table), "a table"))
        return None, {}
    known, wrong = read(Cabinet, table)
    problems.extend(of_table(wrong, file, "cabinet"))
    return None if wrong else Cabinet(**known), known


def _second_copy(table: Any, file: str, problems: list[Problem]) -> FileCopy | FramCopy | None:
    if table is None:
        return None
    models: dict[object, type[FileCopy | FramCopy]] = {"file": FileCopy, "fram": FramCopy}
    kind = table.get("kind") if isinstance(table, dict) else None
    model = models.get(kind) if isinstance(kind, str) else None
    if model is None:
        problems.append(Problem(file, "second_copy", "kind", shown(kind), '"fram" or "file"'))
        return None
    values, wrong = read(model, table)
    problems.extend(of_table(wrong, file, "second_copy"))
    return None if wrong else model(**values)


def _devices(tree: dict[str, Any], file: str, problems: list[Problem]) -> Iterator[DeviceTable]:
    """Takes the device tables out of ``tree``."""
    for kind in DeviceKind:
        tables = tree.pop(kind, {})
        if not isinstance(tables, dict):
            problems.append(Problem(file, TOP, kind, shown(tables), f"tables [{kind}.NAME]"))
            continue
        for name, table in tables.items():
            if not isinstance(table, dict):
                problems.append(Problem(file, kind, name, shown(table), f"a table [{kind}.NAME]"))
                continue
            device = _device(kind, name, dict(table), file, problems)
            if device is not None:
                yield device


def _device(
    kind: DeviceKind, name: str, table: dict[str, Any], file: str, problems: list[Problem]
) -> DeviceTable | None:
    where = f"{kind}.{name}"
    driver = table.pop("driver", None)
    seats = table.pop("seats", None) if kind is not DeviceKind.PANEL else []
    good = True
    if not isinstance(driver, str):
        problems.append(Problem(file, where, "driver", shown(driver), "the name of a driver in quotes"))
        good = False
    if not isinstance(seats, list) or any(type(seat) is not int for seat in seats):
        problems.append(Problem(file, where, "seats", shown(seats), "a list of seat numbers"))
        good = False
        seats = []
    if isinstance(driver, str):
        problems.extend(of_table(registry.check(kind.value, driver, table), file, where))
    if not good:
        return None
    return DeviceTable(kind, name, driver, tuple(seats), MappingProxyType(table))


def _rules(name: str, path: Path, problems: list[Problem]) -> tuple[Rules | None, Path | None]:
    """Finds the rule set by its name, in one of two places and never in both."""
    own, shipped = path.parent / "rules" / f"{name}.toml", shipped_folder() / "rules" / f"{name}.toml"
    here = [place for place in (own, shipped) if place.is_file()]
    if len(here) != 1:
        found = f'"{name}", which is ' + (f"both {own} and {shipped}" if here else "in neither place")
        names = sorted({file.stem for place in (own, shipped) for file in place.parent.glob("*.toml")})
        known = "" if here else f"{did_you_mean(name, names)}one of {', '.join(names)}; or "
        problems.append(Problem(str(path), "cabinet", "rules", found, f"{known}one of {own} and {shipped}"))
        return None, None
    tree = _read_toml(here[0], problems)
    if tree is None:
        return None, None
    try:
        return Rules.parse(tree), here[0]
    except RulesError as error:
        keys = [field.name for field in fields(Rules)]
        for row in error.problems:
            near = "" if row.key in keys else did_you_mean(row.key, keys)
            problems.append(Problem(str(here[0]), TOP, row.key, row.found, near + row.allowed))
        return None, None


def _advice(rules: Rules, path: Path, problems: list[Problem]) -> ChartFile | None:
    found = chart_file.find(rules, path.parent, shipped_folder())
    return chart_file.read(found, rules, problems) if found else None
