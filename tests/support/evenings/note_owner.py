"""An owner of a validator with a journal of its own: the exactly-once rule for notes, in small.

An intent is written before STACK is ordered; credit is written before ACK; what nobody can know is
counted as unresolved and left to an attendant. ``restart`` keeps the journal and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from drivers.device import (
    BillValidator,
    DeviceEvent,
    Holding,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    OpenDocument,
    ValidatorReport,
)

POWER_LOST = (Holding.POWER_UP, Holding.IN_ACCEPTOR, Holding.IN_STACKER)


@dataclass
class NoteOwner:
    validator: Callable[[], BillValidator]  # the living driver
    credited_cents: int = 0
    unresolved_cents: int = 0
    unknown_notes: int = 0  # VEND VALID without any record of ours
    intent_cents: int | None = None  # the open record
    is_credited: bool = False
    evidence: str = ""  # the last that was told of it

    def __call__(self, event: DeviceEvent) -> None:
        match event:
            case ValidatorReport(holding=holding, evidence=evidence):
                self._reported(holding)
                self.evidence = evidence or self.evidence
                if holding in POWER_LOST:
                    self.validator().reset()
            case NoteEscrowed(cents=cents, evidence=evidence):
                if self.intent_cents is not None and not self.is_credited and self.intent_cents != cents:
                    self._unresolved()
                self.intent_cents, self.is_credited, self.evidence = cents, False, evidence
                self.validator().stack()
            case NoteVendValid(evidence=evidence):
                self.evidence = evidence or self.evidence
                self._vend_valid()
            case NoteGivenBack() if not self.is_credited:
                self.intent_cents = None
            case NoteStacked():
                self._close()

    def open_document(self) -> OpenDocument | None:
        """What a new driver is told of the open record."""
        if self.intent_cents is None:
            return None
        return OpenDocument(self.intent_cents, 0, "", self.is_credited, self.evidence)

    def _reported(self, holding: Holding) -> None:
        match holding:
            case Holding.VEND_VALID:
                self._vend_valid()
            case Holding.ESCROW:
                pass  # NoteEscrowed follows: decided again
            case Holding.IN_STACKER if self.intent_cents is None:
                self.unknown_notes += 1
            case Holding.IN_STACKER:
                self._credit()
            case _ if self.is_credited:
                self._close()
            case Holding.IN_ACCEPTOR | Holding.RETURNING:
                self.intent_cents = None
            case Holding.POWER_UP | Holding.NOTHING:
                self._unresolved()

    def _vend_valid(self) -> None:
        if self.intent_cents is None:
            self.unknown_notes += 1
        else:
            self._credit()
        self.validator().acknowledge()

    def _credit(self) -> None:
        if self.intent_cents is not None and not self.is_credited:
            self.credited_cents += self.intent_cents
            self.is_credited = True

    def _unresolved(self) -> None:
        if self.intent_cents is not None:
            self.unresolved_cents += self.intent_cents
        self.intent_cents = None

    def _close(self) -> None:
        self.intent_cents, self.is_credited = None, False
