"""Who may import whom. Each rule keeps one promise of the design; the names say which."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator

import pytest

from support.programs.source import ROOT, STANDARD, Import, Module, is_inside, modules, reachable

# Parts that never reach a shipped machine, and the analysis of the game, which only people run.
LAB = ("drivers.sim", "cabinet.lab")
ANALYSIS = ("game.analysis", "cabinet.analysis", "cabinet.pages")

# Whoever wants to touch the world outside needs one of these.
OUTSIDE = {
    "asyncio", "concurrent", "ctypes", "fcntl", "glob", "http", "io", "locale", "logging",
    "mmap", "multiprocessing", "os", "pathlib", "platform", "queue", "random", "secrets", "select",
    "selectors", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "termios",
    "threading", "time", "tty", "urllib", "uuid",
}  # fmt: skip

# Library -> the only files or packages that may import it.
OWNERS = {
    "serial": {"drivers/link.py"},
    "periphery": {"drivers/gpio.py", "drivers/i2c.py"},
    "sqlite3": {"cabinet/store/journal.py", "cabinet/store/database.py"},
    "pygame": {"cabinet/ui/"},
    "PIL": {"drivers/sim/", "cabinet/lab/"},
    "escpos": {"drivers/ticket_printer/escpos/encoder.py"},
    # Keys and ciphers.
    "cryptography": {"cabinet/passphrase.py", "cabinet/tickets/"},
    # The one writer thread is the only thread of the field program; what opens the disk has ended before.
    "threading": {"cabinet/store/writer.py", "cabinet/store/opening.py", "cabinet/lab/"},
    "concurrent": {"cabinet/lab/", "game/analysis/"},
    "multiprocessing": {"cabinet/lab/", "game/analysis/"},
    "subprocess": {"cabinet/lab/", "cabinet/analysis/battery/dieharder.py"},
    "asyncio": set[str](),
    # The mathematics: only people in an office or a laboratory run it.
    **{
        library: {"game/analysis/", "cabinet/analysis/"}
        for library in ("distributed", "matplotlib", "numba", "numpy", "scipy")
    },
}


def offending(chosen: Callable[[Module], bool], forbidden: Callable[[Module, Import], bool]) -> Iterator[str]:
    for module in filter(chosen, modules()):
        for entry in module.imports:
            if forbidden(module, entry):
                yield f"{module.at(entry.line)} imports {entry.target}"


def test_there_is_something_to_check() -> None:
    names = {module.name for module in modules()}
    assert {
        "game.rules",
        "drivers.device",
        "drivers.registry",
        "cabinet.cli.main",
        "cabinet.config.file",
    } <= names
    assert len(names) > 30


def test_the_game_knows_nobody() -> None:
    def foreign(_module: Module, entry: Import) -> bool:
        return entry.top in ("drivers", "cabinet")

    assert list(offending(lambda module: module.within("game"), foreign)) == []


def test_the_game_is_pure() -> None:
    """No clock, no files, no randomness of its own, no library."""

    def impure(_module: Module, entry: Import) -> bool:
        return entry.top != "game" and (entry.top not in STANDARD or entry.top in OUTSIDE)

    def rules_of_play(module: Module) -> bool:
        return module.within("game") and not module.within(*ANALYSIS)

    assert list(offending(rules_of_play, impure)) == []


def test_the_drivers_know_no_game_no_cabinet_no_screen_and_no_database() -> None:
    def foreign(_module: Module, entry: Import) -> bool:
        return entry.top in ("game", "cabinet", "pygame", "sqlite3")

    assert list(offending(lambda module: module.within("drivers"), foreign)) == []


def test_the_core_imports_the_game_and_the_events_of_devices_and_nothing_that_acts() -> None:
    def foreign(_module: Module, entry: Import) -> bool:
        if entry.top in STANDARD:
            return entry.top in OUTSIDE
        if entry.top == "game":
            return is_inside(entry.target, *ANALYSIS)
        return not is_inside(entry.target, "cabinet.core", "drivers.device", "msgspec")

    assert list(offending(lambda module: module.within("cabinet.core"), foreign)) == []


@pytest.mark.parametrize("library", sorted(OWNERS))
def test_a_library_is_imported_by_its_owner_only(library: str) -> None:
    owners = tuple(OWNERS[library])

    def elsewhere(module: Module, entry: Import) -> bool:
        owned = any(
            module.path.startswith(owner) if owner.endswith("/") else module.path == owner for owner in owners
        )
        return entry.top == library and not owned

    assert list(offending(lambda _module: True, elsewhere)) == []


def test_simulators_and_lab_are_imported_by_each_other_only() -> None:
    def inside(_module: Module, entry: Import) -> bool:
        return is_inside(entry.target, *LAB)

    assert list(offending(lambda module: not module.within(*LAB), inside)) == []


def test_the_lab_knows_no_protocol() -> None:
    """Its people, evenings, crashes and days see two kinds of machine: a new driver changes none of them."""
    protocols = (
        "drivers.bill_validator",
        "drivers.ticket_printer",
        "drivers.sim.id003",
        "drivers.sim.tcl",
        "drivers.sim.escpos",
    )

    def of_a_protocol(_module: Module, entry: Import) -> bool:
        return is_inside(entry.target, *protocols)

    assert list(offending(lambda module: module.within("cabinet.lab"), of_a_protocol)) == []


def test_the_field_program_reaches_neither_lab_nor_analysis() -> None:
    """A simulated validator on a shipped machine is free money."""
    starts = [module.name for module in modules() if not module.within(*LAB, *ANALYSIS)]
    reached = reachable(*starts)
    assert "drivers.registry" in reached
    assert sorted(name for name in reached if is_inside(name, *LAB, *ANALYSIS)) == []


def test_no_text_names_the_lab_but_the_command_that_starts_it() -> None:
    """What the import rules cannot see: importlib with a name in a text."""
    pattern = re.compile(r"""["'](cabinet\.lab|drivers\.sim)\b""")
    found = {
        module.path
        for module in modules()
        if not module.within(*LAB) and pattern.search((ROOT / module.path).read_text(encoding="utf-8"))
    }
    assert found == {"cabinet/cli/main.py"}


