"""Logs: each entry with when it occurred, and when, how and by whom it was settled."""

from __future__ import annotations

import pytest

from cabinet.core.past.logs import LIMITS, Ending, Log, LogEntry
from drivers.device import (
    BarcodeEscrowed,
    Fault,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteVendValid,
    TicketOutcome,
)
from support.evenings.evening import WALL_MS, Evening
from support.evenings.recalled import log_of


def brief(entry: LogEntry) -> tuple[str, str, str]:
    """What, how it ended, and by whom."""
    return entry.what, "" if entry.end is None else entry.end.how, "" if entry.end is None else entry.end.by


@pytest.mark.requirement("REC-04")
def test_forty_notes_stand_with_time_value_seat_and_device() -> None:
    evening = Evening(seats=2)
    for number in range(40):
        evening.advance(1_000)
        evening.insert(1 + number % 2, 500 * (1 + number % 3))
    log = log_of(evening, Log.BILLS)
    assert len(log) == 40
    newest = log[0]
    assert (newest.wall_ms, newest.seat, newest.device, newest.cents) == (
        WALL_MS + 40_000, 2, "validator2", 500,
    )  # fmt: skip
    assert newest.end == Ending(WALL_MS + 40_000, "accepted", "validator")
    assert [entry.cents for entry in reversed(log)] == [500 * (1 + number % 3) for number in range(40)]


@pytest.mark.requirement("REC-04")
def test_notes_that_went_back_stand_with_why() -> None:
    evening = Evening(seats=1, credit_limit_cents=5_000)
    evening.insert(1, 10_000)
    evening.feed(NoteEscrowed("validator1", evening.at_ms, 2_000, 1))
    evening.feed(NoteGivenBack("validator1", evening.at_ms, "pulled"))
    log = log_of(evening, Log.BILLS)
    assert brief(log[1])[:2] == ("note refused", "returned: credit limit")
    assert brief(log[0]) == ("note", "returned: pulled", "validator")
    assert (log[0].cents, log[1].cents) == (2_000, 10_000)


@pytest.mark.requirement("REC-05", "PRN-07")
def test_a_ticket_stands_with_the_end_of_its_number_and_never_with_more() -> None:
    evening = Evening(seats=2)
    for seat in (1, 2):
        evening.insert(seat, 2_000)
        evening.press(seat, "cash_out")
    one, two = evening.state.tickets
    evening.printed()
    log = log_of(evening, Log.TICKETS_OUT)
    assert [(entry.what, entry.seat, entry.cents) for entry in log] == [
        ("ticket 0002", 2, 2_000),
        ("ticket 0001", 1, 2_000),
    ]
    assert brief(log[0]) == ("ticket 0002", "printed", "printer")
    assert log[1].end is None, "its outcome is still to come"
    told = repr([log_of(evening, each) for each in Log])
    assert two.number[-4:] in told
    for ticket in (one, two):
        assert ticket.number not in told
        assert ticket.number[-5:] not in told


@pytest.mark.requirement("REC-06", "PRN-07")
def test_tickets_that_come_in_stand_with_what_became_of_them() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    number = evening.printed().ticket.validation
    evening.feed(BarcodeEscrowed("validator1", evening.at_ms, number))
    evening.feed(NoteVendValid("validator1", evening.at_ms))
    evening.feed(NoteStacked("validator1", evening.at_ms))
    evening.feed(BarcodeEscrowed("validator1", evening.at_ms, number))
    log = log_of(evening, Log.TICKETS_IN)
    assert brief(log[1]) == ("ticket", "redeemed", "validator")
    assert (log[1].cents, log[1].detail) == (2_000, f"..{number[-4:]}")
    assert log[0].what == "ticket refused"
    assert log[0].end is not None
    assert log[0].end.how.startswith("returned: ")
    assert log_of(evening, Log.TICKETS_OUT)[0].end == Ending(
        log[1].end.wall_ms if log[1].end else 0, "redeemed here", "validator"
    )


