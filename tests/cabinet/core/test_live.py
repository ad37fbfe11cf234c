"""What is known only now: what devices say of themselves, what a person has just pressed."""

from __future__ import annotations

import pytest

from cabinet.core.live import CUES_MAX, sound
from cabinet.core.look import Cue
from cabinet.core.timing import Timing
from drivers import device as d
from support.evenings.evening import Evening


def test_devices_introduce_themselves() -> None:
    evening = Evening(seats=1)
    assert not evening.live.device("validator1").said
    evening.feed(d.Identified("validator1", 0, "ID-003 V1"))
    evening.feed(d.NoteTable("validator1", 0, (d.NoteType(1, "USD", 500),)))
    evening.feed(d.NoteAccepting("validator1", 7))
    said = evening.live.device("validator1")
    assert (said.text, said.said, said.taking, said.notes[0].cents) == ("ID-003 V1", True, True, 500)
    assert evening.live.idle_since_ms == 7
    evening.feed(d.ValidatorEnabled("validator1", 8, True))
    said = evening.live.device("validator1")
    assert (said.enabled, said.taking) == (True, False)


def test_what_a_device_says_of_itself_is_no_fact() -> None:
    evening = Evening(seats=1)
    for event in (
        d.Identified("printer1", 0, "TCL"),
        d.PrinterReady("printer1", 0, False),
        d.TicketPresented("printer1", 0),
        d.ValidatorEnabled("validator1", 0, True),
    ):
        assert evening.feed(event).facts == ()


def test_a_panel_serves_all_seats() -> None:
    assert Evening(seats=3).policy.seats_of("panel1") == (1, 2, 3)


def test_sounds_that_nobody_plays_are_bounded() -> None:
    live = Evening(seats=1).live
    for _ in range(3 * CUES_MAX):
        live = sound(live, Cue.BET)
    assert len(live.cues) == CUES_MAX


def test_a_quicker_pace_shortens_everything_and_stops_nothing() -> None:
    quick = Timing().paced(10)
    assert quick.deal_flight_ms == 32
    assert Timing().paced(100_000).lane_ms == 1
    with pytest.raises(ValueError, match="pace"):
        Timing().paced(0)
