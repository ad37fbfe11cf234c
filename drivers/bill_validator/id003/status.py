"""What the ID-003 status codes mean to the owner of the device."""

from __future__ import annotations

from drivers.bill_validator.common.document import ValidatorStatus
from drivers.bill_validator.id003.codec import FAILURES, Id003Message, Status
from drivers.device import Fault, Holding

STATUSES = frozenset(range(Status.IDLING, Status.INITIALIZE + 1)) | frozenset(
    range(Status.POWER_UP, Status.INVALID_COMMAND + 1)
)

# As all validators' documents are spoken of.
SEEN: dict[int, ValidatorStatus] = {
    Status.IDLING: ValidatorStatus.OPEN,
    Status.ACCEPTING: ValidatorStatus.ACCEPTING,
    Status.ESCROW: ValidatorStatus.ESCROW,
    Status.STACKING: ValidatorStatus.STACKING,
    Status.VEND_VALID: ValidatorStatus.VEND_VALID,
    Status.STACKED: ValidatorStatus.STACKED,
    Status.REJECTING: ValidatorStatus.REJECTING,
    Status.RETURNING: ValidatorStatus.RETURNING,
    Status.HOLDING: ValidatorStatus.HOLDING,
    Status.INHIBITED: ValidatorStatus.INHIBITED,
}
IDLE_CODES = frozenset({Status.IDLING, Status.INHIBITED})

# It lost power and says where the bill was.
POWER_UPS: dict[int, Holding] = {
    Status.POWER_UP: Holding.POWER_UP,
    Status.POWER_UP_IN_ACCEPTOR: Holding.IN_ACCEPTOR,
    Status.POWER_UP_IN_STACKER: Holding.IN_STACKER,
}

_FAULTS: dict[int, tuple[Fault, str]] = {
    Status.STACKER_FULL: (Fault.STACKER_FULL, "the cash box is full"),
    Status.STACKER_OPEN: (Fault.STACKER_OPEN, "the cash box is not in place"),
    Status.JAM_IN_ACCEPTOR: (Fault.JAM, "jam in the acceptor"),
    Status.JAM_IN_STACKER: (Fault.JAM, "jam in the stacker"),
    # Not a jam: it ends as soon as the customer takes the document out, and nobody has to be called.
    Status.PAUSE: (Fault.TWO_DOCUMENTS, "pause: a second document is in the entrance, take it out"),
    Status.CHEATED: (Fault.CHEATED, "a document was pulled back"),
}
# In the order in which they end, FAILURE's too.
STATUS_FAULTS = tuple(dict.fromkeys((*(fault for fault, _ in _FAULTS.values()), Fault.DEVICE_FAILED)))


def fault_of(message: Id003Message) -> tuple[Fault, str] | None:
    """The fault that a status reports, with its detail; None for all others."""
    if message.code == Status.FAILURE:
        if not message.data:
            return Fault.DEVICE_FAILED, "failure without a code"
        code = message.data[0]
        return Fault.DEVICE_FAILED, f"failure {code:02X}: {FAILURES.get(code, 'unknown')}"
    return _FAULTS.get(message.code)
