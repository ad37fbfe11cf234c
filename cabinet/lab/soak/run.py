"""Kills: the firmware loses power at chosen and at random moments (`lab.soak.kills`) and must come back
where it was.

After each kill the journal is read by a reader of its own (`lab.audit`) and compared with boxes
and trays, and what the restarted firmware shows must be the table that it left. In the end
everybody cashes out, and not a cent may be missing or too many.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from cabinet.core.state import State
from cabinet.lab import report
from cabinet.lab.audit import Audit, DocumentProgress
from cabinet.lab.bench.bench import Bench, BenchOptions
from cabinet.lab.glance import Glance, Laid, laid
from cabinet.lab.patience import PATIENCE_MS, NotComeError
from cabinet.lab.soak.kills import Kill, has_come, plans
from cabinet.records.replay import restore
from cabinet.store.journal import Journal
from drivers.sim.validator import ValidatorMachine

# A moment that has not come by then is not waited for: after so long, if the firmware has told so much.
AIM_MS, AIM_NEWS = 12_000, 60
WHIM_MS, WHIM_NEWS = 2_500, 8  # so often somebody does what brings it about


@dataclass(slots=True)
class SoakOutcome:
    kills: int = 0
    aimed: int = 0  # kills whose moment came
    hit: Counter[str] = field(default_factory=Counter)  # what devices and journal were in the middle of
    rounds: int = 0
    notes: int = 0
    tickets: int = 0
    attendant_visits: int = 0
    problems: list[str] = field(default_factory=list)
    evening: report.EveningReport | None = None
    kept: Path | None = None


class Soak:
    """One run on one bench."""

    def __init__(self, options: BenchOptions, directory: Path, *, power: bool) -> None:
        self.bench = Bench(options, directory)
        self.audit = Audit(self.bench.state_dir, self.bench.second_copy)
        self.outcome = SoakOutcome()
        self.outcome.problems = self.audit.problems
        self._names = tuple(self.bench.world.wires)
        self._power = power
        self._dice = random.Random(f"whims {options.seed}")
        for player in self.bench.world.players:
            player.habits = replace(player.habits, away_ms=(2_000, 8_000))
        if power:
            self._various_units(random.Random(f"units {options.seed}"))

    def _various_units(self, dice: random.Random) -> None:
        """What validators do after a loss of power differs; nobody has to like it."""
        for machine in self.bench.world.validators:
            machine.vary(dice)

    # ---- the run

    def run(self, kills: int, on_progress: Callable[[SoakOutcome], None]) -> None:
        """Until all kills are done or the first problem; then close the evening."""
        self.start()
        plan = plans(kills, self.bench.options.seed, len(self._names), power=self._power)
        for number, kill in enumerate(plan, 1):
            if self.outcome.problems:
                return
            self.strike(kill, f"kill {number} ({kill.aim or 'random'})")
            following = plan[number].aim if number < len(plan) else ""
            self.come_back(kill, wait=following != "start")
            on_progress(self.outcome)
        if not self.outcome.problems:
            self.close_evening()

    def start(self) -> None:
        self.bench.start()
        self._until_up()

    def _until_up(self) -> None:
        bench = self.bench
        try:
            bench.until(lambda: bench.seen is not None, "a table that is up")
        except NotComeError as error:
            self._problem(f"start {bench.starts}: {error}")

    def _problem(self, text: str) -> None:
        self.outcome.problems.append(text)

    def strike(self, kill: Kill, name: str) -> None:
        """Wait for the moment, pull the plug, look at what is left."""
        bench, outcome = self.bench, self.outcome
        outcome.aimed += self._moment_comes(kill.aim)
        bench.run_for(kill.after_ms)
        if not bench.alive:
            self._problem(f"{name}: the firmware has died by itself:\n{bench.log_tail()}")
            return
        dark = self._names if kill.dark == "all" else [self._names[int(kill.dark)]] if kill.dark else []
        glance = bench.kill(lose_bytes=kill.lose_bytes, dark=dark)
        outcome.kills += 1
        outcome.hit.update(set(bench.phases().values()))
        self._read(name)
        self._count_hits(glance)
        if glance is not None and (glance.session, glance.laid) not in self.audit.shown:
            self._problem(f"{name}: it has shown what is not in the journal: {glance}")

    def _moment_comes(self, aim: str) -> bool:
        """Wait until somebody is doing what `aim` says, but not for ever. How long that is is counted in what
        the firmware has told as well: on a busy machine some seconds are too few for one note."""
        bench, before = self.bench, self.bench.seen
        end = _Later(bench, AIM_MS, AIM_NEWS)
        whim: _Later | None = None
        while aim and bench.alive and not end.come:
            if has_come(aim, bench, before):
                return True
            if whim is None or whim.come:
                whim = _Later(bench, WHIM_MS, WHIM_NEWS)
                self._whim(aim)
            bench.turn()
        return False

    def _whim(self, aim: str) -> None:
        """Somebody who can brings the moment about."""
        seen, players = self.bench.seen, self.bench.world.players
        if seen is None:
            return
        free = [p for p, seat in zip(players, seen.seats, strict=True) if not (seat.waiting or seat.locked)]
        if aim.startswith("note") and free:
            self._dice.choice(free).buy_more()
        rich = [player for player in free if seen.seats[player.seat - 1].credit_cents]
        if aim.startswith("ticket") and rich:
            self._dice.choice(rich).cash_out()

    def _read(self, name: str) -> None:
        """What the disk says now, against what boxes and trays hold."""
        before = len(self.audit.problems)
        self.audit.read()
        self.audit.compare(self.bench.world)
        for place in range(before, len(self.audit.problems)):
            self.audit.problems[place] = f"{name}: {self.audit.problems[place]}"

    def _count_hits(self, glance: Glance | None) -> None:
        state, hit = self.audit.state, self.outcome.hit
        hit["round"] += state.round_open
        hit["open note"] += any(not n.credited and not n.unresolved for n in state.notes)
        hit["credited note"] += any(n.credited for n in state.notes)
        hit["open ticket"] += any(not t.unknown for t in state.tickets)
        hit["attendant asked"] += any(n.unresolved for n in state.notes) or any(
            t.unknown for t in state.tickets
        )
        hit["key turned"] += glance is not None and bool(glance.key)
        hit["start"] += glance is None

    def come_back(self, kill: Kill, *, wait: bool) -> None:
        """Customers go on with the dead machine, then it starts again and must show the same table."""
        bench, before = self.bench, self.audit.state
        now_ms = bench.clock.now_ms()
        if kill.takes_paper:
            for printer in bench.world.printers:
                printer.take()
        for name, cents in zip(self._names, kill.notes_cents, strict=True):
            if cents and isinstance(bench.world.wires[name].machine, ValidatorMachine):
                bench.world.insert(name, cents, now_ms)
        bench.run_for(kill.down_ms)
        if not kill.late_light:
            bench.light()
        bench.start()
        if kill.late_light:
            bench.run_for(800)
            bench.light()
        if wait:
            self._until_up()
        # Devices that get their light late see the table only when people may have gone on already.
        if (first := bench.first_seen) is not None:
            changes = differences(expected(before, first.laid), first.laid)
            if first.session != before.session + 1:
                changes.append(f"session {first.session} follows {before.session}")
            self.outcome.problems += [f"start {bench.starts}: {change}" for change in changes]

    # ---- the end

    def close_evening(self) -> None:
        """Everybody plays on to the end of the round and cashes out; then the firmware is stopped."""
        bench, outcome = self.bench, self.outcome
        self._until_up()
        for player in bench.world.players:
            player.go_home()
        try:
            bench.until(lambda: _all_gone(bench), "the end of the evening")
            code = bench.stop()
        except NotComeError as error:
            self._problem(f"seed {bench.options.seed}: {error}")
            return
        if code:
            self._problem(f"the firmware ended with code {code}:\n{bench.log_tail()}")
        self._read("end")
        self.audit.all_over()
        self.audit.compare_meters(bench.world, bench.starts)
        self._own_restore()
        outcome.evening = report.make(self.audit.state, self.audit.head.digest, bench.world, 0, 0)
        outcome.problems += outcome.evening.problems

    def _own_restore(self) -> None:
        """Snapshot and rows after it, as the program reads them, make the state that all rows make."""
        journal = Journal.read(self.bench.state_dir)
        try:
            if restore(journal).state != self.audit.state:
                self._problem("the program's own replay makes another state than all rows do")
            if not journal.was_clean:
                self._problem("a stop that was asked for is not marked as one")
        finally:
            journal.close()

    def count(self) -> None:
        outcome, bench = self.outcome, self.bench
        outcome.rounds = self.audit.state.round_number
        outcome.notes = sum(n.stage is DocumentProgress.CREDITED for n in self.audit.notes.values())
        outcome.tickets = sum(t.stage is DocumentProgress.PRINTED for t in self.audit.tickets.values())
        if bench.world.attendant is not None:
            outcome.attendant_visits = bench.world.attendant.visits


class _Later:
    """A moment that comes when `ms` have passed and the firmware has told `news` more, however slow it is; or
    when it has told nothing for as long as anybody waits."""

    def __init__(self, bench: Bench, ms: int, news: int) -> None:
        self._bench, self._news = bench, bench.news + news
        self._begin_ms, self._ms = bench.clock.now_ms(), ms

    @property
    def come(self) -> bool:
        waited_ms = self._bench.clock.now_ms() - self._begin_ms
        return waited_ms >= self._ms and (self._bench.news >= self._news or waited_ms >= PATIENCE_MS)


def expected(before: State, first: Laid) -> Laid:
    """What a start has to find. Before the first start that could write anything there were no seats."""
    table = laid(before)
    if before.session:
        return table
    nothing = (0,) * len(first.credits_cents)
    return replace(table, bets_cents=nothing, credits_cents=nothing)


def differences(before: Laid, now: Laid) -> list[str]:
    """What a restart has changed on the table; nothing may."""
    names = Laid.__dataclass_fields__
    pairs = ((name, getattr(before, name), getattr(now, name)) for name in names)
    return [f"{name} was {was} and is {found}" for name, was, found in pairs if was != found]


def _all_gone(bench: Bench) -> bool:
    """Nobody has money in the machine, nothing is open, no device is in the middle of something."""
    seen = bench.seen
    if seen is None or seen.laid.live or seen.matters or seen.in_work or seen.key or bench.phases():
        return False
    return not any(s.credit_cents or s.bet_cents or s.waiting or s.locked for s in seen.seats)
