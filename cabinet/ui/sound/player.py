"""Plays cues, each once, when their time comes. Without an audio device it is silent, never an error."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import pygame

from cabinet.core.look import Cue, CueAt
from cabinet.ui.draw.paint import FOREVER
from cabinet.ui.sound.synth import RATE, computed, samples

BUFFER: Final = 1024  # samples; smaller ones crackle on a Pi
CHANNELS: Final = 8  # sounds that play at the same time; the first one is kept for the alarm
# A cue that is found this much after its time belongs to a moment that is over.
STALE_MS: Final = 1000


class Mixer(Protocol):
    """What plays samples: pygame's mixer, or a list in tests."""

    def play(self, cue: Cue, volume: float) -> None: ...

    def prepare(self, cue: Cue) -> Iterator[None]: ...

    def close(self) -> None: ...


class SilentMixer:
    """Stands in when there is no audio device; `why` says why not."""

    def __init__(self, why: str = "") -> None:
        self.why = why

    def play(self, cue: Cue, volume: float) -> None:
        """Nothing is heard."""

    def prepare(self, cue: Cue) -> Iterator[None]:
        """Nothing is needed."""
        return iter(())

    def close(self) -> None:
        """Nothing is open."""


class PygameMixer:
    """SDL's mixer. Sounds are computed on first use. Raises pygame.error when no device opens."""

    def __init__(self) -> None:
        # No changes allowed: SDL converts, so the samples may stay mono at 48 kHz on any device.
        pygame.mixer.init(RATE, -16, 1, BUFFER, allowedchanges=0)
        pygame.mixer.set_num_channels(CHANNELS)
        pygame.mixer.set_reserved(1)
        self._sounds: dict[Cue, pygame.mixer.Sound] = {}

    def prepare(self, cue: Cue) -> Iterator[None]:
        """Compute a sound before it is needed, in pieces of a few milliseconds."""
        if pygame.mixer.get_init() is None:  # the device is gone
            return
        wave = array("h")
        for part in computed(cue):
            wave.extend(part)
            yield
        if cue not in self._sounds:
            self._sounds[cue] = pygame.mixer.Sound(buffer=wave.tobytes())
        yield

    def _sound(self, cue: Cue) -> pygame.mixer.Sound:
        sound = self._sounds.get(cue)
        if sound is None:
            sound = pygame.mixer.Sound(buffer=samples(cue).tobytes())
            self._sounds[cue] = sound
        return sound

    def play(self, cue: Cue, volume: float) -> None:
        """Play it beside whatever plays. The alarm has a channel of its own; of the others one more than
        there are channels is not heard. Raises pygame.error when the device is gone."""
        sound = self._sound(cue)
        sound.set_volume(volume)
        if cue is Cue.ALARM:
            pygame.mixer.Channel(0).play(sound)
        else:
            sound.play()

    def close(self) -> None:
        """Let the device go."""
        pygame.mixer.quit()


def open_mixer() -> Mixer:
    """pygame's mixer, or silence that says why."""
    try:
        return PygameMixer()
    except RuntimeError as error:  # pygame's error, or its mixer was left out of the build
        return SilentMixer(str(error))


class Speaker:
    """Cues of the shown view that have not been played yet."""

    def __init__(self, mixer: Mixer, volume: float = 1.0) -> None:
        self._mixer = mixer
        self._volume = volume
        self._waiting: list[CueAt] = []
        self._last_serial = -1
        self.next_ms = FOREVER

    @property
    def silent(self) -> bool:
        """There is no audio device."""
        return isinstance(self._mixer, SilentMixer)

    @property
    def why_silent(self) -> str:
        """Why nothing is heard; "" when it is."""
        return self._mixer.why or "no audio device" if isinstance(self._mixer, SilentMixer) else ""

    def open_again(self) -> None:
        """Look for an audio device again, if there is none: one that comes with the monitor may come late."""
        if self.silent:
            self._mixer = open_mixer()

    def show(self, cues: Sequence[CueAt]) -> None:
        """The cues of a new view. A serial that has been seen before is the same sound.

        Cues that the new view does not have any more will not be played.
        """
        known = {cue.serial for cue in self._waiting}
        kept = [cue for cue in cues if cue.serial > self._last_serial or cue.serial in known]
        self._waiting = sorted(kept, key=lambda cue: (cue.at_ms, cue.serial))
        self._last_serial = max([self._last_serial, *(cue.serial for cue in cues)])
        self.next_ms = self._waiting[0].at_ms if self._waiting else FOREVER

    def tick(self, now_ms: int) -> None:
        """Play what is due. Equal sounds of one moment are one sound."""
        if now_ms < self.next_ms:
            return
        played: set[Cue] = set()
        while self._waiting and self._waiting[0].at_ms <= now_ms:
            due = self._waiting.pop(0)
            if due.cue not in played and now_ms - due.at_ms < STALE_MS:
                played.add(due.cue)
                self._play(due.cue)
        self.next_ms = self._waiting[0].at_ms if self._waiting else FOREVER

    def _play(self, cue: Cue) -> None:
        """The alarm cannot be turned down. A device that fails is let go: no sound may end a frame."""
        try:
            self._mixer.play(cue, 1.0 if cue is Cue.ALARM else self._volume)
        except pygame.error as error:
            self._mixer.close()
            self._mixer = SilentMixer(str(error))

    def close(self) -> None:
        """Let the device go."""
        self._mixer.close()
