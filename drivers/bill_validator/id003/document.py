"""The record of one document in an ID-003 validator, and which statuses follow it naturally."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drivers.bill_validator.id003.codec import Status


class DocumentStage(StrEnum):
    ACCEPTING = "accepting"
    ESCROW = "escrow"
    STACKING = "stacking"  # the device has taken our STACK, or moves the note by itself
    VEND_VALID = "vend_valid"
    CLOSED = "closed"  # acknowledged and left VEND VALID; kept until idle, in case the ACK was lost
    RETURNING = "returning"
    RECOVERED = "recovered"  # the device came up with a bill in its stacker: VEND VALID may follow


class Want(StrEnum):
    """What to tell the device next."""

    ACKNOWLEDGE = "acknowledge"
    STACK = "stack"
    GIVE_BACK = "give_back"
    HOLD = "hold"


_S = Status
IDLE = frozenset({_S.IDLING, _S.INHIBITED})
BACK = frozenset({_S.REJECTING, _S.RETURNING})
WAITING = frozenset({_S.ESCROW, _S.HOLDING})
PAST_NO_RETURN = frozenset({DocumentStage.VEND_VALID, DocumentStage.CLOSED, DocumentStage.RECOVERED})
NATURAL: dict[DocumentStage | None, frozenset[int]] = {
    None: IDLE | BACK | {_S.ACCEPTING, _S.STACKED},
    DocumentStage.ACCEPTING: IDLE | BACK | {_S.ACCEPTING, _S.ESCROW},
    DocumentStage.ESCROW: WAITING | BACK,
    DocumentStage.STACKING: WAITING | BACK | {_S.STACKING, _S.VEND_VALID},
    DocumentStage.VEND_VALID: frozenset({_S.VEND_VALID}),
    DocumentStage.CLOSED: IDLE | BACK | {_S.ACCEPTING, _S.STACKED, _S.VEND_VALID},
    DocumentStage.RETURNING: IDLE | BACK | {_S.ACCEPTING},
    DocumentStage.RECOVERED: IDLE | BACK | {_S.ACCEPTING, _S.STACKING, _S.VEND_VALID, _S.STACKED},
}


@dataclass(slots=True)
class Document:
    stage: DocumentStage
    escrow_data: bytes = b""  # as sent with ESCROW
    invited: bool = True  # False: the device drew it in though it was, and said that it was, inhibited
    reason: str = ""  # why we give it back ourselves; "" if we do not
    order: Want | None = None
    order_sent: bool = False  # and neither refused nor unanswered
    obey_until_ms: int = 0
    stack_sent: bool = False  # at least once
    refusals: int = 0
    hold_at_ms: int = 0
    vended: bool = False  # VEND VALID has been reported
    acknowledged: bool = False  # by the owner
    ack_due: bool = False  # a VEND VALID has come that we have not acknowledged
    ack_sent: bool = False  # after the last VEND VALID
    closed: bool = False  # NoteStacked has been reported
