"""From the first poll to a validator that takes notes, and back again after every restart of it."""

from __future__ import annotations

import pytest

from drivers.bill_validator.id003.codec import Command, Id003Message, Status, frame
from drivers.device import (
    Fault,
    FaultCleared,
    FaultRaised,
    Holding,
    Identified,
    NoteAccepting,
    NoteTable,
    NoteType,
    ValidatorEnabled,
    ValidatorReport,
)
from drivers.sim.id003 import Id003Machine
from drivers.sim.id003.paper import EURO_5, CurrencyEntry, usd_rows
from drivers.sim.validator.path import Quirks
from support.devices.scripted_unit import ScriptedUnit
from support.devices.validator_bench import Bench, bench

USD_NOTES = tuple(
    NoteType(code, "USD", cents)
    for code, cents in ((0x61, 100), (0x63, 500), (0x64, 1000), (0x65, 2000), (0x66, 5000), (0x67, 10_000))
)


def sent_frames(table: Bench[Id003Machine]) -> list[bytes]:
    return [frame.data for frame in table.validator.frames() if frame.sent]


@pytest.mark.requirement("BIL-07")
def test_a_validator_that_powers_up_is_not_reset_before_the_owner_says_so() -> None:
    table = bench()
    table.run(3000)
    assert [type(event) for event in table.events] == [Identified, ValidatorReport]
    assert table.of(Identified)[0].text.startswith("i(USA)100-SS ID003-05")
    assert table.of(ValidatorReport)[0].holding is Holding.POWER_UP
    assert Command.RESET not in table.machine.commands
    table.events.clear()
    table.validator.reset()
    table.run(4000)
    assert table.of(NoteTable)[0].notes == USD_NOTES
    assert table.of(ValidatorEnabled) == [ValidatorEnabled("validator1", table.events[-1].at_ms, False)]
    assert table.machine.commands.count(Command.RESET) == 1


def test_the_settings_are_the_worked_frames() -> None:
    table = bench(barcode=True)
    table.run(600)
    table.validator.reset()
    table.run(1000)
    worked = [
        "FC 07 C1 00 00 F1 EF",  # security: normal
        "FC 06 C4 00 0C 9B",  # direction: all four
        "FC 07 C5 02 00 20 BF",  # optional function: power recovery
        "FC 07 C6 01 12 BF 49",  # bar code: interleaved 2 of 5, 18 characters
        "FC 06 C7 FC 87 8C",  # bills and tickets
        "FC 06 C2 00 DC CF",  # polled
        "FC 06 C3 01 8D C7",  # inhibited
        "FC 05 8A 7D 7C",  # currency table
    ]
    sent = sent_frames(table)
    assert frame(0xC0, b"\xff\xff") in sent, "nothing can be taken before the table is known"
    places = [sent.index(bytes.fromhex(text)) for text in worked]
    assert places == sorted(places)
    assert table.machine.settings[0xC0] == b"\x82\xff", "codes 62 and 68 are not assigned"
    assert sent.index(frame(0xC0, b"\x82\xff")) > places[-1]


def test_without_tickets_they_are_forbidden_and_security_can_be_raised() -> None:
    table = bench(high_security=True)
    table.make_ready()
    assert table.machine.settings[0xC7] == b"\xfe"
    assert table.machine.settings[0xC1] == b"\xff\xff"


def test_acceptance_follows_the_owner_and_is_reported_when_the_device_confirms_it() -> None:
    table = bench()
    table.make_ready()
    assert table.machine.status()[0] == Status.IDLING
    table.validator.accept(False)
    assert table.run_until(ValidatorEnabled).enabled is False
    assert table.machine.settings[0xC3] == b"\x01"
    table.validator.accept(True)
    assert table.run_until(ValidatorEnabled).enabled is True
    table.run(5000)
    assert len(table.of(ValidatorEnabled)) == 2, "said once"


@pytest.mark.parametrize("fault", ["restart", "box"])
def test_a_device_that_restarts_itself_is_set_up_again(fault: str) -> None:
    table = bench()
    table.make_ready()
    before = dict(table.machine.settings)
    if fault == "restart":
        table.machine.inject("restart", table.now_ms)
        assert not table.machine.settings
    else:
        table.machine.inject("box_out", table.now_ms)
        table.run(1000)
        assert table.of(FaultRaised)[-1].fault is Fault.STACKER_OPEN
        table.machine.inject("box_in", table.now_ms)
        table.machine.settings.clear()
    table.run(5000)
    assert table.machine.settings == before
    assert [event.enabled for event in table.of(ValidatorEnabled)] == [False, True]
    assert not table.of(ValidatorReport), "no document was in doubt"
    if fault == "box":
        assert table.of(FaultCleared)[-1].fault is Fault.STACKER_OPEN


