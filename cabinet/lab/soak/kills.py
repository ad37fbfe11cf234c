"""When the plug is pulled, and what else happens to the dead machine: chosen by a seed.

Half of the kills wait for a moment that matters (a note in escrow, a ticket half printed, an open
decision, a button that is down, the start itself) and strike shortly after; the others come at
random. Real time decides the rest.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from cabinet.lab.bench.bench import Bench
from cabinet.lab.glance import Glance

# Of the kills that wait for nothing: too short for anything to end, or long enough to play on.
GAPS_MS = ((100, 1_500), (1_500, 5_000), (5_000, 10_000))
DOWN_MS = (1_500, 5_000)  # long enough for a note in escrow to go back, and for a ticket to be printed

# What a kill may wait for, and how long after it at most it strikes.
NOTE_AIMS = {"note accepting": 800, "note escrow": 200, "note lifting": 300, "note pushing": 600,
             "note vend_valid": 250, "note stacked": 150}  # fmt: skip
TICKET_AIMS = {"ticket ordered": 800, "ticket printing": 3_300, "ticket proven": 600, "ticket in chute": 400}
TABLE_AIMS = {"decision": 600, "cards": 300, "bets": 600}
OTHER_AIMS = {"button": 60, "news": 15, "start": 1_500}
POWER_AIMS = {**OTHER_AIMS, "key": 700}  # only machines that lose power call the attendant often enough


@dataclass(frozen=True, slots=True)
class Kill:
    """One loss of power, as the seed chose it."""

    aim: str = ""  # one of the aims above; "": random
    after_ms: int = 0  # the aim's moment, or the last start
    lose_bytes: bool = False
    down_ms: int = 0
    takes_paper: bool = False  # somebody takes what stands in the chutes of the dead machine
    notes_cents: tuple[int, ...] = ()  # by device: what customers feed it meanwhile
    dark: str = ""  # devices without power: "", "all", or the place of one among them
    late_light: bool = False  # they have it again after the firmware


def plans(kills: int, seed: int, devices: int, *, power: bool) -> list[Kill]:
    """The kills of a run. Aims are dealt in turn, so that a short run meets notes, tickets and the table.
    With `power` devices lose theirs too."""
    dice = random.Random(f"soak {seed}")
    sources = (NOTE_AIMS, TICKET_AIMS, TABLE_AIMS, POWER_AIMS if power else OTHER_AIMS)
    decks: list[list[tuple[str, int]]] = [[] for _ in sources]
    made = []
    for number in range(kills):
        aim, after_ms = "", dice.randint(*dice.choice(GAPS_MS))
        if number % 2 == 0:
            deck = decks[number // 2 % len(decks)]
            if not deck:
                deck += sources[number // 2 % len(decks)].items()
                dice.shuffle(deck)
            aim, most_ms = deck.pop()
            after_ms = dice.randint(0, most_ms)
        made.append(
            Kill(
                aim,
                after_ms,
                lose_bytes=dice.random() < 0.5,
                down_ms=dice.choice((0, 0, dice.randint(100, DOWN_MS[0]), dice.randint(*DOWN_MS))),
                takes_paper=dice.random() < 0.5,
                notes_cents=tuple(dice.choice((0, 0, 0, 500, 2_000)) for _ in range(devices)),
                dark=dice.choice(("", "", "all", "all", str(dice.randrange(devices)))) if power else "",
                late_light=dice.random() < 0.3,
            )
        )
    return made


def has_come(aim: str, bench: Bench, before: Glance | None) -> bool:
    """Is this the moment that `aim` waits for? `before`: what was seen when the waiting began."""
    seen, panel = bench.seen, bench.world.panel
    match aim:
        case "start":
            return True
        case "button":
            return panel is not None and any(panel.active(name) for name in bench.buttons)
        case "news":
            return seen is not before
        case "decision":
            return seen is not None and bool(seen.deciding)
        case "cards":
            return seen is not None and seen.laid.live and not seen.deciding
        case "bets":
            return seen is not None and not seen.laid.live and any(s.bet_cents for s in seen.seats)
        case "key":
            return seen is not None and bool(seen.key)
    return aim in bench.phases().values()
