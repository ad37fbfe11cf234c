"""The simulated validator by itself, frame by frame, without our driver: its physics and its books."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drivers.bill_validator.id003.codec import Command, Decoder, Status, frame
from drivers.sim.id003.machine import BITS, Id003Machine
from drivers.sim.id003.paper import EURO_5, CurrencyEntry, usd_rows
from drivers.sim.validator.path import BOX_NOTES, HOLD_MS, UNPOLLED_MS, PathState, Quirks
from drivers.sim.validator.sheets import Sheet

VECTORS = {
    row["meaning"]: bytes.fromhex(row["frame"])
    for row in json.loads((Path(__file__).parents[3] / "vectors" / "id003.json").read_text())
}
POLL = VECTORS["STATUS REQUEST (= status IDLING)"]
ACK = VECTORS["ACK (either direction)"]


class Hand:
    """A host made of frames."""

    def __init__(self, machine: Id003Machine) -> None:
        self.machine = machine
        self.now_ms = 1000
        machine.tick(self.now_ms)

    def say(self, data: bytes) -> bytes:
        self.machine.receive(data, self.now_ms)
        return self.machine.tick(self.now_ms + self.machine.quirks.turnaround_ms)

    def command(self, code: int, data: bytes = b"") -> bytes:
        return self.say(frame(code, data))

    def status(self) -> int:
        (message,) = Decoder().feed(self.say(POLL))
        return message.code

    def wait(self, for_ms: int, *, polling: bool = True) -> None:
        for _ in range(for_ms // 100):
            self.now_ms += 100
            if polling:
                self.say(POLL)
            else:
                self.machine.tick(self.now_ms)

    def until(self, status: int, within_ms: int = 20_000) -> None:
        for _ in range(within_ms // 50):
            if self.status() == status:
                return
            self.now_ms += 50
        raise AssertionError(f"{Status(status).name} not seen; it shows {Status(self.status()).name}")

    def settle(self) -> None:
        """RESET, settings, self-test, accepting."""
        self.command(Command.RESET)
        self.until(Status.INITIALIZE)
        self.command(Command.DENOMINATION, b"\x00\x00")
        self.command(Command.INHIBIT, b"\x00")
        self.until(Status.IDLING)

    def escrow(self, cents: int = 2000) -> None:
        assert self.machine.insert(cents, self.now_ms)
        self.until(Status.ESCROW)


def settled(**quirks: object) -> Hand:
    hand = Hand(Id003Machine(quirks=Quirks(**quirks)))  # type: ignore[arg-type]
    hand.settle()
    return hand


def test_power_up_until_reset_then_initialize_until_the_settings_have_come() -> None:
    hand = Hand(Id003Machine())
    hand.wait(60_000)
    assert hand.say(POLL) == frame(Status.POWER_UP)
    assert hand.command(Command.INHIBIT, b"\x00") == frame(Status.INVALID_COMMAND)
    assert hand.command(Command.RESET) == ACK
    hand.until(Status.INITIALIZE)
    hand.wait(60_000)
    assert hand.status() == Status.INITIALIZE
    assert hand.command(Command.INHIBIT, b"\x01") == VECTORS["inhibit on"]
    hand.until(Status.INHIBITED)


def test_settings_are_echoed_read_back_and_lost_at_reset() -> None:
    hand = settled()
    for name, read in (("denominations: enable all", 0x80), ("security: normal", 0x81),
                       ("communication mode: polled", 0x82), ("direction: all four", 0x84),
                       ("optional function: power recovery", 0x85),
                       ("barcode function: I-2-of-5, 18 chars", 0x86),
                       ("bar inhibit: bills and tickets on", 0x87)):  # fmt: skip
        setting = VECTORS[name]
        assert hand.say(setting) == setting
        assert hand.command(read) == frame(read, setting[3:-2])
    hand.command(Command.RESET)
    assert hand.command(0x80) == frame(Status.INVALID_COMMAND)


def test_information() -> None:
    hand = Hand(Id003Machine(rows=(EURO_5,)))
    assert hand.command(Command.VERSION)[3:-2].startswith(b"i(USA)")
    assert hand.command(Command.BOOT_VERSION)[3:-2] == b"B05 "
    assert hand.command(Command.CURRENCY)[3:-2] == bytes.fromhex("69 E0 05 00")
    assert hand.command(0xF0, b"\x20") == frame(Status.INVALID_COMMAND)


def test_the_way_of_a_note_in_worked_frames() -> None:
    hand = settled()
    assert hand.machine.insert(500, hand.now_ms)
    assert hand.say(POLL) == VECTORS["ACCEPTING"]
    hand.until(Status.ESCROW)
    assert hand.say(POLL) == VECTORS["ESCROW, code 63"]
    assert hand.say(VECTORS["STACK-2 (= PU bill in stacker)"]) == ACK
    assert hand.say(POLL) == VECTORS["STACKING"]
    hand.wait(1100)
    assert hand.machine.stacked_cents == 0, "not yet in the box"
    hand.wait(100)
    for _ in range(50):
        assert hand.say(POLL) == VECTORS["VEND VALID"]
        hand.now_ms += 100
    assert hand.machine.stacked_cents == 500
    assert hand.say(ACK) == b"", "ACK has no answer"
    assert hand.say(POLL) == VECTORS["STACKED"]
    assert hand.status() == Status.IDLING
    assert [paper.cents for paper in hand.machine.cash_box] == [500]


def test_stack_1_says_vend_valid_at_the_lever() -> None:
    hand = settled()
    hand.escrow()
    assert hand.say(VECTORS["STACK-1 (= PU bill in acceptor)"]) == ACK
    hand.until(Status.VEND_VALID)
    assert hand.machine.stacked_cents == 0, "said before the note is in the box"
    hand.say(ACK)
    assert hand.status() == Status.STACKING
    hand.until(Status.STACKED)
    assert hand.machine.stacked_cents == 2000


def test_stack_1_without_ack_stays_in_vend_valid_when_the_note_has_fallen() -> None:
    hand = settled()
    hand.escrow()
    hand.command(Command.STACK_1)
    hand.wait(2000)
    assert hand.status() == Status.VEND_VALID
    assert hand.machine.stacked_cents == 2000


def test_ack_at_any_time_does_nothing() -> None:
    hand = settled()
    hand.say(ACK)
    assert hand.status() == Status.IDLING
    hand.escrow()
    hand.say(ACK)
    assert hand.status() == Status.ESCROW


@pytest.mark.parametrize("code", [Command.STACK_1, Command.STACK_2, Command.RETURN, Command.HOLD])
def test_orders_outside_escrow_are_invalid(code: Command) -> None:
    assert settled().command(code) == VECTORS["INVALID COMMAND"]


def test_return_and_hold() -> None:
    hand = settled()
    hand.escrow()
    assert hand.say(VECTORS["HOLD (= STACKER OPEN)"]) == ACK
    assert hand.say(POLL) == VECTORS["HOLDING"]
    hand.wait(HOLD_MS - 200)
    assert hand.status() == Status.HOLDING
    assert hand.say(VECTORS["RETURN (= STACKER FULL)"]) == ACK
    assert hand.say(POLL) == VECTORS["RETURNING"]
    hand.until(Status.IDLING)
    assert [paper.cents for paper in hand.machine.path.returned] == [2000]


def test_escrow_ends_by_itself() -> None:
    hand = settled()
    hand.escrow()
    hand.wait(HOLD_MS + 100)
    assert hand.say(POLL) == frame(Status.REJECTING, b"\x79")
    hand.until(Status.IDLING)
    hand.escrow()
    hand.wait(UNPOLLED_MS + 100, polling=False)
    assert hand.status() == Status.RETURNING, "nobody polls: the host is dead"


def test_what_is_forbidden_is_rejected_with_79() -> None:
    hand = settled()
    hand.command(Command.DENOMINATION, b"\x10\xff")
    hand.machine.insert(2000, hand.now_ms)
    hand.until(Status.REJECTING)
    assert hand.say(POLL) == frame(Status.REJECTING, b"\x79")
    hand.until(Status.IDLING)
    hand.command(Command.BAR_INHIBIT, b"\x01")
    hand.machine.insert(500, hand.now_ms)
    hand.until(Status.REJECTING)
    hand.until(Status.IDLING)
    hand.command(Command.BAR_INHIBIT, b"\x00")
    hand.machine.insert(500, hand.now_ms)
    hand.command(Command.INHIBIT, b"\x01")
    hand.until(Status.REJECTING)


def test_nothing_is_drawn_in_while_inhibited_busy_full_open_or_without_power() -> None:
    hand = Hand(Id003Machine())
    assert not hand.machine.insert(500, hand.now_ms)
    hand.settle()
    hand.command(Command.INHIBIT, b"\x01")
    assert not hand.machine.insert(500, hand.now_ms)
    hand.command(Command.INHIBIT, b"\x00")
    assert hand.machine.insert(500, hand.now_ms)
    assert hand.machine.busy
    assert not hand.machine.insert(500, hand.now_ms)
    hand.until(Status.ESCROW)
    hand.command(Command.RETURN)
    hand.until(Status.IDLING)
    hand.machine.inject("box_full", hand.now_ms)
    assert hand.say(POLL) == frame(Status.STACKER_FULL)
    assert not hand.machine.insert(500, hand.now_ms)
    hand.machine.inject("box_emptied", hand.now_ms)
    hand.machine.inject("box_out", hand.now_ms)
    assert hand.say(POLL) == frame(Status.STACKER_OPEN)
    assert not hand.machine.insert(500, hand.now_ms)
    hand.machine.power_off(hand.now_ms)
    assert hand.say(POLL) == b""
    assert not hand.machine.insert(500, hand.now_ms)


def test_notes_of_other_countries_and_unknown_paper() -> None:
    hand = Hand(Id003Machine(rows=(*usd_rows(), EURO_5)))
    hand.settle()
    hand.machine.insert(500, hand.now_ms, currency="EUR")
    hand.until(Status.ESCROW)
    assert hand.say(POLL) == frame(Status.ESCROW, b"\x69")
    hand.command(Command.RETURN)
    hand.until(Status.IDLING)
    hand.machine.insert(200, hand.now_ms)
    hand.until(Status.REJECTING)
    assert hand.say(POLL) == frame(Status.REJECTING, b"\x76")
    assert CurrencyEntry(0x67, 1, 1, 2, "USD").cents == 10_000
    assert CurrencyEntry(0x62, 1, 0, 0, "USD").cents == 0


def test_a_ticket_of_eighteen_digits() -> None:
    hand = settled()
    assert hand.machine.insert_ticket("012345678901234567", hand.now_ms)
    hand.until(Status.ESCROW)
    assert hand.say(POLL) == VECTORS["ESCROW, ticket 012345678901234567"]
    hand = settled(knows_tickets=False)
    hand.machine.insert_ticket("012345678901234567", hand.now_ms)
    hand.until(Status.REJECTING)
    hand = settled()
    hand.command(Command.BAR_INHIBIT, b"\x02")
    hand.machine.insert_ticket("012345678901234567", hand.now_ms)
    hand.until(Status.REJECTING)


def test_a_bad_checksum_is_met_with_silence_or_an_error() -> None:
    broken = POLL[:-1] + b"\x00"
    assert settled().say(broken) == b""
    assert settled(bad_checksum="error").say(broken) == VECTORS["COMMUNICATION ERROR"]


def test_a_slow_unit_answers_after_its_turnaround() -> None:
    machine = Id003Machine(quirks=Quirks(turnaround_ms=25))
    machine.tick(0)
    machine.receive(POLL, 1000)
    assert machine.wake_at == 1025
    assert machine.tick(1024) == b""
    assert machine.tick(1025) == frame(Status.POWER_UP)


def test_interrupt_mode_sends_one_enq_for_each_change() -> None:
    hand = settled()
    hand.command(Command.MODE, b"\x01")
    assert hand.status() == Status.IDLING
    hand.machine.insert(500, hand.now_ms)
    assert hand.machine.tick(hand.now_ms) == VECTORS["ENQ (acceptor, interrupt mode)"]
    assert hand.machine.tick(hand.now_ms) == b""
    assert hand.status() == Status.ACCEPTING


def test_a_jam_stays_until_a_person_has_cleared_it_and_reset_follows() -> None:
    hand = settled()
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.machine.inject("jam_stacker", hand.now_ms)
    hand.wait(10_000)
    assert hand.say(POLL) == VECTORS["JAM IN STACKER"]
    hand.command(Command.RESET)
    hand.wait(2000)
    hand.command(Command.INHIBIT, b"\x00")
    hand.wait(5000)
    assert hand.say(POLL) == VECTORS["JAM IN STACKER"]
    hand.machine.inject("jam_cleared", hand.now_ms)
    assert hand.say(POLL) == VECTORS["JAM IN STACKER"], "until RESET"
    hand.settle()
    assert hand.machine.stacked_cents == 0
    assert [paper.cents for paper in hand.machine.path.taken_out] == [2000]


def test_a_jam_survives_a_power_cut() -> None:
    hand = settled()
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.wait(900)
    hand.machine.inject("jam_stacker", hand.now_ms)
    hand.machine.power_off(hand.now_ms)
    hand.machine.power_on(hand.now_ms)
    assert hand.status() == Status.POWER_UP_IN_STACKER
    hand.command(Command.RESET)
    hand.wait(1000)
    hand.command(Command.INHIBIT, b"\x00")
    hand.wait(3000)
    assert hand.status() == Status.JAM_IN_STACKER
    assert hand.machine.stacked_cents == 0


def test_a_jam_that_is_cleared_without_power_leaves_nothing_inside() -> None:
    hand = settled()
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.wait(900)
    hand.machine.inject("jam_stacker", hand.now_ms)
    hand.machine.power_off(hand.now_ms)
    hand.machine.inject("jam_cleared", hand.now_ms)
    hand.machine.power_on(hand.now_ms)
    assert hand.status() == Status.POWER_UP
    hand.settle()
    assert hand.machine.stacked_cents == 0


def test_a_pause_stops_the_clockwork_and_lets_it_go_on() -> None:
    hand = settled()
    assert hand.machine.insert(500, hand.now_ms)
    hand.wait(400)
    hand.machine.inject("pause", hand.now_ms)
    assert hand.say(POLL) == VECTORS["PAUSE"]
    hand.wait(2900)
    assert hand.status() == Status.PAUSE
    hand.wait(200)
    assert hand.status() == Status.ACCEPTING
    hand.wait(400)
    assert hand.status() == Status.ESCROW


def test_a_cheat_is_noticed_and_the_note_is_gone() -> None:
    hand = settled()
    hand.escrow()
    hand.machine.inject("cheat", hand.now_ms)
    hand.command(Command.STACK_2)
    hand.wait(700)
    assert hand.say(POLL) == VECTORS["CHEATED"]
    hand.until(Status.IDLING)
    assert hand.machine.stacked_cents == 0
    assert hand.machine.returned_cents == 2000


def test_failure_mute_refuse_misheard() -> None:
    hand = settled()
    hand.machine.inject("failure", hand.now_ms)
    assert hand.say(POLL) == VECTORS["FAILURE, A2"]
    hand.machine.inject("repaired", hand.now_ms)
    assert hand.status() == Status.INITIALIZE
    hand.machine.inject("mute", hand.now_ms)
    assert hand.say(POLL) == b""
    hand.machine.inject("unmute", hand.now_ms)
    hand.machine.inject("refuse", hand.now_ms)
    assert hand.say(POLL) == VECTORS["INVALID COMMAND"]
    hand.machine.inject("misheard", hand.now_ms)
    hand.say(ACK)
    assert hand.say(POLL) == VECTORS["COMMUNICATION ERROR"]
    assert hand.status() == Status.INITIALIZE
    with pytest.raises(KeyError):
        hand.machine.inject("gremlins", hand.now_ms)


def test_every_fault_has_its_line_and_can_be_injected_at_any_time() -> None:
    for fault, line in Id003Machine.FAULTS.items():
        assert line
        for powered in (True, False):
            machine = Id003Machine(powered=powered)
            machine.inject(fault, 10)
            machine.tick(100_000)


def test_two_causes_hold_the_mechanics_until_both_are_gone() -> None:
    hand = settled()
    assert hand.machine.insert(500, hand.now_ms)
    hand.machine.inject("box_out", hand.now_ms)
    hand.machine.inject("pause", hand.now_ms)
    hand.wait(5000)
    assert hand.status() == Status.STACKER_OPEN
    hand.machine.inject("box_in", hand.now_ms)
    hand.wait(900)
    assert hand.status() == Status.ESCROW


def test_the_box_comes_back_with_or_without_a_restart() -> None:
    for restarts, wanted in ((True, Status.INITIALIZE), (False, Status.IDLING)):
        hand = settled(restarts_after_box=restarts)
        hand.machine.inject("box_out", hand.now_ms)
        hand.machine.inject("box_in", hand.now_ms)
        assert hand.status() == wanted


def test_a_box_has_room_for_so_many_notes() -> None:
    hand = settled()
    hand.machine.path.cash_box += [Sheet(100)] * (BOX_NOTES - 1)
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.until(Status.VEND_VALID)
    hand.say(ACK)
    hand.until(Status.STACKER_FULL)


POWER_CUTS = [
    (PathState.IDLE, Status.POWER_UP, 0),
    (PathState.ACCEPTING, Status.POWER_UP_IN_ACCEPTOR, 0),
    (PathState.ESCROW, Status.POWER_UP_IN_ACCEPTOR, 0),
    (PathState.LIFTING, Status.POWER_UP_IN_ACCEPTOR, 0),
    (PathState.PUSHING, Status.POWER_UP_IN_STACKER, 2000),
    (PathState.VEND_VALID, Status.POWER_UP_IN_STACKER, 2000),
    (PathState.STACKED, Status.POWER_UP, 2000),
]


@pytest.mark.parametrize("recovery", [False, True])
@pytest.mark.parametrize(("state", "status", "in_box"), POWER_CUTS)
def test_a_power_cut_is_told_by_the_place_of_the_bill(
    state: PathState, status: Status, in_box: int, recovery: bool
) -> None:
    hand = settled(vend_valid_after_power_up=recovery)
    if state is not PathState.IDLE:
        hand.machine.insert(2000, hand.now_ms)
    if state not in (PathState.IDLE, PathState.ACCEPTING):
        hand.until(Status.ESCROW)
    if state in (PathState.LIFTING, PathState.PUSHING, PathState.VEND_VALID, PathState.STACKED):
        hand.command(Command.STACK_2)
        hand.wait({PathState.LIFTING: 100, PathState.PUSHING: 700}.get(state, 1300))
    if state is PathState.STACKED:
        hand.say(ACK)
    assert hand.machine.path.state is state
    hand.machine.power_off(hand.now_ms)
    hand.machine.power_off(hand.now_ms)
    assert not hand.machine.settings
    hand.machine.power_on(hand.now_ms)
    hand.machine.power_on(hand.now_ms)
    assert hand.machine.tick(hand.now_ms) == b"\0\0", "units send zero bytes at power-up"
    hand.wait(5000)
    assert hand.status() == status, "until RESET"
    hand.machine.power_off(hand.now_ms)
    hand.machine.power_on(hand.now_ms)
    hand.machine.tick(hand.now_ms)
    assert hand.status() == status, "after a second cut as well"
    if recovery and status is Status.POWER_UP_IN_STACKER:
        hand.command(Command.RESET)
        hand.until(Status.INITIALIZE)
        hand.command(Command.INHIBIT, b"\x00")
        hand.until(Status.VEND_VALID)
        hand.say(ACK)
        hand.until(Status.IDLING)
    else:
        hand.settle()
    assert hand.machine.stacked_cents == in_box
    back = 2000 if state is not PathState.IDLE and not in_box else 0
    assert hand.machine.returned_cents == back


def test_a_unit_that_forgets() -> None:
    hand = settled(forgets_stacked=True)
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.until(Status.VEND_VALID)
    hand.machine.power_off(hand.now_ms)
    hand.machine.power_on(hand.now_ms)
    hand.machine.tick(hand.now_ms)
    assert hand.status() == Status.POWER_UP
    assert hand.machine.stacked_cents == 2000


def test_reset_during_stacking() -> None:
    hand = settled()
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.wait(100)
    hand.command(Command.RESET)
    assert hand.say(POLL) == VECTORS["RETURNING"], "before the point of no return it comes out"
    hand.settle()
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.wait(800)
    hand.settle()
    assert hand.machine.stacked_cents == 2000, "after it, it goes in"


def test_no_patience_for_an_owner_that_never_acknowledges() -> None:
    hand = settled(ack_patience_ms=60_000)
    hand.escrow()
    hand.command(Command.STACK_2)
    hand.until(Status.VEND_VALID)
    hand.wait(60_100)
    assert hand.say(POLL) == b""
    assert hand.command(Command.RESET) == ACK
    assert hand.say(POLL) != b""


def test_its_line_has_a_parity_bit() -> None:
    assert BITS == 1 + 8 + 1 + 1
