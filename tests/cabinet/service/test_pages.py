"""The pages behind the keys, walked with the four buttons."""

from __future__ import annotations

import pytest

from cabinet.core.conditions import TABLE, Code
from cabinet.core.staff import menu
from cabinet.core.staff.menu import CODES_SHOWN
from cabinet.core.turn import Started, TroubleReported
from cabinet.formats import clock, hex_bytes, stamp
from cabinet.service.pages import BUILDERS
from drivers.device import (
    BarcodeEscrowed,
    Fault,
    FaultCleared,
    FaultRaised,
    Frame,
    Holding,
    Identified,
    InputChanged,
    NoteAccepting,
    NoteEscrowed,
    NoteTable,
    NoteType,
    NoteVendValid,
    TicketDone,
    TicketOutcome,
    ValidatorEnabled,
    ValidatorReport,
)
from support.evenings.evening import WALL_MS, Evening
from support.evenings.service_menu import Bench


def test_every_page_of_the_menu_has_its_builder() -> None:
    assert set(BUILDERS) == set(menu.PAGES)


@pytest.fixture
def bench() -> Bench:
    return Bench()


# ---- the way through the menu


def test_the_technicians_root_and_the_four_buttons(bench: Bench) -> None:
    bench.turn("service")
    root = bench.look()
    assert (root.path, root.key, root.note) == ((), "Key: technician", "Table out of play")
    assert root.menu == (
        "Status",
        "Open matters",
        "Meters",
        "Devices",
        "Lamps and inputs",
        "Recall",
        "Logs",
        "Codes",
    )
    assert (root.back, root.up, root.down, root.enter) == ("", "", "Open matters", "open")
    bench.evening.press(2, "bet_plus", "deal")  # nobody answers for the technician from another seat
    assert bench.look() == root
    bench.evening.press(1, "bet_plus", "bet_plus")
    third = bench.look()
    assert (third.cursor, third.up, third.down) == (2, "Open matters", "Devices")
    bench.choose("Devices", "printer2", "Last frames")
    deep = bench.look()
    assert deep.path == ("Devices", "printer2", "Last frames")
    assert (deep.menu, deep.enter, deep.back) == ((), "", "to printer2")
    bench.evening.press(1, "cash_out", "cash_out")
    assert bench.look().path == ("Devices",)


def test_the_attendants_key_opens_the_open_matters(bench: Bench) -> None:
    bench.turn("attendant")
    page = bench.look()
    assert (page.path, page.key) == (("Open matters",), "Key: attendant")
    assert (page.headline, page.headline_mark, page.panels) == ("Nothing waits", "check", ())


@pytest.mark.parametrize("fault", [Fault.DOCUMENT_STUCK, Fault.NOT_READY])
def test_who_is_called_to_a_validator_that_stands_reads_which_one_and_what_to_do(
    bench: Bench, fault: Fault
) -> None:
    bench.evening.fault("validator1", fault)
    bench.turn("attendant")
    page = bench.look()
    assert (page.headline, page.headline_mark) == ("Look at a device", "warn")
    assert page.subline.startswith("validator1: ")
    assert page.subline.endswith(". Look at it, then restart it here.")
    assert page.menu[0] == "Restart validator1"


def test_who_is_called_for_unknown_tickets_reads_why(bench: Bench) -> None:
    for number in ("001234567890123456", "001234567890123457", "001234567890123458"):
        bench.evening.insert_ticket(1, number)
    bench.turn("attendant")
    assert bench.look().subline == "validator1: tickets that are not ours. See who puts them in."


# ---- open matters


@pytest.mark.requirement("CRD-07", "CRD-13")
def test_matters_stand_with_their_amounts_and_go_when_they_are_settled() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=2, ticket_limit_cents=10_000)
    evening.insert(1, 20_000)
    evening.insert(2, 5_000)
    evening.press(1, "cash_out")
    evening.press(2, "cash_out")
    number = evening.printed(TicketOutcome.UNKNOWN).ticket.validation
    bench.turn("attendant")
    page = bench.look()
    assert (page.headline, page.headline_mark) == ("2 matters wait", "warn")
    assert bench.cells("OPEN") == [
        ("Seat 1", "pay by hand: over the ticket limit", "$200.00"),
        ("Seat 2", f"ticket {number[-4:]} in doubt: the printer cannot tell", "$50.00"),
    ]
    assert page.menu == (
        "Seat 1: paid by hand",
        "Seat 2: ticket in hand",
        "Seat 2: not in hand",
        "Pay a ticket",
        "Table",
        "Recall",
        "Logs",
    )
    assert page.enter == "$200.00"
    bench.choose("Seat 1: paid")
    assert [cells[0] for cells in bench.cells("OPEN")] == ["Seat 2"]
    evening.advance(1_000)
    assert bench.look().enter == f"{number[-4:]}, $50.00"
    bench.choose("Seat 2: ticket in hand")
    assert bench.look().headline == "Nothing waits"


