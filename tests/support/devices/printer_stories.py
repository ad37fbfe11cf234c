"""Evenings with a random TCL printer, a random line and an owner who keeps the books as the cabinet does."""

from __future__ import annotations

import random
from collections import Counter

from drivers.device import Fault, TicketDone, TicketOutcome
from drivers.sim.tcl import Setup
from drivers.sim.tcl.paper import BAR_CODE_DONE_ROW
from support.devices.printers import Bench

PRINTED, NOT_STARTED, UNKNOWN = TicketOutcome.PRINTED, TicketOutcome.NOT_STARTED, TicketOutcome.UNKNOWN

WIRE = ["lost", "garbled", "garbled", "garbled", "delayed", "split", "glued", "noise", "lost_request"]
MACHINE = [
    *("jam", "jam_next", "head_open", "drawer_open", "paper_out", "paper_low", "voltage", "cutter"),
    *("reset", "xoff", "xon", "misheard", "swallowed", "refused", "never_ends", "summary"),
    *("slow_start", "late_start", "very_late_start", "deaf_to_reset", "take"),
]
REMEDIES = ["repair", "load_paper", "head_close", "drawer_close", "xon", "mend"]


def any_printer(chance: random.Random) -> tuple[Setup, dict[str, object]]:
    """A printer within what the language allows, and the options that suit it."""
    validation_bit = chance.random() < 0.8
    setup = Setup(
        baud=chance.choice([9600, 19200, 38400]),
        start_delay_ms=chance.choice([0, 30, 400, 800, 2500, 4800, 5200, 9000, chance.randrange(60_000)]),
        print_ms=chance.randrange(1500, 9000),
        answer_ms=chance.randrange(1, 80),
        boot_ms=chance.choice([200, 500, 1500, 4000, 12_000]),
        part_gap_ms=chance.choice([20, None]),
        chute_sensor=chance.random() < 0.8,
        validation_bit=validation_bit,
        validation_stuck=not validation_bit and chance.random() < 0.5,
        obeys_reset=chance.random() < 0.8,
        top_of_form=chance.random() < 0.3,
        unasked_ms=chance.choice([None, None, 170, 2000]),
        keeps_orders=chance.random() < 0.4,
        take_after_ms=chance.choice([None, 1500, 8000]),
    )
    return setup, {"validation_bit": validation_bit, "flow": chance.choice(["none", "xonxoff"])}


