"""Layout of a journal file, and the settings of each connection. Text only: journal.py runs it."""

from __future__ import annotations

FORMAT = 3
SEALS_FROM = 3  # earlier files have no seals
READABLE = (1, 2, FORMAT)  # a file of format 1 keeps its newest snapshot only
PAGE_BYTES = 4096
BUSY_MS = 6_000
CHECKPOINT_BUSY_MS = 200  # a reader holds up a checkpoint no longer

# In this order: the page size must stand before the file turns to WAL. The second value is what
# SQLite must answer when asked again.
WRITER_PRAGMAS: tuple[tuple[str, object], ...] = (
    ("page_size", PAGE_BYTES),
    ("journal_mode", "wal"),  # an I/O error here raises nothing, the answer is just another mode
    ("synchronous", 2),  # FULL: NORMAL would lose acknowledged rows in WAL mode
    ("wal_autocheckpoint", 0),  # checkpoints run when the table is idle, not during a commit
    ("mmap_size", 0),  # an I/O error through a mapping is a signal, not an exception
    # Milliseconds. Nobody else should write; a tool that holds the file for a moment is waited for, and the
    # table stands meanwhile as behind any slow disk. A commit that takes ten seconds is given up (runtime).
    ("busy_timeout", BUSY_MS),
    ("cell_size_check", 1),
    ("trusted_schema", 0),
    ("temp_store", 2),  # in memory: the system's temporary directory may be read-only
    # Pages are only appended to, and the few that a transaction needs stay in this much (KiB, negative by
    # SQLite's convention); its own 2000 would fill up for two hours of play and look like a leak.
    ("cache_size", -512),
)


def with_synchronous(value: int) -> tuple[tuple[str, object], ...]:
    """The same with another setting: for those who try out that it matters."""
    return tuple((name, value if name == "synchronous" else kept) for name, kept in WRITER_PRAGMAS)


READER_PRAGMAS: tuple[tuple[str, object], ...] = (
    ("query_only", 1),
    ("mmap_size", 0),
    ("busy_timeout", 2000),  # milliseconds; only the first moment of a restart locks readers out
    ("cell_size_check", 1),
    ("trusted_schema", 0),
    ("temp_store", 2),
)

# `meta` has one row. `anchor` is the head with which the file began; `previous_seq` the head's number
# before the last transaction, so that the second copy can be "one behind". Snapshots are kept, one about
# every 2000 facts: a round of long ago is recalled from the one before it. `owner` has one row: the board
# and the second copy that the state directory belongs to.
# The last row of each commit has a seal, and `epochs` the row with which each key began (see seals.py); of a
# snapshot `seal` is a checksum and `mac` the seal.
TABLES = """
CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    format INTEGER NOT NULL,
    anchor_seq INTEGER NOT NULL,
    anchor_digest BLOB NOT NULL,
    head_seq INTEGER NOT NULL,
    head_digest BLOB NOT NULL,
    previous_seq INTEGER NOT NULL,
    clean INTEGER NOT NULL
) STRICT;
CREATE TABLE facts (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    wall_ms INTEGER NOT NULL,
    digest BLOB NOT NULL,
    epoch INTEGER,
    seal BLOB
) STRICT;
CREATE TABLE snapshot (
    seq INTEGER PRIMARY KEY,
    schema INTEGER NOT NULL,
    digest BLOB NOT NULL,
    state BLOB NOT NULL,
    seal BLOB NOT NULL,
    epoch INTEGER,
    mac BLOB
) STRICT;
CREATE TABLE epochs (
    epoch INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL,
    digest BLOB NOT NULL,
    closed BLOB,
    opened BLOB NOT NULL
) STRICT;
CREATE TABLE owner (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    board TEXT NOT NULL,
    medium TEXT NOT NULL,
    machine_id INTEGER NOT NULL,
    seal BLOB NOT NULL
) STRICT;
CREATE TRIGGER facts_are_not_changed BEFORE UPDATE ON facts
    BEGIN SELECT RAISE(ABORT, 'facts are append-only'); END;
CREATE TRIGGER facts_are_not_removed BEFORE DELETE ON facts
    BEGIN SELECT RAISE(ABORT, 'facts are append-only'); END;
CREATE TRIGGER facts_are_not_replaced BEFORE INSERT ON facts
    WHEN EXISTS (SELECT 1 FROM facts WHERE seq >= NEW.seq)
    BEGIN SELECT RAISE(ABORT, 'facts are append-only'); END;
"""

