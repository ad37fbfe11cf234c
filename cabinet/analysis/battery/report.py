"""The battery's report: every p-value, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from cabinet.analysis.battery.dieharder import DieharderLine
from cabinet.analysis.battery.result import Result
from cabinet.analysis.battery.verdict import LEVEL, BatteryVerdict

NAME_WIDTH = 52


@dataclass(frozen=True, slots=True)
class BatteryReport:
    """`source` is where the data came from, `amount` how many, `notes` what could not be tested."""

    source: str
    amount: str
    results: Sequence[Result]
    verdict: BatteryVerdict
    dieharder: Sequence[DieharderLine] = ()
    notes: Sequence[str] = ()

    @property
    def passed(self) -> bool:
        return self.verdict.passed and not any(line.assessment == "FAILED" for line in self.dieharder)

    @property
    def reasons(self) -> tuple[str, ...]:
        failed = tuple(f"dieharder {line.test}" for line in self.dieharder if line.assessment == "FAILED")
        return self.verdict.reasons + failed


def as_text(report: BatteryReport) -> str:
    look = report.verdict.look
    tested = [result.p for result in report.results if not result.exact]
    lines = [f"source: {report.source}", f"amount: {report.amount}", ""]
    lines += [_line(result) for result in report.results]
    if report.verdict.repeated:
        lines += ["", "repeated on fresh data:"] + [_line(result) for result in report.verdict.repeated]
    if report.dieharder:
        lines += ["", "dieharder:"]
        lines += [f"{line.test:<{NAME_WIDTH}} {line.p:<11.8f} {line.assessment}" for line in report.dieharder]
    lines += ["", f"{len(tested)} p-values, the smallest {min(tested, default=1.0):.2g}"]
    lines.append(f"uniformity of the p-values (Kolmogorov-Smirnov): p {look.ks:.4f}, limit {LEVEL}")
    lines.append(f"rejected at {LEVEL:.0%} for all tests together (Holm): {len(look.rejected)}")
    lines += [f"note: {note}" for note in report.notes]
    lines += [f"{'about' if report.passed else 'failed'}: {reason}" for reason in report.reasons]
    lines.append("PASSED" if report.passed else "FAILED")
    return "\n".join(lines)


def _line(result: Result) -> str:
    p = (
        "exact    "
        if result.exact and result.p == 1
        else f"{result.p:<9.2g}"
        if result.p < 1e-4
        else f"{result.p:<9.5f}"
    )
    return f"{result.name:<{NAME_WIDTH}} {p} {result.detail}"


def as_json(report: BatteryReport) -> str:
    verdict = report.verdict
    return json.dumps(
        {
            "passed": report.passed,
            "reasons": list(report.reasons),
            "source": report.source,
            "amount": report.amount,
            "uniformity_p": verdict.look.ks,
            "rejected": list(verdict.look.rejected),
            "results": [_fields(result) for result in report.results],
            "repeated": [_fields(result) for result in verdict.repeated],
            "dieharder": [
                {"test": line.test, "p": line.p, "assessment": line.assessment} for line in report.dieharder
            ],
            "notes": list(report.notes),
        },
        indent=2,
    )


def _fields(result: Result) -> dict[str, str | float | bool]:
    return {"name": result.name, "p": result.p, "detail": result.detail, "exact": result.exact}
