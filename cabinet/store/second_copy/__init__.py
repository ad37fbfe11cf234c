"""The second copy: totals and head of the journal on another medium.

For the store, the start, and the commands of the memory.
"""

from cabinet.store.second_copy.copy import (
    BACK_BYTES,
    FRONT_BYTES,
    MEDIUM_BYTES,
    SLOT_BYTES,
    TOTALS_LIMIT,
    CopyMismatch,
    CopyRecord,
    CopyVerdict,
    SecondCopy,
    SecondCopyError,
    SlottedCopy,
    decode_slot,
    encode_slot,
    judge,
)

__all__ = [
    "BACK_BYTES",
    "FRONT_BYTES",
    "MEDIUM_BYTES",
    "SLOT_BYTES",
    "TOTALS_LIMIT",
    "CopyMismatch",
    "CopyRecord",
    "CopyVerdict",
    "SecondCopy",
    "SecondCopyError",
    "SlottedCopy",
    "decode_slot",
    "encode_slot",
    "judge",
    "media",
    "nonce",
]
