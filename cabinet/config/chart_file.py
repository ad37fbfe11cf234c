"""A strategy chart on disk: ``charts/HASH.json``, HASH being the odds hash of the rules it is for.

``cabinet par --write-chart`` writes it, the cabinet reads it for its help page. A file says which
rules it was counted for and what the house keeps from a player who follows it; whatever does not
belong together (another name, other rules, a row too short) is refused with its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cabinet.config.problems import TOP, Problem, UnreadableError, read_text
from drivers.tables import shown
from game.chart import HARD_TOTALS, SOFT_TOTALS, Chart, ChartError
from game.rules import SPLIT_RANKS, Rules

FORMAT = 1
FOLDER = "charts"
_KEYS = ("format", "odds_hash", "rules", "figures", "chart")


@dataclass(frozen=True, slots=True)
class ChartFile:
    """A chart with its figures, by name ("house_edge_td_percent"); each a plain number."""

    chart: Chart
    figures: Mapping[str, float]


def file_name(rules: Rules) -> str:
    """Under which name a chart for these rules is kept."""
    return f"{rules.odds_hash}.json"


def find(rules: Rules, *folders: Path) -> Path | None:
    """The chart of these rules in the first folder that has one."""
    places = (folder / FOLDER / file_name(rules) for folder in folders)
    return next((place for place in places if place.is_file()), None)


def read(path: Path, rules: Rules, problems: list[Problem]) -> ChartFile | None:
    """The chart in a file; what is wrong with it goes to ``problems``."""
    try:
        tree = json.loads(read_text(path))
    except UnreadableError as error:
        problems.append(Problem(str(path), TOP, "", error.found, error.allowed))
        return None
    except (ValueError, RecursionError) as error:  # no JSON, or nested too deeply
        problems.append(Problem(str(path), TOP, "", f"no JSON ({error})", "JSON in UTF-8"))
        return None
    if not isinstance(tree, dict):
        problems.append(Problem(str(path), TOP, "", shown(tree), "an object"))
        return None
    wrong = [Problem(str(path), TOP, *row) for row in _wrong(tree, rules)]
    chart: Chart | None = None
    try:
        chart = Chart.parse(tree["chart"]) if isinstance(tree.get("chart"), dict) else None
    except ChartError as error:
        wrong += [Problem(str(path), "chart", row.key, row.found, row.allowed) for row in error.problems]
    problems.extend(wrong)
    return ChartFile(chart, MappingProxyType(tree["figures"])) if chart and not wrong else None


def _wrong(tree: Mapping[str, Any], rules: Rules) -> Iterator[tuple[str, str, str]]:
    """Key, found, allowed."""
    for key in tree:
        if key not in _KEYS:
            yield key, "an unknown key", "one of " + ", ".join(_KEYS)
    for key, allowed in (("format", FORMAT), ("odds_hash", rules.odds_hash), ("rules", _odds(rules))):
        if tree.get(key) != allowed or isinstance(tree.get(key), bool):
            yield key, shown(tree.get(key)), json.dumps(allowed)
    figures = tree.get("figures")
    if not isinstance(figures, dict):
        yield "figures", shown(figures), "an object of numbers"
    else:
        for name, value in figures.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                yield f"figures.{name}", shown(value), "a number"
    if not isinstance(tree.get("chart"), dict):
        yield "chart", shown(tree.get("chart")), "an object with name, hard, soft, pairs"


def written(rules: Rules, chart: Chart, figures: Mapping[str, float]) -> str:
    """The text of the file. Equal input gives equal text."""
    tree = {
        "format": FORMAT,
        "odds_hash": rules.odds_hash,
        "rules": _odds(rules),
        "figures": dict(figures),
        "chart": rows_of(chart),
    }
    return json.dumps(tree, indent=1, ensure_ascii=False) + "\n"


def rows_of(chart: Chart) -> dict[str, object]:
    """A chart as `Chart.parse` takes it: rows of ten letters by total or rank."""
    return {
        "name": chart.name,
        "hard": {str(total): row for total, row in zip(HARD_TOTALS, chart.hard, strict=True)},
        "soft": {str(total): row for total, row in zip(SOFT_TOTALS, chart.soft, strict=True)},
        "pairs": {rank: row for rank, row in zip(SPLIT_RANKS, chart.pairs, strict=True) if row},
    }


def _odds(rules: Rules) -> dict[str, object]:
    """The rules that the odds depend on, as they stand in the file."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in rules.odds.items()}
