"""What goes wrong on a virtual day: which trouble, when, and how it ends.

A trouble is a list of steps, each a few milliseconds after its beginning. Half of the troubles that
concern notes, tickets or the program's power begin at a moment that matters: shortly after a certain
fact, or in the commit of one. Everything is chosen by one seeded stream.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

# ("inject", "validator1.jam_acceptor")  ("turn", "door.main", "on")  ("dark", "printer2", "lose")
# ("cut", "keep")  ("start", "0")  ("die", "before")  ("full", "after")  ("feed", "validator1", "foreign")
Action: TypeAlias = tuple[str, ...]

GAP_S = 180  # from one trouble to the next on average: twenty an hour
AIM_MS = 120_000  # a moment that does not come by then is not waited for

# Faults that last until somebody does the opposite; every other fault of a machine is over by itself.
ENDED_BY: Final[Mapping[str, str]] = {
    "silent": "mend", "echo": "mend", "unplug": "replug",
    "jam_acceptor": "jam_cleared", "jam_stacker": "jam_cleared", "box_out": "box_in",
    "stands_still": "healed", "ignores_stack": "healed", "never_ready": "healed", "powers_up": "healed",
    "stays_inhibited": "healed", "refuses_accept": "healed", "echoes_wrongly": "healed",
    "goes_on_taking": "healed", "deaf": "healed",
    "box_full": "box_emptied", "failure": "repaired", "mute": "unmute",
    "paper_low": "load_paper", "paper_out": "load_paper", "jam": "repair", "head_open": "head_close",
    "drawer_open": "drawer_close", "voltage": "repair", "cutter": "repair", "temperature": "repair",
    "hot": "repair", "broken": "repair", "off_line": "on_line", "button_down": "button_up", "xoff": "xon",
    "bouncing": "bouncing_ends", "stuck_button": "stuck_freed", "door_wire_cut": "door_wire_mended",
    "board_lost": "board_back", "expander_mute": "expander_answers",
}  # fmt: skip
NO_TROUBLE = frozenset({*ENDED_BY.values(), "take"})
# Habits of a firmware: only another unit has them, and whoever puts it there pulls the plug first.
OTHER_UNIT = frozenset({"answers_early"})
PAPERS = ("foreign", "flawed", "barcode", "copy", "copy", "500", "10000")
DOORS = ("door.main", "door.logic", "door.cash_box", "door.drop")
# What begins soon after them is worth the waiting.
NOTE_FACTS = ("NoteIntended", "NoteCredited", "NoteClosed", "RedeemIntended", "TicketRedeemed")
TICKET_FACTS = ("CashOutAsked", "TicketIntended", "TicketPrinted", "TicketVoided")
TABLE_FACTS = ("RoundOpened", "CardsDrawn", "Decided", "RoundSettled", "BetMoved", "PulseIntended",
               "HandpayOpened", "HandpayPaid", "KeyTurned", "ConditionRaised", "SessionStarted")  # fmt: skip
LASTS_MS = (500, 80_000)
SOON_MS = (0, 2_500)
PRINTING_MS = (0, 6_000)
LONG_AWAY_MS = 25 * 3_600_000  # by the wall clock: players of the open round are not at the table any more


@dataclass(frozen=True, slots=True)
class Trouble:
    """`aim`: the fact that it waits for, at `device` if that is not ""; it begins `after_ms` later."""

    kind: str
    steps: tuple[tuple[int, Action], ...]
    aim: str = ""
    device: str = ""
    after_ms: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Whom trouble can meet."""

    validators: tuple[str, ...]
    printers: tuple[str, ...]
    contacts: frozenset[str]  # of the panel
    faults: tuple[str, ...]  # of machines and panel, by their full names
    wire_faults: tuple[str, ...]

    def troubles_of(self, device: str) -> list[str]:
        """What can go wrong with a machine."""
        names = [name.partition(".") for name in self.faults]
        return [
            fault
            for owner, _, fault in names
            if owner == device and fault not in NO_TROUBLE and fault not in self.wire_faults
        ]


