"""The whole journal as CSV files for a spreadsheet: rounds, seats, cards, decisions, and every log.

Of a ticket's number only the last four digits are in them. Amounts are integer cents.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from cabinet.core.past.logs import Log
from cabinet.core.past.recall import CardStep, RecalledRound
from cabinet.records.lookup import LogSearch, every_round
from cabinet.records.seals import stretches
from cabinet.records.text import entry_values, round_values, seat_values, step_values
from cabinet.store.journal import Journal

_ROUND = (
    "round", "opened", "settled", "voided", "rules_hash", "decks", "shuffled", "shoe_cards",
)  # fmt: skip
_RESULT = ("hand", "stake_cents", "returned_cents", "outcome")
Rows = Iterable[Mapping[str, Any]]


def export(journal: Journal, directory: Path, progress: Callable[[int], None]) -> Iterator[Path]:
    """Writes one file per subject into an empty directory, which is made. Tells each path before it is
    written; `progress` hears of each round. OSError, JournalError."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = {name: directory / f"{name}.csv" for name in _MAKERS}
    yield from paths.values()
    _rounds(journal, paths, progress)
    path = directory / "seals.csv"
    yield path
    with path.open("w", newline="", encoding="utf-8") as file, journal.history() as history:
        writer = csv.writer(file)
        writer.writerow(("first_row", "last_row", "epoch", "sealed"))
        for part in stretches(history):
            sealed = "unsealed" if part.epoch is None else "sealed"
            writer.writerow((part.first, part.last, part.epoch, sealed))
    for log in Log:
        search = LogSearch(log, limit=1 << 62)
        search.read_all(journal)
        path = directory / f"{log.value}.csv"
        yield path
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(_LOG)
            writer.writerows(
                [_cell(value) for value in entry_values(entry).values()] for entry in reversed(search.entries)
            )


def _cell(value: object) -> object:
    """A text that a spreadsheet would take for a formula gets the sign that makes it a text there: names and
    details come from devices and files. A missing amount is no text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in _FORMULAS and value else value


_FORMULAS = "=+-@\t\r"
_LOG = ("row", "time", "code", "what", "seat", "device", "cents", "detail", "ended", "how", "by")


def _rounds(journal: Journal, paths: Mapping[str, Path], progress: Callable[[int], None]) -> None:
    """Five files at once: the journal is read only one time."""
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("w", newline="", encoding="utf-8")) for path in paths.values()]
        writers = [csv.writer(file) for file in files]
        for name, writer in zip(paths, writers, strict=True):
            writer.writerow(COLUMNS[name])
        for record in every_round(journal):
            for name, writer in zip(paths, writers, strict=True):
                columns = COLUMNS[name]
                writer.writerows([_cell(row[column]) for column in columns] for row in _MAKERS[name](record))
            progress(record.number)


COLUMNS: Mapping[str, tuple[str, ...]] = {
    "rounds": (*_ROUND, "notes"),
    "seats": (
        "round", "seat", "played", "in_since_last_round_cents", "out_since_last_round_cents",
        "credit_before_cents", "bet_cents", "in_during_cents", "out_during_cents", "staked_cents",
        "returned_cents", "credit_after_cents",
    ),
    "results": ("round", "seat", *_RESULT),
    "cards": ("round", "no", "time", "card", "deck", "hand", "purpose", "index", "cards_left", "total"),
    "decisions": ("round", "no", "time", "seat", "hand", "choice", "timed_out", "more_cents", "total"),
}  # fmt: skip


def _round_rows(record: RecalledRound) -> Iterator[Mapping[str, Any]]:
    yield {**round_values(record), "notes": "; ".join(note.text for note in record.notes)}


def _seat_rows(record: RecalledRound) -> Iterator[Mapping[str, Any]]:
    for seat in record.seats:
        yield {"round": record.number, **seat_values(seat)}


def _result_rows(record: RecalledRound) -> Iterator[Mapping[str, Any]]:
    for seat in record.seats:
        for result in seat_values(seat)["results"]:
            yield {"round": record.number, **result}


def _card_rows(record: RecalledRound) -> Iterator[Mapping[str, Any]]:
    for number, step in enumerate(record.steps, 1):
        if isinstance(step, CardStep):
            yield {"round": record.number, "no": number, **step_values(step)}


def _word_rows(record: RecalledRound) -> Iterator[Mapping[str, Any]]:
    for number, step in enumerate(record.steps, 1):
        if not isinstance(step, CardStep):
            yield {"round": record.number, "no": number, **step_values(step)}


_MAKERS: Mapping[str, Callable[[RecalledRound], Iterator[Mapping[str, Any]]]] = {
    "rounds": _round_rows,
    "seats": _seat_rows,
    "results": _result_rows,
    "cards": _card_rows,
    "decisions": _word_rows,
}
