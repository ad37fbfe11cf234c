"""All sounds, computed with plain arithmetic: 48 kHz, mono, 16 bit.

Every sound begins softly and is no longer than 600 ms, the alarm and the printer's ratchet
excepted. The peak is -12 dBFS; only the alarm is loud.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeAlias

from cabinet.core.look import Cue

RATE: Final = 48_000
PEAK: Final = 10 ** (-12 / 20)
ALARM_PEAK: Final = 10 ** (-3 / 20)
FULL: Final = 32_767

PIECE: Final = 8_000  # samples that are worked on at a time

Wave: TypeAlias = list[float]
Tone: TypeAlias = Callable[[], Wave]
Recipe: TypeAlias = tuple[tuple[float, Tone], ...]

E5: Final = 659.26
A5: Final = 880.0
C5: Final = 523.25
D5: Final = 587.33
G5: Final = 783.99
C6: Final = 1046.5


def samples(cue: Cue) -> array[int]:
    """The sound of a cue as signed 16 bit samples."""
    wave = array("h")
    for part in computed(cue):
        wave.extend(part)
    return wave


def computed(cue: Cue) -> Iterator[array[int]]:
    """The same in pieces of work of a few milliseconds; the first ones give no samples yet."""
    whole: Wave = []
    for at_ms, make in _RECIPES[cue]:
        tone = make()
        yield array("h")
        first = _count(at_ms)
        whole += [0.0] * (first + len(tone) - len(whole))
        for start in range(0, len(tone), PIECE):
            for n, value in enumerate(tone[start : start + PIECE], first + start):
                whole[n] += value
            yield array("h")
    top = max(map(abs, whole)) or 1.0
    gain = (ALARM_PEAK if cue is Cue.ALARM else PEAK) * FULL / top
    for start in range(0, len(whole), PIECE):
        yield array("h", [int(value * gain) for value in whole[start : start + PIECE]])


def _count(ms: float) -> int:
    return int(RATE * ms / 1000)


def _tone(hertz: float, ms: float, decay_ms: float, attack_ms: float = 6, overtone: float = 0.0) -> Wave:
    """A sine that swells and dies away; `overtone` adds the bell's third partial."""
    count, attack = _count(ms), _count(attack_ms)
    step = 2 * math.pi * hertz / RATE
    fall = math.exp(-1000 / (RATE * decay_ms))
    level, wave, sine = 1.0, [], math.sin
    for n in range(count):
        value = sine(step * n)
        if overtone:
            value += overtone * sine(step * 2.76 * n)
        wave.append(value * level * (min(1.0, n / attack) if n < attack else 1.0))
        level *= fall
    return _release(wave)


def _release(wave: Wave, ms: float = 8) -> Wave:
    """The end goes to zero, so that nothing clicks."""
    count = min(len(wave), _count(ms))
    for n in range(count):
        wave[-1 - n] *= n / count
    return wave


def _tick(hertz: float, ms: float) -> Wave:
    """Wood: a short, damped tone."""
    return _tone(hertz, ms, ms / 5, attack_ms=1, overtone=0.4)


def _brush(ms: float, dark: float) -> Wave:
    """Filtered noise: a card on felt. `dark` 0 to 1 takes the high tones away.

    The noise is a fixed sequence of its own, so that it has nothing to do with the cards.
    """
    count = _count(ms)
    state, low, wave = 0x2545F491, 0.0, []
    for n in range(count):
        state = (state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        noise = state / 0x4000_0000 - 1
        low += (noise - low) * (1 - dark)
        wave.append(low * math.sin(math.pi * n / count) ** 2)
    return wave


def _notes(tones: Sequence[float], apart_ms: float, ms: float, overtone: float = 0.15) -> Recipe:
    return tuple(
        (n * apart_ms, partial(_tone, hertz, ms, ms / 3, overtone=overtone)) for n, hertz in enumerate(tones)
    )


def _tooth() -> Wave:
    return [0.4 * value for value in _tick(1400, 18)]


def _alone(tone: Tone) -> Recipe:
    return ((0, tone),)


# Tones and when each begins, in milliseconds.
_RECIPES: Final[dict[Cue, Recipe]] = {
    Cue.BET: _alone(partial(_tick, 1200, 30)),
    Cue.DEAL: ((0, partial(_tick, 1000, 30)), (60, partial(_tick, 1200, 30))),
    Cue.REFUSED: _alone(partial(_tick, 220, 60)),
    Cue.NOTE: ((0, partial(_tone, C5, 160, 60)), (90, partial(_tone, G5, 170, 80, overtone=0.3))),
    Cue.CARD: _alone(partial(_brush, 90, 0.55)),
    Cue.CONTINUATION: _alone(partial(_brush, 110, 0.85)),
    Cue.TURN: _notes((E5, A5), 100, 140),
    Cue.TICK: _alone(partial(_tick, 2400, 25)),
    Cue.DECIDED: _alone(partial(_tick, 420, 50)),
    Cue.DOUBLED: ((0, partial(_tick, 420, 50)), (60, partial(_tick, 420, 50))),
    Cue.SPLIT: ((0, partial(_tick, 420, 60)), (80, partial(_tick, 630, 60))),
    Cue.TWENTY_ONE: _alone(partial(_tone, A5, 300, 110, overtone=0.35)),
    Cue.BUST: _alone(partial(_tone, 92, 180, 60, attack_ms=4)),
    Cue.PUSH: _alone(partial(_tone, D5, 160, 60)),
    Cue.WIN: _notes((C5, E5, G5), 110, 200),
    Cue.BLACKJACK: _notes((C5, E5, G5, C6), 120, 240, overtone=0.25),
    Cue.PRINTING: tuple((at, _tooth) for at in range(0, 400, 50)),
    Cue.TAKE_TICKET: _notes((A5, E5), 140, 180),
    Cue.ALARM: tuple(
        (250 * n, partial(_tone, 660 if n % 2 else 880, 250, 5000, overtone=0.2)) for n in range(6)
    ),
    Cue.KEY: _alone(partial(_tick, 1600, 20)),
}