def test_what_a_running_cabinet_loads_has_no_mathematics() -> None:
    """From `cabinet run` on, whatever is imported where: no battery, no odds, no simulation."""
    reached = reachable("cabinet.program.field", "cabinet.cli.main", "cabinet.cli.rng")
    assert {"cabinet.program.runtime", "cabinet.rng.generator", "cabinet.rng.selftest"} <= reached
    assert sorted(name for name in reached if is_inside(name, "game.analysis", "cabinet.analysis")) == []


def test_no_text_names_the_mathematics_but_the_commands_that_start_it() -> None:
    pattern = re.compile(r"""["'](cabinet|game)\.analysis\b""")
    found = {
        module.path
        for module in modules()
        if not module.within("cabinet.analysis", "game.analysis")
        and pattern.search((ROOT / module.path).read_text(encoding="utf-8"))
    }
    assert found <= {"cabinet/cli/main.py", "cabinet/cli/rng.py"}


def test_modules_are_loaded_by_name_only_by_the_registry_and_the_command_line() -> None:
    """A driver is found by its name, but only in the folders of the kinds."""
    from drivers import registry

    loaders = {module.path for module in modules() for entry in module.imports if entry.target == "importlib"}
    field = {path for path in loaders if not path.startswith(("cabinet/lab/", "drivers/sim/"))}
    assert field <= {"drivers/registry.py", "cabinet/cli/main.py", "cabinet/cli/lazy.py"}
    assert registry.KINDS == ("bill_validator", "ticket_printer", "panel")
    assert registry.check("sim", "id003", {}) != []
    assert registry.check("panel", "..sim.wire", {}) != []


def test_the_field_program_uses_only_libraries_that_it_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["dependencies"] + project["optional-dependencies"]["escpos"]
    names = {re.split(r"[<>=~! ;\[]", entry, maxsplit=1)[0] for entry in declared}
    importable = {"pyserial": "serial", "python-periphery": "periphery", "python-escpos": "escpos"}
    allowed = {importable.get(name, name) for name in names} | {"game", "drivers", "cabinet"}

    def undeclared(_module: Module, entry: Import) -> bool:
        return entry.top not in STANDARD and entry.top not in allowed

    assert list(offending(lambda module: not module.within(*LAB, *ANALYSIS), undeclared)) == []
