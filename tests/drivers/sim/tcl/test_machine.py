"""The simulated TCL printer on its own, spoken to in raw bytes."""

from __future__ import annotations

import pytest

from drivers.sim.tcl.machine import Setup, TclMachine
from drivers.sim.tcl.paper import BAR_CODE_DONE_ROW, TRAY_TICKETS
from drivers.sim.ticket.art import PAPER_LENGTH_DOTS
from drivers.sim.ticket.reader import NoBarcodeError, read_number

NUMBER = "005671408547977327"
GROUPED = b"00-5671-4085-4797-7327"
FIELDS = (
    *(GROUPED, b"DEMO CASINO", b"1 TEST STREET", b"RENO NV 00000", b"CASHOUT TICKET", b"VALIDATION", GROUPED),
    *(b"11/29/2026", b"23:40:00", b"TICKET # 0045", b"EIGHTY FIVE DOLLARS AND TWO CENTS", b" ", b"$85.02"),
    *(b"", b"30 days", b"MACHINE# 0003-031", NUMBER.encode()),
)


def print_order(*fields: bytes, template: bytes = b"0", copies: bytes = b"1") -> bytes:
    return b"^" + b"|".join((b"P", template, copies, *(fields or FIELDS))) + b"|^"


class Talk:
    """A host of few words."""

    def __init__(self, setup: Setup | None = None) -> None:
        self.machine = TclMachine(setup)
        self.now_ms = 0

    def say(self, data: bytes, then_ms: int = 100) -> bytes:
        self.machine.receive(data, self.now_ms)
        return self.wait(then_ms)

    def wait(self, span_ms: int) -> bytes:
        heard, end_ms = b"", self.now_ms + span_ms
        while (due := self.machine.wake_at) is not None and due <= end_ms:
            self.now_ms = max(self.now_ms, due)
            heard += self.machine.tick(self.now_ms)
        self.now_ms = end_ms
        return heard

    def inject(self, fault: str) -> None:
        self.machine.inject(fault, self.now_ms)

    def flags(self) -> str:
        """F1/F3/F5 in hexadecimal and the last template, as people who watch these printers write it."""
        frame = self.say(b"^Se|^")
        flags = frame[len(b"*S|0|5RUSAGE27|") :]
        return f"{flags[0]:02x}/{flags[4]:02x}/{flags[8]:02x} {flags[10:-2].decode()}"


def all_flags(talk: Talk) -> bytes:
    frame = talk.say(b"^Se|^")
    return frame[len(b"*S|0|5RUSAGE27|") :][:9:2]


def test_a_ticket_goes_through_the_known_sequence_of_states() -> None:
    talk = Talk()
    assert talk.flags() == "40/40/41 P "
    talk.say(print_order())
    seen = []
    for _ in range(60):
        state = talk.flags()
        if state not in seen:
            seen.append(state)
    assert seen == ["40/40/41 P ", "60/40/41 P ", "60/48/61 P ", "40/48/61 P0"]
    assert talk.machine.take() == talk.machine.tray[0]
    assert talk.flags() == "40/40/61 P0"
    talk.say(b"^C|^")
    assert talk.flags() == "40/40/40 P0"


def test_it_takes_the_start_delay_and_four_seconds() -> None:
    talk = Talk()
    talk.say(print_order(), then_ms=0)
    talk.wait(4800)
    assert talk.machine.tray == []
    talk.wait(30)
    (paper,) = talk.machine.tray
    assert 4800 < paper.at_ms <= 4830
    assert (talk.machine.printed_count, talk.machine.printed_cents) == (1, 8502)
    assert read_number(paper.png()) == NUMBER


def test_top_of_form_where_the_firmware_says_so() -> None:
    talk = Talk(Setup(top_of_form=True))
    talk.say(b"^C|^")
    talk.say(print_order(), then_ms=6000)
    assert talk.flags() == "40/48/70 P0"


def test_the_standard_status_and_the_single_byte_question() -> None:
    talk = Talk(Setup(flags=3))
    assert talk.say(b"^S|^") == b"*S|0|5RUSAGE27|@|@|@|P |*"
    assert talk.say(b"\x05") == b"*S|0|5RUSAGE27|@|@|@|P |*"
    assert talk.say(b"^Se|^") == b""
    assert talk.say(b"^S|^") == b"*S|0|5RUSAGE27|P|@|`|P |*"  # it did not know that command
    talk = Talk(Setup(part_gap_ms=None))
    assert talk.say(b"\x05") == b"*S|0|5RUSAGE27|@|@|@|@|A|P |*"


def test_status_without_being_asked() -> None:
    talk = Talk(Setup(unasked_ms=300))
    assert talk.wait(1000).count(b"*S|") == 3
    talk.inject("reset")
    assert talk.wait(1400).count(b"*S|") == 2  # the first 500 ms it starts


# ---- what is no proper command


