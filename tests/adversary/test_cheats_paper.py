"""Copies of every paper, at machines and at the desk at once, and lies about what was in the hand.

Hands know each number that was ever sent to a printer: whole papers, torn ones, void ones, receipts. Copies
go into all validators at any moment of each other's life, while the desk pays the same number, while it is
being printed, before and after power has gone. Cash is what an attendant lays on the table when the screen
says that it is recorded. All that players can get must be what lies in the boxes, to the cent, after every
step.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from cabinet.core import confirm
from cabinet.core.money import ticket_in
from cabinet.core.staff import desk, menu
from cabinet.core.state.book import TicketState
from cabinet.core.turn import AcknowledgeNote, PrintTicket, ReturnNote, StackNote, TicketRecorded, Turn
from cabinet.core.validation import SYSTEM_ID_LAB
from drivers.device import (
    BarcodeEscrowed,
    Holding,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    PrinterReady,
    TicketDone,
    TicketOutcome,
    TicketStarted,
    ValidatorReport,
)
from support.evenings.evening import Evening

KEY = "key.attendant"
CASH = re.compile(r"^Recorded: .*\$([\d,]+)\.(\d\d) (?:is paid at the desk|in cash)")
LAB_TICKET = "995551212000000042"


class Slot:
    """A validator that obeys: what is inside and how far it has come."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.digits = ""
        self.cents = 0
        self.where = "empty"


