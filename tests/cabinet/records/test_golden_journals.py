"""Journals of released versions: every later one reads them, recalls their rounds and goes on with them.

``tests/vectors/journals/NAME`` holds the journal of an evening with much trouble, as the program of that time
has left it, and what that program made of it (``told.json``). None is ever changed; a release adds one.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cabinet.core import facts as f
from cabinet.core.facts import Fact, decode, encode
from cabinet.core.state import SCHEMA, State
from cabinet.core.state.fold import after
from cabinet.lab import begun, evening
from cabinet.lab.table import LabOptions
from cabinet.records import check, lookup
from cabinet.records.replay import SNAPSHOT_ENCODER, restore
from cabinet.records.seals import SealCheck
from cabinet.store.errors import NotBegun
from cabinet.store.journal import Journal
from support.programs.source import ROOT

JOURNALS = ROOT / "tests" / "vectors" / "journals"
NAMES = sorted(path.name for path in JOURNALS.iterdir())
CABINETS = {"0.1.0-plain": "table5", "0.1.0-sealed": "shared3"}
# What the fold of this program makes of each journal, under the schema of its snapshots. Whoever changes the
# state, the fold or a meter raises SCHEMA and writes these lines again: else a start would believe a snapshot
# in which the new meter was never counted.
FOLDED = {
    13: {
        "0.1.0-plain": "6d505068bd891a60a4316968271133748fc4ea4534efb98926dc62158b21eb01",
        "0.1.0-sealed": "bb1f18cb4b585799f217f3c50f75d9b7bbda6ee69715d5261da029c614df42ad",
        "the rest": "14de6391c369923e6af6d4919b6e168f6cd4544a0b14668bb71492f43a2894ae",
    },
}
# What did not happen on those evenings, as it may come after the plain one: every kind is folded.
REST: tuple[f.Fact, ...] = (
    f.NoteRefused(1, "validator1", 1, 500, "bets are closed"),
    f.NoteIntended(2, 41, "validator1", 1, 2_000, 3),
    f.NoteReturned(3, 41, "pulled out"),
    f.NoteIntended(4, 42, "validator1", 1, 2_000, 3),
    f.NoteCredited(5, 42),
    f.NoteClosed(6, 42),
    f.DeskNumberWrong(7, 7, "attendant"),
    f.TicketPaidAtDesk(8, 7, 13_000, "attendant"),
    f.HandpayOpened(9, 43, 1, 500, "residual"),
    f.HandpayCancelled(10, 43),
    f.BetMoved(11, 1, 500),
    f.BettingOpened(12, 9_000),
    f.BetMoved(13, 1, -500),
    f.BettingClosed(14),
    f.BetMoved(15, 1, 500),
    f.RoundOpened(16, 29, ((1, 500),), True),
    f.RoundVoided(17, "too old"),
    f.ClockStepped(18, 1_000, 2_000, 41),
    f.ClockDoubted(19, 3_000, 2_000),
    f.ClockJudged(20, 4_000, False, "technician"),
    f.PeriodReset(21, 2),
    f.MemoryCleared(22, 1_000, "00", 44, 14, 14, "moved"),
)


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def directory(name: str, tmp_path: Path) -> Path:
    return unpacked(name, tmp_path / "state")


def told(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((JOURNALS / name / "told.json").read_text(encoding="utf-8"))
    return found


def as_told(state: State) -> dict[str, Any]:
    """The same of a state of this program."""
    return {
        "session": state.session, "round_number": state.round_number, "period": state.period,
        "next_ref": state.next_ref, "sequence": state.sequence, "ticket_no": state.ticket_no,
        "machine_id": state.machine_id,
        "accounts": {name: cents for name, cents in sorted(state.ledger.balances.items()) if cents},
        "meters": dict(sorted(state.meters.items())),
        "conditions": [list(held) for held in state.conditions],
        "handpays": [[pay.ref, pay.seat, pay.cents, pay.reason] for pay in state.handpays],
        "notes": [[note.ref, note.device, note.cents, note.unresolved] for note in state.notes],
        "issued": [[line.ref, str(line.state), line.cents] for line in state.issued],
        "books": [[book.last_bet_cents, book.won_cents, book.net_cents] for book in state.seat_records],
    }  # fmt: skip


def facts(directory: Path) -> list[tuple[tuple[str, str], Fact]]:
    with closing(Journal.read(directory)) as journal:
        return [
            ((row.entry.kind, row.entry.body), decode(row.entry.kind, row.entry.body))
            for row in journal.rows(0)
        ]


def hash_of(state: State) -> str:
    return hashlib.sha256(SNAPSHOT_ENCODER.encode(state)).hexdigest()


def folded(directory: Path) -> State:
    state = State()
    for _, fact in facts(directory):
        state = after(state, fact)
    return state


def unpacked(name: str, made: Path) -> Path:
    """The state directory as it was left."""
    made.mkdir(mode=0o700)
    for packed in (JOURNALS / name).glob("*.gz"):
        (made / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    if (JOURNALS / name / "keys").is_dir():
        shutil.copytree(JOURNALS / name / "keys", made / "keys")
        (made / "keys").chmod(0o700)
        (made / "keys" / "chain").chmod(0o600)
    return made


def test_every_cabinet_of_a_journal_is_known() -> None:
    assert set(CABINETS) == set(NAMES) == set(FOLDED[SCHEMA]) - {"the rest"}


@pytest.mark.requirement("MEM-01")
def test_it_says_what_it_said_then(name: str, directory: Path) -> None:
    then = told(name)
    with closing(Journal.read(directory)) as journal:
        assert (journal.head.seq, journal.head.digest) == (then.pop("rows"), then.pop("digest"))
        restored = restore(journal)
    assert (restored.trouble, restored.damage) == ("", "")
    assert as_told(restored.state) == then
    assert as_told(folded(directory)) == then


def test_every_fact_is_written_as_it_was_written_then(directory: Path) -> None:
    """A default that came later may be added: nothing that was said changes or goes."""
    for (kind, body), fact in facts(directory):
        again, now = encode(fact)
        assert again == kind
        assert json.loads(body).items() <= json.loads(now).items()


def test_the_fold_is_that_of_the_schema(name: str, directory: Path) -> None:
    assert hash_of(folded(directory)) == FOLDED[SCHEMA][name], "raise SCHEMA, then write this line again"


def test_the_fold_of_every_other_kind_is_that_of_the_schema(tmp_path: Path) -> None:
    """Hashed after each fact: what one has counted the next may forget."""
    state = folded(unpacked("0.1.0-plain", tmp_path / "plain"))
    met = {type(fact).__name__ for fact in REST}
    for name in NAMES:
        met |= {type(fact).__name__ for _, fact in facts(unpacked(name, tmp_path / name))}
    assert met == set(f.KINDS), "fold the new kind in REST"
    hashes = []
    for fact in REST:
        state = after(State() if isinstance(fact, f.MemoryCleared) else state, fact)  # a clear begins again
        hashes.append(hash_of(state))
    found = hashlib.sha256("".join(hashes).encode()).hexdigest()
    assert found == FOLDED[SCHEMA]["the rest"], "raise SCHEMA, then write this line again"


def test_its_check_finds_nothing_and_its_rounds_are_recalled(name: str, directory: Path) -> None:
    with closing(Journal.read(directory)) as journal:
        report = check.check(journal)
        assert report.findings == []
        rounds = list(lookup.every_round(journal))
        newest = lookup.recall(journal)
    assert len(rounds) == told(name)["round_number"]
    assert newest.number == told(name)["round_number"]


def test_one_of_before_the_seals_is_shown_as_unsealed_and_goes_on_when_it_is_begun(tmp_path: Path) -> None:
    directory = unpacked("0.1.0-plain", tmp_path / "state")
    rows = told("0.1.0-plain")["rows"]
    with pytest.raises(NotBegun, match="its rows are not sealed"):
        Journal.open(directory, begun=True)
    secret = begun.begin(directory, 5, machine_id=told("0.1.0-plain")["machine_id"])
    seals = SealCheck(secret)
    seals.ask(directory)
    with closing(Journal.read(directory)) as journal:
        report = check.check(journal, seals=seals)
    assert report.findings == []
    assert f"rows 1 to {rows} are unsealed: of an earlier version" in report.notes
    with closing(Journal.open(directory, begun=True)) as journal:
        assert restore(journal).state.meters["bill_in"] == told("0.1.0-plain")["meters"]["bill_in"]


def test_an_evening_goes_on_from_it(name: str, directory: Path) -> None:
    then = told(name)
    options = LabOptions(
        cabinet=CABINETS[name], virtual=True, autoplay=True, rounds=3, seed=3, wire="memory", state=directory
    )
    made = evening.play(options, "later")
    assert made.ledger_sum_cents == 0
    with closing(Journal.read(directory)) as journal:
        state = restore(journal).state
    assert state.session == then["session"] + 1
    assert state.round_number >= then["round_number"] + 3
    assert all(state.meters[meter] >= count for meter, count in then["meters"].items() if meter == "bill_in")