def test_the_second_tap_of_a_hasty_enter_settles_nothing_more() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=2, ticket_limit_cents=10_000, handpay_receipts=False)
    for seat in (1, 2):
        evening.insert(seat, 20_000)
        evening.press(seat, "cash_out")
    bench.turn("attendant")
    bench.choose("Seat 1: paid")
    for later_ms in (0, 120, 400):
        evening.advance(later_ms)
        evening.feed(InputChanged("panel1", evening.at_ms, "seat1.deal", True))
        evening.feed(InputChanged("panel1", evening.at_ms, "seat1.deal", False))
    assert [pay.seat for pay in evening.state.handpays] == [2], "nobody has paid seat 2"
    assert (bench.look().enter, evening.lamps(1)) == ("", set())
    evening.advance(480)
    assert (bench.look().enter, "deal" in evening.lamps(1)) == ("$200.00", True)
    bench.choose("Seat 2: paid")
    assert evening.state.handpays == ()


def test_what_enter_would_record_is_said_in_a_sentence() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=2, ticket_limit_cents=10_000)
    evening.insert(1, 20_000)
    evening.insert(2, 5_000)
    evening.press(1, "cash_out")
    evening.press(2, "cash_out")
    evening.printed(TicketOutcome.UNKNOWN)
    evening.feed(NoteEscrowed("validator2", evening.at_ms, 2_000, 0x63))
    evening.feed(ValidatorReport("validator2", evening.at_ms, Holding.NOTHING))
    last = evening.state.tickets[0].number[-4:]
    bench.turn("attendant")
    said = []
    for _ in range(5):
        said.append(bench.look().subline)
        evening.press(1, "bet_plus")
    assert said == [
        "Seat 1 has been paid $200.00 in cash. The hand payment is closed.",
        f"Seat 2: the ticket of $50.00 is in hand. Whole and readable (..{last}): it is worth its amount.",
        f"Seat 2: no ticket of $50.00 is in hand. Number ..{last} is void, the amount is paid by hand.",
        "The note of $20.00 is in the cash box. Seat 2 gets $20.00 of credit.",
        "The customer has the note of $20.00 back. Seat 2 gets no credit.",
    ]


def test_notes_in_doubt_and_large_wins_wait_for_the_attendant() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=2, deal="10H 9S 7D 10C", large_win_cents=500)
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.feed(NoteEscrowed("validator2", evening.at_ms, 2_000, 0x63))
    evening.feed(ValidatorReport("validator2", evening.at_ms, Holding.NOTHING))
    evening.feed(NoteVendValid("validator1", evening.at_ms))
    bench.turn("attendant")
    assert bench.cells("OPEN") == [
        ("Seat 1", "pay by hand: large win", "$5.00"),
        ("Seat 2", "note in doubt: the validator knows nothing of it", "$20.00"),
        ("validator1", "a note that nobody may credit: it lies in the box, unannounced", "value not known"),
    ]
    evening.switch("key.attendant", False)
    bench.turn("service")
    assert [cells[0] for cells in bench.cells("ACTIVE")] == ["B06", "B06", "H02"]


@pytest.mark.requirement("PRN-07", "PRN-09", "CRD-13")
def test_a_ticket_that_was_put_in_and_a_receipt_in_doubt_wait_for_the_attendant() -> None:
    bench = Bench()
    evening = bench.evening = Evening(seats=2, ticket_limit_cents=6_000)
    number = evening.ticket(1, 5_000)
    evening.feed(BarcodeEscrowed("validator1", evening.at_ms, number))
    evening.feed(ValidatorReport("validator1", evening.at_ms, Holding.NOTHING))
    evening.insert(2, 7_000)
    evening.press(2, "cash_out")
    evening.choose("Seat 2: paid")
    (receipt,) = evening.state.tickets
    evening.feed(TicketDone("printer2", evening.at_ms, receipt.ref, TicketOutcome.UNKNOWN, "jam"))
    bench.turn("attendant")
    assert bench.cells("OPEN") == [
        ("Seat 2", f"receipt {receipt.number[-4:]} in doubt: jam", "worth nothing"),
        ("Seat 1", f"ticket {number[-4:]} put in, in doubt: the validator knows nothing of it", "$50.00"),
    ]
    assert bench.look().menu[0] == "Seat 2: receipt in hand"
    bench.choose("Seat 2: not in hand")
    bench.choose("Seat 1: ticket in box")
    assert evening.credits() == (5_000, 0)
    assert bench.look().headline == "Nothing waits"