class Copies:
    def __init__(self, seed: int, seats: int = 3) -> None:
        self.dice = random.Random(f"copies {seed}")
        self.evening = Evening(seats=seats)
        self.slots = [Slot(name) for name, _ in self.evening.policy.validators]
        self.printing: dict[str, PrintTicket] = {}
        self.numbers: list[str] = [LAB_TICKET]
        self.in_box: dict[str, bool] = {}  # validator -> its last document lies in the box
        self.box_cents = self.cash_cents = 0
        self.tried = 0

    # ---- one step

    def step(self) -> None:
        steps: list[Callable[[], None]] = [
            self.insert,
            self.insert,
            self.insert,
            self.move,
            self.move,
            self.move,
            self.move,
            self.print,
            self.print,
            self.cash_out,
            self.desk,
            self.desk,
            self.attendant,
            self.attendant,
            self.buttons,
            self.power,
        ]
        self.dice.choice(steps)()
        self.obey()
        if self.dice.random() < 0.5:
            self.evening.advance(self.dice.choice((0, 1, 5, 40, 400, 3_000)))
            self.obey()
        self.check()

    def insert(self) -> None:
        slot = self.dice.choice(self.slots)
        if slot.where != "empty":
            return
        at_ms, evening = self.evening.at_ms, self.evening
        slot.where = "escrow"
        if self.evening.state.note(slot.name) is None:
            self.in_box[slot.name] = False
        if self.dice.random() < 0.25:
            slot.digits, slot.cents = "", self.dice.choice((500, 2_000, 10_000))
            evening.feed(NoteEscrowed(slot.name, at_ms, slot.cents, 0x63))
            return
        slot.digits, slot.cents = self._number(), 0
        self.tried += 1
        evening.feed(BarcodeEscrowed(slot.name, at_ms, slot.digits))

    def _number(self) -> str:
        newest = self.numbers[-3:]
        number = self.dice.choice(newest if self.dice.random() < 0.8 else self.numbers)
        if self.dice.random() < 0.05:
            return f"{(int(number) + self.dice.choice((-1, 1))) % 10**18:018}"
        return number

    def move(self) -> None:
        """A paper goes on its way."""
        slot, at_ms, feed = self.dice.choice(self.slots), self.evening.at_ms, self.evening.feed
        match slot.where:
            case "stacking" if self.dice.random() < 0.1:
                slot.where = "empty"
                feed(NoteGivenBack(slot.name, at_ms, "cheated"))
            case "stacking":
                slot.where = "vend_valid"
                self.box_cents += slot.cents
                self.in_box[slot.name] = True
                feed(NoteVendValid(slot.name, at_ms))
            case "returning":
                slot.where = "empty"
                feed(NoteGivenBack(slot.name, at_ms, "returned"))
            case "acknowledged":
                slot.where = "empty"
                feed(NoteStacked(slot.name, at_ms))

    def cash_out(self) -> None:
        self.evening.press(self.dice.randint(1, len(self.slots)), "cash_out")

    def print(self) -> None:
        """A printer comes to its end, with a whole paper, a torn one or none."""
        if not self.printing:
            return
        name = self.dice.choice(sorted(self.printing))
        order, at_ms = self.printing[name], self.evening.at_ms
        if self.dice.random() < 0.4:
            self.evening.feed(TicketStarted(name, at_ms, order.ref))
            return
        outcome = self.dice.choice((*TicketOutcome, TicketOutcome.PRINTED))
        del self.printing[name]
        self.evening.feed(TicketDone(name, at_ms, order.ref, outcome))
        self.evening.feed(PrinterReady(name, at_ms, True))

    def desk(self) -> None:
        """Somebody holds a paper out to the attendant, who pays whatever the cabinet lets him pay."""
        evening = self.evening
        lines = desk.outstanding(evening.state, evening.live)
        if evening.live.key or not lines:
            return
        evening.switch(KEY, True)
        evening.advance(1_500)
        places = [item.label for item in menu.items(evening.state, evening.live)]
        if any("Pay a ticket" in label for label in places):
            line = self.dice.choice(lines)
            self._walk_to("Pay a ticket")
            evening.press(1, "deal")
            self._between()
            if self._walk_to(f"{line.ticket_no:04d}"):
                evening.press(1, "deal")
                for digit in line.number[desk.ENTERED]:
                    if evening.live.menu and evening.live.menu[-1].startswith(desk.ENTRY):
                        while evening.live.cursor != int(digit):
                            evening.press(1, "bet_plus")
                        evening.press(1, "deal")
                        self._between(0.1)
        self._confirm()

    def _walk_to(self, label: str) -> bool:
        evening = self.evening
        names = [item.label for item in menu.items(evening.state, evening.live)]
        place = next((i for i, name in enumerate(names) if label in name), None)
        if place is None:
            return False
        for _ in range(60):
            if evening.live.cursor == place:
                return True
            evening.press(1, "bet_plus" if evening.live.cursor < place else "bet_minus")
        return False

    def _between(self, chance: float = 0.5) -> None:
        """The others do not wait."""
        while self.dice.random() < chance:
            self.dice.choice((self.insert, self.move, self.print))()
            self.obey()
            self.check()

    def attendant(self) -> None:
        """He looks into the box, and believes what he is told of a ticket."""
        evening = self.evening
        if evening.live.key:
            return
        evening.switch(KEY, True)
        evening.advance(1_500)
        items = menu.items(evening.state, evening.live)
        wanted = [i for i in items if i.does and i.does[0] in ("paid", "ticket")]
        wanted += [i for i in items if i.does[:1] == ("note",) and self._is_true(i.does)]
        if wanted:
            self._walk_to(self.dice.choice(wanted).label)
            evening.press(1, "deal")
        self._between()
        self._confirm()

    def _is_true(self, order: tuple[str, ...]) -> bool:
        _, _, device, answer = order
        return self.in_box.get(device, False) == (answer == "yes")

    def _confirm(self) -> None:
        """The key off and on again, with others in between; cash when the screen says that it is recorded."""
        evening = self.evening
        if evening.live.confirming is not None:
            evening.advance(confirm.SHOWN_MS)
            self._between()
            evening.switch(KEY, False)
            if self.dice.random() < 0.4:
                self.buttons()
            self._between()
            evening.advance(self.dice.choice((10, confirm.OFF_LEAST_MS, 900, 4_900, 5_100)))
            self._between()
            evening.switch(KEY, True)
            if paid := CASH.match(evening.live.outcome):
                self.cash_cents += int(paid[1].replace(",", "")) * 100 + int(paid[2])
        evening.switch(KEY, False)
        evening.advance(6_000)

    def buttons(self) -> None:
        for _ in range(self.dice.randint(1, 6)):
            button = self.dice.choice(("deal", "cash_out", "hit", "stand", "help"))
            if not self.evening.live.key:
                button = self.dice.choice(("cash_out", "help", "hit"))
            self.evening.press(self.dice.randint(1, len(self.slots)), button)

    def power(self) -> None:
        """The program dies; the validators say what they hold, the printers what became of their order."""
        if self.dice.random() < 0.6:
            return
        evening = self.evening
        evening.crash()
        self.obey()
        for slot in self.slots:
            at_ms = evening.at_ms
            match slot.where:
                case "escrow" | "returning" | "stacking" if self.dice.random() < 0.5:
                    slot.where = "empty"  # nobody polled: it went back
                    evening.feed(ValidatorReport(slot.name, at_ms, Holding.NOTHING))
                case "escrow" | "returning" | "stacking":
                    slot.where = "escrow"
                    evening.feed(ValidatorReport(slot.name, at_ms, Holding.ESCROW))
                    if slot.digits:
                        evening.feed(BarcodeEscrowed(slot.name, at_ms, slot.digits))
                    else:
                        evening.feed(NoteEscrowed(slot.name, at_ms, slot.cents, 0x63))
                case "vend_valid":
                    evening.feed(ValidatorReport(slot.name, at_ms, Holding.VEND_VALID))
                    evening.feed(NoteVendValid(slot.name, at_ms))
                case _:
                    slot.where = "empty"
                    evening.feed(ValidatorReport(slot.name, at_ms, Holding.NOTHING))
            self.obey()
        for name, _ in evening.policy.printers:
            order = self.printing.pop(name, None)
            if order is not None:
                evening.feed(TicketDone(name, evening.at_ms, order.ref, self.dice.choice([*TicketOutcome])))
            evening.feed(PrinterReady(name, evening.at_ms, True))
            self.obey()

    # ---- the devices

    def obey(self) -> None:
        acts, self.evening.acts = self.evening.acts, []
        by_name = {slot.name: slot for slot in self.slots}
        for act in acts:
            match act:
                case StackNote(device=name) if by_name[name].where == "escrow":
                    by_name[name].where = "stacking"
                case ReturnNote(device=name) if by_name[name].where == "escrow":
                    by_name[name].where = "returning"
                case AcknowledgeNote(device=name) if by_name[name].where == "vend_valid":
                    by_name[name].where = "acknowledged"
                case PrintTicket(device=name):
                    self.printing[name] = act
                    self.numbers.append(act.ticket.validation)
                case TicketRecorded():
                    pass

    # ---- what must be true

    def check(self) -> None:
        state = self.evening.state
        inside = sum(note.cents for note in state.notes if not note.credited and not note.ticket)
        payable = sum(line.cents for line in state.issued if line.state is TicketState.PRINTED)
        making = sum(ticket.cents for ticket in state.tickets)
        pays = sum(pay.cents for pay in state.handpays)
        can_get = state.ledger.total("credit") + payable + making + pays + self.cash_cents
        assert self.box_cents - inside <= can_get <= self.box_cents, "money was made up or lost"


