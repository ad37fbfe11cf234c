"""In + won - bet - out = credit, for every seat, after every commit; what does not agree is a tilt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from cabinet.core.conditions import Code
from cabinet.core.decide import Decision, Event, decide
from cabinet.core.facts import NoteClosed
from cabinet.core.live import play_lock
from cabinet.core.outputs import outputs
from cabinet.core.renewal import replace
from cabinet.core.state import identity
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import Ledger
from cabinet.core.state.state import SCHEMA, State
from cabinet.core.turn import ReturnNote
from cabinet.records.replay import SNAPSHOT_ENCODER, restore
from cabinet.store.journal import Entry, Journal
from drivers.device import InputChanged, NoteEscrowed, NoteTable, NoteType, TicketOutcome
from support.evenings.evening import Evening
from support.evenings.machines import Crowd


def states() -> Mapping[str, State]:
    """A table in every stage of an evening, with something of everything open."""
    evening = Evening("8H 8S 6D 10C 10D 3S 10S 3D KC KD", seats=2, large_win_cents=1_000)
    found = {"fresh": evening.state}
    evening.insert(1, 20_000)
    evening.insert(2, 2_000)
    evening.press(1, "bet_plus")
    found["betting"] = evening.state
    evening.press(2, "bet_plus")
    evening.all_deal([1, 2])
    evening.press(1, "split")
    evening.press(2, "stand")
    found["deciding"] = evening.state
    evening.land()
    evening.advance(60_000)
    found["a jackpot waits"] = evening.state
    evening.press(2, "cash_out")
    found["printing"] = evening.state
    evening.printed(TicketOutcome.UNKNOWN)
    found["a ticket in doubt"] = evening.state
    evening.choose("not in hand")
    found["credit waits for a hand"] = evening.state
    return found


STATES = states()


@pytest.mark.requirement("CRD-03")
@pytest.mark.parametrize("name", STATES)
def test_meters_and_accounts_tell_the_same(name: str) -> None:
    state = STATES[name]
    assert identity.trouble(state) == ""
    assert [identity.metered_cents(state.meters, seat) for seat in state.seats] == [
        identity.held_cents(state, seat) for seat in state.seats
    ]


def test_the_stages_are_what_they_are_called() -> None:
    assert STATES["deciding"].round_open
    assert [h.reason for h in STATES["a jackpot waits"].handpays] == ["large_win"]
    assert [bool(t.unknown) for t in STATES["a ticket in doubt"].tickets] == [True]
    assert [h.reason for h in STATES["credit waits for a hand"].handpays] == ["large_win", "ticket_failed"]


@pytest.mark.parametrize(
    ("shifted", "why"),
    [
        ({"bill_in": 500, "drop": 500, "coin_out": -500}, "notes: "),
        ({"voucher_in": 500, "drop": 500, "coin_out": -500}, "tickets: "),
        ({"voucher_out": 500, "coin_out": 500}, "tickets: "),
        ({"handpaid": 500}, "hand payments: "),
        ({"jackpot": 500}, "hand payments: "),
        ({"drop": 500}, "the drop: "),
    ],
)
def test_what_agrees_within_the_meters_must_agree_with_what_came_and_went(
    shifted: Mapping[str, int], why: str
) -> None:
    """Seat 1 and the cabinet were changed alike, and every seat still adds up."""
    state = STATES["credit waits for a hand"]
    meters = dict(state.meters)
    for name, cents in shifted.items():
        for key in (name, f"{name}.1"):
            meters[key] = meters.get(key, 0) + cents
    assert identity.metered_cents(meters, 1) == identity.metered_cents(state.meters, 1)
    assert identity.trouble(replace(state, meters=meters)).startswith(why)


MONEY_KEYS = sorted(
    key for key in STATES["credit waits for a hand"].meters if key.partition(".")[0] in identity.SUMMED
)


@pytest.mark.requirement("CRD-03")
@pytest.mark.parametrize("key", MONEY_KEYS)
def test_one_cent_in_one_meter_is_seen(key: str) -> None:
    state = STATES["credit waits for a hand"]
    for wrong in (1, -1):
        assert identity.trouble(replace(state, meters={**state.meters, key: state.meters[key] + wrong}))


@pytest.mark.requirement("CRD-03")
@pytest.mark.parametrize("account", sorted(STATES["credit waits for a hand"].ledger.balances))
def test_one_cent_in_one_account_is_seen(account: str) -> None:
    state = STATES["credit waits for a hand"]
    balances = dict(state.ledger.balances)
    balances[account] += 1
    assert identity.trouble(replace(state, ledger=Ledger(balances)))


@pytest.mark.requirement("CRD-03")
def test_money_that_only_changes_its_seat_is_seen() -> None:
    """The sum over all accounts stays zero."""
    state = STATES["betting"]
    moved = replace(state, ledger=state.ledger.move("credit.1", "credit.2", 100))
    assert moved.ledger.sum == 0
    assert identity.trouble(moved) == "seat 1: meters tell 20000 cents, accounts hold 19900"


# ---- the tilt


def broken_meter(state: State) -> State:
    """A bit has flipped in the memory of one meter."""
    flipped = state.meters.get("bill_in.1", 0) ^ 64
    return replace(state, meters={**state.meters, "bill_in.1": flipped})


def same(state: State) -> State:
    return state


def broken_account(state: State) -> State:
    return replace(state, ledger=Ledger({**state.ledger.balances, "credit.1": state.credit(1) ^ 64}))


DAMAGES = [broken_meter, broken_account]


def no_card(remaining: int) -> int:
    raise AssertionError("no card is asked for")


@pytest.mark.requirement("CRD-03")
@pytest.mark.parametrize("damage", DAMAGES)
def test_the_next_movement_of_money_finds_it_and_nothing_of_it_is_written(
    damage: Callable[[State], State],
) -> None:
    evening = Evening(seats=2)
    evening.insert(1, 2_000)
    evening.feed(NoteTable("validator1", 0, (NoteType(0x63, "USD", 2_000),)))
    assert outputs(evening.state, evening.live).accept["validator1"]
    damaged = damage(evening.state)
    bet = InputChanged("panel1", 0, "seat1.bet_plus", True)
    made = decide(damaged, evening.live, bet, no_card)
    assert (made.facts, made.acts) == ((), ())
    assert made.live.trouble(Code.ACCOUNTING_ERROR) == identity.trouble(damaged) != ""
    assert play_lock(made.state, made.live) == "M05"
    assert not any(outputs(made.state, made.live).accept.values()), "no validator takes a note"
    # From here on nothing is written and nothing acted on, except that a note goes back.
    for event in (
        NoteEscrowed("validator2", 0, 2_000, 0x63),
        InputChanged("panel1", 0, "seat1.cash_out", True),
    ):
        made = decide(made.state, made.live, event, no_card)
        assert made.facts == ()
        assert made.acts in ((), (ReturnNote("validator2"),))


@pytest.mark.requirement("CRD-03")
@pytest.mark.parametrize("damage", DAMAGES)
def test_no_note_is_stacked_on_books_that_do_not_balance(damage: Callable[[State], State]) -> None:
    """Also what moves no money yet is not recorded: the note goes back instead of into the box."""
    evening = Evening(seats=2)
    evening.insert(1, 2_000)
    made = decide(damage(evening.state), evening.live, NoteEscrowed("validator2", 0, 500, 0x61), no_card)
    assert made.facts == ()
    assert made.acts == (ReturnNote("validator2"),)


@pytest.mark.requirement("CRD-03", "MEM-03")
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_start_does_not_take_a_stored_copy_that_does_not_balance(
    damage: Callable[[State], State], tmp_path: Path
) -> None:
    """The snapshot is whole and its seal holds, yet what it says cannot be: the facts tell it again."""
    evening = Evening(seats=2)
    evening.insert(1, 2_000)
    journal = Journal.open(tmp_path)
    journal.commit([Entry(kind, body, 0, 0) for kind, body in evening.journal])
    journal.snapshot(SCHEMA, journal.head.seq, SNAPSHOT_ENCODER.encode(evening.state))
    assert restore(journal).facts == 0, "a good copy is taken"
    journal.snapshot(SCHEMA, journal.head.seq, SNAPSHOT_ENCODER.encode(damage(evening.state)))
    found = restore(journal)
    assert (found.state, found.facts, found.trouble) == (evening.state, len(evening.journal), "")
    journal.close()


@pytest.mark.requirement("CRD-03", "MEM-03")
def test_a_start_whose_facts_do_not_balance_is_a_tilt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No facts that this program writes can do that: a fold that is wrong plays the part."""
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    journal = Journal.open(tmp_path)
    journal.commit([Entry(kind, body, 0, 0) for kind, body in evening.journal])
    # Flipped once: a bit that every fact flips is right again after an even number of them.
    monkeypatch.setattr(
        "cabinet.records.replay.after",
        lambda state, fact: (broken_meter if isinstance(fact, NoteClosed) else same)(after(state, fact)),
    )
    assert restore(journal).trouble.startswith("seat 1: meters tell")
    journal.close()


