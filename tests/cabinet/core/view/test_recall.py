"""A recalled round is the picture that the table has shown, one step at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.look import Message, SeatLook, SeatState, View
from cabinet.core.past.recall import CardStep, RecalledRound, moments
from cabinet.core.renewal import replace
from cabinet.core.view.build import view
from cabinet.core.view.recall import recall_view
from game.settle import Outcome
from support.evenings.evening import Evening
from support.evenings.recalled import gathered, play_rounds

Choose = Callable[[int, set[str]], str | None]


def splits(seat: int, lamps: set[str]) -> str | None:
    """Seat 1 splits what it can, seat 2 hits once and stands, the others let the time run out."""
    if seat == 1 and "split" in lamps:
        return "split"
    return "stand" if seat == 1 else "hit" if seat == 2 and "double" in lamps else None


CASES: dict[str, tuple[str, int, Choose]] = {
    "one hand": ("10H 3S 7D 4H 2D 9S 10C", 3, lambda seat, lamps: "hit" if seat > 1 else "stand"),
    "three hands": ("8H 8S 6D 3C 5D 10C 2C 10S 4D 9H 10D KC 5C QC", 3, splits),
    "a natural": ("AH KS 7D 10C 5S", 2, lambda seat, lamps: None),
    "one seat": ("5H 6C 6D 9S 10C 7D", 1, lambda seat, lamps: "double" if "double" in lamps else "stand"),
}


def told(look: SeatLook) -> tuple[object, ...]:
    """What a seat's panel says about its round."""
    return (
        look.seat, look.state, look.head, look.bets, look.bet_cents, look.credit_cents, look.won_cents,
        look.result_cents,
    )  # fmt: skip


def cards(made: View) -> tuple[object, ...]:
    hands = [
        (
            hand.index,
            hand.owners,
            hand.gone,
            [look.card for look in hand.cards],
            [look.card for look in hand.continuation],
        )
        for hand in made.hands
    ]
    return [look.card for look in made.dealer], hands


def played(case: str) -> tuple[RecalledRound, View, Evening]:
    """The round, and the table's own picture at the moment of its settlement."""
    deal, seats, choose = CASES[case]
    evening = Evening(deal, seats=seats)
    play_rounds(evening, 1, choose)
    record = gathered(evening, 1)
    at_ms = record.state.settled_ms or 0
    return record, view(record.state, replace(evening.live, now_ms=at_ms + 1)), evening


@pytest.mark.requirement("REC-01", "REC-03")
@pytest.mark.parametrize("case", CASES)
def test_the_last_step_is_what_the_table_has_shown(case: str) -> None:
    record, shown, evening = played(case)
    last = recall_view(record, moments(record) - 1, evening.live)
    (step,), table = last.steps, shown.steps[-1]
    assert step.grid == table.grid
    assert step.row_notes == table.row_notes
    assert step.phase == table.phase
    assert [told(seat) for seat in step.seats] == [told(seat) for seat in table.seats]
    assert cards(last) == cards(shown)


@pytest.mark.parametrize("case", CASES)
def test_the_results_are_those_that_were_paid_whatever_todays_rules_make_of_the_cards(
    case: str,
) -> None:
    record, _, evening = played(case)
    paid = tuple(replace(result, outcome=Outcome.PUSH) for result in record.state.results)
    assert paid != record.state.results
    then = replace(record, state=replace(record.state, results=paid))
    table = view(then.state, replace(evening.live, now_ms=(then.state.settled_ms or 0) + 1)).steps
    (step,) = recall_view(then, moments(then) - 1, evening.live).steps
    for grid in (step.grid, table[-1].grid):
        assert grid is not None
        shown = [cell.result for row in grid.rows for cell in row.cells if cell.result is not None]
        assert shown == [Outcome.PUSH] * len(paid)


@pytest.mark.requirement("REC-01")
@pytest.mark.parametrize("case", CASES)
def test_each_step_shows_one_thing_more_and_nothing_that_comes_later(case: str) -> None:
    record, _, evening = played(case)
    for place, step in enumerate(record.steps):
        made = recall_view(record, place, evening.live)
        assert len(made.steps) == 1
        lying = {look.card for look in made.dealer}
        for hand in made.hands:
            lying |= {look.card for look in (*hand.cards, *hand.continuation)}
        drawn = [earlier.card for earlier in record.steps[: place + 1] if isinstance(earlier, CardStep)]
        assert lying == set(drawn)
        assert not isinstance(step, CardStep) or step.card in lying
        assert all(seat.result_cents is None for seat in made.steps[0].seats)


def test_a_picture_of_the_past_invites_nobody_and_promises_no_card() -> None:
    evening = Evening("10H 6S 9D", seats=3)
    evening.deal(1, 2)
    evening.press(1, "hit")
    record = gathered(evening, 1)
    first, second, third = recall_view(record, moments(record) - 1, evening.live).steps[0].seats
    assert first.message == Message("recall.chosen")
    assert second.message == Message("recall.no_choice")
    assert (third.state, third.message) == (SeatState.EMPTY, None)


@pytest.mark.requirement("REC-03")
def test_a_recalled_round_shows_the_rules_of_its_own_time() -> None:
    """The house has changed its rules since: blackjack paid 3:2 then, and the felt says so."""
    record, _, evening = played("a natural")
    rules = replace(record.rules, blackjack_pays="6:5")
    live = replace(evening.live, policy=replace(evening.live.policy, rules=rules))
    assert view(evening.state, live).rules.blackjack_pays == "6:5"
    assert recall_view(record, 0, live).rules.blackjack_pays == "3:2"
