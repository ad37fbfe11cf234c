"""The command line: what it says where, and with which exit code."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import cabinet.program
from cabinet.cli import main as cli
from cabinet.config.problems import ConfigError, Problem
from cabinet.lab.patience import PATIENCE_S
from cabinet.store.errors import JournalError, JournalLocked
from cabinet.store.journal import Entry, Journal
from cabinet.version import version
from support.programs.copies import with_copy
from support.programs.source import ROOT


class Shell:
    """Runs a command in this process and keeps what it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def run(self, *args: str) -> int:
        with pytest.raises(SystemExit) as caught:
            cli.main(args)
        self.out, self.err = self._capsys.readouterr()
        code = caught.value.code
        return code if isinstance(code, int) else 0 if code is None else 1


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def field_that(monkeypatch: pytest.MonkeyPatch, outcome: int | Exception) -> list[tuple[Path, Path]]:
    """Puts a field program in place that ends with ``outcome``; the list gets its arguments."""
    calls: list[tuple[Path, Path]] = []

    def run(config: Path, state: Path) -> int:
        calls.append((config, state))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    stand_in = types.SimpleNamespace(run=run)
    monkeypatch.setattr(cabinet.program, "field", stand_in, raising=False)
    monkeypatch.setitem(sys.modules, "cabinet.program.field", stand_in)
    return calls


def test_the_version(shell: Shell) -> None:
    assert shell.run("--version") == 0
    assert shell.out == f"cabinet {version()}\n"
    assert (ROOT / "pyproject.toml").read_text(encoding="utf-8").count(f'version = "{version()}"') == 1


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "Missing command."),
        (("deal",), "No such command 'deal'."),
        (("run", "--config", "cabinet.toml"), "Missing option '--state'."),
        (("check-config",), "Missing argument 'FILE'."),
        (("check-config", "a", "b"), "Got unexpected extra argument"),
        (("journal",), "Missing command."),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(shell: Shell, args: tuple[str, ...], says: str) -> None:
    assert shell.run(*args) == 2
    assert shell.out == ""
    assert shell.err.startswith("cabinet: ")
    assert says in shell.err
    assert shell.err.count("\n") == 1


def test_help_lists_the_commands(shell: Shell) -> None:
    assert shell.run("--help") == 0
    for command in ("check-config", "run", "lab", "journal"):
        assert f"\n  {command} " in shell.out


def commands_of(group: click.Group, path: str = "cabinet") -> Iterator[str]:
    """Every command that does something, by its whole name."""
    context = click.Context(group, info_name=path)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands_of(command, f"{path} {name}")
        else:
            yield f"{path} {name}"


