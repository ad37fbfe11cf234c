"""Kills: the firmware loses power at random moments and must come back exactly where it was.

After each kill the journal is replayed here, by a reader of its own: the restarted firmware must
show the same round, cards and bets. At the end everybody cashes out and the books of the cabinet
must equal what the simulated boxes and trays hold.
"""

from __future__ import annotations

import random
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import click

from cabinet.core.state import State
from cabinet.lab import report
from cabinet.lab.bench import Bench, Options
from cabinet.lab.glance import Glance
from cabinet.runtime import restore
from cabinet.store.journal import Journal

START_LIMIT_MS = 20_000
GAP_MS = (700, 6_000)  # between two kills
CLOSING_LIMIT_MS = 240_000


@dataclass(slots=True)
class Outcome:
    kills: int = 0
    mid_round: int = 0
    open_notes: int = 0
    open_tickets: int = 0
    attendant_visits: int = 0
    problems: list[str] = field(default_factory=list)
    books: report.Report | None = None


def soak(kills: int, seed: int, *, cabinet: str = "table5", pace: int = 8, say: bool = False) -> Outcome:
    """Kill the firmware `kills` times while people play, then close the evening and count."""
    outcome = Outcome()
    dice = random.Random(f"soak {seed}")
    with tempfile.TemporaryDirectory(prefix="cabinet-soak-") as scratch:
        bench = Bench(Options(cabinet=cabinet, seed=seed, pace=pace), Path(scratch))
        try:
            _start(bench, outcome)
            for number in range(1, kills + 1):
                bench.run_for(dice.randint(*GAP_MS))
                _kill(bench, outcome, dice, number)
                if say:
                    _tell(outcome, number, kills)
                if outcome.problems:
                    break
            _close(bench, outcome)
        finally:
            bench.close()
    return outcome


def _start(bench: Bench, outcome: Outcome) -> None:
    bench.start()
    deadline_ms = bench.clock.now_ms() + START_LIMIT_MS
    while bench.seen is None and bench.alive and bench.clock.now_ms() < deadline_ms:
        bench.turn()
    if bench.seen is None:
        outcome.problems.append(f"start {bench.starts}: the firmware did not come up:\n{bench.log_tail()}")


def _kill(bench: Bench, outcome: Outcome, dice: random.Random, number: int) -> None:
    if not bench.alive:
        outcome.problems.append(f"the firmware died by itself before kill {number}:\n{bench.log_tail()}")
        return
    bench.kill(lose_bytes=dice.random() < 0.5)
    outcome.kills += 1
    before, trouble = _state_on_disk(bench.state_dir)
    outcome.problems += [f"kill {number}: {text}" for text in trouble]
    outcome.mid_round += before.live
    outcome.open_notes += any(not n.unresolved for n in before.notes)
    outcome.open_tickets += any(not t.unknown for t in before.tickets)
    _start(bench, outcome)
    if bench.seen is not None:
        outcome.problems += [f"kill {number}: {text}" for text in _differences(before, bench.seen)]


def _state_on_disk(directory: Path) -> tuple[State, list[str]]:
    journal = Journal.read(directory)
    try:
        restored = restore(journal)
    finally:
        journal.close()
    problems = [restored.trouble] if restored.trouble else []
    if restored.state.ledger.sum:
        problems.append(f"the ledger sums to {restored.state.ledger.sum}")
    return restored.state, problems


def _differences(before: State, seen: Glance) -> list[str]:
    """What a restart has changed on the table; nothing may."""
    found = []
    if seen.session != before.session + 1:
        found.append(f"session {seen.session} follows {before.session}")
    if seen.live != before.live or seen.round_number != before.round_number:
        found.append(f"round {before.round_number} became round {seen.round_number}")
    if before.round is not None and seen.dealer != before.round.dealer:
        found.append("the dealer's cards have changed")
    active = None if before.round is None else before.round.active_hand
    if before.round is not None and active is not None and seen.hand != before.round.hands[active].cards:
        found.append("the hand's cards have changed")
    moved = [s.seat for s in seen.seats if before.live and s.bet_cents != before.bet(s.seat)]
    return [*found, *(f"the bet of seat {seat} has changed" for seat in moved)]


def _close(bench: Bench, outcome: Outcome) -> None:
    """Everybody plays on to the end of the round, cashes out; then the firmware is stopped."""
    if not bench.alive:
        return
    for player in bench.world.players:
        player.go_home()
    deadline_ms = bench.clock.now_ms() + CLOSING_LIMIT_MS
    while bench.clock.now_ms() < deadline_ms and bench.alive and not _all_gone(bench.seen):
        bench.turn()
    if not _all_gone(bench.seen):
        outcome.problems.append(f"the evening does not end: {bench.seen}")
    code = bench.stop()
    if code:
        outcome.problems.append(f"the firmware ended with code {code}:\n{bench.log_tail()}")
    state, trouble = _state_on_disk(bench.state_dir)
    outcome.problems += trouble
    journal = Journal.read(bench.state_dir)
    digest = journal.head.digest
    journal.close()
    outcome.books = report.make(state, digest, bench.world, 0, 0)
    outcome.problems += outcome.books.problems
    if bench.world.attendant is not None:
        outcome.attendant_visits = bench.world.attendant.visits


def _all_gone(seen: Glance | None) -> bool:
    if seen is None or seen.live or seen.matters:
        return False
    return not any(s.credit_cents or s.bet_cents or s.waiting or s.locked for s in seen.seats)


def _tell(outcome: Outcome, number: int, kills: int) -> None:
    click.echo(
        f"\rkill {number} of {kills}: {outcome.mid_round} in a round, {outcome.open_notes} with a note, "
        f"{outcome.open_tickets} with a ticket on its way ",
        nl=number == kills,
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--kills", type=click.IntRange(1), default=10, show_default=True, help="How often the plug is pulled."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Equal seeds choose equal moments.")
@click.option("--cabinet", default="table5", show_default=True, help="A shipped cabinet file, by name.")
@click.option(
    "--pace", type=click.IntRange(1), default=8, show_default=True, help="Presentation N times quicker."
)
def main(kills: int, seed: int, cabinet: str, pace: int) -> None:
    """Kill the firmware at random moments and prove that nothing is lost, made up or paid twice."""
    outcome = soak(kills, seed, cabinet=cabinet, pace=pace, say=True)
    click.echo(f"{outcome.kills} kills: {outcome.mid_round} in the middle of a round,")
    click.echo(f"{outcome.open_notes} with a note and {outcome.open_tickets} with a ticket on its way,")
    click.echo(f"{outcome.attendant_visits} visits of the attendant")
    if outcome.books is not None:
        books = outcome.books
        click.echo(f"{books.rounds} rounds; in cents: notes {books.notes_in_cents}, ", nl=False)
        click.echo(f"tickets {books.tickets_out_cents}, by hand {books.handpay_cents}, ", nl=False)
        click.echo(f"house {books.house_cents}, ledger sum {books.ledger_sum_cents}")
    for problem in outcome.problems:
        click.echo(f"PROBLEM: {problem}", err=True)
    sys.exit(1 if outcome.problems else 0)


if __name__ == "__main__":
    main()
