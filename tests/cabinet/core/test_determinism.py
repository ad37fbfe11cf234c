"""The same seed gives the same journal, byte for byte, in every process."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator

from cabinet.lab.patience import PATIENCE_S
from support.programs.source import ROOT, Module, modules

CHILD = """
import hashlib
from support.evenings.evening import Evening
from support.evenings.machines import Crowd
crowd = Crowd(Evening(seats=3, shared=True, large_win_cents=2_000), 5)
for _ in range(500):
    crowd.step()
print(len(crowd.evening.journal), hashlib.sha256(repr(crowd.evening.journal).encode()).hexdigest())
"""


def test_two_hash_seeds_give_the_same_facts() -> None:
    said = []
    for seed in ("1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
        run = subprocess.run(
            [sys.executable, "-c", CHILD],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[0] == said[1]
    assert int(said[0].split()[0]) > 250


# ---- and the reason: nothing in the core ever goes through a set


def core() -> list[Module]:
    found = [module for module in modules() if module.within("cabinet.core")]
    assert len(found) > 15
    return found


def is_set(node: ast.expr, names: set[str]) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor()):
            return is_set(node.left, names) or is_set(node.right, names)
    return False


def set_names(tree: ast.Module) -> set[str]:
    """Names that hold a set somewhere in the module."""
    names: set[str] = set()
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign) and is_set(node.value, names):
            targets = list(node.targets)
        elif isinstance(node, ast.AnnAssign) and node.value is not None and is_set(node.value, names):
            targets = [node.target]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def iterated(tree: ast.Module) -> Iterator[ast.expr]:
    """Everything whose order matters: loops, comprehensions, and what makes a sequence of something."""
    for node in ast.walk(tree):
        match node:
            case ast.For(iter=source) | ast.comprehension(iter=source) | ast.Starred(value=source):
                yield source
            case ast.Call(
                func=ast.Name(id="list" | "tuple" | "iter" | "enumerate" | "zip" | "map"), args=args
            ):
                yield from args


def test_no_set_is_iterated_in_the_core() -> None:
    found = []
    for module in core():
        names = set_names(module.tree)
        found += [module.at(node.lineno) for node in iterated(module.tree) if is_set(node, names)]
    assert found == []


def test_the_search_finds_what_it_looks_for() -> None:
    lines = (
        "a = {1}",
        "b = frozenset(a)",
        "for x in a: pass",
        "c = [y for y in set(z)]",
        "d = tuple(b | q)",
        "for x in sorted(a): pass",
        "e = [*{2, 3}]",
    )
    tree = ast.parse("\n".join(lines))
    names = set_names(tree)
    assert sorted(node.lineno for node in iterated(tree) if is_set(node, names)) == [3, 4, 5, 7]
