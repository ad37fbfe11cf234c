"""``--rules FILE`` and ``--set KEY=VALUE``: which rule set a command of the mathematics is asked about.

Needs none of the libraries of the extra ``lab``, so that a misspelt key is refused at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from cabinet.cli.arguments import FileOrName
from cabinet.cli.common import WRONG, fail
from cabinet.config import shipped_folder
from cabinet.config.problems import UnreadableError, read_toml
from game.rules import RuleProblem, Rules, RulesError

_Command = TypeVar("_Command", bound=Callable[..., Any])


def rules_options(command: _Command) -> _Command:
    """Gives a command the parameters ``rules`` (text) and ``sets`` (a tuple of texts)."""
    command = click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="KEY=VALUE",
        help="Override a key of the rule set; may be given again. The value is TOML, or a bare word.",
    )(command)
    return click.option(
        "--rules",
        "rules",
        type=FileOrName(),
        required=True,
        metavar="FILE",
        help="A rule set: a TOML file, or the name of one that comes with the program.",
    )(command)


def load_rules(file: str | Path, sets: Sequence[str] = ()) -> Rules:
    """The rules of a file with overrides. Whatever is wrong ends the program with one line and code 2."""
    path = rules_path(str(file))
    tree = _read(path)
    overrides = dict(_override(text) for text in sets)
    try:
        return Rules.parse({**tree, **overrides})
    except RulesError as error:
        _refuse(_refusal(path, overrides, error.problems))


def title(file: str | Path, sets: Sequence[str] = ()) -> str:
    """What to call the rule set in a report: its short name and what was overridden."""
    return ", ".join((Path(file).stem, *(" = ".join(text.split("=", 1)) for text in sets)))


def _refuse(text: str) -> NoReturn:
    fail(" ".join(text.split()), WRONG)


def rules_path(file: str) -> Path:
    """The file that ``--rules`` means."""
    path = Path(file)
    folder = shipped_folder() / "rules"
    names = sorted(entry.stem for entry in folder.glob("*.toml"))
    if not path.is_file() and file not in names:
        why = "a folder" if path.is_dir() else "not there"
        _refuse(f"--rules {file}: found {why}; allowed: a TOML file, or one of {', '.join(names)}")
    return path if path.is_file() else folder / f"{file}.toml"


def _read(path: Path) -> dict[str, object]:
    try:
        return read_toml(path)
    except UnreadableError as error:
        _refuse(f"{path}: {error}")


def _override(text: str) -> tuple[str, object]:
    key, equals, written = text.partition("=")
    if not equals or not key.strip():
        _refuse(f"--set {text}: found no KEY=VALUE; allowed: a key of the rule set, like decks=8")
    return key.strip(), _value(written.strip())


def _value(written: str) -> object:
    """A TOML value; what is none is a text: ``6:5`` and ``any`` need no quotes that a shell would eat."""
    try:
        tree = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):  # not TOML, thousands of figures, or nested too deeply
        return written
    value = tree["value"]
    plain = len(tree) == 1 and isinstance(value, (bool, int, float, str, list))
    return value if plain else written


def _refusal(path: Path, overrides: Mapping[str, object], problems: Sequence[RuleProblem]) -> str:
    """One line: the first problem in full, and the keys of the others."""
    first, *others = problems
    place = "--set" if first.key in overrides else f"{path}:"
    more = f" (also refused: {', '.join(problem.key for problem in others)})" if others else ""
    return f"{place} {first}{more}"