class Story:
    """One printer, many orders. `book` says of each number what it is worth."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        setup, options = any_printer(self.chance)
        self.bench = Bench(setup, seed=seed, xonxoff=options.pop("flow") == "xonxoff", **options)  # type: ignore[arg-type]
        self.numbers: list[str] = []  # by ref
        self.book: dict[str, str] = {}
        self.open: int | None = None  # the ticket that is ordered or unknown
        self.is_unknown = False
        self.heard = 0  # events of this driver that were minded
        self.is_over = False  # nobody cashes out any more
        self.told: Counter[str] = Counter()
        self.bench.driver.release()

    def tell(self) -> None:
        """Ten to forty happenings, then peace until everything is settled."""
        for _ in range(self.chance.randrange(10, 40)):
            self._pass(self.chance.choice([50, 200, 900, 2500, 9000]))
            self._happen()
        self._peace()

    # ---- the owner

    def _pass(self, ms: int) -> None:
        for _ in range(0, ms, 50):
            self.bench.run(50)
            self._mind()

    def _mind(self) -> None:
        for event in self.bench.events[self.heard :]:
            if isinstance(event, TicketDone) and event.ref == self.open and not self.is_unknown:
                self._close(event.outcome)
            elif isinstance(event, TicketDone) and event.ref != self.open:
                self.bench.driver.recorded(event.ref)  # it was void before the restart
        self.heard = len(self.bench.events)
        if not self.is_over and self.open is None and self.bench.is_ready() and self.chance.random() < 0.1:
            self._order()

    def _order(self) -> None:
        ref = len(self.numbers)
        self.numbers.append(f"00{ref:016d}")
        self.book[self.numbers[ref]] = "open"
        self.open, self.is_unknown = ref, False
        self.bench.order(ref, self.numbers[ref])
        self.told["orders"] += 1

    def _close(self, outcome: TicketOutcome) -> None:
        assert self.open is not None
        self.told[outcome.value] += 1
        if outcome is UNKNOWN:
            self.is_unknown = True
            return
        self._settle("payable" if outcome is PRINTED else "void", by="printer")

    def _settle(self, worth: str, by: str) -> None:
        assert self.open is not None
        self.book[self.numbers[self.open]] = f"{worth} by {by}"
        self.bench.driver.recorded(self.open)
        self.open, self.is_unknown = None, False

    def _whole(self, number: str) -> int:
        """Papers with that number whose bar code is out: redeemable, also if the rest is missing."""
        mine = (paper for paper in self.bench.machine.tray if paper.text.validation == number)
        return sum(paper.printed_rows >= BAR_CODE_DONE_ROW for paper in mine)

    def _answer(self) -> None:
        """The attendant has looked for the ticket."""
        if self.open is None or not self.is_unknown:
            return
        self._settle("payable" if self._whole(self.numbers[self.open]) else "void", by="attendant")
        self.bench.driver.release()

    def _restart(self) -> None:
        """As the cabinet starts: an open ticket is asked about, a void one too, else it is released."""
        self.told["restarts"] += 1
        self.bench.restart_host()
        self.heard = 0
        if self.open is not None and not self.is_unknown:
            self.bench.driver.inquire(self.open)
        elif self.open is None:
            last = self.numbers[-1] if self.numbers else ""
            if self.book.get(last, "").startswith("void"):
                self.bench.driver.inquire(len(self.numbers) - 1)
            else:
                self.bench.driver.release()

    # ---- what happens

    def _happen(self) -> None:
        roll, bench = self.chance.random(), self.bench
        is_sending = self.open is not None and not self.is_unknown and not self._was_sent()
        if roll < 0.35:
            bench.inject(self.chance.choice(WIRE))
        elif roll < 0.40 and not is_sending:
            bench.inject("garbled_request")  # a poll or a CLEAR: an order has no check of its own
        elif roll < 0.62:
            bench.inject(self.chance.choice(MACHINE))
        elif roll < 0.66:
            bench.inject(self.chance.choice(["silent", "echo"]))
        elif roll < 0.70:
            self._unplug()
        elif roll < 0.76:
            self._restart()
        elif roll < 0.80:
            self._switch_off(drops=self.chance.random() < 0.5)
        elif roll < 0.86:
            self._answer()
        else:
            self._repair()

    def _was_sent(self) -> bool:
        number = self.numbers[-1].encode()
        return any(number in data for _, data in self.bench.writes[-40:])

    def _unplug(self) -> None:
        self.bench.wire.unplug(self.bench.now_ms)
        self._pass(self.chance.choice([300, 3000]))
        self.bench.wire.replug(self.bench.now_ms)

    def _switch_off(self, *, drops: bool) -> None:
        if drops:
            self.bench.wire.drop_in_flight()
        self.bench.machine.power_off(self.bench.now_ms)
        self._pass(self.chance.choice([300, 3000]))
        self.bench.machine.power_on(self.bench.now_ms)

    def _repair(self) -> None:
        self.bench.inject(*REMEDIES)
        self.bench.machine.take()
        self.bench.driver.clear_fault()

    def _peace(self) -> None:
        self._repair()
        self._pass(70_000)
        self._answer()
        self._repair()
        self._pass(20_000)
        if "off and on" in self.bench.faults().get(Fault.PRINTER_FAILED, ""):
            self.told["barred"] += 1
            self._switch_off(drops=False)
        self._pass(60_000)
        self.is_over = True
        for _ in range(3):
            self._pass(45_000)
            self._repair()
            self._answer()
        self._pass(25_000)

    # ---- what must be true

    def problems(self) -> list[str]:
        found = []
        tray = self.bench.machine.tray
        papers = Counter(paper.text.validation for paper in tray if paper.printed_rows)
        for number, worth in self.book.items():
            if papers[number] > 1:
                found.append(f"{number} on {papers[number]} papers")
            if worth.startswith("payable") and self._whole(number) != 1:
                found.append(f"{number} is {worth} and on {self._whole(number)} whole papers")
            if worth == "void by printer":
                self.told["void, and on paper"] += self._whole(number)
        found += [f"{number} is on paper and in no book" for number in papers if number not in self.book]
        if self.open is not None:
            found.append("a ticket has no outcome")
        if not self.bench.is_ready() and not self.bench.faults():
            found.append("it stands still and nobody is called")
        return found
