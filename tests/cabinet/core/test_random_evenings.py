"""Evenings that nobody wrote down: seeds draw every press, note, fault, key and power cut.

`support.evenings.audit` checks the laws after each event; at the end what people hold must agree with the
books: notes in the boxes, tickets on paper, clicks of the hard meters.
"""

from __future__ import annotations

import pytest

from cabinet.core.facts import PulseIntended
from support.evenings.evening import Evening
from support.evenings.machines import Crowd

STEPS = 1_200
pytestmark = pytest.mark.requirement("CRD-02", "CRD-03", "MTR-07", "PRN-09")


def evening(seed: int, seats: int, steps: int = STEPS, **policy: object) -> Crowd:
    crowd = Crowd(Evening(seats=seats, **policy), seed)  # type: ignore[arg-type]
    for _ in range(steps):
        crowd.step()
    crowd.go_home()
    return crowd


def check(crowd: Crowd) -> None:
    made = crowd.evening
    state = made.state
    assert not state.notes
    assert not state.tickets
    assert not state.handpays
    assert not state.round_open
    assert not state.waiting
    assert state.ledger.total("credit") == state.ledger.total("bet") == 0
    in_boxes = sum(validator.box_cents for validator in crowd.validators.values())
    assert state.meters.get("bill_in", 0) == in_boxes, "every note in a box was credited once"
    on_paper = sum(sum(printer.paper.values()) for printer in crowd.printers.values())
    papers = {number: cents for printer in crowd.printers.values() for number, cents in printer.paper.items()}
    back = [number for validator in crowd.validators.values() for number in validator.box_tickets]
    assert len(set(back)) == len(back), "no number was taken twice"
    came_back = sum(papers[number] for number in back)
    assert state.meters.get("voucher_out", 0) == on_paper, "what is on paper is what was paid on paper"
    assert state.meters.get("voucher_in", 0) == came_back, "every ticket in a box was paid once"
    assert state.ledger["tickets_out"] == on_paper - came_back
    assert in_boxes == on_paper - came_back + state.ledger["handpaid"] + state.ledger["house"]
    owed = dict.fromkeys((meter for meter, _ in made.policy.meters), 0)
    for fact in made.facts("PulseIntended"):
        assert isinstance(fact, PulseIntended)
        owed[fact.meter] += fact.count
    for meter, count in owed.items():
        assert count <= crowd.shown.get(meter, 0) <= count + 10 * crowd.cuts
    assert made.replayed() == state


@pytest.mark.requirement("CRD-02")
@pytest.mark.parametrize("seed", range(4))
def test_a_table_with_own_devices(seed: int) -> None:
    crowd = evening(seed, seats=3)
    check(crowd)
    assert crowd.evening.state.round_number > 5
    if seed == 0:
        assert crowd.evening.state.meters["vouchers_in"] > 0, "people do bring their tickets"


@pytest.mark.requirement("CRD-02", "CRD-10")
@pytest.mark.parametrize("seed", range(10, 14))
def test_a_table_that_shares_its_devices(seed: int) -> None:
    crowd = evening(seed, seats=4, shared=True)
    check(crowd)


@pytest.mark.requirement("CRD-02", "CRD-08", "CRD-09")
@pytest.mark.parametrize("seed", range(20, 22))
def test_a_cabinet_with_one_seat_and_low_limits(seed: int) -> None:
    limits = {"large_win_cents": 1_500, "ticket_limit_cents": 20_000, "credit_limit_cents": 30_000}
    crowd = evening(seed, 1, **limits, payout_unit_cents=100)  # a blackjack leaves 50 cents
    check(crowd)
    assert crowd.evening.state.round_number > 5


@pytest.mark.requirement("CRD-02")
@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1_000, 1_100))
def test_many_more_evenings(seed: int) -> None:
    check(evening(seed, 1 + seed % 7, shared=bool(seed % 2)))
