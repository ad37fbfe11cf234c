"""Drivers by name.

A driver is one module or package ``drivers.<kind>.<name>`` that exports ``Options``, a frozen pydantic model
that forbids unknown keys and bounds each field, and ``create(name, options, io) -> Device``. A model whose
fields depend on each other may have a class method ``across(table)`` with what is wrong between them (place,
found, allowed): it is asked also when single fields are wrong, so that all mistakes come at once.
Nothing else has to be registered: a file in the folder and a table in the cabinet file are enough.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import pydantic

from drivers.device import Device
from drivers.link import OpenLink

if TYPE_CHECKING:
    from drivers.gpio import Bank
    from drivers.i2c import Bus, OpenBus

NEAR = 0.7  # how much of two names is alike when one is taken for a slip of the other
SHOWN_MOST = 60  # characters of what was found
KINDS = ("bill_validator", "ticket_printer", "panel")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``did you mean "dealt"? `` for a name that is near to one of `names`; "" if it is near to none."""
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=NEAR)
    return f'did you mean "{near[0]}"? ' if near else ""


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


@dataclass(frozen=True, slots=True)
class Wrong:
    """One wrong key of a device table: what was found there and what is allowed."""

    key: str
    found: str
    allowed: str


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


def _parse(kind: str, driver: str, options: Mapping[str, object]) -> tuple[ModuleType, pydantic.BaseModel]:
    if kind not in KINDS:
        raise OptionsError([Wrong("kind", repr(kind), "one of " + ", ".join(KINDS))])
    module = _load(kind, driver)
    if module is None:
        names = drivers_of(kind)
        near = did_you_mean(driver, names)
        raise OptionsError([Wrong("driver", repr(driver), f"{near}one of " + ", ".join(names))])
    model = cast(type[pydantic.BaseModel], module.Options)
    try:
        return module, model.model_validate(dict(options))
    except pydantic.ValidationError as error:
        rows = [_row(driver, model, cast(dict[str, Any], entry)) for entry in error.errors()]
        if hasattr(model, "across"):
            rows += [Wrong(_key(at), repr(found), allowed) for at, found, allowed in model.across(options)]
        raise OptionsError(list(dict.fromkeys(rows))) from None


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


def _row(driver: str, model: type[pydantic.BaseModel], entry: dict[str, Any]) -> Wrong:
    key = _key(entry["loc"])
    match entry["type"]:
        case "extra_forbidden":
            near = did_you_mean(key, model.model_fields)
            allowed = f"no such option; {near}{driver} has " + ", ".join(sorted(model.model_fields))
            return Wrong(key, _shown(entry["input"]), allowed)
        case "missing":
            return Wrong(key, "nothing", "it must be given")
        case _:
            text = str(entry["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
            return Wrong(key, _shown(entry["input"]), text)


def _key(at: Iterable[object]) -> str:
    """``inputs."seat1.hit"``: as TOML has it."""
    parts = [str(part) for part in at]
    return ".".join(f'"{part}"' if "." in part else part for part in parts) or "table"


def _shown(value: object) -> str:
    """A table that is wrong as a whole is named and not printed."""
    match value:
        case Mapping():
            return "a table"
        case list() | tuple() if len(repr(value)) > SHOWN_MOST:
            return "a list"
        case _:
            return repr(value)
