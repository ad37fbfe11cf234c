"""What a simulation has found, beside the exact figures: as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cabinet.analysis.par.sheet import rounded
from game.rules import Rules, Shuffle

# Of so many figures one is that far off by chance once in a hundred thousand simulations.
FAR = 5.0


@dataclass(frozen=True, slots=True)
class SimulatedFigure:
    """A figure with its standard error, in the same unit; `exact` where there is one.

    `key` is its name in the JSON; percents are of 100.
    """

    key: str
    name: str
    value: float
    error: float
    exact: float | None = None
    unit: str = ""

    @property
    def off(self) -> float | None:
        """How many standard errors the simulation is off; None if nothing can be said."""
        if self.exact is None or self.error <= 0:
            return None
        return (self.value - self.exact) / self.error


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """`asked` rounds, of which `played` were played in `spent_ms`."""

    title: str
    rules: Rules
    chart: str
    seats: int
    seed: int
    asked: int
    played: int
    spent_ms: int
    findings: Sequence[SimulatedFigure]

    @property
    def worst(self) -> SimulatedFigure | None:
        """The figure that is most off."""
        told = [finding for finding in self.findings if finding.off is not None]
        return max(told, key=lambda finding: abs(finding.off or 0.0), default=None)


def text(report: SimulationReport) -> str:
    """For people, without a newline at its end."""
    return "\n".join(_lines(report))


def _lines(report: SimulationReport) -> Iterator[str]:
    seats = "one seat" if report.seats == 1 else f"{report.seats} seats"
    yield f"SIMULATION   Common-Hand Blackjack   {report.title}"
    rate = f", {1000 * report.played / report.spent_ms:,.0f} a second" if report.spent_ms > 0 else ""
    yield f"{report.played:,} rounds of {seats} in {report.spent_ms / 1000:.1f} s{rate}; seed {report.seed}"
    if report.played < report.asked:
        yield f"stopped by hand: {report.asked:,} rounds were asked for"
    yield f"every seat bets the same each round and plays by the chart {report.chart!r}"
    yield ""
    yield f"{'':34}{'simulated':>14}{'+- s.e.':>12}{'exact':>14}{'off, in s.e.':>14}"
    for finding in report.findings:
        exact = "" if finding.exact is None else f"{finding.exact:.6f}"
        off = "" if finding.off is None else f"{finding.off:+.2f}"
        name = finding.name + (f", {finding.unit}" if finding.unit else "")
        yield f"{name:34}{finding.value:>14.6f}{finding.error:>12.6f}{exact:>14}{off:>14}"
    yield ""
    yield from _verdict(report)


def _verdict(report: SimulationReport) -> Iterator[str]:
    worst = report.worst
    if worst is None or worst.off is None:
        yield "Nothing to compare with."
        return
    if report.rules.shuffle is Shuffle.CUT_CARD:
        yield "The exact figures are of a complete shoe; with the cut card later rounds differ a little."
    if abs(worst.off) < FAR:
        off = f"{abs(worst.off):.1f} standard errors"
        yield f"Simulation and exact figures agree: none is off by more than {off}."
    else:
        yield f"{worst.name} is off by {worst.off:+.1f} standard errors: that is not chance."


def as_json(report: SimulationReport) -> dict[str, Any]:
    """Everything, by the keys of the findings."""
    return {
        "title": report.title,
        "rounds": report.played,
        "rounds_asked": report.asked,
        "seats": report.seats,
        "seed": report.seed,
        "seconds": report.spent_ms / 1000,
        "chart": report.chart,
        "rules_hash": report.rules.rules_hash,
        "odds_hash": report.rules.odds_hash,
        "figures": {
            finding.key: {
                "value": rounded(finding.value),
                "standard_error": rounded(finding.error),
                "exact": None if finding.exact is None else rounded(finding.exact),
                "off_in_standard_errors": None if finding.off is None else rounded(finding.off),
            }
            for finding in report.findings
        },
    }
