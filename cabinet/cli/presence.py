"""Who changes what money depends on: somebody who stands at the open cabinet and names it."""

from __future__ import annotations

import click

from cabinet.cli.common import WRONG, fail
from cabinet.config import Config
from cabinet.program import contacts, ports


def must_stand_there(config: Config) -> None:
    """The logic area is open and the service key turned, or the program ends."""
    if wanting := contacts.missing(config, ports.field_io()):
        fail("\n".join((*wanting, "open the logic area and turn the service key, then try again")), WRONG)


def must_mean_it(config: Config, confirm: str, what: str) -> None:
    """The machine number was typed in, or given as `confirm`, or the program ends."""
    serial = config.cabinet.serial
    said = confirm or click.prompt(
        f"To {what}, type the machine number {serial}", default="", show_default=False
    )
    if said != serial:
        fail(f"{said!r} is not the machine number: nothing was changed", WRONG)