@pytest.mark.requirement("CRD-03")
def test_a_seat_that_was_taken_away_keeps_its_meters_in_the_sums() -> None:
    evening = Evening(seats=3)
    evening.insert(3, 2_000)
    evening.press(3, "cash_out")
    evening.printed()
    evening.crash(seats=2, validators=evening.policy.validators[:2], printers=evening.policy.printers[:2])
    assert len(evening.state.seat_records) == 2
    assert identity.trouble(evening.state) == ""


# ---- every way in and out, by chance


@pytest.mark.campaign
@pytest.mark.requirement("CRD-02", "CRD-03")
@pytest.mark.parametrize("seed", range(20))
def test_a_hundred_thousand_events_in_twenty_evenings(seed: int) -> None:
    """After each one `support.evenings.audit` reconciles meters, accounts and what may have moved them."""
    made = Evening(
        seats=1 + seed % 7, shared=bool(seed % 2), large_win_cents=20_000, ticket_limit_cents=30_000
    )
    crowd = Crowd(made, 700 + seed)
    feed, fed = crowd.evening.feed, 0

    def counting(event: Event) -> Decision:
        nonlocal fed
        fed += 1
        return feed(event)

    crowd.evening.feed = counting  # type: ignore[method-assign]
    while fed < 5_000:
        crowd.step()
    crowd.go_home()
    assert crowd.evening.state.ledger.total("credit") == 0
    assert crowd.evening.state.round_number > 20