@pytest.mark.requirement("REC-08")
def test_a_hand_payment_stands_with_who_paid_it_and_one_that_waits_is_open() -> None:
    evening = Evening(seats=2, ticket_limit_cents=1_000)
    for seat in (1, 2):
        evening.insert(seat, 2_000)
        evening.press(seat, "cash_out")
    evening.advance(5_000)
    evening.choose("Seat 1: paid")
    log = {entry.seat: entry for entry in log_of(evening, Log.HANDPAYS)}
    assert (log[1].cents, log[1].detail) == (2_000, "over the ticket limit")
    assert log[1].end is not None
    assert (log[1].end.how, log[1].end.by) == ("paid", "attendant")
    assert log[1].end.wall_ms >= log[1].wall_ms + 5_000
    assert log[2].end is None


@pytest.mark.requirement("REC-08")
def test_a_changed_setting_stands_with_both_values_and_the_file() -> None:
    evening = Evening(seats=1, settings=(("cabinet.volume_percent", "60"),), settings_from="slot1.toml")
    evening.crash(settings=(("cabinet.volume_percent", "40"),))
    newest = log_of(evening, Log.CONFIG)[0]
    assert (newest.what, newest.detail) == ("cabinet.volume_percent", "60 -> 40")
    assert newest.end is not None
    assert newest.end.by == "slot1.toml"
    assert any(entry.what == "settings changed" for entry in log_of(evening, Log.EVENTS))


@pytest.mark.requirement("REC-10")
def test_each_fault_stands_with_its_beginning_its_end_and_who_ended_it() -> None:
    evening = Evening(seats=1)
    evening.switch("door.main", True)
    evening.advance(2_000)
    evening.switch("door.main", False)
    evening.fault("validator1", Fault.JAM, "it is stuck")
    evening.advance(3_000)
    evening.mended("validator1", Fault.JAM)
    evening.switch("key.attendant", True)
    evening.advance(1_000)
    evening.switch("key.attendant", False)
    evening.fault("printer1", Fault.PAPER_OUT)
    log = {entry.code: entry for entry in log_of(evening, Log.EVENTS)}
    door, jam, key, paper = log["D01"], log["B01"], log["H04"], log["T02"]
    assert (door.wall_ms, door.end) == (WALL_MS, Ending(WALL_MS + 2_000, "over", "self"))
    assert (jam.device, jam.detail) == ("validator1", "it is stuck")
    assert jam.end == Ending(WALL_MS + 5_000, "over", "attendant")
    assert key.end == Ending(WALL_MS + 6_000, "turned back", "attendant")
    assert (paper.end, paper.momentary) == (None, False), "it is still there"


@pytest.mark.requirement("REC-10")
def test_what_a_power_cut_has_ended_says_so_and_what_a_person_must_clear_stays_open() -> None:
    evening = Evening(seats=1)
    evening.fault("printer1", Fault.PAPER_OUT)
    evening.fault("validator1", Fault.JAM, "it is stuck")
    evening.advance(4_000)
    evening.wall_ms += 60_000
    evening.crash()
    log = log_of(evening, Log.EVENTS)
    paper = next(entry for entry in log if entry.code == "T02")
    assert paper.end is not None
    assert paper.end.by == "restart"
    assert next(entry for entry in log if entry.code == "B01").end is None
    assert log[0].what == "start after a power cut or a crash"


@pytest.mark.requirement("REC-10")
def test_a_ticket_in_doubt_stands_with_who_looked_for_it() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 2_000)
    evening.press(1, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    assert next(entry for entry in log_of(evening, Log.EVENTS) if entry.code == "T05").end is None
    evening.choose("in hand")
    doubt = next(entry for entry in log_of(evening, Log.EVENTS) if entry.code == "T05")
    assert brief(doubt) == ("ticket in doubt", "printed", "attendant")


def test_the_view_keeps_ten_thousand_events() -> None:
    assert LIMITS[Log.EVENTS] == 10_000
    assert min(LIMITS.values()) >= 100
