"""Paper of a simulated ticket printer: stack, head, rollers and chute, and what comes out of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from PIL import Image

from drivers.sim.ticket import art as ticket_art
from drivers.sim.ticket.art import PAPER_LENGTH_DOTS, TicketText
from drivers.sim.ticket.worth import worth_cents

#: The row behind the last bar of the bar code: from here on the ticket can be redeemed.
BAR_CODE_DONE_ROW = 1042
TRAY_TICKETS = 1000  # more than a day of play prints; older paper was swept up
ORDERS_LIMIT = 4  # the ticket that is printed, and what the job memory holds behind it
FOR_EVER_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class PrintedTicket:
    """One piece of paper. `printed_rows` of its 1240 rows were printed before it stopped."""

    LYING: ClassVar[bool] = True  # it is read with its long side across

    text: TicketText
    printed_rows: int
    at_ms: int

    @property
    def complete(self) -> bool:
        return self.printed_rows >= PAPER_LENGTH_DOTS

    @property
    def cents(self) -> int:
        """What it is worth: 0 for a test print and for a receipt."""
        return worth_cents(self.text.figures, (self.text.title,))

    @property
    def small_print(self) -> tuple[str, ...]:
        return (self.text.small_print,)

    def picture(self) -> Image.Image:
        """The paper itself, without the work of packing it into a file."""
        return ticket_art.render(self.text, self.printed_rows)

    def png(self) -> bytes:
        """What it looks like; drawn when somebody looks."""
        return ticket_art.render_png(self.text, self.printed_rows)


@dataclass(slots=True)
class Order:
    """A print order and how far it has come. `due_ms` is the time of its next step."""

    text: TicketText
    template: str
    copies: int
    due_ms: int
    step: Literal["waiting", "printing", "proven"] = "waiting"
    began_ms: int = 0
    ends_ms: int = 0
    jams: bool = False  # half way
    never_ends: bool = False


@dataclass(slots=True)
class Mechanics:
    """What a person can see or break; true until somebody changes it."""

    head_open: bool = False
    drawer_open: bool = False
    voltage: bool = False
    cutter: bool = False
    temperature: bool = False
    jammed: bool = False  # paper sticks inside, whatever the flag says

    def obstructed(self) -> bool:
        bad_parts = self.voltage or self.cutter or self.temperature
        return bad_parts or self.head_open or self.drawer_open or self.jammed


class PaperPath:
    """`tray` holds all paper that came out, oldest first."""

    def __init__(
        self,
        *,
        papers: int,
        print_ms: int,
        start_delay_ms: int,
        keeps_orders: bool,
        take_after_ms: int | None,
    ) -> None:
        self.papers = papers
        self.mechanics = Mechanics()
        self.tray: list[PrintedTicket] = []
        self.paper_count = 0  # everything that ever fell into it
        self.printed_count = 0  # complete tickets
        self.printed_cents = 0  # the sum of their figures
        self.spoilt_count = 0  # tickets that stopped on the way
        self.template = " "  # of the last ticket
        self.validation_done = False  # the bar code of the last ticket is on paper
        self.top_of_form = False
        self.jam_seen = False  # by the sensor; stays until the host clears it
        self._print_ms = print_ms
        self._start_delay_ms = start_delay_ms
        self._keeps_orders = keeps_orders
        self._take_after_ms = take_after_ms
        self._orders: deque[Order] = deque()
        self._chute: PrintedTicket | None = None
        self._leaving = False  # paper shows in the chute and is still held by the rollers
        self._take_ms: int | None = None

    @property
    def busy(self) -> bool:
        return bool(self._orders) and self._orders[0].step != "waiting"

    @property
    def ordered(self) -> list[str]:
        """The validation numbers of the orders that wait or are printed."""
        return [order.text.validation for order in self._orders]

    @property
    def chute_occupied(self) -> bool:
        return self._leaving or self._chute is not None

    @property
    def stage(self) -> str:
        if self.busy:
            return "ticket proven" if self.validation_done else "ticket printing"
        if self.due_ms is not None:
            return "ticket ordered"
        return "ticket in chute" if self.chute_occupied else ""

    @property
    def trouble(self) -> str:
        parts = self.mechanics
        troubles = (
            (parts.head_open, "head open"),
            (parts.drawer_open, "drawer open"),
            (parts.jammed or self.jam_seen, "paper jam"),
            (parts.cutter, "cutter stuck"),
            (parts.voltage, "bad supply"),
            (parts.temperature, "too hot"),
            (self.papers == 0 and not self.busy, "paper out"),
        )
        return next((text for is_so, text in troubles if is_so), "")

    @property
    def obstructed(self) -> bool:
        return self.papers == 0 or self.jam_seen or self.mechanics.obstructed()

    @property
    def due_ms(self) -> int | None:
        take_ms = None if self._leaving else self._take_ms  # nobody takes what the rollers still hold
        if not self._orders or self._waits_for_mending(self._orders[0]):
            return take_ms
        due_ms = self._orders[0].due_ms
        return due_ms if take_ms is None else min(due_ms, take_ms)

    def _waits_for_mending(self, order: Order) -> bool:
        return self._keeps_orders and order.step == "waiting" and self.obstructed

    def add(self, order: Order) -> bool:
        """False if the job memory is full."""
        if len(self._orders) >= ORDERS_LIMIT:
            return False
        self._orders.append(order)
        return True

    def accepts(self) -> bool:
        """Whether an order is taken up at all in the present condition."""
        return self._keeps_orders or not self.obstructed

    def move(self, at_ms: int) -> None:
        """Everything that is due."""
        if self._take_ms is not None and self._take_ms <= at_ms:
            self.take()
        if not self._orders or self._orders[0].due_ms > at_ms or self._waits_for_mending(self._orders[0]):
            return
        order = self._orders[0]
        match order.step:
            case "waiting" if self.obstructed:
                self._orders.popleft()
            case "waiting":
                self._begin(order, at_ms)
            case "printing" if order.jams:
                self.jam(at_ms)
            case "printing":
                order.step = "proven"
                order.due_ms = at_ms + FOR_EVER_MS if order.never_ends else order.ends_ms
                self.validation_done = self._leaving = True
            case "proven":
                self._come_out(order, at_ms)

    def _begin(self, order: Order, at_ms: int) -> None:
        self.papers -= 1
        self.validation_done = self.top_of_form = False
        order.step, order.began_ms, order.ends_ms = "printing", at_ms, at_ms + self._print_ms
        rows = PAPER_LENGTH_DOTS // 2 if order.jams else BAR_CODE_DONE_ROW
        order.due_ms = at_ms + self._print_ms * rows // PAPER_LENGTH_DOTS + 1

    def _come_out(self, order: Order, at_ms: int) -> None:
        self.template = order.template
        self.top_of_form = True
        ticket = PrintedTicket(order.text, PAPER_LENGTH_DOTS, at_ms)
        self._keep(ticket)
        self.printed_count += 1
        self.printed_cents += ticket.cents
        self._leaving = False
        self._chute = ticket  # one that still stood there is pushed out
        self._take_ms = None if self._take_after_ms is None else at_ms + self._take_after_ms
        self._orders.popleft()
        if order.copies > 1:
            due_ms = at_ms + self._start_delay_ms
            self._orders.appendleft(replace(order, copies=order.copies - 1, step="waiting", due_ms=due_ms))

    def _keep(self, ticket: PrintedTicket) -> None:
        self.paper_count += 1
        self.tray.append(ticket)
        del self.tray[:-TRAY_TICKETS]

    def sweep(self, kept: int) -> None:
        """Somebody sweeps up all paper but the last `kept` pieces."""
        del self.tray[:-kept]

    def stop(self, at_ms: int) -> None:
        """A ticket that is being printed stays as it is; one that was not begun is forgotten."""
        if not self._orders:
            return
        order = self._orders[0]
        if order.step != "waiting":
            done_ms = min(at_ms, order.ends_ms) - order.began_ms
            rows = min(PAPER_LENGTH_DOTS - 1, PAPER_LENGTH_DOTS * done_ms // self._print_ms)
            self._keep(PrintedTicket(order.text, rows, at_ms))
            self.spoilt_count += 1
            self._leaving = False
            self._orders.popleft()
        elif not self._keeps_orders:
            self._orders.popleft()

    def end_the_endless(self, at_ms: int) -> None:
        """Somebody pulls out a ticket that the printer never let go."""
        if self.busy and self._orders[0].never_ends:
            self.stop(at_ms)

    def jam(self, at_ms: int) -> None:
        self.mechanics.jammed = self.jam_seen = True
        self.stop(at_ms)

    def power_off(self, at_ms: int) -> None:
        """What is on paper stays on paper; orders and flags are lost."""
        self.stop(at_ms)
        self._orders.clear()
        self.validation_done = self.top_of_form = False
        self.jam_seen = self.mechanics.jammed
        self.template = " "

    def take(self) -> PrintedTicket | None:
        """Somebody takes the ticket out of the chute; None if none stands there or it is still held."""
        if self._leaving:
            return None
        ticket, self._chute, self._take_ms = self._chute, None, None
        return ticket
