"""A virtual day: random play, trouble by seed, and every invariant checked after each of it.

The program runs in this process on simulated devices. It loses its power (`Table.cut`) as a killed process
does: its state is gone, bytes on the wires are lost or go on, and a new session begins on the same journal
and the same devices, which lived on, or lost their power too. See `trouble` for what goes wrong and
`audit` for what must be true.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from pathlib import Path

from cabinet.config import DeviceKind
from cabinet.core.conditions import Code
from cabinet.core.currency import CURRENCIES
from cabinet.core.facts import Fact, decode
from cabinet.core.live import Live
from cabinet.core.state import State
from cabinet.core.state.fold import after
from cabinet.lab import draws, table
from cabinet.lab.days.audit import DayAudit
from cabinet.lab.days.parts import DayWriter, SeededCards
from cabinet.lab.days.people import Technician
from cabinet.lab.days.plan import DayOptions, DayTally, clock
from cabinet.lab.days.trouble import AIM_MS, START, Action, Place, Trouble, Troubles
from cabinet.lab.deck.controls import PANEL_REMEDIES, SOME_TICKET, foreign_note
from cabinet.lab.glance import Laid, laid
from cabinet.lab.table import VIRTUAL_WALL_MS, PowerCut, StandstillError, Table
from cabinet.records.replay import restore
from cabinet.store.journal import GENESIS, Journal
from cabinet.store.second_copy import CopyVerdict, judge
from cabinet.store.writer import Writer
from drivers.sim.wire import FarEnd

CHECK_MS = 60_000  # at least so often everything is compared
SETTLED_MS = 10_000  # and so long after each trouble once more
RESTART_MS = 20_000  # somebody restarts a cabinet whose storage has failed
DOWN_MS = 1_000
CLOSING_MS = 1_200_000  # by then everybody has been paid and has gone
FLAW = 0x71  # a reject reason: the note lies askew
PANEL_GROUPS = ("board_lost", "expander_mute", "outputs_lost")  # what interrupts the pulses of a meter
# Data that are damaged on their way to a machine; or paper that somebody has to pull out, bar code and all:
# the printer rightly says that it is printed, and no tray holds it whole.
DAMAGES = ("garbled_request", "lost_request", "swallowed", "never_ends")
HOUR_MS = 3_600_000


class Day:
    """One day at one cabinet. `directory` holds wires and journal."""

    def __init__(
        self,
        options: DayOptions,
        directory: Path,
        version: str,
        on_progress: Callable[[DayTally], None] = lambda _tally: None,
        told_every_ms: int = HOUR_MS,
    ) -> None:
        self._told_every_ms = told_every_ms
        self.options = options
        self.tally = DayTally()
        self._on_progress = on_progress
        evening = table.LabOptions(
            options.cabinet,
            virtual=True,
            autoplay=True,
            bring_tickets=True,
            seed=options.seed,
            wire=options.wire,
        )
        self.table: Table = table.assemble(evening, directory, version)
        self.world = self.table.world
        self.world.visitors.append(Technician(options.seed))
        self.audit = DayAudit(self.world, self.tally.problems)
        self.cards = SeededCards(draws.seeded(options.seed))
        self.table.draw = self.cards
        self.table.on_facts = self._on_facts
        self.table.make_writer = DayWriter
        self.table.watchers.append(self._published)
        if options.faults:
            self._various_units(random.Random(f"units {options.seed}"))
        config = self.world.config
        contacts = frozenset(config.of_kind(DeviceKind.PANEL)[0].options["inputs"])
        place = Place(
            tuple(self.world.validator_names),
            tuple(self.world.printer_names),
            contacts,
            tuple(self.world.faults()),
            tuple(FarEnd.WIRE_FAULTS),
        )
        self._troubles = Troubles(place, options.seed, options.gap_s)
        self._due: list[tuple[int, int, Action]] = []  # (when, in the order of orders, what)
        self._orders = 0
        self._aimed: list[tuple[int, Trouble]] = []  # with when they are not waited for any more
        self._head = GENESIS
        self._state = State()
        self._was_laid: Laid | None = None  # on the table of the program that lost its power
        self._away_ms = 0  # by the wall clock, nobody was here
        self._dying = "keep"  # what becomes of bytes on the wires when the program dies in a commit
        self._restart_ordered = False

    def _various_units(self, dice: random.Random) -> None:
        """What validators do after a loss of power differs; nobody has to like it."""
        for machine in self.world.validators:
            machine.vary(dice)

    # ---- the day

    def run(self) -> DayTally:
        """Until its end, or the first thing that cannot be true."""
        end_ms = int(self.options.hours * HOUR_MS)
        self._start()
        self._order(CHECK_MS, ("check",))
        self._order(self._told_every_ms, ("tell",))
        if self.options.faults:
            self._order(self._troubles.gap_ms(), ("trouble",))
        self._until(end_ms)
        self._mend_all()
        self._close()
        self.table.world.close()
        return self.tally

    @property
    def now_ms(self) -> int:
        return self.table.reached_ms

    def _order(self, after_ms: int, action: Action) -> None:
        self._orders += 1
        heapq.heappush(self._due, (self.now_ms + after_ms, self._orders, action))

    def _until(self, end_ms: int) -> None:
        while self.now_ms < end_ms and not self.tally.problems:
            self.table.until_ms = min(end_ms, self._due[0][0]) if self._due else end_ms
            self._play()
            while self._due and self._due[0][0] <= self.now_ms and not self.tally.problems:
                self._do(heapq.heappop(self._due)[2])

    def _play(self) -> None:
        """Up to `table.until_ms`, or until the program loses its power by itself."""
        if not self.table.has_power:
            table.run_dark(self.table)
            return
        try:
            table.run_virtual(self.table)
        except PowerCut:
            self._cut(self._dying)
            self._order(DOWN_MS, START)
        except StandstillError as error:
            self._problem(str(error))
        else:
            if self.table.runtime.live.restart:  # the program ends, and somebody starts it again
                self._cut("keep")
                self._order(DOWN_MS, START)

    def _problem(self, text: str) -> None:
        self.tally.problems.append(text)

    # ---- what happens

    def _do(self, action: Action) -> None:
        match action:
            case ("trouble",):
                self._order(self._troubles.gap_ms(), action)
                self._begin(self._troubles.next())
            case ("check",):
                self._order(CHECK_MS, action)
                self._give_up_waiting()
            case ("tell",):
                self._order(self._told_every_ms, action)
                self._count()
                self._on_progress(self.tally)
            case ("inject", name):
                self._inject(name)
            case ("turn", name, on):
                self.world.turn(name, on == "on", self.now_ms)
            case ("dark", device, word):
                self.world.darken(device, self.now_ms, lose_bytes=word == "lose")
            case ("light", device):
                self.world.light(device, self.now_ms)
            case ("feed", device, "copy", printer):
                tray = self.world.printer(printer).tray
                whole = [paper.text.validation for paper in tray if paper.complete]
                self.world.insert_ticket(device, whole[-1] if whole else SOME_TICKET, self.now_ms)
            case ("feed", device, what):
                self._feed(device, what)
            case ("take", device):
                self.world.take(device, self.now_ms)
            case ("cards", how):
                self.cards.broken = how == "broken"
            case _:
                self._power(action)
        self._check()

    def _power(self, action: Action) -> None:
        """What concerns the program itself. A program without power cannot lose it."""
        match action:
            case ("cut", word) if self.table.has_power:
                self._cut(word)
            case ("start", away_ms) if not self.table.has_power:
                self._away_ms += int(away_ms)
                self._start()
            case ("die" | "full", *_) if self.table.has_power:
                writer = self.table.runtime.writer
                assert isinstance(writer, DayWriter)
                writer.plan = action
                self._dying = action[-1]

    def _inject(self, name: str) -> None:
        device, _, fault = name.partition(".")
        match fault:
            case "late_start":
                self.audit.late[device] += 1
            case "very_late_start":
                self.audit.very_late[device] += 1
            case "deaf_to_reset":
                self.audit.deaf_to_reset.add(device)
            case "repair":
                self.audit.deaf_to_reset.discard(device)
        if fault in DAMAGES and device in self.world.printer_names:
            self.audit.damaged_ms[device] = self.now_ms
        self.audit.interruptions += fault in PANEL_GROUPS
        self.world.inject(name, self.now_ms)

    def _feed(self, device: str, what: str) -> None:
        world, now_ms = self.world, self.now_ms
        match what:
            case "foreign":
                cents, currency = foreign_note(CURRENCIES[world.config.cabinet.currency])
                world.insert(device, cents, now_ms, currency=currency)
            case "flawed":
                world.insert(device, 2_000, now_ms, flaw=FLAW)
            case "barcode":
                world.insert_ticket(device, SOME_TICKET, now_ms)
            case _:
                world.insert(device, int(what), now_ms)

    def _begin(self, trouble: Trouble) -> None:
        if trouble.aim:
            self._aimed.append((self.now_ms + AIM_MS, trouble))
        else:
            self._strike(trouble)

    def _strike(self, trouble: Trouble) -> None:
        tally = self.tally
        tally.faults[trouble.kind] += 1
        told = ", ".join(" ".join(action) + (f" +{ms}" if ms else "") for ms, action in trouble.steps)
        tally.stories.append(f"{clock(self.now_ms + trouble.after_ms)}  {trouble.kind}: {told}")
        for ms, action in trouble.steps:
            self._order(trouble.after_ms + ms, action)
        last_ms = trouble.after_ms + max(ms for ms, _ in trouble.steps)
        self._order(last_ms + SETTLED_MS, ("settled",))
        if self.table.until_ms is not None:
            self.table.until_ms = min(self.table.until_ms, self._due[0][0])

    def _give_up_waiting(self) -> None:
        late = [trouble for until_ms, trouble in self._aimed if until_ms <= self.now_ms]
        self._aimed = [item for item in self._aimed if item[0] > self.now_ms]
        for trouble in late:
            self._strike(trouble)

    # ---- the program and its power

    def _start(self) -> None:
        """A new session, and the books of all before it must be what it finds."""
        self.audit.interruptions += 1
        self._restart_ordered = False
        self.table.start(self.now_ms, VIRTUAL_WALL_MS + self.now_ms + self._away_ms)
        self.tally.sessions += 1
        runtime = self.table.runtime
        if runtime.journal.digest_at(self._head.seq) != self._head.digest:
            self._problem(f"the journal does not go on from row {self._head.seq}")
            return
        self._compare_copy(runtime.journal, runtime.writer)
        state = self._state
        for row in runtime.journal.rows(after_seq=self._head.seq):
            fact = decode(row.entry.kind, row.entry.body)
            state = after(state, fact)
            self.audit.follow(fact)
        if state != runtime.state:
            self._problem("the program's replay makes another state than the facts that it has written")
        self._state, self._head = state, runtime.journal.head
        self._was_laid = laid(state)

    def _compare_copy(self, journal: Journal, writer: Writer) -> None:
        """The second copy is equal to the journal, or one transaction behind it."""
        assert isinstance(writer, DayWriter)
        if writer.copy is None:
            return
        verdict = judge(writer.copy.read(), journal.head, journal.previous_seq, journal.digest_at)
        if verdict not in (CopyVerdict.EQUAL, CopyVerdict.BEHIND):
            self._problem(f"the second copy is {verdict}")

    def _cut(self, word: str) -> None:
        hit, state = self.tally.hit, self.table.runtime.state
        hit["cuts"] += 1
        hit["in a round"] += state.round_open
        hit["with a note open"] += bool(state.notes)
        hit["with a ticket open"] += bool(state.tickets)
        self.table.cut(self.now_ms, lose_bytes=word == "lose")

    def _on_facts(self, facts: tuple[Fact, ...]) -> None:
        runtime = self.table.runtime
        self._state, self._head = runtime.state, runtime.head
        for fact in facts:
            self.audit.follow(fact)
        if self._aimed:
            self._strike_at(facts)

    def _strike_at(self, facts: tuple[Fact, ...]) -> None:
        for item in list(self._aimed):
            trouble = item[1]
            if any(_is_aim(trouble, fact) for fact in facts):
                self._aimed.remove(item)
                self._strike(trouble)

    def _published(self, state: State, live: Live) -> None:
        before, self._was_laid = self._was_laid, None
        if before is not None and before.bets_cents and laid(state) != before:
            self._problem(f"the table was {before} and is {laid(state)}")
        if live.trouble(Code.STORAGE_FAILED) and not self._restart_ordered:
            self._restart_ordered = True
            self._order(RESTART_MS, ("cut", "keep"))
            self._order(RESTART_MS + DOWN_MS, START)

    # ---- what must be true

    def _check(self) -> None:
        if not self.table.has_power or self.tally.problems:
            return
        runtime = self.table.runtime
        self.tally.checks += 1
        self.audit.compare(runtime.state, runtime.live, self.now_ms - self.table.began_ms)

    def _count(self) -> None:
        tally, count = self.tally, self.audit.count
        tally.now_ms = self.now_ms
        tally.rounds, tally.handpays = count["RoundSettled"], count["HandpayPaid"]
        tally.notes, tally.tickets = count["NoteCredited"], count["TicketPrinted"]
        tally.redeemed = count["TicketRedeemed"]
        attendant = self.world.attendant
        tally.visits = 0 if attendant is None else attendant.visits

    # ---- the end

    def _mend_all(self) -> None:
        """No more trouble; what is broken is put right, and somebody starts a program that has no power."""
        self._aimed.clear()
        self._due = [item for item in self._due if item[2][0] in ("light", "start", "turn", "cards")]
        heapq.heapify(self._due)
        if self._restart_ordered and self.table.has_power:  # the storage has failed: only a start helps
            self._cut("keep")
            self._order(DOWN_MS, START)
        self._until(max([self.now_ms, *(at_ms for at_ms, _, _ in self._due)]) + 1)
        if not self.table.has_power:
            self._start()
        now_ms = self.now_ms
        for name in self.world.wires:
            self.world.inject(f"{name}.mend", now_ms)
            if not self.world.wires[name].plugged:
                self.world.inject(f"{name}.replug", now_ms)
            self.world.mend(name, now_ms)
        for remedy in PANEL_REMEDIES:
            self.world.inject(f"panel.{remedy}", now_ms)

    def _close(self) -> None:
        """Everybody plays on to the end of the round, cashes out and goes; the program is stopped."""
        for player in self.world.players:
            player.go_home()
        deadline_ms = self.now_ms + CLOSING_MS
        while not self.tally.problems and self.now_ms < deadline_ms and not self._all_gone():
            self._until(self.now_ms + SETTLED_MS)
            self._check()
        runtime, problems = self.table.runtime, self.tally.problems
        if not problems:
            self.audit.all_over(runtime.state)
        self._count()
        runtime.close(clean=not problems, now_ms=self.now_ms - self.table.began_ms)
        self.tally.digest = runtime.head.digest
        if not problems:
            self._whole_journal(runtime.state)

    def _all_gone(self) -> bool:
        state = self.table.runtime.state
        busy = state.round_open or state.notes or state.tickets or state.waiting or state.handpays
        owed = any(state.pulses.values()) or state.ledger.total("credit") or state.ledger.total("bet")
        return not (busy or owed or self.table.runtime.live.key)

    def _whole_journal(self, state: State) -> None:
        """Snapshot and rows after it, as a start reads them, make the state that the day ended with."""
        journal = Journal.read(self.table.state_dir)
        try:
            restored = restore(journal)
            if restored.trouble or restored.state.ledger != state.ledger:
                self._problem(f"the journal makes another end of the day: {restored.trouble}")
            if not journal.was_clean:
                self._problem("a stop that was asked for is not marked as one")
        finally:
            journal.close()


def _is_aim(trouble: Trouble, fact: Fact) -> bool:
    """The fact is the one that the trouble waits for. One that names its document only may be of any
    device."""
    here = not trouble.device or getattr(fact, "device", trouble.device) == trouble.device
    return here and type(fact).__name__ == trouble.aim
