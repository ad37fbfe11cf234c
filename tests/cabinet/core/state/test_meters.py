"""Soft meters: what each counts, when, for whom, and that nothing takes it back."""

from __future__ import annotations

import pytest

from cabinet.core import facts as f
from cabinet.core.conditions import Code
from cabinet.core.renewal import replace
from cabinet.core.state.fold import after
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.state.meters import SINCE, TOP, in_period, rule_set, shown
from cabinet.core.state.state import State
from drivers.device import (
    Fault,
    Holding,
    NoteEscrowed,
    NoteVendValid,
    TicketOutcome,
    ValidatorReport,
)
from game.rules import Rules
from support.evenings.evening import Evening
from support.evenings.machines import Crowd

# For who stands: two cards, the dealer's, a continuation card that busts the hand, the dealer's second.
WIN, LOSS, PUSH = "10H 9S 7D 10C 10D", "10H 6S 10S 9C 10D", "10H 9S 9D 10C 10D"


def counted(evening: Evening, *names: str) -> tuple[int, ...]:
    return tuple(evening.state.meters.get(name, 0) for name in names)


def played(deal: str, **policy: int) -> Evening:
    """Seat 1 has bet $5 of its $100 and stands."""
    evening = Evening(deal, start=True, seats=2, **policy)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    return evening


# ---- money


@pytest.mark.requirement("MTR-01")
def test_accounting_meters_of_a_seat_and_of_the_cabinet() -> None:
    """A script with every way of money; the sums were made by hand."""
    evening = Evening(f"{WIN} {LOSS}", seats=2, ticket_limit_cents=9_000)
    evening.deal(1, 2)  # $100 and a bet of $5 each; both win $5
    for seat in (1, 2):
        evening.press(seat, "stand")
    evening.land()
    evening.press(1, "bet_plus", "deal")
    evening.advance(evening.policy.bet_ms)  # seat 2 sits out
    evening.land()
    evening.press(1, "stand")  # and seat 1 loses $5
    evening.land()
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")  # $120: over the limit, by hand
    evening.choose("paid by hand")
    evening.printed()  # the receipt, which is no money
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    evening.printed()
    money = ("coin_in", "coin_out", "jackpot", "cancelled", "bill_in", "voucher_in", "voucher_out", "drop")
    assert counted(evening, *(f"{name}.1" for name in money)) == (
        1_000, 1_000, 0, 12_000, 12_500, 0, 500, 12_500,
    )  # fmt: skip
    assert counted(evening, *(f"{name}.2" for name in money)) == (500, 1_000, 0, 0, 10_000, 0, 0, 10_000)
    assert counted(evening, *money) == (1_500, 2_000, 0, 12_000, 22_500, 0, 500, 22_500)
    assert counted(evening, "handpays", "cancels", "jackpots", "vouchers", "bills") == (1, 1, 0, 1, 4)


@pytest.mark.requirement("MTR-01")
def test_a_ticket_that_comes_back_is_voucher_in_and_drop_of_its_new_seat() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 8_500)
    evening.press(1, "cash_out")
    number = evening.printed().ticket.validation
    assert evening.insert_ticket(2, number)
    assert counted(evening, "voucher_out.1", "voucher_in.1", "voucher_in.2", "vouchers_in.2") == (
        8_500,
        0,
        8_500,
        1,
    )
    assert counted(evening, "bill_in.2", "drop.1", "drop.2", "drop") == (0, 8_500, 8_500, 17_000)
    assert counted(evening, "in_box.validator2", "in_box_cents.validator2") == (1, 8_500)
    assert not evening.insert_ticket(1, number), "once only"
    assert counted(evening, "voucher_in", "drop") == (8_500, 17_000)


@pytest.mark.requirement("MTR-01")
def test_a_win_that_is_paid_by_hand_is_no_coin_out() -> None:
    evening = played(WIN, large_win_cents=500)
    assert counted(evening, "coin_in.1", "coin_out.1", "jackpot.1") == (500, 500, 0), "the stake came back"
    evening.choose("paid by hand")
    assert counted(evening, "coin_out.1", "jackpot.1", "jackpot", "jackpots.1") == (500, 500, 500, 1)
    assert counted(evening, "cancelled", "handpaid", "handpays") == (0, 500, 1)


