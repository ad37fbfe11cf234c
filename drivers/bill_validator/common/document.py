"""The record of one document in a validator, and which statuses follow it naturally."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from drivers.device import Holding


class ValidatorStatus(StrEnum):
    """What a validator says while nothing is wrong. A protocol need not have all of them."""

    OPEN = "open"  # idle, and takes documents
    INHIBITED = "inhibited"  # idle, and takes none
    ACCEPTING = "accepting"
    ESCROW = "escrow"
    HOLDING = "holding"  # in escrow still, because we asked for time
    STACKING = "stacking"
    VEND_VALID = "vend_valid"  # irrevocably in, and not acknowledged by us
    STACKED = "stacked"
    REJECTING = "rejecting"  # by itself: it does not like the document
    RETURNING = "returning"


@dataclass(frozen=True, slots=True)
class EscrowedPaper:
    """What waits in escrow, as the driver reads the device."""

    key: bytes = b""  # as the device has told it; a document that is told with another one is another
    cents: int = 0
    code: int = 0
    digits: str = ""  # of a ticket
    refused: str = ""  # why it goes back at once
    evidence: str = ""


UNKNOWN_PAPER = EscrowedPaper(refused="value unknown")


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


_S = ValidatorStatus
IDLE = frozenset({_S.OPEN, _S.INHIBITED})
BACK = frozenset({_S.REJECTING, _S.RETURNING})
WAITING = frozenset({_S.ESCROW, _S.HOLDING})
# What the first of them says of a device that has kept its power. ACCEPTING and STACKING are not definite:
# what they end in is.
DEFINITE: dict[ValidatorStatus, Holding] = {
    _S.OPEN: Holding.NOTHING,
    _S.INHIBITED: Holding.NOTHING,
    _S.STACKED: Holding.NOTHING,
    _S.ESCROW: Holding.ESCROW,
    _S.HOLDING: Holding.ESCROW,
    _S.VEND_VALID: Holding.VEND_VALID,
    _S.REJECTING: Holding.RETURNING,
    _S.RETURNING: Holding.RETURNING,
}
PAST_NO_RETURN = frozenset({DocumentStage.VEND_VALID, DocumentStage.CLOSED, DocumentStage.RECOVERED})
NATURAL: dict[DocumentStage | None, frozenset[ValidatorStatus]] = {
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
    key: bytes = b""  # of the paper in escrow
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