def test_zero_bytes_at_power_up_do_no_harm() -> None:
    table = bench()
    table.run(600)
    assert table.of(ValidatorReport)
    assert table.validator.statistics()["lost_bytes"] == 2


# ---- the wrong thing at the end of the line


@pytest.mark.requirement("BIL-06")
def test_an_echoing_line_is_no_validator_although_it_looks_idle() -> None:
    table = bench()
    table.far_end.inject("echo", 0)
    table.run(10_000)
    assert [type(event) for event in table.events] == [FaultRaised]
    (raised,) = table.of(FaultRaised)
    assert raised.fault is Fault.LINK_LOST
    assert "our own bytes" in raised.detail
    table.far_end.inject("mend", table.now_ms)
    table.run(5000)
    assert [type(event) for event in table.events[1:]] == [FaultCleared, Identified, ValidatorReport]


def test_a_loop_that_comes_later_is_found_out() -> None:
    table = bench()
    table.make_ready()
    table.validator.accept(False)
    table.run(1000)
    table.far_end.inject("echo", table.now_ms)
    table.run(5000)
    assert table.of(FaultRaised)[-1].fault is Fault.LINK_LOST
    assert "our own bytes" in table.of(FaultRaised)[-1].detail


def test_a_loop_that_comes_while_it_is_open_for_notes_is_found_out() -> None:
    """The echo of a poll is "idle and open", just what was ordered."""
    table = bench()
    table.make_ready()
    table.far_end.inject("echo", table.now_ms)
    table.run(25_000)
    assert "our own bytes" in table.of(FaultRaised)[-1].detail


@pytest.mark.requirement("BIL-06")
def test_a_silent_line_is_told_after_the_missed_polls_and_comes_back() -> None:
    table = bench()
    table.machine.inject("mute", 0)
    table.run(2000)
    assert not table.events
    table.run(1000)
    (raised,) = table.of(FaultRaised)
    assert raised.fault is Fault.LINK_LOST
    assert "no answer to 5 requests on /dev/validator1" in raised.detail
    table.run(60_000)
    assert len(table.of(FaultRaised)) == 1, "told once, although the port is tried again"
    table.machine.inject("unmute", table.now_ms)
    table.run(3000)
    assert table.of(FaultCleared)[-1].fault is Fault.LINK_LOST
    assert table.of(ValidatorReport)[-1].holding is Holding.POWER_UP


def test_a_missing_port_is_told_and_found_when_it_appears() -> None:
    table = bench()
    table.far_end.unplug(0)
    table.run(8000)
    (raised,) = table.of(FaultRaised)
    assert raised.fault is Fault.PORT_MISSING
    assert "check the cable or the udev rule" in raised.detail
    table.far_end.replug(table.now_ms)
    table.run(6000)
    assert table.of(FaultCleared)[0].fault is Fault.PORT_MISSING
    assert table.of(ValidatorReport)[0].holding is Holding.POWER_UP


def test_a_unit_that_answers_version_with_invalid_command_is_no_echo() -> None:
    unit = ScriptedUnit(Status.POWER_UP)
    unit.answer = lambda message: (
        frame(Status.INVALID_COMMAND) if message.code == Command.VERSION else unit.usual(message)
    )
    table = Bench(unit)
    table.run(1000)
    assert [type(event) for event in table.events] == [ValidatorReport]


def test_a_unit_that_never_tells_its_version_is_not_trusted() -> None:
    unit = ScriptedUnit(Status.IDLING)
    unit.answer = lambda message: None if message.code == Command.VERSION else unit.usual(message)
    table = Bench(unit)
    table.run(10_000)
    assert not table.of(ValidatorReport)
    assert table.of(FaultRaised)[0].fault is Fault.LINK_LOST


# ---- money of other countries


@pytest.mark.requirement("BIL-08")
def test_a_device_for_another_country_never_takes_anything() -> None:
    table = bench(Id003Machine(rows=(EURO_5,)))
    table.run(600)
    table.validator.reset()
    table.validator.accept(True)
    table.run(10_000)
    (raised,) = table.of(FaultRaised)
    assert raised.fault is Fault.WRONG_CURRENCY
    assert raised.detail == "no note of USD is enabled; the device knows EUR"
    assert table.of(NoteTable)[0].notes == ()
    assert table.machine.settings[0xC3] == b"\x01"
    assert not table.machine.insert(500, table.now_ms, currency="EUR")
    table.machine.rows = usd_rows()
    table.machine.inject("restart", table.now_ms)
    table.run(5000)
    assert table.of(FaultCleared)[-1].fault is Fault.WRONG_CURRENCY
    assert table.machine.settings[0xC3] == b"\x00"