TRIGGERS = tuple(
    f"CREATE TRIGGER {part.strip().removesuffix(';')}" for part in TABLES.split("CREATE TRIGGER")[1:]
)
# Whatever else would run or stand between the program and its rows.
GET_ADDED = "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')"

# Files that were made before this table was are given it when they are bound.
OWNER_TABLE = TABLES[TABLES.index("CREATE TABLE owner") : TABLES.index("CREATE TRIGGER")].replace(
    "CREATE TABLE", "CREATE TABLE IF NOT EXISTS"
)
HAS_OWNER = "SELECT count(*) FROM sqlite_schema WHERE name = 'owner'"
GET_OWNER = "SELECT board, medium, machine_id, seal FROM owner WHERE id = 1"
PUT_OWNER = "INSERT OR REPLACE INTO owner VALUES (1, ?, ?, ?, ?)"

NEW_META = "INSERT INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, 0)"
GET_META = """
    SELECT format, anchor_seq, anchor_digest, head_seq, head_digest, previous_seq, clean
    FROM meta WHERE id = 1"""
GET_HEAD = "SELECT head_seq, head_digest FROM meta WHERE id = 1"
SET_HEAD = "UPDATE meta SET head_seq = ?, head_digest = ?, previous_seq = ?, clean = 0 WHERE id = 1"
SET_CLEAN = "UPDATE meta SET clean = ? WHERE id = 1"

ADD_FACT = "INSERT INTO facts (seq, kind, body, at_ms, wall_ms, digest) VALUES (?, ?, ?, ?, ?, ?)"
ADD_SEALED_FACT = "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
ADD_EPOCH = "INSERT INTO epochs VALUES (?, ?, ?, ?, ?)"
GET_EPOCHS = "SELECT epoch, seq, digest, closed, opened FROM epochs ORDER BY epoch"
GET_LAST_EPOCH = "SELECT epoch, seq, digest, closed, opened FROM epochs ORDER BY epoch DESC LIMIT 1"
GET_SEALS = """
    SELECT seq, digest, epoch, seal FROM facts
    WHERE seq > ? AND seq <= ? AND seal IS NOT NULL ORDER BY seq LIMIT ?"""
SEAL_SNAPSHOT = "UPDATE snapshot SET epoch = ?, mac = ? WHERE seq = ?"
GET_SNAPSHOT_SEALS = "SELECT schema, seq, digest, seal, epoch, mac FROM snapshot ORDER BY seq DESC"
GET_FACTS = """
    SELECT seq, kind, body, at_ms, wall_ms, digest
    FROM facts WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?"""
GET_DIGEST = "SELECT digest FROM facts WHERE seq = ?"
GET_LAST = "SELECT seq, digest FROM facts ORDER BY seq DESC LIMIT 1"

PUT_SNAPSHOT = "INSERT OR REPLACE INTO snapshot (schema, seq, digest, state, seal) VALUES (?, ?, ?, ?, ?)"
PUT_SEALED_SNAPSHOT = """
    INSERT OR REPLACE INTO snapshot (schema, seq, digest, state, seal, epoch, mac)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""
PUT_ONLY_SNAPSHOT = (  # format 1
    "INSERT OR REPLACE INTO snapshot (id, schema, seq, digest, state, seal) VALUES (1, ?, ?, ?, ?, ?)"
)
GET_NEWEST_SNAPSHOT = "SELECT schema, seq, digest, state, seal FROM snapshot ORDER BY seq DESC LIMIT 1"
GET_SNAPSHOT = """
    SELECT seq, digest, state, seal FROM snapshot
    WHERE schema = ? AND seq <= ? ORDER BY seq DESC LIMIT 1"""


def newest_of(kinds: int) -> str:
    """Facts of so many kinds between two rows, the newest first."""
    return f"""
    SELECT seq, kind, body, at_ms, wall_ms
    FROM facts WHERE seq > ? AND seq <= ? AND kind IN ({", ".join("?" * kinds)}) ORDER BY seq DESC"""  # noqa: S608


def next_of(kinds: int) -> str:
    """The first fact of so many kinds after a row."""
    return f"""
    SELECT seq, kind, body, at_ms, wall_ms
    FROM facts WHERE seq > ? AND kind IN ({", ".join("?" * kinds)}) ORDER BY seq LIMIT 1"""  # noqa: S608