@pytest.mark.requirement("MTR-07")
def test_a_bet_counts_when_it_can_no_longer_be_taken_back() -> None:
    evening = Evening("6H 5S 7D", seats=2)
    evening.insert(1, 10_000)
    evening.press(1, "bet_plus", "bet_plus", "bet_minus")
    assert counted(evening, "coin_in") == (0,)
    evening.press(1, "deal")
    assert counted(evening, "coin_in", "coin_in.1") == (500, 500)
    evening.land()
    evening.press(1, "double")
    assert counted(evening, "coin_in.1") == (1_000,)


@pytest.mark.requirement("MTR-01")
def test_bets_of_a_void_round_are_given_back_and_no_win() -> None:
    evening = Evening("6H 5S 7D", seats=2)
    evening.deal(1)
    evening.press(1, "double")
    evening = Evening("6H 5S 7D", seats=2)
    evening.deal(1)
    evening.stacked.broken = True
    evening.press(1, "hit")
    assert evening.state.frozen == "F04"
    evening.choose("all bets back", key="service")
    assert counted(evening, "coin_in.1", "coin_out.1", "bets_returned.1", "bets_returned") == (
        500,
        0,
        500,
        500,
    )
    assert counted(evening, "voided", "rounds", "played") == (1, 1, 0)
    house = f"rules.{rule_set(evening.policy.rules)}"
    assert counted(evening, f"{house}.coin_in", f"{house}.bets_returned") == (500, 500)


@pytest.mark.requirement("MTR-02", "BIL-10")
def test_notes_of_each_value_by_device() -> None:
    evening = Evening(seats=2)
    for seat, cents, count in ((1, 500, 3), (1, 2_000, 1), (2, 500, 1), (2, 10_000, 2)):
        for _ in range(count):
            evening.insert(seat, cents)
    bills = {key: count for key, count in evening.state.meters.items() if key.startswith("bills.v")}
    assert bills == {
        "bills.validator1.500": 3,
        "bills.validator1.2000": 1,
        "bills.validator2.500": 1,
        "bills.validator2.10000": 2,
    }
    assert counted(evening, "in_box.validator1", "in_box_cents.validator1") == (4, 3_500)


@pytest.mark.requirement("MTR-02")
@pytest.mark.parametrize(("answer", "count"), [("in box", 1), ("returned", 0)])
def test_a_note_that_a_person_has_found_counts_like_any_other(answer: str, count: int) -> None:
    evening = Evening(seats=1)
    evening.feed(NoteEscrowed("validator1", 0, 2_000, 0x63))
    evening.feed(ValidatorReport("validator1", 0, Holding.NOTHING))
    evening.choose(answer)
    assert counted(evening, "bill_in.1", "drop", "bills.validator1.2000") == (
        2_000 * count,
        2_000 * count,
        count,
    )


@pytest.mark.requirement("MTR-07")
def test_money_counts_in_the_transaction_that_moves_it() -> None:
    """Of each event either nothing is written or money and meter together: one decision, one commit."""
    evening = Evening(WIN, seats=1)
    evening.feed(NoteEscrowed("validator1", 0, 2_000, 0x63))
    evening.commit_fails(NoteVendValid("validator1", 0), on_disk=False)
    evening.crash()
    assert (counted(evening, "bill_in", "drop"), evening.state.credit(1)) == ((0, 0), 0)
    evening.commit_fails(NoteVendValid("validator1", 0), on_disk=True)
    evening.crash()
    assert (counted(evening, "bill_in", "drop"), evening.state.credit(1)) == ((2_000, 2_000), 2_000)


# ---- occurrences


@pytest.mark.requirement("MTR-03")
@pytest.mark.parametrize(("deal", "word"), [(WIN, "won"), (LOSS, "lost"), (PUSH, "pushed")])
def test_games_are_won_lost_or_pushed(deal: str, word: str) -> None:
    evening = played(deal)
    names = ("played", "won", "lost", "pushed")
    expected = tuple(int(name in ("played", word)) for name in names)
    assert counted(evening, *(f"{name}.1" for name in names)) == expected
    assert counted(evening, *names) == expected
    assert counted(evening, "played.2") == (0,), "a seat that sat out has played no game"


@pytest.mark.requirement("MTR-03")
def test_games_since_power_up_and_since_the_main_door_closed() -> None:
    evening = played(WIN)
    assert counted(evening, "since_power", "since_power.1", "since_door", "since_door.1") == (1, 1, 1, 1)
    evening.switch("door.cash_box", True)
    evening.switch("door.cash_box", False)
    assert counted(evening, "since_door") == (1,)
    evening.switch("door.main", True)
    evening.switch("door.main", False)
    assert counted(evening, "since_power.1", "since_door", "since_door.1") == (1, 0, 0)
    evening.start(clean=False)
    assert counted(evening, "since_power", "since_power.1", "power_resets", "sessions") == (0, 0, 1, 2)
    assert counted(evening, "played.1", "rounds") == (1, 1)


