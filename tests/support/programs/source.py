"""The product's source as data: modules, what they import, what they call. For the architecture tests."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("game", "drivers", "cabinet")
STANDARD = frozenset(sys.stdlib_module_names) | {"__future__"}


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module: ``target`` is dotted and as exact as the tree tells ("cabinet.program.field")."""

    target: str
    line: int

    @property
    def top(self) -> str:
        return self.target.partition(".")[0]


@dataclass(frozen=True)
class Module:
    name: str  # dotted
    path: str  # from the root, with slashes
    tree: ast.Module
    lines: int

    @property
    def imports(self) -> tuple[Import, ...]:
        return tuple(_imports(self))

    def within(self, *prefixes: str) -> bool:
        """Whether the module is one of ``prefixes`` or inside one."""
        return any(self.name == prefix or self.name.startswith(prefix + ".") for prefix in prefixes)

    def at(self, line: int) -> str:
        return f"{self.path}:{line}"


@cache
def modules() -> tuple[Module, ...]:
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            relative = path.relative_to(ROOT)
            parts = relative.with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = path.read_text(encoding="utf-8")
            found.append(Module(name, relative.as_posix(), ast.parse(text), text.count("\n")))
    return tuple(found)


@cache
def module_names() -> frozenset[str]:
    return frozenset(module.name for module in modules())


def _imports(module: Module) -> Iterator[Import]:
    """Also those inside functions and under TYPE_CHECKING: a direction holds for all of them."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module.at(node.lineno)}: a relative import"
            assert node.module is not None
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield Import(full if full in module_names() else node.module, node.lineno)


def reachable(*starts: str) -> frozenset[str]:
    """Every module of the product that ``starts`` import, directly or not, with their packages."""
    by_name = {module.name: module for module in modules()}
    seen: set[str] = set()
    waiting = [name for name in starts if name in by_name]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        targets = [entry.target for entry in by_name[name].imports]
        targets.append(name.rpartition(".")[0])
        waiting.extend(target for target in targets if target in by_name)
    return frozenset(seen)


def is_inside(target: str, *prefixes: str) -> bool:
    return any(target == prefix or target.startswith(prefix + ".") for prefix in prefixes)
