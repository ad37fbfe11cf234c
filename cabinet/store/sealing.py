"""The journal's side of the seals: what a start checks with the key it still has, and how epochs follow.

An epoch ends in two steps: the closing seal and the opening of the next epoch in one transaction, then the
key file, in which the next key takes the place of this one. Power that goes between the two leaves the key of
the closed epoch: the next start sees that the journal is one epoch ahead, checks the closing seal and takes
the second step. No row was sealed in between.

The newest snapshot is sealed again with each key, because a start believes it and has only the present one.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from cabinet.store.chain import Head
from cabinet.store.errors import JournalBroken, JournalStrange, NotBegun
from cabinet.store.journal_file import JournalFile
from cabinet.store.seals import Epoch, SnapshotName, chain_key, next_epoch, same
from cabinet.store.seals.chain_key import ChainKey
from cabinet.store.seals.key_files import KeyFileError

LOG = logging.getLogger("cabinet")
CHANGED = "somebody who had no key has changed it, or journal and key are not of one time"


class Sealing:
    """`kept`: what is in the key file. `newest`: the snapshot that a start may believe."""

    def __init__(self, kept: ChainKey, newest: SnapshotName | None) -> None:
        self.kept = kept
        self.newest = newest

    def sealed(self, rows: Sequence[tuple[object, ...]], head: Head) -> list[tuple[object, ...]]:
        """Rows as they are stored: the last one of a commit carries the seal."""
        key = self.kept.key
        *others, last = rows
        return [*((*row, None, None) for row in others), (*last, key.number, key.row(head))]

    def snapshot(self, name: SnapshotName) -> tuple[int, bytes]:
        """Epoch and seal of a new snapshot. It is the newest from here on."""
        self.newest = name
        return self.resealed(self.kept.key.number)

    def resealed(self, number: int) -> tuple[int, bytes]:
        """Epoch and seal of the newest snapshot in this epoch or the next one."""
        assert self.newest is not None
        key = self.kept.key
        return number, (key if key.number == number else key.next()).snapshot(self.newest)

    def next_epoch(self, head: Head) -> Epoch:
        return next_epoch(self.kept.key, head)

    def following(self, head: Head) -> ChainKey:
        """What the key file holds in the epoch that begins with `head`."""
        return ChainKey(self.kept.key.next(), head)


def load(directory: Path) -> ChainKey | None:
    """The key. JournalBroken; JournalStrange if its file is not for the cabinet's user alone."""
    try:
        return chain_key.load(directory)
    except KeyFileError as error:
        raise JournalStrange(error.text) from error


def take_up(directory: Path, file: JournalFile, *, begun: bool) -> Sealing | None:
    """Checks what a start can check, and finishes a change of epochs that power has cut off. None: nothing of
    this journal is sealed; NotBegun if it should be (`begun`). JournalBroken, JournalStrange."""
    kept, last, head = load(directory), file.last_epoch(), file.meta().head
    if kept is None and last is None:
        if begun:
            raise NotBegun(directory, "its rows are not sealed: it is of an earlier version of the program")
        return None
    if kept is None or last is None:
        if kept is not None and kept.key.number == 0:
            if begun:
                raise NotBegun(directory, "the beginning was cut off")
            return None
        gone = "the key of the chain (keys/chain) is missing" if kept is None else "its rows are not sealed"
        raise JournalBroken(f"{gone}: {CHANGED}")
    if last.number == kept.key.number + 1:
        if last != next_epoch(kept.key, last.began) or last.began != head:
            raise JournalBroken(
                f"an epoch ends with a seal that is not of its key: {CHANGED}", last.began.seq
            )
        kept = ChainKey(kept.key.next(), last.began)
        chain_key.keep(directory, kept)
    elif last.number != kept.key.number:
        raise JournalBroken(
            f"the journal is in epoch {last.number}, the key is of epoch {kept.key.number}: one is of an"
            " earlier time, or of another cabinet"
        )
    if last.began != kept.began or not same(last.opened, kept.key.opening(last.began)):
        raise JournalBroken(f"the present epoch began with a seal that is not of its key: {CHANGED}")
    _check_rows(file, kept, head)
    return Sealing(kept, _newest(file, kept))


def _check_rows(file: JournalFile, kept: ChainKey, head: Head) -> None:
    """The seals of the open epoch. Each covers all rows up to its own."""
    covered = kept.began.seq
    for seq, digest, number, seal in file.seals(kept.began.seq, head.seq):
        if number != kept.key.number or not same(seal, kept.key.row(Head(seq, digest))):
            raise JournalBroken(f"its seal is not of the key: {CHANGED}", seq)
        covered = seq
    if covered != head.seq:
        raise JournalBroken(f"the last rows are not sealed: {CHANGED}", head.seq)


def _newest(file: JournalFile, kept: ChainKey) -> SnapshotName | None:
    """The newest snapshot, if its checksum holds. One that is whole and not as it was sealed was made by
    somebody; one that is damaged is left out, and the facts tell the state."""
    found = file.newest_seal()
    if found is None:
        return None
    name, number, seal = found
    if number == kept.key.number and same(seal, kept.key.snapshot(name)):
        return name
    if not file.is_whole(name):
        LOG.warning("the snapshot of row %s is damaged: the facts are read instead", name.seq)
        return None
    raise JournalBroken(f"the snapshot is not as it was sealed: {CHANGED}", name.seq)
