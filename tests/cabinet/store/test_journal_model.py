"""Any evening: whatever order of commits, snapshots, idle moments and restarts, the journal is a list."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.store.chain import GENESIS, link, packed
from cabinet.store.journal import Entry, Head, Journal

COMMITS = st.tuples(st.just("commit"), st.integers(0, 4))
STEPS = st.one_of(
    COMMITS,
    COMMITS,
    st.tuples(st.just("snapshot"), st.integers(0, 6)),
    st.tuples(st.sampled_from(["idle", "restart", "crash", "read", "relieve"]), st.just(0)),
)


class Evening:
    """A journal and the list that it should be."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.journal = Journal.open(directory, rotate_bytes=1)
        self.entries: list[Entry] = []
        self.digests = [GENESIS.digest]
        self.snapshot: tuple[int, bytes] | None = None
        self.clean = True

    def do(self, step: str, number: int) -> None:
        match step:
            case "commit":
                self.commit(number)
            case "snapshot":
                seq = max(0, len(self.entries) - number)
                state = b"state after %d" % seq
                self.snapshot = max(self.snapshot or (0, b""), (seq, state))  # the newest counts
                self.journal.snapshot(7, seq, state)
            case "idle":
                self.journal.idle()
            case "relieve":
                self.journal.relieve()
            case "restart" | "crash":
                if step == "restart":
                    self.journal.mark_clean()
                self.journal.close()
                self.journal = Journal.open(self.directory, rotate_bytes=1)
                assert self.journal.was_clean == (step == "restart")
            case _:
                reader = Journal.read(self.directory)
                self.check(reader)
                reader.close()

    def commit(self, number: int) -> None:
        first = len(self.entries)
        added = [Entry("Fact", f'{{"n":{seq}}}', seq, -seq) for seq in range(first, first + number)]
        for entry in added:
            self.entries.append(entry)
            before = bytes.fromhex(self.digests[-1])
            self.digests.append(link(before, len(self.entries), packed(entry)).hex())
        assert self.journal.commit(added) == self.head()

    def head(self) -> Head:
        return Head(len(self.entries), self.digests[-1])

    def check(self, journal: Journal) -> None:
        assert journal.head == self.head()
        assert [row.entry for row in journal.rows()] == self.entries
        for seq, digest in enumerate(self.digests):
            assert journal.digest_at(seq) == digest
            assert [row.seq for row in journal.rows(seq)] == list(range(seq + 1, len(self.entries) + 1))
        assert journal.load_snapshot(7) == self.snapshot


@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, max_size=16))
def test_the_journal_is_a_list(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        evening = Evening(Path(directory) / "state")
        for step in steps:
            evening.do(*step)
        evening.check(evening.journal)
        evening.journal.close()
