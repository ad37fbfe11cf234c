"""How the code is laid out: small folders, no circles, and of each package what others may import."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from support.programs.source import ROOT, Module, modules

MODULES_MOST = 15  # in a folder; its __init__ aside


@cache
def packages() -> Mapping[str, Module]:
    return {module.name: module for module in modules() if module.path.endswith("/__init__.py")}


def face(package: Module) -> set[str]:
    """``__all__``: names, and modules that others may import."""
    for node in package.tree.body:
        target: ast.expr | None = None
        match node:
            case ast.AnnAssign():
                target = node.target
            case ast.Assign():
                target = node.targets[0]
        if isinstance(target, ast.Name) and target.id == "__all__":
            assert isinstance(node, ast.Assign | ast.AnnAssign)
            assert node.value is not None
            return set(ast.literal_eval(node.value))
    raise AssertionError(f"{package.path}: no __all__")


def circles(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups that can reach each other (Tarjan, without recursion it would be longer)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = low[name] = len(order)
        stack.append(name)
        for target in sorted(arrows.get(name, ())):
            if target not in order:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], order[target])
        if low[name] == order[name]:
            place = stack.index(name)
            group = stack[place:]
            del stack[place:]
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(arrows):
        if name not in order:
            visit(name)
    return found


def rooms() -> Mapping[str, Mapping[str, set[str]]]:
    """For each folder: which of its modules and folders import which others of it, wherever inside."""
    names = {module.name for module in modules()}
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module in modules():
        for entry in module.imports:
            if entry.target not in names:
                continue
            ours, theirs = module.name.split("."), entry.target.split(".")
            shared = 0
            while shared < min(len(ours), len(theirs)) and ours[shared] == theirs[shared]:
                shared += 1
            here = ours[shared] if shared < len(ours) else "__init__"
            there = theirs[shared] if shared < len(theirs) else "__init__"
            if here != there:
                found[".".join(ours[:shared])][here].add(there)
    return found


def folders() -> Iterator[tuple[str, int]]:
    for top in ("game", "drivers", "cabinet", "tests"):
        for folder in sorted({path.parent for path in (ROOT / top).rglob("*.py")}):
            count = sum(path.name != "__init__.py" for path in folder.glob("*.py"))
            yield folder.relative_to(ROOT).as_posix(), count


def test_no_folder_is_a_heap() -> None:
    assert [(folder, count) for folder, count in folders() if count > MODULES_MOST] == []


def test_no_module_imports_its_importer() -> None:
    """Imports for types count."""
    names = {module.name for module in modules()}
    arrows = {module.name: {entry.target for entry in module.imports} & names for module in modules()}
    assert circles(arrows) == []


def test_the_rooms_of_a_folder_are_in_no_circle() -> None:
    found = {folder: circles(arrows) for folder, arrows in rooms().items()}
    assert {folder: groups for folder, groups in found.items() if groups} == {}


def test_circles_are_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


@pytest.mark.parametrize("name", sorted(packages()))
def test_a_package_says_what_lives_there(name: str) -> None:
    assert (ast.get_docstring(packages()[name].tree) or "").strip()


def test_what_a_package_does_not_show_is_imported_by_nobody_outside() -> None:
    shown = {name: face(package) for name, package in packages().items()}
    hidden = []
    for module in modules():
        for entry in module.imports:
            parts = entry.target.split(".")
            for depth in range(1, len(parts)):
                package = ".".join(parts[:depth])
                if package in shown and not module.within(package) and parts[depth] not in shown[package]:
                    hidden.append(f"{module.at(entry.line)}: {entry.target}, which {package} does not show")
    assert hidden == []


def test_what_a_package_shows_is_there_and_wanted() -> None:
    """A name in ``__all__`` is defined there, or a module that somebody outside imports."""
    names = {module.name for module in modules()}
    wanted = defaultdict(set)
    for module in modules():
        for entry in module.imports:
            parts = entry.target.split(".")
            for depth in range(1, len(parts)):
                if not module.within(above := ".".join(parts[:depth])):
                    wanted[above].add(parts[depth])
    for name, package in packages().items():
        shown = {entry for entry in face(package) if f"{name}.{entry}" in names}
        assert shown <= wanted[name], f"{package.path} shows what nobody outside imports"
