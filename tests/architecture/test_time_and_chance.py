"""Time is an argument and chance is drawn in one place: else no seed could give the same day twice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from support.programs.source import Module, modules

CLOCKS = {"time", "sched"}
CHANCE = {"random", "secrets", "uuid"}
# The runtime feeds the clock, the generator draws, the window paces its frames.
MAY_READ_CLOCKS = {"cabinet/program/runtime.py", "cabinet/ui/window.py"}
MAY_DRAW = {"cabinet/rng/source.py"}
# Here `random` may be imported for one thing: generators with a seed.
SEEDED = ("drivers.sim", "cabinet.lab", "game.analysis")
# The lab's programs that measure real time or wait for a real child process.
LAB_CLOCKS = ("cabinet.lab",)

# Names that read a clock or draw a number without an import of the modules above.
HIDDEN = {
    ("os", "urandom"), ("os", "getrandom"), ("os", "times"),
    ("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today"),
    ("Event", "wait"), ("select", "sleep"),
}  # fmt: skip


def _uses(module: Module) -> Iterator[tuple[str, int]]:
    """``owner.name`` of every attribute, with the last two names of longer chains, and its line."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute):
            owner = node.value
            base = (
                owner.id
                if isinstance(owner, ast.Name)
                else owner.attr
                if isinstance(owner, ast.Attribute)
                else ""
            )
            yield f"{base}.{node.attr}", node.lineno


def test_clocks_are_read_in_the_runtime_and_in_the_window_only() -> None:
    found = [
        f"{module.at(entry.line)} imports {entry.target}"
        for module in modules()
        if module.path not in MAY_READ_CLOCKS and not module.within(*LAB_CLOCKS)
        for entry in module.imports
        if entry.top in CLOCKS
    ]
    assert found == []


def test_cards_are_drawn_in_one_file() -> None:
    found = [
        f"{module.at(entry.line)} imports {entry.target}"
        for module in modules()
        if module.path not in MAY_DRAW and not module.within(*SEEDED)
        for entry in module.imports
        if entry.top in CHANCE
    ]
    assert found == []


def test_simulators_and_lab_draw_from_seeds_only() -> None:
    """`random.Random(seed)` and nothing else of that module; no secrets at all."""
    found = []
    for module in modules():
        if not module.within(*SEEDED):
            continue
        found += [module.at(entry.line) for entry in module.imports if entry.top in CHANCE - {"random"}]
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module == "random":
                found += [module.at(node.lineno) for alias in node.names if alias.name != "Random"]
            if isinstance(node, ast.Call) and not node.args and not node.keywords:
                called = ast.unparse(node.func)
                if called in ("random.Random", "Random"):
                    found.append(module.at(node.lineno))
        found += [f"{module.path}:{line}" for name, line in _uses(module) if _is_unseeded(name)]
    assert found == []


def _is_unseeded(name: str) -> bool:
    owner, _, attribute = name.partition(".")
    return owner == "random" and attribute != "Random"


def test_nobody_reads_a_clock_or_draws_by_another_name() -> None:
    hidden = {f"{owner}.{name}" for owner, name in HIDDEN}
    found = [
        f"{module.path}:{line} uses {name}"
        for module in modules()
        if module.path not in MAY_READ_CLOCKS | MAY_DRAW and not module.within(*LAB_CLOCKS)
        for name, line in _uses(module)
        if name in hidden or (name.endswith(".sleep") and not name.startswith("self."))
    ]
    assert found == []


def test_the_screen_library_paces_frames_in_the_window_only() -> None:
    found = [
        f"{module.path}:{line} uses {name}"
        for module in modules()
        if module.path not in MAY_READ_CLOCKS
        for name, line in _uses(module)
        if name == "pygame.time" or name.startswith("time.Clock")
    ]
    assert found == []