@pytest.mark.requirement("MTR-03")
@pytest.mark.parametrize(
    ("door", "key"),
    [
        ("main", "on.D01"),
        ("logic", "on.D02"),
        ("printer", "on.D03"),
        ("cash_box", "on.D04"),
        ("drop", "on.D05"),
    ],
)
def test_every_opening_of_every_door_counts(door: str, key: str) -> None:
    evening = Evening(seats=1)
    for _ in range(3):
        evening.switch(f"door.{door}", True)
        evening.switch(f"door.{door}", False)
    assert counted(evening, key) == (3,)
    evening.switch("key.service", True)
    evening.switch("key.service", False)
    evening.switch(f"door.{door}", True)
    assert counted(evening, key) == (4,)


@pytest.mark.requirement("MTR-03")
def test_every_removal_of_a_cash_box_counts_and_empties_its_count() -> None:
    evening = Evening(seats=2)
    evening.insert(1, 2_000)
    evening.insert(2, 500)
    evening.fault("validator1", Fault.LINK_LOST)  # another fact of this device, a moment before
    evening.mended("validator1", Fault.LINK_LOST)
    for _ in range(3):
        evening.fault("validator1", Fault.STACKER_OPEN)
        evening.mended("validator1", Fault.STACKER_OPEN)
    assert counted(evening, "on.D06") == (3,)
    assert counted(evening, "in_box.validator1", "in_box_cents.validator1", "in_box.validator2") == (0, 0, 1)
    assert counted(evening, "bills.validator1.2000", "drop.1") == (1, 2_000), "the meters stay"


@pytest.mark.requirement("MTR-03")
def test_menu_entries_power_resets_and_time_outs_count() -> None:
    evening = Evening("10H 5S 7D", seats=1)
    for key in ("attendant", "service", "attendant"):
        evening.switch(f"key.{key}", True)
        evening.switch(f"key.{key}", False)
    assert counted(evening, "menu.attendant", "menu.service") == (2, 1)
    evening.start(clean=True)
    evening.start(clean=False)
    assert counted(evening, "power_resets", "sessions") == (1, 3)


@pytest.mark.requirement("MTR-03")
def test_hand_payments_count_by_their_reason() -> None:
    evening = played(WIN, large_win_cents=500)
    evening.choose("paid by hand")
    evening.fault("printer1", Fault.PAPER_OUT)
    evening.press(1, "cash_out")
    evening.choose("paid by hand")
    assert counted(evening, "handpays.1", "jackpots.1", "cancels.1") == (2, 1, 1)
    assert counted(evening, "handpaid", "jackpot", "cancelled") == (10_500, 500, 10_000)


# ---- rule sets


@pytest.mark.requirement("MTR-04")
def test_each_set_of_house_rules_has_its_own_meters() -> None:
    evening = played(WIN)
    other = Rules(dealer_hits_soft_17=True)
    evening.crash(rules=other)
    evening.stacked.cards = Evening(LOSS, start=False).stacked.cards
    evening.press(1, "bet_plus")
    evening.all_deal([1])
    evening.press(1, "stand")
    evening.land()
    first, second = rule_set(Rules()), rule_set(other)
    assert first != second
    for name, expected in (("coin_in", (500, 500)), ("won_cents", (1_000, 0)), ("played", (1, 1))):
        assert counted(evening, f"rules.{first}.{name}", f"rules.{second}.{name}") == expected


# ---- ten digits


@pytest.mark.requirement("MTR-05", "MTR-06")
def test_a_meter_shows_ten_digits_and_begins_again_without_upsetting_another() -> None:
    """As a laboratory does it: preset 9,999,999,999, add a little, look at everything."""
    evening = Evening(WIN, seats=1)
    full = dict.fromkeys(("coin_in", "coin_in.1", "coin_out", "coin_out.1", "played.1", "won.1"), TOP - 1)
    evening.state = replace(evening.state, meters={**evening.state.meters, **full})
    before = evening.state.meters
    evening.journal.clear()  # what was preset is in no journal
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    meters = evening.state.meters
    assert [shown(meters[name]) for name in full] == [499, 499, 999, 999, 0, 0]
    assert meters["coin_in"] == 10_000_000_499
    others = {key: meters[key] - before.get(key, 0) for key in meters if key not in full}
    assert others == {
        key: count for key, count in played_once().meters.items() if key not in full and key not in before
    } | {key: 0 for key in before if key not in full}
    assert (evening.state.frozen, evening.live.trouble(Code.ACCOUNTING_ERROR)) == ("", "")
    assert evening.state.credit(1) == 10_500


