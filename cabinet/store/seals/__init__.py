"""Seals over the chain of facts and the keys they are made with, which only ever go forward.

For the store and for whoever checks a journal.
"""

from cabinet.store.seals.seals import (
    EPOCH_MS,
    KEY_BYTES,
    Epoch,
    EpochKey,
    SnapshotName,
    first_epoch,
    next_epoch,
    parse,
    same,
    shown,
)

__all__ = [
    "EPOCH_MS",
    "KEY_BYTES",
    "Epoch",
    "EpochKey",
    "SnapshotName",
    "chain_key",
    "first_epoch",
    "key_files",
    "next_epoch",
    "parse",
    "same",
    "seals",
    "shown",
]
