"""Runs the journal's child process, under strace when a test wants to see or to break its system calls."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cabinet.lab.crash.record import at_hand
from cabinet.lab.patience import PATIENCE_S

_ROOT = Path(__file__).parents[3]
_CHILD = Path(__file__).with_name("journal_child.py")


AT_HAND = at_hand()


def child_command(directory: Path, commits: int, *options: str) -> list[str]:
    return [sys.executable, str(_CHILD), str(directory), str(commits), *options]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def run_child(
    directory: Path, commits: int, *options: str, strace: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Runs the child to its end. ``strace`` holds options of strace, empty to run it plainly."""
    command = child_command(directory, commits, *options)
    if strace:
        command = ["strace", "-f", "--seccomp-bpf", *strace, *command]
    return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=PATIENCE_S)


def acknowledged(output: str) -> int:
    """The last row that the child has acknowledged, 0 if none."""
    return max((int(line.split()[1]) for line in output.splitlines() if line.startswith("ack ")), default=0)
