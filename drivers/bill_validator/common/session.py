"""What the conversations with all validators share. What is said, and what an answer means, is the driver's.

A driver hears a status, or makes one out of what its device tells, and passes it on to `_see`. It says what
`desk.wants` and `accept` ask for, and polls.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from drivers.bill_validator.common.acceptance import Acceptance
from drivers.bill_validator.common.desk import NoteDesk
from drivers.bill_validator.common.document import DEFINITE, IDLE, EscrowedPaper, ValidatorStatus
from drivers.bill_validator.common.identity import Identity
from drivers.bill_validator.common.line import ValidatorLine
from drivers.bill_validator.common.options import ValidatorOptions
from drivers.bill_validator.common.patience import Patience, held_by
from drivers.bill_validator.common.presence import Presence
from drivers.bill_validator.common.values import NoteValues
from drivers.device import DeviceEvent, Fault, Holding, OpenDocument, ValidatorReport
from drivers.link import PortHappening, PortOpened
from drivers.protocol.faults import FaultBook


class ValidatorSession(ABC):
    """Everything that is known about the device. The owner's orders go to ``desk`` and ``accept``."""

    line: ValidatorLine[Any, Any]  # made by the driver

    def __init__(
        self,
        name: str,
        options: ValidatorOptions,
        emit: Callable[[DeviceEvent], None],
        *,
        tickets: bool,
        hold_every_ms: int | None,
    ) -> None:
        self.now_ms = 0  # set by the owner before anything else happens in an instant
        self._name = name
        self._options = options
        self._emit = emit
        self._faults = FaultBook(name, emit)
        self._presence = Presence(self._faults, options.port, options.missed_polls)
        self._patience = Patience(self._faults)
        self.accept = Acceptance(name, emit)
        self._values = NoteValues(
            name,
            emit,
            self._faults,
            currency=options.currency,
            enabled_cents=options.enabled_cents,
            tickets=tickets,
        )
        self._identity = Identity(name, emit, options.firmware)
        self.desk = NoteDesk(name, emit, self._faults, hold_every_ms=hold_every_ms)
        self._poll_at = 0
        self._reported = False  # ValidatorReport since the line came up

    # ---- what a protocol adds

    @property
    @abstractmethod
    def _is_connected(self) -> bool:
        """The port was open at the last instant."""

    @abstractmethod
    def _opened(self) -> None:
        """The port is open: find out who is there."""

    @abstractmethod
    def _closed(self) -> None:
        """The port is gone; `_forget` first."""

    @abstractmethod
    def _silent(self) -> None:
        """Nobody answers any more; `_forget`, once, and look for somebody."""

    @property
    @abstractmethod
    def _barred(self) -> str:
        """Why it may take nothing, whatever the owner wishes (`_identity.wrong`); "" if nothing bars it."""

    @abstractmethod
    def _watch(self) -> None:
        """Time passes on an open port: tell the patience."""

    @abstractmethod
    def _send(self) -> None:
        """The line is free: say what is to be said."""

    @abstractmethod
    def _stands_idle(self, *, opened: bool) -> None:
        """An idle status, and no document is open: `_confirm` it, if the device is set up."""

    @abstractmethod
    def next_at(self) -> int:
        """When there is something to say."""

    @abstractmethod
    def reset(self) -> None:
        """Ordered by the owner. A silent device gets it too: some are deaf to all else."""

    @abstractmethod
    def adopt(self, document: OpenDocument | None) -> None:
        """What is open in the owner's journal. A device that goes on saying it need not be told."""

    # ---- time and the line

    def port_changed(self, happenings: Sequence[PortHappening]) -> None:
        for happening in happenings:
            if isinstance(happening, PortOpened):
                self._faults.clear(Fault.PORT_MISSING, self.now_ms)
                self._faults.clear(Fault.PORT_UNFIT, self.now_ms)
                self._poll_at = self.now_ms
                self._presence.alive(self.now_ms)
                self._opened()
            else:
                self._faults.keep(happening.fault, happening.text, self.now_ms)

    def tick(self) -> None:
        """Something was heard, or something is due."""
        line, now_ms = self.line, self.now_ms
        if line.port.is_open:
            line.keep_time(now_ms)
            self._watch()
            if line.free(now_ms):
                self._send()
        if not line.port.is_open and self._is_connected:
            self._closed()

    def _forget(self) -> None:
        """The device is gone: nothing that was known about it holds any more."""
        self._patience.lost(self.now_ms)
        self.line.drop()
        self.desk.forget()
        self._values.forget()
        self._identity.forget()
        self.accept.forget()
        self._reported = False

    def _miss(self, what: str) -> None:
        """One more request with ``what`` for an answer."""
        if not self._presence.missed(what, self.now_ms):
            return
        self._silent()
        if why := self._presence.too_silent(self.now_ms):
            self.line.port.reopen(why)

    # ---- statuses

    def _works_on(self, status: ValidatorStatus) -> None:
        """It is not idle: how long it may take for that."""
        self._patience.ready(self.now_ms)
        self._patience.document(held_by(status, self.desk.document), self.now_ms)

    def _see(
        self,
        status: ValidatorStatus,
        *,
        paper: EscrowedPaper | None = None,
        reason: str = "",
        evidence: str = "",
    ) -> None:
        """A status of a device with which nothing is wrong. The rest as in `NoteDesk.see`."""
        idle = status in IDLE
        if not idle:
            self._works_on(status)
        if self._reported:
            self.desk.invites = self.accept.invites
            self.desk.see(status, self.now_ms, paper=paper, reason=reason, evidence=evidence)
        elif (holding := DEFINITE.get(status)) is not None:
            self._report(holding, paper, evidence)
        else:
            return
        if not idle or self.desk.document is not None:
            self.accept.doubt()
            return
        self._patience.document(None, self.now_ms)
        self._faults.clear(Fault.ILLEGAL_SEQUENCE, self.now_ms)
        self._stands_idle(opened=status is ValidatorStatus.OPEN)

    def _report(self, holding: Holding, paper: EscrowedPaper | None = None, evidence: str = "") -> None:
        """The first definite answer since the line came up."""
        self._reported = True
        self._emit(ValidatorReport(self._name, self.now_ms, holding, evidence))
        self.desk.adopt(holding, self.now_ms, paper)

    def _may_accept(self) -> bool:
        if not self.accept.wanted or self._barred:
            return False
        return not self._faults.raised or Fault.WRONG_CURRENCY not in self._faults

    def _confirm(self, *, opened: bool) -> bool:
        """An idle status of a device that is set up. False if it is so implausible that the line should be
        proven again."""
        plausible = self.accept.confirm(opened, self.now_ms)
        if opened is self._may_accept():
            self._patience.ready(self.now_ms)
        else:
            why = "it goes on taking notes" if opened else "it stays inhibited"
            self._patience.unready(f"{why} although told otherwise", self.now_ms, shut=not opened)
        return plausible
