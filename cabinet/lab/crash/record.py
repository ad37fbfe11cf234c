"""The disk of a crashed evening: which of its writes had been flushed at each point.

The evening is played once in a process of its own under strace, which writes ``ack N`` at point N. As the
evening is the same every time, the disk at point N of the recording is the disk at point N of every other
run. A cut inside a commit may fall between any two of its system calls.
"""

from __future__ import annotations

import copy
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cabinet.lab.crash.disk import OPTIONS, Call, Disk, DiskAct, calls_of


class RecordError(Exception):
    """The recording failed: what the child said."""


def at_hand() -> bool:
    """strace is installed and may trace: some containers forbid it."""
    if shutil.which("strace") is None:
        return False
    probe = ["strace", "-f", "--seccomp-bpf", "-o", os.devnull, "-e", "trace=openat", "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


@dataclass(slots=True)
class Recording:
    """The system calls of one evening, followed point by point."""

    calls: Sequence[Call]
    digest: str  # of the journal at the end: another run that ends with it was the same
    disk: Disk = field(default_factory=lambda: Disk({}))
    _place: int = 0

    def to(self, number: int) -> None:
        """Go on to point `number`."""
        while self.disk.acknowledged < number:
            self.disk.apply(self.calls[self._place])
            self._place += 1

    def between(self, dice: random.Random) -> Disk:
        """The disk at some moment from this point on, and before the next."""
        left: Iterator[Call] = iter(self.calls[self._place :])
        ahead = []
        for call in left:
            if call.kind is DiskAct.ACKNOWLEDGE:
                break
            ahead.append(call)
        disk = copy.deepcopy(self.disk)
        for call in ahead[: dice.randrange(len(ahead) + 1)]:
            disk.apply(call)
        return disk


def record(directory: Path, *options: str) -> Recording:
    """Play the evening of these options (`child`) under strace. RecordError."""
    state_dir, trace = directory / "recorded", directory / "trace"
    command = ["strace", "-o", str(trace), *OPTIONS]
    command += [sys.executable, "-m", "cabinet.lab.crash.child", "--state", str(state_dir), *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    said = run.stdout.splitlines()
    if run.returncode != 0 or not said:
        raise RecordError(f"the recorded evening failed: {run.stderr[-2000:]}")
    found = Recording(calls_of(trace, state_dir), said[-1].removeprefix("digest "))
    shutil.rmtree(state_dir, ignore_errors=True)
    trace.unlink()
    return found
