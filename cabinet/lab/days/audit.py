"""An audit of a virtual day, kept beside the program's own and from the same facts, in bounded memory.

The program folds facts into a state. This reader keeps a short list of what is open and sums of what is
closed, compares both with cash boxes, paper, counters and the attendant's purse, and asks what the screen
would show. `problems` is what cannot be true; a day ends with the first one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from cabinet.core import facts as f
from cabinet.core.conditions import Code
from cabinet.core.live import Live, play_lock
from cabinet.core.look import Scene
from cabinet.core.state import State, identity
from cabinet.core.state.ledger import MAY_BE_NEGATIVE
from cabinet.core.view import view
from cabinet.lab.audit import PULSE_GROUP, DocumentProgress, Note, Ticket
from cabinet.lab.world import World
from drivers.sim.printers import PrinterPaper
from drivers.sim.validator.sheets import Sheet

DAMAGE_MS = 10_000  # a ticket that ends so much later was begun after the damage
TICKETS_KEPT = 1_000  # twice what a cabinet's own book holds; it pays no other
TRAY_PAPERS = 20  # an attendant looks for one of the last tickets


@dataclass(slots=True)
class DayAudit:
    world: World
    problems: list[str] = field(default_factory=list)
    # A printer that begins later than any printer should puts a number on paper that was void by then. It is
    # the machine's own fault, of which this audit knows: by printer, how often that may happen. One that
    # is much too late does it only if it is deaf to the RESET that takes the order back.
    late: Counter[str] = field(default_factory=Counter)
    very_late: Counter[str] = field(default_factory=Counter)
    deaf_to_reset: set[str] = field(default_factory=set)
    # Data that the wire has damaged or the machine has lost on their way to a printer: by printer, when. No
    # language of printers has a check sum, so nobody but these books can know of a spoilt ticket.
    damaged_ms: dict[str, int] = field(default_factory=dict)
    interruptions: int = 0  # of pulses: starts of the program and troubles of the panel
    notes: dict[int, Note] = field(default_factory=dict)  # open, by reference
    tickets: dict[int, Ticket] = field(default_factory=dict)  # open, by reference
    redeeming: dict[int, tuple[str, int]] = field(default_factory=dict)  # open: validator and number
    handpays: dict[int, int] = field(default_factory=dict)  # open, in cents
    credited_cents: Counter[str] = field(default_factory=Counter)  # by validator
    pulses: Counter[str] = field(default_factory=Counter)  # intended, by meter
    count: Counter[str] = field(default_factory=Counter)  # of facts, by kind
    handpaid_cents: int = 0
    redeemed_cents: int = 0
    payable_cents: int = 0  # on paper and not redeemed
    _sequence: int = 0
    _ref: int = 0
    _numbers: dict[str, Ticket] = field(default_factory=dict)  # given, and not printed with paper in hand
    # The newest tickets, as numbers: what came out whole, is payable (with its cents), lies in a box. An
    # older one that is printed or taken again is found by not being in the books any more.
    _on_paper: dict[int, int] = field(default_factory=dict)
    _payable: dict[int, int] = field(default_factory=dict)
    _in_box: dict[int, int] = field(default_factory=dict)
    # Whose last document an attendant has found in the box: the validator may still have to say so itself.
    _found_by_hand: set[str] = field(default_factory=set)
    _redeemed: dict[int, str] = field(default_factory=dict)  # and not yet seen in the box of this validator
    _papers_seen: Counter[str] = field(default_factory=Counter)  # by printer or validator

    # ---- facts

    def follow(self, fact: f.Fact) -> None:
        """A fact is in the journal."""
        self.count[type(fact).__name__] += 1
        self._look_into_box(fact)
        match fact:
            case f.NoteIntended(ref=ref, device=device, cents=cents):
                self._new(ref)
                self.notes[ref] = Note(device, cents)
            case f.NoteCredited(ref=ref) | f.NoteSettledByHand(ref=ref, in_box=True) if ref:
                self._note(ref, DocumentProgress.CREDITED)
            case f.RedeemIntended() | f.TicketRedeemed():
                self._redeem(fact)
            case f.NoteReturned(ref=ref) | f.NoteSettledByHand(ref=ref) if ref in self.redeeming:
                del self.redeeming[ref]
            case f.NoteReturned(ref=ref) | f.NoteSettledByHand(ref=ref) if ref:
                self._note(ref, DocumentProgress.BACK)
            case f.NoteUnresolved(ref=0, device=device, report=report) if device not in self._found_by_hand:
                self.problems.append(f"{device} holds a note that no fact intends: {report}")
            case f.HandpayOpened(ref=ref, cents=cents):
                self._new(ref)
                self.handpays[ref] = cents
            case f.HandpayCancelled(ref=ref):
                if self.handpays.pop(ref, None) is None:
                    self.problems.append(f"hand payment {ref} is taken back and not open")
            case f.HandpayPaid(ref=ref):
                self._paid_by_hand(ref)
            case f.PulseIntended(meter=meter, count=count):
                self.pulses[meter] += count
            case f.TicketIntended() | f.TicketPrinted() | f.TicketVoided():
                self._ticket(fact)

    def _look_into_box(self, fact: f.Fact) -> None:
        match fact:
            case f.NoteSettledByHand(in_box=True) | f.TicketRedeemed(by="attendant"):
                self._found_by_hand.add(fact.device)
            case f.NoteIntended() | f.RedeemIntended():
                self._found_by_hand.discard(fact.device)

    def _new(self, ref: int) -> None:
        if ref <= self._ref:
            self.problems.append(f"reference {ref} is used again")
        self._ref = ref

    def _note(self, ref: int, stage: DocumentProgress) -> None:
        note = self.notes.pop(ref, None)
        if note is None:
            self.problems.append(f"note {ref} was closed and is now {stage}")
        elif stage is DocumentProgress.CREDITED:
            self.credited_cents[note.device] += note.cents

    def _paid_by_hand(self, ref: int) -> None:
        cents, attendant = self.handpays.pop(ref, None), self.world.attendant
        if cents is None:
            self.problems.append(f"hand payment {ref} is paid and not open")
        elif attendant is None or attendant.paid.get(ref) != cents:
            self.problems.append(f"hand payment {ref} of {cents} is paid and nobody has paid it")
        else:
            self.handpaid_cents += cents

    def _ticket(self, fact: f.TicketIntended | f.TicketPrinted | f.TicketVoided) -> None:
        if isinstance(fact, f.TicketIntended):
            self._new(fact.ref)
            if fact.sequence <= self._sequence:
                self.problems.append(f"the sequence goes from {self._sequence} to {fact.sequence}")
            if fact.number in self._numbers or int(fact.number) in self._on_paper:
                self.problems.append(f"number {fact.number} was given to two tickets")
            self._sequence = fact.sequence
            self.tickets[fact.ref] = Ticket(fact.device, fact.number, fact.cents)
            self._numbers[fact.number] = self.tickets[fact.ref]
            return
        ticket = self.tickets.pop(fact.ref, None)
        if ticket is None:
            self.problems.append(f"ticket {fact.ref} was closed and has now {type(fact).__name__}")
        elif isinstance(fact, f.TicketVoided):
            ticket.stage = DocumentProgress.VOID
        else:
            ticket.stage = DocumentProgress.PRINTED
            self.payable_cents += ticket.cents
            _keep(self._payable, int(ticket.number), ticket.cents)

    def _redeem(self, fact: f.RedeemIntended | f.TicketRedeemed) -> None:
        """A ticket comes back: it must have been printed, with this number and amount, and is paid once."""
        number = int(fact.number)
        if self._payable.get(number) != fact.cents:
            self.problems.append(f"{fact.number} is taken for {fact.cents}, and is not payable with that")
        elif isinstance(fact, f.RedeemIntended):
            self._new(fact.ref)
            self.redeeming[fact.ref] = fact.device, number
        elif self.redeeming.pop(fact.ref, None) != (fact.device, number):
            self.problems.append(f"{fact.number} is redeemed as document {fact.ref}, which is another one")
        else:
            self.redeemed_cents += fact.cents
            self.payable_cents -= fact.cents
            del self._payable[number]
            self._redeemed[number] = fact.device

    # ---- against what is there

    def compare(self, state: State, live: Live, now_ms: int) -> None:
        """Everything that must be true between two facts. `now_ms`: of the session, for the screen."""
        self._money(state, live)
        self._boxes()
        self._papers()
        self._counters(state)
        self.problems += view_problems(state, live, now_ms)

    def _money(self, state: State, live: Live) -> None:
        ledger, meters = state.ledger, state.meters
        equal = {
            "the ledger": (ledger.sum, 0),
            "the meter of notes": (meters.get("bill_in", 0), -ledger["notes"]),
            "tickets redeemed": (meters.get("voucher_in", 0), self.redeemed_cents),
            "tickets out": (
                meters.get("voucher_out", 0) - self.redeemed_cents,
                ledger["tickets_out"] + ledger["desk"],
            ),
            "tickets payable": (self.payable_cents, ledger["tickets_out"]),
            "tickets paid at the desk": (ledger["desk"], 0),  # no attendant of the lab pays one
            "hand payments": (ledger["handpaid"], self.handpaid_cents),
            "open hand payments": (ledger.total("handpay"), sum(self.handpays.values())),
            "notes credited": (sum(self.credited_cents.values()), -ledger["notes"]),
            "tickets in flight": (ledger.total("in_flight"), sum(t.cents for t in self.tickets.values())),
        }
        if state.round_open and state.round is not None:
            stakes = sum(state.round.stakes(seat) for seat in state.seats)
            equal["stakes of the round"] = (ledger.total("bet"), stakes)
        self.problems += [f"{what}: {one} against {two}" for what, (one, two) in equal.items() if one != two]
        if why := identity.trouble(state):
            self.problems.append(f"meters and accounts do not agree: {why}")
        negative = {k: v for k, v in ledger.balances.items() if v < 0 and k not in MAY_BE_NEGATIVE}
        if negative:
            self.problems.append(f"accounts below zero: {negative}")
        if why := live.trouble(Code.ACCOUNTING_ERROR) or live.trouble(Code.MEMORY_FAILED):
            self.problems.append(f"state and journal disagree: {why}")

    def _boxes(self) -> None:
        """Each box holds what was credited, and of the open notes at most all; likewise its tickets."""
        for name in self.world.validator_names:
            self._tickets_in_box(name)
            stacked_cents, credited_cents = self.world.box_cents(name), self.credited_cents[name]
            allowed = {credited_cents}
            for note in self.notes.values():
                if note.device == name:
                    allowed |= {cents + note.cents for cents in allowed}
            pushed = self._pushed(name)
            if allowed.isdisjoint((stacked_cents, stacked_cents + (pushed.cents if pushed else 0))):
                self.problems.append(
                    f"the box of {name} holds {stacked_cents}, credited are {credited_cents}, "
                    f"with what is open {sorted(allowed)}"
                )

    def _pushed(self, name: str) -> Sheet | None:
        """What the validator had in its stacker when it lost power: it may be credited at the next report,
        and falls into the box with the RESET that follows."""
        return self.world.validator(name).falls_at_reset

    def _tickets_in_box(self, name: str) -> None:
        """Each paper that has fallen is looked at once; a ticket that was redeemed must be among them."""
        pile = self.world.validator(name).stacked
        fresh = pile.count - self._papers_seen[name]
        self._papers_seen[name] = pile.count
        for paper in list(pile)[-fresh:] if fresh else ():
            if paper.digits:
                number = int(paper.digits)
                if number in self._in_box:
                    self.problems.append(f"ticket {paper.digits} lies in the boxes twice")
                elif self._redeemed.get(number) != name and (name, number) not in self.redeeming.values():
                    self.problems.append(f"the box of {name} holds ticket {paper.digits}, which is not taken")
                _keep(self._in_box, number, paper.cents)
        pushed = self._pushed(name)
        waits_for = int(pushed.digits) if pushed and pushed.digits else 0
        for number in [n for n, device in self._redeemed.items() if device == name and n != waits_for]:
            if number not in self._in_box:
                self.problems.append(f"{name} has redeemed {number:018}, which is not in its box")
            del self._redeemed[number]

    def _papers(self) -> None:
        """Each piece of paper is looked at once; a ticket that counts as printed must have come out."""
        for name in self.world.printer_names:
            printer = self.world.printer(name)
            fresh = printer.paper_count - self._papers_seen[name]
            self._papers_seen[name] = printer.paper_count
            for paper in printer.tray[-fresh:] if fresh else ():
                if paper.complete:
                    self._paper(name, paper)
            printer.sweep(TRAY_PAPERS)
        for number, ticket in [
            item for item in self._numbers.items() if item[1].stage is DocumentProgress.PRINTED
        ]:
            if int(number) in self._on_paper or self.damaged_ms.pop(ticket.device, None) is not None:
                del self._numbers[number]  # done
            else:
                self.problems.append(f"{number} of {ticket.device} counts as printed and is not on paper")

    def _paper(self, name: str, paper: PrinterPaper) -> None:
        number, damaged_ms = paper.text.validation, self.damaged_ms.get(name)
        if number.isdecimal() and int(number) in self._on_paper:
            self.problems.append(f"{name} has printed number {number} twice")
        elif wrong := self._wrong(name, paper):
            if damaged_ms is None:
                self.problems.append(f"{name} has printed {wrong}")
        else:
            _keep(self._on_paper, int(number), paper.cents)
            if damaged_ms is not None and paper.at_ms - damaged_ms > DAMAGE_MS:
                del self.damaged_ms[name]

    def _wrong(self, name: str, paper: PrinterPaper) -> str:
        """What is wrong with a whole ticket on paper; "" for nothing."""
        number, cents = paper.text.validation, paper.cents
        ticket = self._numbers.get(number)
        if ticket is None:
            return f"number {number}, which is not in the books"
        if (ticket.device, ticket.cents) != (name, cents):
            return f"{cents} on number {number}, not {ticket}"
        if ticket.stage is DocumentProgress.VOID:
            excuses = self.very_late if name in self.deaf_to_reset and self.very_late[name] else self.late
            excuses[name] -= 1
            return "" if excuses[name] >= 0 else f"number {number}, which is void"
        return ""

    def _counters(self, state: State) -> None:
        """A hard meter never shows less than it was told, and one group more for each interruption."""
        assert self.world.panel is not None
        for meter, counter in self.world.panel.counters.items():
            told = self.pulses[meter] - state.pulses.get(meter, 0)
            if not told <= counter.count <= told + PULSE_GROUP * (1 + self.interruptions):
                short = f" ({counter.too_short} too short)" if counter.too_short else ""
                self.problems.append(f"{meter} shows {counter.count} pulses{short}, told were {told}")

    def all_over(self, state: State) -> None:
        """At the end of the day nothing may be open and nobody may have money in the machine."""
        if self.notes or self.tickets or self.handpays or self.redeeming:
            self.problems.append(
                f"still open: notes {self.notes}, tickets {self.tickets}, coming in {self.redeeming}, "
                f"hand payments {self.handpays}"
            )
        left_cents = state.ledger.total("credit") + state.ledger.total("bet")
        if left_cents:
            self.problems.append(f"{left_cents} cents are left at the seats")
        if owed := {meter: count for meter, count in state.pulses.items() if count}:
            self.problems.append(f"hard meters are still owed {owed}")


def _keep(kept: dict[int, int], number: int, cents: int) -> None:
    """Add to a record of the newest tickets."""
    kept[number] = cents
    if len(kept) > TICKETS_KEPT:
        del kept[next(iter(kept))]


def view_problems(state: State, live: Live, now_ms: int) -> list[str]:
    """What the screen would show that is not so: a lock, money, cards that have not landed."""
    seen, locked = view(state, live), play_lock(state, live)
    if locked:  # the frozen picture is of another moment; behind a key the pages stand in its place
        told = seen.lock is not None or seen.scene is Scene.SERVICE
        return [] if told else [f"the table is locked by {locked!r} and looks open"]
    found = [] if seen.lock is None else [f"the table is open and looks locked: {seen.lock.code}"]
    for seat, look in zip(state.seats, seen.steps[-1].seats, strict=True):
        if look.credit_cents != state.credit(seat):
            found.append(f"seat {seat} is shown {look.credit_cents}, has {state.credit(seat)}")
    cards = [card for hand in seen.hands for card in (*hand.cards, *hand.continuation)]
    shown = {card.card for card in (*cards, *seen.dealer) if card.land_ms <= now_ms}
    landed = {move.card for move in state.moves if not move.seat and move.land_ms <= now_ms}
    if shown != landed:
        found.append(f"cards {sorted(shown ^ landed)} are shown before they land, or not at all")
    return found
