"""docs/tilts.md says of every code what the table of conditions says."""

from __future__ import annotations

import re

from cabinet.core.conditions import TABLE, Clears, Lock
from support.programs.source import ROOT

STOPS = {Lock.PLAY: "play", Lock.ROUNDS: "rounds", Lock.MONEY: "device", Lock.NONE: "nothing"}
ENDED_BY = {
    Clears.SELF: "its cause",
    Clears.ATTENDANT: "attendant",
    Clears.TECHNICIAN: "service key",
    Clears.RESTART: "a new start",
    Clears.MEMORY_CLEAR: "memory clear, or mended",
}


def test_the_page_has_every_code_in_its_order_with_what_it_does() -> None:
    page = (ROOT / "docs" / "tilts.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if re.match(r"\| [A-Z]\w\w \|", line)
    ]
    told = [(code, name, stops, candle, ended) for code, name, _noticed, stops, candle, ended in rows]
    assert told == [
        (row.code, row.name, STOPS[row.lock], f"{row.top.value}, {row.bottom.value}", ENDED_BY[row.clears])
        for row in TABLE
    ]
    alarms = [row.code for row in sorted(TABLE, key=lambda row: row.code) if row.alarm]
    assert f"{', '.join(alarms[:-1])} and {alarms[-1]} also sound an alarm" in page.replace("\n", " ")