def played_once() -> State:
    evening = Evening(WIN, seats=1)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    return evening.state


@pytest.mark.requirement("MTR-05")
def test_every_meter_is_a_whole_number() -> None:
    evening = played(WIN)
    evening.press(1, "cash_out")
    evening.printed()
    assert {type(count) for count in evening.state.meters.values()} == {int}


# ---- what resets


@pytest.mark.requirement("MTR-08")
def test_a_period_begins_with_a_fact_and_leaves_every_meter_as_it_is() -> None:
    evening = played(WIN)
    before = evening.state.meters
    assert in_period(evening.state, "coin_in.1") == 500, "the first period began with the first start"
    evening.advance(60_000)
    evening.switch("key.service", True)
    evening.walk("Meters", "Period", "Begin a new period")
    evening.switch("key.service", False)
    (fact,) = evening.facts("PeriodReset")
    assert isinstance(fact, f.PeriodReset)
    assert (fact.number, evening.state.period) == (2, 2)
    assert evening.state.period_wall_ms == evening.wall_ms + fact.at_ms
    master = {key: count for key, count in evening.state.meters.items() if key != "menu.service"}
    assert master == before
    assert in_period(evening.state, "coin_in.1") == 0
    evening.insert(2, 2_000)
    assert (in_period(evening.state, "bill_in"), in_period(evening.state, "bill_in.1")) == (2_000, 0)
    assert in_period(evening.state, "bills.validator2.2000") == 1
    evening.crash()
    assert in_period(evening.state, "bill_in") == 2_000


@pytest.mark.requirement("MTR-08")
def test_periods_follow_each_other() -> None:
    evening = Evening(seats=1)
    for number in (0, 1, 3):
        with pytest.raises(FactRefusedError):
            after(evening.state, f.PeriodReset(0, number))


@pytest.mark.requirement("MTR-08")
def test_no_fact_takes_a_meter_back() -> None:
    """Of all facts of a long evening only these lower anything: counts since something begin again with it,
    and the hand payment of a win takes back what the settlement in the same commit has counted."""
    crowd = Crowd(Evening(seats=2, large_win_cents=500, ticket_limit_cents=20_000), 35)
    for _ in range(900):
        crowd.step()
    crowd.go_home()
    state, lowered, kinds = State(), set(), set()
    for kind, body in crowd.evening.journal:
        following = after(state, f.decode(kind, body))
        kinds.add(kind)
        for key, count in state.meters.items():
            if following.meters.get(key, 0) < count:
                lowered.add((kind, key.partition(".")[0]))
        state = following
    assert len(kinds) > 25
    assert ("HandpayOpened", "coin_out") in lowered
    assert lowered <= {
        ("HandpayOpened", "coin_out"),
        ("SessionStarted", "since_power"),
        ("ConditionRaised", "since_door"),
        ("ConditionCleared", "since_door"),
        ("ConditionRaised", "in_box"),
        ("ConditionRaised", "in_box_cents"),
    }
    assert {name for _, name in lowered} - {"coin_out"} <= set(SINCE)


@pytest.mark.requirement("MTR-08")
def test_only_a_memory_clear_begins_the_meters_anew_and_only_as_the_first_fact() -> None:
    with pytest.raises(FactRefusedError, match="at the beginning of a journal"):
        after(Evening(seats=1).state, f.MemoryCleared(0, 9, "", 1, 1, 1, "asked for"))
    cleared = after(State(), f.MemoryCleared(0, 900, "", 40, 30, 31, "asked for"))
    assert cleared == State(next_ref=40, sequence=30, ticket_no=31, conditions=(("M06", ""),))


@pytest.mark.requirement("MTR-01")
def test_a_ticket_in_doubt_counts_when_it_is_known_to_be_out() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    assert counted(evening, "voucher_out", "vouchers") == (0, 0)
    evening.choose("in hand")
    assert counted(evening, "voucher_out.1", "vouchers.1") == (2_000, 1)
