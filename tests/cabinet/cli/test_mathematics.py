"""The commands of the mathematics, as the command line knows them."""

from __future__ import annotations

import importlib
import types

import click
import pytest

from cabinet.cli import main as cli


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int | str | None, str, str]:
    with pytest.raises(SystemExit) as caught:
        cli.main(args)
    said = capsys.readouterr()
    return caught.value.code, said.out, said.err


def module_is(monkeypatch: pytest.MonkeyPatch, name: str, found: object) -> None:
    """What importing `name` gives: a module, or an error."""
    real = importlib.import_module

    def import_module(asked: str, package: str | None = None) -> object:
        if asked != name:
            return real(asked, package)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(importlib, "import_module", import_module)


def test_help_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for command in ("par", "simulate", "compare"):
        assert f"\n  {command} " in out


def test_arguments_reach_the_command_as_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    @click.option("--rules")
    @click.argument("rest", nargs=-1)
    def par(rules: str, rest: tuple[str, ...]) -> None:
        click.echo(f"{rules} {rest}")

    module_is(monkeypatch, "cabinet.analysis.par.command", types.SimpleNamespace(par=par))
    code, *said = run(capsys, "par", "--rules", "x", "--", "--json")
    assert (code or 0, *said) == (0, "x ('--json',)\n", "")


def test_wrong_arguments_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "par")
    assert (code, out) == (2, "")
    assert err == "cabinet: Missing option '--rules'. Try: cabinet par --help\n"


def test_without_the_extra_one_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = ModuleNotFoundError("No module named 'scipy.stats'", name="scipy.stats")
    module_is(monkeypatch, "cabinet.analysis.par.command", missing)
    told = "cabinet par needs scipy, which is not installed; the extra lab has it: "
    told += "pip install 'common-hand-cabinet[lab]'"
    assert run(capsys, "par", "--rules", "standard") == (2, "", f"cabinet: {told}\n")


def test_a_package_without_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("cabinet.analysis", "cabinet.analysis.par", "cabinet.analysis.par.command"):
        module_is(monkeypatch, "cabinet.analysis.par.command", ModuleNotFoundError("gone", name=name))
        assert run(capsys, "par") == (2, "", "cabinet: cabinet par is not part of this package\n")


def test_another_missing_module_is_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = ModuleNotFoundError("No module named 'cabinet.gone'", name="cabinet.gone")
    module_is(monkeypatch, "cabinet.analysis.par.command", missing)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["par"])
