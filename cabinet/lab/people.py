"""Simulated people: players who follow the strategy chart with some spread, and an attendant.

They act only through the panel, the note slot and the paper tray, and know only what a glance
tells. Each has a random stream of its own, so one seed gives one evening.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Protocol

from cabinet.lab.glance import Glance, Matter, SeatGlance
from game.chart import Chart, advise
from game.round import Choice
from game.rules import Rules

NOTES_CENTS = (500, 1_000, 2_000, 2_000, 5_000, 10_000)
BUTTON_OF = {Choice.HIT: "hit", Choice.STAND: "stand", Choice.DOUBLE: "double", Choice.SPLIT: "split"}


class Hands(Protocol):
    """What a person can do to the cabinet."""

    def press(self, name: str, now_ms: int) -> None: ...
    def turn(self, name: str, on: bool, now_ms: int) -> None: ...
    def insert(self, validator: str, cents: int, now_ms: int) -> bool: ...
    def take(self, printer: str, now_ms: int) -> None: ...
    def in_tray(self, printer: str, last_digits: str) -> bool: ...
    def box_cents(self, validator: str) -> int: ...
    def mend(self, device: str, now_ms: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Habits:
    """Times in ms before `pace`; chances in percent."""

    pace: int = 1
    think_ms: tuple[int, int] = (600, 3_500)
    press_ms: int = 350
    insert_ms: tuple[int, int] = (1_500, 6_000)
    odd_choice_percent: int = 6
    sleeps_percent: int = 2
    leaves_percent: int = 6
    sits_out_percent: int = 5
    bets_max: int = 6  # steps above the minimum


class Player:
    """One seat's player: buys in, bets, plays by the chart, cashes out, comes back."""

    def __init__(
        self, seat: int, rules: Rules, chart: Chart, devices: tuple[str, str], habits: Habits, seed: int
    ) -> None:
        """`devices`: the validator and the printer that serve the seat."""
        self.seat, self.rules, self.chart = seat, rules, chart
        self.validator, self.printer = devices
        self.habits = habits
        self._random = random.Random(f"player {seed} {seat}")
        self.wake_at = self._random.randint(200, 3_000)
        self._decided_ms = -1
        self._round = -1  # the round for which the betting plan was made
        self._plan: list[str] = []
        self._leaving = False
        self._gone = False

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        """Do the next thing, then wait as a person would."""
        me = seen.seats[self.seat - 1]
        self.wake_at = now_ms + self._wait(self.habits.press_ms)
        if seen.frozen or seen.key or me.locked:
            self.wake_at = now_ms + self._wait(1_000)
            return
        hands.take(self.printer, now_ms)
        if self.seat in seen.deciding:
            self._decide(seen, me, hands, now_ms)
        elif not seen.live and not me.waiting:
            self._between(seen, me, hands, now_ms)
        else:
            self.wake_at = now_ms + self._wait(500)

    def go_home(self) -> None:
        """The evening is over for this player: cash out when possible and do not come back."""
        self._leaving = self._gone = True

    def _wait(self, ms: int) -> int:
        return max(1, ms // self.habits.pace)

    def _decide(self, seen: Glance, me: SeatGlance, hands: Hands, now_ms: int) -> None:
        if self._decided_ms == seen.opened_ms:
            return
        if self._decided_ms != -seen.opened_ms - 2:  # thinks first
            self._decided_ms = -seen.opened_ms - 2
            self.wake_at = now_ms + self._wait(self._random.randint(*self.habits.think_ms))
            return
        self._decided_ms = seen.opened_ms
        if self._random.randrange(100) < self.habits.sleeps_percent:
            return
        legal = [choice for choice, button in BUTTON_OF.items() if button in me.lamps]
        if not legal:
            return
        choice = advise(self.chart, self.rules, seen.hand, seen.dealer[0], legal)
        if self._random.randrange(100) < self.habits.odd_choice_percent:
            choice = self._random.choice(legal)
        hands.press(f"seat{self.seat}.{BUTTON_OF[choice]}", now_ms)

    def _between(self, seen: Glance, me: SeatGlance, hands: Hands, now_ms: int) -> None:
        if self._leaving and me.credit_cents + me.bet_cents == 0:
            self._leaving = self._gone
            self.wake_at = now_ms + self._wait(self._random.randint(4_000, 20_000))
            return
        if seen.stopping or self._leaving:
            if "cash_out" in me.lamps:
                self._leaving = True
                hands.press(f"seat{self.seat}.cash_out", now_ms)
                self.wake_at = now_ms + self._wait(1_500)
            return
        if me.credit_cents + me.bet_cents < self.rules.min_bet_cents:
            self._buy_in(seen, me, hands, now_ms)
            return
        if seen.round_number != self._round:
            self._make_plan(seen, me)
        if self._plan and self._plan[0] in me.lamps:
            hands.press(f"seat{self.seat}.{self._plan.pop(0)}", now_ms)

    def _make_plan(self, seen: Glance, me: SeatGlance) -> None:
        """What to do before the next deal."""
        self._round = seen.round_number
        habits, dice = self.habits, self._random
        if me.credit_cents and dice.randrange(100) < habits.leaves_percent:
            self._leaving = True
            self._plan = []
        elif dice.randrange(100) < habits.sits_out_percent:
            self._plan = []
        elif me.last_bet_cents and dice.randrange(2):
            self._plan = ["deal"]
        else:
            self._plan = ["bet_plus"] * (1 + dice.randrange(habits.bets_max)) + ["deal"]

    def _buy_in(self, seen: Glance, me: SeatGlance, hands: Hands, now_ms: int) -> None:
        shared = dict(seen.binding)
        if "buy_in" in me.lamps and shared.get(self.validator) != self.seat:
            hands.press(f"seat{self.seat}.buy_in", now_ms)
            self.wake_at = now_ms + self._wait(1_200)
            return
        cents = self._random.choice(NOTES_CENTS)
        hands.insert(self.validator, cents, now_ms)
        self.wake_at = now_ms + self._wait(self._random.randint(*self.habits.insert_ms)) + 3_000


class Attendant:
    """Comes when the cabinet calls, looks into tray and cash box, answers, mends, goes."""

    def __init__(self, seed: int, pace: int = 1) -> None:
        self._random = random.Random(f"attendant {seed}")
        self._pace = pace
        self.wake_at = 1_000
        self._called_ms: int | None = None
        self.visits = 0

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        self.wake_at = now_ms + max(50, 500 // self._pace)
        if seen.key == "attendant":
            self._work(seen, hands, now_ms)
            return
        if not self._needed(seen):
            self._called_ms = None
            return
        if self._called_ms is None:
            self._called_ms = now_ms + max(100, self._random.randint(2_000, 8_000) // self._pace)
        if now_ms >= self._called_ms and not seen.key:
            for code, device in seen.conditions:
                if code[0] in "BT" or code == "D06":
                    hands.mend(device, now_ms)
            self.visits += 1
            hands.turn("key.attendant", True, now_ms)

    def _needed(self, seen: Glance) -> bool:
        return bool(seen.matters) or any(code in ("B01", "B05", "B06", "T03") for code, _ in seen.conditions)

    def _work(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        """Settle one matter after the other, then turn the key back."""
        wanted = next((order for m in seen.matters if (order := _answer(m, seen, hands)) in seen.menu), None)
        if wanted is None:
            hands.turn("key.attendant", False, now_ms)
            self._called_ms = None
            self.wake_at = now_ms + max(200, 1_000 // self._pace)
            return
        place = seen.menu.index(wanted)
        if place == seen.cursor:
            hands.press("seat1.deal", now_ms)
        else:
            hands.press("seat1.bet_plus" if place > seen.cursor else "seat1.bet_minus", now_ms)


def _answer(matter: Matter, seen: Glance, hands: Hands) -> tuple[str, ...]:
    """What the attendant finds when he looks."""
    match matter.kind:
        case "handpay":
            return ("paid", str(matter.ref))
        case "ticket":
            found = hands.in_tray(matter.device, matter.last_digits)
            return ("ticket", str(matter.ref), "yes" if found else "no")
    more_cents = hands.box_cents(matter.device) - dict(seen.bills_cents)[matter.device]
    in_box = bool(matter.ref) and more_cents >= matter.cents
    return ("note", str(matter.ref), matter.device, "yes" if in_box else "no")
