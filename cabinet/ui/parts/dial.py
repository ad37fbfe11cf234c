"""The left column: house rules, the phase word, the dial with 60 ticks, and its line."""

from __future__ import annotations

from cabinet.core.look import Clock, HouseRules, TablePhase
from cabinet.ui.draw.layout import BAR, DIAL
from cabinet.ui.draw.pen import Pen, Strong
from cabinet.ui.draw.theme import (
    ACCENT,
    DIAL_FIGURE,
    DIAL_LAST,
    DIAL_UNIT,
    LINE_TEXT,
    PHASE,
    RULES,
    RULES_STRONG,
    TEXT,
    TEXT_2,
    TEXT_3,
    TRACK,
)
from cabinet.ui.moment import Moment

TICKS = 60
COLUMN = 240  # width of everything in this column
MIDDLE = 144
LAST_SECONDS = 5
MIDDLE_OF_FIGURE = 510


def rules(pen: Pen, house: HouseRules) -> None:
    """The four lines at the upper left."""
    strong = Strong(RULES_STRONG, TEXT)
    soft = "rule.hits_soft_17" if house.dealer_hits_soft_17 else "rule.stands_soft_17"
    texts = (
        pen.word("rule.blackjack", RULES_STRONG, COLUMN, pays=house.blackjack_pays),
        pen.word(soft, RULES, COLUMN),
        pen.word(f"rule.decks.{house.decks}", RULES, COLUMN),
    )
    pen.lines("\n".join(texts), RULES, TEXT_2, 24, 115, 40, "l", strong)


def lit_ticks(clock: Clock, now_ms: int) -> tuple[int, int, int]:
    """Lit ticks, whole seconds, and when one of the two changes (0: never)."""
    if clock.deadline_ms is None:
        remaining = max(0, clock.remaining_ms)
        return ticks(remaining, clock.total_ms), -(-remaining // 1000), 0
    remaining = max(0, clock.deadline_ms - now_ms)
    lit, seconds = ticks(remaining, clock.total_ms), -(-remaining // 1000)
    if not remaining:
        return 0, 0, 0
    next_remaining = max((lit - 1) * clock.total_ms // TICKS, (seconds - 1) * 1000)
    return lit, seconds, clock.deadline_ms - next_remaining


def ticks(remaining_ms: int, total_ms: int) -> int:
    """How many of the 60 ticks are lit; the last goes dark when the time is over."""
    return min(TICKS, -(-remaining_ms * TICKS // max(1, total_ms)))


def dial(pen: Pen, at: Moment) -> None:
    """Phase word, ring, figure and the two lines below."""
    single = at.view.seats == 1
    name = "your_turn" if single and at.step.phase is TablePhase.DECIDE else at.step.phase.value
    pen.text(pen.word(f"phase.{name}", PHASE, COLUMN), PHASE, TEXT, MIDDLE, 387, "c")
    clock = at.step.clock
    lit, seconds = 0, 0
    if clock is not None:
        lit, seconds, change_ms = lit_ticks(clock, at.ms)
        pen.until(change_ms)
    ring(pen, *DIAL, lit)
    if clock is not None:
        _figure(pen, seconds)
    else:
        _closed(pen, at.step.phase)
    if at.step.line is not None:
        text = pen.fit(at.step.line, LINE_TEXT, COLUMN)
        pen.lines(text, LINE_TEXT, TEXT_2, MIDDLE, 673, 40, "c")


def ring(pen: Pen, x: float, y: float, diameter: float, lit: int) -> None:
    """The ticks; the lit arc starts at 12 o'clock and shrinks back to it."""
    left, top = pen.kit.scale.x(x), pen.kit.scale.y(y)
    for number in range(TICKS):
        surface, right, down = pen.kit.sprites.tick(number, diameter, number < lit)
        pen.at(surface, left + right, top + down)


def _figure(pen: Pen, seconds: int) -> None:
    last = seconds <= LAST_SECONDS
    kind = DIAL_LAST if last else DIAL_FIGURE if seconds < 100 else DIAL_FIGURE.sized(84)
    pen.text(str(seconds), kind, TEXT, MIDDLE, MIDDLE_OF_FIGURE + 0.35 * kind.size, "c")
    unit = pen.word("caption.sec", DIAL_UNIT, 100)
    pen.text(unit, DIAL_UNIT, TEXT_2, MIDDLE, 591 if last else 581, "c")


def _closed(pen: Pen, phase: TablePhase) -> None:
    """No clock: a check and a word, or the mark while nothing is asked."""
    if phase in (TablePhase.IDLE, TablePhase.BET, TablePhase.CLOSED):
        pen.icon("mark", 120, TEXT_3, MIDDLE - 60, DIAL[1] + 56)
        return
    pen.icon("check", 92, TEXT, MIDDLE - 46, DIAL[1] + 62)
    word = pen.word("caption.paid" if phase is TablePhase.PAID else "caption.closed", DIAL_UNIT, 140)
    pen.text(word, DIAL_UNIT, TEXT_2, MIDDLE, 575, "c")


def time_bar(pen: Pen, at: Moment) -> None:
    """The same 60 steps over the whole width; nothing while no clock runs."""
    clock = at.step.clock
    if clock is None:
        return
    lit, _, change_ms = lit_ticks(clock, at.ms)
    pen.until(change_ms)
    pen.bar(*BAR, TRACK)
    pen.bar(*BAR, ACCENT, lit / TICKS)
