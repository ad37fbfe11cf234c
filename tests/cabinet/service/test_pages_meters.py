"""The pages of the meters: every one with its name, unit and seat, beside what proves them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.conditions import Code
from cabinet.core.live import with_trouble
from cabinet.core.look import ServiceLook
from cabinet.core.past import meter_list
from cabinet.core.state.meters import rule_set
from cabinet.core.turn import TroubleReported
from cabinet.formats import clock, day
from drivers.device import Fault, TicketOutcome
from game.rules import Rules
from support.evenings.evening import WALL_MS, Evening
from support.evenings.service_menu import Bench

MONEY = [meter.name for meter in meter_list.MONEY]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def played() -> Bench:
    """Seat 1 has won $5, seat 2 has had its $20 printed."""
    bench = Bench()
    evening = bench.evening
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.insert(2, 2_000)
    evening.press(2, "cash_out")
    evening.printed()
    return bench


def opened(bench: Bench, *labels: str) -> ServiceLook:
    bench.turn("service")
    bench.choose("Meters", *labels)
    return bench.look()


def column(bench: Bench, title: str, place: int = 1) -> dict[str, str]:
    """One column of a table of meters, by name; the head is left out."""
    return {cells[0]: cells[place] for cells in bench.cells(title)[1:]}


@pytest.mark.requirement("MTR-01", "MTR-10")
def test_the_first_page_has_the_cabinets_meters_and_their_proof(played: Bench) -> None:
    page = opened(played)
    assert (page.headline, page.headline_mark) == ("The books balance", "check")
    assert page.subline == (
        "All seats: meters tell $105.00, accounts hold $105.00. Sum of all accounts $0.00."
    )
    assert page.panels[0].title == "CABINET, MONEY IN USD"
    assert played.cells("CABINET, MONEY")[0] == ("", "Since first start", "Period 1")
    assert column(played, "CABINET, MONEY") == dict(
        zip(
            MONEY,
            ["$5.00", "$10.00", "$0.00", "$0.00", "$120.00", "$0.00", "$20.00", "$120.00", "$0.00"],
            strict=True,
        )
    )
    counts = column(played, "CABINET, COUNTS")
    assert list(counts)[:4] == ["Games played", "Games won", "Games lost", "Games pushed"]
    assert (counts["Games played"], counts["Games won"], counts["Notes in"], counts["Tickets out"]) == (
        "1", "1", "2", "1",
    )  # fmt: skip
    assert page.menu[:3] == ("Seat 1", "Seat 2", "Doors and keys")


@pytest.mark.requirement("MTR-01", "MTR-10")
def test_every_seat_has_a_page_that_names_it(played: Bench) -> None:
    page = opened(played, "Seat 2")
    assert page.path == ("Meters", "Seat 2")
    assert (page.headline, page.subline) == ("Seat 2 balances", "Meters tell $0.00, accounts hold $0.00.")
    assert [panel.title for panel in page.panels] == ["SEAT 2, MONEY IN USD", "SEAT 2, COUNTS"]
    money = column(played, "SEAT 2, MONEY")
    assert (money["Notes in"], money["Tickets out"], money["Coin in (bets)"]) == ("$20.00", "$20.00", "$0.00")


@pytest.mark.requirement("CRD-03")
def test_bets_of_an_open_round_are_on_neither_side(bench: Bench) -> None:
    bench.evening.deal(1)
    page = opened(bench, "Seat 1")
    assert (page.headline, page.subline) == ("Seat 1 balances", "Meters tell $95.00, accounts hold $95.00.")


@pytest.mark.requirement("MTR-03")
def test_what_was_opened_and_done_stands_on_one_page(bench: Bench) -> None:
    evening = bench.evening
    for name in ("door.main", "door.main", "door.drop", "key.attendant"):
        evening.switch(name, True)
        evening.switch(name, False)
    evening.fault("validator1", Fault.STACKER_OPEN)
    evening.start(clean=False)
    page = opened(bench, "Doors and keys")
    found = column(bench, "OCCURRENCES")
    assert page.headline == "1 power reset since the first start"
    assert (found["Main door opened"], found["Drop door opened"], found["Cash box removed"]) == (
        "2",
        "1",
        "1",
    )
    assert (found["Attendant menu entered"], found["Service menu entered"]) == ("1", "1")
    assert (found["Power resets"], found["Starts"]) == ("1", "2")


@pytest.mark.requirement("MTR-03")
def test_faults_are_counted_by_their_kind(bench: Bench) -> None:
    for _ in range(2):
        bench.evening.fault("printer1", Fault.PAPER_JAM)
        bench.evening.switch("key.attendant", True)
        bench.evening.mended("printer1", Fault.PAPER_JAM)
        bench.evening.switch("key.attendant", False)
    bench.evening.fault("validator1", Fault.JAM)
    page = opened(bench, "Faults counted")
    assert page.headline == "3 faults have begun"
    assert list(column(bench, "FAULTS").items()) == [("T03 printer jam", "2"), ("B01 note jam", "1")]


@pytest.mark.requirement("MTR-02")
def test_notes_stand_by_validator_and_by_value(bench: Bench) -> None:
    evening = bench.evening
    for cents in (500, 500, 2_000):
        evening.insert(1, cents)
    evening.fault("validator1", Fault.STACKER_OPEN)
    evening.mended("validator1", Fault.STACKER_OPEN)
    evening.insert(1, 10_000)
    page = opened(bench, "Notes by value")
    assert page.headline == "4 notes are in"
    assert bench.cells("NOTES BY")[1:] == [
        ("validator1", "4", "$130.00", "1", "$100.00"),
        ("validator2", "0", "$0.00", "0", "$0.00"),
    ]
    bench.choose("validator1")
    assert bench.look().path == ("Meters", "Notes by value", "validator1")
    assert bench.cells("VALIDATOR1")[1:] == [
        ("$5.00", "2", "$10.00", "2", "$10.00"),
        ("$20.00", "1", "$20.00", "1", "$20.00"),
        ("$100.00", "1", "$100.00", "1", "$100.00"),
    ]


@pytest.mark.requirement("MTR-04")
def test_house_rules_have_their_own_meters_beside_their_theoretical_return(played: Bench) -> None:
    other = Rules(dealer_hits_soft_17=True)
    played.evening.crash(rules=other, theoretical_return="99.29 %")
    page = opened(played, "House rules")
    assert page.headline == "Theoretical return 99.29 %"
    assert played.cells("BY SET")[1:] == [
        (rule_set(other), "0", "$0.00", "$0.00", "-", "99.29 %"),
        (rule_set(Rules()), "1", "$5.00", "$10.00", "200.00 %", "-"),
    ]


def test_hard_meters_tell_what_they_were_given_and_owe(played: Bench) -> None:
    page = opened(played, "Hard meters")
    assert page.headline == "Hard meters owe 260 pulses"
    assert played.cells("HARD")[1:] == [
        ("in", "panel1", "0", "$120.00", "120"),
        ("out", "panel1", "0", "$20.00", "20"),
        ("drop", "panel1", "0", "$120.00", "120"),
    ]


@pytest.mark.requirement("MTR-08")
def test_a_period_is_begun_on_its_page_once_and_only_when_something_has_counted(played: Bench) -> None:
    page = opened(played, "Period 1")
    assert page.headline == "Period 1 began with the first start"
    played.evening.advance(5_000)
    played.choose("Leave it as it is", "Period 1", "Begin a new period")
    page = played.look()
    assert page.headline == f"Period 2 began on {day(WALL_MS)} at {clock(WALL_MS + played.evening.at_ms)[:8]}"
    assert page.menu == (), "a second press does nothing"
    assert set(column(played, "CABINET, MONEY", 2).values()) == {"$0.00"}
    assert column(played, "CABINET, MONEY")["Notes in"] == "$120.00"
    played.evening.press(1, "deal", "deal")
    assert len(played.evening.facts("PeriodReset")) == 1


# ---- at any time


def _paper_out(evening: Evening) -> None:
    evening.fault("printer1", Fault.PAPER_OUT)


def _jam(evening: Evening) -> None:
    evening.fault("printer1", Fault.PAPER_JAM)


def _ticket_in_doubt(evening: Evening) -> None:
    evening.press(2, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)


def _door(evening: Evening) -> None:
    evening.switch("door.main", True)


def _nothing_is_wrong(evening: Evening) -> None: ...


@pytest.mark.requirement("MTR-09")
@pytest.mark.parametrize("trouble", [_nothing_is_wrong, _paper_out, _jam, _ticket_in_doubt, _door])
def test_meters_are_read_by_key_whatever_is_wrong(trouble: Callable[[Evening], None]) -> None:
    bench = Bench()
    bench.evening.insert(2, 2_000)
    trouble(bench.evening)
    page = opened(bench, "Seat 2")
    assert (page.headline, page.headline_mark) == ("Seat 2 balances", "check")
    assert column(bench, "SEAT 2, MONEY")["Notes in"] == "$20.00"


@pytest.mark.requirement("MTR-09", "MEM-05")
@pytest.mark.parametrize("what", ["storage", "books"])
def test_meters_are_read_as_doubtful_when_nothing_can_be_written(bench: Bench, what: str) -> None:
    evening = bench.evening
    evening.insert(1, 2_000)
    if what == "storage":
        evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full"))
    else:
        evening.live = with_trouble(
            evening.live, Code.ACCOUNTING_ERROR, "seat 1: meters tell 1 cents, accounts hold 2"
        )
    rows, evening.acts = len(evening.journal), []
    page = opened(bench)
    assert page.headline_mark == "warn"
    code = "M03 storage failed" if what == "storage" else "M05 accounting error"
    assert page.headline == f"Doubtful: {code}"
    bench.choose("Seat 1")
    assert column(bench, "SEAT 1, MONEY")["Notes in"] == "$20.00"
    evening.press(1, "cash_out")
    bench.choose("Period 1", "Begin a new period")
    evening.press(1, "cash_out", "cash_out")
    bench.choose("Devices", "validator1", "Restart device")
    assert (len(evening.journal), evening.acts) == (rows, []), "nothing on them can be done"
    assert bench.look().path == ("Devices", "validator1")
    evening.switch("key.service", False)
    assert evening.live.key == ""
