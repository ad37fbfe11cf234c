"""Guests with paper, and an attendant who looks where it really is."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from adversary.id003.habits import FLAWS
from adversary.id003.unit import Paper, Place
from cabinet.config import DeviceKind
from cabinet.lab.glance import Glance, Matter
from cabinet.lab.people import Hands

if TYPE_CHECKING:
    from adversary.id003.evening import Evening

NOTES_CENTS = (100, 500, 500, 1_000, 2_000, 2_000, 5_000, 10_000)
HELPS = ("B01", "B02", "B03", "B05", "B09", "B13", "D06")
KEYED = ("B01", "B05", "B06", "B07", "B09", "B12", "B13", "B03", "B04", "B02", "D06", "T03", "T11")
PRINTERS = ("T02", "T03", "T04", "T07", "T08", "T11", "T12")


class Guest:
    """One seat: presses BUY IN, puts in notes and tickets, cashes out now and then."""

    def __init__(self, evening: Evening, seat: int, shared: bool) -> None:
        self.evening, self.seat, self.shared = evening, seat, shared
        config = evening.world.config
        self.validator = config.serving(DeviceKind.BILL_VALIDATOR, seat).name
        self.printer = config.serving(DeviceKind.TICKET_PRINTER, seat).name
        self.dice = random.Random(f"guest {evening.seed} {seat}")
        self.wake_at = self.dice.randint(3_000, 9_000)
        self.home = False
        self.pause_ms = self.dice.choice((1_500, 4_000))

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        dice = self.dice
        self.wake_at = now_ms + dice.randint(500, self.pause_ms)
        hands.take(self.printer, now_ms)
        if self.home or self.seat > len(seen.seats):
            return
        me = seen.seats[self.seat - 1]
        bound = dict(seen.binding).get(self.validator)
        wants = 0.05 if bound == self.seat else 1.0 if bound is None else 0.3
        if self.shared and "buy_in" in me.lamps and dice.random() < wants:
            hands.press(f"seat{self.seat}.buy_in", now_ms)
            self.wake_at = now_ms + dice.randint(150, 4_000)
            return
        if "cash_out" in me.lamps and dice.random() < 0.12:
            hands.press(f"seat{self.seat}.cash_out", now_ms)
            return
        if not self.shared or bound == self.seat or dice.random() < 0.05:
            self.evening.feed(self.validator, self.paper(hands), now_ms)

    def paper(self, hands: Hands) -> Paper:
        dice = self.dice
        kind = dice.random()
        if kind < 0.08:
            return Paper(dice.choice(NOTES_CENTS), 0, flaw=dice.choice(FLAWS))
        if kind < 0.11:
            return Paper(5_000, 0, foreign=True)
        if kind < 0.30 and not self.shared:
            number = hands.own_ticket(self.printer, self.seat)
            if kind < 0.13:
                number = "0" * 2 + str(dice.randrange(10**15, 10**16))
            if number and number not in self.evening.numbers_inside():
                return Paper(0, 0, number=number)
        return Paper(dice.choice(NOTES_CENTS), 0)


class Staff:
    """Comes when called, looks where the paper really is, says so, and clears what is stuck."""

    def __init__(self, evening: Evening) -> None:
        self.evening = evening
        self.dice = random.Random(f"staff {evening.seed}")
        self.wake_at = 1_000
        self._comes_ms: int | None = None
        self._turn_ms: int | None = None
        self._since: dict[str, int] = {}
        self._key_ms = 0

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        self.wake_at = now_ms + 300
        if seen.key == "attendant":
            if seen.confirming:
                self._confirm(seen, hands, now_ms)
            else:
                self._turn_ms = None
                self._work(seen, hands, now_ms)
            return
        if seen.key:
            return
        codes = [code for code, _ in seen.conditions]
        wanted = bool(seen.matters) or any(
            code in KEYED or code in PRINTERS or code in HELPS for code in codes
        )
        if not wanted:
            self._comes_ms = None
        elif self._comes_ms is None:
            self._comes_ms = now_ms + self.dice.randint(2_000, 15_000)
        elif now_ms >= self._comes_ms:
            self._comes_ms = None
            self._mend(seen, hands, now_ms)
            if seen.matters or any(code in KEYED for code in codes):
                hands.turn("key.attendant", True, now_ms)
                self._key_ms = now_ms

    def _mend(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        silent = [device for code, device in seen.conditions if code == "B04"]
        self._since = {device: self._since.get(device, now_ms) for device in silent}
        for code, device in seen.conditions:
            unit = self.evening.units.get(device)
            if unit is not None and code in HELPS:
                unit.attended(now_ms)
                self.evening.touch(device)
            elif code in PRINTERS:
                hands.mend(device, now_ms)
        for device, since_ms in self._since.items():
            if device in self.evening.units:
                self.evening.cable_in(device)
                if now_ms - since_ms > 45_000:
                    self.evening.units[device].attended(now_ms)

    def _work(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        answers = [self.answer(matter, hands, now_ms) for matter in seen.matters]
        wanted = next((order for order in answers if order in seen.menu), None)
        if wanted is None and now_ms - self._key_ms < 40_000:
            wanted = next((order for order in seen.menu if order[0] == "restart"), None)
        if wanted is None:
            hands.turn("key.attendant", False, now_ms)
            self.wake_at = now_ms + 8_000
            return
        if "deal" not in seen.seats[0].lamps:
            return
        place = seen.menu.index(wanted)
        if place == seen.cursor:
            if wanted[0] == "restart":
                self._key_ms -= 20_000
            hands.press("seat1.deal", now_ms)
        else:
            hands.press("seat1.bet_plus" if place > seen.cursor else "seat1.bet_minus", now_ms)

    def _confirm(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        wanted = [self.answer(matter, hands, now_ms) for matter in seen.matters]
        if seen.confirming not in wanted and not seen.key_off and seen.confirming[0] != "restart":
            hands.press("seat1.cash_out", now_ms)
            return
        if self._turn_ms is None:
            self._turn_ms = now_ms + (700 if seen.key_off else 1_500)
        if now_ms >= self._turn_ms:
            gap_ms = self.dice.randint(400, 4_000)
            self._turn_ms = now_ms + gap_ms
            self.wake_at = now_ms + gap_ms
            hands.turn("key.attendant", seen.key_off, now_ms)

    def answer(self, matter: Matter, hands: Hands, now_ms: int) -> tuple[str, ...]:
        match matter.kind:
            case "handpay":
                return ("paid", str(matter.ref))
            case "ticket":
                found = hands.in_tray(matter.device, matter.number)
                return ("ticket", str(matter.ref), "yes" if found else "no")
            case "round":
                return ("round", "on")
            case "clock":
                return ("clock", "right")
        if not matter.ref:
            return ("note", "0", matter.device, "no")
        paper = self.evening.paper_of.get(matter.ref)
        if paper is not None and paper.place is Place.PATH:
            self.evening.units[matter.device].opened(now_ms)
            self.evening.touch(matter.device)
        in_box = paper is not None and paper.place is Place.BOX
        return ("note", str(matter.ref), matter.device, "yes" if in_box else "no")
