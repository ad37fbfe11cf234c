"""One receipt printer of the many that are sold: drawn by seed, never a point."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Habits:
    """What differs from unit to unit."""

    buffer_bytes: int = 4_096
    bytes_a_ms: int = 20  # of the parser
    mm_a_s: int = 150
    rows_ahead: int = 4  # that the parser may be before the head
    answers_when_parsed: bool = False  # GS r, GS I: before the paper has moved
    boot_ms: int = 1_200
    answer_ms: int = 3
    cut_ms: int = 350
    width_dots: int = 576
    deaf_to: tuple[int, ...] = ()  # DLE EOT n that it does not know
    at_once: bool = True  # answers DLE EOT past the buffer; many clones do it in its order
    cuts_when_shut: bool = False  # cover shut, power on: it feeds and cuts what hangs out
    has_name: bool = True  # answers GS I
    near_end_mm: int = 1_500
    near_end: str = "sensor"  # "sensor", "none" or "as_end"
    after_stop: str = "continues"  # or "drops": the rest of the job when paper or cover are right again
    row_at_stop: str = "again"  # or "lost": the row under the head when the paper stopped
    battery: bool = False  # buffers outlive the power
    clears_by_enq: str = "error"  # DLE ENQ 2 clears "always", in an "error", or "never"
    clears_by_dc4: bool = False
    drawer_high: bool = False
    tells_changes: bool = False  # ASB left on by a host before, or by a switch
    xon_at_start: bool = False
    first_ms: int = 0  # from an answer that was due to an earlier host

    @property
    def honest(self) -> bool:
        """Does what the sheet says that a printer does."""
        return self.at_once and not self.deaf_to and not (self.answers_when_parsed and self.rows_ahead > 1)


def drawn(dice: random.Random, *, healthy: bool) -> Habits:
    """One unit. A `healthy` one keeps to every rule and may be of any speed."""
    return Habits(
        buffer_bytes=dice.choice((1_024, 4_096, 4_096, 16_384, 65_536)),
        bytes_a_ms=dice.choice((1, 2, 5, 20, 100)),
        mm_a_s=dice.randint(40, 350),
        rows_ahead=dice.choice((1, 2, 4, 12, 400)),
        answers_when_parsed=not healthy and dice.random() < 0.2,
        boot_ms=dice.randint(400, 6_000),
        answer_ms=dice.choice((0, 1, 3, 10, 40) if healthy else (0, 3, 40, 150)),
        cut_ms=dice.randint(150, 900),
        deaf_to=() if healthy or dice.random() < 0.8 else dice.choice(((3,), (2, 3), (4,), (1, 2, 3, 4))),
        at_once=healthy or dice.random() < 0.9,
        cuts_when_shut=dice.random() < 0.3,
        has_name=dice.random() < 0.8,
        near_end_mm=1_500 if dice.random() < 0.8 else 100_000,  # a sensor that is set badly
        near_end=dice.choice(("sensor", "sensor", "none") if healthy else ("sensor", "none", "as_end")),
        after_stop=dice.choice(("continues", "continues", "drops")),
        row_at_stop=dice.choice(("again", "lost")),
        battery=dice.random() < 0.2,
        clears_by_enq=dice.choice(("always", "error", "error", "never")),
        clears_by_dc4=dice.random() < 0.4,
        drawer_high=dice.random() < 0.3,
        tells_changes=dice.random() < 0.3,
        xon_at_start=dice.random() < 0.3,
    )
