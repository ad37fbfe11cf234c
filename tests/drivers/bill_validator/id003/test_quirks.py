"""What is known to trip hosts of ID-003 up, one test for each: what a unit may do, and what hosts did wrong.

Faults, restarts and lost frames have files of their own beside this one.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from drivers.bill_validator.common.desk import NoteDesk
from drivers.bill_validator.id003.codec import (
    COUNTRIES,
    FAILURES,
    REJECTS,
    SYNC,
    Command,
    Decoder,
    Id003Message,
    Status,
    frame,
    meaning,
    parse_currency_table,
)
from drivers.bill_validator.id003.options import Options
from drivers.device import (
    DeviceEvent,
    Fault,
    FaultCleared,
    FaultRaised,
    Identified,
    NoteAccepting,
    NoteEscrowed,
    NoteGivenBack,
    NoteStacked,
    NoteTable,
    NoteType,
    NoteVendValid,
    ValidatorEnabled,
    ValidatorReport,
)
from drivers.link import Link, LinkError, SerialSettings
from drivers.registry import Io, make
from drivers.sim.id003 import Id003Machine
from drivers.sim.validator.path import UNPOLLED_MS, PathState, Quirks
from drivers.sim.validator.sheets import Sheet
from drivers.tables import read
from support.devices.scripted_unit import ScriptedUnit
from support.devices.validator_bench import PORT, Bench, bench, no_bank

TWENTY = b"\x65"
SET_UP_MS = 3000
TWO_POLLS_MS = 450


def scripted(unit: ScriptedUnit | None = None) -> Bench[ScriptedUnit]:
    """A unit that does what the test says, set up and taking notes."""
    table = Bench(unit or ScriptedUnit(Status.INITIALIZE))
    table.validator.accept(True)
    table.run(SET_UP_MS)
    table.events.clear()
    table.machine.commands.clear()
    return table


def in_escrow(table: Bench[ScriptedUnit]) -> Bench[ScriptedUnit]:
    show(table, Status.ACCEPTING)
    table.machine.show(Status.ESCROW, TWENTY)
    table.run_until(NoteEscrowed)
    return table


def show(table: Bench[ScriptedUnit], status: int, data: bytes = b"") -> None:
    """The unit is in this status for two polls."""
    table.machine.show(status, data)
    table.run(TWO_POLLS_MS)


def told(table: Bench[ScriptedUnit]) -> list[type[DeviceEvent]]:
    return [type(event) for event in table.events]


# ---- the line


def test_the_port_is_opened_9600_8e1_without_flow_control_and_with_rts_off() -> None:
    """Some units wire RTS to a lamp in their bezel."""
    asked: list[SerialSettings] = []

    def open_link(settings: SerialSettings) -> Link:
        asked.append(settings)
        raise LinkError(Fault.PORT_MISSING, "no port")

    device = make("bill_validator", "id003", "validator1", {"port": PORT}, Io(open_link, no_bank))  # type: ignore[arg-type]
    device.tick(0)
    (settings,) = asked
    assert (settings.baud, settings.data_bits, settings.parity, settings.stop_bits) == (9600, 8, "E", 1)
    assert not settings.rts
    assert not settings.xonxoff
    assert not settings.rtscts


def test_a_unit_that_runs_at_19200_is_a_setting() -> None:
    table = Bench(Id003Machine(), baud=19_200, options={"baud": 19_200})
    table.make_ready()
    assert table.machine.insert(2000, table.now_ms)
    table.run_until(NoteEscrowed)


def test_a_line_of_the_wrong_parity_loses_half_of_the_bytes_and_is_no_validator() -> None:
    """Under 8N1 the parity bit stands where the stop bit should: every byte with an even parity is lost."""
    unit = ScriptedUnit(Status.ESCROW, TWENTY)

    def answer(message: Id003Message) -> bytes:
        whole = unit.usual(message) or b""
        return bytes(byte for byte in whole if byte.bit_count() % 2)

    unit.answer = answer
    table = Bench(unit)
    table.validator.accept(True)
    table.run(10_000)
    assert told(table) == [FaultRaised]
    assert table.of(FaultRaised)[0].fault is Fault.LINK_LOST
    assert unit.count(Command.STACK_2) == 0


@pytest.mark.parametrize(
    "stray", [b"\x00", b"\x00\x00\x00", b"\x55", b"\xff\xff", b"\xfc", b"\xfc\x05", b"\xfc\xfc\x07"]
)
def test_stray_bytes_before_every_answer_do_no_harm(stray: bytes) -> None:
    """Units send zero bytes at power-up; noise may be anything, the beginning of a frame too."""
    unit = ScriptedUnit(Status.INITIALIZE)
    unit.answer = lambda message: stray + (unit.usual(message) or b"")
    table = in_escrow(scripted(unit))
    table.validator.stack()
    table.machine.show(Status.VEND_VALID)
    table.run_until(NoteVendValid)
    assert not table.of(FaultRaised)


def test_there_is_one_request_in_flight_and_the_next_waits_for_its_answer() -> None:
    """Two senders on one port talk over each other: orders wait for the poll that is on the line."""
    table = bench(Id003Machine(quirks=Quirks(turnaround_ms=25)))
    table.make_ready()
    table.machine.insert(2000, table.now_ms)
    for _ in range(400):  # orders at every moment
        table.validator.accept(table.now_ms % 3 == 0)
        table.validator.stack()
        table.validator.give_back()
        table.run(7)
        lines = [line for line in table.validator.frames() if not line.sent or line.data[2] != Command.ACK]
        assert all(first.sent != second.sent for first, second in pairwise(lines)), "request, answer, request"
    counts = table.validator.statistics()
    assert counts["answered"] > 25
    assert counts["no_answer"] == 0


@pytest.mark.parametrize(("options", "polls"), [({}, 5), ({"poll_ms": 100}, 10), ({"poll_ms": 1000}, 1)])
def test_the_rhythm_of_the_polls_is_200_ms_and_a_setting(options: dict[str, int], polls: int) -> None:
    table = Bench(Id003Machine(), options=dict(options))
    table.make_ready()
    before = table.validator.statistics()["polls"]
    table.run(10_000)
    assert abs(table.validator.statistics()["polls"] - before - 10 * polls) <= 1


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("poll_ms", (100, 1000), (99, 1001)),
        ("answer_ms", (50, 3000), (49, 3001)),
        ("missed_polls", (2, 20), (1, 21)),
    ],
)
def test_times_outside_what_units_bear_are_refused(
    name: str, good: tuple[int, int], bad: tuple[int, int]
) -> None:
    for value in good:
        assert read(Options, {"port": PORT, name: value})[1] == []
    for value in bad:
        (row,) = read(Options, {"port": PORT, name: value})[1]
        assert (row.key, row.allowed) == (name, f"a whole number, {good[0]} to {good[1]}")


# ---- frames


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (Command.STATUS_REQUEST, Status.IDLING),
        (Command.RESET, Status.POWER_UP),
        (Command.STACK_1, Status.POWER_UP_IN_ACCEPTOR),
        (Command.STACK_2, Status.POWER_UP_IN_STACKER),
        (Command.RETURN, Status.STACKER_FULL),
        (Command.HOLD, Status.STACKER_OPEN),
        (Command.WAIT, Status.JAM_IN_ACCEPTOR),
        (Command.ACK, Status.ACK),
    ],
)
def test_commands_and_statuses_have_the_same_frames_and_only_the_direction_tells(
    command: Command, status: Status
) -> None:
    assert frame(command) == frame(status)
    assert meaning(frame(command), sent=True) == command.name.replace("_", " ")
    assert meaning(frame(status), sent=False) == status.name.replace("_", " ")


@pytest.mark.parametrize(
    "data", [b"\xfc", b"\xfc\x05\x11\x27\x56", b"\xfc\x06\x13\x63\xa2\xd8", b"\x63\xfc\xfc"]
)
def test_sync_inside_data_or_checksum_begins_no_frame(data: bytes) -> None:
    """There is no byte stuffing: a whole VEND VALID may stand in the text of a version."""
    whole = frame(Command.VERSION, data)
    decoder = Decoder()
    assert [message for byte in whole for message in decoder.feed(bytes((byte,)))] == [
        Id003Message(Command.VERSION, data)
    ]
    in_checksum = next(
        frame(Command.VERSION, bytes((a, b)))
        for a in range(256)
        for b in range(256)
        if SYNC in frame(Command.VERSION, bytes((a, b)))[-2:]
    )
    assert decoder.feed(in_checksum + whole)[1:] == [Id003Message(Command.VERSION, data)]


def test_a_length_of_zero_announces_no_extended_frame() -> None:
    """Long frames with a length of two bytes are for downloads, which never come here."""
    assert Decoder().feed(b"\xfc\x00\x01\x05" + frame(Status.IDLING)) == [Id003Message(Status.IDLING)]


# ---- codes


EVERY_STATUS = [*range(0x11, 0x1C), *range(0x40, 0x4C)]


@pytest.mark.parametrize("code", EVERY_STATUS, ids=lambda code: f"{code:02X}")
def test_every_status_code_is_known_at_start_and_in_operation(code: int) -> None:
    """A table of codes in which one was lost made a host blind for POWER UP WITH BILL IN STACKER."""
    assert "code" not in meaning(frame(code), sent=False), "it has a name"
    table = Bench(ScriptedUnit(code, TWENTY if code == Status.ESCROW else b""))
    table.run(SET_UP_MS)
    errors = (Status.COMMUNICATION_ERROR, Status.INVALID_COMMAND)
    lost = [event for event in table.of(FaultRaised) if event.fault is Fault.LINK_LOST]
    assert bool(lost) is (code in errors), "an error is no status"
    table = scripted()
    before = table.validator.statistics()["stale"]
    show(table, code, TWENTY if code == Status.ESCROW else b"")
    assert table.validator.statistics()["stale"] == before, "heard as the answer to a poll"


@pytest.mark.parametrize("code", [0x10, 0x1C, 0x3F, 0x4C, 0x7F, 0xFF], ids=lambda code: f"{code:02X}")
def test_what_is_no_status_answers_no_poll(code: int) -> None:
    table = scripted()
    table.machine.answer = lambda message: frame(code)
    table.run(SET_UP_MS)
    assert [event.fault for event in table.of(FaultRaised)] == [Fault.LINK_LOST]


@pytest.mark.parametrize("reason", [*sorted(REJECTS), 0x00, 0x70, 0x99, 0xFF], ids=lambda code: f"{code:02X}")
def test_every_reason_to_reject_is_a_returned_document_and_no_fault(reason: int) -> None:
    table = scripted()
    show(table, Status.ACCEPTING)
    show(table, Status.REJECTING, bytes((reason,)))
    assert table.of(NoteGivenBack)[0].reason == REJECTS.get(reason, f"unknown reason {reason:02X}")
    assert not table.of(FaultRaised)


@pytest.mark.requirement("BIL-06")
@pytest.mark.parametrize("code", [*sorted(FAILURES), 0xA8, 0xA9], ids=lambda code: f"{code:02X}")
def test_every_failure_code_is_told_and_over_when_the_status_is(code: int) -> None:
    table = scripted()
    show(table, Status.FAILURE, bytes((code,)))
    (raised,) = table.of(FaultRaised)
    assert raised.fault is Fault.DEVICE_FAILED
    assert raised.detail == f"failure {code:02X}: {FAILURES.get(code, 'unknown')}"
    show(table, Status.IDLING)
    assert [event.fault for event in table.of(FaultCleared)] == [Fault.DEVICE_FAILED]


@pytest.mark.parametrize("data", [b"", TWENTY, b"\x67\x00"])
def test_vend_valid_may_carry_a_value_which_is_never_believed(data: bytes) -> None:
    """What the note is worth was said in escrow."""
    table = in_escrow(scripted())
    table.validator.stack()
    table.run(TWO_POLLS_MS)
    show(table, Status.VEND_VALID, data)
    assert table.of(NoteVendValid)
    assert [event.cents for event in table.of(NoteEscrowed)] == [2000]


def test_a_communication_error_may_carry_data() -> None:
    table = scripted()
    table.machine.show(Status.COMMUNICATION_ERROR, b"\x01\x02")
    table.run(TWO_POLLS_MS)
    table.machine.show(Status.IDLING)
    table.run(TWO_POLLS_MS)
    assert not table.events


@pytest.mark.parametrize(
    "version", [b"i(USA)100-SS ID003-05V280-42 01AUG17 964D", b"U(USA)-5-SS", b"W", b"B05 "]
)
def test_a_version_of_any_shape_proves_that_a_unit_is_there(version: bytes) -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    unit.version = version
    table = scripted(unit)
    in_escrow(table)


def test_never_sent_are_stack_1_wait_downloads_and_expansions() -> None:
    """STACK-1 credits before the note is in the box; the others belong to recyclers and updates."""
    table = bench()
    table.make_ready()
    for cents in (500, 2000):
        table.machine.insert(cents, table.now_ms)
        table.run_until(NoteEscrowed)
        table.validator.stack()
        table.run_until(NoteVendValid)
        table.validator.acknowledge()
        table.run_until(NoteStacked)
    assert not {Command.STACK_1, Command.WAIT, 0xDC, 0xF0} & set(table.machine.commands)
    assert table.machine.commands.count(Command.STACK_2) == 2


# ---- money


@pytest.mark.requirement("BIL-08")
def test_what_a_code_is_worth_is_read_from_the_unit_and_never_known_before() -> None:
    """The same codes are other notes in the data set of another country."""
    unit = ScriptedUnit(Status.INITIALIZE)
    unit.table = bytes.fromhex("61000000 62E00500 63E00101 64E00201 65E00501 66E00102 67E00202")
    table = Bench(unit, options={"currency": "EUR"})
    table.validator.accept(True)
    table.run(SET_UP_MS)
    euros = (500, 1000, 2000, 5000, 10_000, 20_000)
    wanted = tuple(NoteType(code, "EUR", cents) for code, cents in enumerate(euros, 0x62))
    assert table.of(NoteTable)[-1].notes == wanted
    show(table, Status.ACCEPTING)
    unit.show(Status.ESCROW, TWENTY)
    assert table.run_until(NoteEscrowed).cents == 5000, "65 is twenty dollars elsewhere"


def test_a_data_set_of_more_than_eight_codes() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    unit.table += bytes.fromhex("6A010105 80010102")  # $100,000 and, beyond the mask, $100
    table = scripted(unit)
    show(table, Status.ACCEPTING)
    unit.show(Status.ESCROW, b"\x80")
    assert table.run_until(NoteEscrowed).cents == 10_000
    show(table, Status.RETURNING)
    show(table, Status.ACCEPTING)
    unit.show(Status.ESCROW, b"\x6a")
    table.run(TWO_POLLS_MS)
    assert [event.cents for event in table.of(NoteEscrowed)] == [10_000, 10_000_000]


LISTED = {
    "01": "USD", "02": "AUD", "05": "SEK", "06": "ZAR", "08": "CAD", "09": "MXN", "0A": "JPY", "0C": "BRL",
    "0D": "NZD", "0E": "ARS", "16": "CHF", "17": "GBP", "19": "COP", "1A": "PLN", "1C": "AED", "1F": "VEF",
    "22": "SGD", "27": "RUB", "2C": "CZK", "2D": "CNY", "2F": "PEN", "30": "HUF", "31": "UYU", "3A": "DKK",
    "48": "CAD", "4A": "PHP", "4E": "CLP", "51": "KZT", "56": "ILS", "E0": "EUR",
}  # fmt: skip


def test_the_countries_are_those_on_which_the_sources_agree() -> None:
    assert {f"{code:02X}": currency for code, currency in COUNTRIES.items()} == LISTED


@pytest.mark.parametrize("country", ["1B", "2E", "00", "FF"])
def test_a_country_that_one_source_calls_dollars_is_no_money(country: str) -> None:
    (row,) = parse_currency_table(bytes.fromhex(f"61{country}0100"))
    assert row.currency == ""
    unit = ScriptedUnit(Status.INITIALIZE)
    unit.table += bytes.fromhex(f"68{country}0102")
    table = scripted(unit)
    mask = next(message.data for message in reversed(unit.heard) if message.code == Command.DENOMINATION)
    assert mask[0] & 0x80, "its code is forbidden"
    show(table, Status.ACCEPTING)
    show(table, Status.ESCROW, b"\x68")
    show(table, Status.RETURNING)
    assert unit.count(Command.RETURN) == 1
    assert table.of(NoteGivenBack)[0].reason == f"note not taken: country {country} 10000 cents"
    assert not table.of(NoteEscrowed)


# ---- exactly once


@pytest.mark.requirement("BIL-02")
def test_a_repeated_vend_valid_is_acknowledged_every_time_and_told_once() -> None:
    """A host that acted on changes only left the unit in VEND VALID for ever after one lost ACK; another
    forgot the note after the first one and failed at the second."""
    table = in_escrow(scripted())
    table.validator.stack()
    table.run(TWO_POLLS_MS)
    table.machine.show(Status.VEND_VALID)
    table.run_until(NoteVendValid)
    table.validator.acknowledge()
    table.run(5000)
    polls = 5000 // 200
    assert table.machine.count(Command.ACK) >= polls - 2
    assert len(table.of(NoteVendValid)) == 1
    assert not table.of(NoteStacked), "it has not left VEND VALID"


@pytest.mark.requirement("BIL-01")
@pytest.mark.parametrize("status", [Status.RETURNING, Status.REJECTING])
def test_a_note_that_comes_back_although_stack_was_acknowledged_is_no_money(status: Status) -> None:
    table = in_escrow(scripted())
    table.validator.stack()
    table.run(TWO_POLLS_MS)
    assert table.machine.count(Command.STACK_2) == 1
    show(table, status, b"\x7b" if status is Status.REJECTING else b"")
    show(table, Status.IDLING)
    assert told(table) == [NoteAccepting, NoteEscrowed, NoteGivenBack]


def test_stacked_lasts_less_than_a_poll_and_is_not_needed() -> None:
    table = in_escrow(scripted())
    table.validator.stack()
    table.run(TWO_POLLS_MS)
    show(table, Status.VEND_VALID)
    table.validator.acknowledge()
    table.run(TWO_POLLS_MS)
    show(table, Status.IDLING)
    assert told(table)[2:] == [NoteVendValid, NoteStacked]


@pytest.mark.requirement("BIL-04")
@pytest.mark.parametrize("early_ms", [0, 1, 50, 150, 199])
def test_a_note_that_reaches_escrow_just_as_the_host_inhibits_goes_back(early_ms: int) -> None:
    """It was on its way when the inhibit was sent."""
    table = bench()
    table.make_ready()
    table.machine.insert(2000, table.now_ms)
    table.run(700 - early_ms, lambda: bool(table.of(NoteEscrowed)))
    assert not table.of(NoteEscrowed)
    table.validator.accept(False)
    table.run(8000)
    assert table.of(NoteGivenBack)
    assert not table.of(NoteEscrowed)
    assert (table.machine.stacked_cents, table.machine.returned_cents) == (0, 2000)


def test_a_tilt_inhibits_within_a_tenth_of_a_second_whenever_it_comes() -> None:
    """The order waits for the answer that is on the line, and not for the next poll."""
    table = bench()
    table.make_ready()
    for early_ms in range(0, 210, 14):
        table.validator.accept(True)
        table.run(1_000 + early_ms)
        assert table.machine.settings[Command.INHIBIT] == b"\x00"
        table.validator.accept(False)
        table.run(100)
        assert table.machine.settings[Command.INHIBIT] == b"\x01"


@pytest.mark.requirement("BIL-02")
def test_pause_in_the_middle_of_a_note_leaves_its_record_alone() -> None:
    table = in_escrow(scripted())
    table.validator.stack()
    table.run(TWO_POLLS_MS)
    show(table, Status.PAUSE)
    show(table, Status.STACKING)
    show(table, Status.PAUSE)
    show(table, Status.VEND_VALID)
    table.validator.acknowledge()
    show(table, Status.PAUSE)
    show(table, Status.IDLING)
    kinds = (NoteEscrowed, NoteGivenBack, NoteVendValid, NoteStacked, ValidatorReport)
    assert [type(event) for event in table.events if isinstance(event, kinds)] == [
        NoteEscrowed, NoteVendValid, NoteStacked,
    ]  # fmt: skip


# ---- a host that is away


@pytest.mark.requirement("BIL-07")
def test_a_unit_that_nobody_polls_gives_the_note_back() -> None:
    """Without a link nothing is taken: what was in escrow comes out after three seconds, nothing goes in."""
    table = bench()
    table.make_ready()
    table.machine.insert(2000, table.now_ms)
    table.run_until(NoteEscrowed)
    table.far_end.unplug(table.now_ms)
    table.validator.stack()
    table.run(UNPOLLED_MS + 3000)
    assert (table.machine.stacked_cents, table.machine.returned_cents) == (0, 2000)
    table.far_end.replug(table.now_ms)
    table.run(8000)
    assert not table.of(NoteVendValid)


def test_an_owner_that_thinks_longer_than_escrow_lasts_keeps_the_note_with_hold() -> None:
    """Escrow ends after ten seconds with REJECTING 79, HOLD begins it again; polling alone does not."""
    table = bench()
    table.make_ready()
    table.machine.insert(2000, table.now_ms)
    table.run_until(NoteEscrowed)
    table.run(25_000)
    assert not table.of(NoteGivenBack)
    table.validator.stack()
    table.run_until(NoteVendValid)


def test_settings_are_sent_anew_at_every_initialize_and_inhibit_comes_before_the_notes() -> None:
    """They are lost at power-up and RESET; a unit that accepted before its notes were set took anything."""
    table = scripted()
    for _ in range(2):
        table.machine.commands.clear()
        table.machine.heard.clear()
        table.machine.show(Status.INITIALIZE)
        table.run(SET_UP_MS)
        sent = [message.code for message in table.machine.heard]
        assert set(range(0xC0, 0xC8)) <= set(sent)
        assert table.of(ValidatorEnabled)[-1].enabled
        data = [message.data for message in table.machine.heard if message.code == Command.INHIBIT]
        assert data == [b"\x01", b"\x00"], "inhibited until everything is set"
        notes = [place for place, code in enumerate(sent) if code == Command.DENOMINATION]
        assert sent.index(Command.INHIBIT) < notes[-1]


@pytest.mark.requirement("BIL-07")
def test_the_firmware_is_asked_for_at_start_and_after_every_reset_and_a_change_is_told() -> None:
    unit = ScriptedUnit(Status.POWER_UP)
    table = Bench(unit)
    table.run(SET_UP_MS)
    assert unit.count(Command.VERSION) == 1, "at start"
    table.validator.reset()
    table.run(SET_UP_MS)
    assert unit.count(Command.VERSION) == 2, "after the reset"
    assert [event.text for event in table.of(Identified)] == ["U(USA)-5-SS ID003-03 V200"]
    unit.version = b"U(USA)-5-SS ID003-03 V201"
    unit.show(Status.INITIALIZE)  # it has restarted itself
    table.run(SET_UP_MS)
    assert unit.count(Command.VERSION) == 3
    assert table.of(Identified)[-1].text == "U(USA)-5-SS ID003-03 V201"


@pytest.mark.requirement("BIL-03")
def test_nothing_goes_in_between_power_up_and_the_end_of_the_setup() -> None:
    """Although the owner would take notes all the time."""
    table = bench()
    table.validator.accept(True)
    table.run(600)
    table.validator.reset()
    while table.machine.settings.get(Command.INHIBIT) != b"\x00":  # the last word of the setup
        assert table.now_ms < 10_000
        assert not table.machine.insert(2000, table.now_ms), "the slot is shut"
        table.run(10)
    assert table.machine.insert(2000, table.now_ms)
    assert table.run_until(NoteEscrowed).cents == 2000


@pytest.mark.requirement("BIL-07")
@pytest.mark.parametrize("away", ["silent", "unplug"])
def test_a_validator_without_a_link_takes_nothing_until_it_is_set_up_again(away: str) -> None:
    table = bench()
    table.make_ready()
    if away == "unplug":
        table.far_end.unplug(table.now_ms)
    else:
        table.far_end.inject(away, table.now_ms)
    table.run(UNPOLLED_MS + 5000)
    table.machine.insert(2000, table.now_ms)  # a unit that nobody polls
    table.run(UNPOLLED_MS + 5000)
    assert table.machine.stacked_cents == 0
    assert table.of(FaultRaised)[0].fault is Fault.LINK_LOST
    if away == "unplug":
        table.far_end.replug(table.now_ms)
    else:
        table.far_end.inject("mend", table.now_ms)
    table.run(10_000)
    assert not table.of(NoteVendValid)
    assert table.machine.insert(2000, table.now_ms)
    assert table.run_until(NoteEscrowed).cents == 2000


@pytest.mark.requirement("CRD-10", "BIL-03")
def test_what_a_unit_draws_in_after_it_has_said_inhibited_goes_back() -> None:
    """Nobody can tell whose it is: also if notes are wanted again by the time it can be read."""
    table = bench(Id003Machine(quirks=Quirks(reads_on=True)))
    table.make_ready()
    table.validator.accept(False, 2)
    table.run(3_000)
    assert table.of(ValidatorEnabled)[-1].change == 2
    machine = table.machine
    known = next(row.code for row in machine.rows if row.base and row.cents == 2_000)
    assert machine.path.insert(Sheet(2_000, "USD", known), table.now_ms)
    table.run_until(NoteAccepting)
    table.validator.accept(True, 2)
    assert table.run_until(NoteGivenBack).reason == "inhibited"
    assert not table.of(NoteEscrowed)
    table.run(3_000)
    assert machine.insert(2_000, table.now_ms)
    assert table.run_until(NoteEscrowed).cents == 2_000


@pytest.mark.requirement("CRD-10")
def test_a_lost_echo_of_the_inhibit_is_asked_for_at_once() -> None:
    for fault in ("lost", "lost_request"):
        table = bench()
        table.make_ready()
        table.validator.accept(False, 2)
        table.far_end.inject(fault, table.now_ms)
        before_ms = table.now_ms
        assert table.run_until(ValidatorEnabled).change == 2
        assert table.now_ms - before_ms < 1_500


def longest_wait_for_the_ack() -> int:
    """From the owner's word to the ACK at the unit, at every moment between two polls, in ms."""
    longest_ms = 0
    for moment_ms in range(0, 200, 10):
        table = bench(Id003Machine(quirks=Quirks(turnaround_ms=10)))
        table.make_ready()
        assert table.machine.insert(2_000, table.now_ms)
        table.run_until(NoteEscrowed)
        table.validator.stack()
        table.run_until(NoteVendValid)
        table.run(moment_ms)
        table.validator.acknowledge()
        said_ms = table.now_ms
        table.run(1_000, until=lambda table=table: table.machine.path.state is not PathState.VEND_VALID)  # type: ignore[misc]
        longest_ms = max(longest_ms, table.now_ms - said_ms)
    return longest_ms


@pytest.mark.requirement("BIL-02")
def test_the_ack_comes_at_once_and_not_after_the_rhythm_of_the_polls() -> None:
    """A unit's patience with VEND VALID is short: one poll that is under way, one more, and the ACK."""
    assert longest_wait_for_the_ack() <= 100


@pytest.mark.requirement("BIL-02")
def test_an_ack_after_a_whole_poll_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NoteDesk, "poll_soon", property(lambda self: False))
    assert longest_wait_for_the_ack() > 150