@pytest.mark.parametrize(
    "command",
    [
        b"^X|^",
        b"^Se^",  # no delimiter at the end
        b"^|^",
        b"^^",
        print_order(*FIELDS[:-1]),  # 16 fields
        print_order(*FIELDS, b""),  # 18
        print_order(copies=b"0"),
        print_order(copies=b"x"),
        print_order(copies=b"10000"),
    ],
)
def test_a_command_error_prints_nothing_and_stays_until_it_is_cleared(command: bytes) -> None:
    talk = Talk()
    talk.say(b"^C|^")
    talk.say(command, then_ms=8000)
    assert talk.flags() == "50/60/40 P "
    assert talk.machine.tray == []
    talk.say(b"^C|^")
    assert talk.flags() == "40/40/40 P "


@pytest.mark.parametrize("bad", [NUMBER[:-1], NUMBER[:-2], NUMBER + "00", "00567140854797732x"])
def test_a_bar_code_that_is_not_18_digits_is_a_data_error(bad: str) -> None:
    talk = Talk()
    talk.say(print_order(*FIELDS[:-1], bad.encode()), then_ms=8000)
    assert all_flags(talk)[1] == 0x48
    assert talk.machine.tray == []


def test_an_unknown_template_is_a_reference_error() -> None:
    talk = Talk()
    talk.say(print_order(template=b"9"), then_ms=8000)
    assert all_flags(talk)[1] == 0x50
    assert talk.machine.tray == []


def test_copies_are_printed_as_ordered() -> None:
    """A host that asks for two gets two: money twice. Our driver always asks for one."""
    talk = Talk()
    talk.say(print_order(copies=b"2"), then_ms=12_000)
    assert talk.machine.printed_count == 2


def test_parts_that_come_too_late_are_dropped() -> None:
    talk = Talk()
    talk.say(b"^S", then_ms=15)
    assert talk.say(b"e|^") != b""
    talk.say(b"^S", then_ms=60)
    assert talk.say(b"e|^") == b""
    assert talk.machine.ear.dropped == 5


def test_glued_commands_are_dropped_by_the_strict_and_obeyed_by_the_patient() -> None:
    both = b"^C|^^Se|^"
    assert Talk().say(both) == b""
    assert Talk(Setup(part_gap_ms=None)).say(both).endswith(b"@|P |*")


def test_the_patient_one_waits_for_ever() -> None:
    talk = Talk(Setup(part_gap_ms=None))
    talk.say(b"rubbish^S", then_ms=3_600_000)
    assert talk.say(b"e|^") != b""
    assert talk.machine.ear.dropped == len(b"rubbish")


@pytest.mark.parametrize("gap", [20, None])
def test_more_than_its_buffer_is_an_overflow(gap: int | None) -> None:
    talk = Talk(Setup(part_gap_ms=gap, buffer_bytes=100))
    talk.say(b"^P|0|1|" + b"x" * 200)
    assert all_flags(talk)[1] & 0x02
    assert talk.machine.ear.dropped >= 100


def test_it_remembers_four_orders_and_no_more() -> None:
    talk = Talk()
    for _ in range(5):
        talk.say(print_order())
    assert all_flags(talk)[1] & 0x01
    talk.wait(60_000)
    assert talk.machine.printed_count == 4


def test_a_host_that_asks_too_fast_loses_answers() -> None:
    talk = Talk(Setup(part_gap_ms=None, answer_ms=50))
    assert talk.say(b"^Se|^" * 50, then_ms=500).count(b"*S|") == 16


# ---- power


def test_power_goes_in_the_middle_of_a_ticket() -> None:
    talk = Talk()
    talk.say(b"^C|^")
    talk.say(print_order(), then_ms=800 + 2000)
    talk.machine.power_off(talk.now_ms)
    talk.machine.power_off(talk.now_ms)
    (paper,) = talk.machine.tray
    assert 500 < paper.printed_rows < 700
    with pytest.raises(NoBarcodeError):
        read_number(paper.png())
    assert talk.say(b"^Se|^", then_ms=5000) == b""
    talk.machine.power_on(talk.now_ms)
    assert talk.wait(400) == b""
    talk.wait(200)
    assert talk.flags() == "40/40/41 P "
    talk.wait(20_000)
    assert len(talk.machine.tray) == 1  # its buffer is empty: nothing is finished later
    assert talk.machine.path.spoilt_count == 1
    talk.machine.power_on(talk.now_ms)  # it is on already
    assert talk.flags() == "40/40/41 P "


def test_power_goes_when_the_code_is_on_paper() -> None:
    talk = Talk()
    talk.say(print_order(), then_ms=800 + 3600)
    talk.machine.power_off(talk.now_ms)
    (paper,) = talk.machine.tray
    assert BAR_CODE_DONE_ROW < paper.printed_rows < PAPER_LENGTH_DOTS
    assert not paper.complete
    assert read_number(paper.png()) == NUMBER
    assert talk.machine.printed_cents == 0


def test_a_restart_by_command() -> None:
    talk = Talk()
    talk.say(b"^C|^")
    talk.say(b"^r|^", then_ms=1000)
    assert talk.flags() == "40/40/41 P "


