"""The simulated receipt printer against what is known of real ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.sim.escpos.art import BarCode, TextLine
from drivers.sim.escpos.ear import Ear, HeardCommand, RealTime
from drivers.sim.escpos.machine import EscPosMachine, Setup
from drivers.sim.escpos.paper import Strip
from drivers.sim.ticket.reader import NoBarcodeError, read_picture
from drivers.ticket_printer.escpos.encoder import Encoder
from support.devices.printers import NUMBERS, ticket

CODE = b"\x1dh\x5a\x1dw\x02\x1dH\x00\x1dk\x46\x12" + NUMBERS[0].encode()
CUT = b"\x1dVB\x00"


class Talk:
    """A host without a driver: bytes in, bytes out."""

    def __init__(self, setup: Setup | None = None) -> None:
        self.machine = EscPosMachine(setup)
        self.now_ms = 0
        self.heard = b""

    def say(self, data: bytes, for_ms: int = 100) -> bytes:
        """Send, wait, and give what has come since."""
        self.machine.receive(data, self.now_ms)
        self.wait(for_ms)
        heard, self.heard = self.heard, b""
        return heard

    def wait(self, for_ms: int) -> None:
        end_ms = self.now_ms + for_ms
        while (due := self.machine.wake_at) is not None and due <= end_ms:
            self.now_ms = max(self.now_ms, due)
            self.heard += self.machine.tick(self.now_ms)
        self.now_ms = end_ms

    def inject(self, *faults: str) -> None:
        for fault in faults:
            self.machine.inject(fault, self.now_ms)

    def status(self) -> str:
        return " ".join(self.say(bytes((0x10, 4, n))).hex().upper() for n in (1, 2, 3, 4))


@pytest.fixture(scope="module")
def job() -> bytes:
    return b"".join(part + b"\x1dr\x01" for part in Encoder("TM-T20II").parts(ticket(), spoilt=False))


# ---- real-time status


@pytest.mark.parametrize(
    ("faults", "status"),
    [
        ((), "12 12 12 12"),
        (("paper_low",), "12 12 12 1E"),
        (("paper_out",), "1A 32 12 7E"),
        (("head_open",), "1A 16 12 12"),
        (("off_line",), "1A 12 12 12"),
        (("jam",), "1A 52 16 12"),
        (("broken",), "1A 52 32 12"),
        (("hot",), "1A 52 52 12"),
        (("button_down",), "52 1A 12 12"),
    ],
)
def test_its_answers_are_those_seen_on_the_wire(faults: tuple[str, ...], status: str) -> None:
    talk = Talk()
    talk.inject(*faults)
    assert talk.status() == status


def test_a_high_drawer_pin_and_a_cheap_copy() -> None:
    assert Talk(Setup(pin_3=True)).status() == "16 12 12 12"
    assert Talk(Setup(real_time=False)).status() == "   "
    assert Talk(Setup(near_end_sensor=False, roll_mm=100)).status() == "12 12 12 12"


def test_off_line_it_answers_only_real_time_questions_and_keeps_the_rest() -> None:
    talk = Talk()
    talk.inject("head_open")
    assert talk.say(b"\x1dr\x01\x1dI\x43") == b""
    assert talk.say(b"\x10\x04\x02") == b"\x16"
    talk.inject("head_close")
    assert talk.say(b"") == b"\x00\x5fTM-T20II\x00"


def test_a_mark_is_answered_after_everything_before_it(job: bytes) -> None:
    talk = Talk()
    assert talk.say(job, 400) == b""  # the head of the ticket takes longer
    assert talk.say(b"", 20_000) == b"\x00" * 4
    assert talk.machine.tray[0].complete


def test_a_mark_tells_of_paper() -> None:
    talk = Talk()
    talk.inject("paper_low")
    assert talk.say(b"\x1dr\x01") == b"\x03"


def test_a_mark_with_a_name_and_a_printer_that_knows_none() -> None:
    named = b"\x1d(H\x06\x00\x30\x30A042"
    assert Talk().say(named) == b"\x37\x22A042\x00"
    assert Talk(Setup(named_marks=False)).say(named + b"\x1dr\x01") == b"\x00"


def test_automatic_status_comes_at_once_and_at_each_change_until_it_is_switched_off() -> None:
    talk = Talk()
    assert talk.say(b"\x1da\xff") == bytes.fromhex("1000000F")
    talk.inject("paper_low")
    assert talk.say(b"") == b""  # nothing moves by itself: it tells when it does something
    assert talk.say(b"\x1dr\x01") == bytes.fromhex("031000030F")
    talk.inject("head_open")
    talk.say(b"\x1da\x00\x10\x04\x01")
    talk.inject("head_close")
    talk.wait(100)
    talk.heard = b""
    talk.inject("head_open")
    assert talk.say(b"\x10\x04\x01") == b"\x1a"


# ---- real-time commands inside data


def test_a_question_inside_a_bar_code_is_answered_and_spoils_the_code() -> None:
    talk = Talk()
    assert talk.say(CODE[:-6] + b"\x10\x04\x01") == b"\x12"
    talk.say(CODE[-6:] + b"\n" + CUT, 10_000)
    assert not any(isinstance(e, BarCode) for strip in talk.machine.tray for e in strip.elements)


def test_real_time_commands_between_commands_are_no_data() -> None:
    ear = Ear()
    assert ear.hear(b"A\x10\x04\x01B\n") == [
        HeardCommand("text", b"A", 1),
        RealTime("status", 1),
        HeardCommand("text", b"B", 1),
        HeardCommand("LF", b"", 1),
    ]
    assert ear.hear(b"\x10\x10\x05\x02") == [RealTime("recover", 2)]
    assert ear.hear(b"\x10\x14\x08\x01\x03\x14\x01\x06\x02\x08") == [RealTime("clear")]
    assert ear.hear(b"\x10\x09\x1b@") == [HeardCommand("ESC @", b"", 2)]


@given(st.binary(max_size=200), st.lists(st.integers(1, 20), max_size=20))
def test_cutting_the_bytes_changes_nothing_that_is_heard(data: bytes, sizes: list[int]) -> None:
    whole, parts, at = Ear(), Ear(), 0
    heard = []
    for size in sizes:
        heard += parts.hear(data[at : at + size])
        at += size
    heard += parts.hear(data[at:])
    assert heard == whole.hear(data)


def test_zeros_end_half_a_command() -> None:
    for size in range(1, len(CODE)):
        talk = Talk()
        talk.say(CODE[:size])
        assert talk.say(bytes(32) + b"\x1dr\x01", 5000)[-1:] == b"\x00"
        assert talk.machine.ear.waiting == 0


# ---- ghosts


def test_a_job_that_stops_comes_out_under_the_next_roll(job: bytes) -> None:
    talk = Talk()
    talk.say(job, 300)
    talk.inject("paper_out")
    assert talk.say(b"", 60_000) == b""
    assert talk.machine.tray == []
    assert talk.machine.buffered > 100
    talk.inject("load_paper")
    assert len(talk.say(b"", 60_000)) == 4
    assert [strip.complete for strip in talk.machine.tray] == [False, False]
    assert talk.machine.tray[1].text.validation == NUMBERS[0]  # a bar code that somebody could try


def test_a_held_job_that_was_not_begun_is_a_whole_ticket_later(job: bytes) -> None:
    talk = Talk()
    talk.inject("paper_out")
    talk.say(job, 60_000)
    talk.inject("load_paper")
    talk.say(b"", 60_000)
    assert [strip.complete for strip in talk.machine.tray] == [True]


@pytest.mark.parametrize(
    ("setup", "order"),
    [
        (Setup(), b"\x10\x05\x02"),
        (Setup(), b"\x10\x14\x08\x01\x03\x14\x01\x06\x02\x08"),
        (Setup(keeps_buffer=False), b""),
    ],
)
def test_what_makes_it_forget(setup: Setup, order: bytes, job: bytes) -> None:
    talk = Talk(setup)
    talk.say(job, 900)
    talk.inject("paper_out")
    talk.say(order)
    assert talk.machine.buffered == 0
    talk.inject("load_paper")
    talk.say(b"", 60_000)
    assert [strip.complete for strip in talk.machine.tray] == [False]


@pytest.mark.parametrize(
    ("setup", "order"),
    [
        (Setup(obeys_enq=False), b"\x10\x05\x02"),
        (Setup(obeys_dc4=False), b"\x10\x14\x08\x01\x03\x14\x01\x06\x02\x08"),
        (Setup(), b"\x10\x05\x01"),
    ],
)
def test_what_does_not(setup: Setup, order: bytes, job: bytes) -> None:
    talk = Talk(setup)
    talk.say(job, 900)
    talk.inject("paper_out")
    talk.say(order)
    assert talk.machine.buffered > 0


def test_power_ends_everything_but_the_paper(job: bytes) -> None:
    talk = Talk()
    talk.say(job, 900)
    talk.machine.power_off(talk.now_ms)
    assert talk.say(b"\x10\x04\x01", 1000) == b""
    talk.machine.power_on(talk.now_ms)
    talk.say(b"", 1000)
    assert talk.say(b"\x10\x04\x01") == b"\x12"
    assert talk.machine.buffered == 0
    assert talk.machine.roll.strip.lines[0] == "00-5671-4085-4797-7327"
    talk.say(b"NEXT\n" + CUT, 10_000)
    (strip,) = talk.machine.tray
    assert strip.lines[-1] == "NEXT"
    assert not strip.complete


# ---- paper


def test_a_code_that_does_not_fit_is_not_printed_and_nobody_is_told() -> None:
    talk = Talk(Setup(width_dots=384))
    wide = CODE.replace(b"\x1dw\x02", b"\x1dw\x03")
    assert talk.say(wide + b"X\n\x1dr\x01" + CUT, 10_000) == b"\x00"
    (strip,) = talk.machine.tray
    assert not any(isinstance(element, BarCode) for element in strip.elements)


@pytest.mark.parametrize(("narrow", "dots"), [(2, 305), (3, 457.5), (4, 610)])
def test_the_width_of_its_bar_codes(narrow: int, dots: float) -> None:
    assert BarCode(NUMBERS[0], narrow, 90, 1).width_dots == dots


def test_a_line_that_is_too_long_is_broken_wherever_it_is() -> None:
    talk = Talk(Setup(width_dots=120))
    talk.say(b"TWELVE CENTS\n" + CUT, 10_000)
    assert talk.machine.tray[0].lines == ["TWELVE CEN", "TS"]


def test_text_without_a_line_feed_stays_inside() -> None:
    talk = Talk()
    talk.say(b"HELD", 10_000)
    assert talk.machine.roll.strip.elements == ()
    talk.say(CUT, 10_000)
    assert talk.machine.tray[0].lines == ["HELD"]


def test_styles_last_until_the_reset() -> None:
    talk = Talk()
    talk.say(b"\x1d!\x11\x1bE\x01\x1dB\x01\x1ba\x01BIG\n\x1b@SMALL\n" + CUT, 10_000)
    big, small = [e for e in talk.machine.tray[0].elements if isinstance(e, TextLine)]
    assert (big.runs[0].style.wide, big.runs[0].style.bold, big.runs[0].style.invert) == (2, True, True)
    assert small.runs[0].style == type(small.runs[0].style)()


@pytest.mark.parametrize("moment", range(100, 2400, 300))
def test_half_a_ticket_is_never_a_whole_one(moment: int, job: bytes) -> None:
    talk = Talk()
    talk.say(job, moment)
    talk.inject("jam")
    talk.say(b"\x10\x05\x02", 1000)
    talk.inject("repair")
    talk.say(b"\x10\x05\x02" + b"REST\n" + CUT, 10_000)
    (strip,) = talk.machine.tray
    assert not strip.complete
    assert talk.machine.printed_count == 0
    assert talk.machine.spoilt_count == 1


def test_a_torn_code_is_never_taken_for_a_number() -> None:
    half = BarCode(NUMBERS[0], 2, 45, 1, torn=True)
    assert Strip(576, (half,)).text.validation == ""
    with pytest.raises(NoBarcodeError):
        read_picture(Strip(576, (TextLine((), 30),)).picture())


def test_the_next_ticket_jams_at_its_code(job: bytes) -> None:
    talk = Talk()
    talk.inject("jam_next")
    talk.say(job, 10_000)
    assert talk.status().startswith("1A 52 16")
    assert isinstance(talk.machine.roll.strip.elements[-1], BarCode)
    assert talk.machine.roll.strip.elements[-1].torn


def test_paper_is_used_up_by_the_millimetre(job: bytes) -> None:
    talk = Talk(Setup(roll_mm=300, low_mm=150))
    assert talk.machine.paper_left == "0.3 m"
    talk.say(job, 10_000)
    assert 190 < talk.machine.roll.left_mm < 230
    talk.say(job, 10_000)
    talk.say(job, 10_000)
    assert talk.status() == "12 12 12 1E"
    talk.say(job, 10_000)
    assert talk.machine.trouble == "paper out"


def test_what_came_out_last_is_taken_once(job: bytes) -> None:
    talk = Talk()
    assert talk.machine.take() is None
    talk.say(job, 10_000)
    stood = talk.machine.paper_stands
    strip = talk.machine.take()
    assert stood
    assert strip is not None
    assert strip.complete
    assert talk.machine.take() is None


def test_how_far_a_ticket_is(job: bytes) -> None:
    talk = Talk()
    stages = [talk.machine.stage]
    talk.machine.receive(job, 0)
    stages.append(talk.machine.stage)
    for _ in range(60):
        talk.wait(100)
        stages.append(talk.machine.stage)
    assert list(dict.fromkeys(stages)) == ["", "ticket ordered", "ticket printing", "ticket proven"]
    assert stages[-1] == ""


def test_every_fault_has_a_name_and_a_line_and_can_be_injected() -> None:
    for fault, line in EscPosMachine.FAULTS.items():
        talk = Talk()
        talk.inject(fault)
        talk.wait(6000)
        assert line
        assert line[0].islower()
    with pytest.raises(KeyError):
        Talk().inject("paper_aeroplane")


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("head_open", "cover open"), ("jam", "paper jam"), ("broken", "broken"), ("hot", "too hot"),
        ("paper_out", "paper out"), ("off_line", "off line"), ("paper_low", ""),
    ],
)  # fmt: skip
def test_what_somebody_sees_who_stands_before_it(fault: str, word: str) -> None:
    talk = Talk()
    talk.inject(fault)
    assert talk.machine.trouble == word


def test_more_than_its_buffer_is_lost() -> None:
    talk = Talk(Setup(buffer_bytes=100))
    talk.inject("off_line")
    talk.say(b"x" * 500)
    assert talk.machine.buffered == 100


def test_a_host_that_asks_too_fast_loses_answers() -> None:
    talk = Talk()
    assert len(talk.say(b"\x10\x04\x01" * 200)) == 64


def test_xoff_holds_what_comes_and_a_restart_lets_the_host_go_on() -> None:
    talk = Talk()
    talk.inject("xoff")
    assert talk.say(b"\x10\x04\x01") == b"\x13"
    talk.inject("xon")
    assert talk.say(b"") == b"\x11\x12"
    talk.inject("xoff")
    talk.wait(100)
    talk.inject("reset")
    talk.heard = b""
    talk.wait(2000)
    assert talk.heard == b"\x11"


def test_old_strips_are_swept_up(job: bytes) -> None:
    talk = Talk(Setup(dots_per_s=100_000, cut_ms=1))
    for _ in range(3):
        talk.say(job, 100)
    assert talk.machine.paper_count == 3
    talk.machine.sweep(1)
    assert len(talk.machine.tray) == 1
    assert talk.machine.paper_count == 3
