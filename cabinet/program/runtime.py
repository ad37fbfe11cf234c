"""The spine of the program: read all devices, decide, commit, publish, act.

One loop, one writer thread. Nothing is shown, acknowledged, stacked or printed before the commit
of what led to it has returned; while a commit is in flight the loop goes on drawing and polling,
and no event is decided. The composition roots (field, lab) give it devices, a journal, a source
of randomness and a clock.
"""

from __future__ import annotations

import logging
import select
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from cabinet.core import turn as acts
from cabinet.core.conditions import Code
from cabinet.core.decide import Event, decide, due, stop
from cabinet.core.facts import Fact, encode
from cabinet.core.live import Live, begin, with_trouble
from cabinet.core.outputs import Outputs, outputs
from cabinet.core.past.answers import Answered, question
from cabinet.core.policy import Policy
from cabinet.core.renewal import replace
from cabinet.core.state import State
from cabinet.core.turn import (
    Act,
    ClockRead,
    Draw,
    Started,
    StopAsked,
    StorageSlow,
    TimerDue,
    TroubleReported,
)
from cabinet.program import orders
from cabinet.program.inquiry import Inquiry
from cabinet.records.replay import Restored, at_stop, restore, snapshot, totals
from cabinet.store.checker import Finding
from cabinet.store.journal import Entry, Journal
from cabinet.store.writer import CommitFailed, Committed, Writer
from drivers.device import BillValidator, Device, DeviceEvent, InputChanged, Panel, TicketPrinter

# Events wait only while a commit is in flight, a few per device and second. More than this means
# that the disk has not answered for minutes: a storage tilt, not a silently shortened queue.
QUEUE_MAX = 4096
SNAPSHOT_EVERY = 2_000  # facts; replay reads at most about so many rows
ALARM_COMMIT_MS = 250  # a card that takes longer is told of in the logs
SLOW_COMMIT_MS = 2_000  # one that takes longer is a storage problem: the table says so meanwhile
# And one that takes longer than this is not waited for any more: whether the entries are on the disk is known
# only after a restart.
HUNG_COMMIT_MS = 10_000
SLOW_TEXT = f"a commit takes more than {SLOW_COMMIT_MS // 1000} s"
HUNG_TEXT = (
    "the disk has not answered for {seconds} s: wait, or check the card; the program is started again when it"
    " answers"
)
CLOCK_EVERY_MS = 1_000
CLOCK_STEP_MS = 1_000  # what paper and logs show; less than that is two readings that were not one instant
SAME_INSTANT_MS = 100
ALARM_QUIET_MS = 10_000  # a card that is slow all the time does not fill the log
LOG = logging.getLogger("cabinet")
NEVER = 1 << 62  # a due time that does not come: numbers compare quicker than None


class RealClock:
    """Session time from the monotonic clock; the wall clock is for people and never orders anything."""

    def __init__(self) -> None:
        self._origin_ns = time.monotonic_ns()

    def now_ms(self) -> int:
        return (time.monotonic_ns() - self._origin_ns) // 1_000_000

    def wall_ms(self) -> int:
        """Local wall clock in ms since 1970-01-01 00:00 local time."""
        return int(time.time() * 1000) + time.localtime().tm_gmtoff * 1000

    def both_ms(self) -> tuple[int, int] | None:
        """Session time and wall clock of one instant; None when something came between the two readings."""
        before_ms = self.now_ms()
        wall_ms = self.wall_ms()
        return (before_ms, wall_ms) if self.now_ms() - before_ms <= SAME_INSTANT_MS else None

    def wait(self, descriptors: Iterable[int], until_ms: int) -> None:
        """Sleep until a descriptor is readable or the time has come."""
        timeout_s = max(0, until_ms - self.now_ms()) / 1000
        try:
            select.select(list(descriptors), (), (), timeout_s)
        except (OSError, ValueError):  # a port died while we slept: its driver finds out in its tick
            time.sleep(min(timeout_s, 0.002))


@dataclass(slots=True)
class _Pending:
    """What becomes visible when the commit in flight has returned."""

    state: State
    live: Live
    acts: list[Act]
    facts: tuple[Fact, ...] = ()


