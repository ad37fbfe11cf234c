"""Records the journal's child for a search through the disk states that a power cut may leave."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cabinet.lab.crash.disk import OPTIONS, Call, calls_of
from support.programs import strace
from support.programs.strace import environment, run_child


def record(directory: Path, trace: Path, commits: int, *options: str) -> list[Call]:
    """Runs the journal's child under strace in ``directory`` and returns the calls on its files."""
    run = run_child(directory, commits, *options, strace=("-o", str(trace), *OPTIONS[2:]))
    if run.returncode != 0:
        raise RuntimeError(f"the recorded run failed: {run.stdout}{run.stderr}")
    return calls_of(trace, directory)


def ships_normal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on every new process is of a program whose schema says ``synchronous=NORMAL``."""
    place = folder / "mutant"
    place.mkdir()
    (place / "sitecustomize.py").write_text(
        "from cabinet.store import schema\nschema.WRITER_PRAGMAS = schema.with_synchronous(1)\n"
    )
    kept = environment()
    mutated = {**kept, "PYTHONPATH": os.pathsep.join((str(place), kept["PYTHONPATH"]))}
    monkeypatch.setenv("PYTHONPATH", mutated["PYTHONPATH"])
    monkeypatch.setattr(strace, "environment", lambda: mutated)
