"""Every argument of every command, given what no program could use: one line, exit code 2, no traceback."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
import pytest

from cabinet.cli import (
    arguments,
)
from cabinet.cli import (
    main as cli,
)
from cabinet.config import ConfigError, load
from cabinet.lab import main
from cabinet.lab.crash import command as crash
from cabinet.lab.days import command as days
from cabinet.lab.figures import command as figures
from cabinet.lab.moments import shots
from cabinet.lab.soak import command as soak
from support.programs.source import ROOT

SLOT = ROOT / "config" / "cabinets" / "slot1.toml"
LONG = "x" * 5_000
# What a path may be called that none can be.
PATHS = (LONG, f"/tmp/{LONG}", "y/" * 2_500, "nam\udce9", "two\nlines", "", "\x1b[2J")
NUMBERS = ("nan", "inf", "-inf", "-1", "1e999", "nan0", "9" * 5_000, "")
ENTRIES: tuple[tuple[tuple[str, ...], click.Command], ...] = (
    ((), cli.commands),
    (("lab",), main.lab),
    (("lab", "day"), days.day),
    (("lab", "crash"), crash.crash),
)
ALONE = (soak.main, shots.shots, figures.main)  # started by `./dev`, not by `cabinet`


def walked(words: tuple[str, ...], command: click.Command) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all below it; those whose arguments are somebody else's have none of their own."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from walked((*words, name), below)
    else:
        yield words, command


def parameters() -> Iterator[tuple[tuple[str, ...], click.Command, click.Parameter]]:
    for words, entry in ENTRIES:
        for path, command in walked(words, entry):
            for parameter in command.params:
                yield path, command, parameter
    for command in ALONE:
        for parameter in command.params:
            yield ("alone", command.name or ""), command, parameter


def takes_a_value(parameter: click.Parameter) -> bool:
    return not (isinstance(parameter, click.Option) and parameter.is_flag)


def is_path(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, click.Path | click.File)


def is_number(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType)


ALL = [(words, command, parameter) for words, command, parameter in parameters() if takes_a_value(parameter)]


def name_of(row: tuple[tuple[str, ...], click.Command, click.Parameter]) -> str:
    return f"{'-'.join(row[0])}-{row[2].name}"


def given(parameter: click.Parameter, value: str) -> list[str]:
    return [value] if isinstance(parameter, click.Argument) else [f"{parameter.opts[0]}={value}"]


def others(command: click.Command, parameter: click.Parameter, folder: Path) -> list[str]:
    """What else the command wants to be told: nothing that it could do much with."""
    args: list[str] = []
    for needed in command.params:
        if needed is parameter or not needed.required:
            continue
        value = "100" if is_number(needed) else str(folder / "nowhere") if is_path(needed) else "nothing"
        args = [*given(needed, value), *args]
    return args


def said_by(
    words: tuple[str, ...], command: click.Command, args: list[str], capfd: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    """Exit code and what was said on standard error."""
    run = (
        partial(command.main, args, prog_name=words[1])
        if words[0] == "alone"
        else partial(cli.main, [*words, *args])
    )
    with pytest.raises(SystemExit) as ended:
        run()
    code = ended.value.code
    assert isinstance(code, int)
    return code, capfd.readouterr().err


def complaint(said: str) -> str:
    """The line that says what is wrong; what stands before it is click's usage."""
    lines = said.strip().splitlines()
    assert "Traceback" not in said
    assert len(lines) == 1 or all(line.startswith(("Usage:", "Try ", "Error:")) or not line for line in lines)
    return lines[-1]


def test_the_walk_meets_the_whole_command_line() -> None:
    words = {path for path, _, _ in ALL}
    passed_on = {
        name for name, command in cli.commands.commands.items() if isinstance(command, cli._PassedOn)
    }
    assert passed_on == {path[0] for path, _ in ENTRIES if path}
    assert {("check-config",), ("run",), ("journal", "check"), ("memory", "clear"), ("lab", "day")} <= words
    assert sum(is_path(parameter) for *_, parameter in ALL) > 20
    assert sum(is_number(parameter) for *_, parameter in ALL) > 20


