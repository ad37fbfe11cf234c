"""Drivers by name.

A driver is one module or package ``drivers.<kind>.<name>`` that exports ``Options``, a
`drivers.tables.TableModel` that bounds each of its keys, and ``create(name, options, io) -> Device``. Nothing
else has to be registered: a file in the folder and a table in the cabinet file are enough.
"""

from __future__ import annotations

import errno
import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, cast

from drivers.device import Device
from drivers.link import OpenLink
from drivers.tables import TableModel, Wrong, did_you_mean, read, shown

if TYPE_CHECKING:
    from drivers.gpio import Bank
    from drivers.i2c import Bus, OpenBus

KINDS = ("bill_validator", "ticket_printer", "panel")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def no_bus(number: int) -> Bus:
    """A cabinet without I2C memories."""
    raise OSError(errno.ENOENT, f"there is no I2C bus {number} here")


@dataclass(frozen=True, slots=True)
class Io:
    """The ways to the hardware. The field program passes the real ones, the lab its own. `clock`: ms that go
    on while a call lasts; in virtual time none lasts."""

    open_link: OpenLink
    open_bank: Callable[[], Bank]
    open_bus: OpenBus = no_bus
    clock: Callable[[], int] = lambda: 0


class OptionsError(Exception):
    """A device table that cannot be used. ``rows`` names every wrong key."""

    def __init__(self, rows: list[Wrong]) -> None:
        super().__init__("; ".join(f"{row.key}: found {row.found}, allowed: {row.allowed}" for row in rows))
        self.rows = rows


def drivers_of(kind: str) -> list[str]:
    """The names of all drivers of a kind, by looking into its folder (or folders)."""
    package = importlib.import_module(f"drivers.{kind}")
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    return [name for name in names if _load(kind, name) is not None]


def check(kind: str, driver: str, options: Mapping[str, object]) -> list[Wrong]:
    """Every wrong key, without opening anything. An empty list means that ``make`` will succeed."""
    try:
        _parse(kind, driver, options)
    except OptionsError as error:
        return error.rows
    return []


def make(kind: str, driver: str, name: str, options: Mapping[str, object], io: Io) -> Device:
    """Build the driver. It opens nothing before its first ``tick``. Raises OptionsError."""
    module, parsed = _parse(kind, driver, options)
    return cast(Device, module.create(name, parsed, io))


def _parse(kind: str, driver: str, options: Mapping[str, object]) -> tuple[ModuleType, TableModel]:
    if kind not in KINDS:
        raise OptionsError([Wrong(("kind",), shown(kind), f"one of {', '.join(KINDS)}")])
    module = _load(kind, driver)
    if module is None:
        names = drivers_of(kind)
        near = did_you_mean(driver, names)
        raise OptionsError([Wrong(("driver",), shown(driver), f"{near}one of {', '.join(names)}")])
    model = cast(type[TableModel], module.Options)
    values, wrong = read(model, options)
    if wrong:
        raise OptionsError(wrong)
    return module, model(**values)


def _load(kind: str, driver: str) -> ModuleType | None:
    """The module, or None if there is none or it is a helper of a driver. Its own faults are raised."""
    if not _NAME.fullmatch(driver):
        return None
    full = f"drivers.{kind}.{driver}"
    try:
        module = importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise  # the driver is there, a library that it needs is not
        return None
    return module if hasattr(module, "create") and hasattr(module, "Options") else None
