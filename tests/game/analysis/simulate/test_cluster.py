"""A real cluster on this machine counts what one process counts."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import pytest

from game.analysis.simulate import workers as simulate_workers
from game.analysis.simulate.run import CHUNK_ROUNDS, SimulationError, SimulationJob, simulate
from game.rules import Rules
from support.evenings.rounds import default_chart

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    library: Any = distributed
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))  # where the workers find the program
        with library.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        ) as local:
            yield local


@pytest.fixture
def job() -> SimulationJob:
    return SimulationJob(Rules(), (default_chart(),), 3 * CHUNK_ROUNDS + 7, seed=12)


def test_a_cluster_counts_the_same(cluster: Any, job: SimulationJob) -> None:
    shown: list[int] = []
    tally = simulate(job, scheduler=cluster.scheduler_address, progress=lambda done, _of: shown.append(done))
    assert tally == simulate(job)
    assert shown == [500_000, 1_000_000, 1_500_000, 1_500_007]


def test_a_cluster_can_be_stopped(cluster: Any, job: SimulationJob) -> None:
    done: list[int] = []
    long = SimulationJob(job.rules, job.charts, 400 * CHUNK_ROUNDS, job.seed)
    tally = simulate(
        long, 1, cluster.scheduler_address, lambda rounds, _of: done.append(rounds), lambda: bool(done)
    )
    assert tally == simulate(SimulationJob(job.rules, job.charts, done[-1], job.seed))


def test_workers_of_another_version_are_refused(
    cluster: Any, job: SimulationJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulate_workers, "fingerprint", lambda: "another")
    with pytest.raises(SimulationError, match=r"another version.*same version") as refusal:
        simulate(job, scheduler=cluster.scheduler_address)
    assert cluster.scheduler_address in str(refusal.value)


def test_a_dead_address_is_named_with_the_remedy(job: SimulationJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate_workers, "CONNECT_S", 1)
    with socket.socket() as taken:  # a port where nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SimulationError) as refusal:
            simulate(job, scheduler=address)
    assert "\n" not in str(refusal.value)
    assert address in str(refusal.value)
    assert "dask scheduler" in str(refusal.value)


@pytest.mark.parametrize("address", ["nonsense://here", "tcp://127.0.0.1:notaport"])
def test_an_address_that_is_none_is_named(job: SimulationJob, address: str) -> None:
    with pytest.raises(SimulationError, match=address):
        simulate(job, scheduler=address)
