"""Reading a timing model: strictly, because a misspelt key would be a cost of nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import convert

from cabinet.analysis.compare.timing import (
    NAME_MOST,
    CardTiming,
    Decisions,
    SettlementTiming,
    TableTiming,
    Thought,
)
from cabinet.config import shipped_folder
from cabinet.config.problems import (
    TOP,
    ConfigError,
    Problem,
    UnreadableError,
    of_table,
    read_toml,
)
from drivers.tables import UNKNOWN, read, shown

FOLDER = "timing"
_TABLES: Mapping[str, type[CardTiming | Thought | SettlementTiming]] = {
    "cards": CardTiming,
    "decisions": Decisions,
    "settlement": SettlementTiming,
    "bets": Thought,
}


def shipped_names() -> list[str]:
    """The models that come with the program."""
    return sorted(path.stem for path in (shipped_folder() / FOLDER).glob("*.toml"))


def load_timing(name: str) -> TableTiming:
    """The model in a TOML file, or the one of this name that comes with the program.

    Raises ConfigError with everything that is wrong: file, key, found, allowed.
    """
    path = Path(name)
    if not path.is_file():
        if name not in shipped_names():
            found = "a folder" if path.is_dir() else "not there"
            raise _refused(name, found, "a TOML file, or one of " + ", ".join(shipped_names()))
        path = shipped_folder() / FOLDER / f"{name}.toml"
    tree = _read(path)
    problems = (*_top(tree, str(path)), *_tables(tree, str(path)))
    if problems:
        raise ConfigError(problems)
    return convert(tree, TableTiming)


def _read(path: Path) -> dict[str, object]:
    try:
        return read_toml(path)
    except UnreadableError as error:
        raise _refused(str(path), error.found, error.allowed) from None


def _top(tree: Mapping[str, object], file: str) -> Iterator[Problem]:
    known = ("name", *_TABLES)
    for key in tree:
        if key not in known:
            yield Problem(file, TOP, key, UNKNOWN, "one of " + ", ".join(known))
    name = tree.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= NAME_MOST:
        found = shown(name) if "name" in tree else "nothing"
        yield Problem(file, TOP, "name", found, f"a text of 1 to {NAME_MOST} letters")


def _tables(tree: Mapping[str, object], file: str) -> Iterator[Problem]:
    for table, model in _TABLES.items():
        value = tree.get(table, {})
        if not isinstance(value, dict):
            yield Problem(file, TOP, table, shown(value), "a table")
            continue
        yield from of_table(read(model, value)[1], file, table)


def _refused(file: str, found: str, allowed: str) -> ConfigError:
    return ConfigError((Problem(file, TOP, "", found, allowed),))
