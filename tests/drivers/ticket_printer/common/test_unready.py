"""No printer stands still without a word: it is ready, at work, or has told a fault within a stated time."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from drivers.device import Fault
from drivers.sim.escpos import Setup as ReceiptSetup
from drivers.sim.escpos import any_setup
from drivers.sim.tcl import Setup
from drivers.ticket_printer.common.unready import UNREADY_MS, WORDS
from support.devices.printers import Bench, ReceiptBench

ROUND_MS = 5000  # what one round of questions may take on a bad line, until the fault is told
HOST_STOPS_MS = 150  # longer than a printer needs to move its paper visibly
RANDOM_PRINTERS = 500


def live(
    bench: Bench | ReceiptBench, span_ms: int, every_ms: int = 0, then: Callable[[], None] | None = None
) -> None:
    """Let time pass, until it is ready or has told why not. The program listens only every so often, and
    something happens as often."""
    end_ms = bench.now_ms + span_ms
    while bench.now_ms < end_ms and not answered(bench):
        if then is not None:
            then()
        if not every_ms:
            bench.run(500, until=lambda: answered(bench))
            continue
        next_ms = bench.now_ms + every_ms
        for now_ms in range(bench.now_ms, next_ms, 10):
            bench.wire.tick(now_ms)
        bench.now_ms = next_ms
        bench.events += bench.driver.tick(next_ms)
        bench.wire.tick(next_ms)


def answered(bench: Bench | ReceiptBench) -> bool:
    return bench.is_ready() or any(fault is not Fault.PAPER_LOW for fault in bench.faults())


@pytest.mark.requirement("PRN-04")
def test_trials_that_are_judged_too_late_again_and_again_end_in_a_fault() -> None:
    bench = ReceiptBench(ReceiptSetup(dots_per_s=8 * 350))
    bench.driver.release()
    live(bench, UNREADY_MS + ROUND_MS, HOST_STOPS_MS)
    assert bench.faults() == {Fault.PRINTER_FAILED: WORDS}
    bench.run(10_000, until=bench.is_ready)  # the program is itself again
    assert bench.is_ready()
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-04")
def test_a_receipt_printer_whose_rounds_never_agree_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says that it is off line, and at the next look that it is not."""
    bench = ReceiptBench()
    bits, looks = bench.machine._bits, [0]

    def other_bits(question: int) -> int:
        looks[0] += question == 1
        return bits(question) ^ (0x08 if question == 1 and looks[0] % 2 else 0)

    with monkeypatch.context() as patch:
        patch.setattr(bench.machine, "_bits", other_bits)
        bench.driver.release()
        live(bench, UNREADY_MS + ROUND_MS)
        assert bench.faults() == {Fault.PRINTER_FAILED: WORDS}
    bench.run(10_000, until=bench.is_ready)
    assert bench.is_ready()
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("what", ["flags", "firmware"])
def test_a_tcl_printer_whose_frames_never_agree_is_told(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    machine = bench.machine
    flags, setup, frames = machine._flags, machine.setup, [0]

    def other_flags() -> list[int]:
        frames[0] += 1
        first, *rest = flags()
        if what == "firmware":
            machine.setup = replace(setup, firmware=f"5RUSAGE{frames[0] % 9}")
            return [first, *rest]
        return [first ^ (0x04 if frames[0] % 2 else 0), *rest]

    with monkeypatch.context() as patch:
        patch.setattr(machine, "_flags", other_flags)
        bench.driver.release()
        live(bench, UNREADY_MS + ROUND_MS)
        assert bench.faults() == {Fault.PRINTER_FAILED: WORDS}
    machine.setup = setup
    bench.run(10_000, until=bench.is_ready)
    assert bench.is_ready()
    assert bench.faults() == {}


@pytest.mark.requirement("PRN-04")
@pytest.mark.parametrize("seed", range(20))
def test_any_printer_is_ready_or_has_told_a_fault_within_its_time(seed: int) -> None:
    story(seed)


@pytest.mark.campaign
@pytest.mark.requirement("PRN-04")
def test_five_hundred_printers_are_ready_or_have_told_a_fault_within_their_time() -> None:
    for seed in range(RANDOM_PRINTERS):
        story(seed)


def story(seed: int) -> None:
    """A printer of either kind, a program that listens as it can, and something that does not stand still."""
    chance = random.Random(seed)
    bench: Bench | ReceiptBench
    pairs = [("head_open", "head_close"), ("paper_out", "load_paper"), ("unplug", "replug")]
    if chance.random() < 0.7:
        setup = any_setup(seed)
        marks = "named" if setup.named_marks and chance.random() < 0.5 else "counted"
        bench = ReceiptBench(setup, xonxoff=True, seed=seed, marks=marks)
        pairs += [("off_line", "on_line"), ("button_held", "button_up"), ("mute", "unmute")]
    else:
        bench = Bench(
            Setup(
                answer_ms=chance.randint(0, 40),
                boot_ms=chance.randint(300, 3000),
                flags=chance.choice((3, 5, 5, 5)),
                baud=chance.choice((9600, 38400)),
            ),
            seed=seed,
        )
        pairs += [("power_off", "power_on"), ("lost", "lost"), ("garbled", "garbled")]
    known = {*bench.wire.WIRE_FAULTS, *bench.machine.FAULTS}
    pairs = [pair for pair in pairs if set(pair) <= known] + [("", "")] * 3
    now_on = [False]
    trouble, every_ms = chance.choice(pairs), chance.choice((0, 0, 20, 60, 100, 200, 300))

    def happen() -> None:
        now_on[0] = not now_on[0]
        if trouble[0]:
            bench.inject(trouble[0] if now_on[0] else trouble[1])

    bench.driver.release()
    live(bench, UNREADY_MS + ROUND_MS, every_ms, happen)
    assert answered(bench), (seed, trouble, every_ms)
