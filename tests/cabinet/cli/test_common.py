"""What the commands share: which directory is meant."""

from __future__ import annotations

import pytest

from cabinet.cli import main as cli


@pytest.mark.parametrize("command", [("journal", "head"), ("meters",)])
def test_a_directory_that_is_missing_is_explained(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(command)
    assert "the state directory of a cabinet, which --state of cabinet run names" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main([*command, "--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert "The same as DIR: what --state of cabinet run, or of the lab, has named." in words
