"""Who plays the chunks of a job: this process, processes of this machine, or a dask cluster.

Chunks are started in order, at most ``window`` at a time, and added in order as well; one that is ready
early waits. So what has been added is always the first part of the job, and a run that is stopped has the
tally of a shorter job, to the last digit.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any, Protocol

from game.analysis.simulate.jit import fingerprint
from game.analysis.simulate.job import SimulationJob, nothing_played, play_chunk
from game.analysis.simulate.tally import Tally

# How long to wait before ``stop`` is asked again, and for a scheduler to answer.
POLL_S = 0.2
CONNECT_S = 5
# Chunks in flight per worker: one is played, one lies ready.
AHEAD = 2
# Waits in vain after which a cluster is asked whether it has any workers left: 10 s.
_VAIN_WAITS = 50


class SimulationError(RuntimeError):
    """The workers cannot play; the text is one line that names the remedy."""


class Pending(Protocol):
    """A chunk in flight."""

    def done(self) -> bool: ...

    def result(self) -> Tally: ...

    def cancel(self) -> object: ...


class Crew(Protocol):
    """Somebody who plays chunks."""

    @property
    def window(self) -> int: ...

    def start(self, job: SimulationJob, number: int) -> Pending: ...

    def wait(self, pending: Sequence[Pending]) -> None:
        """Until one of them is done, or ``POLL_S``."""


def play_alone(job: SimulationJob, progress: Callable[[int, int], None], stop: Callable[[], bool]) -> Tally:
    """The chunks one after another in this process."""
    tally = nothing_played(job)
    try:
        for number in range(job.chunks):
            if stop():
                break
            tally = tally.merge(play_chunk(job, number))
            progress(tally.rounds, job.rounds)
    except KeyboardInterrupt:
        pass
    return tally


def play_together(
    job: SimulationJob, crew: Crew, progress: Callable[[int, int], None], stop: Callable[[], bool]
) -> Tally:
    """The chunks by a crew, a bounded number of them in flight."""
    tally = nothing_played(job)
    flying: dict[int, Pending] = {}
    started = added = 0
    try:
        while added < job.chunks and not stop():
            while started < min(job.chunks, added + crew.window):
                flying[started] = crew.start(job, started)
                started += 1
            crew.wait([pending for pending in flying.values() if not pending.done()])
            while added in flying and flying[added].done():
                tally = tally.merge(flying.pop(added).result())
                added += 1
                progress(tally.rounds, job.rounds)
    except KeyboardInterrupt:
        pass
    finally:
        for pending in flying.values():
            pending.cancel()
    return tally


# ---- processes of this machine


class _Processes:
    def __init__(self, pool: futures.ProcessPoolExecutor, workers: int) -> None:
        self._pool = pool
        self.window = AHEAD * workers

    def start(self, job: SimulationJob, number: int) -> Pending:
        return self._pool.submit(play_chunk, job, number)

    def wait(self, pending: Sequence[Any]) -> None:
        futures.wait(pending, POLL_S, futures.FIRST_COMPLETED)


@contextmanager
def local_crew(workers: int) -> Iterator[Crew]:
    """So many processes of this machine. Raises SimulationError when one of them dies."""
    pool = futures.ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts)
    try:
        with pool:
            yield _Processes(pool, workers)
    except futures.process.BrokenProcessPool as error:
        raise SimulationError(
            "a worker process ended before its work was done: look for its last words above, "
            "or run with fewer workers if memory is short"
        ) from error


def _leave_interrupts() -> None:
    """Ctrl-C is for the process that collects; the others finish the chunks that they have begun."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# ---- a cluster


class _Cluster:
    def __init__(self, client: Any, wait: Any, address: str) -> None:
        self._client = client
        self._wait = wait
        self._address = address
        self._vain = 0
        self.window = AHEAD * self._threads()

    def _threads(self) -> int:
        threads = sum(self._client.nthreads().values())
        if not threads:
            raise SimulationError(
                f"the scheduler at {self._address} has no workers: start some with "
                f"'dask worker {self._address}', where this program is installed"
            )
        return int(threads)

    def start(self, job: SimulationJob, number: int) -> Pending:
        pending: Pending = self._client.submit(play_checked, job, number, fingerprint(), pure=False)
        return pending

    def wait(self, pending: Sequence[Pending]) -> None:
        if not pending:
            return
        try:
            self._wait(pending, POLL_S, "FIRST_COMPLETED")
            self._vain = 0
        except TimeoutError:
            self._vain += 1
            if self._vain >= _VAIN_WAITS:
                self._threads()
                self._vain = 0


@contextmanager
def cluster_crew(address: str) -> Iterator[Crew]:
    """The workers of a running dask scheduler. Raises SimulationError when they cannot be used."""
    try:
        import distributed
    except ImportError as error:
        raise SimulationError(
            "a scheduler needs the package 'distributed': install the extra 'lab'"
        ) from error
    library: Any = distributed  # half of it has no types
    try:
        client = library.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SimulationError(
            f"no scheduler answers at {address}: start one with 'dask scheduler', or leave it out and "
            "name a number of workers"
        ) from error
    with client, client.as_current():  # whose futures are waited for
        try:
            yield _Cluster(client, library.wait, address)
        except SimulationError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            raise SimulationError(
                f"the workers of {address} cannot play ({reason}): they need this program installed, in "
                "the same version"
            ) from error


def play_checked(job: SimulationJob, number: int, expected: str) -> Tally:
    """A chunk on another machine, refused when the program there is not the same."""
    if fingerprint() != expected:
        raise RuntimeError("the program of the worker is another version")
    return play_chunk(job, number)
