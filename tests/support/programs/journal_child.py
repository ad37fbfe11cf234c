"""A small cabinet without a game, run as a process of its own so that it can be traced, starved or killed.

    python journal_child.py DIRECTORY COMMITS [options]      (0 commits: until something stops it)

It opens the journal and the second copy in DIRECTORY, commits through the writer, and prints one
line for each thing that a device or a screen would have been told: ``ack N`` after a commit that
brought the journal to row N, ``error TEXT`` for trouble, ``done`` at the end. The two mutants
(`--synchronous 1`, `--copy-first`) exist so that the checks can be seen to fail.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from itertools import count
from pathlib import Path

from cabinet.store import schema
from cabinet.store.chain import GENESIS, Head
from cabinet.store.journal import Entry, Journal, JournalError
from cabinet.store.second_copy import SecondCopyError
from cabinet.store.second_copy.media import FileSecondCopy
from cabinet.store.writer import CommitFailed, Writer

SNAPSHOT_SCHEMA = 1


def say(line: str) -> None:
    os.write(1, line.encode() + b"\n")


def entry(seq: int) -> Entry:
    """The fact that every run writes as row ``seq``."""
    return Entry(
        "NoteCredited", f'{{"amount_cents":500,"note":{seq}}}', seq * 40, 1_700_000_000_000 + seq * 40
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("commits", type=int)
    parser.add_argument("--per-commit", type=int, default=1)
    parser.add_argument("--synchronous", type=int, default=None, help="else what is shipped is tried")
    parser.add_argument("--copy-first", action="store_true")
    parser.add_argument("--rotate", action="store_true", help="half way: snapshot, then a new file")
    parser.add_argument("--file-bytes", type=int, default=resource.RLIM_INFINITY, help="no file grows larger")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_FSIZE, (given.file_bytes, resource.RLIM_INFINITY))
    if given.synchronous is not None:
        schema.WRITER_PRAGMAS = schema.with_synchronous(given.synchronous)
    try:
        return run(given)
    except (JournalError, SecondCopyError) as error:
        say(f"error {error}")
        return 1


def run(given: argparse.Namespace) -> int:
    journal = Journal.open(given.directory, rotate_bytes=1)
    copy = FileSecondCopy(given.directory / "copy")
    copy.read()
    writer = Writer(journal, copy)
    seq = journal.head.seq
    for number in range(given.commits) if given.commits else count():
        entries = [entry(seq + 1 + more) for more in range(given.per_commit)]
        seq += len(entries)
        if given.copy_first:
            copy.write(Head(seq, GENESIS.digest), b"")
        writer.submit(
            entries, now_ms=seq * 40, totals=b"%d" % seq, after=rotate if turn(given, number) else None
        )
        result = writer.wait()
        if result is None or isinstance(result, CommitFailed):
            say(f"error {result.error_text if result else 'no result'}")
            return 1
        if result.copy_error:
            say(f"error {result.copy_error}")
        say(f"ack {result.head.seq}")
    writer.close()
    journal.mark_clean()
    journal.close()
    say("done")
    return 0


def turn(given: argparse.Namespace, number: int) -> bool:
    return bool(given.rotate and number == given.commits // 2)


def rotate(journal: Journal) -> None:
    journal.snapshot(SNAPSHOT_SCHEMA, journal.head.seq, b"state")
    journal.idle()


if __name__ == "__main__":
    sys.exit(main())
