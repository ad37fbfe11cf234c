"""What somebody with the storage card in his hands may try, and who notices: the start, the second copy, or
the operator with the verification key. What nobody notices stands in docs/trust.md."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cabinet.core.facts import MemoryBegun, decode
from cabinet.core.live import active_conditions
from cabinet.lab import begun
from cabinet.memory.begin import begin
from cabinet.memory.clear import Refused
from cabinet.records import check as journal_check
from cabinet.records.replay import SNAPSHOT_DECODER
from cabinet.records.seals import SealCheck
from cabinet.store.chain import GENESIS, Entry, Head, chained
from cabinet.store.errors import JournalBroken, JournalStrange, NotBegun
from cabinet.store.journal import Journal
from cabinet.store.journal_file import seal_of
from cabinet.store.seals import EpochKey, SnapshotName, chain_key, key_files
from cabinet.store.seals.chain_key import ChainKey
from cabinet.store.second_copy.media import FileSecondCopy
from support.programs.runtime_bench import Bench

NEWEST = "journal-000001.db"


class Card:
    """A begun memory on a card; its second copy is elsewhere. Each `session` is an evening with a note."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.copy_path = folder / "copy"
        copy = FileSecondCopy(self.copy_path)
        self.secret = begun.begin(self.state, 5, copy=copy, board="board 1", machine_id=796)

    def start(self) -> Bench:
        b = Bench(self.state, second_copy=FileSecondCopy(self.copy_path))
        b.step()
        return b

    def session(self, cents: int = 2_000) -> None:
        b = self.start()
        b.insert(1, cents)
        b.runtime.close(clean=True, now_ms=b.now_ms)

    def killed(self, *notes: int) -> None:
        """A session that ends with a kill: rows are only in the write-ahead log."""
        b = self.start()
        for cents in notes:
            b.insert(1, cents)
        kept = self.state.with_name("kept")
        shutil.copytree(self.state, kept)
        b.runtime.drop()
        shutil.rmtree(self.state)
        kept.rename(self.state)

    def refused(self, what: str) -> None:
        """The journal does not open: the cabinet shows M02 in its place (`test_field`)."""
        with pytest.raises(JournalBroken, match=what):
            Journal.open(self.state, begun=True)

    def tilt(self) -> str:
        """Which words M02 says, "" if the table is played on."""
        b = self.start()
        b.step()
        rows = active_conditions(b.state, b.runtime.live)
        b.runtime.drop()
        return "".join(detail for row, _, detail in rows if row.code == "M02")

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """As somebody who knows SQLite, and has all rights on the file."""
        with closing(sqlite3.connect(self.state / NEWEST, isolation_level=None)) as db:
            for trigger in ("changed", "removed", "replaced"):
                db.execute(f"DROP TRIGGER IF EXISTS facts_are_not_{trigger}")
            return db.execute(statement, values).fetchall()

    def chain_again(self) -> dict[int, str]:
        """Make the hash chain fit what the rows say now, and everything that names a row's digest."""
        rows = self.sql("SELECT seq, kind, body, at_ms, wall_ms FROM facts ORDER BY seq")
        made, head = chained(GENESIS, [Entry(*row[1:]) for row in rows])
        digests = {0: GENESIS.digest}
        for row in made:
            seq, digest = row[0], row[-1]
            assert isinstance(seq, int)
            assert isinstance(digest, bytes)
            digests[seq] = digest.hex()
            self.sql("UPDATE facts SET digest = ? WHERE seq = ?", digest, seq)
        self.sql("UPDATE meta SET head_seq = ?, head_digest = ?", head.seq, bytes.fromhex(head.digest))
        self.sql("DELETE FROM snapshot")
        for number, seq in self.sql("SELECT epoch, seq FROM epochs"):
            digest = bytes.fromhex(digests[seq])
            self.sql("UPDATE epochs SET digest = ? WHERE epoch = ?", digest, number)
        return digests

    def take_key(self) -> ChainKey:
        """What is in the key file: for somebody who has all rights on the card."""
        kept = chain_key.load(self.state)
        assert kept is not None
        return kept

    def seal_again(self, digests: dict[int, str]) -> None:
        """With the present key: the seals of the open epoch are right, older ones are as good as one can."""
        key = self.take_key().key
        for seq, number in self.sql("SELECT seq, epoch FROM facts WHERE seal IS NOT NULL"):
            seal = EpochKey(number, key.secret).row(Head(seq, digests[seq]))
            self.sql("UPDATE facts SET seal = ? WHERE seq = ?", seal, seq)
        for number, seq in self.sql("SELECT epoch, seq FROM epochs"):
            opened = EpochKey(number, key.secret).opening(Head(seq, digests[seq]))
            self.sql("UPDATE epochs SET opened = ? WHERE epoch = ?", opened, number)
        began = self.take_key().began.seq
        chain_key.keep(self.state, ChainKey(key, Head(began, digests[began])))

    def told(self, secret: bytes | None = None) -> str:
        """What `journal check` finds, with the verification key unless another is given."""
        seals = SealCheck(self.secret if secret is None else secret)
        seals.ask(self.state)
        with closing(Journal.read(self.state)) as journal:
            return "\n".join(journal_check.check(journal, seals=seals).findings)


