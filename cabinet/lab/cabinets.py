"""Which cabinet a command of the lab plays: one that is shipped, by its name, or a file of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from cabinet import config as configuration
from cabinet.cli.arguments import FileOrName
from cabinet.config import ConfigError
from drivers.tables import did_you_mean


def names() -> list[str]:
    """The shipped cabinets."""
    return sorted(path.stem for path in (configuration.shipped_folder() / "cabinets").glob("*.toml"))


class CabinetChoice(FileOrName):
    """The name of a shipped cabinet, or the path of a cabinet file that is good."""

    name = "NAME|FILE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(super().convert(value, param, ctx))
        known = names()
        if text in known:
            return text
        path = Path(text)
        if not path.is_file():
            near = did_you_mean(text, known)
            self.fail(
                f"there is no cabinet {text!r}: {near}one of {', '.join(known)}, or the path of a file",
                param,
                ctx,
            )
        if path.suffix != ".toml":
            self.fail(f"{text!r} is not a cabinet file: its name must end with .toml", param, ctx)
        try:
            configuration.load(path)
        except ConfigError as error:
            self.fail(f"{text} is no good cabinet file:\n{error}", param, ctx)
        return str(path.absolute())
