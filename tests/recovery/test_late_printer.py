"""A printer that begins later than any printer should. What is ordered again has another number or is paid by
hand, and never both; what comes out late is void."""

from __future__ import annotations

import pytest

from cabinet.lab import evening
from cabinet.lab.report import EveningReport
from cabinet.lab.table import LabOptions


def played(*faults: str) -> EveningReport:
    late = tuple((f"printer{number}.{fault}", 1) for number in range(1, 6) for fault in faults)
    return evening.play(
        LabOptions(virtual=True, autoplay=True, rounds=6, seed=4, wire="memory", faults=late), "test"
    )


@pytest.mark.requirement("PRN-02")
@pytest.mark.parametrize(
    ("faults", "late_paper"),
    [
        pytest.param(("late_start",), False, id="the order is taken back"),
        pytest.param(("very_late_start",), False, id="taken back long before it begins"),
        pytest.param(("very_late_start", "deaf_to_reset"), True, id="nothing takes it back"),
    ],
)
def test_a_printer_that_begins_too_late_prints_no_number_twice(
    faults: tuple[str, ...], late_paper: bool
) -> None:
    made = played(*faults)
    numbers = made.sim_ticket_numbers
    assert len(set(numbers)) == len(numbers) > 0
    assert (made.sim_tickets_cents > made.tickets_out_cents) is late_paper, "late paper is void"
    assert (made.handpay_cents > 0) is late_paper
    assert made.ledger_sum_cents == 0
    assert made.notes_in_cents == made.tickets_out_cents + made.handpay_cents + made.house_cents
