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

from cabinet.core.facts import Fact, decode, encode
from cabinet.core.state import SCHEMA, State
from cabinet.core.state.fold import after
from cabinet.lab import evening
from cabinet.lab.table import Options
from cabinet.records import check, lookup
from cabinet.records.replay import SNAPSHOT_ENCODER, restore
from cabinet.store.journal import Journal
from support.programs.source import ROOT

JOURNALS = ROOT / "tests" / "vectors" / "journals"
NAMES = sorted(path.name for path in JOURNALS.iterdir())
CABINETS = {"0.1.0-plain": "table5", "0.1.0-sealed": "shared3"}
# What the fold of this program makes of each journal, under the schema of its snapshots. Whoever changes the
# state, the fold or a meter raises SCHEMA and writes these lines again: else a start would believe a snapshot
# in which the new meter was never counted.
FOLDED = {
    11: {
        "0.1.0-plain": "e9343fb2c89f03721014a1c184ae5d9a5410d3e14f7e0416c2e657e1d5c62ab3",
        "0.1.0-sealed": "4084c863c3dc36ebd7c5c9cf20738736c95d01381a309ad97f66f61f183016f3",
    },
}


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def directory(name: str, tmp_path: Path) -> Path:
    """The state directory as it was left."""
    made = tmp_path / "state"
    made.mkdir(mode=0o700)
    for packed in (JOURNALS / name).glob("*.gz"):
        (made / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    if (JOURNALS / name / "keys").is_dir():
        shutil.copytree(JOURNALS / name / "keys", made / "keys")
        (made / "keys").chmod(0o700)
        (made / "keys" / "chain").chmod(0o600)
    return made


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
        "books": [[book.last_bet_cents, book.won_cents, book.net_cents] for book in state.books],
    }  # fmt: skip


def facts(directory: Path) -> list[tuple[tuple[str, str], Fact]]:
    with closing(Journal.read(directory)) as journal:
        return [
            ((row.entry.kind, row.entry.body), decode(row.entry.kind, row.entry.body))
            for row in journal.rows(0)
        ]


def folded(directory: Path) -> State:
    state = State()
    for _, fact in facts(directory):
        state = after(state, fact)
    return state


def test_every_cabinet_of_a_journal_is_known() -> None:
    assert set(CABINETS) == set(NAMES) == set(FOLDED[SCHEMA])


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
    found = hashlib.sha256(SNAPSHOT_ENCODER.encode(folded(directory))).hexdigest()
    assert found == FOLDED[SCHEMA][name], "raise SCHEMA, then write this line again"


def test_its_check_finds_nothing_and_its_rounds_are_recalled(name: str, directory: Path) -> None:
    with closing(Journal.read(directory)) as journal:
        report = check.check(journal)
        assert report.findings == []
        rounds = list(lookup.every_round(journal))
        newest = lookup.recall(journal)
    assert len(rounds) == told(name)["round_number"]
    assert newest.number == told(name)["round_number"]


def test_an_evening_goes_on_from_it(name: str, directory: Path) -> None:
    then = told(name)
    options = Options(
        cabinet=CABINETS[name], virtual=True, autoplay=True, rounds=3, seed=3, wire="memory", state=directory
    )
    made = evening.play(options, "later")
    assert made.ledger_sum_cents == 0
    with closing(Journal.read(directory)) as journal:
        state = restore(journal).state
    assert state.session == then["session"] + 1
    assert state.round_number >= then["round_number"] + 3
    assert all(state.meters[meter] >= count for meter, count in then["meters"].items() if meter == "bill_in")
