"""The meters of a state directory on the command line, while the cabinet may be running."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cabinet.cli import main as cli
from cabinet.core.past.meter_list import CABINET, DOORS, FAULTS, MONEY, OF_RULES, PLAY, SINCE
from cabinet.core.state.meters import digest, rule_set
from cabinet.store.journal import Entry, Journal
from drivers.device import Fault
from game.rules import Rules
from support.evenings.evening import Evening
from support.evenings.service_menu import Bench

FAULT_NAMES = {meter.name for meter in FAULTS}


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Path, Evening]]:
    """A cabinet with two seats whose journal is still open."""
    evening = Evening("10H 9S 7D 10C 10D", seats=2)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.switch("key.service", True)
    evening.walk("Meters", "Period 1", "Begin a new period")
    evening.switch("key.service", False)
    evening.insert(2, 2_000)
    with closing(Journal.open(tmp_path / "state")) as journal:
        journal.commit([Entry(kind, body, 0, 0) for kind, body in evening.journal])
        yield tmp_path / "state", evening


def said(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        cli.main(args)
    code = caught.value.code
    out, err = capsys.readouterr()
    return code if isinstance(code, int) else 0, out, err


@pytest.mark.requirement("MTR-10")
def test_every_meter_is_exported_with_place_name_and_unit(
    running: tuple[Path, Evening], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, "meters", "--state", str(running[0]), "--csv")
    assert (code, err) == (0, "")
    assert said(capsys, "meters", str(running[0]), "--csv") == (code, out, err), "DIR, as journal takes it"
    rows = list(csv.reader(io.StringIO(out)))
    assert rows[0] == ["place", "meter", "unit", "since first start", "this period"]
    assert ["cabinet", "Notes in", "cents", "12000", "2000"] in rows
    assert ["seat 1", "Coin in (bets)", "cents", "500", "0"] in rows
    assert ["seat 1", "Games won", "count", "1", "0"] in rows
    assert ["seat 1", "Since power-up", "count", "1", ""] in rows
    assert ["validator2", "Notes of 2000 cents", "count", "1", "1"] in rows
    assert [f"rules {rule_set(Rules())}", "Bets", "cents", "500", "0"] in rows
    seat = len(MONEY) + len(PLAY) + len(SINCE)
    rest = len(CABINET) + len(DOORS) + len(FAULTS) + len(OF_RULES) + 2  # two kinds of notes
    assert len(rows) == 1 + 3 * seat + rest


@pytest.mark.requirement("MTR-10")
def test_the_table_says_which_state_it_is_of(
    running: tuple[Path, Evening], capsys: pytest.CaptureFixture[str]
) -> None:
    directory, evening = running
    code, out, _ = said(capsys, "meters", "--state", str(directory))
    lines = out.splitlines()
    assert (code, lines[0]) == (0, "session 1, round 1, period 2")
    assert lines[1].endswith(digest(evening.state.meters))
    assert ["seat", "2", "Notes", "in", "cents", "2000", "2000"] in [line.split() for line in lines]


@pytest.mark.requirement("MTR-11", "MTR-10")
def test_what_leaves_the_cabinet_is_what_its_screen_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The export is all that anybody outside gets of the meters: each figure of the cabinet and of its seats
    stands beside the same name on the screen, both columns. A fault that never came has no row there."""
    bench = Bench()
    evening = bench.evening
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.insert(2, 2_000)
    evening.press(2, "cash_out")
    evening.printed()
    evening.fault("validator1", Fault.JAM)
    bench.turn("service")
    bench.choose("Meters")
    screen = {"cabinet": [bench.look()]}
    for label in ("Doors and keys", "Faults counted", "Seat 1", "Seat 2"):
        bench.choose(label)
        screen.setdefault(label.lower() if "Seat" in label else "cabinet", []).append(bench.look())
        evening.press(1, "cash_out")  # BACK
    with closing(Journal.open(tmp_path)) as journal:
        journal.commit([Entry(kind, body, 0, 0) for kind, body in evening.journal])
        code, out, _ = said(capsys, "meters", str(tmp_path), "--csv")
    assert code == 0
    missing, compared = [], 0
    for place, name, unit, first, period in list(csv.reader(io.StringIO(out)))[1:]:
        if place not in screen or (first == "0" and name in FAULT_NAMES):
            continue
        figures = [
            f"${int(n) / 100:,.2f}" if unit == "cents" else f"{int(n):,}" for n in (first, period) if n
        ]
        rows = [row.cells for page in screen[place] for panel in page.panels for row in panel.rows]
        if [name, *figures] not in [[cell for cell in row if cell] for row in rows]:
            missing.append((place, name, *figures))
        compared += 1
    assert missing == []
    seat = len(MONEY) + len(PLAY) + len(SINCE)
    assert compared == 3 * seat + len(CABINET) + len(DOORS) + 1  # the jam


def test_a_directory_without_a_journal_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "meters", "--state", str(tmp_path))
    assert (code, out) == (1, "")
    assert "journal" in err


def test_a_digest_tells_every_meter() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert len({digest({"a": 1}), digest({"a": 2}), digest({"b": 1}), digest({})}) == 4


@pytest.mark.requirement("MTR-10", "MEM-03")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE facts SET body = replace(body, '10000', '90000') WHERE kind = 'NoteIntended'",
        "DELETE FROM facts WHERE seq > 4",
    ],
)
def test_meters_of_a_damaged_journal_are_not_told_as_if_they_were_sound(
    running: tuple[Path, Evening], capsys: pytest.CaptureFixture[str], damage: str
) -> None:
    with closing(sqlite3.connect(running[0] / "journal-000001.db", isolation_level=None)) as db:
        db.execute("DROP TRIGGER facts_are_not_changed")
        db.execute("DROP TRIGGER facts_are_not_removed")
        assert db.execute(damage).rowcount
    code, _, err = said(capsys, "meters", "--state", str(running[0]))
    assert code == 1
    assert err.startswith("cabinet: these meters are doubtful: the journal is broken at row ")
