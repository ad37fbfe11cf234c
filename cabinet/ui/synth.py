"""All sounds, computed with plain arithmetic: 48 kHz, mono, 16 bit.

Every sound begins softly and is no longer than 600 ms, the alarm and the printer's ratchet
excepted. The peak is -12 dBFS; only the alarm is loud.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from cabinet.core.look import Cue

RATE: Final = 48_000
PEAK: Final = 10 ** (-12 / 20)
ALARM_PEAK: Final = 10 ** (-3 / 20)
FULL: Final = 32_767

Wave: TypeAlias = list[float]

E5: Final = 659.26
A5: Final = 880.0
C5: Final = 523.25
D5: Final = 587.33
G5: Final = 783.99
C6: Final = 1046.5


def samples(cue: Cue) -> array[int]:
    """The sound of a cue as signed 16 bit samples."""
    wave = _RECIPES[cue]()
    top = max(map(abs, wave)) or 1.0
    gain = (ALARM_PEAK if cue is Cue.ALARM else PEAK) * FULL / top
    return array("h", [int(value * gain) for value in wave])


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


def _silence(ms: float) -> Wave:
    return [0.0] * _count(ms)


def _mix(parts: Sequence[tuple[float, Wave]]) -> Wave:
    """Waves at their starting times in milliseconds."""
    whole = [0.0] * max(_count(at) + len(wave) for at, wave in parts)
    for at, wave in parts:
        first = _count(at)
        for n, value in enumerate(wave):
            whole[first + n] += value
    return whole


def _notes(tones: Sequence[float], apart_ms: float, ms: float, overtone: float = 0.15) -> Wave:
    return _mix(
        [(n * apart_ms, _tone(hertz, ms, ms / 3, overtone=overtone)) for n, hertz in enumerate(tones)]
    )


def _ratchet() -> Wave:
    return _mix([(at, [0.4 * value for value in _tick(1400, 18)]) for at in range(0, 400, 50)])


def _alarm() -> Wave:
    return (_tone(880, 250, 5000, overtone=0.2) + _tone(660, 250, 5000, overtone=0.2)) * 3


_RECIPES: Final[dict[Cue, Callable[[], Wave]]] = {
    Cue.BET: lambda: _tick(1200, 30),
    Cue.DEAL: lambda: _mix([(0, _tick(1000, 30)), (60, _tick(1200, 30))]),
    Cue.REFUSED: lambda: _tick(220, 60),
    Cue.NOTE: lambda: _mix([(0, _tone(C5, 160, 60)), (90, _tone(G5, 170, 80, overtone=0.3))]),
    Cue.CARD: lambda: _brush(90, 0.55),
    Cue.CONTINUATION: lambda: _brush(110, 0.85),
    Cue.TURN: lambda: _notes((E5, A5), 100, 140),
    Cue.TICK: lambda: _tick(2400, 25),
    Cue.DECIDED: lambda: _tick(420, 50),
    Cue.DOUBLED: lambda: _mix([(0, _tick(420, 50)), (60, _tick(420, 50))]),
    Cue.SPLIT: lambda: _mix([(0, _tick(420, 60)), (80, _tick(630, 60))]),
    Cue.TWENTY_ONE: lambda: _tone(A5, 300, 110, overtone=0.35),
    Cue.BUST: lambda: _tone(92, 180, 60, attack_ms=4),
    Cue.PUSH: lambda: _tone(D5, 160, 60),
    Cue.WIN: lambda: _notes((C5, E5, G5), 110, 200),
    Cue.BLACKJACK: lambda: _notes((C5, E5, G5, C6), 120, 240, overtone=0.25),
    Cue.PRINTING: _ratchet,
    Cue.TAKE_TICKET: lambda: _notes((A5, E5), 140, 180),
    Cue.ALARM: _alarm,
    Cue.KEY: lambda: _tick(1600, 20),
}
