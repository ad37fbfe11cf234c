"""The charts that come with the program are what the mathematics says, for every rule set."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.analysis.par.sheet import figures_of
from cabinet.analysis.rules_option import load_rules
from cabinet.config import chart_file, shipped_folder
from game.analysis.exact import analyse

RULE_SETS = sorted((shipped_folder() / "rules").glob("*.toml"))


@pytest.mark.campaign
@pytest.mark.parametrize("file", RULE_SETS, ids=lambda path: path.stem)
def test_a_shipped_chart_is_counted_again(file: Path) -> None:
    """That of the default rules is in `test_par`, each time."""
    rules = load_rules(file)
    odds = analyse(rules)
    shipped = chart_file.find(rules, shipped_folder())
    assert shipped is not None
    assert shipped.read_text(encoding="utf-8") == chart_file.written(rules, odds.chart, figures_of(odds))
