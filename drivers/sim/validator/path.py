"""The mechanics of a simulated bill validator: where the paper is, and for how long.

Knows no frames. It keeps what is in the box and what went back to the customer; nothing that a host
says or does not say can change these lists, only paper that moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from drivers.sim.validator.sheets import Pile, Sheet

ACCEPT_MS = 800
STACK_MS = 1200
RETURN_MS = 700
HOLD_MS = 10_000  # escrow or HOLD: then the note goes back (79)
UNPOLLED_MS = 3_000  # a host that has died: then the note goes back
STACKED_MS = 400
CHEATED_MS = 2_000
START_MS = 120  # RESET to INITIALIZE
SELF_TEST_MS = 1_500
BOX_NOTES = 600

INHIBITED_REASON = 0x79
UNKNOWN_REASON = 0x76


class PathState(StrEnum):
    OFF = "off"
    POWER_UP = "power_up"
    CLEARING = "clearing"  # RESET throws a bill out
    STARTING = "starting"
    WAITING = "waiting"  # INITIALIZE: no settings yet
    TESTING = "testing"  # INITIALIZE: moves its mechanics
    IDLE = "idle"
    ACCEPTING = "accepting"
    ESCROW = "escrow"
    HOLDING = "holding"
    LIFTING = "lifting"  # stacking, before the point of no return
    PUSHING = "pushing"  # stacking, past it
    VEND_VALID = "vend_valid"
    STACKED = "stacked"
    REJECTING = "rejecting"
    RETURNING = "returning"
    CHEATED = "cheated"


class Where(StrEnum):
    """What a device that lost power knows about a bill."""

    NOWHERE = "nowhere"
    ACCEPTOR = "acceptor"
    STACKER = "stacker"


_IN_ACCEPTOR = frozenset(
    {PathState.ACCEPTING, PathState.ESCROW, PathState.HOLDING, PathState.LIFTING, PathState.REJECTING,
     PathState.RETURNING, PathState.CLEARING}
)  # fmt: skip
_MOVING = _IN_ACCEPTOR | {PathState.PUSHING}  # what a jam stops
_STANDING = (_MOVING - {PathState.ESCROW, PathState.HOLDING}) | {PathState.STACKED}  # what a unit may hang in


@dataclass(frozen=True, slots=True)
class Quirks:
    """How units differ. The defaults are the plain case."""

    bad_checksum: Literal["silent", "error"] = "silent"
    zeros_at_power_up: bool = True
    vend_valid_after_power_up: bool = False  # 42, RESET, then VEND VALID again if it was not acknowledged
    soft_reset: Literal["initialize", "vend_valid", "in_stacker"] = "initialize"  # RESET in VEND VALID
    forgets_stacked: bool = False  # power lost before it stored that the bill is in the box: 40
    ack_patience_ms: int | None = None  # VEND VALID unacknowledged for so long: deaf until RESET
    restarts_after_box: bool = True  # INITIALIZE when the box comes back
    stacked_polls: int = 1  # polls that see STACKED; 0: never
    vend_data: bool = False  # a denomination byte with VEND VALID
    knows_hold: bool = True
    knows_tickets: bool = True
    obeys_denominations: bool = True
    speed_percent: int = 100  # how long every motion takes, of the usual time
    shows_late_ms: int = 0  # so long after the rollers have begun the status still says idle or inhibited
    reads_on: bool = False  # INHIBIT stops no note that is on its way in; else that one is rejected (79)
    turnaround_ms: int = 0  # a few ms in real units; each exchange has one instant more then


class NotePath:
    """The way of the paper. ``step(now)`` brings it up to date; ``wake_at`` is its next own change."""

    def __init__(self, quirks: Quirks) -> None:
        self.quirks = quirks
        self.state = PathState.OFF
        self.until_ms: int | None = None
        self.paper: Sheet | None = None
        self.reason = 0
        self.where = Where.NOWHERE  # told at power-up
        self.jam = Where.NOWHERE
        self.jam_held = False  # nobody has cleared it
        self.box_open = False
        self.box_is_full = False
        self.failure = 0
        self.stands_still = False
        self.paused_until_ms: int | None = None
        self.stack_1 = False  # VEND VALID at the point of no return
        self.vend_owed = False  # VEND VALID follows INITIALIZE
        self.unacknowledged = False  # kept without power
        self.cheat_next = False
        self.cash_box: list[Sheet] = []
        self.stacked = Pile()
        self.returned = Pile()
        self.taken_out = Pile()  # by the person who cleared a jam
        self.deaf = False
        self._last_poll_ms = self._drawn_in_ms = self._stood_ms = 0
        self._stacked_polls = 0
        self._blocked_since_ms: int | None = None

    # ---- time

    @property
    def blocked(self) -> bool:
        return self.jam is not Where.NOWHERE or self.box_open or self.failure != 0 or self.paused

    @property
    def paused(self) -> bool:
        return self.paused_until_ms is not None

    @property
    def wake_at(self) -> int | None:
        if self.paused_until_ms is not None:
            return self.paused_until_ms
        if self.until_ms is None or (self.blocked and self.state in _MOVING):
            return None
        if self.stands_still and self.state in _STANDING:
            return None
        if self.state in (PathState.ESCROW, PathState.HOLDING):
            return min(self.until_ms, self._last_poll_ms + UNPOLLED_MS)
        return self.until_ms

    def step(self, now_ms: int) -> None:
        if self.until_ms is None and self.paused_until_ms is None:
            return  # idle, as nearly always: nothing moves by itself
        if self.paused_until_ms is not None and now_ms >= self.paused_until_ms:
            self.unblock(self.paused_until_ms, paused=True)
        while (due := self.wake_at) is not None and now_ms >= due and not self.paused:
            self._change(due)

    def _takes(self, usual_ms: int) -> int:
        return usual_ms * self.quirks.speed_percent // 100

    def _go(self, state: PathState, until_ms: int | None) -> None:
        self.state = state
        self.until_ms = until_ms

    def _change(self, at: int) -> None:
        match self.state:
            case PathState.ACCEPTING:
                self._read(at)
            case PathState.ESCROW | PathState.HOLDING if self.until_ms is not None and at < self.until_ms:
                self._go(PathState.RETURNING, at + self._takes(RETURN_MS))
            case PathState.ESCROW | PathState.HOLDING:
                self.reject(INHIBITED_REASON, at)
            case PathState.REJECTING | PathState.RETURNING | PathState.CHEATED:
                self._give_out()
                self._go(PathState.IDLE, None)
            case PathState.CLEARING:
                self._give_out()
                self._go(PathState.STARTING, at + self._takes(START_MS))
            case PathState.LIFTING:
                self._lifted(at)
            case PathState.PUSHING:
                self._drop_in_box()
                self._finish_stacking(at)
            case PathState.VEND_VALID:
                self.deaf = True
                self.until_ms = None
            case PathState.STACKED:
                self._go(PathState.IDLE, None)
            case PathState.STARTING:
                self._go(PathState.WAITING, None)
            case PathState.TESTING if self.vend_owed:
                self._vend(at)
            case PathState.TESTING:
                self._go(PathState.IDLE, None)

    # ---- paper

    def insert(self, paper: Sheet, now_ms: int) -> bool:
        """A customer feeds paper. False: the rollers do not move."""
        if self.state is not PathState.IDLE or self.blocked or self.box_is_full:
            return False
        self.paper = paper
        self._last_poll_ms = self._drawn_in_ms = now_ms  # the host is alive as far as anybody knows
        self._go(PathState.ACCEPTING, now_ms + self._takes(ACCEPT_MS))
        return True

    def _read(self, at: int) -> None:
        assert self.paper is not None
        if self.paper.flaw:
            self.reject(self.paper.flaw, at)
        elif self.forbidden(self.paper):
            self.reject(INHIBITED_REASON, at)
        elif self.paper.code is None:
            self.reject(UNKNOWN_REASON, at)
        else:
            self._go(PathState.ESCROW, at + HOLD_MS)

    def unseen(self, now_ms: int) -> bool:
        """A document is being drawn in and the status does not say so yet."""
        return self.state is PathState.ACCEPTING and now_ms < self._drawn_in_ms + self.quirks.shows_late_ms

    def forbidden(self, paper: Sheet) -> bool:
        """By the settings; the protocol shell overrides this."""
        return False

    def reject(self, reason: int, at: int) -> None:
        self.reason = reason
        self._go(PathState.REJECTING, at + self._takes(RETURN_MS))

    def _give_out(self) -> None:
        if self.paper is not None:
            self.returned.append(self.paper)
            self.paper = None

    def _lifted(self, at: int) -> None:
        if self.cheat_next:
            self.cheat_next = False
            self._go(PathState.CHEATED, at + self._takes(CHEATED_MS))
        else:
            self.unacknowledged = True
            self._go(PathState.PUSHING, at + self._takes(STACK_MS) // 2)

    def _drop_in_box(self) -> None:
        if self.paper is not None:
            self.cash_box.append(self.paper)
            self.stacked.append(self.paper)
            self.paper = None
        self.box_is_full = len(self.cash_box) >= BOX_NOTES

    def _finish_stacking(self, at: int) -> None:
        if self.unacknowledged:
            self._vend(at)
        else:  # STACK-1 was acknowledged on the way
            self._leave_vend(at)

    def _vend(self, at: int) -> None:
        self.vend_owed = False
        patience = self.quirks.ack_patience_ms
        self._go(PathState.VEND_VALID, None if patience is None else at + patience)

    def _leave_vend(self, at: int) -> None:
        self._stacked_polls = self.quirks.stacked_polls
        if self._stacked_polls:
            self._go(PathState.STACKED, at + STACKED_MS)
        else:
            self._go(PathState.IDLE, None)

    # ---- orders

    def polled(self, now_ms: int) -> None:
        """A poll has been answered with the present status."""
        self._last_poll_ms = now_ms
        if self.state is PathState.STACKED and not self.stands_still:
            self._stacked_polls -= 1
            if self._stacked_polls <= 0:
                self._go(PathState.IDLE, None)

    def stack(self, now_ms: int, *, early: bool) -> bool:
        if self.state not in (PathState.ESCROW, PathState.HOLDING) or self.blocked:
            return False
        self.stack_1 = early
        self._go(PathState.LIFTING, now_ms + self._takes(STACK_MS) // 2)
        return True

    def give_back(self, now_ms: int) -> bool:
        if self.state not in (PathState.ESCROW, PathState.HOLDING) or self.blocked:
            return False
        self._go(PathState.RETURNING, now_ms + self._takes(RETURN_MS))
        return True

    def hold(self, now_ms: int) -> bool:
        if (
            self.state not in (PathState.ESCROW, PathState.HOLDING)
            or self.blocked
            or not self.quirks.knows_hold
        ):
            return False
        self._go(PathState.HOLDING, now_ms + HOLD_MS)
        return True

    @property
    def says_vend_valid(self) -> bool:
        return self.state is PathState.VEND_VALID or (
            self.state is PathState.PUSHING and self.stack_1 and self.unacknowledged
        )

    def acknowledge(self, now_ms: int) -> None:
        """ACK. Harmless at any other time."""
        if not self.says_vend_valid:
            return
        self.unacknowledged = False
        if self.state is PathState.VEND_VALID:
            self._leave_vend(now_ms)

    def reset(self, now_ms: int) -> None:
        self.deaf = False
        self._blocked_since_ms = None
        if not self.jam_held:
            self.jam = Where.NOWHERE
        if self.state is PathState.POWER_UP:
            self._reset_after_power(now_ms)
            return
        if self.state in _IN_ACCEPTOR and self.paper is not None and not self.jam_held:
            self._go(PathState.CLEARING, now_ms + self._takes(RETURN_MS))
            return
        if self.state is PathState.PUSHING and not self.jam_held:
            self._drop_in_box()
        if self.unacknowledged and self.state in (PathState.PUSHING, PathState.VEND_VALID):
            if self.quirks.soft_reset == "in_stacker":
                self.where = Where.STACKER
                self._go(PathState.POWER_UP, None)
                return
            self.vend_owed = self.quirks.soft_reset == "vend_valid"
            self.unacknowledged = self.vend_owed
        self._go(PathState.STARTING, now_ms + self._takes(START_MS))

    def restart(self, now_ms: int) -> None:
        """As after RESET, but by itself and without a word about power."""
        self.reset(now_ms)
        if self.state is PathState.STARTING:
            self._go(PathState.WAITING, None)

    def _reset_after_power(self, now_ms: int) -> None:
        if self.where is Where.ACCEPTOR and self.paper is not None and not self.jam_held:
            self._go(PathState.CLEARING, now_ms + self._takes(RETURN_MS))
            return
        if self.where is Where.STACKER:
            if not self.jam_held:
                self._drop_in_box()
            self.vend_owed = self.unacknowledged and self.quirks.vend_valid_after_power_up
            self.unacknowledged = self.vend_owed
        self._go(PathState.STARTING, now_ms + self._takes(START_MS))

    def start_test(self, now_ms: int) -> None:
        """The settings have come."""
        if self.state is PathState.WAITING:
            self._go(PathState.TESTING, now_ms + self._takes(SELF_TEST_MS))

    # ---- power and trouble

    def power_off(self) -> None:
        if self.state is PathState.OFF:
            return
        if self.state is not PathState.POWER_UP:
            self.where = self._place()
        self._go(PathState.OFF, None)
        self.paused_until_ms = self._blocked_since_ms = None
        self.deaf = self.stack_1 = self.cheat_next = self.vend_owed = False

    def _place(self) -> Where:
        if self.paper is not None:
            pushed = self.state is PathState.PUSHING or self.jam is Where.STACKER
            return Where.STACKER if pushed else Where.ACCEPTOR
        if self.unacknowledged:
            if not self.quirks.forgets_stacked:
                return Where.STACKER
            self.unacknowledged = False
        return Where.NOWHERE

    def power_on(self) -> None:
        if self.state is PathState.OFF:
            self._go(PathState.POWER_UP, None)

    def block(self, now_ms: int) -> None:
        """Something stops the mechanics; call before the cause is set."""
        if not self.blocked:
            self._blocked_since_ms = now_ms

    def unblock(self, now_ms: int, *, paused: bool = False) -> None:
        """A cause has gone. If it was the last, motion goes on where it stopped."""
        if paused:
            self.paused_until_ms = None
        if self.blocked or self._blocked_since_ms is None:
            return
        if self.until_ms is not None:
            self.until_ms += now_ms - self._blocked_since_ms
        self._last_poll_ms = max(self._last_poll_ms, now_ms)
        self._blocked_since_ms = None

    def stand_still(self, now_ms: int) -> None:
        self.stands_still = True
        self._stood_ms = now_ms

    def move_again(self, now_ms: int) -> None:
        """What has stood still goes on where it was."""
        if self.stands_still and self.until_ms is not None and self.state in _STANDING:
            self.until_ms += now_ms - self._stood_ms
        self.stands_still = False

    def wait_for_ever(self) -> None:
        """It believes that it stacks: the time in escrow has no end."""
        if self.state in (PathState.ESCROW, PathState.HOLDING):
            self.until_ms = None

    def powers_up(self) -> None:
        """It has lost its power for a moment, and says so."""
        self.power_off()
        self.power_on()

    def clear_jam(self) -> None:
        """A person takes the paper out. The device goes on saying JAM until RESET."""
        self.jam_held = False
        if self.paper is not None:
            self.taken_out.append(self.paper)
            self.paper = None
            if self.state is PathState.OFF:  # when power comes back nothing is inside
                self.where = Where.NOWHERE
                self.unacknowledged = False
        if self.state in _MOVING:
            self.unacknowledged = False
            self._go(PathState.IDLE, None)

    def box_back(self, now_ms: int) -> None:
        self.box_open = False
        self.unblock(now_ms)
        if self.state is PathState.IDLE and self.quirks.restarts_after_box and not self.blocked:
            self._go(PathState.WAITING, None)