def richer(body: str) -> str:
    return body.replace('"cents":2000', '"cents":9000')


@pytest.fixture
def card(tmp_path: Path) -> Card:
    made = Card(tmp_path)
    for cents in (2_000, 1_000):
        made.session(cents)
    return made


# ---- nothing is wrong


@pytest.mark.requirement("MEM-03")
def test_an_honest_journal_is_verified_from_its_first_row_on(card: Card) -> None:
    seals = SealCheck(card.secret)
    seals.ask(card.state)
    with closing(Journal.read(card.state)) as journal:
        report = journal_check.check(journal, seals=seals)
        first = next(journal.rows())
    assert report.findings == []
    assert report.seals.startswith("from row 1 on, epochs 0 to ")
    assert report.seals.endswith(": verified")
    assert decode(first.entry.kind, first.entry.body) == MemoryBegun(0, "the lab", "seed 5")
    assert card.tilt() == ""
    assert card.told() == ""


def test_without_the_key_a_check_says_what_it_did_not_verify(card: Card) -> None:
    with closing(Journal.read(card.state)) as journal:
        assert journal_check.check(journal).seals.endswith("not verified (--key-file)")


def test_another_verification_key_fits_nothing(card: Card) -> None:
    assert "is not of this key" in card.told(b"\1" * 32)


def test_keys_follow_each_other_and_the_old_one_is_gone(card: Card) -> None:
    before = card.take_key()
    card.session()
    now = card.take_key()
    assert now.key.number == before.key.number + 1
    assert now.key == before.key.next()
    assert [path.name for path in (card.state / key_files.FOLDER).iterdir()] == [chain_key.NAME]
    for path in card.state.rglob("*"):
        if path.is_file():
            assert before.key.secret not in path.read_bytes()
            assert before.key.secret.hex().encode() not in path.read_bytes()
            assert card.secret not in path.read_bytes()
            assert card.secret.hex().encode() not in path.read_bytes()


def test_nothing_of_a_key_is_in_its_words(card: Card) -> None:
    kept = card.take_key()
    assert kept.key.secret.hex() not in repr(kept)
    assert repr(kept.key.secret) not in repr(kept)


# ---- the journal is shortened, older or gone


@pytest.mark.requirement("MEM-03", "MEM-05")
@pytest.mark.parametrize("place", [0.35, 0.6, 0.9])
def test_a_bit_of_the_log_that_flips_after_a_kill_is_noticed_by_the_second_copy(
    card: Card, place: float
) -> None:
    card.killed(5_000, 2_000)
    wal = card.state / f"{NEWEST}-wal"
    content = bytearray(wal.read_bytes())
    content[int(len(content) * place)] ^= 1
    wal.write_bytes(content)
    assert "the second copy is ahead of the journal" in card.tilt()


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_a_deleted_journal_is_missed(card: Card) -> None:
    for path in card.state.glob("journal-*"):
        path.unlink()
    card.refused("it is not here, and its key is")


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("how", ["empty", "missing"])
def test_an_empty_state_directory_is_refused_and_not_begun_again(card: Card, how: str) -> None:
    shutil.rmtree(card.state)
    if how == "empty":
        card.state.mkdir(mode=0o700)
    with pytest.raises(NotBegun, match="cabinet memory begin"):
        Journal.open(card.state, begun=True)
    assert not list(card.state.glob("*.db"))
    with pytest.raises(Refused, match=r"the second copy knows of a journal with \d+ rows"):
        begun.begin(card.state, 6, copy=FileSecondCopy(card.copy_path), board="board 1")
    assert not list(card.state.glob("*.db"))


@pytest.mark.requirement("MEM-05")
def test_an_older_state_directory_is_noticed_by_the_second_copy(card: Card) -> None:
    shutil.copytree(card.state, card.state.with_name("older"))
    card.session()
    shutil.rmtree(card.state)
    card.state.with_name("older").rename(card.state)
    assert "the second copy is ahead of the journal" in card.tilt()