def test_an_unknown_country_is_named_by_its_number() -> None:
    table = bench(Id003Machine(rows=(CurrencyEntry(0x61, 0x99, 1, 0, "???"),)))
    table.run(600)
    table.validator.reset()
    table.run(3000)
    assert "country 99" in table.of(FaultRaised)[0].detail


def test_an_empty_table_has_no_money() -> None:
    table = bench(Id003Machine(rows=()))
    table.run(600)
    table.validator.reset()
    table.run(3000)
    assert "the device knows none" in table.of(FaultRaised)[0].detail


@pytest.mark.requirement("BIL-08")
def test_only_enabled_notes_are_allowed() -> None:
    table = bench(Id003Machine(rows=(*usd_rows(), EURO_5)), enabled_cents=[500, 2000])
    table.run(600)
    table.validator.reset()
    table.run(4000)
    assert table.of(NoteTable)[0].notes == (NoteType(0x63, "USD", 500), NoteType(0x65, "USD", 2000))
    assert table.machine.settings[0xC0] == b"\xeb\xff"


# ---- setting up over a bad line, or a stubborn device


@pytest.mark.parametrize("fault", ["lost", "lost_request", "garbled", "garbled_request", "delayed", "split"])
@pytest.mark.parametrize("after_ms", [0, 130, 260, 400, 700])
def test_every_setting_arrives_over_a_bad_line(fault: str, after_ms: int) -> None:
    table = bench()
    table.run(600)
    table.validator.reset()
    table.validator.accept(True)
    table.run(after_ms)
    table.far_end.inject(fault, table.now_ms)
    table.run(9000)
    assert set(table.machine.settings) == set(range(0xC0, 0xC8))
    assert table.machine.status()[0] == Status.IDLING
    assert table.of(ValidatorEnabled)[-1].enabled


def test_settings_that_an_older_unit_does_not_know_are_left_out() -> None:
    table = bench(Id003Machine(quirks=Quirks(knows_tickets=False)))
    table.make_ready()
    assert not {0xC6, 0xC7} & set(table.machine.settings)
    assert table.machine.insert(500, table.now_ms)


def test_a_setting_that_protects_money_must_be_taken() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    stubborn = True

    def answer(message: Id003Message) -> bytes | None:
        if stubborn and message.code == Command.DENOMINATION:
            return frame(Status.INVALID_COMMAND)
        return unit.usual(message)

    unit.answer = answer
    table = Bench(unit)
    table.validator.accept(True)
    table.run(5000)
    (raised,) = table.of(FaultRaised)
    assert (raised.fault, raised.detail) == (Fault.DEVICE_FAILED, "it does not take setting C0")
    assert unit.count(Command.DENOMINATION) < 8, "it is asked once a second"
    assert not table.of(ValidatorEnabled)
    stubborn = False
    table.run(5000)
    assert table.of(FaultCleared)[-1].fault is Fault.DEVICE_FAILED
    assert table.of(ValidatorEnabled)[-1].enabled


def test_an_echo_with_other_data_is_not_believed() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    unit.answer = lambda message: (
        frame(Command.INHIBIT, b"\x00") if message.code == Command.INHIBIT else unit.usual(message)
    )
    table = Bench(unit)
    table.run(3000)
    assert table.of(FaultRaised)[0].detail == "it does not take setting C3"


def test_a_setting_that_is_never_answered_starts_the_setup_again() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    silent = True

    def answer(message: Id003Message) -> bytes | None:
        if silent and message.code == Command.OPTION:
            return None
        return unit.usual(message)

    unit.answer = answer
    table = Bench(unit)
    table.run(4000)
    assert unit.count(Command.DENOMINATION) >= 2
    silent = False
    table.run(4000)
    assert table.of(ValidatorEnabled)


def test_reset_is_repeated_until_the_device_initializes() -> None:
    unit = ScriptedUnit(Status.POWER_UP)
    unit.answer = lambda message: frame(Status.ACK) if message.code == Command.RESET else unit.usual(message)
    table = Bench(unit)
    table.run(600)
    table.validator.reset()
    table.run(5000)
    assert unit.count(Command.RESET) == 1
    table.run(2000)
    assert unit.count(Command.RESET) == 2
    assert len(table.of(ValidatorReport)) == 1, "POWER UP may show for a while after RESET"


