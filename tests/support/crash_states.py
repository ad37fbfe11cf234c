"""Records the journal's child for a search through the disk states that a power cut may leave."""

from __future__ import annotations

from pathlib import Path

from cabinet.lab.crash_disk import OPTIONS, Call, calls_of
from support.strace import run_child


def record(directory: Path, trace: Path, commits: int, *options: str) -> list[Call]:
    """Runs the journal's child under strace in ``directory`` and returns the calls on its files."""
    run = run_child(directory, commits, *options, strace=("-o", str(trace), *OPTIONS[2:]))
    if run.returncode != 0:
        raise RuntimeError(f"the recorded run failed: {run.stdout}{run.stderr}")
    return calls_of(trace, directory)