@pytest.mark.requirement("MEM-05")
def test_an_older_journal_does_not_fit_the_present_key(card: Card) -> None:
    older = (card.state / NEWEST).read_bytes()
    card.session()
    (card.state / NEWEST).write_bytes(older)
    card.refused(r"one is of an\s+earlier time")


@pytest.mark.requirement("MEM-03")
def test_rows_cut_off_at_the_end_of_a_sealed_epoch_are_missed_by_start_and_key(card: Card) -> None:
    """The last epoch is removed, as if the session before had been the last."""
    last = card.take_key()
    (epoch, seq), *_ = card.sql("SELECT epoch, seq FROM epochs ORDER BY epoch DESC LIMIT 1")
    digest = card.sql("SELECT digest FROM facts WHERE seq = ?", seq)[0][0]
    for table, column in (("facts", "seq > ?"), ("snapshot", "seq > ?")):
        card.sql(f"DELETE FROM {table} WHERE {column}", seq)
    card.sql("DELETE FROM epochs WHERE epoch = ?", epoch)
    card.sql("UPDATE meta SET head_seq = ?, head_digest = ?, previous_seq = 1", seq, digest)
    assert "its end was cut off" in card.told()
    card.refused("one is of an earlier time")
    # With the present key one may lie about its number; the operator does not believe it.
    (number, began), *_ = card.sql("SELECT epoch, seq FROM epochs ORDER BY epoch DESC LIMIT 1")
    head = Head(began, card.sql("SELECT digest FROM facts WHERE seq = ?", began)[0][0].hex())
    chain_key.keep(card.state, ChainKey(EpochKey(number, last.key.secret), head))
    assert "does not come from this verification key" in card.told()


@pytest.mark.requirement("MEM-03")
def test_commits_cut_off_in_the_open_epoch_are_missed_by_the_second_copy_alone(card: Card) -> None:
    card.killed(5_000)
    seals = card.sql("SELECT seq, digest FROM facts WHERE seal IS NOT NULL ORDER BY seq DESC LIMIT 2")
    (seq, digest) = seals[1]
    card.sql("DELETE FROM facts WHERE seq > ?", seq)
    card.sql("UPDATE meta SET head_seq = ?, head_digest = ?, previous_seq = ?", seq, digest, seq - 1)
    assert card.told() == ""
    assert "the second copy is ahead of the journal" in card.tilt()


# ---- what is stored is changed


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_an_edited_snapshot_is_not_believed(card: Card) -> None:
    """Its checksum is made to fit, as anybody can: the seal does not."""
    newest = "SELECT schema, seq, digest, state FROM snapshot ORDER BY seq DESC"
    number, seq, digest, content = card.sql(newest)[0]
    edited = content.replace(b"3000", b"9000")
    assert edited != content
    assert SNAPSHOT_DECODER.decode(edited).credit(1) == 9_000
    checksum = seal_of(number, seq, digest.hex(), edited)
    card.sql("UPDATE snapshot SET state = ?, seal = ? WHERE seq = ?", edited, checksum, seq)
    card.refused("the snapshot is not as it was sealed")
    assert "the snapshot's seal is not of this key" in card.told()


@pytest.mark.requirement("MEM-04")
def test_a_damaged_snapshot_is_left_out_and_the_facts_tell_the_state(card: Card) -> None:
    card.sql("UPDATE snapshot SET state = x'00'")
    assert card.tilt() == ""
    b = card.start()
    assert b.state.credit(1) == 3_000
    b.runtime.drop()


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_an_edited_fact_in_a_new_chain_is_noticed_at_the_start(card: Card) -> None:
    """Without the key."""
    (seq, body), *_ = card.sql("SELECT seq, body FROM facts WHERE kind = 'NoteIntended' ORDER BY seq")
    card.sql("UPDATE facts SET body = ? WHERE seq = ?", richer(body), seq)
    card.chain_again()
    card.refused("not of its key|not of the key")
    assert "not of" in card.told()


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_who_has_the_present_key_cannot_rewrite_yesterday(card: Card) -> None:
    """A new chain with new seals: the start believes them, the second copy and the operator do not."""
    (seq, body), *_ = card.sql("SELECT seq, body FROM facts WHERE kind = 'NoteIntended' ORDER BY seq")
    card.sql("UPDATE facts SET body = ? WHERE seq = ?", richer(body), seq)
    card.seal_again(card.chain_again())
    told = card.told()
    assert "the opening seal of epoch 0 is not of this key" in told
    assert "its seal is not of epoch 0 of this key" in told
    assert "the second copy is of another journal" in card.tilt()


