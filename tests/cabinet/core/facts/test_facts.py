"""Facts: stored exactly, refused when they cannot be true, folded to one state whatever the way."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabinet.core import facts as f
from cabinet.core.conditions import BY_CODE, Clears
from cabinet.core.facts import form, upcasters
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.state.fold import OVER_BY_THEMSELVES, after
from cabinet.core.state.ledger import FactRefusedError, Ledger, LedgerError
from game.play import Choice
from game.rules import Rules
from support.evenings.evening import Evening

KINDS = list(f.KINDS.values())
# What a journal and JSON hold exactly: 64-bit integers and text without lone surrogates.
INTEGERS = st.one_of(st.integers(-3, 40), st.integers(-(2**62), 2**62))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of an annotated type."""
    origin = get_origin(kind)
    if origin is tuple:
        inner = get_args(kind)
        if inner[-1] is Ellipsis:
            return st.lists(values(inner[0]), max_size=4).map(tuple)
        return st.tuples(*[values(one) for one in inner])
    if origin in (Union, types.UnionType):
        return st.one_of([values(one) for one in get_args(kind)])
    if origin is Literal:
        return st.sampled_from(get_args(kind))
    if is_dataclass(kind) or issubclass_of(kind, msgspec.Struct):
        return instances(kind)
    if issubclass(kind, StrEnum):
        return st.sampled_from(list(kind))
    simple: dict[type, st.SearchStrategy[Any]] = {
        bool: st.booleans(),
        int: INTEGERS,
        float: st.floats(allow_nan=False, allow_infinity=False),
        str: TEXTS,
        types.NoneType: st.none(),
    }
    return simple[kind]


def instances(cls: Any) -> st.SearchStrategy[Any]:
    hints = get_type_hints(cls)
    return st.builds(cls, **{name: values(hints[name]) for name in names_of(cls)})


def names_of(cls: Any) -> list[str]:
    """The fields of a struct of this project or a dataclass of the game."""
    found = fields(cls) if is_dataclass(cls) else msgspec.structs.fields(cls)
    return [field.name for field in found]


def issubclass_of(kind: Any, base: type) -> bool:
    return isinstance(kind, type) and issubclass(kind, base)


# ---- the journal's form


@pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)
def test_every_fact_comes_back_as_it_was_written(cls: type[f.Fact]) -> None:
    @settings(max_examples=15, deadline=None)
    @given(instances(cls))
    def check(fact: f.Fact) -> None:
        kind, body = f.encode(fact)
        back = f.decode(kind, body)
        assert back == fact
        assert type(back) is type(fact)
        assert f.encode(back) == (kind, body)

    check()


# What every journal has, so what may be asked of each. A field that comes later is not added here: it has a
# default. A kind that comes later may ask for what it likes.
ALWAYS = """
    BetMoved: seat cents
    BettingClosed:
    BettingOpened: deadline_ms
    CardsDrawn: cards
    CashOutAsked: seat
    ConditionCleared: code device by
    ConditionRaised: code device detail
    Decided: seat choice timed_out stake_cents
    DecisionOpened: deadline_ms
    Frozen: code
    HandpayCancelled: ref
    HandpayOpened: ref seat cents reason
    HandpayPaid: ref
    KeyTurned: key on
    MemoryBegun: who why
    MemoryCleared: rows digest next_ref sequence ticket_no why
    NoteClosed: ref
    NoteCredited: ref
    NoteIntended: ref device seat cents code
    NoteRefused: device seat cents reason
    NoteRejected: device seat reason
    NoteReturned: ref reason
    NoteSettledByHand: ref device in_box
    NoteUnresolved: ref device report
    PeriodReset: number
    PulseDone: meter count
    PulseIntended: meter count
    RedeemIntended: ref ticket device seat cents number
    Released:
    RoundOpened: number bets shuffled
    RoundSettled: results show_ms
    RoundVoided: reason
    RulesTaken: rules seats
    SeatReady: seat
    SeatTouched: seat
    SequenceGiven: machine_id last
    SessionStarted: number clean wall_ms version
    SessionStopped:
    SettingsTaken: by changes
    TicketBegun: ref
    TicketExpired: ref
    TicketIntended: ref seat device cents number sequence ticket_no wall_ms
    TicketPrinted: ref by
    TicketRedeemed: ref ticket device seat cents number by
    TicketRefused: device seat number reason
    TicketTakenAway: device
    TicketUnknown: ref detail
    TicketVoided: ref detail
"""


