"""Which tests prove which requirement, and the document that says so.

A test names what it proves with ``@pytest.mark.requirement("CRD-01", ...)`` at the function, its class,
its module (``pytestmark``) or a parameter set. The names are read from the source, so that what is
proven does not depend on which tests were chosen; the results come from a run.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from cabinet.lab.patience import Remaining

ROOT = Path(__file__).parents[3]
REQUIREMENTS = ROOT / "docs" / "requirements.toml"
DOCUMENT = ROOT / "docs" / "compliance.md"
MARKER = "requirement"
CAMPAIGN = "campaign"
LEVELS = ("must", "should", "later")
COLUMNS = "| item | level | what is asked | tests | result |\n|---|---|---|---|---|"

HEAD = """\
# Compliance

Written by `./dev compliance`, which runs the tests that prove an item and records what came of them. Named
are their files, with how many test functions of each; `grep -rn '"CRD-01"' tests` shows those of CRD-01. A
test of the default suite refuses this page when a test is missing from it. The items are those of
`docs/requirements.toml`: what regulators and test laboratories ask of machines with money in them.
*Campaign* tests take minutes and run with `./dev test --campaign`. Nothing here has been measured on a real
validator, printer or board.
"""


@dataclass(frozen=True, slots=True)
class Item:
    """A requirement. `level`: must, should, later."""

    id: str
    group: str
    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A test function that names a requirement. `path` from the root of the project."""

    path: str
    name: str
    campaign: bool

    @property
    def node(self) -> str:
        return f"{self.path}::{self.name}"


@cache
def items() -> dict[str, Item]:
    """Every requirement, in the order of the file. Raises ValueError for one said twice or of no level."""
    found: dict[str, Item] = {}
    with REQUIREMENTS.open("rb") as file:
        groups = tomllib.load(file)["group"]
    for group in groups:
        for name, (level, text) in group["items"].items():
            if name in found or level not in LEVELS:
                raise ValueError(f"{REQUIREMENTS.name}: {name}: said twice, or a level other than {LEVELS}")
            found[name] = Item(name, group["name"], level, text)
    return found


@cache
def proofs(root: Path = ROOT / "tests") -> dict[str, list[Proof]]:
    """Requirement to the tests that name it, in the order of the files."""
    found: dict[str, list[Proof]] = {}
    for path in sorted(root.rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if f"mark.{MARKER}(" not in source:
            continue
        tree = ast.parse(source, str(path))
        place = path.relative_to(root.parent).as_posix()
        for name, marks in _functions(tree, "", _module_marks(tree)):
            proof = Proof(place, name, any(mark.endswith(CAMPAIGN) for mark, _ in marks))
            for mark, named in marks:
                if mark == MARKER:
                    for each in named:
                        known = found.setdefault(each, [])
                        if proof not in known:
                            known.append(proof)
    return found


_Marks = list[tuple[str, list[str]]]


def _functions(tree: ast.AST, prefix: str, marks: _Marks) -> Iterator[tuple[str, _Marks]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            of_class = [mark for each in node.decorator_list for mark in _marks(each)]
            yield from _functions(node, f"{prefix}{node.name}::", marks + of_class)
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            own = [mark for each in node.decorator_list for mark in _marks(each)]
            yield prefix + node.name, marks + own


def _module_marks(tree: ast.Module) -> _Marks:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
        ):
            return _marks(node.value)
    return []


def _marks(node: ast.AST) -> _Marks:
    """All marks in an expression, with their texts."""
    found: _Marks = []
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            texts = [arg.value for arg in each.args if isinstance(arg, ast.Constant)]
            named = [text for text in texts if isinstance(text, str)]
            if each.func.attr == MARKER and len(named) != len(each.args):
                raise ValueError(
                    f"line {each.lineno}: a requirement is named by its text, or the page lacks it"
                )
            found.append((each.func.attr, named))
        elif isinstance(each, ast.Attribute):
            found.append((each.attr, []))
    return found


def document(results: Mapping[str, Mapping[str, int]]) -> str:
    """The page. `results`: node of a test function to how many of its runs had which outcome."""
    proven = proofs()
    lines = [HEAD]
    group = ""
    for item in items().values():
        if item.group != group:
            group = item.group
            lines.append(f"\n## {group}\n\n{COLUMNS}")
        tests = proven.get(item.id, [])
        lines.append(
            f"| {item.id} | {item.level} | {item.text} | {places(tests)} | {_result(item, tests, results)} |"
        )
    return "\n".join(lines) + "\n"


def places(tests: Sequence[Proof]) -> str:
    """The files of some tests, with how many functions of each. Not their names: a test may be renamed."""
    counts = Counter(proof.path.removeprefix("tests/") for proof in tests)
    return "<br>".join(f"`{path}` {count}" for path, count in counts.items())


class Recorder:
    """A plugin of pytest: counts the outcomes of each test function, says how far the run is, and writes the
    page at its end, if all tests have passed."""

    def __init__(self, page: Path = DOCUMENT) -> None:
        self._page = page
        self._results: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._done = self._tenths = 0
        self._remaining = Remaining()

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._results[report.nodeid.partition("[")[0]][report.outcome] += 1
        if report.when == "teardown":
            self._done += 1
            self._progress(self._session.testscollected)

    def _progress(self, total: int) -> None:
        if total and self._done * 10 // total > self._tenths:
            self._tenths = self._done * 10 // total
            left = self._remaining.text(self._done, total)
            self._say(f"{self._done} of {total} tests, {left}")

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.OK:
            self._page.write_text(document(self._results), encoding="utf-8")
            self._say(f"{self._page.name} is written")
        else:
            self._say(f"{self._page.name} stays as it was: not every test has passed")

    def _say(self, text: str) -> None:
        writer = self._session.config.get_terminal_writer()
        writer.line(("" if not writer.width_of_current_line else "\n") + f"compliance: {text}", flush=True)


def _result(item: Item, tests: list[Proof], results: Mapping[str, Mapping[str, int]]) -> str:
    if not tests:
        return "not built" if item.level == "later" else "no test"
    total: dict[str, int] = {}
    for proof in tests:
        outcomes = results.get(proof.node) or {CAMPAIGN if proof.campaign else "not run": 1}
        for outcome, count in outcomes.items():
            total[outcome] = total.get(outcome, 0) + count
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(total.items()))