def test_win_over_the_credit_limit_and_odd_cents_have_their_words() -> None:
    bench = Bench()
    evening = bench.evening = Evening(
        "10H 9S 7D 10C", seats=2, credit_limit_cents=10_000, payout_unit_cents=5
    )
    evening.deal(1)
    evening.press(1, "stand")
    evening.land()
    evening.insert(2, 3)
    evening.press(2, "cash_out")
    bench.turn("attendant")
    assert [cells[1] for cells in bench.cells("OPEN")] == [
        "pay by hand: win over the credit limit",
        "pay by hand: less than a ticket pays",
    ]


def test_a_round_of_the_day_before_waits_with_its_bets(bench: Bench) -> None:
    evening = bench.evening
    evening.deal(1)
    evening.feed(Started(evening.at_ms, False, WALL_MS + 25 * 3_600_000))
    bench.turn("attendant")
    assert bench.cells("OPEN") == [("Table", "round 1 is older than a day", "$5.00")]
    assert bench.look().menu[:3] == ("Round: play on", "Round: all bets back", "Pay a ticket")


# ---- status


@pytest.mark.requirement("BIL-06", "PRN-04")
def test_status_names_every_fault_since_when_and_what_clears_it(bench: Bench) -> None:
    evening = bench.evening
    evening.advance(1_500)
    evening.feed(FaultRaised("validator1", evening.at_ms, Fault.JAM, "jam in the acceptor"))
    evening.advance(2_000)
    evening.feed(FaultRaised("printer2", evening.at_ms, Fault.PAPER_LOW))
    evening.switch("door.main", True)
    bench.turn("service")
    page = bench.look()
    assert (page.headline, page.headline_mark, page.subline) == (
        "3 faults are active",
        "warn",
        "Play is stopped.",
    )
    assert bench.cells("ACTIVE") == [
        ("D01", "main door open", clock(WALL_MS + 3_500), "play stopped", "when the cause is gone"),
        (
            "B01",
            "note jam, validator1, jam in the acceptor",
            clock(WALL_MS + 1_500),
            "device stopped",
            "cause gone, attendant key",
        ),
        ("T01", "paper low, printer2", clock(WALL_MS + 3_500), "warning", "when the cause is gone"),
    ]
    evening.feed(FaultCleared("printer2", evening.at_ms, Fault.PAPER_LOW))
    evening.switch("door.main", False)
    assert [cells[0] for cells in bench.cells("ACTIVE")] == ["B01"]


def test_status_knows_since_when_a_ticket_is_in_doubt_or_the_storage_is_gone(bench: Bench) -> None:
    evening = bench.evening
    evening.insert(1, 2_000)
    evening.advance(4_000)
    evening.press(1, "cash_out")
    evening.advance(2_000)
    evening.printed(TicketOutcome.UNKNOWN)
    bench.turn("service")
    assert [cells[2] for cells in bench.cells("ACTIVE")] == [clock(WALL_MS + 4_000)]
    evening.feed(TroubleReported(evening.at_ms, Code.STORAGE_FAILED, "disk full"))
    assert bench.cells("ACTIVE")[0] == (
        "M03",
        "storage failed, disk full",
        clock(WALL_MS + 6_000),
        "play stopped",
        "cause gone, power off, on",
    )


def test_status_of_a_sound_cabinet_and_what_program_it_runs(bench: Bench) -> None:
    bench.turn("service")
    assert bench.look().headline == "No faults are active"
    facts = bench.facts("PROGRAM")
    assert (facts["Software"], facts["Session"]) == ("0", "1, the first one")
    assert facts["Machine"] == "0003-031, id 00401E"
    table = bench.facts("TABLE")
    assert (table["Round"], table["On the seats"]) == ("none yet", "$0.00")


def test_a_fault_that_outlives_its_session_was_there_earlier(bench: Bench) -> None:
    evening = bench.evening
    evening.insert(1, 2_000)
    evening.stacked.broken = True
    evening.press(1, "bet_plus", "deal")
    evening.start(clean=False)
    bench.turn("service")
    assert bench.facts("PROGRAM")["Session"] == "2, after a power cut or a crash"
    assert [cells[:3] for cells in bench.cells("ACTIVE")] == [
        ("F04", "random number generator failed", "earlier")
    ]


