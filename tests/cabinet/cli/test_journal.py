"""``cabinet journal``: what it says of a sound journal, of every damage, and beside a running cabinet."""

from __future__ import annotations

import csv
import errno
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.cli import main as cli
from cabinet.core.facts import SessionStarted, TicketIntended, decode, encode
from cabinet.records.replay import totals
from cabinet.store.chain import link, packed
from cabinet.store.journal import Entry, Journal
from cabinet.store.journal_file import seal_of
from cabinet.store.second_copy.media import FileSecondCopy
from support.evenings.evening import WALL_MS, Evening
from support.evenings.recalled import append, entries, kept, play_rounds

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``cabinet journal ARGS``: exit code, what it said, what it complained about."""

    def command(*args: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            cli.main(["journal", *map(str, args)])
        out, err = capsys.readouterr()
        code = caught.value.code
        return (code if isinstance(code, int) else 0), out, err

    return command


@pytest.fixture(scope="module")
def evening() -> Evening:
    """A few rounds and a ticket, of which only four digits may ever be seen."""
    played = Evening(seats=2)
    play_rounds(played, 6, lambda seat, lamps: "stand" if seat == 1 else None)
    played.press(1, "cash_out")
    played.printed()
    played.switch("door.main", True)
    played.switch("door.main", False)
    return played


@pytest.fixture
def state(evening: Evening, tmp_path: Path) -> Path:
    """Its journal, in two files, as a stop has left it."""
    kept(evening, tmp_path / "state", rotate_bytes=40_000, snapshot_every=40).close()
    assert len(list((tmp_path / "state").glob("journal-*.db"))) > 1
    return tmp_path / "state"


def edit(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def traces(directory: Path) -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_mtime_ns, path.stat().st_size) for path in directory.iterdir()}


# ---- check


@pytest.mark.requirement("REC-07", "MEM-03")
def test_a_sound_journal_is_told_to_be_and_read_without_a_trace(run: Run, state: Path) -> None:
    before = traces(state)
    code, out, err = run("check", state)
    assert (code, err) == (0, "")
    assert "the journal is sound" in out
    assert "6 rounds" in out
    assert run("check", "--state", state)[0] == 0
    assert run("recall", state)[0] == 0
    assert traces(state) == before


DAMAGES = {
    "a changed amount": (
        ("DROP TRIGGER facts_are_not_changed", "UPDATE facts SET body = body || ' ' WHERE seq = 9"),
        "journal-000001.db, row 9: ",
    ),
    "a lost row": (
        ("DROP TRIGGER facts_are_not_removed", "DELETE FROM facts WHERE seq = 8"),
        "journal-000001.db, row 8: the row is missing",
    ),
    "another head": (
        ("UPDATE meta SET head_seq = head_seq + 1",),
        "the stored head is",
    ),
    "a torn snapshot": (
        ("UPDATE snapshot SET state = x'00'",),
        "the snapshot is damaged",
    ),
}  # fmt: skip


@pytest.mark.requirement("MEM-03", "MEM-04")
@pytest.mark.parametrize("damage", DAMAGES)
def test_each_damage_is_named_with_its_place(run: Run, state: Path, damage: str) -> None:
    statements, words = DAMAGES[damage]
    edit(state / "journal-000001.db", *statements)
    code, out, err = run("check", state)
    assert code == 1
    assert words in err
    assert "wrong" in out


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize("command", ["recall", "export", "check"])
def test_no_bit_before_a_fact_ends_a_command_without_its_words(
    run: Run, state: Path, tmp_path: Path, command: str
) -> None:
    """There stand the types of what follows: a text may become a number, a blob or nothing."""
    path = state / "journal-000001.db"
    whole = path.read_bytes()
    fact = whole.index(b"RoundOpened{")
    options = ("--csv", tmp_path / "csv") if command == "export" else ()
    for place in range(fact - 8, fact):
        for bit in range(8):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :])
            code, _, err = run(command, state, *options)
            shutil.rmtree(tmp_path / "csv", ignore_errors=True)
            assert code in (0, 1)
            assert (code == 1) == err.startswith("cabinet: ")
            assert max(map(len, err.splitlines()), default=0) < 400


@pytest.mark.requirement("MEM-03", "PRN-07")
def test_a_damaged_ticket_is_named_without_its_number(run: Run, evening: Evening, state: Path) -> None:
    told = [decode(kind, body) for kind, body in evening.journal]
    (number,) = [fact.number for fact in told if isinstance(fact, TicketIntended)]
    for path in state.glob("journal-*.db"):
        edit(
            path,
            "DROP TRIGGER facts_are_not_changed",
            "UPDATE facts SET at_ms = at_ms + 1 WHERE kind = 'TicketIntended'",
        )
    code, out, err = run("check", state)
    assert code == 1
    assert "'TicketIntended' gives the digest" in err
    assert number not in out + err


@pytest.mark.requirement("MEM-03")
def test_a_head_that_is_no_row_is_not_told(run: Run, state: Path) -> None:
    edit(max(state.glob("journal-*.db")), "UPDATE meta SET head_digest = zeroblob(32)")
    code, out, err = run("head", state)
    assert (code, out) == (1, "")
    assert "the rows end with" in err


def test_a_snapshot_whose_kind_has_changed_by_itself_is_not_another_programs(run: Run, state: Path) -> None:
    edit(state / "journal-000001.db", "UPDATE snapshot SET schema = schema + 1")
    code, _, err = run("check", state)
    assert code == 1
    assert "the snapshot is damaged" in err


def test_snapshots_of_another_program_are_told_and_not_compared(run: Run, state: Path) -> None:
    for path in state.glob("journal-*.db"):
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.create_function("seal_of", 4, seal_of)
            seal = "seal_of(schema + 1, seq, lower(hex(digest)), state)"
            db.execute(f"UPDATE snapshot SET schema = schema + 1, seal = {seal}")
    code, out, _ = run("check", state)
    assert code == 0
    assert "snapshots     0 compared" in out
    assert "are of another version of the program" in out


@pytest.mark.requirement("MEM-03")
def test_a_forged_fact_with_a_right_chain_is_found_by_folding_it(run: Run, state: Path) -> None:
    """Whoever can compute the chain can write anything into it, but not anything that can be true."""
    with closing(Journal.open(state)) as journal:
        body = encode(SessionStarted(0, 99, True, 0, "forged"))[1]
        journal.commit([Entry("SessionStarted", body, 0, WALL_MS)])
    code, _, err = run("check", state)
    assert code == 1
    assert "it cannot be true: SessionStarted: session 99 cannot follow session 1" in err
    assert "SessionStarted of 2030-03-17 17:46:40" in err


def test_a_file_of_another_journal_is_found(run: Run, state: Path, tmp_path: Path) -> None:
    other = Evening(seats=2)
    play_rounds(other, 6, lambda seat, lamps: "hit")
    kept(other, tmp_path / "other", rotate_bytes=40_000, snapshot_every=40).close()
    (tmp_path / "other" / "journal-000001.db").rename(state / "journal-000001.db")
    code, _, err = run("check", state)
    assert code == 1
    assert "journal-000002.db" in err
    assert "does not follow the one before it" in err


@pytest.mark.requirement("MEM-02")
def test_the_second_copy_is_compared(run: Run, evening: Evening, state: Path, tmp_path: Path) -> None:
    place = tmp_path / "totals"
    assert run("check", state, "--copy", place)[0] == 2
    copy = FileSecondCopy(place)
    with closing(Journal.read(state)) as journal:
        head = journal.head
    copy.write(head, totals(evening.state))
    code, out, _ = run("check", state, "--copy", place)
    assert (code, "equal, with the same totals" in out) == (0, True)
    copy.write(head, totals(Evening(seats=1).state))
    code, _, err = run("check", state, "--copy", place)
    assert (code, "its totals of row" in err) == (1, True)
    ahead = type(head)(head.seq + 5, head.digest)
    copy.write(ahead, totals(evening.state))
    code, _, err = run("check", state, "--copy", place)
    assert (code, "the journal has lost rows" in err) == (1, True)


def test_a_head_that_was_noted_down_is_looked_for(run: Run, state: Path) -> None:
    _, out, _ = run("head", state)
    row, digest = out.split()
    code, out, _ = run("check", state, "--noted", row, digest.upper())
    assert code == 0
    assert f"row {int(row):,}, is in this chain" in out
    for wrong in ((row, "0" * 64), (str(int(row) - 1), digest), (str(int(row) + 1), digest)):
        code, _, err = run("check", state, "--noted", *wrong)
        assert (code, "is not in this chain" in err) == (1, True)


# ---- beside a running cabinet


@pytest.mark.requirement("REC-09")
def test_everything_is_read_while_the_cabinet_writes(run: Run, evening: Evening, tmp_path: Path) -> None:
    facts = entries(evening)
    with closing(Journal.open(tmp_path / "state")) as journal:
        append(journal, facts[:150])
        assert run("check", tmp_path / "state")[0] == 0
        for entry in facts[150:]:
            journal.commit([entry])
        code, out, _ = run("recall", tmp_path / "state")
        assert (code, out.startswith("round 6, ")) == (0, True)
        code, out, _ = run("check", tmp_path / "state")
        assert f"row {len(facts):,} " in out
        journal.idle()
        wal = tmp_path / "state" / "journal-000001.db-wal"
        assert wal.stat().st_size == 0, "no reader keeps the log from being emptied"


def test_a_cabinet_that_starts_meanwhile_makes_the_answer_void(
    run: Run, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import cabinet.records.check as checks

    def started(*_: object) -> object:
        with closing(Journal.open(state)) as cabinet:
            cabinet.commit([Entry("KeyTurned", '{"at_ms":0,"key":"service","on":true}', 0, WALL_MS)])
        return checks.JournalReport()

    monkeypatch.setattr(checks, "check", started)
    code, _, err = run("check", state)
    assert (code, "ask again" in err) == (1, True)


# ---- recall and export


@pytest.mark.requirement("REC-02")
def test_a_round_as_text_and_as_json(run: Run, evening: Evening, state: Path) -> None:
    _, text, _ = run("recall", state, "--round", 2)
    assert text.startswith("round 2, 2030-")
    assert evening.policy.rules.rules_hash in text
    code, out, _ = run("recall", state, "--round", 2, "--json")
    assert code == 0
    told = json.loads(out)
    assert {"round", "opened", "settled", "rules", "decks", "shuffled", "seats", "steps", "notes"} <= set(
        told
    )
    assert told["rules"]["decks"] == 6
    card = next(step for step in told["steps"] if "card" in step)
    assert {"card", "deck", "hand", "purpose", "index", "cards_left", "total", "time"} == set(card)
    choices = [(step["choice"], step["timed_out"]) for step in told["steps"] if "choice" in step]
    assert ("stand", True) in choices
    for seat in told["seats"]:
        assert seat["credit_after_cents"] == (
            seat["credit_before_cents"] + seat["in_during_cents"] - seat["out_during_cents"]
            - seat["staked_cents"] + seat["returned_cents"]
        )  # fmt: skip


def test_a_round_as_a_picture(run: Run, state: Path, tmp_path: Path) -> None:
    code, _, _ = run("recall", state, "--png", tmp_path / "round.png", "--step", 3)
    assert code == 0
    assert (tmp_path / "round.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    code, _, err = run("recall", state, "--png", tmp_path / "nowhere" / "round.png")
    assert (code, "Give a place that can be written" in err) == (2, True)


@pytest.mark.requirement("REC-07")
def test_nothing_is_written_among_the_files_of_a_cabinet_nor_over_a_file(
    run: Run, state: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(state)
    (tmp_path / "mine").write_text("a letter", encoding="utf-8")
    before = traces(state)
    for place in (state, state / "csv", tmp_path / "link" / "csv"):
        code, _, err = run("export", state, "--csv", place)
        assert (code, "nothing is written there" in err) == (2, True)
    for place in (state / "journal-000001.db", state / "new.png", tmp_path / "link" / "lock"):
        code, _, err = run("recall", state, "--png", place)
        assert (code, "nothing is written there" in err) == (2, True)
    code, _, err = run("recall", state, "--png", tmp_path / "mine")
    assert (code, "nothing is written over" in err) == (2, True)
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "a letter"
    assert traces(state) == before


def test_a_place_that_may_not_be_looked_at_is_told_in_one_line(
    run: Run, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "is_dir", refuse)
    for options in (
        ("export", state, "--csv", tmp_path / "out"),
        ("recall", state, "--png", tmp_path / "png"),
    ):
        code, _, err = run(*options)
        assert code == 2
        assert err.endswith("Permission denied. Give a place that can be written\n")


def test_an_export_that_cannot_be_finished_leaves_no_half_files(
    run: Run, state: Path, tmp_path: Path
) -> None:
    edit(
        max(state.glob("journal-*.db")),
        "DROP TRIGGER facts_are_not_removed",
        "DELETE FROM facts WHERE seq = (SELECT max(seq) FROM facts) - 1",
    )
    code, _, err = run("export", state, "--csv", tmp_path / "out")
    assert code == 1
    assert "the row is missing" in err
    assert list((tmp_path / "out").iterdir()) == []


def test_a_text_that_a_spreadsheet_would_calculate_stays_a_text(run: Run, tmp_path: Path) -> None:
    evening = Evening(seats=1, settings=(("cabinet.city", '"=1+1"'),), settings_from="=1+1.toml")
    kept(evening, tmp_path / "state").close()
    assert run("export", tmp_path / "state", "--csv", tmp_path / "out")[0] == 0
    with (tmp_path / "out" / "config.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["by"], row["detail"]) == ("'=1+1.toml", 'none -> "=1+1"')


@pytest.mark.requirement("REC-05", "PRN-07")
def test_an_export_has_everything_but_the_numbers_of_tickets(
    run: Run, evening: Evening, state: Path, tmp_path: Path
) -> None:
    code, out, _ = run("export", state, "--csv", tmp_path / "out")
    assert code == 0
    files = {Path(line).stem: Path(line) for line in out.split()}
    rows = {
        name: list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        for name, path in files.items()
    }
    assert [row["round"] for row in rows["rounds"]] == [str(number) for number in range(1, 7)]
    assert len(rows["seats"]) == 12
    assert len(rows["cards"]) == sum(
        body.count('"card"') for kind, body in evening.journal if kind == "CardsDrawn"
    )
    assert len(rows["decisions"]) == len(evening.facts("Decided"))
    assert [row["what"] for row in rows["tickets_out"]] == ["ticket 0001"]
    assert any(row["code"] == "D01" and row["by"] == "self" for row in rows["events"])
    number = evening.last("TicketIntended").number  # type: ignore[attr-defined]
    assert not any(number in path.read_text(encoding="utf-8") for path in files.values())
    code, _, err = run("export", state, "--csv", tmp_path / "out")
    assert (code, "not empty" in err) == (2, True)


# ---- wrong questions


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("recall", "{state}", "--round", "7"), 1, "there is no round 7: the journal has rounds 1 to 6"),
        (("recall", "{state}", "--round", "0"), 2, "0 is not in the range"),
        (("check", "{state}/nowhere"), 1, "check the path"),
        (("check",), 2, "Missing argument 'DIR'"),
        (("export", "{state}"), 2, "Missing option '--csv'"),
        (("check", "{state}", "--config", "{state}/none.toml"), 2, "none.toml"),
        (("head", "--state", "{state}/lock"), 2, "is a file: give the directory that it is in"),
        (("head", "{state}", "--state", "{state}/other"), 2, "name two directories"),
        (("recall", "{state}", "--step", "2"), 2, "--step is for --png"),
        (("recall", "{state}", "--json", "--png", "{state}/../x.png"), 2, "give one"),
        (("recall", "{state}", "--png", "{state}/../x.png", "--step", "99"), 2, "give --step 1 to"),
        (("check", "{state}", "--snap"), 2, "Try: cabinet journal check --help"),
    ],
)  # fmt: skip
def test_a_wrong_question_is_answered_with_the_thing_and_the_remedy(
    run: Run, state: Path, args: tuple[str, ...], code: int, says: str
) -> None:
    found, _, err = run(*[word.replace("{state}", str(state)) for word in args])
    assert found == code
    assert says in err
    assert err.startswith("cabinet: ")


def test_the_chain_can_be_followed_with_nothing_but_a_hash(state: Path) -> None:
    """What `check` does is written down: a laboratory can do the same without this program."""
    with closing(Journal.read(state)) as journal:
        rows = list(journal.rows())
        digest = bytes.fromhex(journal.digest_at(0) or "")
        for row in rows:
            digest = link(digest, row.seq, packed(row.entry))
        assert journal.head.digest == digest.hex()
