"""A whole comparison as data, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from msgspec import to_builtins

from cabinet.analysis.compare.figures import (
    ComparisonRow,
    Estimate,
    Game,
    Pace,
    PaceRow,
    Simulated,
    faster_from,
    paces,
    rows,
)
from cabinet.analysis.compare.timing import TableTiming
from game.rules import Rules

DECIMALS = 6  # beyond every standard error


@dataclass(frozen=True, slots=True)
class Model:
    """A timing model and the pace of both games under it."""

    timing: TableTiming
    rows: tuple[PaceRow, ...]


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """``rounds`` were played of each game with each number of players, in ``batches``."""

    title: str
    rules: Rules
    chart: str
    rounds: int
    batches: int
    seed: int
    rows: tuple[ComparisonRow, ...]
    models: tuple[Model, ...]

    @property
    def method(self) -> str:
        return (
            f"Rule set: {self.title}. Simulated: {self.rounds:,} rounds of each game with each number of "
            f"players, in {self.batches} batches, seed {self.seed}. Every seat bets one unit and plays by "
            f'the chart "{self.chart}".'
        )


def make_report(
    title: str, rules: Rules, chart: str, seed: int, simulated: Simulated, timings: Sequence[TableTiming]
) -> ComparisonReport:
    return ComparisonReport(
        title=title,
        rules=rules,
        chart=chart,
        rounds=sum(batch.rounds for batch in simulated.common),
        batches=len(simulated.common),
        seed=seed,
        rows=rows(simulated),
        models=tuple(Model(timing, paces(simulated, timing)) for timing in timings),
    )


def as_json(report: ComparisonReport) -> dict[str, object]:
    """Every figure as ``{"value": .., "error": ..}``; lists have an entry for 1 to 7 players."""
    return {
        "title": report.title,
        "rounds": report.rounds,
        "batches": report.batches,
        "seed": report.seed,
        "chart": report.chart,
        "players": [
            {"players": row.seats, "common_hand": _game(row.common), "standard": _game(row.standard)}
            for row in report.rows
        ],
        "models": [
            {
                "timing": to_builtins(model.timing),
                "common_hand_is_faster_from": faster_from(model.rows),
                "players": [
                    {
                        "players": row.seats,
                        "common_hand": _pace(row.common),
                        "standard": _pace(row.standard),
                        "speed_ratio": _figure(row.gain),
                    }
                    for row in model.rows
                ],
            }
            for model in report.models
        ],
        "rules": asdict(report.rules),
        "rules_hash": report.rules.rules_hash,
        "odds_hash": report.rules.odds_hash,
    }


def _game(game: Game) -> dict[str, object]:
    return {
        "cards": _figure(game.cards),
        "decisions": _figure(game.decisions),
        "waits": _figure(game.waits),
        "table_variance": _figure(game.variance),
        "seat_variance": _figure(game.seat_variance),
        "covariance_of_two_seats": _figure(game.covariance),
    }


def _pace(pace: Pace) -> dict[str, object]:
    parts = {name: round(value, DECIMALS) for name, value in asdict(pace.parts).items()}
    return {
        "round_s": _figure(pace.round_s),
        "rounds_per_hour": _figure(pace.rounds_per_hour),
        "parts": parts,
    }


def _figure(figure: Estimate) -> dict[str, float]:
    return {"value": round(figure.value, DECIMALS), "error": round(figure.error, DECIMALS)}
