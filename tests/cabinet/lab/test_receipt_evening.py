"""Evenings with a receipt printer: the same on both wires, and beyond doubt through all its troubles."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cabinet.lab import evening
from cabinet.lab.report import EveningReport
from cabinet.lab.table import LabOptions
from drivers.sim.escpos import EscPosMachine


def play(
    *, faults: Sequence[tuple[str, int]] = (), rounds: int = 4, wire: str = "memory", seed: int = 7
) -> EveningReport:
    options = LabOptions(
        cabinet="receipt3", autoplay=True, virtual=True, wire=wire, rounds=rounds, seed=seed, pace=8,
        faults=tuple(faults),
    )  # fmt: skip
    return evening.play(options, "test")


def test_memory_and_pty_write_the_same_journal() -> None:
    first, second = play(), play(wire="pty")
    assert first.journal_digest == second.journal_digest
    assert first.sim_tickets_cents == second.sim_tickets_cents > 0
    assert first.problems == second.problems == []


@pytest.mark.requirement("PRN-02", "PRN-04")
def test_every_trouble_of_the_printer_leaves_the_books_in_order() -> None:
    """An attendant mends and answers; nothing is printed twice, nothing is lost."""
    machine = [name for name in EscPosMachine.FAULTS if name not in ("mute", "xoff", "off_line")]
    faults = [(f"printer1.{name}", at) for at, name in enumerate(machine, 1)]
    made = play(faults=faults, rounds=len(machine) + 2, seed=11)
    assert made.problems == []
    assert made.credit_cents == 0
    assert made.tickets_out_cents > 0


@pytest.mark.requirement("PRN-06")
def test_three_seats_share_one_printer_and_all_are_served() -> None:
    made = play(rounds=9, seed=3)
    assert len(made.sim_ticket_numbers) >= 3
    assert len(set(made.sim_ticket_numbers)) == len(made.sim_ticket_numbers)
    assert made.credit_cents == 0