def test_no_field_that_came_later_is_asked_of_an_older_journal() -> None:
    assert len(KINDS) == len({cls.__name__ for cls in KINDS}) > 30
    known = dict(line.strip().split(":") for line in ALWAYS.strip().splitlines())
    for cls in KINDS:
        asked = {field.name for field in msgspec.structs.fields(cls) if field.required} - {"at_ms"}
        assert cls.__name__ not in known or asked == set(known[cls.__name__].split()), cls.__name__


@pytest.mark.requirement("MEM-01")
def test_a_ticket_of_before_tickets_came_back_is_for_the_cashier_and_does_not_expire() -> None:
    """The text of a journal from then."""
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    state = evening.state
    number, device = "003000000000000017", evening.policy.printers[0][0]
    intended = {
        "at_ms": 9, "ref": state.next_ref, "seat": 1, "device": device, "cents": 2_000, "number": number,
        "sequence": state.sequence + 1, "ticket_no": 1, "wall_ms": 9,
    }  # fmt: skip
    printed = {"at_ms": 9, "ref": state.next_ref, "by": "printer"}
    told = (("TicketIntended", json.dumps(intended)), ("TicketPrinted", json.dumps(printed)))
    for kind, body in told:
        state = after(state, f.decode(kind, body))
    (line,) = state.issued
    assert not line.redeemable
    assert line.expires_ms > evening.wall_ms + 1000 * 365 * 24 * 3_600_000
    assert f.decode("TicketVoided", '{"at_ms":9,"ref":2,"detail":"no paper"}') == f.TicketVoided(
        9, 2, "no paper"
    )


@pytest.mark.parametrize(
    ("kind", "body", "fact"),
    [
        ("NoteReturned", '{"at_ms":1,"ref":2,"reason":"x"}', f.NoteReturned(1, 2, "x", "validator")),
        (
            "NoteSettledByHand",
            '{"at_ms":1,"ref":2,"device":"v","in_box":true}',
            f.NoteSettledByHand(1, 2, "v", True, "attendant"),
        ),
        ("HandpayPaid", '{"at_ms":1,"ref":2}', f.HandpayPaid(1, 2, "attendant")),
    ],
)
def test_a_fact_written_before_a_field_came_is_still_read(kind: str, body: str, fact: f.Fact) -> None:
    assert f.decode(kind, body) == fact


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("RoundInvented", "{}"),
        ("NoteCredited", '{"at_ms":1}'),
        ("NoteCredited", '{"at_ms":1,"ref":"two"}'),
        ("NoteCredited", '{"at_ms":1,"ref":2'),
        ("NoteCredited", '{"at_ms":1,"ref":2,"fee_cents":5}'),
        ("NoteCredited@1", '{"at_ms":1,"ref":2}'),
        ("NoteCredited@2", '{"at_ms":1,"ref":2}'),
        ("NoteCredited@02", '{"at_ms":1,"ref":2}'),
        ("NoteCredited@", '{"at_ms":1,"ref":2}'),
        ("RoundSettled", '{"at_ms":1,"results":[{"seat":1,"fee_cents":2}],"show_ms":2}'),
        ("NoteCredited", ""),
        ("Decided", '{"at_ms":1,"seat":1,"choice":"surrender","timed_out":false,"stake_cents":0}'),
        ("", ""),
    ],
)
def test_what_this_program_does_not_know_is_said_and_never_a_crash(kind: str, body: str) -> None:
    with pytest.raises(f.UnknownFactError):
        f.decode(kind, body)


def settled_evening() -> Evening:
    evening = Evening("10h 9d 7c 8s 10d 6h", seats=1)
    evening.insert(1, 2_000)
    evening.deal(1)
    evening.land()
    evening.press(1, "stand")
    return evening


@pytest.mark.parametrize(("kind", "record"), [("RulesTaken", "rules"), ("RoundSettled", "results")])
def test_a_field_that_the_game_does_not_know_is_refused(kind: str, record: str) -> None:
    fact = settled_evening().last(kind)
    body = json.loads(f.encode(fact)[1])
    assert f.decode(kind, json.dumps(body)) == fact
    part = body[record] if isinstance(body[record], dict) else body[record][0]
    part["fee_cents"] = 5
    with pytest.raises(f.UnknownFactError, match="unknown field `fee_cents`"):
        f.decode(kind, json.dumps(body))


