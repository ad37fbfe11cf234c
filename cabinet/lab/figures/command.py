"""``./dev bench``: the figures that the program is measured by, each with its goal and its method.

Figures are no tests: a missed goal is printed, not an error. CPU times are process times, medians of
several runs; wall times are medians too. Run it on a quiet machine.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from cabinet.cli.arguments import NamedPath
from cabinet.config import file as configuration
from cabinet.lab import strategy, table
from cabinet.lab.figures import (
    days as figures_days,
)
from cabinet.lab.figures import (
    loop as figures_loop,
)
from cabinet.lab.figures import (
    play as figures_play,
)
from cabinet.lab.figures import (
    screen as figures_screen,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. `goal` is the most (or, with `at_least`, the least) that is wanted."""

    name: str
    value: float
    unit: str
    goal: float | None
    method: str
    at_least: bool = False

    @property
    def verdict(self) -> str:
        if self.goal is None:
            return ""
        met = self.value >= self.goal if self.at_least else self.value <= self.goal
        return "met" if met else "MISSED"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured. `hours`: of the runs for speed, `memory_hours`: of the run for memory."""

    runs: int = 5
    frames: int = 600
    hours: float = 1.0
    memory_hours: float = 24.0
    decisions: int = 20_000
    engine_rounds: int = 20_000
    simulated_rounds: int = 20_000_000


DAY_HOURS = 24

Measure = Callable[[Plan], list[Figure]]


def _frames(plan: Plan) -> list[Figure]:
    idle, dealing, full = (
        statistics.median(times)
        for times in zip(*(figures_screen.frame_ms(plan.frames) for _ in range(plan.runs)), strict=True)
    )
    how = f"CPU per frame at 1920x1080 on the dummy driver, {plan.frames} frames, median of {plan.runs} runs"
    return [
        Figure("frame_idle", idle, "ms", 0.3, how + "; a table that waits for bets"),
        Figure("frame_dealing", dealing, "ms", 4.0, how + "; a round from the deal to the settlement"),
        Figure("frame_full_redraw", full, "ms", None, how + "; the same frames, each drawn whole"),
    ]


def _slow_commit(plan: Plan) -> list[Figure]:
    late, frames, commits = figures_loop.late_frames(delay_ms=300, rounds=2)
    how = f"real clock, every commit held for 300 ms, {commits} commits while {frames} frames were drawn"
    return [Figure("late_frames_slow_commit", late, "frames", 0, how)]


def _start(plan: Plan) -> list[Figure]:
    times = [figures_loop.start_s() for _ in range(plan.runs)]
    how = (
        f"a new process, from its start to the first attract frame on the dummy driver, median of {plan.runs}"
    )
    return [Figure("start_to_attract", statistics.median(times), "s", 1.5, how)]


def _latencies(plan: Plan) -> list[Figure]:
    edge, debounce_ms = figures_days.edge_to_lamp_ms()
    credit, poll_ms = figures_days.vend_to_credit_ms()
    frame_ms = 1000 / 60
    return [
        Figure(
            "edge_to_lamp", edge, "ms", debounce_ms + 2 * frame_ms,
            f"virtual time from a contact's edge to a lamp; goal: debounce {debounce_ms} ms + 2 frames",
        ),
        Figure(
            "vend_valid_to_credit", credit, "ms", poll_ms + 2 * frame_ms,
            f"virtual time from the machine's VEND VALID to the published credit, and one frame; "
            f"goal: one poll ({poll_ms} ms) + commit + 1 frame",
        ),
    ]  # fmt: skip


def _days(plan: Plan) -> list[Figure]:
    found = []
    for cabinet, goal in (("slot1", 1000), ("table5", 300)):
        for faults, name in ((False, ""), (True, "_faults")):
            speed = figures_days.speed(cabinet, plan.hours, faults=faults)
            how = (
                f"{plan.hours:g} h of a day at {cabinet}, faults {'on' if faults else 'off'}, memory wires, "
            )
            how += "journal in memory, all checks; session time by CPU time of one core"
            least = None if faults and cabinet == "slot1" else goal
            found.append(Figure(f"virtual_speed_{cabinet}{name}", speed, "x", least, how, at_least=True))
    return found


def _decisions(plan: Plan) -> list[Figure]:
    rates = [figures_days.decisions_per_s(plan.decisions) for _ in range(plan.runs)]
    how = f"{plan.decisions} events of an evening decided again, no journal, median of {plan.runs}"
    return [Figure("events_decided", statistics.median(rates), "1/s", 20_000, how, at_least=True)]


def _play(plan: Plan) -> list[Figure]:
    chart = strategy.chart_of(configuration.load(table.cabinet_file("table5")))
    engine = [figures_play.engine_rounds_per_s(chart, plan.engine_rounds) for _ in range(plan.runs)]
    simulated = [figures_play.simulated_rounds_per_s(chart, plan.simulated_rounds) for _ in range(plan.runs)]
    how = f"rounds of one seat by CPU time of one core, compiled before, median of {plan.runs} runs of"
    return [
        Figure(
            "engine_rounds", statistics.median(engine), "1/s", 20_000,
            f"{how} {plan.engine_rounds}; game.round itself", at_least=True,
        ),
        Figure(
            "simulated_rounds", statistics.median(simulated), "1/s", 5_000_000,
            f"{how} {plan.simulated_rounds}; the simulation", at_least=True,
        ),
    ]  # fmt: skip


def _memory(plan: Plan) -> list[Figure]:
    hours = plan.memory_hours
    first_mb, last_mb = figures_days.memory_mb(hours)
    growth = 100 * (last_mb - first_mb) / first_mb
    how = f"resident memory of a process that plays {hours:g} virtual hours at table5, faults on"
    return [
        Figure("rss", last_mb, "MB", 160, how + ", at the end"),
        # A program fills its caches in the first hour: only a whole day can be held against the goal.
        Figure(
            "rss_growth", growth, "%", 2 if hours >= DAY_HOURS else None,
            f"{how}, from hour {hours / DAY_HOURS:g} to hour {hours:g}",
        ),
    ]  # fmt: skip


MEASURES: Mapping[str, Measure] = {
    "frames": _frames,
    "slow-commit": _slow_commit,
    "start": _start,
    "latencies": _latencies,
    "days": _days,
    "decisions": _decisions,
    "play": _play,
    "memory": _memory,
}


def measure(plan: Plan, only: str = "") -> list[Figure]:
    """The figures, printed as they come."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
    found: list[Figure] = []
    for name, take in MEASURES.items():
        if only and only != name:
            continue
        wait = f" ({plan.memory_hours:g} virtual hours: minutes)" if name == "memory" else ""
        click.echo(f"measuring {name}{wait} ...", err=True)
        for figure in take(plan):
            found.append(figure)
            goal = "" if figure.goal is None else f"goal {figure.goal:g} {figure.unit}, {figure.verdict}"
            click.echo(f"{figure.name:26} {figure.value:12.3f} {figure.unit:7} {goal:30} {figure.method}")
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--json", "json_path", type=NamedPath(dir_okay=False), help="Write them here too.")
@click.option("--only", type=click.Choice(list(MEASURES)), default=None, help="One group of figures.")
@click.option(
    "--quick", is_flag=True, help="Memory over a virtual hour instead of a whole day (which takes minutes)."
)
def main(json_path: Path | None, only: str | None, quick: bool) -> None:
    """Measure speed, latency and memory, and print each figure with its goal and method."""
    found = measure(Plan(memory_hours=1.0 if quick else DAY_HOURS), only or "")
    if json_path is not None:
        json_path.parent.mkdir(parents=True, exist_ok=True)
        rows = [{**asdict(figure), "verdict": figure.verdict} for figure in found]
        json_path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    sys.exit(0)


if __name__ == "__main__":
    main()