def test_every_path_and_every_fraction_is_of_the_kind_that_looks_first() -> None:
    for words, _, parameter in ALL:
        if is_path(parameter):
            assert isinstance(parameter.type, arguments.NamedPath), (words, parameter.name)
        if isinstance(parameter.type, click.types.FloatParamType):
            assert isinstance(parameter.type, arguments.FiniteRange), (words, parameter.name)


@pytest.mark.parametrize("row", [row for row in ALL if is_path(row[2])], ids=name_of)
def test_a_path_that_none_can_be_is_refused(
    row: tuple[tuple[str, ...], click.Command, click.Parameter],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    words, command, parameter = row
    for value in PATHS:
        args = [*others(command, parameter, tmp_path), *given(parameter, value)]
        code, said = said_by(words, command, args, capfd)
        assert code == 2, (value[:20], said)
        text = complaint(said)
        assert len(text) < 400
        assert "path" in text or "not UTF-8" in text
        assert "give " in text or "UTF-8" in text


@pytest.mark.parametrize("row", [row for row in ALL if is_number(row[2])], ids=name_of)
def test_a_number_that_is_none_is_refused(
    row: tuple[tuple[str, ...], click.Command, click.Parameter],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    words, command, parameter = row
    for value in NUMBERS:
        if (
            value == "-1"
            and parameter.name == "seed"
            and isinstance(parameter.type, click.types.IntParamType)
        ):
            continue  # any whole number is a seed
        args = [*others(command, parameter, tmp_path), *given(parameter, value)]
        code, said = said_by(words, command, args, capfd)
        assert code == 2, (value[:20], said)
        complaint(said)


@pytest.mark.parametrize(
    "row", [row for row in ALL if not is_path(row[2]) and not is_number(row[2])], ids=name_of
)
def test_a_text_that_is_none_is_refused_or_of_no_use(
    row: tuple[tuple[str, ...], click.Command, click.Parameter],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    words, command, parameter = row
    for value in ("nam\udce9", LONG):
        if words[0] == "alone" and value != LONG:
            continue
        args = [*others(command, parameter, tmp_path), *given(parameter, value)]
        code, said = said_by(words, command, args, capfd)
        assert code == 2, (value[:20], said)
        complaint(said)


@pytest.mark.parametrize("what", ["device", "pipe"])
def test_what_never_ends_is_not_read(what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if what == "device":
        path = "/dev/zero"
    else:
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
    for words, command, parameter in ALL:
        if isinstance(parameter.type, arguments.NamedPath) and parameter.type.regular:
            args = [*others(command, parameter, tmp_path), *given(parameter, path)]
            code, said = said_by(words, command, args, capfd)
            assert code == 2
            assert "give a regular file" in complaint(said)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole: takes no room


@pytest.mark.parametrize("make", [_device, _pipe, _endless])
def test_a_rule_set_or_a_chart_that_never_ends_is_not_read_either(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    """They are found by name, so no command line has looked at them."""
    cabinet = tmp_path / "cabinet.toml"
    cabinet.write_text(SLOT.read_text(encoding="utf-8").replace('"slot"', '"house"'), encoding="utf-8")
    (tmp_path / "rules").mkdir()
    make(tmp_path / "rules" / "house.toml")
    with pytest.raises(ConfigError) as refused:
        load(cabinet)
    assert len(str(refused.value).splitlines()) == 1
    assert "rules" in str(refused.value)
    make(tmp_path / "itself.toml")
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "itself.toml")
    assert "allowed: " in str(refused.value)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a = " + "[" * 50_000, "nested too deeply"),
        ("a = " + "9" * 5_000, "no TOML"),
        ("a = 0x" + "f" * 50_000, "thousands of figures"),
        ("\udcff", "no text"),
        ("\0", "no TOML"),
    ],
)
def test_a_cabinet_file_that_is_made_to_hurt_is_one_problem(text: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / "cabinet.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError) as refused:
        load(path)
    assert found in str(refused.value)