def test_a_reset_that_is_not_answered_is_sent_three_times() -> None:
    unit = ScriptedUnit(Status.POWER_UP)
    unit.answer = lambda message: None if message.code == Command.RESET else unit.usual(message)
    table = Bench(unit)
    table.run(600)
    table.validator.reset()
    table.run(1600)
    assert unit.count(Command.RESET) == 3
    assert table.validator.statistics()["resent"] == 2
    unit.show(Status.INITIALIZE)
    table.run(2000)
    assert table.of(ValidatorEnabled)


def test_a_device_that_comes_up_without_initialize_is_set_up_all_the_same() -> None:
    unit = ScriptedUnit(Status.POWER_UP)

    def answer(message: Id003Message) -> bytes | None:
        if message.code == Command.RESET:
            unit.show(Status.INHIBITED)
            return frame(Status.ACK)
        return unit.usual(message)

    unit.answer = answer
    table = Bench(unit)
    table.run(600)
    table.validator.reset()
    table.run(5000)
    assert unit.count(Command.CURRENCY) == 1
    assert table.of(ValidatorEnabled)


def test_a_device_that_comes_up_by_itself_is_reset_when_it_is_idle() -> None:
    unit = ScriptedUnit(Status.POWER_UP)
    table = Bench(unit)
    table.run(600)
    unit.show(Status.INHIBITED)
    table.run(4000)
    assert unit.count(Command.RESET) == 1
    assert table.of(ValidatorEnabled)


def test_a_self_test_that_never_ends_is_set_up_again() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)

    def answer(message: Id003Message) -> bytes | None:
        if message.code == Command.INHIBIT:
            return frame(message.code, message.data)
        return unit.usual(message)

    unit.answer = answer
    table = Bench(unit)
    table.run(20_000)
    assert unit.count(Command.CURRENCY) == 2


def test_settings_of_the_host_are_told_again_when_the_status_denies_them() -> None:
    table = bench()
    table.make_ready()
    table.machine.settings[0xC3] = b"\x01"  # it has forgotten
    table.run(3000)
    assert table.machine.settings[0xC3] == b"\x00"
    assert [event.enabled for event in table.of(ValidatorEnabled)] == [False, True]


def test_a_device_that_never_obeys_is_not_asked_at_every_poll() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = Bench(unit)
    table.validator.accept(True)
    table.run(3000)
    unit.answer = lambda message: (
        frame(message.code, message.data) if message.code == Command.INHIBIT else unit.usual(message)
    )
    unit.show(Status.INHIBITED)
    before = unit.count(Command.INHIBIT)
    table.run(20_000)
    assert 1 <= unit.count(Command.INHIBIT) - before <= 4


def test_an_inhibit_setting_that_is_refused_is_told_again_once_a_second() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = Bench(unit)
    table.run(3000)
    unit.answer = lambda message: (
        frame(Status.INVALID_COMMAND) if message.code == Command.INHIBIT else unit.usual(message)
    )
    before = unit.count(Command.INHIBIT)
    table.validator.accept(True)
    table.run(5000)
    assert 4 <= unit.count(Command.INHIBIT) - before <= 6


def test_error_messages_instead_of_statuses_are_a_lost_line() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = Bench(unit)
    table.run(3000)
    unit.show(Status.COMMUNICATION_ERROR)
    table.run(500)
    assert not table.of(FaultRaised)
    table.run(1000)
    assert "only error messages" in table.of(FaultRaised)[0].detail


def test_an_enq_and_other_unasked_frames_are_nobodys_answer() -> None:
    unit = ScriptedUnit(Status.INITIALIZE)
    table = Bench(unit)
    table.run(3000)
    table.events.clear()
    for _ in range(5):
        unasked = frame(Status.ENQ) + frame(Status.ESCROW, b"\x65") + frame(Status.VEND_VALID)
        unit.say(unasked, table.now_ms + 170)
        table.run(1170)
    assert not table.events
    assert table.validator.statistics()["stale"] >= 5


def test_an_interrupting_device_is_survived() -> None:
    table = bench()
    table.make_ready()
    table.machine.settings[0xC2] = b"\x01"
    table.machine.insert(500, table.now_ms)
    table.run_until(NoteAccepting)


def test_reset_in_the_middle_of_the_setup_starts_it_again() -> None:
    table = bench()
    table.run(600)
    table.validator.reset()
    table.run(330)
    table.validator.reset()
    table.run(6000)
    assert table.machine.commands.count(Command.RESET) == 2
    assert table.of(ValidatorEnabled)
