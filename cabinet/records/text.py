"""A recalled round and log entries as text for a terminal, and as plain values for JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from cabinet.core.currency import Currency, of_settings
from cabinet.core.past.logs import LogEntry
from cabinet.core.past.recall import CardStep, RecalledRound, RecalledSeat, WordStep
from cabinet.formats import plural, stamp
from game.cards import deck, text
from game.round import DEALER_HAND, Purpose

HANDS = {DEALER_HAND: "dealer", 0: "common hand", 1: "split hand 1", 2: "split hand 2"}
_PURPOSES = {
    Purpose.DEAL: "dealt",
    Purpose.UPCARD: "upcard",
    Purpose.DRAW: "drawn for those who hit or doubled",
    Purpose.SPLIT_CARD: "second card of a split hand",
    Purpose.CONTINUATION: "continuation card",
    Purpose.DEALER: "dealer draws",
}
# In and out came first: "before" is the credit before the bets, with them.
_COLUMNS = ("seat", "in", "out", "before", "bets", "returned", "won", "after")


# ---- words that the service pages share


def outcome_words(record: RecalledRound) -> str:
    """How the round ended."""
    if record.voided:
        return f"voided {record.voided}, all stakes returned"
    return "settled" if record.settled_ms is not None else "not finished"


def shoe_words(record: RecalledRound) -> str:
    shuffled = "new shuffle" if record.shuffled else "no shuffle before it"
    return f"{plural(record.rules.decks, 'deck', 'decks')}, {shuffled}, {record.shoe_cards} cards in the shoe"


def step_words(step: CardStep | WordStep, currency: Currency) -> str:
    """What was done, in one line."""
    if isinstance(step, CardStep):
        what = "" if step.purpose is Purpose.UPCARD else f" ({_PURPOSES[step.purpose]})"
        return f"{text(step.card)} to {_to(step)}{what}, total {step.total}"
    how = "no choice in time: stand" if step.timed_out else step.choice.value
    stake = f", {currency.text(step.stake_cents)} more" if step.stake_cents else ""
    return f"seat {step.seat}: {how} on {step.total}{stake}"


def draw_words(step: CardStep | WordStep) -> str:
    """Which place in the shoe the generator has chosen; "" for a decision."""
    return f"{step.index} of {step.left}" if isinstance(step, CardStep) else ""


def _to(step: CardStep) -> str:
    return "the dealer" if step.hand == DEALER_HAND else f"the {HANDS[step.hand]}"


# ---- text


def round_text(record: RecalledRound) -> Iterator[str]:
    """The whole round, a line at a time."""
    currency = of_settings(record.state.settings)
    yield f"round {record.number}, {stamp(record.opened_ms)}, {outcome_words(record)}"
    yield f"shoe: {shoe_words(record)}"
    yield f"rule set {record.rules.rules_hash}:"
    for line in record.rules.canonical().splitlines():
        yield f"  {line}"
    yield ""
    yield f"{'no':>3} {'time':19}  {'index':>10}  what"
    for number, step in enumerate(record.steps, 1):
        yield f"{number:>3} {stamp(step.wall_ms)}  {draw_words(step):>10}  {step_words(step, currency)}"
    yield ""
    yield " ".join(f"{column:>12}" for column in _COLUMNS)
    for seat in record.seats:
        yield " ".join(f"{cell:>12}" for cell in _seat_cells(seat, currency))
    for note in record.notes:
        yield f"{stamp(note.wall_ms)}  {note.text}"


def _seat_cells(seat: RecalledSeat, currency: Currency) -> tuple[str, ...]:
    won = sum(max(0, result.returned_cents - result.stake_cents) for result in seat.results)
    amounts = (
        seat.came_in,
        seat.went_out,
        seat.before,
        seat.staked,
        seat.returned,
        won,
        seat.after,
    )
    return (str(seat.seat), *map(currency.text, amounts))


# ---- plain values


def round_values(record: RecalledRound) -> dict[str, Any]:
    """Every field of a round. Amounts in cents, times as local wall clock."""
    return {
        "round": record.number,
        "opened": stamp(record.opened_ms),
        "settled": None if record.settled_ms is None else stamp(record.settled_ms),
        "voided": record.voided,
        "rules_hash": record.rules.rules_hash,
        "rules": msgspec.to_builtins(record.rules),
        "decks": record.rules.decks,
        "shuffled": record.shuffled,
        "shoe_cards": record.shoe_cards,
        "seats": [seat_values(seat) for seat in record.seats],
        "steps": [step_values(step) for step in record.steps],
        "notes": [{"time": stamp(note.wall_ms), "text": note.text} for note in record.notes],
    }


def seat_values(seat: RecalledSeat) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "played": bool(seat.bet),
        "in_since_last_round_cents": seat.in_before,
        "out_since_last_round_cents": seat.out_before,
        "credit_before_cents": seat.before,
        "bet_cents": seat.bet,
        "in_during_cents": seat.in_during,
        "out_during_cents": seat.out_during,
        "staked_cents": seat.staked,
        "returned_cents": seat.returned,
        "credit_after_cents": seat.after,
        "results": msgspec.to_builtins(seat.results),
    }


def step_values(step: CardStep | WordStep) -> dict[str, Any]:
    if isinstance(step, CardStep):
        return {
            "time": stamp(step.wall_ms),
            "card": text(step.card),
            "deck": deck(step.card) + 1,
            "hand": HANDS[step.hand],
            "purpose": step.purpose.value,
            "index": step.index,
            "cards_left": step.left,
            "total": step.total,
        }
    return {
        "time": stamp(step.wall_ms),
        "seat": step.seat,
        "hand": HANDS[step.hand],
        "choice": step.choice.value,
        "timed_out": step.timed_out,
        "more_cents": step.stake_cents,
        "total": step.total,
    }


def entry_values(entry: LogEntry) -> Mapping[str, Any]:
    """One entry of a log. An ending that is missing is still to come, except of what happens in a moment."""
    end = entry.end
    return {
        "row": entry.seq,
        "time": stamp(entry.wall_ms),
        "code": entry.code,
        "what": entry.what,
        "seat": entry.seat or "",
        "device": entry.device,
        "cents": "" if entry.cents is None else entry.cents,
        "detail": entry.detail,
        "ended": "" if end is None else stamp(end.wall_ms),
        "how": ("" if entry.momentary else "open") if end is None else end.how,
        "by": "" if end is None else end.by,
    }