@pytest.mark.parametrize("name", sorted(set(commands_of(cli.commands)) - {"cabinet lab"}))
def test_the_readme_names_every_command(name: str) -> None:
    """`cabinet lab` is `./dev run`. The row of a group may name its other commands."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    group, _, last = name.rpartition(" ")
    assert any(name in line or (f"./dev {group} " in line and f"`{last}`" in line) for line in lines)


# ---- check-config


def test_check_config_says_what_it_understood(shell: Shell) -> None:
    file = ROOT / "config" / "cabinets" / "table5.toml"
    assert shell.run("check-config", str(file)) == 0
    assert shell.err == ""
    lines = shell.out.splitlines()
    assert lines[0] == f"{file}: good"
    for line in (
        "  TABLE 5, machine 0003-031, ticket machine id 00031C",
        "  screen 1920 x 1080, full screen; four-colour deck; volume 60 %",
        "  second copy of the money totals: FRAM at 0x50 on /dev/i2c-1",
        "  seat 4: notes by validator4, tickets by printer4",
        "  bill validator validator1: id003 at /dev/cabinet/validator1",
        "  panel panel1: gpio, 51 inputs, 47 outputs, 3 hard meters",
        "  6 decks, shuffled before every round",
        "  dealer stands on soft 17",
        "  blackjack pays 3:2",
        "  double on hard 9, 10 or 11",
        "  split: A, 2, 3, 6, 7, 8 or 9",
        "  a dealer blackjack takes all bets",
        "  15 s to bet, 12 s to decide",
        "  bets $5.00 to $200.00 in steps of $5.00",
        "  credit of a seat up to $10,000.00",
        "  tickets up to $3,000.00, good for 30 days",
        "  a win of $1,200.00 or more is paid by hand",
        "  one pulse of a hard meter is $5.00",
    ):
        assert line in lines


def test_check_config_of_other_shapes(shell: Shell) -> None:
    assert shell.run("check-config", str(ROOT / "config" / "cabinets" / "shared3.toml")) == 0
    assert "  seat 2: notes by validator1 (shared: BUY IN), tickets by printer1 (shared)\n" in shell.out
    assert "  6 decks, shuffled when the cut card is reached (78 cards stay behind it)\n" in shell.out
    assert "  dealer hits soft 17\n" in shell.out
    assert "  double on any two cards\n" in shell.out
    assert "  second copy of the money totals: FRAM at 0x50 on /dev/i2c-1\n" in shell.out
    assert shell.run("check-config", str(ROOT / "config" / "cabinets" / "slot1.toml")) == 0
    assert "  no countdown; a hand stands after 300 s\n" in shell.out


def test_check_config_of_rare_choices(shell: Shell, tmp_path: Path) -> None:
    text = (ROOT / "config" / "cabinets" / "slot1.toml").read_text(encoding="utf-8")
    text = text.replace('rules = "slot"', 'rules = "single_deck"').replace(
        "fullscreen = true", "fullscreen = false"
    )
    text = text.replace("large_win_cents = 120000", "large_win_cents = 0")
    text = with_copy(text, 'kind = "file"\npath = "/mnt/b/copy"')
    file = tmp_path / "cabinet.toml"
    file.write_text(text, encoding="utf-8")
    (tmp_path / "rules").mkdir()
    rules = 'decks = 1\nsplittable = []\ndouble_totals = [11]\ndealer_blackjack_takes = "original"\n'
    (tmp_path / "rules" / "single_deck.toml").write_text(rules, encoding="utf-8")
    assert shell.run("check-config", str(file)) == 0
    for line in (
        "  one deck, shuffled before every round",
        "  double on hard 11",
        "  split: never",
        "  a dealer blackjack takes the original bet only",
        "  no win is too large for a ticket",
        "  second copy of the money totals: /mnt/b/copy",
        "  screen 1920 x 1080, in a window; four-colour deck; volume 50 %",
    ):
        assert line in shell.out.splitlines()
    file.write_text(text[: text.index("\n[second_copy]")], encoding="utf-8")
    assert shell.run("check-config", str(file)) == 0
    assert "  no second copy of the money totals\n" in shell.out


def test_check_config_says_everything_that_is_wrong(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "cabinet.toml"
    text = (ROOT / "config" / "cabinets" / "slot1.toml").read_text(encoding="utf-8")
    file.write_text(
        text.replace("seats = 1\n", "seats = 0\n").replace("volume_percent", "loudness"), encoding="utf-8"
    )
    assert shell.run("check-config", str(file)) == 2
    assert shell.out == ""
    assert [line.partition(": found ")[0] for line in shell.err.splitlines()] == [
        f"cabinet: {file}: [cabinet] seats",
        f"cabinet: {file}: [cabinet] loudness",
    ]


# ---- run


def test_run_hands_over_to_the_field_program(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = field_that(monkeypatch, 0)
    assert shell.run("run", "--config", "c.toml", "--state", "s") == 0
    assert calls == [(Path("c.toml"), Path("s"))]
    assert shell.err == ""


@pytest.mark.parametrize(
    ("outcome", "code", "says"),
    [
        (7, 7, ""),
        (
            ConfigError((Problem("c.toml", "cabinet", "seats", "9", "1 to 7"),)),
            2,
            "cabinet: c.toml: [cabinet] seats",
        ),
        (JournalLocked(Path("s"), "process 12"), 3, "cabinet: s is in use by process 12"),
        (JournalError("the disk is full"), 1, "cabinet: the disk is full\n"),
    ],
)
def test_how_a_run_can_end(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, outcome: int | Exception, code: int, says: str
) -> None:
    field_that(monkeypatch, outcome)
    assert shell.run("run", "--config", "c.toml", "--state", "s") == code
    assert shell.err.startswith(says)


def test_ctrl_c_is_no_traceback(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_config: Path, _state: Path) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cabinet.program, "field", types.SimpleNamespace(run=interrupted), raising=False)
    monkeypatch.setitem(sys.modules, "cabinet.program.field", types.SimpleNamespace(run=interrupted))
    assert shell.run("run", "--config", "c.toml", "--state", "s") == 130
    assert "Traceback" not in shell.err


# ---- lab


def lab_is(monkeypatch: pytest.MonkeyPatch, found: object) -> None:
    """What importing the lab gives: a module, or an error."""
    real = importlib.import_module

    def import_module(name: str, package: str | None = None) -> object:
        if name != "cabinet.lab.main":
            return real(name, package)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(importlib, "import_module", import_module)


def test_the_lab_gets_every_argument_as_it_is(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []

    def main(args: list[str]) -> int:
        seen.append(args)
        return 5

    lab_is(monkeypatch, types.SimpleNamespace(main=main))
    assert shell.run("lab", "day", "--help", "-h", "--seed=4", "--", "x") == 5
    assert seen == [["day", "--help", "-h", "--seed=4", "--", "x"]]


@pytest.mark.parametrize("name", ["cabinet.lab", "cabinet.lab.main"])
def test_a_field_package_has_no_lab(shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    lab_is(monkeypatch, ModuleNotFoundError(f"No module named {name!r}", name=name))
    assert shell.run("lab", "day") == 2
    assert shell.err == "cabinet: the lab is not installed: it is left out of the field package on purpose\n"


def test_a_lab_that_lacks_a_library_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    lab_is(monkeypatch, ModuleNotFoundError("No module named 'PIL'", name="PIL"))
    with pytest.raises(ModuleNotFoundError, match="PIL"):
        cli.main(["lab", "day"])


# ---- journal


def test_the_head_of_a_journal(shell: Shell, tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "state")
    end = journal.commit([Entry("SessionStarted", "{}", 0, 0)])
    journal.close()
    assert shell.run("journal", "head", "--state", str(tmp_path / "state")) == 0
    assert shell.out == f"1 {end.digest}\n"


def test_the_head_of_no_journal(shell: Shell, tmp_path: Path) -> None:
    assert shell.run("journal", "head", "--state", str(tmp_path)) == 1
    assert shell.err == f"cabinet: there is no journal in {tmp_path}: check the path\n"


# ---- what it costs to start


def loaded_by(code: str) -> set[str]:
    """The top packages in ``sys.modules`` of a fresh interpreter after ``code``."""
    script = f"{code}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        timeout=PATIENCE_S,
    )
    return set(done.stdout.splitlines()[-1].split())


HEAVY = {
    "pygame",
    "numpy",
    "msgspec",
    "babel",
    "sqlite3",
    "serial",
    "periphery",
    "PIL",
    "drivers",
    "game",
}


def test_the_command_line_loads_nothing_heavy() -> None:
    assert loaded_by("import cabinet.cli.main") & HEAVY == set()
    asked = "import cabinet.cli.main\ntry: cabinet.cli.main.main(['--version'])\nexcept SystemExit: pass"
    assert loaded_by(asked) & HEAVY == set()


def test_check_config_needs_no_screen_and_no_devices() -> None:
    file = str(ROOT / "config" / "cabinets" / "slot1.toml")
    code = (
        f"from cabinet.cli.main import main\ntry: main(['check-config', {file!r}])\nexcept SystemExit: pass"
    )
    assert loaded_by(code) & {"pygame", "numpy", "sqlite3", "PIL"} == set()
