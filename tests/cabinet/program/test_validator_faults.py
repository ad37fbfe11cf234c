"""A simulated validator, the driver of the field and the decider together: what goes wrong in the machine is
seen, told, logged and lit, and stops the notes of that seat only."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabinet.core.facts import ConditionRaised
from cabinet.core.live import active_conditions
from cabinet.core.outputs import outputs
from cabinet.core.turn import AcknowledgeNote, ResetValidator, ReturnNote, StackNote
from drivers.device import DeviceEvent, Pattern
from drivers.sim.id003 import Id003Machine
from support.devices.validator_bench import Bench
from support.evenings.evening import Evening
from support.screens.seen import look

V1 = "validator1"


class Wired:
    """Seat 1 of a cabinet with two, whose validator is a machine on a wire."""

    def __init__(self) -> None:
        self.evening = Evening("10H 9S 7D 10C 10S", seats=2)
        self.bench = Bench(Id003Machine(), owner=self._heard)
        self.machine = self.bench.machine
        self.run(12_000)
        assert self.accepts(), "powered up, reset, set up"
        self.evening.insert(2, 10_000)

    def _heard(self, event: DeviceEvent) -> None:
        self.evening.feed(event)
        for act in self.evening.ordered(StackNote, ReturnNote, AcknowledgeNote, ResetValidator):
            match act:
                case StackNote(device=device) if device == V1:
                    self.bench.validator.stack()
                case ReturnNote(device=device) if device == V1:
                    self.bench.validator.give_back()
                case AcknowledgeNote(device=device) if device == V1:
                    self.bench.validator.acknowledge()
                case ResetValidator(device=device) if device == V1:
                    self.bench.validator.reset()

    def run(self, ms: int) -> None:
        for _ in range(ms // 100):
            self.bench.validator.accept(outputs(self.evening.state, self.evening.live).accept[V1])
            self.bench.run(100)
            self.evening.at_ms = max(self.evening.at_ms, self.bench.now_ms)

    def accepts(self) -> bool:
        """The owner wants notes, and the machine takes one."""
        wanted = outputs(self.evening.state, self.evening.live).accept[V1]
        return wanted and self.evening.live.device(V1).enabled

    def codes(self) -> list[str]:
        return [row.code for row, _, _ in active_conditions(self.evening.state, self.evening.live)]

    def insert(self, cents: int, flaw: int = 0) -> None:
        assert self.machine.insert(cents, self.bench.now_ms, flaw=flaw)
        self.run(6_000)


def unplugged(wired: Wired) -> None:
    wired.bench.far_end.unplug(wired.bench.now_ms)


def fished(wired: Wired) -> None:
    """Somebody pulls a note back on a string while it is stacked."""
    assert wired.machine.insert(2000, wired.bench.now_ms)
    wired.run(500)
    wired.machine.inject("cheat", wired.bench.now_ms)
    wired.run(3_000)


def refused_often(wired: Wired) -> None:
    for _ in range(20):
        wired.insert(2000, flaw=0x77)


def injected(fault: str) -> Callable[[Wired], None]:
    return lambda wired: wired.machine.inject(fault, wired.bench.now_ms)


FAULTS: dict[str, tuple[Callable[[Wired], None], str]] = {
    "jam in the acceptor": (injected("jam_acceptor"), "B01"),
    "jam in the stacker": (injected("jam_stacker"), "B01"),
    "cash box full": (injected("box_full"), "B02"),
    "cash box away": (injected("box_out"), "D06"),
    "hardware failure": (injected("failure"), "B03"),
    "silent": (injected("mute"), "B04"),
    "unplugged": (unplugged, "B04"),
    "fraud": (fished, "B05"),
    "too many rejects": (refused_often, "B07"),
}
CALLS = ("B01", "B05", "B07")  # an attendant


@pytest.mark.requirement("BIL-06", "BIL-09")
@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_in_the_machine_is_told_and_play_goes_on(fault: str) -> None:
    wired = Wired()
    evening = wired.evening
    begin, code = FAULTS[fault]
    begin(wired)
    wired.run(8_000)
    assert code in wired.codes()
    raised = [fact for fact in evening.facts("ConditionRaised") if isinstance(fact, ConditionRaised)]
    assert (code, V1) in {(fact.code, fact.device) for fact in raised}, "logged"
    levels = outputs(evening.state, evening.live)
    assert (levels.accept[V1], levels.accept["validator2"]) == (False, True)
    assert levels.panel["candle.top"] is not Pattern.OFF
    called = [banner for banner in look(evening).banners if banner.kind == "attendant_seats"]
    assert bool(called) is (code in CALLS)
    evening.press(2, "bet_plus", "deal")
    assert evening.playing(), "play goes on"


@pytest.mark.requirement("BIL-01", "BIL-02")
def test_three_notes_become_money_once_each_and_a_flawed_one_none() -> None:
    wired = Wired()
    for cents, flaw in ((2000, 0), (500, 0x72), (10_000, 0), (100, 0)):
        wired.insert(cents, flaw)
    assert wired.evening.state.credit(1) == wired.machine.stacked_cents == 12_100
    assert wired.machine.returned_cents == 500
    assert wired.evening.state.notes == ()