def test_a_jam_survives_the_power_and_only_its_own_command_clears_it() -> None:
    talk = Talk()
    talk.say(b"^C|^")
    talk.inject("jam")
    talk.machine.power_off(talk.now_ms)
    talk.machine.power_on(talk.now_ms)
    talk.wait(600)
    talk.say(b"^C|j|^")
    assert all_flags(talk)[3] == 0x42  # the paper still sticks
    talk.inject("repair")
    talk.say(b"^C|^")
    assert all_flags(talk)[3] == 0x42
    talk.say(b"^C|a|^")
    assert all_flags(talk)[3] == 0x40


# ---- people and paper


def test_nobody_can_take_a_ticket_that_the_rollers_hold() -> None:
    talk = Talk()
    assert talk.machine.take() is None
    talk.say(print_order(), then_ms=4400)
    assert talk.flags().startswith("60/48")
    assert talk.machine.take() is None
    talk.wait(1000)
    assert talk.machine.take() is not None
    assert talk.machine.take() is None


def test_somebody_takes_each_ticket_after_a_while() -> None:
    talk = Talk(Setup(take_after_ms=2000))
    talk.say(print_order(), then_ms=5500)
    assert talk.flags().startswith("40/48")
    talk.wait(2000)
    assert talk.flags().startswith("40/40")
    talk.say(print_order(), then_ms=5500)
    talk.inject("take")
    assert talk.flags().startswith("40/40")


def test_paper_is_counted() -> None:
    talk = Talk(Setup(papers=3, low_at=1))
    for _ in range(4):
        talk.say(print_order(), then_ms=6000)
        talk.machine.take()
    assert talk.machine.printed_count == 3
    assert all_flags(talk) == bytes([0x54, 0x40, 0x40, 0x41, 0x61])
    talk.inject("load_paper")
    assert all_flags(talk)[3] == 0x40


def test_the_door_is_opened_on_the_last_sheet_and_the_status_looks_like_a_delimiter() -> None:
    talk = Talk(Setup(papers=1, low_at=0))
    talk.say(print_order(), then_ms=1500)
    talk.machine.path.mechanics.head_open = True
    assert all_flags(talk)[0] == 0x7C


def test_the_tray_is_swept_now_and_then() -> None:
    talk = Talk(Setup(start_delay_ms=1, print_ms=10, papers=TRAY_TICKETS + 10, part_gap_ms=None))
    for _ in range(TRAY_TICKETS + 5):
        talk.say(print_order(), then_ms=20)
    assert len(talk.machine.tray) == TRAY_TICKETS
    assert talk.machine.printed_cents == (TRAY_TICKETS + 5) * 8502


def test_an_order_that_cannot_be_begun_is_dropped_or_kept() -> None:
    for keeps, tickets in ((False, 0), (True, 1)):
        talk = Talk(Setup(keeps_orders=keeps))
        talk.say(print_order(), then_ms=100)
        talk.inject("paper_out")
        talk.wait(5000)
        talk.inject("load_paper")
        talk.wait(6000)
        assert talk.machine.printed_count == tickets
        talk.inject("head_open")
        talk.say(print_order(), then_ms=5000)
        talk.inject("head_close")
        talk.wait(6000)
        assert talk.machine.printed_count == 2 * tickets


def test_a_jam_before_the_start_forgets_the_order_or_keeps_it() -> None:
    for keeps, tickets in ((False, 0), (True, 1)):
        talk = Talk(Setup(keeps_orders=keeps))
        talk.say(print_order(), then_ms=100)
        talk.inject("jam")
        talk.wait(3000)
        talk.inject("repair")
        talk.say(b"^C|j|^", then_ms=8000)
        assert talk.machine.printed_count == tickets


# ---- faults


def test_every_fault_has_a_name_and_a_line_and_can_be_injected() -> None:
    for fault, line in TclMachine.FAULTS.items():
        talk = Talk()
        talk.say(print_order(), then_ms=2000)
        talk.inject(fault)
        talk.wait(10_000)
        assert line
        assert fault.isidentifier()
    with pytest.raises(KeyError):
        Talk().inject("fire")


def test_xoff_stops_the_host_and_what_comes_anyway_is_kept_within_bounds() -> None:
    talk = Talk(Setup(buffer_bytes=300))
    talk.inject("xoff")
    assert talk.wait(10) == b"\x13"
    assert talk.say(print_order()) == b""
    talk.say(b"x" * 400)
    talk.inject("xon")
    assert talk.wait(0) == b"\x11"
    talk.wait(8000)
    assert all_flags(talk)[1] & 0x02
    assert len(talk.machine.tray) == 0  # the rubbish behind the order spoilt it

    talk = Talk()
    talk.inject("xoff")
    talk.say(print_order(), then_ms=3000)
    talk.inject("xon")
    talk.wait(6000)
    assert talk.machine.printed_count == 1


def test_the_number_of_a_test_print() -> None:
    talk = Talk()
    void = [*FIELDS[:-1], b" "]
    void[12] = b"VOID"
    talk.say(print_order(*void), then_ms=6000)
    (paper,) = talk.machine.tray
    assert paper.text.validation == ""
    assert paper.cents == 0
