"""What the decider is told about this cabinet: fixed for the life of a process."""

from __future__ import annotations

from dataclasses import dataclass, field

from cabinet.core.currency import Currency
from cabinet.core.timing import Timing
from cabinet.core.validation import Numbers
from game.chart import Chart
from game.rules import Rules

PAYOUT_WAIT_MS = 60_000
PRINTER_READY_MS = 20_000


@dataclass(frozen=True, slots=True)
class Policy:
    """Identity, limits, devices and times of one cabinet. Amounts in cents.

    `validators`, `printers`: (device name, seats that it serves), in the order of the cabinet
    file. `meters`: (hard meter, panel that has it). `pace` shortens what people
    watch (lab only).
    """

    name: str
    serial: str
    machine_id: int
    establishment: str
    street: str
    city: str
    currency: Currency
    seats: int
    rules: Rules
    validators: tuple[tuple[str, tuple[int, ...]], ...]
    printers: tuple[tuple[str, tuple[int, ...]], ...]
    panels: tuple[str, ...]
    meters: tuple[tuple[str, str], ...] = ()
    credit_limit_cents: int = 1_000_000
    ticket_limit_cents: int = 500_000
    large_win_cents: int = 0  # 0: no limit
    payout_unit_cents: int = 1  # tickets are multiples of it; what is left below is paid by hand
    handpay_receipts: bool = True  # a hand payment is followed by a receipt, where a printer works
    handpay_cancel: bool = True  # a seat may take back credit that waits for an attendant
    ticket_expiry_days: int = 30
    ticket_sequence_from: int = 1  # the first sequence number of an empty ticket book
    numbers: Numbers | None = field(default=None, repr=False, compare=False)  # None: no ticket is printed
    no_numbers: str = ""  # then: why, and what to do
    redeems: bool = True  # validators may take back what is printed; False: only a cashier pays it
    ticket_in: tuple[str, ...] = ()  # validators that read tickets
    pulse_cents: int = 100
    attract_after_ms: int = 30_000
    timing: Timing = field(default_factory=Timing)
    pace: int = 1
    lab: bool = False
    chart: Chart | None = None  # advice for these rules, on the help page
    theoretical_return: str = (
        ""  # of these rules, played by that chart, in percent; "": nobody has counted it
    )
    version: str = "0"
    # Everything that the cabinet file and the rule set say, by name, for the log of changes; and which file.
    settings: tuple[tuple[str, str], ...] = ()
    settings_from: str = ""

    @property
    def payout_wait_ms(self) -> int:
        """How long a cash-out waits for a printer that does nothing. Never shorter than a printer may
        need to get ready again, whatever the pace."""
        return max(PRINTER_READY_MS, PAYOUT_WAIT_MS // self.pace)

    @property
    def bet_ms(self) -> int:
        return max(1, self.rules.bet_seconds * 1000 // self.pace)

    @property
    def decide_ms(self) -> int:
        seconds = self.rules.one_seat_seconds if self.seats == 1 else self.rules.decide_seconds
        return max(1, seconds * 1000 // self.pace)

    def validator_of(self, seat: int) -> str:
        return _serving(self.validators, seat)

    def printer_of(self, seat: int) -> str:
        return _serving(self.printers, seat)

    def seats_of(self, device: str) -> tuple[int, ...]:
        """The seats that a device serves; a panel serves all."""
        for table in (self.validators, self.printers):
            for name, seats in table:
                if name == device:
                    return seats
        return tuple(range(1, self.seats + 1))

    def is_shared(self, validator: str) -> bool:
        return len(self.seats_of(validator)) > 1


def _serving(devices: tuple[tuple[str, tuple[int, ...]], ...], seat: int) -> str:
    for name, seats in devices:
        if seat in seats:
            return name
    raise LookupError(f"no device serves seat {seat}")