# ---- devices


def test_devices_have_one_line_each(bench: Bench) -> None:
    evening = bench.evening
    evening.feed(Identified("validator1", evening.at_ms, "i(USA)100-SS ID003"))
    evening.feed(ValidatorEnabled("validator1", evening.at_ms, True))
    evening.feed(FaultRaised("printer1", evening.at_ms, Fault.PAPER_OUT))
    bench.turn("service")
    bench.choose("Devices")
    page = bench.look()
    assert page.menu == ("validator1", "validator2", "printer1", "printer2", "panel1")
    assert bench.cells("DEVICES") == [
        ("validator1", "ready for a note", "i(USA)100-SS ID003"),
        ("validator2", "has not answered yet", "-"),
        ("printer1", "T02 printer out of paper", "-"),
        ("printer2", "ready to print", "-"),
        ("panel1", "inputs are read", "-"),
    ]
    assert bench.marks("DEVICES") == ["check", "warn", "warn", "check", "check"]
    assert (page.headline, page.subline) == ("Not all devices are well", "validator2, printer1")
    evening.feed(ValidatorReport("validator2", evening.at_ms, Holding.NOTHING))
    assert bench.cells("DEVICES")[1] == ("validator2", "answers, takes no notes now", "-")


@pytest.mark.requirement("BIL-08", "BIL-10")
def test_a_validator_tells_notes_stacker_last_note_and_its_wire(bench: Bench) -> None:
    evening = bench.evening
    evening.feed(NoteTable("validator1", 0, (NoteType(0x63, "USD", 2_000), NoteType(0x61, "USD", 500))))
    evening.feed(Identified("validator1", 0, "i(USA)100-SS ID003-05V280-42 01AUG17"))
    evening.advance(61_204)
    evening.insert(1, 2_000)
    told = bench.told["validator1"]
    told.port = "/dev/cabinet/validator1, 9600 8E1"
    told.counts = {"polls": 43_270, "bad_checksum": 2, "no_answer": 0}
    told.heard = [Frame(61_204, False, bytes.fromhex("FC0512BC64"), "ACCEPTING")]
    bench.turn("service")
    bench.choose("Devices", "validator1")
    facts = bench.facts("DEVICE")
    assert (facts["Unit"], facts["Port"], facts["Seats"]) == ("i(USA)100-SS", told.port, "1")
    assert facts["Firmware"] == "ID003-05V280-42 01AUG17"
    assert facts["Notes"] == "$5, $20"
    assert facts["Stacker"] == "in place, 1 ever stacked"
    assert facts["Last note"] == f"$20.00, {clock(WALL_MS + 61_204)}"
    assert bench.cells("LINK") == [("Polls", "43270"), ("Bad checksum", "2"), ("No answer", "0")]
    assert bench.marks("LINK") == ["", "warn", "check"]
    assert bench.cells("LAST ON") == [(clock(WALL_MS + 61_204), "from", "FC 05 12 BC 64", "ACCEPTING")]
    assert bench.look().menu == ("Last frames", "Restart device")
    evening.press(1, "bet_plus")
    assert bench.look().enter == "restart"
    evening.feed(NoteAccepting("validator1", evening.at_ms))
    assert bench.look().headline == "A document is inside"


def test_a_printer_tells_its_last_ticket_and_what_stands_in_its_chute(bench: Bench) -> None:
    evening = bench.evening
    evening.insert(2, 2_000)
    evening.press(2, "cash_out")
    evening.advance(3_000)
    evening.printed()
    bench.turn("service")
    bench.choose("Devices", "printer2")
    facts = bench.facts("DEVICE")
    assert facts["Last ticket"] == clock(WALL_MS + 3_000)
    assert facts["In the chute"] == "$20.00"
    bench.evening.press(1, "cash_out")
    bench.choose("printer1")
    assert bench.facts("DEVICE")["Last ticket"] == "none in this session"


def test_a_fault_is_the_headline_of_its_device(bench: Bench) -> None:
    evening = bench.evening
    evening.feed(FaultRaised("validator1", 0, Fault.LINK_LOST, "no answer to 51 requests on /dev/x"))
    bench.turn("service")
    bench.choose("Devices", "validator1")
    page = bench.look()
    assert page.headline == "B04 bill validator does not answer"
    assert (page.subline, page.headline_mark) == ("no answer to 51 requests on /dev/x", "warn")


