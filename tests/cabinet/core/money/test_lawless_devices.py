"""Devices that keep to no order, people who answer anything, clocks that jump, cabinet files that change: no
order of events makes, loses or moves a cent that `support.evenings.purse` cannot account for, and none stops
the table with an accounting error.

The evenings of `test_random_evenings` have machines that behave as `drivers.device` promises. Here any event
may come at any time, twice, late or for something else.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from cabinet.core.conditions import Code
from cabinet.core.facts import decode
from cabinet.core.staff import menu
from cabinet.core.state.book import DAY_MS
from cabinet.core.turn import StackNote
from cabinet.core.view import view
from drivers import device as d
from drivers.device import Holding, TicketOutcome
from support.evenings.evening import Evening
from support.evenings.purse import Purse

pytestmark = pytest.mark.requirement("CRD-02", "CRD-03", "BIL-02", "PRN-02", "PRN-09", "CRD-10")
LIMITS = {
    "credit_limit_cents": st.sampled_from((20_000, 25_001, 1_000_000)),
    "ticket_limit_cents": st.sampled_from((100, 5_000, 10_001, 500_000)),
    "large_win_cents": st.sampled_from((0, 1, 500)),
    "payout_unit_cents": st.sampled_from((1, 7, 300)),
    "ticket_expiry_days": st.sampled_from((1, 30)),
    "ticket_sequence_from": st.sampled_from((1, 0xFFFFFA)),
    "handpay_cancel": st.booleans(),
    "handpay_receipts": st.booleans(),
    "redeems": st.sampled_from((True, True, False)),
}
CENTS = st.sampled_from((1, 50, 137, 2_000, 10_000, 19_999))
ANY = st.integers(0, 1_000)
MONEY = {"paid", "ticket", "note", "round"}  # what an attendant answers
OUTCOMES = (TicketOutcome.PRINTED, TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN)


class Lawless(RuleBasedStateMachine):
    evening: Evening
    purse: Purse
    seats: int

    @initialize(limits=st.fixed_dictionaries(LIMITS), seats=st.sampled_from((1, 2, 7)), shared=st.booleans())
    def begin(self, limits: dict[str, Any], seats: int, shared: bool) -> None:
        self.evening, self.purse, self.seats = Evening(seats=seats, shared=shared, **limits), Purse(), seats

    def _validator(self, pick: int) -> str:
        names = [name for name, _ in self.evening.policy.validators]
        return names[pick % len(names)]

    def _feed(self, *events: d.DeviceEvent) -> None:
        for event in events:
            self.evening.feed(event)

    # ---- validators

    @rule(seat=ANY, cents=CENTS, ticket=ANY, steps=st.integers(1, 4), stutters=st.booleans())
    def document(self, seat: int, cents: int, ticket: int, steps: int, stutters: bool) -> None:
        """A note or a ticket of this cabinet, as far as it gets."""
        evening, seat = self.evening, seat % self.seats + 1
        device, at_ms, numbers = evening.policy.validator_of(seat), evening.at_ms, self.purse.numbers
        evening.press(seat, "buy_in")
        evening.acts = []
        is_ticket = bool(numbers) and ticket % 2
        self._feed(
            d.NoteAccepting(device, at_ms),
            d.BarcodeEscrowed(device, at_ms, numbers[-1 - ticket % min(8, len(numbers))])
            if is_ticket
            else d.NoteEscrowed(device, at_ms, cents, 1),
        )
        if StackNote(device) not in evening.acts:
            self._feed(d.NoteGivenBack(device, at_ms, "returned"))
            return
        said = (d.NoteVendValid(device, at_ms), d.NoteVendValid(device, at_ms), d.NoteStacked(device, at_ms))
        self._feed(*(said if stutters else said[1:])[: steps - 1])

    @rule(device=ANY, event=st.sampled_from((d.NoteVendValid, d.NoteStacked, d.NoteAccepting)))
    def validator_says(self, device: int, event: Any) -> None:
        self._feed(event(self._validator(device), self.evening.at_ms))

    @rule(device=ANY, holding=st.sampled_from(Holding))
    def validator_reports(self, device: int, holding: Holding) -> None:
        self._feed(d.ValidatorReport(self._validator(device), self.evening.at_ms, holding))

    @rule(device=ANY)
    def validator_returns(self, device: int) -> None:
        self._feed(d.NoteGivenBack(self._validator(device), self.evening.at_ms, "returned"))

    # ---- printers

    @rule(ticket=ANY, outcome=st.sampled_from(OUTCOMES), begins=st.booleans(), twice=st.booleans())
    def ticket_ends(self, ticket: int, outcome: TicketOutcome, begins: bool, twice: bool) -> None:
        open_ = self.evening.state.tickets
        if not open_:
            return
        one, at_ms = open_[ticket % len(open_)], self.evening.at_ms
        if begins:
            self._feed(d.TicketStarted(one.device, at_ms, one.ref))
        done = d.TicketDone(one.device, at_ms, one.ref, outcome)
        self._feed(*([done, done] if twice else [done]))

    @rule(ref=st.integers(0, 40), outcome=st.sampled_from(TicketOutcome))
    def a_ticket_nobody_waits_for(self, ref: int, outcome: TicketOutcome) -> None:
        if self.evening.state.ticket(ref) is None:
            device = self.evening.policy.printers[0][0]
            self._feed(d.TicketDone(device, self.evening.at_ms, ref, outcome))

    @rule(ready=st.sampled_from((True, True, False)))
    def printers(self, ready: bool) -> None:
        held = {ticket.device for ticket in self.evening.state.tickets}
        for name, _ in self.evening.policy.printers:
            self._feed(d.PrinterReady(name, self.evening.at_ms, ready and name not in held))

    # ---- people

    @rule(seat=ANY, button=ANY, presses=st.integers(1, 2))
    def lit_button(self, seat: int, button: int, presses: int) -> None:
        seat = seat % self.seats + 1
        if lit := sorted(self.evening.lamps(seat)):
            self.evening.press(seat, *[lit[button % len(lit)]] * presses)

    @rule(seat=ANY)
    def cash_out(self, seat: int) -> None:
        self.evening.press(seat % self.seats + 1, "cash_out")

    @rule(ms=st.sampled_from((1, 1_000, 4_000, 15_000)))
    def time(self, ms: int) -> None:
        self.evening.advance(ms)

    @rule(answers=st.lists(ANY, max_size=3))
    def attendant(self, answers: list[int]) -> None:
        """Whatever is asked, he answers something."""
        evening = self.evening
        for ticket in evening.state.tickets:
            if ticket.device in evening.live.devices:  # it holds that ticket until it is settled
                self._feed(d.PrinterReady(ticket.device, evening.at_ms, False))
        evening.switch("key.attendant", True)
        for answer in answers:
            asked = [item for item in menu.items(evening.state, evening.live) if item.does[:1]]
            asked = [item for item in asked if item.does[0] in MONEY]
            if asked:
                evening.walk(asked[answer % len(asked)].label)
        evening.switch("key.attendant", False)

    # ---- the program

    @rule(
        days=st.sampled_from((0, 0, 1, 2, -1, -40)),
        exchanged=st.sampled_from(("", "", "validator", "printer")),
    )
    def power(self, days: int, exchanged: str) -> None:
        """It starts again, perhaps with another clock, or with another validator or printer."""
        evening = self.evening
        evening.wall_ms += days * DAY_MS + evening.at_ms
        file: dict[str, Any] = {}
        if exchanged:
            kind = f"{exchanged}s"
            names = [(f"{name}x", seats) for name, seats in getattr(evening.policy, kind)]
            file = {kind: tuple(names)}
            if exchanged == "validator":
                file["ticket_in"] = tuple(name for name, _ in names)
        evening.crash(**file)
        here = evening.live.devices
        asked = {note.device for note in evening.state.notes if not note.unresolved}
        asked |= {ticket.device for ticket in evening.state.tickets if not ticket.unknown}
        assert asked <= set(here), "something waits for a device that is gone"

    @rule(seat=ANY, on_disk=st.booleans())
    def the_disk_fails(self, seat: int, on_disk: bool) -> None:
        press = d.InputChanged("panel1", self.evening.at_ms, f"seat{seat % self.seats + 1}.cash_out", True)
        self.evening.commit_fails(press, on_disk)
        self.evening.crash()

    # ---- what must be true

    @invariant()
    def every_cent_is_accounted_for(self) -> None:
        evening = self.evening
        assert not evening.live.trouble(Code.ACCOUNTING_ERROR)
        self.purse.follow([decode(kind, body) for kind, body in evening.journal])
        self.purse.compare(evening.state, self.seats)
        view(evening.state, evening.live)


def test_no_order_of_events_makes_or_loses_a_cent() -> None:
    run_state_machine_as_test(
        Lawless, settings=settings(max_examples=15, stateful_step_count=40, deadline=None)
    )


@pytest.mark.campaign
def test_many_more_orders_of_events_make_or_lose_no_cent() -> None:
    run_state_machine_as_test(
        Lawless, settings=settings(max_examples=3_000, stateful_step_count=80, deadline=None)
    )
