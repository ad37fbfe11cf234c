"""The figures of an evening, from the cabinet's own books and from the simulated devices alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from cabinet.core.conditions import BY_CODE
from cabinet.core.live import Live, active_conditions
from cabinet.core.state import State
from cabinet.lab.world import World
from drivers.sim.printers import PrinterPaper
from drivers.sim.ticket.reader import read_picture


@dataclass(frozen=True, slots=True)
class EveningReport:
    """`sim_*` are counted by the simulators; `sim_ticket_numbers` are read from the printed images."""

    rounds: int
    notes_in_cents: int
    tickets_out_cents: int
    tickets_in_cents: int
    handpay_cents: int
    credit_cents: int
    house_cents: int
    ledger_sum_cents: int
    journal_digest: str
    frames: int
    late_frames: int
    sim_notes_stacked_cents: int
    sim_tickets_cents: int
    sim_ticket_numbers: list[str]
    tickets_in: int = 0
    sim_tickets_in: int = 0
    opening_credit_cents: int = 0  # what seats had when the evening began (a journal that is continued)
    faults: tuple[str, ...] = ()  # what came of each fault that was asked for, in words

    @property
    def problems(self) -> list[str]:
        """What does not add up; empty when the books are beyond doubt."""
        found = []
        if self.ledger_sum_cents:
            found.append(f"the ledger sums to {self.ledger_sum_cents} cents, not to zero")
        out = self.tickets_out_cents + self.handpay_cents + self.credit_cents + self.house_cents
        came = self.notes_in_cents + self.tickets_in_cents + self.opening_credit_cents
        if came != out:
            found.append(f"notes, tickets and credit before {came} are not what went out and is here, {out}")
        if self.sim_notes_stacked_cents != self.notes_in_cents:
            found.append(
                f"the cash boxes hold {self.sim_notes_stacked_cents}, the books {self.notes_in_cents}"
            )
        if self.sim_tickets_cents != self.tickets_out_cents:
            found.append(f"the printers gave {self.sim_tickets_cents}, the books {self.tickets_out_cents}")
        if self.sim_tickets_in != self.tickets_in:
            found.append(f"the boxes hold {self.sim_tickets_in} tickets, the books {self.tickets_in}")
        if len(set(self.sim_ticket_numbers)) != len(self.sim_ticket_numbers):
            found.append("a ticket number is on paper twice")
        return found


def make(
    state: State,
    digest: str,
    world: World,
    frames: int,
    late: int,
    *,
    read_images: bool = True,
    before: State | None = None,
    faults: tuple[str, ...] = (),
) -> EveningReport:
    """`read_images`: decode every printed ticket's bar code from its picture (slow, honest). `before`: the
    state in which the evening began; the simulated devices know nothing of earlier ones."""
    ledger = state.ledger
    opening = State() if before is None else before
    tickets = [ticket for printer in world.printers for ticket in printer.tray if ticket.complete]
    return EveningReport(
        rounds=state.meters.get("rounds", 0) - opening.meters.get("rounds", 0),
        notes_in_cents=opening.ledger["notes"] - ledger["notes"],
        tickets_out_cents=_counted(state, opening, "voucher_out"),
        tickets_in_cents=_counted(state, opening, "voucher_in"),
        tickets_in=_counted(state, opening, "vouchers_in"),
        sim_tickets_in=sum(m.stacked.tickets for m in world.validators),
        handpay_cents=_by_hand(state) - _by_hand(opening),
        credit_cents=_credit(state),
        house_cents=ledger["house"] - opening.ledger["house"],
        ledger_sum_cents=ledger.sum,
        journal_digest=digest,
        frames=frames,
        late_frames=late,
        sim_notes_stacked_cents=sum(m.stacked_cents for m in world.validators),
        sim_tickets_cents=sum(m.printed_cents for m in world.printers),
        sim_ticket_numbers=[_number(ticket, read_images) for ticket in tickets],
        opening_credit_cents=_credit(opening),
        faults=faults,
    )


@dataclass(slots=True)
class _Fault:
    name: str
    wanted: int
    in_round: int | None = None  # None: it has not happened yet
    showed: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # condition -> ms from, to


class Faults:
    """What the table has shown of each fault that was asked for: a watcher of what is published."""

    def __init__(
        self, asked: Sequence[tuple[str, int]], pending: Sequence[tuple[str, int]], panel: str
    ) -> None:
        """`pending`: those that have not happened yet; the table takes them out. `panel`: the name of its
        device."""
        self._pending, self._panel = pending, panel
        self._faults = [_Fault(*fault) for fault in asked]
        self._active: set[tuple[str, str]] = set()

    def publish(self, state: State, live: Live) -> None:
        for fault in self._faults:
            if fault.in_round is None and (fault.name, fault.wanted) not in self._pending:
                fault.in_round = state.round_number
        active = {(str(row.code), device) for row, device, _ in active_conditions(state, live)}
        for begun in active - self._active:
            if (cause := self._cause(begun[1])) is not None:
                cause.showed.setdefault(begun, [live.now_ms])
        for ended in self._active - active:
            for fault in self._faults:
                if ended in fault.showed and len(fault.showed[ended]) == 1:
                    fault.showed[ended].append(live.now_ms)
        self._active = active

    def _cause(self, device: str) -> _Fault | None:
        """The newest fault of a device. What concerns no device comes from a contact of the panel."""
        of = "panel" if device in ("", self._panel) else device
        happened = [fault for fault in self._faults if fault.in_round is not None]
        return next((fault for fault in reversed(happened) if fault.name.partition(".")[0] == of), None)

    def lines(self) -> tuple[str, ...]:
        return tuple(_story(fault) for fault in self._faults)


def _story(fault: _Fault) -> str:
    if fault.in_round is None:
        return f"{fault.name}@{fault.wanted} has not happened: the evening ended before round {fault.wanted}"
    showed = []
    for (code, device), (from_ms, *to_ms) in fault.showed.items():
        seconds = (to_ms[0] - from_ms) / 1000 if to_ms else 0
        end = f"over after {seconds:.0f} s" if to_ms else "not over when the evening ended"
        showed.append(f"{code} {BY_CODE[code].name}{f' at {device}' if device else ''}, {end}")
    told = "; ".join(showed) or "the table had no trouble to show"
    return f"{fault.name}@{fault.wanted} happened in round {fault.in_round}: {told}"


def _counted(state: State, opening: State, meter: str) -> int:
    """What a meter has counted this evening."""
    return state.meters.get(meter, 0) - opening.meters.get(meter, 0)


def _credit(state: State) -> int:
    """Money of players that is still in the cabinet."""
    ledger = state.ledger
    return ledger.total("credit") + ledger.total("bet") + ledger.total("in_flight")


def _by_hand(state: State) -> int:
    return state.ledger["handpaid"] + state.ledger.total("handpay")


def _number(ticket: PrinterPaper, read_images: bool) -> str:
    return read_picture(ticket.picture()) if read_images else ticket.text.validation


def write(report: EveningReport, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(report), indent=2) + "\n", encoding="utf-8")
