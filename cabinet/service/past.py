"""The past: the figures of a recalled round, and the logs with when each thing began and how it ended."""

from __future__ import annotations

from collections.abc import Mapping

from cabinet.core.currency import of_settings
from cabinet.core.look import ServicePanel, ServiceRow
from cabinet.core.past.answers import LogPage, NoAnswer, log_asked
from cabinet.core.past.logs import Log, LogEntry
from cabinet.core.past.recall import RecalledRound, RecalledSeat, WordStep, moments
from cabinet.core.staff.menu import LOGS, STEPS_SHOWN
from cabinet.formats import plural, stamp
from cabinet.records.text import HANDS, draw_words, outcome_words, shoe_words, step_words
from cabinet.service.page import Body, Desk, row
from game.rules import Rules, Shuffle

_WAIT = Body("Reading the journal", "This takes a moment.", hint="BACK leaves the page.")
_SEATS = ("", "Came in", "Went out", "Before deal", "Bets", "Returned", "After")
_SEATS_TITLE = "MONEY OF THE SEATS, IN AND OUT SINCE THE ROUND BEFORE"
_AMOUNT = 3  # the column of a log
_ENTRIES = ("Since", "What", "Where", "Amount", "Ended, how, by")
_WIDTHS: Mapping[Log, tuple[int, ...]] = {
    Log.EVENTS: (11, 18, 5, 6, 13),
    Log.CONFIG: (11, 30, 1, 1, 9),
    Log.TICKETS_OUT: (11, 10, 4, 6, 21),
    Log.TICKETS_IN: (11, 10, 4, 6, 21),
    Log.HANDPAYS: (11, 13, 4, 6, 18),
}
_MONEY_WIDTHS = (11, 12, 6, 6, 16)


def _no_answer(desk: Desk) -> Body:
    answer = desk.live.page_answer
    if isinstance(answer, NoAnswer):
        return Body("The journal cannot say it", answer.text, mark="warn")
    return _WAIT


# ---- a round


def recall(desk: Desk) -> Body:
    """What the picture on the table has no room for. The pictures themselves are the core's."""
    record = desk.live.page_answer
    if not isinstance(record, RecalledRound):
        return _no_answer(desk)
    match desk.live.cursor - moments(record):  # in the order of the menu
        case 1:
            panels: tuple[ServicePanel, ...] = (_rules(desk, record.rules),)
        case 2:
            panels = (_notes(record),)
        case place if place > 2:
            panels = (_in_order(record, place - 3),)
        case _:
            panels = _figures(desk, record)
    return Body(
        headline=f"RECALL of round {record.number}, {outcome_words(record)}",
        subline=f"{stamp(record.opened_ms)}, {shoe_words(record)}. Nothing is paid here.",
        panels=panels,
        mark="check" if record.settled_ms is not None else "warn",
        hint="UP goes back to the pictures.",
    )


def _figures(desk: Desk, record: RecalledRound) -> tuple[ServicePanel, ...]:
    rows = (row(*_SEATS), *(_seat(desk, seat) for seat in record.seats))
    results = tuple(row(f"Seat {seat.seat}", _results(desk, record, seat)) for seat in record.seats)
    return (
        ServicePanel(_SEATS_TITLE, (3, 4, 4, 4, 4, 4, 4), rows, figures=True),
        ServicePanel("CHOICES AND RESULTS", (1, 9), results),
    )


def _seat(desk: Desk, seat: RecalledSeat) -> ServiceRow:
    amounts = (
        seat.came_in,
        seat.went_out,
        seat.before,
        seat.staked,
        seat.returned,
        seat.after,
    )
    return row(f"Seat {seat.seat}", *map(desk.money, amounts))


def _results(desk: Desk, record: RecalledRound, seat: RecalledSeat) -> str:
    """``double, stand: common hand win +$10.00``; what was said and what became of each bet."""
    if not seat.bet:
        return "sat out"
    said = ", ".join(_said(step) for step in record.choices(seat.seat))
    bets = ", ".join(
        f"{'' if len(seat.results) == 1 else HANDS[r.hand] + ' '}{r.outcome.value}"
        f" {desk.money(r.returned_cents - r.stake_cents)}"
        for r in seat.results
    )
    return ": ".join(part for part in (said, bets or "no result") if part)


def _said(step: WordStep) -> str:
    return "time out" if step.timed_out else step.choice.value


