"""A condition code stands in one table; elsewhere it has a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from cabinet.core.conditions import BY_CODE, PRIORITY, Code
from support.programs.source import modules

TABLE = "cabinet.core.conditions"
CODE = re.compile(rf"\b({'|'.join(Code)})\b")


def strings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Every text that the program uses: docstrings aside."""
    documents = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documents:
            yield node


def test_no_code_is_written_outside_the_table() -> None:
    found = [
        f"{module.at(node.lineno)}: {node.value!r}"
        for module in modules()
        if module.name != TABLE
        for node in strings(module.tree)
        if CODE.search(str(node.value))
    ]
    assert found == [], "use cabinet.core.conditions.Code"


def test_every_code_has_its_row_in_the_same_order() -> None:
    assert list(BY_CODE) == list(PRIORITY) == [code for code in Code if code is not Code.POWER_LOST]
