"""A disk that answers no flush any more: it is told, and holds up no stop."""

from __future__ import annotations

import signal
import subprocess

import pytest

from cabinet.program import field, start
from support.programs import strace
from support.programs.firmware import Make, takes_notes

__test__ = strace.AT_HAND  # without strace no flush can be held up
pytestmark = pytest.mark.no_cover


@pytest.mark.requirement("MEM-10")
@pytest.mark.parametrize("told", ["before the tilt", "after it"])
def test_a_disk_that_hangs_is_told_and_holds_up_no_stop(make: Make, told: str) -> None:
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
