"""The evening that is crashed: notes, a note given back, bets, a split, a double, a time-out, a note during
the round, a hand payment, tickets in turn at one printer, a ticket that comes back. One person, many
hands, always the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from cabinet.config import Config, DeviceKind, DeviceTable, load
from cabinet.core.renewal import replace
from cabinet.lab.glance import Glance
from cabinet.lab.table import cabinet_file
from cabinet.lab.world import World
from drivers.sim.printers import PrinterMachine

# A pair to split, and cards that let everybody decide more than once.
CARDS = "8H 8S 6D 3C 3D 10C 2C 10S 4D 9H 10D KC 5C QC"
# Low enough that a seat that has put in two hundreds reaches both.
CREDIT_LIMIT_CENTS = 25_000
TICKET_LIMIT_CENTS = 15_000
PULSE_CENTS = 1_000  # some sixty pulses in all
LOOK_MS = 100  # how often the person looks
HAND_MS = 250  # from one press to the next
SEATS_MOST = 3

Do = Callable[[World, Glance, int], bool]  # True when it is done


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """Something to do. It is tried until it works."""

    name: str
    do: Do


def cabinet(name: str) -> Config:
    """A shipped cabinet that takes tickets back, with limits that one round reaches."""
    config = load(cabinet_file(name))
    policy = replace(
        config.cabinet,
        credit_limit_cents=CREDIT_LIMIT_CENTS,
        ticket_limit_cents=TICKET_LIMIT_CENTS,
        pulse_cents=PULSE_CENTS,
        large_win_cents=0,
    )
    return replace(config, cabinet=policy, devices=tuple(_reads_tickets(table) for table in config.devices))


def _reads_tickets(table: DeviceTable) -> DeviceTable:
    if table.kind is not DeviceKind.BILL_VALIDATOR:
        return table
    return replace(table, options=MappingProxyType({**table.options, "barcode": True}))


class Script:
    """Does one step after the other. `wake_at` is when the person looks next."""

    def __init__(self, steps: Sequence[ScriptStep]) -> None:
        self.steps = tuple(steps)
        self.place = 0
        self.wake_at = LOOK_MS

    @property
    def over(self) -> bool:
        return self.place >= len(self.steps)

    @property
    def doing(self) -> str:
        return "nothing more" if self.over else self.steps[self.place].name

    def act(self, world: World, seen: Glance, now_ms: int) -> None:
        if self.over or now_ms < self.wake_at:
            return
        done = self.steps[self.place].do(world, seen, now_ms)
        self.place += done
        self.wake_at = now_ms + (HAND_MS if done else LOOK_MS)


# ---- the scenes

SCENES = ("notes", "round", "handpay", "ticket", "redeem")


def steps_of(config: Config, scenes: Sequence[str] = ()) -> list[ScriptStep]:
    """The scenes by their names, all of them without names. A later scene needs the money of the first."""
    makers = {"notes": notes, "round": playing, "handpay": hand_pay, "ticket": tickets, "redeem": redeem}
    steps: list[ScriptStep] = []
    for name, make in makers.items():
        if not scenes or name in scenes:
            steps += make(config)
    return steps


def notes(config: Config) -> list[ScriptStep]:
    """The last seat has two hundreds and may not put in a third; the others have one each."""
    rich = _seats(config)[-1]
    steps: list[ScriptStep] = []
    for seat in _seats(config):
        steps.append(note(config, seat, 10_000))
        if seat == rich:
            steps += [note(config, seat, 10_000), refused(config, seat, 10_000)]
    return steps


def playing(config: Config) -> list[ScriptStep]:
    seats = _seats(config)
    steps = [press(seat, "bet_plus") for seat in seats]
    steps += [press(seats[0], "bet_plus"), press(seats[0], "bet_minus"), *(press(s, "deal") for s in seats)]
    steps += [press(seats[0], "split"), note(config, seats[0], 500)]
    return [*steps, ScriptStep("plays on", _play_on)]


def tickets(config: Config) -> list[ScriptStep]:
    """The poorer seats cash out, one behind the other where they share a printer."""
    seats = _seats(config)
    steps = [press(seat, "cash_out") for seat in seats[:-1]]
    if not steps:
        steps = [note(config, seats[0], 2_000), press(seats[0], "cash_out")]
    return [*steps, paid_out(seats[:-1] or seats)]


def hand_pay(config: Config) -> list[ScriptStep]:
    seat = _seats(config)[-1]
    return [press(seat, "cash_out"), paid_out([seat])]


def redeem(config: Config) -> list[ScriptStep]:
    """The first seat's ticket comes back, is its credit, and goes out on another number."""
    return [ticket_in(config, 1), press(1, "cash_out"), paid_out([1])]