class Troubles:
    """The troubles of one seed, one after the other."""

    def __init__(self, place: Place, seed: int, gap_s: int = GAP_S) -> None:
        self._place = place
        self._gap_s = gap_s
        self._dice = random.Random(f"day {seed}")

    def gap_ms(self) -> int:
        return self._between(100 * self._gap_s, 1_900 * self._gap_s)

    def next(self) -> Trouble:
        makers, weights = zip(*MAKERS, strict=True)
        (make,) = self._dice.choices(makers, weights)
        trouble: Trouble = make(self)
        return trouble

    # ---- by chance

    def _between(self, least_ms: int, most_ms: int) -> int:
        return self._dice.randint(least_ms, most_ms)

    def _lose(self) -> str:
        return self._dice.choice(("lose", "keep"))

    def _at(self, device: str, kind: str, *steps: tuple[int, Action]) -> Trouble:
        """At a device, half of the time when it has something to do."""
        if self._dice.random() < 0.5:
            return Trouble(kind, steps)
        facts, within = (
            (NOTE_FACTS, SOON_MS) if device in self._place.validators else (TICKET_FACTS, PRINTING_MS)
        )
        return Trouble(kind, steps, self._dice.choice(facts), device, self._between(*within))

    # ---- devices and their wires

    def wire(self) -> Trouble:
        faults = [fault for fault in self._place.wire_faults if fault not in NO_TROUBLE]
        return self._fault(self._device(), "wire", self._dice.choice(faults))

    def validator(self) -> Trouble:
        return self._machine(self._dice.choice(self._place.validators))

    def printer(self) -> Trouble:
        return self._machine(self._dice.choice(self._place.printers))

    def power(self) -> Trouble:
        """A device loses its power for a while."""
        device = self._device()
        steps = (0, ("dark", device, self._lose())), (self._between(100, 40_000), ("light", device))
        return self._at(device, "device without power", *steps)

    def _machine(self, device: str) -> Trouble:
        fault = self._dice.choice(self._place.troubles_of(device))
        return self._fault(device, device.rstrip("0123456789"), fault)

    def _fault(self, device: str, what: str, fault: str) -> Trouble:
        """A fault and, if it lasts, its end."""
        if fault in OTHER_UNIT:
            away_ms = self._between(*LASTS_MS)
            exchange = ((0, "unplug"), (away_ms // 2, fault), (away_ms, "replug"))
            actions = [(at_ms, ("inject", f"{device}.{name}")) for at_ms, name in exchange]
            return self._at(device, f"{what} {fault}", *actions)
        steps: list[tuple[int, Action]] = [(0, ("inject", f"{device}.{fault}"))]
        if fault in ENDED_BY:
            steps.append((self._between(*LASTS_MS), ("inject", f"{device}.{ENDED_BY[fault]}")))
        return self._at(device, f"{what} {fault}", *steps)

    def _device(self) -> str:
        return self._dice.choice((*self._place.validators, *self._place.printers))

    # ---- the panel, doors and keys

    def panel(self) -> Trouble:
        plain = self._fault("panel", "panel", self._dice.choice(self._place.troubles_of("panel")))
        aim = self._dice.choice(("", "", *TABLE_FACTS))
        return replace(plain, aim=aim, device="", after_ms=self._between(*SOON_MS) if aim else 0)

    def door(self) -> Trouble:
        name = self._dice.choice(DOORS)
        return self._turned("door", name, self._between(300, 60_000))

    def key(self) -> Trouble:
        """Somebody looks into the pages; nobody answers anything that he has not looked for."""
        name = self._dice.choice(("key.attendant", "key.service"))
        return self._turned("key", name, self._between(500, 30_000))

    def _turned(self, kind: str, name: str, ms: int) -> Trouble:
        if name not in self._place.contacts:
            return self.wire()
        aim = self._dice.choice(("", *TABLE_FACTS, *NOTE_FACTS, *TICKET_FACTS))
        steps = (0, ("turn", name, "on")), (ms, ("turn", name, "off"))
        return Trouble(f"{kind} {name}", steps, aim, "", self._between(*SOON_MS) if aim else 0)

    def paper(self) -> Trouble:
        """Something that the validator gives back, or a note that its player did not plan."""
        device, what = self._dice.choice(self._place.validators), self._dice.choice(PAPERS)
        source = (self._dice.choice(self._place.printers),) if what == "copy" else ()
        return Trouble(f"paper {what}", ((0, ("feed", device, what, *source)),))

    # ---- the program

    def cut(self) -> Trouble:
        """The program loses its power, alone or with devices; meanwhile customers go on."""
        dice = self._dice
        aim = dice.choice(("", *NOTE_FACTS, *NOTE_FACTS, *TICKET_FACTS, *TICKET_FACTS, *TABLE_FACTS))
        within = PRINTING_MS if aim in TICKET_FACTS else SOON_MS
        steps = [(0, ("cut", self._lose())), *self._meanwhile()]
        if dice.random() < 0.2:  # and once more while it starts
            last_ms = max(ms for ms, _ in steps)
            steps += [(last_ms + self._between(0, 3_000), ("cut", self._lose())), (last_ms + 4_000, START)]
        return Trouble(f"cut after {aim}" if aim else "cut", tuple(steps), aim, "", self._between(*within))

    def cut_in_commit(self) -> Trouble:
        """The program dies in the commit of a fact: it is in the journal or it is not, and nobody has
        acted on it."""
        fact = self._dice.choice((*NOTE_FACTS, *TICKET_FACTS, *TABLE_FACTS))
        when = self._dice.choice(("before", "after"))
        return Trouble(f"cut {when} commit", ((0, ("die", when, fact, self._lose())),))

    def storage(self) -> Trouble:
        """The disk refuses a commit, which is on it all the same or not. Only a restart helps."""
        fact = self._dice.choice((*NOTE_FACTS, *TICKET_FACTS, *TABLE_FACTS))
        when = self._dice.choice(("before", "after"))
        return Trouble("storage refuses", ((0, ("full", when, fact)),))

    def generator(self) -> Trouble:
        """No card can be drawn; after a while a technician's visit helps."""
        return Trouble(
            "generator fails", ((0, ("cards", "broken")), (self._between(5_000, 60_000), ("cards", "whole")))
        )

    def _meanwhile(self) -> list[tuple[int, Action]]:
        """What happens to the dead machine, up to its next start."""
        dice, place = self._dice, self._place
        down_ms = dice.choice((0, self._between(100, 1_500), self._between(1_500, 8_000)))
        steps: list[tuple[int, Action]] = []
        every = (*place.validators, *place.printers)
        dark = dice.choice(((), (), every, every, (dice.choice(every),)))
        light_ms = down_ms + dice.choice((0, 0, 800, 3_000))
        for device in dark:
            steps += [(0, ("dark", device, self._lose())), (light_ms, ("light", device))]
        for device in place.validators:
            if dice.random() < 0.2:
                steps.append((self._between(0, down_ms), ("feed", device, dice.choice(("500", "2000")))))
        for device in place.printers:
            if dice.random() < 0.4:
                steps.append((self._between(0, down_ms), ("take", device)))
        away_ms = LONG_AWAY_MS if dice.random() < 0.04 else 0
        steps.append((down_ms, START if not away_ms else ("start", str(away_ms))))
        return steps


START: Final[Action] = ("start", "0")
# How often each of them comes, by weight.
MAKERS: Final[tuple[tuple[Callable[[Troubles], Trouble], int], ...]] = (
    (Troubles.wire, 24),
    (Troubles.validator, 14),
    (Troubles.printer, 16),
    (Troubles.power, 8),
    (Troubles.panel, 8),
    (Troubles.door, 7),
    (Troubles.key, 5),
    (Troubles.paper, 8),
    (Troubles.cut, 12),
    (Troubles.cut_in_commit, 8),
    (Troubles.storage, 2),
    (Troubles.generator, 2),
)
