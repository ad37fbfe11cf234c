"""Devices as the decider knows them, and people: enough of both for evenings that nobody wrote down.

Each machine keeps the *truth* (what lies in the box, what is on paper, what the hard meter shows),
answers each order with one outcome as `drivers.device` promises, and after a power cut tells only
what a real one could. `Crowd` draws every next event from a seed and lets power go in between, so
that at the end truth and books can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from cabinet.core import turn as acts
from cabinet.core.outputs import outputs
from cabinet.core.staff import menu
from cabinet.core.turn import DrawError, StopAsked
from drivers import device as d
from drivers.device import Fault, Holding, TicketOutcome
from support.evenings.evening import Evening

NOTES_CENTS = (100, 500, 1_000, 2_000, 5_000, 10_000)


@dataclass
class Validator:
    """A note or a ticket goes: accepting, escrow, stacking, vend valid, in the box; or it comes back."""

    name: str
    chance: Random
    stage: str = ""
    cents: int = 0
    digits: str = ""  # of a ticket
    box_cents: int = 0
    box_tickets: list[str] = field(default_factory=list)
    paper: Callable[[], str] = str  # the number of a ticket that somebody puts in; "" for a note
    power_lost: Holding | None = None  # what it says after a power cut, until it is reset
    connected: bool = False
    out: list[d.DeviceEvent] = field(default_factory=list)

    def order(self, act: acts.Act, at_ms: int) -> None:
        match act:
            case acts.StackNote():
                if self.stage == "escrow":
                    self.stage = "stacking"
                elif not self.stage:
                    self.out.append(d.NoteGivenBack(self.name, at_ms, "no longer in escrow"))
            case acts.ReturnNote():
                if self.stage == "escrow":
                    self.stage = "returning"
                elif not self.stage:
                    self.out.append(d.NoteGivenBack(self.name, at_ms, "no longer in escrow"))
            case acts.AcknowledgeNote():
                if self.stage == "recovered":
                    self.stage = "acknowledged"
                elif self.stage in ("vend", ""):
                    self.stage = ""
                    self.out.append(d.NoteStacked(self.name, at_ms))
            case acts.ResetValidator() if self.power_lost is not None:
                self._restarted(at_ms)

    def _restarted(self, at_ms: int) -> None:
        """It was reset after its report. A note in its stacker may be vended again (power recovery)."""
        held, self.power_lost = self.power_lost, None
        if held is not Holding.IN_STACKER:
            self.stage = ""
        elif self.chance.random() < 0.5:
            self.out.append(d.NoteVendValid(self.name, at_ms))
            self.stage = "vend"
        elif self.stage == "acknowledged":
            self.stage = ""
            self.out.append(d.NoteStacked(self.name, at_ms))
        else:
            self.stage = ""

    def move(self, at_ms: int, accepts: bool) -> list[d.DeviceEvent]:
        """What it says next: answers first, then one step of its mechanics."""
        if self.out:
            return [self.out.pop(0)]
        if not self.connected:
            return self._first_report(at_ms)
        if self.power_lost is not None:
            return []
        match self.stage:
            case "" if accepts and self.chance.random() < 0.5:
                self.stage, self.digits = "accepting", self.paper()
                self.cents = 0 if self.digits else self.chance.choice(NOTES_CENTS)
                return [d.NoteAccepting(self.name, at_ms)]
            case "accepting" if self.chance.random() < 0.1:
                self.stage = ""
                return [d.NoteGivenBack(self.name, at_ms, "not recognised")]
            case "accepting":
                self.stage = "escrow"
                return [self._escrowed(at_ms)]
            case "stacking" if self.chance.random() < 0.15:
                self.stage = ""
                return [d.NoteGivenBack(self.name, at_ms, "slipped")]
            case "stacking":
                self.stage = "vend"
                self._drop()
                return [d.NoteVendValid(self.name, at_ms)]
            case "returning":
                self.stage = ""
                return [d.NoteGivenBack(self.name, at_ms, "returned")]
        return []

    def cut(self, with_power: bool) -> None:
        """The cabinet restarts; `with_power`: the validator loses power too, wherever its note is."""
        self.out.clear()
        self.connected = False
        if self.stage == "acknowledged":
            self.stage = "recovered"
        if not with_power or self.power_lost is not None:
            return  # what it says is kept until it is reset
        match self.stage:
            case "accepting" | "escrow" | "returning":
                self.power_lost = Holding.IN_ACCEPTOR
            case "stacking":
                self.power_lost = self.chance.choice(
                    (Holding.IN_ACCEPTOR, Holding.IN_STACKER, Holding.POWER_UP)
                )
                reached = self.power_lost is Holding.POWER_UP and self.chance.random() < 0.5
                if reached or self.power_lost is Holding.IN_STACKER:
                    self._drop()  # at POWER_UP nobody can tell: that is the gap
                if self.power_lost is not Holding.IN_ACCEPTOR:
                    self.stage = "recovered"
            case "vend" | "recovered":
                self.power_lost = Holding.IN_STACKER
                self.stage = "recovered"
            case "":
                self.power_lost = Holding.POWER_UP

    def _first_report(self, at_ms: int) -> list[d.DeviceEvent]:
        if self.power_lost is None and self.stage in ("accepting", "stacking"):
            return self._unwatched()
        self.connected = True
        said: list[d.DeviceEvent] = []
        if self.power_lost is not None:
            said.append(d.ValidatorReport(self.name, at_ms, self.power_lost))
            if self.power_lost is Holding.POWER_UP:
                self.stage = ""
        elif self.stage == "escrow":
            said.append(d.ValidatorReport(self.name, at_ms, Holding.ESCROW))
            said.append(self._escrowed(at_ms))
        elif self.stage in ("vend", "recovered"):
            self.stage = "vend"
            said.append(d.ValidatorReport(self.name, at_ms, Holding.VEND_VALID))
        elif self.stage == "returning":
            self.stage = ""
            said.append(d.ValidatorReport(self.name, at_ms, Holding.RETURNING))
        else:
            said.append(d.ValidatorReport(self.name, at_ms, Holding.NOTHING))
        return said

    def _unwatched(self) -> list[d.DeviceEvent]:
        """Nothing definite: the mechanics go on and the driver waits."""
        if self.stage == "accepting":
            self.stage = "escrow"
        else:
            self.stage = "vend"
            self._drop()
        return []

    def _escrowed(self, at_ms: int) -> d.DeviceEvent:
        if self.digits:
            return d.BarcodeEscrowed(self.name, at_ms, self.digits)
        return d.NoteEscrowed(self.name, at_ms, self.cents, 1)

    def _drop(self) -> None:
        """It falls into the box."""
        self.box_cents += self.cents
        if self.digits:
            self.box_tickets.append(self.digits)


@dataclass
class Printer:
    """Prints one ticket at a time, or jams, or cannot tell."""

    name: str
    chance: Random
    paper: dict[str, int] = field(default_factory=dict)  # number -> cents: what people hold
    mode: str = "watching"
    ref: int = 0
    number: str = ""
    cents: int = 0
    evidence: TicketOutcome = TicketOutcome.NOT_STARTED  # what its flags say of the last order
    ready: bool = False
    out: list[d.DeviceEvent] = field(default_factory=list)

    def order(self, act: acts.Act, at_ms: int, cents: Callable[[int], int]) -> None:
        match act:
            case acts.PrintTicket(ref=ref, ticket=fields):
                if self.mode != "idle":
                    self.out.append(
                        d.TicketDone(self.name, at_ms, ref, TicketOutcome.NOT_STARTED, "not ready")
                    )
                    return
                self.mode, self.ref, self.number, self.cents = "job", ref, fields.validation, cents(ref)
                self.evidence = TicketOutcome.NOT_STARTED
            case acts.InquireTicket(ref=ref) if self.mode == "watching":
                known = self.evidence if ref == self.ref else TicketOutcome.NOT_STARTED
                self.mode = "clearing" if known is TicketOutcome.NOT_STARTED else "holding"
                self.out.append(d.TicketDone(self.name, at_ms, ref, known, "asked"))
            case acts.TicketRecorded(ref=ref) if self.mode == "holding":
                self.mode = "clearing"
            case acts.ReleasePrinter() if self.mode == "watching":
                self.mode = "clearing"

    def move(self, at_ms: int) -> list[d.DeviceEvent]:
        if self.out:
            return [self.out.pop(0)]
        if self.mode == "job":
            return self._job(at_ms)
        if self.mode == "clearing":
            self.mode = "idle"
        ready = self.mode == "idle"
        if ready != self.ready:
            self.ready = ready
            return [d.PrinterReady(self.name, at_ms, ready)]
        return []

    def _job(self, at_ms: int) -> list[d.DeviceEvent]:
        roll = self.chance.random()
        if roll < 0.7:
            self._on_paper()
            self.evidence = TicketOutcome.PRINTED
        elif roll < 0.85:
            self.evidence = TicketOutcome.NOT_STARTED
        else:
            self.evidence = TicketOutcome.UNKNOWN
            if self.chance.random() < 0.5:
                self._on_paper()
        self.mode = "clearing" if self.evidence is TicketOutcome.NOT_STARTED else "holding"
        return [d.TicketDone(self.name, at_ms, self.ref, self.evidence)]

    def _on_paper(self) -> None:
        assert self.number not in self.paper, "a number reached paper twice"
        self.paper[self.number] = self.cents

    def cut(self, with_power: bool) -> None:
        self.out.clear()
        self.ready = False
        if self.mode == "job":  # it may finish what it has in its buffer, or not
            printed = self.chance.random() < 0.5
            if printed:
                self._on_paper()
            started = printed or self.chance.random() < 0.5
            certain = TicketOutcome.PRINTED if printed else TicketOutcome.UNKNOWN
            self.evidence = certain if started else TicketOutcome.NOT_STARTED
        if with_power:  # its flags are gone: it cannot know that nothing was printed
            self.evidence = TicketOutcome.UNKNOWN
        self.mode = "watching"


@dataclass
class Crowd:
    """Everybody around one cabinet, with a seed. `evening` is the cabinet."""

    evening: Evening
    seed: int
    chance: Random = field(init=False)
    cards: Random = field(init=False)
    stuck: bool = False  # the generator gives no cards
    validators: dict[str, Validator] = field(init=False)
    printers: dict[str, Printer] = field(init=False)
    shown: dict[str, int] = field(default_factory=dict)  # hard meters, as a person reads them
    pulsing: list[d.PulsesDone] = field(default_factory=list)
    cuts: int = 0
    faults: list[tuple[str, Fault]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        self.cards = Random(self.seed + 1)
        self.evening.index = self._card
        policy = self.evening.policy
        self.validators = {name: Validator(name, self.chance) for name, _ in policy.validators}
        self.printers = {name: Printer(name, self.chance) for name, _ in policy.printers}
        for validator in self.validators.values():
            validator.paper = self._wallet
        self._carry_out()

    def _wallet(self) -> str:
        """Somebody puts in a ticket that was printed here, or a number that he has made up."""
        roll = self.chance.random()
        if roll > 0.4:
            return ""
        papers = sorted(number for printer in self.printers.values() for number in printer.paper)
        inside = {v.digits for v in self.validators.values() if v.stage}
        boxes = {number for v in self.validators.values() for number in v.box_tickets}
        mine = [number for number in papers if number not in boxes | inside]
        if roll < 0.05 or not mine:  # a copy, or one that nobody has printed
            return self.chance.choice([*papers, "0" * 18, "006000001728978432"])
        return self.chance.choice(mine)

    def _card(self, remaining: Sequence[int]) -> int:
        if self.stuck:
            raise DrawError("stuck")
        return self.cards.randrange(len(remaining))

    # ---- one thing happens

    def step(self) -> None:
        choice = self.chance.random()
        if self.evening.state.frozen and self.chance.random() < 0.2:
            self._help_out()
        elif choice < 0.40:
            self._device()
        elif choice < 0.80:
            self._press()
        elif choice < 0.90:
            self.evening.advance(self.chance.choice((1, 50, 400, 3_000, 12_000, 15_000)))
        elif choice < 0.94:
            self._trouble()
        elif choice < 0.97:
            self._attendant()
        elif choice < 0.98:
            self._power()
        else:
            self._door()
        self._carry_out()

    def _feed(self, event: d.DeviceEvent) -> None:
        self.evening.feed(event)
        self._carry_out()

    def _device(self) -> None:
        at_ms = self.evening.at_ms
        if self.pulsing and self.chance.random() < 0.3:
            self._give(self.pulsing.pop(0))
            return
        names = [*self.validators, *self.printers]
        name = self.chance.choice(names)
        if name in self.validators:
            accepts = outputs(self.evening.state, self.evening.live).accept[name]
            said = self.validators[name].move(at_ms, accepts and self._thirsty(name))
        else:
            said = self.printers[name].move(at_ms)
        for event in said:
            self._feed(event)
        if name in self.printers and self.chance.random() < 0.2:
            self._feed(d.TicketTaken(name, at_ms))

    def _give(self, done: d.PulsesDone) -> None:
        self.shown[done.meter] = self.shown.get(done.meter, 0) + done.count
        self._feed(done)

    def _thirsty(self, name: str) -> bool:
        """People with plenty of credit put in no more."""
        seats = self.evening.policy.seats_of(name)
        return all(self.evening.state.credit(seat) < 50_000 for seat in seats)

    def _press(self) -> None:
        seat = self.chance.choice(list(self.evening.state.seats))
        lit = sorted(self.evening.lamps(seat))
        anything = (
            "bet_plus",
            "bet_minus",
            "deal",
            "hit",
            "stand",
            "double",
            "split",
            "cash_out",
            "buy_in",
            "help",
        )
        if lit and self.chance.random() < 0.8:
            playing = [b for b in lit if b not in ("cash_out", "bet_minus")]
            button = (
                "deal" if "deal" in lit and self.chance.random() < 0.5 else self.chance.choice(playing or lit)
            )
        else:
            button = self.chance.choice(anything)
        at_ms = max(0, self.evening.at_ms - self.chance.choice((0, 0, 0, 5)))
        self._feed(d.InputChanged("panel1", at_ms, f"seat{seat}.{button}", True))

    def _door(self) -> None:
        name = self.chance.choice(("door.main", "door.cash_box", "door.drop", "door.logic"))
        self.evening.switch(name, not self.evening.live.inputs.get(name, False))

    def _help_out(self) -> None:
        """The table stands still: somebody closes the doors, mends the panel and turns the service key."""
        for name, is_open in list(self.evening.live.inputs.items()):
            if is_open and not name.startswith("seat"):
                self.evening.switch(name, False)
        for device, fault in [f for f in self.faults if f[0] == "panel1"]:
            self.faults.remove((device, fault))
            self._feed(d.FaultCleared(device, self.evening.at_ms, fault))
        self.stuck = False
        self.evening.switch("key.service", True)
        self.evening.switch("key.service", False)

    def _trouble(self) -> None:
        if self.chance.random() < 0.1:
            self.stuck = True
            return
        if self.faults and self.chance.random() < 0.6:
            device, fault = self.faults.pop(self.chance.randrange(len(self.faults)))
            self._feed(d.FaultCleared(device, self.evening.at_ms, fault))
            return
        kinds = {
            **dict.fromkeys(self.validators, (Fault.JAM, Fault.LINK_LOST, Fault.STACKER_FULL, Fault.CHEATED)),
            **dict.fromkeys(
                self.printers, (Fault.PAPER_OUT, Fault.PAPER_JAM, Fault.PAPER_LOW, Fault.LINK_LOST)
            ),
            "panel1": (Fault.INPUT_STUCK, Fault.BOARD_LOST),
        }
        device = self.chance.choice(list(kinds))
        fault = self.chance.choice(kinds[device])
        if (device, fault) not in self.faults and len(self.faults) < 3:
            self.faults.append((device, fault))
            self._feed(d.FaultRaised(device, self.evening.at_ms, fault, "chance"))

    def _attendant(self) -> None:
        key = self.chance.choice(("attendant", "service"))
        self.evening.switch(f"key.{key}", True)
        if key == "service":
            self.evening.walk("Open matters")
        self._answer(self.chance.randint(0, 3))
        self.evening.switch(f"key.{key}", False)

    def _answer(self, most: int) -> None:
        """The attendant looks where the thing is and says so."""
        for _ in range(most):
            items = [i for i in menu.items(self.evening.state, self.evening.live) if self.is_true(i.does)]
            if not items:
                return
            self.evening.walk(items[0].label)
            self._carry_out()

    def is_true(self, order: tuple[str, ...]) -> bool:
        """Whether an honest attendant would choose this item."""
        match order:
            case ("ticket", ref, answer):
                ticket = self.evening.state.ticket(int(ref))
                assert ticket is not None
                return (answer == "yes") == (ticket.number in self.printers[ticket.device].paper)
            case ("note", ref, device, answer) if number := self._ticket_in(int(ref)):
                return (answer == "yes") == (number in self.validators[device].box_tickets)
            case ("note", ref, device, answer) if ref != "0":
                others = sum(
                    n.cents for n in self.evening.state.notes if n.device == device and n.ref != int(ref)
                )
                assert others == 0, "two notes of one validator are in question"
                return (answer == "yes") == (self._missing(device) > 0)
            case ("round", answer):
                return answer == "on"
            case ("paid" | "note", *_):
                return True
        return False

    def _ticket_in(self, ref: int) -> str:
        """The number of a ticket whose document is in question; "" for a note."""
        return next((n.number for n in self.evening.state.notes if n.ref == ref), "")

    def _missing(self, device: str) -> int:
        """What lies in the box of this validator and is not in the books."""
        counted = sum(
            cents * count
            for key, count in self.evening.state.meters.items()
            if key.startswith(f"bills.{device}.")
            for cents in [int(key.rpartition(".")[2])]
        )
        return self.validators[device].box_cents - counted

    def _power(self) -> None:
        self.cuts += 1
        if self.chance.random() < 0.5:
            self._disk_fails()
        for validator in self.validators.values():
            validator.cut(self.chance.random() < 0.5)
        for printer in self.printers.values():
            printer.cut(self.chance.random() < 0.5)
        for done in self.pulsing:
            self.shown[done.meter] = self.shown.get(done.meter, 0) + self.chance.randint(0, done.count)
        self.pulsing.clear()
        self.faults.clear()
        self.evening.crash()
        self._carry_out()

    def _disk_fails(self) -> None:
        """What somebody says last is lost, or written and not acted on."""
        at_ms = self.evening.at_ms
        seat = self.chance.choice(list(self.evening.state.seats))
        button = self.chance.choice(sorted(self.evening.lamps(seat)) or ["help"])
        events: list[d.DeviceEvent] = [d.InputChanged("panel1", at_ms, f"seat{seat}.{button}", True)]
        for machine in self.validators.values():
            events += machine.move(at_ms, accepts=False)
        for printer in self.printers.values():
            events += printer.move(at_ms)
        for event in events[1:-1]:
            self._feed(event)
        self.evening.commit_fails(events[-1], self.chance.random() < 0.5)
        self._carry_out()

    # ---- orders

    def _carry_out(self) -> None:
        evening = self.evening
        ordered, evening.acts = evening.acts, []
        for act in ordered:
            if isinstance(act, acts.GivePulses):
                self.pulsing.append(d.PulsesDone("panel1", evening.at_ms, act.meter, act.count))
            elif act.device in self.validators:
                self.validators[act.device].order(act, evening.at_ms)
            elif act.device in self.printers:
                self.printers[act.device].order(act, evening.at_ms, self._cents)

    def _cents(self, ref: int) -> int:
        ticket = self.evening.state.ticket(ref)
        assert ticket is not None
        return ticket.cents

    # ---- the end

    def go_home(self) -> None:
        """No new notes; faults are mended, rounds are played out, matters settled, all cash out."""
        evening = self.evening
        for device, fault in self.faults:
            self._feed(d.FaultCleared(device, evening.at_ms, fault))
        self.faults.clear()
        for name, is_open in list(evening.live.inputs.items()):
            if is_open and not name.startswith("seat"):
                evening.switch(name, False)
        self.stuck = False
        evening.feed(StopAsked(evening.at_ms))
        for _ in range(60):
            self._carry_out()
            for validator in self.validators.values():
                for event in validator.move(evening.at_ms, False):
                    self._feed(event)
            for printer in self.printers.values():
                for event in printer.move(evening.at_ms):
                    self._feed(event)
            while self.pulsing:
                self._give(self.pulsing.pop(0))
            evening.advance(evening.policy.decide_ms + 1)
            for seat in evening.state.seats:
                if all(pay.seat != seat for pay in evening.state.handpays):  # or it would take it back
                    evening.press(seat, "cash_out")
            self._carry_out()
            evening.switch("key.service", True)
            evening.walk("Open matters")
            self._answer(20)
            evening.switch("key.service", False)
