"""Simulated people: players who follow a strategy chart with some spread, and an attendant.

They act only through the panel, the note slot and the paper tray, and know only what a glance
tells. Each has a random stream of its own, so one seed gives one evening. Nobody may wait for
something that cannot come: who finds a lamp dark does something else.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass
from typing import Protocol

from cabinet.core.conditions import Code
from cabinet.core.look import Button
from cabinet.lab.glance import Glance, Matter, SeatGlance
from game.chart import Chart, advise
from game.round import Choice
from game.rules import Rules

# What people bring, in minor units: twenties twice.
NOTES = {
    "USD": (500, 1_000, 2_000, 2_000, 5_000, 10_000),
    "EUR": (500, 1_000, 2_000, 2_000, 5_000, 10_000),
    "JPY": (1_000, 1_000, 2_000, 5_000, 10_000, 10_000),
}
BETTING = (Button.BET_PLUS, Button.BET_MINUS, Button.DEAL)

# A finger stays on a button for 120 ms and the contact has to be seen open again before it counts again:
# whatever the pace, no hand is quicker.
FINGER_MS = 200
EYE_MS = 20  # nobody looks up more often
DRAWN_IN_MS = 3_000  # a note on its way into the box; machines do not hurry
TICKETS_KNOWN = 20  # an own ticket is put in before so many more are printed
NOTE_TRIES = 6  # somebody whose notes are not taken goes elsewhere

# What an attendant comes for besides open matters: conditions that his key clears, and devices that he
# can help (jams, paper, doors of the device). A device that is only silent is left alone for a while: it
# may be starting, and whoever restarts it then takes away what it has to say about a note.
ATTENDED = (
    Code.NOTE_JAM,
    Code.NOTE_PULLED_BACK,
    Code.NOTE_UNRESOLVED,
    Code.TOO_MANY_REFUSED,
    Code.DOCUMENT_STUCK,
    Code.PRINTER_JAM,
    Code.UNKNOWN_TICKETS,
    Code.PRINTS_NOTHING,
)
HELPED = (
    Code.NOTE_JAM,
    Code.CASH_BOX_FULL,
    Code.VALIDATOR_FAILED,
    Code.NOTE_PULLED_BACK,
    Code.DOCUMENT_STUCK,
    Code.VALIDATOR_NOT_READY,
    Code.CASH_BOX_REMOVED,
    Code.PAPER_OUT,
    Code.PRINTER_JAM,
    Code.PRINTER_OPEN,
    Code.PRINTER_FAILED,
    Code.PRINTS_NOTHING,
    Code.PRINTER_STANDS,
)
SILENT = (Code.VALIDATOR_SILENT, Code.PRINTER_SILENT)
SILENT_MS = 20_000
READ_MS = 1_500  # a sentence, before the key is turned for it
TURN_MS = 700  # from one turn of a key to the next


class Hands(Protocol):
    """What a person can do to the cabinet."""

    def press(self, name: str, now_ms: int) -> None: ...
    def turn(self, name: str, on: bool, now_ms: int) -> None: ...
    def insert(self, validator: str, cents: int, now_ms: int) -> bool: ...
    def take(self, printer: str, now_ms: int) -> None: ...
    def in_tray(self, printer: str, number: str) -> bool: ...
    def box_cents(self, validator: str) -> int: ...
    def insert_ticket(self, validator: str, digits: str, now_ms: int) -> bool: ...
    def own_ticket(self, printer: str, seat: int) -> str: ...
    def on_top(self, validator: str) -> str: ...
    def mend(self, device: str, now_ms: int) -> None: ...


class Person(Protocol):
    """Somebody at the table."""

    @property
    def wake_at(self) -> int: ...
    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Habits:
    """Times in ms before `pace`; chances in percent."""

    pace: int = 1
    think_ms: tuple[int, int] = (600, 3_500)
    press_ms: int = 350
    insert_ms: tuple[int, int] = (1_500, 6_000)
    away_ms: tuple[int, int] = (4_000, 20_000)  # between a cash-out and the next visit
    doze_ms: int = 20_000
    odd_choice_percent: int = 6
    sleeps_percent: int = 2
    leaves_percent: int = 6
    sits_out_percent: int = 5
    bets_max: int = 6  # presses of BET +
    impatient_percent: int = 5  # each time somebody looks up who waits to be paid by hand
    brings_ticket_percent: int = 60  # who has a ticket of this cabinet, instead of a note


class Player:
    """One seat's player: buys in, bets, plays by the chart, cashes out, comes back."""

    def __init__(
        self,
        seat: int,
        rules: Rules,
        chart: Chart,
        devices: tuple[str, str],
        habits: Habits,
        seed: int,
        *,
        barcode: bool = False,
        currency: str = "USD",
    ) -> None:
        """`devices`: the validator and the printer that serve the seat. `barcode`: it reads tickets."""
        self.notes = NOTES[currency]
        self.seat, self.rules, self.chart = seat, rules, chart
        self.validator, self.printer = devices
        self.habits = habits
        self.doing = "arrives"  # for whoever asks why an evening does not end
        self._random = random.Random(f"player {seed} {seat}")
        self.wake_at = self._random.randint(200, 3_000)
        self._thinks_about: tuple[int, int, int] | None = None  # session, round, opening of the decision
        self._dozes_until_ms = 0
        self._round = -1  # for whose successor the plan was made
        self._plan: list[str] = []
        self._sits_until_ms = 0
        self._tries = 0  # notes that were not taken, one after another
        self._brings_tickets = barcode
        self._shown: deque[str] = deque(maxlen=TICKETS_KNOWN)  # tickets that were put in once
        self._wants_more = False
        self._leaving = False
        self._gone = False

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        """Do the next thing, then wait as a person would."""
        if self.seat > len(seen.seats):  # a round that was begun at a smaller table is still open
            self._rest(now_ms, 1_000, "finds no such seat")
            return
        me = seen.seats[self.seat - 1]
        hands.take(self.printer, now_ms)
        if me.locked and not seen.key and "cash_out" in me.lamps and self._takes_back():
            self._leaving = False
            self._press("cash_out", hands, now_ms)
        elif seen.frozen or seen.key or me.locked:
            self._rest(now_ms, 1_000, "waits for the attendant")
        elif me.waiting:
            self._rest(now_ms, 500, "waits for a ticket")
        elif self.seat in seen.deciding:
            self._decide(seen, me, hands, now_ms)
        elif self._leaving or seen.stopping:
            self._leave(me, hands, now_ms)
        elif self._wants_more:
            self._buy_in(seen, me, hands, now_ms)
        elif seen.laid.live:
            self._rest(now_ms, 500, "watches the round")
        elif me.credit_cents + me.bet_cents < self.rules.min_bet_cents:
            self._buy_in(seen, me, hands, now_ms)
        else:
            self._bet(seen, me, hands, now_ms)

    def _takes_back(self) -> bool:
        """Tired of waiting for the attendant, and not on the way home: plays on."""
        return not self._gone and self._random.randrange(100) < self.habits.impatient_percent

    def go_home(self) -> None:
        """The evening is over for this player: cash out when possible and do not come back."""
        self._leaving = self._gone = True

    def cash_out(self) -> None:
        """A whim: take the money as soon as it can be had, and come back later."""
        self._leaving = True

    def buy_more(self) -> None:
        """A whim: put in another note, in the middle of a round or not."""
        self._wants_more = True

    # ---- time

    def _wait(self, ms: int) -> int:
        return max(EYE_MS, ms // self.habits.pace)

    def _rest(self, now_ms: int, ms: int, doing: str) -> None:
        self.doing = doing
        self.wake_at = now_ms + self._wait(ms)

    def _press(self, button: str, hands: Hands, now_ms: int) -> None:
        hands.press(f"seat{self.seat}.{button}", now_ms)
        self.doing = f"has pressed {button}"
        self.wake_at = now_ms + max(FINGER_MS, self._wait(self.habits.press_ms))

    # ---- what there is to do

    def _decide(self, seen: Glance, me: SeatGlance, hands: Hands, now_ms: int) -> None:
        """Thinks once about each decision. A press that was not heard is given again."""
        habits, dice = self.habits, self._random
        question = (seen.session, seen.laid.round_number, seen.opened_ms)
        if question != self._thinks_about:
            self._thinks_about = question
            dozes = dice.randrange(100) < habits.sleeps_percent
            self._dozes_until_ms = now_ms + self._wait(habits.doze_ms) if dozes else 0
            self._rest(now_ms, dice.randint(*habits.think_ms), "thinks")
            return
        legal = [choice for choice in Choice if choice in me.lamps]
        if now_ms < self._dozes_until_ms or not legal:
            self._rest(now_ms, 500, "dozes" if legal else "finds no decision lamp lit")
            return
        choice = advise(self.chart, self.rules, seen.hand, seen.laid.dealer[0], legal)
        if dice.randrange(100) < habits.odd_choice_percent:
            choice = dice.choice(legal)
        self._press(choice, hands, now_ms)

    def _leave(self, me: SeatGlance, hands: Hands, now_ms: int) -> None:
        if me.credit_cents + me.bet_cents == 0:
            self._leaving, self._tries = self._gone, 0
            self._rest(now_ms, self._random.randint(*self.habits.away_ms), "has gone")
        elif "cash_out" in me.lamps:
            self._press("cash_out", hands, now_ms)
        else:
            self._rest(now_ms, 500, "waits for the CASH OUT lamp")

    def _buy_in(self, seen: Glance, me: SeatGlance, hands: Hands, now_ms: int) -> None:
        bound = dict(seen.binding).get(self.validator)
        if "buy_in" in me.lamps and bound != self.seat:
            self._press("buy_in", hands, now_ms)
            self.wake_at += self._wait(self._random.randint(200, 2_000))  # others want it too
            return
        self._tries += 1
        if self._tries > NOTE_TRIES:
            self._leaving = True
        if number := self._ticket(hands):
            taken = hands.insert_ticket(self.validator, number, now_ms)
            self._shown.append(number)
        else:
            taken = hands.insert(self.validator, self._random.choice(self.notes), now_ms)
        self._wants_more = False
        what = "a ticket" if number else "a note"
        self._rest(now_ms, self._random.randint(*self.habits.insert_ms), f"puts in {what}")
        self.wake_at += DRAWN_IN_MS if taken else FINGER_MS

    def _ticket(self, hands: Hands) -> str:
        """The number of the seat's own last ticket, if this player brings it; one that came back goes to the
        cashier."""
        if not self._brings_tickets or self._random.randrange(100) >= self.habits.brings_ticket_percent:
            return ""
        number = hands.own_ticket(self.printer, self.seat)
        return "" if number in self._shown else number

    def _bet(self, seen: Glance, me: SeatGlance, hands: Hands, now_ms: int) -> None:
        """Bets by a plan for the next round. What the lamps do not allow is left out of it."""
        self._tries = 0
        if now_ms < self._sits_until_ms and not me.bet_cents:
            self._rest(now_ms, 500, "sits out")
            return
        open_for_bets = any(button in me.lamps for button in BETTING)
        if seen.laid.round_number != self._round or (not self._plan and not me.bet_cents and open_for_bets):
            self._make_plan(seen, me, now_ms)
        if self._plan and self._plan[0] in me.lamps:
            self._press(self._plan.pop(0), hands, now_ms)
        elif self._plan and open_for_bets:
            self._rest(now_ms, 100, f"leaves out {self._plan.pop(0)}")
        elif not self._plan and "deal" in me.lamps and me.bet_cents:
            self._press("deal", hands, now_ms)
        else:
            self._rest(now_ms, 500, "waits for the deal" if me.bet_cents else "waits for the betting")

    def _make_plan(self, seen: Glance, me: SeatGlance, now_ms: int) -> None:
        habits, dice = self.habits, self._random
        self._round = seen.laid.round_number
        self._plan = []
        if dice.randrange(100) < habits.leaves_percent:
            self._leaving = True
        elif dice.randrange(100) < habits.sits_out_percent:
            self._sits_until_ms = now_ms + self._wait(dice.randint(5_000, 15_000))
        elif me.last_bet_cents and dice.randrange(2):
            self._plan = ["deal"]
        else:
            self._plan = ["bet_plus"] * (1 + dice.randrange(habits.bets_max)) + ["deal"]


class Attendant:
    """Comes when the cabinet calls, looks into tray and cash box, answers, mends, goes."""

    def __init__(self, seed: int, pace: int = 1) -> None:
        self._random = random.Random(f"attendant {seed}")
        self._pace = pace
        self.wake_at = 1_000
        self.doing = "is elsewhere"
        self._comes_ms: int | None = None
        self._silent_since: dict[str, int] = {}
        self.visits = 0
        self._mended: tuple[str, ...] = ()  # on the last visit
        self._turns_ms: int | None = None  # when he turns the key for what the screen asks
        self.paid: dict[int, int] = {}  # hand payments that he has laid on the table: reference -> cents

    def act(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        """Look at the candle, come, work, go."""
        self.wake_at = now_ms + self._wait(500)
        troubled = self._troubled(seen, now_ms)
        if seen.key == "attendant" and seen.confirming:
            self._confirm(seen, hands, now_ms)
        elif seen.key == "attendant":
            self._turns_ms = None
            self._work(seen, hands, now_ms)
        elif not troubled and not called(seen):
            self._comes_ms = None
            self.doing = "is elsewhere"
        elif self._comes_ms is None:
            self._comes_ms = now_ms + self._wait(self._random.randint(2_000, 8_000))
            self.doing = "is on the way"
        elif now_ms >= self._comes_ms and not seen.key:
            self._comes_ms = None
            self.visits += 1
            for device in troubled:
                hands.mend(device, now_ms)
            in_vain = not set(self._mended).isdisjoint(troubled)  # then the key may help
            self._mended = () if in_vain else troubled
            if called(seen) or in_vain:
                self.doing = "turns the key"
                hands.turn("key.attendant", True, now_ms)

    def _troubled(self, seen: Glance, now_ms: int) -> tuple[str, ...]:
        """The devices that a person can help now."""
        silent = [device for code, device in seen.conditions if code in SILENT]
        self._silent_since = {device: self._silent_since.get(device, now_ms) for device in silent}
        helped = [device for code, device in seen.conditions if code in HELPED]
        helped += [device for device in silent if now_ms - self._silent_since[device] >= SILENT_MS]
        return tuple(dict.fromkeys(helped))

    def _wait(self, ms: int) -> int:
        return max(FINGER_MS, ms // self._pace)

    def _work(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        """Settle one matter after the other, then turn the key back."""
        answers = (answer(matter, seen, hands) for matter in seen.matters)
        wanted = next((order for order in answers if order in seen.menu), None)
        if wanted is None:
            self.doing = "turns the key back"
            hands.turn("key.attendant", False, now_ms)
            self.wake_at = now_ms + self._wait(1_000)
            return
        self.doing = f"is about to choose {' '.join(wanted)}"
        if "deal" not in seen.seats[0].lamps:  # the menu is not open to presses yet
            return
        place = seen.menu.index(wanted)
        if place == seen.cursor:
            hands.press("seat1.deal", now_ms)
        else:
            hands.press("seat1.bet_plus" if place > seen.cursor else "seat1.bet_minus", now_ms)

    def _confirm(self, seen: Glance, hands: Hands, now_ms: int) -> None:
        """Read what would be recorded; if it is so, turn the key off and on again."""
        wanted = [answer(matter, seen, hands) for matter in seen.matters]
        self.doing = f"confirms {' '.join(seen.confirming)}"
        if seen.confirming not in wanted:
            if not seen.key_off:
                hands.press("seat1.cash_out", now_ms)
            return
        if self._turns_ms is None:
            self._turns_ms = now_ms + (TURN_MS if seen.key_off else READ_MS)
        if now_ms < self._turns_ms:
            self.wake_at = self._turns_ms
            return
        self._turns_ms = now_ms + TURN_MS
        self.wake_at = now_ms + TURN_MS
        if seen.key_off and seen.confirming[0] == "paid":
            self.paid |= {m.ref: m.cents for m in seen.matters if str(m.ref) == seen.confirming[1]}
        hands.turn("key.attendant", seen.key_off, now_ms)


def called(seen: Glance) -> bool:
    """Whether something waits that only an attendant can settle."""
    return bool(seen.matters) or any(code in ATTENDED for code, _ in seen.conditions)


def answer(matter: Matter, seen: Glance, hands: Hands) -> tuple[str, ...]:
    """What the attendant finds when he looks, as the order of the menu item that says so."""
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
    if matter.kind == "redeem":
        in_box = hands.on_top(matter.device) == matter.number
        return ("note", str(matter.ref), matter.device, "yes" if in_box else "no")
    more_cents = hands.box_cents(matter.device) - dict(seen.bills_cents)[matter.device]
    in_box = bool(matter.ref) and more_cents >= matter.cents
    return ("note", str(matter.ref), matter.device, "yes" if in_box else "no")
