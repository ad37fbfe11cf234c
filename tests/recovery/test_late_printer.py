"""A printer that begins later than any printer should: its ticket comes out after the cabinet has given
it up. The late number is void; the money is on another number, or paid by hand, and never both."""

from __future__ import annotations

import pytest

from cabinet.lab.table import Options, evening


@pytest.mark.requirement("PRN-02")
def test_a_printer_that_begins_too_late_prints_no_number_twice() -> None:
    late = tuple((f"printer{number}.late_start", 1) for number in range(1, 6))
    made = evening(Options(virtual=True, autoplay=True, rounds=6, seed=4, wire="memory", faults=late), "test")
    numbers = made.sim_ticket_numbers
    assert len(set(numbers)) == len(numbers)
    assert made.sim_tickets_cents > made.tickets_out_cents, "the late tickets are on paper, and void"
    assert made.ledger_sum_cents == 0
    assert made.notes_in_cents == made.tickets_out_cents + made.handpay_cents + made.house_cents
