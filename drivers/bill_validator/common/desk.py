"""The document in a validator: what the statuses say about it and what we owe the device.

One document at a time. Its record opens with ACCEPTING (or ESCROW, if that was not seen) and closes
when the device is idle again. Between two statuses that follow each other naturally nothing is
doubted; a status that does not fit the record (``NATURAL``) must be seen twice in a row before it
counts: most protocols have no sequence numbers, and a frame that came late must not move money.

VEND VALID is reported once per document and acknowledged, as often as it is repeated, only after the owner
said so. A driver whose device does not repeat it goes on showing it to the desk until it is acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable

from drivers.bill_validator.common.document import (
    IDLE,
    NATURAL,
    PAST_NO_RETURN,
    UNKNOWN_PAPER,
    WAITING,
    Document,
    DocumentStage,
    EscrowedPaper,
    ValidatorStatus,
    Want,
)
from drivers.device import (
    BarcodeEscrowed,
    DeviceEvent,
    Fault,
    Holding,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    ValidatorReport,
)
from drivers.protocol.faults import FaultBook

HOLD_RETRY_MS = 1000
OBEY_MS = 1000  # an acknowledged STACK or RETURN moves the note within this, or it is sent again
REFUSALS = 3  # of STACK while the note is in escrow: then it goes back


class NoteDesk:
    """The record of the one document, its orders and its events."""

    def __init__(
        self,
        device: str,
        emit: Callable[[DeviceEvent], None],
        faults: FaultBook,
        *,
        hold_every_ms: int | None,
    ) -> None:
        """`hold_every_ms`: how often the device must be asked for time; None: it needs no asking."""
        self.inhibited = True  # as the owner wishes: what is escrowed meanwhile goes back
        self.invites = True  # what is drawn in now may be: the device was told so, or nobody knows
        self.document: Document | None = None
        self._device = device
        self._emit = emit
        self._faults = faults
        self._hold_every_ms = hold_every_ms or 0
        self._surprise: ValidatorStatus | None = None
        self._waiting = False  # the last status says that the note is in escrow
        self._hold_works = hold_every_ms is not None
        self._poll_soon = False
        self._now_ms = 0

    # ---- what the device says

    def see(
        self,
        status: ValidatorStatus,
        now_ms: int,
        *,
        paper: EscrowedPaper | None = None,
        reason: str = "",
        evidence: str = "",
    ) -> None:
        """`paper`: with ESCROW, and with HOLDING if it is told again. `reason`: with REJECTING.
        `evidence`: with VEND VALID."""
        self._now_ms = now_ms
        document = self.document
        stage = None if document is None else document.stage
        natural = status in NATURAL[stage] or (
            document is not None
            and (
                (stage is DocumentStage.VEND_VALID and document.acknowledged)
                or self._ordered(status, document)
            )
        )
        if not natural and self._surprise is not status:
            self._surprise = status
            return
        self._surprise = None
        self._waiting = status in WAITING
        match status:
            case ValidatorStatus.OPEN | ValidatorStatus.INHIBITED:
                self._leave()
            case ValidatorStatus.ACCEPTING if stage is not DocumentStage.ACCEPTING:
                self._leave()
                self.document = Document(DocumentStage.ACCEPTING, invited=self.invites)
                self._emit(NoteAccepting(self._device, now_ms))
            case ValidatorStatus.ESCROW | ValidatorStatus.HOLDING:
                self._see_escrow(status, paper or UNKNOWN_PAPER)
            case ValidatorStatus.STACKING:
                self._see_stacking()
            case ValidatorStatus.VEND_VALID:
                self._see_vend_valid(evidence)
            case ValidatorStatus.STACKED:
                self._see_stacked()
            case ValidatorStatus.REJECTING | ValidatorStatus.RETURNING:
                self._see_returning(reason)

    @staticmethod
    def _ordered(status: ValidatorStatus, document: Document) -> bool:
        """Does ``status`` follow from an order of ours?"""
        if document.stage is not DocumentStage.ESCROW:
            return False
        if document.stack_sent:
            return status in (ValidatorStatus.STACKING, ValidatorStatus.VEND_VALID)
        return document.order is Want.GIVE_BACK and status in IDLE

    def _leave(self) -> None:
        """The document is no longer in the device. Close its record with whatever is still open."""
        document, self.document = self.document, None
        if document is None:
            return
        match document.stage:
            case DocumentStage.ACCEPTING:
                self._returned("taken out")
            case DocumentStage.ESCROW | DocumentStage.STACKING:
                if document.stack_sent:  # it went where we could not see it
                    self._emit(ValidatorReport(self._device, self._now_ms, Holding.NOTHING))
                elif document.stage is DocumentStage.ESCROW:
                    self._returned(document.reason or "left escrow")
            case DocumentStage.VEND_VALID | DocumentStage.RECOVERED:
                self._left_vend_valid(document)
            case DocumentStage.CLOSED | DocumentStage.RETURNING:
                pass

    def _left_vend_valid(self, document: Document) -> None:
        if document.acknowledged and not document.closed:
            document.closed = True
            self._emit(NoteStacked(self._device, self._now_ms))

    def _returned(self, reason: str) -> None:
        self._emit(NoteGivenBack(self._device, self._now_ms, reason))

    def _see_escrow(self, status: ValidatorStatus, paper: EscrowedPaper) -> None:
        document = self.document
        if document is not None and document.stage in (DocumentStage.ESCROW, DocumentStage.STACKING):
            same = status is ValidatorStatus.HOLDING or not document.key or paper.key == document.key
            if same:
                if document.order_sent and self._now_ms >= document.obey_until_ms:
                    document.order_sent = False  # acknowledged, but it has not moved
                return
        if document is not None and document.stage is not DocumentStage.ACCEPTING:
            self._leave()
            document = None
        invited = self.invites if document is None else document.invited
        self._open_escrow(paper, inhibited=self.inhibited or not invited)

    def _open_escrow(self, paper: EscrowedPaper, *, inhibited: bool) -> None:
        now_ms = self._now_ms
        hold_at_ms = now_ms + self._hold_every_ms
        document = self.document = Document(DocumentStage.ESCROW, paper.key, hold_at_ms=hold_at_ms)
        if inhibited:
            self._refuse(document, "inhibited")
        elif paper.refused:
            self._refuse(document, paper.refused)
        elif paper.digits:
            self._emit(BarcodeEscrowed(self._device, now_ms, paper.digits, paper.evidence))
        else:
            self._emit(NoteEscrowed(self._device, now_ms, paper.cents, paper.code, paper.evidence))

    @staticmethod
    def _refuse(document: Document, reason: str) -> None:
        document.reason = reason
        document.order = Want.GIVE_BACK

    def _see_stacking(self) -> None:
        document = self.document
        match document.stage if document is not None else None:
            case DocumentStage.ACCEPTING | DocumentStage.ESCROW if document is not None:
                document.stage = DocumentStage.STACKING
            case DocumentStage.STACKING | DocumentStage.RECOVERED:
                pass
            case _:
                self._leave()
                self.document = Document(DocumentStage.STACKING)

    def _see_vend_valid(self, evidence: str) -> None:
        document = self.document
        if document is None:
            document = self.document = Document(DocumentStage.VEND_VALID)
            lawful = False
        else:
            lawful = document.stack_sent or document.stage in (
                DocumentStage.VEND_VALID,
                DocumentStage.RECOVERED,
            )
        document.ack_due = True
        document.ack_sent = False
        self._poll_soon = False
        document.stage = DocumentStage.VEND_VALID
        if document.vended:
            return
        document.vended = True
        self._emit(NoteVendValid(self._device, self._now_ms, evidence))
        if not lawful:
            detail = "VEND VALID without a note that was ordered to be stacked"
            self._faults.raise_(Fault.ILLEGAL_SEQUENCE, detail, self._now_ms)

    def _see_stacked(self) -> None:
        document = self.document
        match document.stage if document is not None else None:
            case DocumentStage.VEND_VALID if document is not None and document.acknowledged:
                self._left_vend_valid(document)
                document.stage = DocumentStage.CLOSED
            case None | DocumentStage.VEND_VALID | DocumentStage.RECOVERED | DocumentStage.CLOSED:
                pass  # idle follows and closes the record
            case _:
                self._leave()

    def fault_seen(self, now_ms: int) -> None:
        """The device is full, open or jammed: an acknowledged document is closed, nothing else is certain."""
        self._now_ms = now_ms
        self._waiting = False
        document = self.document
        if document is not None and document.stage is DocumentStage.VEND_VALID and document.ack_sent:
            self._see_stacked()

    def _see_returning(self, reason: str) -> None:
        document = self.document
        if document is not None and document.stage is DocumentStage.RETURNING:
            return
        if document is not None and document.stage in PAST_NO_RETURN:
            if document.stage is DocumentStage.VEND_VALID and not document.acknowledged:
                detail = "a note came back after VEND VALID"
                self._faults.raise_(Fault.ILLEGAL_SEQUENCE, detail, self._now_ms)
            self._leave()
            document = None
        ours = document.reason if document is not None else ""
        self.document = Document(DocumentStage.RETURNING)
        self._returned(ours or reason or "returned")

    # ---- the line was lost, or the device restarted

    def forget(self) -> None:
        """The line was lost: orders die with it. What VEND VALID we had stays known: it cannot change
        behind our back, because the device waits for our ACK."""
        self._surprise = None
        self._waiting = self._poll_soon = False
        if self.document is not None:
            self.document.ack_due = False
            if self.document.stage not in PAST_NO_RETURN:
                self.document = None

    def adopt(self, holding: Holding, now_ms: int, paper: EscrowedPaper | None = None) -> None:
        """The owner has just been told what the device holds; open the record that fits."""
        self._now_ms = now_ms
        self._surprise = None
        before, self.document = self.document, None
        if before is not None and before.stage not in PAST_NO_RETURN:
            before = None
        match holding:
            case Holding.VEND_VALID:
                self.document = before or Document(DocumentStage.VEND_VALID)
                self.document.stage = DocumentStage.VEND_VALID
                self.document.vended = self.document.ack_due = True
                return
            case Holding.IN_STACKER:
                self.document = before or Document(DocumentStage.RECOVERED)
                self.document.stage = DocumentStage.RECOVERED
                self.document.ack_due = False
                return
            case _ if before is not None:
                self._left_vend_valid(before)
        match holding:
            case Holding.ESCROW:
                self._waiting = True
                # The owner decides about notes from before.
                self._open_escrow(paper or UNKNOWN_PAPER, inhibited=False)
            case Holding.RETURNING:
                self.document = Document(DocumentStage.RETURNING)

    # ---- what the owner orders

    def stack(self, now_ms: int) -> None:
        self._order(Want.STACK, now_ms)

    def give_back(self, now_ms: int) -> None:
        self._order(Want.GIVE_BACK, now_ms)

    def _order(self, want: Want, now_ms: int) -> None:
        self._now_ms = now_ms
        document = self.document
        match document.stage if document is not None else None:
            case DocumentStage.ESCROW if document is not None and not document.reason:
                if not document.stack_sent and not document.order_sent:
                    document.order = want
            case (
                DocumentStage.ESCROW
                | DocumentStage.STACKING
                | DocumentStage.VEND_VALID
                | DocumentStage.CLOSED
            ):
                pass  # the document's own outcome answers
            case _:
                self._returned("no longer in escrow")

    def acknowledge(self, now_ms: int) -> None:
        self._now_ms = now_ms
        document = self.document
        if document is not None and document.stage in (DocumentStage.VEND_VALID, DocumentStage.RECOVERED):
            if not document.acknowledged:
                document.acknowledged = True
                # ACK belongs right after a VEND VALID: have one sent.
                self._poll_soon = document.stage is DocumentStage.VEND_VALID
                document.ack_due = False
        else:  # it has left VEND VALID without us
            self._emit(NoteStacked(self._device, self._now_ms))

    # ---- what we tell the device

    @property
    def poll_soon(self) -> bool:
        return self._poll_soon

    @property
    def hold_at(self) -> int | None:
        """When HOLD becomes due."""
        document = self.document
        if document is None or document.stage is not DocumentStage.ESCROW or document.order is not None:
            return None
        return document.hold_at_ms if self._hold_works else None

    def wants(self, now_ms: int) -> Want | None:
        document = self.document
        if document is None:
            return None
        if document.ack_due and document.acknowledged and document.stage is DocumentStage.VEND_VALID:
            return Want.ACKNOWLEDGE
        if not self._waiting:
            return None
        if document.order is not None:
            return None if document.order_sent else document.order
        hold_at = self.hold_at
        return Want.HOLD if hold_at is not None and now_ms >= hold_at else None

    def sent(self, want: Want) -> None:
        document = self.document
        assert document is not None, "wants() spoke of a document"
        match want:
            case Want.ACKNOWLEDGE:
                document.ack_due = False
                document.ack_sent = True
            case Want.STACK:
                document.order_sent = document.stack_sent = True
            case Want.GIVE_BACK:
                document.order_sent = True
            case Want.HOLD:
                document.hold_at_ms += self._hold_every_ms

    def answered(self, want: Want, taken: bool | None, now_ms: int) -> None:
        """``taken``: whether the device has taken the order; None if no answer came."""
        document = self.document
        if document is None:
            return
        if want is Want.HOLD:
            if taken is False:
                self._hold_works = False
            document.hold_at_ms = now_ms + (self._hold_every_ms if taken else HOLD_RETRY_MS)
            return
        if document.stage not in (DocumentStage.ESCROW, DocumentStage.STACKING):
            return
        self._waiting = False  # ask before saying it again
        document.obey_until_ms = now_ms + OBEY_MS
        if taken:
            if want is Want.STACK:
                document.stage = DocumentStage.STACKING
            return
        document.order_sent = False
        if taken is False:
            document.refusals += 1
            if document.refusals >= REFUSALS and want is Want.STACK:
                document.stack_sent = False
                self._refuse(document, "the validator refused to stack it")
