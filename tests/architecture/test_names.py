"""One word, one thing: a class has its name alone."""

from __future__ import annotations

import ast
from collections import defaultdict

from support.programs.source import ROOT

ROOMS = ("cabinet", "drivers", "game")


def classes() -> dict[str, list[str]]:
    """Name of each class to the modules that define it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(path.relative_to(ROOT).with_suffix("").as_posix())
    return found


def package_of(module: str) -> str:
    """The package of a protocol, or of a kind of device, in `drivers`; "" elsewhere."""
    room, *folders, _name = module.split("/")
    return "/".join(folders[:2]) if room == "drivers" else ""


def is_role(modules: list[str]) -> bool:
    """Each protocol has a line, a job and a state of health, and calls them so. A driver and the machine
    that is simulated for it are two things, with two names."""
    packages = {package_of(module) for module in modules}
    simulated = {package.startswith("sim/") for package in packages}
    return "" not in packages and len(packages) == len(modules) and len(simulated) == 1


def test_no_class_has_the_name_of_another() -> None:
    twice = {name: modules for name, modules in classes().items() if len(modules) > 1}
    assert {name: modules for name, modules in twice.items() if not is_role(modules)} == {}
    assert "Line" in twice  # what the rule lets pass is there