class Runtime:
    """The loop's body. `step` never blocks (except with `virtual`, where time stands still while a
    commit is in flight) and says when it wants to run again."""

    def __init__(
        self,
        policy: Policy,
        devices: Mapping[str, Device],
        journal: Journal,
        draw: Draw,
        *,
        wall_ms: int,
        writer: Writer | None = None,
        virtual: bool = False,
        on_publish: Callable[[State, Live], None] | None = None,
        on_facts: Callable[[tuple[Fact, ...]], None] | None = None,
        memory: str = "",
        copy: str = "",
        copies: tuple[tuple[str, str, str], ...] = (),
        no_cards: str = "",
        restored: Restored | None = None,
        trouble: tuple[str, str] = ("", ""),
        clock: Callable[[], tuple[int, int] | None] | None = None,
        storage: str = "",
    ) -> None:
        """`storage`: why nothing can be recorded from the beginning (a tilt). `memory`: why what is stored
        is known not to be what was stored (a tilt). `copy`: why there is no
        sound second copy of it. `copies`: where the two differ.
        `restored`: what the journal amounts to, if it has been read already.
        `no_cards`: why `draw` is known to give none (a tilt). `trouble`: code and words of what the session
        before could not record. `clock`: session time and local wall clock of one instant, None if they could
        not be read together; without it the wall clock is never set while the session runs."""
        self.policy = policy
        self.devices = devices
        self._validators = {n: d for n, d in devices.items() if isinstance(d, BillValidator)}
        self._printers = {n: d for n, d in devices.items() if isinstance(d, TicketPrinter)}
        self._panels = {n: d for n, d in devices.items() if isinstance(d, Panel)}
        self.journal = journal
        self.writer = writer or Writer(journal, thread=not virtual)
        self.virtual = virtual
        self._draw = draw
        self._on_publish = on_publish
        self._on_facts = on_facts
        restored = restored or restore(journal)
        self.restored = restored
        self.state = restored.state
        self.live = replace(begin(policy, 0, wall_ms), copies=copies)
        troubles = {
            Code.STORAGE_FAILED: storage,
            Code.MEMORY_FAILED: memory or restored.damage,
            Code.ACCOUNTING_ERROR: restored.trouble,
            Code.RNG_FAILED: no_cards,
        }
        for code, text in troubles.items():
            self.live = with_trouble(self.live, code, text)
        self._queue: deque[Event] = deque()
        started = Started(0, journal.was_clean, wall_ms, last_wall_ms=restored.wall_ms, trouble=trouble)
        self._queue.append(started)
        if copy:
            self._queue.append(TroubleReported(0, Code.NO_SECOND_COPY, copy))
        self._pending: _Pending | None = None
        self._facts_since_snapshot = restored.facts
        self._slow = False
        self._took_ms = 0  # the commit in flight, as far as is known
        self._alarmed_ms = -ALARM_QUIET_MS
        self._given_up = False  # the commit in flight is not waited for any more
        self.answered = False  # but the disk has answered it
        self._inquiry = Inquiry(self.writer)
        self._clock = clock
        self._clock_due_ms = CLOCK_EVERY_MS
        self.decided = 0
        self.head = journal.head
        self.copy_error = copy
        self.stopped = False
        self.ticked: list[str] = []  # the devices that the last step has read
        self._wakes: dict[str, int] = dict.fromkeys(devices, 0)  # or NEVER
        self._due_ms: int | None = None  # changes only with state and live

    # ---- one step

    def step(self, now_ms: int, ready: Collection[str] | None = None) -> None:
        """Read everything, then decide what waits, as far as the writer allows.

        `ready` names the devices that have input, bytes or a level that has moved; the others are read
        only when they asked for this time. Without it all are read (a real clock: nobody knows where
        something has come).
        """
        if self._pending is not None:
            self._took_ms = self.writer.running_ms(now_ms)
            if (result := self.writer.poll()) is not None:
                self._finish(result)
        elif self._given_up and not self.answered:
            self.answered = self.writer.poll() is not None
        if self.writer.finding is not None and (finding := self.writer.take_finding()) is not None:
            self._found(finding, now_ms)
        if now_ms >= self.writer.epoch_due_ms:
            self.writer.pass_time(now_ms)
        if self._clock is not None and now_ms >= self._clock_due_ms:
            self._read_clock(now_ms)
        self._read(now_ms, ready)
        while True:
            if (reply := self._inquiry.poll()) is not None:
                self._queue.append(Answered(now_ms, *reply))
            if self._pending is not None:
                if not self.virtual:
                    if self._waits_for_commit(now_ms):
                        return
                    continue
                self._finish(self.writer.wait())
            if not self._queue:
                if self._due_ms is None or self._due_ms > now_ms:
                    return
                self._queue.append(TimerDue(now_ms))
            self._decide_all(now_ms)

    def _found(self, finding: Finding, now_ms: int) -> None:
        """What the writer has found in what is stored."""
        if finding.broken:
            self._queue.append(TroubleReported(now_ms, Code.MEMORY_FAILED, finding.broken))
        elif finding.storage:
            self._queue.append(TroubleReported(now_ms, Code.STORAGE_FAILED, finding.storage))
        elif finding.repaired:  # two entries of the log
            self._queue += (
                TroubleReported(now_ms, Code.NO_SECOND_COPY, finding.repaired),
                TroubleReported(now_ms, Code.NO_SECOND_COPY, ""),
            )
        else:
            self.copy_error = finding.copy
            self._queue.append(TroubleReported(now_ms, Code.NO_SECOND_COPY, finding.copy))

    def _read_clock(self, now_ms: int) -> None:
        """Once a second: has somebody set the wall clock? Not while a commit is in flight: what was told last
        is not decided yet."""
        if self._pending is not None:
            return
        self._clock_due_ms = now_ms + CLOCK_EVERY_MS
        assert self._clock is not None
        if (both := self._clock()) is None:
            return
        at_ms, wall_ms = both
        if abs(wall_ms - at_ms - self.live.wall_base_ms) >= CLOCK_STEP_MS:
            self._queue.append(ClockRead(now_ms, wall_ms - at_ms + now_ms))

    def wake_at(self, now_ms: int) -> int:
        """The next time at which `step` has something to do (session ms; may be now)."""
        if self._queue and self._pending is None:
            return now_ms
        wake_ms = min(self._wakes.values(), default=NEVER)
        if self._pending is None and self._due_ms is not None and self._due_ms < wake_ms:
            wake_ms = self._due_ms
        return now_ms + 1000 if wake_ms == NEVER else wake_ms

    def descriptors(self) -> list[int]:
        """What a sleeping loop waits for besides time."""
        found = [fd for d in self.devices.values() if (fd := d.fileno()) is not None]
        return [*found, self.writer.fileno()]

    def ask_stop(self, now_ms: int) -> None:
        """No new round and no notes from here on."""
        self._queue.append(StopAsked(now_ms))

    def post(self, event: Event) -> None:
        """Put in an event that is not a device's (the lab and tests)."""
        self._queue.append(event)

    @property
    def idle(self) -> bool:
        return not self._queue and self._pending is None

    def _read(self, now_ms: int, ready: Collection[str] | None) -> None:
        """The devices in a fixed order; presses of one step are ordered by seat."""
        events: list[DeviceEvent] = []
        wakes = self._wakes
        if ready is None:
            self.ticked = list(wakes)
        else:
            self.ticked = [name for name, wake_ms in wakes.items() if wake_ms <= now_ms or name in ready]
        for name in self.ticked:
            device = self.devices[name]
            if said := device.tick(now_ms):
                events.extend(said)
            wake_ms = device.wake_at
            wakes[name] = NEVER if wake_ms is None else wake_ms
        if events:
            events.sort(key=_order)
            self._queue.extend(events)

    def _decide_all(self, now_ms: int) -> None:
        """Every waiting event in order, each on the state that the previous facts make; one commit."""
        state, live = self.state, self.live
        facts: list[Fact] = []
        ordered: list[Act] = []
        while self._queue:
            decision = decide(state, live, self._queue.popleft(), self._draw)
            self.decided += 1
            state, live = decision.state, decision.live
            facts += decision.facts
            ordered += decision.acts
        pending = _Pending(state, live, ordered, tuple(facts))
        if not facts:
            self._publish(pending)
            return
        self._pending = pending
        self._commit(facts, now_ms)

    def _commit(self, facts: list[Fact], now_ms: int) -> None:
        assert self._pending is not None
        wall_base_ms = self._pending.live.wall_base_ms
        entries = [
            Entry(*encode(fact), at_ms=fact.at_ms, wall_ms=wall_base_ms + fact.at_ms) for fact in facts
        ]
        self._facts_since_snapshot += len(facts)
        keep = None
        if self._facts_since_snapshot >= SNAPSHOT_EVERY and not self._pending.state.round_open:
            keep = snapshot(self._pending.state)
            self._facts_since_snapshot = 0
        self.writer.submit(entries, now_ms, totals(self._pending.state), keep)

    def _finish(self, result: Committed | CommitFailed | None) -> None:
        """The commit has returned: publish and act, or the storage tilt."""
        pending, self._pending = self._pending, None
        assert pending is not None
        match result:
            case Committed(head=head, copy_error=copy_error):
                self.head = head
                if copy_error != self.copy_error:
                    self.copy_error = copy_error
                    self._queue.append(TroubleReported(pending.live.now_ms, Code.NO_SECOND_COPY, copy_error))
                self._slow = False
                if self._took_ms >= ALARM_COMMIT_MS:
                    self._queue.append(StorageSlow(pending.live.now_ms, f"a commit took {self._took_ms} ms"))
                self._publish(pending)
            case CommitFailed(error_text=text):
                # What was decided is not true: the state before it stays, and nothing is acted on.
                self._queue.appendleft(TroubleReported(self.live.now_ms, Code.STORAGE_FAILED, text))
            case None:
                self._pending = pending

    def _waits_for_commit(self, now_ms: int) -> bool:
        """A card that stalls for seconds: until it has answered the table stands still and says so, and no
        document is drawn in. What is decided already stays unseen."""
        ran_ms = self.writer.running_ms(now_ms)
        if ran_ms >= HUNG_COMMIT_MS or len(self._queue) > QUEUE_MAX:
            self._pending, self._given_up = None, True
            self._queue.appendleft(
                TroubleReported(now_ms, Code.STORAGE_FAILED, HUNG_TEXT.format(seconds=ran_ms // 1000))
            )
            return False
        if ran_ms >= ALARM_COMMIT_MS and now_ms >= self._alarmed_ms + ALARM_QUIET_MS:
            self._alarmed_ms = now_ms
            LOG.warning("%s storage slow: a commit has been running for %s ms", Code.STORAGE_SLOW, ran_ms)
        if not self._slow and ran_ms >= SLOW_COMMIT_MS:
            self._slow = True
            shown = with_trouble(self.live, Code.STORAGE_SLOW, SLOW_TEXT)
            shown = replace(shown, now_ms=max(now_ms, self.live.now_ms))
            self._apply(outputs(self.state, shown))
            self._wakes = {name: _wake_of(device) for name, device in self.devices.items()}
            if self._on_publish is not None:
                self._on_publish(self.state, shown)
        return True

    def hung_ms(self, now_ms: int) -> int:
        """For how long the disk has not answered, 0 while nothing is asked of it."""
        return self.writer.running_ms(now_ms)

    def _publish(self, pending: _Pending) -> None:
        self.state, self.live = pending.state, pending.live
        self._due_ms = due(self.state, self.live)
        self._inquiry.want(question(self.live.menu))
        if pending.facts and self._on_facts is not None:
            self._on_facts(pending.facts)
        self._apply(outputs(self.state, self.live))
        for act in pending.acts:
            self._carry_out(act)
        self._wakes = {name: _wake_of(device) for name, device in self.devices.items()}
        if self._on_publish is not None:
            self._on_publish(self.state, self.live)

    # ---- devices

    def _apply(self, levels: Outputs) -> None:
        """Levels as a whole; each driver sends the difference against what its device confirmed."""
        for panel in self._panels.values():
            panel.set_outputs(levels.panel)
        for name, accept in levels.accept.items():
            self._validators[name].accept(accept, levels.changes[name])

    def _carry_out(self, act: Act) -> None:
        name = act.device
        if name in self._validators:
            orders.validator(self._validators[name], act)
        elif name in self._printers:
            orders.printer(self._printers[name], act)
        elif isinstance(act, acts.GivePulses):
            self._panels[name].pulse(act.meter, act.count)

    # ---- the end

    def drop(self) -> None:
        """What a loss of power leaves of it: the journal. Nothing is written, published or ordered any more,
        and ports are free. Panels stay as they are: closing one darkens its lamps. For the lab, which has
        many sessions in one process; the field program is killed."""
        self.writer.close()
        for device in (*self._validators.values(), *self._printers.values()):
            device.close()
        self.journal.close()
        self.stopped = True

    def close(self, clean: bool, now_ms: int, limit_s: float | None = None) -> bool:
        """End the session. With `clean` its last fact and the clean mark are written, unless state and
        journal disagree: a snapshot of such a state would hide the trouble from the next start.

        False: the disk has not answered within `limit_s` (twice, at most), the journal is left as it is, and
        only the end of the process lets go of it."""
        if self._pending is not None:
            self._finish(self.writer.wait(limit_s))
        hangs = self._pending is not None or (self._given_up and not self.answered)
        if clean and not hangs and not self.live.unrecorded:
            facts = stop(self.state, now_ms)
            wall_ms = self.live.wall_base_ms + now_ms
            entries = [Entry(*encode(fact), at_ms=fact.at_ms, wall_ms=wall_ms) for fact in facts]
            self.writer.submit(entries, now_ms, totals(self.state), at_stop(self.state))
            result = self.writer.wait(limit_s)
            hangs = result is None
            if isinstance(result, Committed):
                self.head = result.head
        for device in self.devices.values():
            device.close()
        self.stopped = True
        if not self.writer.close(0 if hangs else limit_s):
            return False
        self.journal.close()
        return True


def _wake_of(device: Device) -> int:
    wake_ms = device.wake_at
    return NEVER if wake_ms is None else wake_ms


def _order(event: DeviceEvent) -> tuple[int, str]:
    """Presses after everything else, by seat and button: seven hands at once have one order."""
    return (1, event.name) if isinstance(event, InputChanged) else (0, "")