def test_a_fact_of_an_older_version_is_read_as_what_it_is_today(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if bets had been told in dollars once, and later in tenths of a cent."""

    def to_tenths(told: dict[str, Any]) -> dict[str, Any]:
        return {"at_ms": told["at_ms"], "seat": told["seat"], "cents": told["dollars"] * 1000}

    def to_cents(told: dict[str, Any]) -> dict[str, Any]:
        return {**told, "cents": told["cents"] // 10}

    monkeypatch.setattr(form, "VERSIONS", {"BetMoved": 3})
    monkeypatch.setattr(form, "UPCASTERS", {("BetMoved", 1): to_tenths, ("BetMoved", 2): to_cents})
    now = f.BetMoved(1, 2, 500)
    assert f.encode(now) == ("BetMoved@3", '{"at_ms":1,"seat":2,"cents":500}')
    assert f.decode(*f.encode(now)) == now
    assert f.decode("BetMoved", '{"at_ms":1,"seat":2,"dollars":5}') == now
    assert f.decode("BetMoved@2", '{"at_ms":1,"seat":2,"cents":5000}') == now
    assert f.spellings(("BetMoved", "NoteCredited")) == (
        "BetMoved",
        "BetMoved@2",
        "BetMoved@3",
        "NoteCredited",
    )
    with pytest.raises(f.UnknownFactError, match="of version 4: this program knows it up to version 3"):
        f.decode("BetMoved@4", '{"at_ms":1,"seat":2,"cents":500}')
    with pytest.raises(f.UnknownFactError, match="dollars"):
        f.decode("BetMoved", '{"at_ms":1,"seat":2,"cents":500}')
    with pytest.raises(f.UnknownFactError, match="unknown kind 'BetMoved@02'"):
        f.decode("BetMoved@02", '{"at_ms":1,"seat":2,"cents":5000}')
    with pytest.raises(f.UnknownFactError, match="unknown field `fee_cents`"):
        f.decode("BetMoved@3", '{"at_ms":1,"seat":2,"cents":500,"fee_cents":5}')


@pytest.mark.parametrize(("kind", "record"), [("RulesTaken", "rules"), ("RoundSettled", "results")])
def test_a_later_version_refuses_a_field_that_the_game_does_not_know(
    monkeypatch: pytest.MonkeyPatch, kind: str, record: str
) -> None:
    fact = settled_evening().last(kind)
    monkeypatch.setattr(form, "VERSIONS", {kind: 2})
    monkeypatch.setattr(form, "UPCASTERS", {(kind, 1): lambda told: told})
    stored, body = f.encode(fact)
    assert f.decode(stored, body) == f.decode(kind, body) == fact
    told = json.loads(body)
    part = told[record] if isinstance(told[record], dict) else told[record][0]
    part["fee_cents"] = 5
    for name in (kind, stored):
        with pytest.raises(f.UnknownFactError, match="unknown field `fee_cents`"):
            f.decode(name, json.dumps(told))


def test_every_older_version_has_its_upcaster() -> None:
    wanted = {(kind, older) for kind, version in upcasters.VERSIONS.items() for older in range(1, version)}
    assert set(upcasters.UPCASTERS) == wanted
    assert upcasters.VERSIONS.keys() <= f.KINDS.keys()


def test_the_fold_knows_which_conditions_end_by_themselves() -> None:
    """The table may be changed; what a code has meant in an old journal may not."""
    of_the_table = {code for code, row in BY_CODE.items() if row.clears is Clears.SELF}
    assert of_the_table == OVER_BY_THEMSELVES


# ---- what cannot be true


def middle() -> dict[str, State]:
    """States in which something of everything is open."""
    evening = Evening("8H 8S 6D 3C", seats=2)
    found = {"empty": State(), "fresh": evening.state}
    found["noted"] = after(evening.state, f.NoteIntended(0, 1, "validator1", 1, 500, 1))
    found["asked"] = after(found["noted"], f.NoteUnresolved(0, 1, "validator1", "nothing"))
    evening.insert(1, 20_000)
    evening.insert(2, 600_000)
    evening.press(2, "cash_out")
    evening.press(1, "bet_plus")
    found["betting"] = evening.state
    evening.press(1, "deal")
    evening.land()
    found["deciding"] = evening.state
    evening.press(1, "stand")
    found["settled"] = evening.state
    evening.land()
    evening.press(1, "cash_out")
    found["printing"] = evening.state
    return found


STATES = middle()


@pytest.mark.parametrize("cls", KINDS, ids=lambda cls: cls.__name__)
def test_any_fact_in_any_state_is_folded_or_refused(cls: type[f.Fact]) -> None:
    @settings(max_examples=25, deadline=None)
    @given(instances(cls), st.sampled_from(sorted(STATES)))
    def check(fact: f.Fact, name: str) -> None:
        before = STATES[name]
        try:
            state = after(before, fact)
        except FactRefusedError:
            return
        assert state.ledger.sum == 0
        balances = state.ledger.balances
        assert all(v >= 0 for k, v in balances.items() if k not in ("notes", "house"))

    check()


REFUSED: list[tuple[str, f.Fact, str]] = [
    ("fresh", f.SessionStarted(0, 7, True, 0, ""), "cannot follow session 1"),
    ("fresh", f.BetMoved(0, 1, 500), "credit.1 holds 0"),
    ("fresh", f.BetMoved(0, 9, 0), "no seat 9"),
    ("fresh", f.SeatReady(0, 0), "no seat 0"),
    ("fresh", f.SeatTouched(0, 3), "no seat 3"),
    ("fresh", f.CashOutAsked(0, 0), "does not exist"),
    ("fresh", f.DecisionOpened(0, 1), "no decision is awaited"),
    ("fresh", f.CardsDrawn(0, ()), "no round is open"),
    ("fresh", f.RoundSettled(0, (), 0), "no round is open"),
    ("fresh", f.RoundVoided(0, ""), "no round is open"),
    ("fresh", f.RoundOpened(0, 1, (), True), "what lies on the table"),
    ("empty", f.RoundOpened(0, 1, ((1, 500),), True), "there are no rules"),
    ("fresh", f.NoteCredited(0, 1), "no open note"),
    ("fresh", f.NoteUnresolved(0, 4, "validator1", "nothing"), "no open note"),
    ("fresh", f.NoteSettledByHand(0, 0, "validator1", True), "not in question"),
    ("fresh", f.NoteIntended(0, 2, "validator1", 1, 500, 1), "not the next one"),
    ("fresh", f.NoteIntended(0, 1, "validator1", 3, 500, 1), "for seat 3 cannot be"),
    ("fresh", f.NoteIntended(0, 1, "validator1", 1, -500, 1), "of -500 cents"),
    ("fresh", f.TicketPrinted(0, 1, "printer"), "no open ticket"),
    ("fresh", f.TicketIntended(0, 1, 1, "printer1", 0, "", 1, 1, 0, True, 0, 0), "over 0 cents"),
    ("fresh", f.TicketIntended(0, 1, 1, "printer1", 500, "", 0, 1, 0, True, 0, 0), "sequence 0 was used"),
    ("fresh", f.HandpayOpened(0, 1, 1, 1, ""), "credit.1 holds 0"),
    ("fresh", f.HandpayOpened(0, 1, 1, 0, ""), "over 0 cents"),
    ("fresh", f.HandpayPaid(0, 1), "no hand payment"),
    ("fresh", f.PulseDone(0, "meter.in", 1), "owed 0 pulses"),
    ("fresh", f.PulseIntended(0, "meter.in", 0), "cannot owe 0"),
    ("betting", f.BetMoved(0, 1, -501), "bet.1 holds 500"),
    ("betting", f.RoundOpened(0, 2, ((1, 500),), True), "cannot follow round 0"),
    ("betting", f.RoundOpened(0, 1, ((1, 1_000),), True), "what lies on the table"),
    ("betting", f.CashOutAsked(0, 9), "does not exist"),
    ("betting", f.TicketIntended(0, 4, 1, "printer1", 500, "1", 0, 1, 0, True, 0, 0), "sequence 0 was used"),
    ("betting", f.TicketIntended(0, 3, 1, "printer1", 500, "1", 1, 1, 0, True, 0, 0), "reference 3"),
    ("betting", f.TicketIntended(0, 4, 1, "printer1", 0, "1", 1, 1, 0, True, 0, 0), "over 0 cents"),
    ("deciding", f.BetMoved(0, 2, 500), "bets are closed"),
    ("deciding", f.RoundOpened(0, 2, ((1, 500),), True), "open already"),
    ("deciding", f.RulesTaken(0, Rules(), 2), "a round is open"),
    ("deciding", f.Decided(0, 2, Choice.STAND, False, 0), "nothing to decide"),
    ("deciding", f.Decided(0, 1, Choice.SPLIT, False, 0), "does not cost 0 cents"),
    ("deciding", f.Decided(0, 1, Choice.DOUBLE, False, 500), "cannot double now"),
    ("deciding", f.Decided(0, 1, Choice.HIT, True, 0), "a time-out stands"),
    ("deciding", f.CardsDrawn(0, (f.DrawnCard(5, 0, 1),)), "no card is due"),
    ("deciding", f.RoundSettled(0, (), 0), "0 are settled"),
    ("settled", f.RoundSettled(0, (), 0), "no round is open"),
    ("settled", f.RulesTaken(0, Rules(), 0), "for 0 seats"),
    ("settled", f.RulesTaken(0, Rules(), 8), "for 8 seats"),
    (
        "printing",
        f.TicketIntended(0, 5, 2, "printer1", 500, "1", 9, 2, 0, True, 0, 0),
        "has a ticket in work",
    ),
    ("printing", f.TicketVoided(0, 99, "", "printer"), "no open ticket"),
    ("fresh", f.NoteIntended(0, 1, "validator1", 1, 0, 1), "of 0 cents"),
    ("fresh", f.NoteIntended(0, 1, "validator1", 0, 500, 1), "for seat 0 cannot be"),
    ("fresh", f.PulseDone(0, "meter.in", 0), "0 were given"),
    ("noted", f.NoteSettledByHand(0, 1, "validator1", True), "not in question"),
    ("asked", f.NoteSettledByHand(0, 2, "validator1", True), "not in question"),
    ("asked", f.NoteSettledByHand(0, 1, "validator2", True), "not in question"),
    ("asked", f.NoteSettledByHand(0, 0, "validator1", False), "not in question"),
    ("betting", f.HandpayOpened(0, 5, 1, 500, ""), "hand payment 5"),
    ("betting", f.HandpayOpened(0, 4, 1, -500, ""), "over -500 cents"),
    ("betting", f.HandpayCancelled(0, 4), "no hand payment 4"),
    ("betting", f.TicketIntended(0, 4, 1, "printer1", 0, "1", 1, 1, 0, False, 0, 0), "over 0 cents"),
    ("betting", f.TicketIntended(0, 4, 1, "printer1", 0, "1", 1, 1, 0, True, 0, 3), "over 0 cents"),
    ("betting", f.TicketIntended(0, 4, 1, "printer1", -500, "1", 1, 1, 0, False, 0, 3), "over -500 cents"),
    ("betting", f.TicketIntended(0, 4, 9, "printer1", 500, "1", 1, 1, 0, True, 0, 0), "credit.9 holds 0"),
]


def test_the_next_ticket_is_only_refused_for_what_is_wrong_with_it() -> None:
    assert after(
        STATES["betting"], f.TicketIntended(0, 4, 1, "printer1", 500, "1", 1, 1, 0, True, 0, 0)
    ).tickets


@pytest.mark.parametrize(
    ("name", "fact", "why"), REFUSED, ids=lambda x: type(x).__name__ if isinstance(x, f.Fact) else x
)
def test_a_fact_that_cannot_be_true_is_refused_for_its_own_reason(name: str, fact: f.Fact, why: str) -> None:
    with pytest.raises(FactRefusedError, match=rf"^{type(fact).__name__}: .*{re.escape(why)}"):
        after(STATES[name], fact)


def test_one_cent_is_money() -> None:
    """The least that a note, a ticket and a hand payment can be."""
    state = after(STATES["fresh"], f.NoteIntended(0, 1, "validator1", 1, 1, 1))
    state = after(state, f.NoteCredited(0, 1))
    assert state.credit(1) == 1
    ticket = after(state, f.TicketIntended(0, 2, 1, "printer1", 1, "1", 1, 1, 0, True, 0, 0))
    assert (ticket.credit(1), ticket.ledger["in_flight.1"]) == (0, 1)
    by_hand = after(state, f.HandpayOpened(0, 2, 1, 1, "residual"))
    assert (by_hand.credit(1), by_hand.ledger["handpay.1"]) == (0, 1)


@pytest.mark.requirement("CRD-10")
@pytest.mark.parametrize("account", ["credit.2", "bet.2", "in_flight.2", "handpay.2"])
def test_a_seat_that_holds_a_cent_anywhere_cannot_be_taken_away(account: str) -> None:
    state = replace(STATES["fresh"], ledger=Ledger().move("notes", account, 1))
    with pytest.raises(FactRefusedError, match="seat 2 still holds money"):
        after(state, f.RulesTaken(0, Rules(), 1))
    assert len(after(STATES["fresh"], f.RulesTaken(0, Rules(), 1)).seat_records) == 1


def credited_note() -> State:
    state = after(STATES["fresh"], f.NoteIntended(0, 1, "validator1", 1, 500, 1))
    return after(state, f.NoteCredited(0, 1))


@pytest.mark.requirement("BIL-02")
@pytest.mark.parametrize("again", [f.NoteCredited(0, 1), f.NoteReturned(0, 1, "")])
def test_a_credited_note_is_neither_credited_again_nor_returned(again: f.Fact) -> None:
    with pytest.raises(FactRefusedError):
        after(credited_note(), again)


def test_a_note_is_closed_only_when_it_was_credited() -> None:
    state = after(STATES["fresh"], f.NoteIntended(0, 1, "validator1", 1, 500, 1))
    with pytest.raises(FactRefusedError):
        after(state, f.NoteClosed(0, 1))
    with pytest.raises(FactRefusedError):
        after(state, f.NoteIntended(0, 2, "validator1", 1, 500, 1))


@pytest.mark.requirement("PRN-02")
def test_a_ticket_is_paid_once() -> None:
    (ticket,) = STATES["printing"].tickets
    printed = after(STATES["printing"], f.TicketPrinted(0, ticket.ref, "printer"))
    for again in (f.TicketPrinted(0, ticket.ref, "printer"), f.TicketVoided(0, ticket.ref, "", "printer")):
        with pytest.raises(FactRefusedError):
            after(printed, again)
    with pytest.raises(FactRefusedError):
        after(STATES["printing"], f.CashOutAsked(0, 3))


@pytest.mark.parametrize("detail", ["", "it had begun"])
def test_a_ticket_in_question_is_asked_about_whatever_the_printer_has_said(detail: str) -> None:
    (ticket,) = STATES["printing"].tickets
    (asked,) = after(STATES["printing"], f.TicketUnknown(0, ticket.ref, detail)).tickets
    assert asked.unknown


def test_a_fact_without_a_rule_is_refused() -> None:
    with pytest.raises(FactRefusedError, match="no rule"):
        after(State(), f.Fact(0))


@pytest.mark.requirement("CRD-02")
def test_the_ledger_never_overdraws_and_never_loses() -> None:
    ledger = Ledger().move("notes", "credit.1", 500)
    for source, cents in (("credit.1", 501), ("credit.2", 1), ("credit.1", -1)):
        with pytest.raises(LedgerError):
            ledger.move(source, "house", cents)
    assert ledger.move("credit.1", "bet.1", 0) is ledger
    ledger = ledger.move("house", "credit.11", 7).move("credit.1", "bet.1", 200)
    assert (ledger.total("credit"), ledger.total("bet"), ledger.sum) == (307, 200, 0)
    assert ledger["credit.1"] == 300
    assert ledger.total("credit.1") == 300


# ---- every way to the same state


def test_facts_never_change_the_state_they_are_folded_into() -> None:
    before = {name: repr(state) for name, state in STATES.items()}
    evening = Evening("8H 8S 6D 3C", seats=2)
    evening.deal(1, 2)
    assert {name: repr(state) for name, state in STATES.items()} == before


def test_conditions_that_clear_themselves_leave_no_trace_in_the_state() -> None:
    state = after(State(), f.ConditionRaised(0, "D01", "door.main", ""))
    assert state.conditions == ()
    state = after(state, f.ConditionRaised(0, "B01", "validator1", ""))
    state = after(state, f.ConditionRaised(0, "B01", "validator1", ""))
    assert list(state.conditions) == [("B01", "validator1")]
    assert state.meters["on.B01"] == 2
    assert after(state, f.ConditionCleared(0, "B01", "validator1", "attendant")).conditions == ()


@pytest.mark.parametrize(
    "change", [lambda state: replace(state, frozen="D01"), lambda state: replace(state, frozen="")]
)
def test_a_release_lets_every_card_lie(change: Callable[[State], State]) -> None:
    state = change(STATES["settled"])
    released = after(state, f.Released(100))
    assert all(move.land_ms <= 100 for move in released.moves)
    assert released.landed_ms <= 100
    assert (released.settled_ms or 0) <= 100