def test_the_last_frames_stand_in_order_with_who_sent_them(bench: Bench) -> None:
    bench.told["printer1"].heard = [
        Frame(number * 10, number % 2 == 1, bytes([number]) * (20 if number == 30 else 2), f"frame {number}")
        for number in range(31)
    ]
    bench.turn("service")
    bench.choose("Devices", "printer1", "Last frames")
    rows = bench.cells("LAST ON")
    assert len(rows) == 14
    assert rows[0] == (clock(WALL_MS + 170), "to", "11 11", "frame 17")
    assert rows[-1][2] == "1E " * 15 + "1E .. 20 bytes"
    assert bench.marks("LAST ON")[:2] == ["to", "from"]
    assert bench.look().headline == "The last 14 frames"
    assert bench.look().path == ("Devices", "printer1", "Last frames")


# ---- inputs and lamps


def test_inputs_are_live_and_a_lamp_is_switched_by_hand(bench: Bench) -> None:
    bench.panel.levels = {"seat1.hit": True, "seat1.stand": False, "key.service": True, "door.main": False}
    bench.evening.advance(2_000)
    bench.evening.press(2, "stand")
    bench.turn("service")
    bench.choose("Lamps and inputs")
    page = bench.look()
    assert bench.cells("INPUTS") == [("seat1", "[hit]  stand"), ("key", "[service]"), ("door", "main")]
    assert bench.cells("DOORS") == [("main", "closed")]
    assert page.subline == "2 inputs are active: seat1.hit, key.service"
    assert (clock(WALL_MS + 2_000), "seat2.stand") in bench.cells("LAST PRESSES")
    assert page.enter == "switch on"
    bench.choose("Lamp seat1.hit")
    page = bench.look()
    assert (page.headline, page.enter) == ("Lamp seat1.hit is on", "switch off")
    assert [name for name in page.menu if name.endswith(", on")] == ["Lamp seat1.hit, on"]
    bench.evening.press(1, "cash_out")
    assert not bench.evening.live.lamp_test


# ---- how things are written


def test_hex_and_time() -> None:
    assert hex_bytes(b"\xfc\x05") == "FC 05"
    assert clock(((9 * 60 + 11) * 60 + 46) * 1000 + 204) == "09:11:46.204"


# ---- closing


@pytest.mark.requirement("CRD-04")
def test_the_attendant_closes_and_opens_the_table(bench: Bench) -> None:
    bench.turn("attendant")
    bench.choose("Table")
    page = bench.look()
    assert (page.path, page.menu) == (("Open matters", "Table"), ("Leave it as it is", "Close the table"))
    assert (page.headline, page.headline_mark) == ("The table is open", "check")
    bench.choose("Close")
    page = bench.look()
    assert (page.headline, page.headline_mark) == ("The table is closed", "warn")
    assert page.menu == ("Leave it as it is", "Open the table")
    bench.evening.switch("key.attendant", False)
    bench.turn("service")
    assert bench.cells("ACTIVE")[0][:2] == ("H06", "closed by the attendant")
    assert bench.cells("ACTIVE")[0][3] == "no new round"


def test_a_clock_that_no_calendar_has_is_told_as_it_stands() -> None:
    """A log is read unchecked: a bit that flipped in a time must not end the program that shows it."""
    assert stamp(1_000) == "1970-01-01 00:00:01"
    assert stamp(1 << 62) == f"clock {1 << 62} ms"
    assert stamp(-(1 << 62)) == f"clock {-(1 << 62)} ms"


# ---- codes


def test_the_table_of_codes_is_kept_in_the_machine(bench: Bench) -> None:
    """All of them, with what each means, stops and needs; what is active now is marked."""
    bench.evening.fault("printer1", Fault.PAPER_LOW)
    bench.turn("service")
    bench.choose("Codes")
    rows, marked = [], []
    screens = -(-len(TABLE) // CODES_SHOWN)
    for more in (*(screens - 1) * (True,), False):
        rows += bench.cells("CODE")
        marked += [mark for mark in bench.marks("CODE") if mark]
        assert ("Further codes" in bench.look().menu) is more
        if more:
            bench.choose("Further codes")
    assert [cells[:2] for cells in rows] == [(row.code, row.name) for row in TABLE]
    assert all(effect and clears for _, _, effect, clears in rows)
    assert marked == ["warn"]
    bench.choose("Earlier codes")
    first = (screens - 2) * CODES_SHOWN + 1
    assert bench.look().headline.startswith(f"Codes {first} to {first + CODES_SHOWN - 1} of ")
    bench.evening.press(1, "cash_out")
    assert bench.look().path == ()