def _rules(desk: Desk, rules: Rules) -> ServicePanel:
    """The rules and what they pay, as they were in that round."""
    totals = rules.double_totals
    shuffled = "for every round" if rules.shuffle is Shuffle.EVERY_ROUND else "at the cut card"
    rows = (
        row("Rule set", rules.rules_hash),
        row("Shoe", f"{plural(rules.decks, 'deck', 'decks')}, shuffled {shuffled}"),
        row("Pays", f"blackjack {rules.blackjack_pays}, else 1:1; equal totals push"),
        row("Dealer", f"{'hits' if rules.dealer_hits_soft_17 else 'stands on'} soft 17"),
        row("Dealer blackjack", f"takes {rules.dealer_blackjack_takes} bets"),
        row("Double", totals if isinstance(totals, str) else ", ".join(map(str, totals))),
        row("After a split", "double" if rules.double_after_split else "no double"),
        row("Split", " ".join(rules.splittable)),
        row("Bets", f"{desk.money(rules.min_bet_cents)} to {desk.money(rules.max_bet_cents)}"),
        row("Time", f"{rules.bet_seconds} s to bet, {rules.decide_seconds} s to decide"),
    )
    return ServicePanel("RULES IN FORCE", (1, 5), rows)


def _in_order(record: RecalledRound, screen: int) -> ServicePanel:
    first = screen * STEPS_SHOWN
    shown, currency = record.steps[first : first + STEPS_SHOWN], of_settings(record.state.settings)
    rows = (
        row(
            str(number),
            stamp(step.wall_ms)[11:],
            step_words(step, currency),
            draw_words(step),
        )
        for number, step in enumerate(shown, first + 1)
    )
    return ServicePanel("CARDS AND DECISIONS, WITH THE PLACE DRAWN IN THE SHOE", (1, 3, 14, 4), tuple(rows))


def _notes(record: RecalledRound) -> ServicePanel:
    shown = record.notes[:STEPS_SHOWN]
    rows = tuple(row(stamp(note.wall_ms)[11:], note.text) for note in shown)
    left = len(record.notes) - len(shown)
    title = "NOTES UP TO THE NEXT ROUND" + (f", {left} MORE IN THE LOG OF EVENTS" if left > 0 else "")
    return ServicePanel(title, (1, 8), rows or (row("-", "none"),))


# ---- logs


def logs(desk: Desk) -> Body:
    return Body("Logs", "Each entry with when it began, and when, how and by whom it ended.")


def log(desk: Desk) -> Body:
    page = desk.live.page_answer
    if not isinstance(page, LogPage):
        return _no_answer(desk)
    title = LOGS[log_asked(desk.page)[0]]
    count = len(page.entries)
    where = "none"
    if count:
        first, last = page.before + 1, page.before + count
        where = f"{first} to {last}, the newest first" if last > 1 else "one entry"
    end = "older ones follow" if page.more else f"older ones are in {page.missing}" if page.missing else ""
    rows = (row(*_ENTRIES), *(_entry(desk, page.log, entry) for entry in page.entries))
    return Body(
        headline=f"{title}: {where}",
        subline=end.capitalize() or f"That is all: {plural(page.known, 'entry', 'entries')}.",
        panels=(ServicePanel("LOG", _WIDTHS.get(page.log, _MONEY_WIDTHS), rows, right=_AMOUNT),)
        if count
        else (),
        hint="The last four digits stand for a ticket's number.",
    )


def _entry(desk: Desk, log: Log, entry: LogEntry) -> ServiceRow:
    what = " ".join(part for part in (entry.code, entry.what) if part)
    text = f"{what}: {entry.detail}" if entry.detail else what
    if log is Log.HANDPAYS and entry.detail:
        text = entry.detail  # all of them are hand payments: why stands here
    where = f"seat {entry.seat}" if entry.seat else entry.device
    amount = "" if entry.cents is None else desk.money(entry.cents)
    return row(stamp(entry.wall_ms), text, where, amount, _ended(entry), mark=_mark(entry))


def _mark(entry: LogEntry) -> str:
    return "warn" if entry.end is None and not entry.momentary else ""


def _ended(entry: LogEntry) -> str:
    end = entry.end
    if end is None:
        return "" if entry.momentary else "open"
    if end.wall_ms == entry.wall_ms:
        return ", ".join(part for part in (end.how, _by(end.by)) if part)
    same_day = stamp(end.wall_ms)[:10] == stamp(entry.wall_ms)[:10]
    when = stamp(end.wall_ms)[11:] if same_day else stamp(end.wall_ms)
    return ", ".join(part for part in (when, end.how, _by(end.by)) if part)


def _by(who: str) -> str:
    return "by itself" if who == "self" else who