def _seats(config: Config) -> list[int]:
    return list(range(1, min(config.cabinet.seats, SEATS_MOST) + 1))


def press(seat: int, button: str) -> ScriptStep:
    """Press the button as soon as its lamp is lit."""

    def do(world: World, seen: Glance, now_ms: int) -> bool:
        if button not in seen.seats[seat - 1].lamps:
            return False
        world.press(f"seat{seat}.{button}", now_ms)
        return True

    return ScriptStep(f"seat {seat} presses {button}", do)


def note(config: Config, seat: int, cents: int) -> ScriptStep:
    """Feed a note, with BUY IN before it where the validator is shared, until it is recorded."""
    validator = _validator(config, seat)
    fed: list[int] = []

    def do(world: World, seen: Glance, now_ms: int) -> bool:
        count = len(world.validator(validator).stacked)
        if fed:
            return count > fed[0] and validator not in seen.in_work
        if "buy_in" in seen.seats[seat - 1].lamps and dict(seen.binding).get(validator) != seat:
            world.press(f"seat{seat}.buy_in", now_ms)
        elif world.insert(validator, cents, now_ms):
            fed.append(count)
        return False

    return ScriptStep(f"seat {seat} puts in {cents}", do)


def ticket_in(config: Config, seat: int) -> ScriptStep:
    """Feed the first ticket (no receipt) that the seat's printer has made, until it is redeemed."""
    validator = _validator(config, seat)
    printer = config.serving(DeviceKind.TICKET_PRINTER, seat).name
    fed: list[int] = []

    def do(world: World, seen: Glance, now_ms: int) -> bool:
        if fed:
            return seen.seats[seat - 1].credit_cents > 0 and validator not in seen.in_work
        ticket = next(paper for paper in world.printer(printer).tray if paper.complete and paper.cents)
        if "buy_in" in seen.seats[seat - 1].lamps and dict(seen.binding).get(validator) != seat:
            world.press(f"seat{seat}.buy_in", now_ms)
        elif world.insert_ticket(validator, ticket.text.validation, now_ms):
            fed.append(seat)
        return False

    return ScriptStep(f"seat {seat} puts in its ticket", do)


def refused(config: Config, seat: int, cents: int) -> ScriptStep:
    """Feed a note that goes back: it would take the seat over its limit."""
    validator = _validator(config, seat)
    fed: list[int] = []

    def do(world: World, seen: Glance, now_ms: int) -> bool:
        path = world.validator(validator).path
        if fed:
            return len(path.returned) > fed[0]
        count = len(path.returned)
        if world.insert(validator, cents, now_ms):
            fed.append(count)
        return False

    return ScriptStep(f"seat {seat} puts in {cents} too many", do)


def _validator(config: Config, seat: int) -> str:
    return config.serving(DeviceKind.BILL_VALIDATOR, seat).name


def _play_on(world: World, seen: Glance, now_ms: int) -> bool:
    """Everybody doubles who may, the others hit once and stand; seat 2 lets its time run out."""
    if not seen.laid.live:
        return True
    for seat in seen.deciding:
        lamps = seen.seats[seat - 1].lamps
        if seat == 2 and len(seen.deciding) == 1 and len(seen.hand) == 2:
            continue
        button = "double" if "double" in lamps else "hit" if len(seen.hand) == 2 else "stand"
        if button in lamps:
            world.press(f"seat{seat}.{button}", now_ms)
    return False


def paid_out(seats: Sequence[int]) -> ScriptStep:
    """Take the paper that stands in the chutes until these seats have their money and all is done."""

    def do(world: World, seen: Glance, now_ms: int) -> bool:
        machines = {n: w.machine for n, w in world.wires.items() if isinstance(w.machine, PrinterMachine)}
        for name in machines:
            world.take(name, now_ms)
        waits = any(seat.waiting or seat.locked for seat in seen.seats)
        waits |= any(seen.seats[seat - 1].credit_cents for seat in seats)
        waits |= any(machine.stage or machine.paper_stands for machine in machines.values())
        return not waits and not seen.matters and not seen.in_work and not seen.key

    return ScriptStep("waits for tickets and the attendant", do)
