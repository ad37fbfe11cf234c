"""Simulation of the Common-Hand procedure itself: many rounds, any number of seats, exact counts.

>>> tally = simulate(Job(rules, (chart,), rounds=10_000_000, seed=1))   # doctest: +SKIP
>>> figures(tally).seats[0].edge                                        # doctest: +SKIP

The same job gives the same tally, whoever plays it: one process, many, or a cluster.
"""

from __future__ import annotations

from collections.abc import Callable

from game.analysis.simulate.job import CHUNK_ROUNDS, SimulationJob
from game.analysis.simulate.tally import Figures, SeatFigures, Tally, figures
from game.analysis.simulate.workers import (
    SimulationError,
    cluster_crew,
    local_crew,
    play_alone,
    play_together,
)

__all__ = [
    "CHUNK_ROUNDS",
    "Figures",
    "SeatFigures",
    "SimulationError",
    "SimulationJob",
    "Tally",
    "figures",
    "simulate",
]


def _silent(_done: int, _all: int) -> None:
    """No progress is shown."""


def _never() -> bool:
    """Nobody stops the run."""
    return False


def simulate(
    job: SimulationJob,
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] = _silent,
    stop: Callable[[], bool] = _never,
) -> Tally:
    """Plays a job and counts.

    ``workers`` processes of this machine play, or with ``scheduler`` (``"tcp://127.0.0.1:8786"``)
    the workers of a dask cluster, which need the same version of this program. ``progress`` is told
    the rounds counted and the rounds of the job. When ``stop`` says so, or at Ctrl-C, the tally is
    that of the first ``tally.rounds`` rounds, whole chunks: what a shorter job would have given.
    Programs that call this with several workers need the usual ``if __name__ == "__main__":``.

    Raises SimulationError when the workers cannot be had, ValueError for fewer than one.
    """
    if workers < 1:
        raise ValueError(f"{workers} workers: at least 1")
    if scheduler is not None:
        with cluster_crew(scheduler) as crew:
            return play_together(job, crew, progress, stop)
    if workers == 1:
        return play_alone(job, progress, stop)
    with local_crew(workers) as crew:
        return play_together(job, crew, progress, stop)
