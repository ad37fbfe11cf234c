"""What the notes of a validator are worth, and which of its papers are money here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drivers.bill_validator.common.document import EscrowedPaper
from drivers.device import DeviceEvent, Fault, NoteTable, NoteType
from drivers.protocol.faults import FaultBook

TICKET_CHARACTERS = 18


@dataclass(frozen=True, slots=True)
class NoteRow:
    """One row of the device's own table; ``currency`` is "" for one that we do not know: never money."""

    code: int
    currency: str
    cents: int
    origin: str = ""  # how to call a currency that we do not know

    @property
    def money(self) -> str:
        return self.currency or self.origin


class NoteValues:
    """The currency table of the device, and which of its notes are money here."""

    def __init__(
        self,
        device: str,
        emit: Callable[[DeviceEvent], None],
        faults: FaultBook,
        *,
        currency: str,
        enabled_cents: tuple[int, ...],
        tickets: bool,
    ) -> None:
        """`enabled_cents`: empty is all. `tickets`: those with a bar code are read."""
        self.rows: tuple[NoteRow, ...] | None = None  # None: not read
        self._device = device
        self._emit = emit
        self._faults = faults
        self._currency = currency
        self._enabled_cents = enabled_cents
        self._tickets = tickets

    def forget(self) -> None:
        """Another device may be at the end of the line."""
        self.rows = None

    def learn(self, rows: tuple[NoteRow, ...], now_ms: int) -> tuple[NoteType, ...]:
        """The table has been read: those of its notes that are taken here."""
        self.rows = rows
        ours = tuple(NoteType(row.code, row.currency, row.cents) for row in rows if self._takes(row))
        self._emit(NoteTable(self._device, now_ms, ours))
        if ours:
            self._faults.clear(Fault.WRONG_CURRENCY, now_ms)
        else:
            known = ", ".join(sorted({row.money for row in rows}))
            detail = f"no note of {self._currency} is enabled; the device knows {known or 'none'}"
            self._faults.raise_(Fault.WRONG_CURRENCY, detail, now_ms)
        return ours

    def _takes(self, row: NoteRow) -> bool:
        enabled = self._enabled_cents
        return row.currency == self._currency and (not enabled or row.cents in enabled)

    def note(self, key: bytes, code: int, evidence: str = "") -> EscrowedPaper:
        """A note in escrow."""
        row = next((row for row in self.rows or () if row.code == code), None)
        if row is None:
            return EscrowedPaper(key, refused=f"unknown note code {code:02X}")
        if not self._takes(row):
            return EscrowedPaper(key, refused=f"note not taken: {row.money} {row.cents} cents")
        return EscrowedPaper(key, row.cents, code, evidence=evidence)

    def ticket(self, key: bytes, digits: str, evidence: str = "") -> EscrowedPaper:
        """A ticket in escrow. One that was read in part is another number."""
        whole = len(digits) == TICKET_CHARACTERS and digits.isascii() and digits.isdigit()
        if not self._tickets or not whole:
            return EscrowedPaper(key, refused="ticket not taken")
        return EscrowedPaper(key, digits=digits, evidence=evidence)