@pytest.mark.requirement("MEM-03")
def test_a_journal_without_its_seals_is_not_taken_for_one_of_before(card: Card) -> None:
    card.sql("UPDATE facts SET seal = NULL, epoch = NULL")
    card.sql("DELETE FROM epochs")
    card.refused("its rows are not sealed")
    (card.state / key_files.FOLDER / chain_key.NAME).unlink()
    with pytest.raises(NotBegun):
        Journal.open(card.state, begun=True)
    assert "there is nothing that the key could verify" in card.told()


# ---- the key file


@pytest.mark.requirement("MEM-03", "MEM-05")
@pytest.mark.parametrize("which", ["of another cabinet", "of before", "made up"])
def test_a_swapped_key_is_noticed_at_the_start(card: Card, tmp_path: Path, which: str) -> None:
    older = card.take_key()
    card.session()
    kept = card.take_key()
    other = Card(tmp_path / "other")
    swapped = {
        "of another cabinet": other.take_key(),
        "of before": older,
        "made up": ChainKey(EpochKey(kept.key.number, b"\7" * 32), kept.began),
    }[which]
    chain_key.keep(card.state, swapped)
    card.refused("earlier time|not of its key|not of the key")


@pytest.mark.requirement("MEM-05")
def test_a_missing_and_a_damaged_key_are_noticed(card: Card) -> None:
    path = card.state / key_files.FOLDER / chain_key.NAME
    content = path.read_bytes()
    path.unlink()
    card.refused(r"the key of the chain \(keys/chain\) is missing")
    for damaged in (b"", b"{}", b"[1,2]", content[:-3], content.replace(b"[1, ", b"[2, ")):
        key_files.write(path, damaged)
        card.refused(r"the key of the chain \(keys/chain\) is not as it was kept")
    path.chmod(0o644)
    with pytest.raises(JournalStrange, match="is open to others"):
        Journal.open(card.state, begun=True)


# ---- a memory is begun


@pytest.mark.requirement("MEM-07")
def test_a_memory_is_begun_once(card: Card) -> None:
    with pytest.raises(Refused, match="has been begun"):
        begin(
            card.state, MemoryBegun(0, "somebody", "again"), wall_ms=0, draw=bytes, copy=None, board="",
            machine_id=796, started="test",
        )  # fmt: skip


@pytest.mark.requirement("MEM-01")
def test_a_journal_of_before_the_seals_is_gone_on_with(tmp_path: Path) -> None:
    """Its rows stay as they are and are told to be unsealed; what follows is sealed."""
    state = tmp_path / "state"
    b = Bench(state)
    b.step()
    b.insert(1, 2_000)
    b.runtime.close(clean=True, now_ms=b.now_ms)
    before = b.runtime.head.seq
    with pytest.raises(NotBegun, match="its rows are not sealed"):
        Journal.open(state, begun=True)
    secret = begun.begin(state, 9)
    seals = SealCheck(secret)
    seals.ask(state)
    with closing(Journal.read(state)) as journal:
        report = journal_check.check(journal, seals=seals)
    assert report.findings == []
    assert f"rows 1 to {before} are unsealed: of an earlier version" in report.notes
    b = Bench(state)
    assert b.state.credit(1) == 2_000
    b.runtime.drop()


@pytest.mark.parametrize("at", ["transaction", "key"])
def test_power_that_goes_while_an_epoch_ends_costs_nothing(
    card: Card, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the key is replaced, and after."""
    journal = Journal.open(card.state, begun=True)
    journal.commit([Entry("BettingClosed", '{"at_ms":1}', 1, 1)])
    keep: Callable[[Path, ChainKey], None] = chain_key.keep

    def cut(directory: Path, kept: ChainKey) -> None:
        if at == "key":
            keep(directory, kept)
        raise OSError("power is gone")

    with monkeypatch.context() as patch:
        patch.setattr(chain_key, "keep", cut)
        with pytest.raises(Exception, match="the disk refused"):
            journal.evolve()
    journal.close()
    again = Journal.open(card.state, begun=True)
    again.commit([Entry("BettingClosed", '{"at_ms":2}', 2, 2)])
    again.close()
    assert card.told() == ""


def test_a_snapshot_has_a_seal_of_its_own() -> None:
    key, name = EpochKey(3, b"k" * 32), SnapshotName(1, 5, GENESIS.digest, b"c" * 32)
    others = [
        SnapshotName(2, 5, GENESIS.digest, b"c" * 32),
        SnapshotName(1, 6, GENESIS.digest, b"c" * 32),
        SnapshotName(1, 5, "ab" * 32, b"c" * 32),
        SnapshotName(1, 5, GENESIS.digest, b"d" * 32),
    ]
    assert len({key.snapshot(each) for each in (name, *others)} | {key.next().snapshot(name)}) == 6
