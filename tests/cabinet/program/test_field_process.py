"""`cabinet run` as a process: what it does when a display or a disk is away, and how it ends."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from cabinet.program import field
from support.programs.firmware import Make, takes_notes

pytestmark = pytest.mark.no_cover


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
    firmware = make(started=False)
    blocked = tmp_path / "bench" / "state"
    away = blocked.rename(tmp_path / "away")
    blocked.write_text("a file where a directory should be", encoding="utf-8")
    firmware.start()
    firmware.wait(lambda: "M03 storage failed" in firmware.status, "the status")
    assert "remove or rename it" in firmware.status
    assert not takes_notes(firmware)
    blocked.unlink()
    away.rename(blocked)
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