def walk(seed: int, steps: int) -> Copies:
    copies = Copies(seed)
    for _ in range(steps):
        copies.step()
    return copies


@pytest.mark.parametrize("seed", range(4))
def test_no_copy_and_no_lie_makes_money(seed: int) -> None:
    copies = walk(seed, 250)
    assert copies.tried > 20


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(4, 400))
def test_many_copies_and_lies(seed: int) -> None:
    walk(seed, 600)


def test_a_cabinet_in_play_pays_no_ticket_of_a_lab_whose_book_it_was_given() -> None:
    """Neither its validators nor its desk; the lab itself pays it at both."""
    evening = Evening(seats=2, lab=True)
    number = evening.ticket(1, 2_000)
    assert number.startswith(SYSTEM_ID_LAB)
    assert len(desk.outstanding(evening.state, evening.live)) == 1
    evening.crash(lab=False)
    assert not evening.insert_ticket(2, number)
    assert desk.outstanding(evening.state, evening.live) == ()
    assert desk.payable(evening.state, evening.live, evening.state.issued[0].ref) is None


def test_the_walks_reach_what_they_are_about() -> None:
    """The desk pays, machines pay, numbers become void, copies are refused: in these very seeds."""
    seen = {kind for seed in range(4) for kind, _ in walk(seed, 250).evening.journal}
    assert {"TicketPaidAtDesk", "TicketRedeemed", "TicketVoided", "TicketUnknown", "HandpayPaid"} <= seen
    assert {"TicketRefused", "NoteUnresolved"} <= seen


def test_a_book_that_forgets_what_is_inside_another_validator_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = ticket_in._why_not

    def forgets(turn: Turn, *rest: object) -> object:
        found = known(turn, *rest)  # type: ignore[arg-type]
        return None if found is ticket_in.Refusal.IN_DOUBT and rest[3] is not None else found

    monkeypatch.setattr(ticket_in, "_why_not", forgets)

    def walks() -> None:
        for seed in range(30):
            walk(seed, 250)

    with pytest.raises(AssertionError):
        walks()
