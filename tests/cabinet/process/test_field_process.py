"""`cabinet run` as a process: what it does when a display or a disk is away, and how it ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cabinet import field
from cabinet.process import start
from drivers.bill_validator.id003_codec import Status
from drivers.sim.id003 import Id003Machine
from support import strace
from support.firmware import Firmware

Make = Callable[..., Firmware]
pytestmark = pytest.mark.no_cover


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[Firmware] = []

    def firmware(autoplay: bool = False, **environment: str) -> Firmware:
        made.append(Firmware(tmp_path, environment, autoplay=autoplay))
        made[-1].start()
        return made[-1]

    yield firmware
    for one in made:
        one.close()


def takes_notes(firmware: Firmware) -> bool:
    return validator(firmware).status()[0] == Status.IDLING


def validator(firmware: Firmware) -> Id003Machine:
    machine = firmware.bench.world.wires["validator1"].machine
    assert isinstance(machine, Id003Machine)
    return machine


@pytest.mark.requirement("MEM-10")
def test_without_a_display_it_stays_up_says_so_and_takes_no_note(make: Make) -> None:
    firmware = make(SDL_VIDEODRIVER="nothing")
    firmware.wait(lambda: "S04 no display" in firmware.status, "the status")
    assert any(text.startswith("READY=1\n") for text in firmware.said), "the start is not given up"
    beats = firmware.beats
    firmware.wait(lambda: firmware.beats > beats + 3, "signs of life")
    firmware.wait(lambda: firmware.bench.seen is not None, "a state")
    assert firmware.bench.seen is not None
    assert ("S04", "") in firmware.bench.seen.conditions
    assert not takes_notes(firmware)
    firmware.process.send_signal(signal.SIGTERM)
    assert firmware.ended() == field.CLEAN


@pytest.mark.requirement("MEM-10")
def test_a_state_directory_that_cannot_be_used_is_waited_for(make: Make, tmp_path: Path) -> None:
    blocked = tmp_path / "bench" / "state"
    blocked.parent.mkdir()
    blocked.write_text("a file where a directory should be", encoding="utf-8")
    firmware = make()
    firmware.wait(lambda: "M03 storage failed" in firmware.status, "the status")
    assert "remove or rename it" in firmware.status
    assert not takes_notes(firmware)
    blocked.unlink()
    firmware.wait(lambda: firmware.status == "running", "a start that goes on by itself")
    firmware.wait(lambda: takes_notes(firmware), "a validator that takes notes")
    firmware.process.send_signal(signal.SIGTERM)
    assert firmware.ended() == field.CLEAN


@pytest.mark.requirement("MEM-10", "REC-01")
def test_a_stop_does_not_wait_for_a_hand_that_waits_for_its_player(make: Make) -> None:
    """Alone at the cabinet one has five minutes; the service manager waits a quarter of one."""
    firmware = make(autoplay=True)

    def decides() -> bool:
        seen = firmware.bench.seen
        return seen is not None and seen.deciding == (1,)

    firmware.wait(decides, "a hand")
    began_ms = firmware.clock.now_ms()
    firmware.process.send_signal(signal.SIGTERM)
    assert firmware.ended() == field.CLEAN
    assert firmware.clock.now_ms() - began_ms < firmware.bench.config.rules.one_seat_seconds * 1000
    firmware.start()
    firmware.wait(decides, "the same hand at the next start")


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize("told", ["before the tilt", "after it"])
def test_a_disk_that_hangs_is_told_and_holds_up_no_stop(make: Make, told: str) -> None:
    if not strace.AT_HAND:
        return
    firmware = make()
    firmware.wait(lambda: takes_notes(firmware), "a validator that takes notes")
    hang = ["strace", "-f", "-o", "/dev/null", "-p", str(firmware.process.pid), "-e", "trace=fdatasync"]
    tracer = subprocess.Popen(
        [*hang, "-e", "inject=fdatasync:delay_enter=900000000"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert tracer.stderr is not None
        assert "attached" in tracer.stderr.readline()
        firmware.bench.world.insert("validator1", 2_000, firmware.clock.now_ms())
        firmware.wait(lambda: "M07 storage slow" in firmware.status, "the first alarm")
        assert "M07 storage slow: a commit has been running for" in firmware.log
        if told == "after it":
            firmware.wait(lambda: "M03 storage failed" in firmware.status, "the tilt")
            assert not takes_notes(firmware)
            silent = "the service manager is to end this"
            firmware.wait(lambda: silent in firmware.log, "the end of the signs of life")
            firmware.listen()
            beats = firmware.beats
            firmware.runs(2_000)
            assert firmware.beats == beats
        firmware.process.send_signal(signal.SIGTERM)
        firmware.wait(lambda: "the program ends without it" in firmware.log, "the end")
        tracer.kill()  # who holds a thread keeps the remains of its process too
        assert firmware.ended() == field.FAILED
        assert "Timeout" not in firmware.log, "it has ended by itself"
    finally:
        tracer.kill()
        tracer.wait()
        assert tracer.stderr is not None
        tracer.stderr.close()
    assert start.STOP_HARD_S < 10
