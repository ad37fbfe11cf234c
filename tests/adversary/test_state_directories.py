"""Somebody has the card, the second copy, or both in his hands, and changes what is on them.

Whatever it is: the start plays on with the same money, locks the table, or stands and says which thing is
wrong and what to do. It never hangs, never ends in an error of its own, and never plays on with other money
than docs/trust.md says.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import FrameType

import pytest

from adversary.state_directory import CODE, Memory, Outcome, told
from cabinet.core.conditions import Code
from cabinet.core.facts import MemoryBegun
from cabinet.core.live import begin
from cabinet.core.renewal import replace
from cabinet.core.state import SCHEMA
from cabinet.memory import (
    access as memory_access,
)
from cabinet.memory import (
    begin as memory_begin,
)
from cabinet.memory import (
    clear as memory_clear,
)
from cabinet.memory import (
    last_trouble,
)
from cabinet.memory.clear import Refused
from cabinet.records.replay import SNAPSHOT_DECODER, SNAPSHOT_ENCODER, restore, snapshot
from cabinet.store.chain import Head
from cabinet.store.directory.owner import Owner
from cabinet.store.errors import JournalError
from cabinet.store.journal import Journal
from cabinet.store.seals import chain_key, key_files
from cabinet.store.seals.key_files import KeyFileError
from cabinet.store.second_copy import CopyRecord, encode_slot
from cabinet.store.second_copy.media import FileSecondCopy
from cabinet.tickets import keys as ticket_keys
from support.evenings.evening import WALL_MS, policy

NEWEST = "state/journal-000001.db"
PLACES = (
    "copy", NEWEST, f"{NEWEST}-wal", f"{NEWEST}-shm", f"{NEWEST}-journal", "state/journal-000002.db",
    "state/next.db", "state/keys/chain", "state/keys/clear-code", "state/keys/ticket", "state/lock",
    "state/trouble",
)  # fmt: skip
HANG_S = 60
Damage = Callable[["Story", Memory, Path], None]


class Story:
    """One cabinet at three moments, and another one."""

    def __init__(self, folder: Path) -> None:
        first = Memory(folder / "first")
        first.begin(5)
        first.evening(2_000)
        self.old = first.copied(folder / "old")
        first.evening(1_000)
        self.quiet = first
        self.killed = first.copied(folder / "killed")
        self.killed.evening(5_000, 2_000, killed=True)
        self.other = Memory(folder / "other")
        self.other.begin(9)
        self.other.evening(10_000, killed=True)
        self.cents = {"quiet": 3_000, "killed": 10_000}

    def moment(self, name: str) -> Memory:
        found = getattr(self, name)
        assert isinstance(found, Memory)
        return found


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    return Story(tmp_path_factory.mktemp("story"))


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    """A start that waits for ever fails."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"nothing came back in {HANG_S} s")

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def judged(memory: Memory, cents: int) -> Outcome:
    """The start, and that it has played on with this money or has said why not."""
    signal.alarm(HANG_S)
    try:
        found = memory.start()
    finally:
        signal.alarm(0)
    assert "the memory cannot be read" not in found.text
    if found.what == "plays":
        assert found.state.credit(1) == cents
        assert found.state.ledger["notes"] == -cents
    else:
        assert found.text
    return found


# ---- each file in each condition


