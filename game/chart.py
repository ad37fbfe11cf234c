"""Strategy charts: which choice to make with a hand against an upcard, as data.

A chart has one row of ten letters per total, for the upcards 2 3 4 5 6 7 8 9 10 A: H hit, S stand,
D double, P split. Rows of pairs are optional and named by rank; all other rows are complete, so
that every hand that can be asked for has an answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from game.cards import POINTS, Card
from game.hand import total
from game.play import Choice
from game.rules import SPLIT_RANKS, RuleProblem, Rules, RulesRefusedError, written

UPCARDS: tuple[str, ...] = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "A")
HARD_TOTALS = range(4, 21)
SOFT_TOTALS = range(12, 21)


class ChartError(RulesRefusedError):
    """A chart was refused."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Rows of ten letters. ``hard[0]`` is hard 4, ``soft[0]`` is soft 12 (two aces).

    ``pairs`` has one row per rank in the order A 2 .. 10 (10: any two ten-valued cards); a rank
    without a row has "" and is played by its total.
    """

    name: str
    hard: tuple[str, ...]
    soft: tuple[str, ...]
    pairs: tuple[str, ...]

    @classmethod
    def parse(cls, mapping: Mapping[str, object]) -> Chart:
        """A chart from a decoded TOML table with ``name`` and the tables hard, soft, pairs.

        Rows are strings of ten letters, spaces allowed; keys of rows are totals or ranks. Raises
        ChartError with all problems.
        """
        problems = [
            RuleProblem(key, "an unknown key", "name, hard, soft, pairs")
            for key in mapping
            if key not in ("name", "hard", "soft", "pairs")
        ]
        name = mapping.get("name", "")
        if not isinstance(name, str) or not name:
            problems.append(RuleProblem("name", written(name), "a text that is not empty"))
        hard = _rows(mapping, "hard", tuple(map(str, HARD_TOTALS)), "HSD", problems)
        soft = _rows(mapping, "soft", tuple(map(str, SOFT_TOTALS)), "HSD", problems)
        pairs = _rows(mapping, "pairs", SPLIT_RANKS, "HSDP", problems)
        if problems:
            raise ChartError(problems)
        return cls(str(name), hard, soft, pairs)


def advise(
    chart: Chart, rules: Rules, cards: Sequence[Card], upcard: Card, legal: Sequence[Choice]
) -> Choice:
    """The choice of the chart for a hand, always one of ``legal`` (which has HIT and STAND).

    A pair by the rules of the table follows its row. Where that says split and it is not legal
    (after a split, or for want of credit), the total decides; a double that is not legal is a
    hit, or a stand from hard 17 and soft 18 on, where a card more often harms than helps.
    """
    column = (POINTS[upcard] + 8) % 10
    if rules.may_split(cards) and (row := chart.pairs[POINTS[cards[0]] - 1]):
        if row[column] != "P":
            return _choice(row[column], cards, legal)
        if Choice.SPLIT in legal:
            return Choice.SPLIT
    now = total(cards)
    if now.best >= 21:
        return Choice.STAND
    row = chart.soft[now.best - SOFT_TOTALS[0]] if now.soft else chart.hard[now.best - HARD_TOTALS[0]]
    return _choice(row[column], cards, legal)


def _choice(letter: str, cards: Sequence[Card], legal: Sequence[Choice]) -> Choice:
    match letter:
        case "H":
            return Choice.HIT
        case "S":
            return Choice.STAND
        case _ if Choice.DOUBLE in legal:
            return Choice.DOUBLE
        case _:
            now = total(cards)
            return Choice.STAND if now.best >= (18 if now.soft else 17) else Choice.HIT


def _rows(
    mapping: Mapping[str, object],
    table: str,
    keys: tuple[str, ...],
    letters: str,
    problems: list[RuleProblem],
) -> tuple[str, ...]:
    """The rows of one table in the order of ``keys``, "" where a pair has none."""
    rows = mapping.get(table)
    if not isinstance(rows, Mapping):
        problems.append(RuleProblem(table, written(rows), "a table of rows"))
        return ()
    unknown = [key for key in rows if key not in keys]
    problems += [RuleProblem(f"{table}.{key}", "an unknown row", ", ".join(keys)) for key in unknown]
    found = []
    for key in keys:
        row = rows.get(key)
        packed = "".join(row.split()).upper() if isinstance(row, str) else None
        optional = table == "pairs" and key not in rows
        complete = packed is not None and len(packed) == len(UPCARDS) and set(packed) <= set(letters)
        if not complete and not optional:
            allowed = f"{len(UPCARDS)} letters of {' '.join(letters)}, for the upcards {' '.join(UPCARDS)}"
            problems.append(
                RuleProblem(f"{table}.{key}", "nothing" if row is None else written(row), allowed)
            )
        found.append(packed or "")
    return tuple(found)
