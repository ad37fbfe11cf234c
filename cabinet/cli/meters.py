"""``cabinet meters``: every meter of a state directory with its place, name and unit, as text or CSV.

It reads the journal beside a running cabinet and writes nothing. Figures are those of the cabinet's
own pages: ten digits, amounts in minor units.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from cabinet.cli.common import FAILED, directory_or_state, fail, given
from cabinet.core.past import meter_list
from cabinet.core.past.meter_list import MeterLine
from cabinet.core.state import State, meters
from cabinet.records.replay import restore
from cabinet.store.journal import Journal, JournalError

HEAD = ("place", "meter", "unit", "since first start", "this period")


def read(directory: Path) -> tuple[State, str]:
    """The state that the journal tells, and why it is not what the cabinet has counted: rows that are not
    what was committed, or a fact that cannot be true. Raises JournalError."""
    with closing(Journal.read(directory)) as journal:
        restored = restore(journal)
        if not journal.was_left_alone():
            raise JournalError("the cabinet was started meanwhile, what was read may be torn: ask again")
    return restored.state, restored.damage or restored.trouble


def cells(line: MeterLine) -> tuple[str, ...]:
    period = "" if line.period is None else str(meters.shown(line.period))
    return line.place, line.meter.name, line.meter.unit.value, str(meters.shown(line.count)), period


def table(state: State) -> Iterator[str]:
    """A head that says which state this is, and one line for each meter."""
    yield f"session {state.session}, round {state.round_number}, period {state.period}"
    yield f"sum of all meters (SHA-256) {meters.digest(state.meters)}"
    rows = [HEAD, *(cells(line) for line in meter_list.lines(state))]
    place, name, unit = (max(len(row[column]) for row in rows) for column in range(3))
    for row in rows:
        yield f"{row[0]:{place}}  {row[1]:{name}}  {row[2]:{unit}}  {row[3]:>17}  {row[4]:>12}".rstrip()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@directory_or_state
@click.option("--csv", "as_csv", is_flag=True, help="One line of comma-separated values for each meter.")
def command(as_csv: bool, directory: Path | None = None) -> None:
    """Print every meter with its place, name and unit. The cabinet may be running.

    Exit code 1, and the reason behind the table: the meters are doubtful, the journal is damaged.
    """
    try:
        state, trouble = read(given(directory))
    except JournalError as error:
        fail(str(error), FAILED)
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(HEAD)
        writer.writerows(cells(line) for line in meter_list.lines(state))
    else:
        click.echo("\n".join(table(state)))
    if trouble:
        fail(f"these meters are doubtful: {trouble}", FAILED)