def _put(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    path.chmod(0o600)


def _from(moment: str) -> Damage:
    def damage(story: Story, memory: Memory, path: Path) -> None:
        source = story.moment(moment).folder / path.relative_to(memory.folder)
        if source.exists():
            _put(path, source.read_bytes())
        else:
            path.unlink(missing_ok=True)

    return damage


def _made_of(content: Callable[[bytes], bytes]) -> Damage:
    def damage(_story: Story, _memory: Memory, path: Path) -> None:
        _put(path, content(path.read_bytes() if path.exists() else b""))

    return damage


def _link_to(target: str) -> Damage:
    def damage(_story: Story, _memory: Memory, path: Path) -> None:
        path.unlink(missing_ok=True)
        path.symlink_to(target)

    return damage


def _moved(_story: Story, memory: Memory, path: Path) -> None:
    """The file itself is elsewhere, a link leads there."""
    elsewhere = memory.folder / "elsewhere"
    if path.exists():
        path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _twice(_story: Story, memory: Memory, path: Path) -> None:
    if path.exists():
        (memory.folder / "elsewhere").hardlink_to(path)


def _folder(_story: Story, _memory: Memory, path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def _pipe(_story: Story, _memory: Memory, path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path, 0o600)


def _open_to_all(_story: Story, _memory: Memory, path: Path) -> None:
    if path.exists():
        path.chmod(0o666)


DAMAGES: dict[str, Damage] = {
    "missing": lambda _story, _memory, path: path.unlink(missing_ok=True),
    "empty": _made_of(lambda _content: b""),
    "half": _made_of(lambda content: content[: len(content) // 2]),
    "twice as long": _made_of(lambda content: content * 2),
    "nested": _made_of(lambda _content: b"[" * 60_000),
    "rubbish": _made_of(lambda _content: bytes(range(256)) * 40),
    "older": _from("old"),
    "later": _from("killed"),
    "of another cabinet": _from("other"),
    "a folder": _folder,
    "a pipe": _pipe,
    "a device": _link_to("/dev/zero"),
    "a link to nothing": _link_to("/nowhere/at all"),
    "a link elsewhere": _moved,
    "a second name": _twice,
    "open to all": _open_to_all,
}
CASES = [(place, damage) for place in PLACES for damage in DAMAGES]
QUICK = random.Random(8).sample(CASES, 60)
ODD = ("a folder", "a pipe", "a device", "a link to nothing", "a link elsewhere")


def tried(story: Story, folder: Path, moment: str, place: str, damage: str) -> Outcome:
    memory = story.moment(moment).copied(folder / "memory")
    path = memory.folder / place
    DAMAGES[damage](story, memory, path)
    found = judged(memory, story.cents[moment])
    if place.startswith(NEWEST[:-3]) and damage in ODD:
        assert found.what == "stands"
        assert str(path) in found.text
    if place == "state/lock" and damage == "a folder":
        assert str(path) in found.text
    return found


@pytest.mark.requirement("MEM-03", "MEM-05")
def test_files_in_conditions(story: Story, tmp_path: Path) -> None:
    for number, (place, damage) in enumerate(QUICK):
        tried(story, tmp_path / str(number), ("quiet", "killed")[number % 2], place, damage)


@pytest.mark.campaign
@pytest.mark.parametrize("moment", ["quiet", "killed"])
def test_every_file_in_every_condition(story: Story, tmp_path: Path, moment: str) -> None:
    for number, (place, damage) in enumerate(CASES):
        tried(story, tmp_path / str(number), moment, place, damage)


@pytest.mark.campaign
@pytest.mark.requirement("MEM-03", "MEM-05")
@pytest.mark.parametrize("moment", ["quiet", "killed"])
def test_bytes_and_bits_of_every_file(story: Story, tmp_path: Path, moment: str) -> None:
    """Each 97th byte, and single bits by seed."""
    chance = random.Random(7)
    source = story.moment(moment)
    for name in source.files():
        size = (source.folder / name).stat().st_size
        places = [(at, 0xFF) for at in range(chance.randrange(min(size, 97)), size, 97)]
        places += [(chance.randrange(size), 1 << chance.randrange(8)) for _ in range(60)]
        for number, (at, mask) in enumerate(places):
            memory = source.copied(tmp_path / "memory")
            content = bytearray((memory.folder / name).read_bytes())
            content[at] ^= mask
            (memory.folder / name).write_bytes(content)
            try:
                judged(memory, story.cents[moment])
            except AssertionError as error:
                raise AssertionError(f"{name}, byte {at} ^ {mask:#x} ({number})") from error
            shutil.rmtree(memory.folder)


# ---- the second copy


def _records(memory: Memory) -> CopyRecord:
    found = FileSecondCopy(memory.copy).read()
    assert found is not None
    return found


def _write(memory: Memory, *slots: tuple[int, int, CopyRecord]) -> None:
    """(slot, sequence, record), as a program could have written it."""
    content = bytearray(memory.copy.read_bytes())
    for slot, sequence, record in slots:
        front, back = encode_slot(sequence, record)
        content[slot * 2048 : slot * 2048 + len(front)] = front
        content[(slot + 1) * 2048 - len(back) : (slot + 1) * 2048] = back
    memory.copy.write_bytes(content)


COPIES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "slots swapped": ("plays", lambda c: c[2048:4096] + c[:2048] + c[4096:]),
    "number only": ("plays", lambda c: bytes(4096) + c[4096:]),
    "records only": ("plays", lambda c: c[:4096] + bytes(128)),
    "one number": ("plays", lambda c: c[:4096] + bytes(64) + c[4160:]),
    "first slot twice": ("plays", lambda c: c[:2048] * 2 + c[4096:]),
    "second slot twice": ("plays", lambda c: c[2048:4096] * 2 + c[4096:]),
    "blank": ("stands", lambda c: bytes(len(c))),
    "short": ("stands", lambda c: c[:10]),
}


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("how", COPIES)
def test_second_copies_that_were_changed(story: Story, tmp_path: Path, how: str) -> None:
    memory = story.killed.copied(tmp_path / "memory")
    what, change = COPIES[how]
    memory.copy.write_bytes(change(memory.copy.read_bytes()))
    assert judged(memory, 10_000).what == what


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("number", [(1 << 64) - 1, (1 << 64) - 2, (1 << 62) + 1])
def test_a_record_whose_number_cannot_be_followed_is_no_record(
    story: Story, tmp_path: Path, number: int
) -> None:
    """A writer that took it would have no next number."""
    memory = story.killed.copied(tmp_path / "memory")
    record = _records(memory)
    _write(memory, (0, number, record), (1, number, record))
    assert judged(memory, 10_000).what == "plays"
    assert _records(memory).head.seq > record.head.seq  # written again


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize(
    "totals",
    [b"", b"[" * 1_900, b"\xff\xfe", b'[{"credit.1":' + b"9" * 400 + b"},5,0,0,0,false,{}]"],
)
def test_totals_that_nobody_can_read_stop_no_start(story: Story, tmp_path: Path, totals: bytes) -> None:
    memory = story.killed.copied(tmp_path / "memory")
    _write(memory, (0, 1 << 40, CopyRecord(_records(memory).head, totals)))
    judged(memory, 10_000)
    for path in memory.state.glob("journal-*"):
        path.unlink()
    assert judged(memory, 0).what != "plays"


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("seq", [1 << 62, 1 << 63, (1 << 64) - 1])
def test_a_record_of_a_row_that_is_not_there_locks(story: Story, tmp_path: Path, seq: int) -> None:
    memory = story.killed.copied(tmp_path / "memory")
    record = _records(memory)
    _write(memory, (0, 1 << 40, CopyRecord(Head(seq, record.head.digest), record.totals)))
    found = judged(memory, 10_000)
    assert found.what == "locked"
    assert "ahead of the journal" in found.text


@pytest.mark.requirement("MEM-05")
def test_a_pipe_or_a_device_as_second_copy_is_refused_at_once(story: Story, tmp_path: Path) -> None:
    """Reading a pipe waits for ever, reading a device fills the memory."""
    for number, damage in enumerate(("a pipe", "a device", "a folder")):
        found = tried(story, tmp_path / str(number), "quiet", "copy", damage)
        assert found.text


# ---- key files whose checksum fits


@pytest.mark.requirement("MEM-03", "MEM-05")
@pytest.mark.parametrize("place", range(5))
def test_a_key_of_the_chain_with_other_things_in_it(story: Story, tmp_path: Path, place: int) -> None:
    """Anybody can make the checksum fit."""
    values: tuple[object, ...] = (
        "x", None, -1, 1 << 63, 1 << 200, 1.0, True, [], {}, "zz" * 32, "", "00" * 32
    )  # fmt: skip
    for number, value in enumerate(values):
        memory = story.killed.copied(tmp_path / str(number))
        path = memory.state / key_files.FOLDER / chain_key.NAME
        fields = json.loads(path.read_bytes())[:-1]
        if fields[place] == value:  # True is 1: the version
            continue
        fields[place] = value
        fields.append(hashlib.sha256(json.dumps(fields).encode()).hexdigest())
        path.write_bytes(json.dumps(fields).encode())
        assert judged(memory, 10_000).what == "locked"


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("content", [b"[" * 65_000, b"1" * 5_000, b"[" + b"9" * 5_000 + b"]", b"\xff" * 10])
def test_a_key_of_the_chain_that_is_no_list(story: Story, tmp_path: Path, content: bytes) -> None:
    memory = story.killed.copied(tmp_path / "memory")
    key_files.write(memory.state / key_files.FOLDER / chain_key.NAME, content)
    found = judged(memory, 10_000)
    assert (found.what, "keys/chain" in found.text) == ("locked", True)


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize(
    "lines", [("own", "zz" * 32), ("own", "00"), ("king", "00" * 32), ("own", ""), ("", "")]
)
def test_a_ticket_key_with_other_things_in_it_prints_no_ticket(
    story: Story, tmp_path: Path, lines: tuple[str, str]
) -> None:
    memory = story.killed.copied(tmp_path / "memory")
    head = (memory.state / "keys" / "ticket").read_text().split("\n")[0]
    text = "\n".join((head, *lines))
    check = hashlib.sha256(text.encode("latin-1")).hexdigest()[:16]
    key_files.write(memory.state / "keys" / "ticket", f"{text}\n{check}\n".encode())
    with pytest.raises(KeyFileError, match="damaged or no ticket key"):
        ticket_keys.load(memory.state)
    assert "T09" in judged(memory, 10_000).text


# ---- what SQLite would carry out


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TRIGGER t AFTER INSERT ON facts BEGIN SELECT 1; END"],
        ["CREATE VIEW v AS SELECT 1"],
        ["ALTER TABLE facts RENAME TO f", "CREATE VIEW facts AS SELECT * FROM f"],
        [
            "DROP TRIGGER facts_are_not_removed",
            "CREATE TRIGGER facts_are_not_removed BEFORE INSERT ON facts BEGIN SELECT RAISE(IGNORE); END",
        ],
    ],
)
def test_what_was_added_to_the_journal_is_not_carried_out(
    story: Story, tmp_path: Path, statements: list[str]
) -> None:
    """A trigger could drop each fact while its commit succeeds."""
    memory = story.quiet.copied(tmp_path / "memory")
    with closing(sqlite3.connect(memory.folder / NEWEST, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
    found = judged(memory, 3_000)
    assert found.what == "locked"
    assert "which this program has not made" in found.text


@pytest.mark.requirement("MEM-03")
def test_rows_before_the_newest_snapshot_are_found_by_the_table_and_by_the_check(
    story: Story, tmp_path: Path
) -> None:
    memory = story.quiet.copied(tmp_path / "memory")
    with closing(sqlite3.connect(memory.folder / NEWEST, isolation_level=None)) as db:
        db.execute("DROP TRIGGER facts_are_not_changed")
        db.execute("UPDATE facts SET body = replace(body, '2000', '9000')")
        db.execute(
            "CREATE TRIGGER facts_are_not_changed BEFORE UPDATE ON facts\n"
            "    BEGIN SELECT RAISE(ABORT, 'facts are append-only'); END"
        )
    assert "gives the digest" in "".join(told(memory))
    assert judged(memory, 3_000).what == "plays"  # with the money of the sealed snapshot
    with (
        closing(Journal.open(memory.state, begun=True)) as journal,
        pytest.raises(JournalError, match="gives the digest"),
    ):
        journal.check_rows(None, 64)  # as the checker does while it plays


@pytest.mark.requirement("MEM-04")
def test_a_sealed_state_with_a_seat_that_is_not_there_is_not_played_on(story: Story, tmp_path: Path) -> None:
    """Somebody with the present key has sealed it. The program must not end at each start."""
    memory = story.quiet.copied(tmp_path / "memory")
    memory.copy.write_bytes(bytes(4096) + memory.copy.read_bytes()[4096:])
    with closing(Journal.open(memory.state, begun=True)) as journal:
        content = json.loads(SNAPSHOT_ENCODER.encode(restore(journal).state))
        content["waiting"] = [99]
        made = json.dumps(content).encode()
        assert SNAPSHOT_DECODER.decode(made).waiting == (99,)
        journal.snapshot(SCHEMA, journal.head.seq, made)
        journal.mark_clean()
    judged(memory, 3_000)


# ---- files before the present one, other boards, everything of an earlier day


@pytest.fixture(scope="module")
def long(story: Story, tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """A memory of four files."""
    memory = story.quiet.copied(tmp_path_factory.mktemp("long") / "memory")
    for _ in range(3):
        with closing(Journal.open(memory.state, begun=True, rotate_bytes=1)) as journal:
            snapshot(restore(journal).state)(journal)
            journal.mark_clean()
        memory.evening(1_000)
    assert len(list(memory.state.glob("journal-*.db"))) == 4
    return memory


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize("number", [2, 3])
def test_a_file_that_is_missing_in_the_middle_is_named(long: Memory, tmp_path: Path, number: int) -> None:
    memory = long.copied(tmp_path / "memory")
    (memory.state / f"journal-{number:06}.db").unlink()
    found = judged(memory, 6_000)
    assert found.what == "stands"
    assert f"journal-{number + 1:06}.db does not follow" in found.text


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_file_before_the_present_one_that_was_edited_is_found_when_it_is_read(
    long: Memory, tmp_path: Path, number: int
) -> None:
    """A start believes the sealed snapshot of the present one, so the money is right."""
    memory = long.copied(tmp_path / "memory")
    with closing(sqlite3.connect(memory.state / f"journal-{number:06}.db", isolation_level=None)) as db:
        db.execute("DROP TRIGGER facts_are_not_changed")
        db.execute("UPDATE facts SET body = replace(body, '000', '900')")
    assert judged(memory, 6_000).what == "plays"
    assert f"journal-{number:06}.db" in "".join(told(memory)) or "digest" in "".join(told(memory))


@pytest.mark.requirement("MEM-03")
@pytest.mark.parametrize("number", [2, 3, 4])
def test_a_file_of_an_earlier_time_or_of_another_cabinet_is_not_taken_for_one_of_these(
    story: Story, long: Memory, tmp_path: Path, number: int
) -> None:
    memory = long.copied(tmp_path / "memory")
    (memory.state / f"journal-{number:06}.db").write_bytes((story.old.folder / NEWEST).read_bytes())
    found = judged(memory, 6_000)
    assert found.what != "plays" or "".join(told(memory))


@pytest.mark.requirement("MEM-05")
def test_a_card_on_another_board_is_refused_and_one_that_was_made_to_fit_is_not(
    story: Story, tmp_path: Path
) -> None:
    """The second half is what docs/trust.md says nobody notices."""
    memory = story.quiet.copied(tmp_path / "memory")
    (memory.folder / "board").write_text("board 2")
    found = judged(memory, 3_000)
    assert (found.what, "another cabinet" in found.text or "not of this cabinet" in found.text) == (
        "stands",
        True,
    )
    made = Owner("board 2", "", 796)
    with closing(sqlite3.connect(memory.folder / NEWEST, isolation_level=None)) as db:
        db.execute("UPDATE owner SET board = ?, medium = '', seal = ?", (made.board, made.seal))
    memory.copy.unlink()
    assert judged(memory, 3_000).what == "plays"
    assert not "".join(told(memory))


@pytest.mark.requirement("MEM-05")
def test_an_earlier_day_is_noticed_by_a_second_copy_that_has_its_records(
    story: Story, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without them the log says so, and nothing locks: docs/trust.md."""
    memory = story.killed.copied(tmp_path / "memory")
    shutil.rmtree(memory.state)
    shutil.copytree(story.old.state, memory.state)
    assert "ahead of the journal" in judged(memory, 2_000).text
    memory.copy.write_bytes(bytes(4096) + memory.copy.read_bytes()[4096:])
    assert judged(memory, 2_000).what == "plays"
    assert "it held no whole record" in caplog.text


# ---- files that are written beside the journal


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("kind", ["link", "second name"])
def test_a_link_in_place_of_what_is_written_is_not_followed(tmp_path: Path, kind: str) -> None:
    state, target = tmp_path / "state", tmp_path / "target"
    state.mkdir(mode=0o700)
    target.write_text("of somebody else")
    (state / "journal-000001.db").touch()
    for name in (last_trouble.FILE, "cleared-000001.txt"):
        if kind == "link":
            (state / name).symlink_to(target)
        else:
            (state / name).hardlink_to(target)
    live = begin(policy(), 0, WALL_MS)
    last_trouble.keep(
        state, replace(live, stopped_ms=60_000, troubles={Code.STORAGE_FAILED: "the disk is full"})
    )
    memory_clear.keep_report(state, ["a line"])
    assert target.read_text() == "of somebody else"
    assert last_trouble.kept(state)[0] == "M03"
    assert (state / "cleared-000001.txt").read_text() == "a line\n"


@pytest.mark.requirement("MEM-05")
@pytest.mark.parametrize("damage", ["a pipe", "a device", "a folder"])
def test_a_trouble_that_is_no_file_holds_nothing_up(story: Story, tmp_path: Path, damage: str) -> None:
    assert tried(story, tmp_path, "quiet", "state/trouble", damage).what == "plays"


# ---- power goes while a technician works


def _begin(memory: Memory) -> None:
    memory_begin.begin(
        memory.state, MemoryBegun(0, "a technician", "new"), wall_ms=WALL_MS, draw=os.urandom,
        copy=FileSecondCopy(memory.copy), board="board 1", machine_id=796, started="test",
        first=lambda state: ticket_keys.begin(state, os.urandom),
    )  # fmt: skip


def _clear(memory: Memory) -> None:
    copy = FileSecondCopy(memory.copy)
    known = memory_clear.examine(memory.state, "test", copy, "board 1")
    try:
        memory_clear.keep_report(memory.state, ["a line"])
        owner = Owner("board 1", os.urandom(16).hex(), 796)
        fact = memory_clear.cleared(known)
        memory_clear.clear(memory.state, fact, owner, WALL_MS, copy, os.urandom(32))
    finally:
        known.journal.close()


def _new_code(memory: Memory) -> None:
    memory_access.set_code(memory.state, "another code of letters", os.urandom)


def _new_key(memory: Memory) -> None:
    ticket_keys.keep(memory.state, ticket_keys.TicketKey(os.urandom(32)))


def _fresh(_story: Story, folder: Path) -> Memory:
    folder.mkdir()
    (folder / "board").write_text("board 1")
    return Memory(folder)


WORK: dict[str, tuple[Callable[[Story, Path], Memory], Callable[[Memory], None], int]] = {
    "begin": (_fresh, _begin, 0),
    "clear": (lambda story, folder: story.quiet.copied(folder), _clear, 0),
    "code": (lambda story, folder: story.quiet.copied(folder), _new_code, 3_000),
    "new key": (lambda story, folder: story.quiet.copied(folder), _new_key, 3_000),
}


def _killed_at(memory: Memory, work: Callable[[Memory], None], step: int) -> bool:
    """The work, in a process of its own that is killed at a step on the disk. True: it had fewer."""
    child = os.fork()
    if child == 0:
        left = step

        def count(*_said: object) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        for name in ("fsync", "pwrite", "rename", "unlink", "mkdir", "open", "ftruncate"):
            setattr(os, name, _counted(getattr(os, name), count))
        code = 1
        try:
            work(memory)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    assert ended in (0, -signal.SIGKILL)
    return ended == 0


def _again(memory: Memory, work: Callable[[Memory], None]) -> str:
    """Why it is not done again; "" when it is done."""
    try:
        work(memory)
    except Refused as error:
        return str(error)
    return ""


def _counted(call: Callable[..., object], count: Callable[..., None]) -> Callable[..., object]:
    def counted(*args: object, **kwargs: object) -> object:
        count()
        return call(*args, **kwargs)

    return counted


@pytest.mark.campaign
@pytest.mark.requirement("MEM-05", "MEM-07")
@pytest.mark.parametrize("name", WORK)
def test_power_that_goes_at_each_step_of_a_technicians_work(story: Story, tmp_path: Path, name: str) -> None:
    make, work, after = WORK[name]
    before = 3_000 if name != "begin" else 0
    for step in range(1, 1_000):
        memory = make(story, tmp_path / f"memory{step}")
        done = _killed_at(memory, work, step)
        looked = memory.copied(tmp_path / f"looked{step}")
        found = looked.start()
        assert found.what != "plays" or found.state.credit(1) in (before, after)
        refused = _again(memory, work)
        assert not refused or (name == "begin" and "verification key" in refused)
        judged(memory, after)
        if name == "code":
            assert not memory_access.is_code(memory.state, CODE)
        for each in (memory, looked):
            shutil.rmtree(each.folder)
        if done:
            assert step > 5
            return
    raise AssertionError("the work never came to its end")
