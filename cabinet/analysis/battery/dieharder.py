"""dieharder, when it is installed: raw bits of the kernel's generator as a live stream.

A file would be rewound by the longer tests and then fail for no fault of its bits; a stream of the
kernel is never over. The bits are raw: what the health tests look at goes to the cards.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from cabinet.rng import Source

# -g 200: raw bits from standard input.
ALL = (("-a",),)
# The quick choice, a few minutes: birthdays, 32x32 ranks, parking lot, runs, STS monobit, runs, serial.
QUICK = (("-d", "0"), ("-d", "2"), ("-d", "10"), ("-d", "15"), ("-d", "100"), ("-d", "101"), ("-d", "102"))
BLOCK_BYTES = 1 << 16


class DieharderError(Exception):
    """It cannot be run, or did not end as it should."""


@dataclass(frozen=True, slots=True)
class DieharderLine:
    """One line of its report: `assessment` is PASSED, WEAK (p outside 0.5 %) or FAILED (outside 1e-6)."""

    test: str
    p: float
    assessment: str


def program() -> str | None:
    """Where it is; None when it is not installed."""
    return shutil.which("dieharder")


def run(path: str, choices: tuple[tuple[str, ...], ...], source: Source) -> Iterator[DieharderLine]:
    """The lines of all choices, one run each. Raises DieharderError."""
    for choice in choices:
        text = _output([path, *choice, "-g", "200"], source)
        lines = list(parse(text))
        if not lines:
            raise DieharderError(f"dieharder {' '.join(choice)} gave no result")
        yield from lines


def _output(command: list[str], source: Source) -> str:
    """What a run prints. It is fed until it has had enough and closes its end."""
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=said, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdin is not None
            try:
                while process.poll() is None:
                    process.stdin.write(source(BLOCK_BYTES))
                process.stdin.close()
            except BrokenPipeError:
                pass  # it has ended
        if process.returncode != 0:
            raise DieharderError(f"dieharder ended with code {process.returncode}")
        said.seek(0)
        return said.read().decode(errors="replace")


def parse(text: str) -> Iterator[DieharderLine]:
    """The lines of its table: name | ntuple | tsamples | psamples | p-value | assessment."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6 and cells[5] in ("PASSED", "WEAK", "FAILED"):
            yield DieharderLine(f"{cells[0]} {cells[1]}", float(cells[4]), cells[5])
