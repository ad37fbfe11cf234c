"""Sounds: computed as the design asks, each played once, silence never an error."""

from __future__ import annotations

from collections.abc import Iterator

import pygame
import pytest

from cabinet.core.look import Cue, CueAt
from cabinet.ui.sound import player as sound
from cabinet.ui.sound.player import SilentMixer, Speaker, open_mixer
from cabinet.ui.sound.synth import ALARM_PEAK, FULL, PEAK, RATE, samples

LENGTHS_MS = {
    Cue.BET: 30, Cue.DEAL: 90, Cue.REFUSED: 60, Cue.NOTE: 260, Cue.CARD: 90, Cue.CONTINUATION: 110,
    Cue.TURN: 240, Cue.TICK: 25, Cue.DECIDED: 50, Cue.DOUBLED: 110, Cue.SPLIT: 140, Cue.TWENTY_ONE: 300,
    Cue.BUST: 180, Cue.PUSH: 160, Cue.WIN: 420, Cue.BLACKJACK: 600, Cue.TAKE_TICKET: 320, Cue.ALARM: 1500,
    Cue.KEY: 20,
}  # fmt: skip


class ListMixer:
    """Remembers instead of playing."""

    def __init__(self) -> None:
        self.played: list[tuple[Cue, float]] = []

    def play(self, cue: Cue, volume: float) -> None:
        self.played.append((cue, volume))

    def prepare(self, cue: Cue) -> Iterator[None]:
        self.played.append((cue, -1.0))
        yield

    def close(self) -> None:
        self.played.clear()


@pytest.mark.parametrize("cue", list(LENGTHS_MS))
def test_a_sound_is_as_long_as_the_design_says(cue: Cue) -> None:
    assert len(samples(cue)) * 1000 / RATE == pytest.approx(LENGTHS_MS[cue], abs=1)


@pytest.mark.parametrize("cue", list(Cue))
def test_a_sound_has_its_peak_and_neither_clicks_nor_drifts(cue: Cue) -> None:
    wave = samples(cue)
    peak = max(map(abs, wave))
    wanted = FULL * (ALARM_PEAK if cue is Cue.ALARM else PEAK)
    assert wanted - 2 <= peak <= wanted
    # It begins and ends near zero: a jump there would click.
    assert abs(wave[0]) < peak * 0.05
    assert abs(wave[-1]) < peak * 0.05
    assert abs(sum(wave) / len(wave)) < peak * 0.05


def test_nothing_but_the_alarm_is_loud() -> None:
    assert max(map(abs, samples(Cue.ALARM))) > 2 * max(map(abs, samples(Cue.BLACKJACK)))


def test_sounds_are_the_same_every_time() -> None:
    assert samples(Cue.CARD) == samples(Cue.CARD)


def speaker() -> tuple[Speaker, ListMixer]:
    mixer = ListMixer()
    return Speaker(mixer, 0.5), mixer


def test_a_cue_is_played_once_when_its_time_comes() -> None:
    loud, mixer = speaker()
    cues = (CueAt(1, 100, Cue.CARD), CueAt(2, 300, Cue.TURN))
    loud.show(cues)
    assert loud.next_ms == 100
    loud.tick(99)
    assert mixer.played == []
    loud.tick(100)
    loud.show(cues)  # the next view still has both
    loud.tick(101)
    assert mixer.played == [(Cue.CARD, 0.5)]
    loud.tick(305)
    loud.tick(306)
    assert mixer.played == [(Cue.CARD, 0.5), (Cue.TURN, 0.5)]


def test_a_cue_that_a_new_view_has_not_is_not_played() -> None:
    loud, mixer = speaker()
    loud.show((CueAt(1, 100, Cue.TICK), CueAt(2, 200, Cue.TICK)))
    loud.show((CueAt(3, 150, Cue.DECIDED),))
    loud.tick(500)
    assert mixer.played == [(Cue.DECIDED, 0.5)]


def test_seven_wins_at_once_are_one_sound() -> None:
    loud, mixer = speaker()
    loud.show(tuple(CueAt(serial, 100, Cue.WIN) for serial in range(7)))
    loud.tick(100)
    assert mixer.played == [(Cue.WIN, 0.5)]


def test_the_alarm_cannot_be_turned_down() -> None:
    mixer = ListMixer()
    quiet = Speaker(mixer, 0.0)
    quiet.show((CueAt(1, 0, Cue.ALARM), CueAt(2, 0, Cue.WIN)))
    quiet.tick(0)
    assert mixer.played == [(Cue.ALARM, 1.0), (Cue.WIN, 0.0)]


def test_a_sound_of_long_ago_is_not_made_up_for() -> None:
    loud, mixer = speaker()
    loud.show((CueAt(1, 0, Cue.WIN), CueAt(2, 5000, Cue.CARD)))
    loud.tick(5000)
    assert mixer.played == [(Cue.CARD, 0.5)]


def test_without_a_device_it_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object, **more: object) -> None:
        raise pygame.error("No such audio device")

    monkeypatch.setattr(pygame.mixer, "init", fails)
    mixer = open_mixer()
    assert isinstance(mixer, SilentMixer)
    mute = Speaker(mixer)
    assert mute.silent
    mute.show((CueAt(1, 0, Cue.ALARM),))
    mute.tick(0)
    mute.close()


def test_pygames_mixer_takes_the_samples() -> None:
    mixer = open_mixer()
    assert isinstance(mixer, sound.PygameMixer)
    try:
        assert pygame.mixer.get_init() == (RATE, -16, 1)
        assert sum(1 for _ in mixer.prepare(Cue.KEY)) > 1
        mixer.play(Cue.KEY, 0.0)
        assert mixer._sound(Cue.KEY).get_length() == pytest.approx(0.02, abs=0.001)
    finally:
        mixer.close()


def test_the_alarm_is_heard_when_every_channel_is_busy() -> None:
    """A cabinet whose door is forced during a cascade of wins."""
    mixer = open_mixer()
    assert isinstance(mixer, sound.PygameMixer)
    try:
        for _ in range(2 * sound.CHANNELS):
            mixer._sound(Cue.WIN).play(-1)
        assert all(pygame.mixer.Channel(number).get_busy() for number in range(1, sound.CHANNELS))
        mixer.play(Cue.CARD, 0.5)
        mixer.play(Cue.ALARM, 1.0)
        assert pygame.mixer.Channel(0).get_sound() is mixer._sound(Cue.ALARM)
        assert pygame.mixer.get_busy()
    finally:
        mixer.close()


def test_a_device_that_fails_ends_no_frame_and_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(ListMixer):
        def play(self, cue: Cue, volume: float) -> None:
            raise pygame.error("mixer not initialized")

    loud = Speaker(Broken())
    assert loud.why_silent == ""
    loud.show((CueAt(1, 0, Cue.WIN),))
    loud.tick(0)
    assert loud.silent
    assert loud.why_silent == "mixer not initialized"
    monkeypatch.setattr(sound, "open_mixer", ListMixer)
    loud.open_again()
    assert loud.why_silent == ""
