"""Every number and choice of the game, checked before anything is dealt.

A ``Rules`` comes from ``Rules.parse``, which reports *all* problems of a file at once, each with
its key, what was found and what is allowed. The defaults are the house rules of the game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Literal

from game.cards import DECK_CARDS, MAX_DECKS, POINTS, RANKS, Card
from game.hand import TWENTY_ONE, total

# Ranks by points: index 1 is the ace, 10 stands for every ten-valued card.
SPLIT_RANKS: tuple[str, ...] = RANKS[:10]

# The largest table limit, $100,000.00: far above any floor limit, far below any integer column.
MAX_BET_CENTS = 10_000_000

# The keys that the odds of a round from a complete shoe depend on. Limits, steps and seconds change
# no odds; nor does the cut card, because odds and charts are told for a complete shoe.
ODDS_KEYS = (
    "decks",
    "dealer_hits_soft_17",
    "blackjack_pays",
    "double_totals",
    "double_after_split",
    "splittable",
    "dealer_blackjack_takes",
)


class Shuffle(StrEnum):
    """When the shoe is made complete again."""

    EVERY_ROUND = "every_round"
    CUT_CARD = "cut_card"


class Takes(StrEnum):
    """What a dealer blackjack takes from a seat without one."""

    ALL = "all"  # every bet, doubles and splits too
    ORIGINAL = "original"  # exactly the original bet; every other bet comes back


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """One reason to refuse a rule set: the key, what was found there, what is allowed."""

    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.key}: found {self.found}; allowed: {self.allowed}"


class RulesRefusedError(ValueError):
    """A table of a file was refused. ``problems`` has every reason."""

    def __init__(self, problems: Sequence[RuleProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class RulesError(RulesRefusedError):
    """A rule set was refused. The problems are in the order of the keys."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one table. Field names are the keys of the file.

    ``penetration`` is the share of the shoe dealt before the cut card comes (with ``shuffle =
    "cut_card"``). ``double_totals`` are hard totals, or ``"any"`` for any two cards, soft ones
    too. ``splittable`` names ranks; ``"10"`` means any two ten-valued cards. A bet is
    ``min_bet_cents`` plus whole steps of ``bet_step_cents``. ``one_seat_seconds`` is the time to
    decide on a cabinet with one seat, where no one waits for anyone.
    """

    decks: int = 6
    shuffle: Shuffle = Shuffle.EVERY_ROUND
    penetration: float = 0.75
    dealer_hits_soft_17: bool = False
    blackjack_pays: str = "3:2"
    double_totals: tuple[int, ...] | Literal["any"] = (9, 10, 11)
    double_after_split: bool = True
    splittable: tuple[str, ...] = ("A", "2", "3", "6", "7", "8", "9")
    dealer_blackjack_takes: Takes = Takes.ALL
    min_bet_cents: int = 500
    max_bet_cents: int = 20_000
    bet_step_cents: int = 500
    bet_seconds: int = 15
    decide_seconds: int = 12
    one_seat_seconds: int = 300

    @classmethod
    def parse(cls, mapping: Mapping[str, object]) -> Rules:
        """Rules from a decoded TOML table; a key that is left out has its default.

        Raises RulesError with all problems: unknown keys, wrong types, values out of range, a cut
        card too deep, bets whose blackjack payout is not whole cents.
        """
        problems: list[RuleProblem] = []
        values: dict[str, Any] = {}
        for key, value in mapping.items():
            if key not in _CHECKS:
                problems.append(RuleProblem(key, written(value), "no such key; known: " + ", ".join(_CHECKS)))
                continue
            check, allowed = _CHECKS[key]
            checked = check(value)
            if checked is None:
                problems.append(RuleProblem(key, written(value), allowed))
            else:
                values[key] = checked
        rules = cls(**values)
        # A rule that compares several keys is judged only when each of them is sound by itself.
        bad = {problem.key for problem in problems}
        problems += [problem for keys, problem in _conflicts(rules) if bad.isdisjoint(keys)]
        if problems:
            order = {key: place for place, key in enumerate(_CHECKS)}
            raise RulesError(sorted(problems, key=lambda problem: order.get(problem.key, len(order))))
        return rules

    # ---- money

    @property
    def pays(self) -> tuple[int, int]:
        """``blackjack_pays`` as two numbers: 3:2 is ``(3, 2)``."""
        win, stake = self.blackjack_pays.split(":")
        return int(win), int(stake)

    def blackjack_win_cents(self, bet_cents: int) -> int:
        """What a blackjack wins on a bet, without the stake. Exact for every legal bet."""
        win, stake = self.pays
        return bet_cents * win // stake

    def is_bet(self, bet_cents: int) -> bool:
        """The bet is within the limits and on a step."""
        above_cents = bet_cents - self.min_bet_cents
        room_cents = self.max_bet_cents - self.min_bet_cents
        return 0 <= above_cents <= room_cents and above_cents % self.bet_step_cents == 0

    # ---- choices

    def may_double(self, cards: Sequence[Card], after_split: bool) -> bool:
        """Two cards may be doubled by the rules; credit is not looked at."""
        if len(cards) != 2 or (after_split and not self.double_after_split):
            return False
        if self.double_totals == "any":
            return True
        now = total(cards)
        return not now.soft and now.best in self.double_totals

    def may_split(self, cards: Sequence[Card]) -> bool:
        """Two cards as dealt are a pair that may be split; credit is not looked at."""
        if len(cards) != 2:
            return False
        points = POINTS[cards[0]]
        return points == POINTS[cards[1]] and SPLIT_RANKS[points - 1] in self.splittable

    # ---- shoe

    @property
    def cards_behind(self) -> int:
        """Cards that stay behind the cut card; a broken card stays too."""
        cards = self.decks * DECK_CARDS
        return cards - int(self.penetration * cards)

    def must_shuffle(self, cards_left: int) -> bool:
        """Before a round: the shoe has to be made complete again."""
        return self.shuffle is Shuffle.EVERY_ROUND or cards_left <= self.cards_behind

    # ---- identity

    def canonical(self) -> str:
        """One line per key in a fixed order: equal rules have equal text, in every process."""
        return "".join(f"{field.name} = {written(getattr(self, field.name))}\n" for field in fields(self))

    @property
    def rules_hash(self) -> str:
        """SHA-256 of ``canonical()`` in hex: what a journal names a rule set by."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    @property
    def odds(self) -> dict[str, object]:
        """The keys of ``ODDS_KEYS`` with their values."""
        return {key: getattr(self, key) for key in ODDS_KEYS}

    @property
    def odds_hash(self) -> str:
        """SHA-256 in hex over ``odds``: what a strategy chart is found by. Rule sets that differ in
        limits or seconds only have the same one, so a new limit does not lose the advice."""
        text = "".join(f"{key} = {written(value)}\n" for key, value in self.odds.items())
        return hashlib.sha256(text.encode()).hexdigest()


def longest_round_cards(decks: int) -> int:
    """A safe bound of the cards that one round can take from a shoe of this many decks.

    The longest rounds split a pair that some seats keep: three hands, each completed, then the
    dealer. With aces as 1 a hand holds at most 20 points before its last card and the dealer at
    most 16. The pair stands twice in the kept hand and once in each split hand, so beside the two
    cards of the pair and four last cards the round fits into 3 * 20 + 16 - 4 * pair points, and
    most cards fit when the smallest are taken first, as many as the decks hold. Counted with
    one point more per hand as a margin. (Split aces take one card each: never the longest.)

    26, 35, 41, 45, 49, 53, 56, 58 cards for 1 to 8 decks.
    """
    longest = 0
    for pair in range(2, 11):
        room = 3 * TWENTY_ONE + 17 - 4 * pair
        taken = 0
        for points in range(1, 11):
            held = decks * (16 if points == 10 else 4) - (2 if points == pair else 0)
            fit = min(held, room // points)
            taken += fit
            room -= fit * points
        longest = max(longest, taken + 2 + 4)
    return longest


def _conflicts(rules: Rules) -> list[tuple[set[str], RuleProblem]]:
    """Problems of keys taken together, each with the keys that it depends on."""
    found: list[tuple[set[str], RuleProblem]] = []
    lowest, highest, step = rules.min_bet_cents, rules.max_bet_cents, rules.bet_step_cents
    if highest < lowest or (highest - lowest) % step:
        allowed = f"min_bet_cents ({lowest}) plus whole steps of bet_step_cents ({step})"
        keys = {"min_bet_cents", "max_bet_cents", "bet_step_cents"}
        found.append((keys, RuleProblem("max_bet_cents", str(highest), allowed)))
    win, stake = rules.pays
    for key, cents in (("min_bet_cents", lowest), ("bet_step_cents", step)):
        if cents * win % stake:
            reason = f"a blackjack on {cents} pays {cents} x {win} / {stake} cents, which is not whole"
            allowed = f"amounts that {rules.blackjack_pays} pays exactly in cents ({reason})"
            found.append(({key, "blackjack_pays"}, RuleProblem(key, str(cents), allowed)))
    needed = longest_round_cards(rules.decks)
    if rules.shuffle is Shuffle.CUT_CARD and rules.cards_behind < needed:
        allowed = (
            f"at least {needed} of {rules.decks * DECK_CARDS} cards behind the cut card, the longest round "
            f"of {rules.decks} decks; this leaves {rules.cards_behind}"
        )
        keys = {"decks", "shuffle", "penetration"}
        found.append((keys, RuleProblem("penetration", str(rules.penetration), allowed)))
    return found


# --------------------------------------------------------------------------------------
# One check per key: the value as the field holds it, or None when it is refused.

_Check = Callable[[object], object]


def _integer(low: int, high: int) -> _Check:
    def check(value: object) -> int | None:
        return value if type(value) is int and low <= value <= high else None

    return check


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _member(enum: type[StrEnum]) -> _Check:
    def check(value: object) -> StrEnum | None:
        return next((member for member in enum if member.value == value), None)

    return check


def _share(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 < value <= 1 else None


_ODDS = tuple(str(number) for number in range(1, 100))


def _odds(value: object) -> str | None:
    parts = value.split(":") if isinstance(value, str) else []
    if len(parts) != 2 or not all(part in _ODDS for part in parts):
        return None
    return ":".join(parts)


def _double_totals(value: object) -> tuple[int, ...] | Literal["any"] | None:
    if value == "any":
        return "any"
    if not isinstance(value, (list, tuple)):
        return None
    sound = all(type(entry) is int and 4 <= entry <= 20 for entry in value)
    return tuple(sorted(value)) if sound and len(set(value)) == len(value) else None


def _split_ranks(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)) or not all(entry in SPLIT_RANKS for entry in value):
        return None
    ordered = tuple(rank for rank in SPLIT_RANKS if rank in value)
    return ordered if len(ordered) == len(value) else None


def written(value: object) -> str:
    """A value as it would be written in the file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(written(entry) for entry in value) + "]"
    return str(value)


_CENTS = (_integer(1, MAX_BET_CENTS), f"whole cents, 1 to {MAX_BET_CENTS}")
_FLAG = (_flag, "true or false")

_CHECKS: dict[str, tuple[_Check, str]] = {
    "decks": (_integer(1, MAX_DECKS), f"a whole number, 1 to {MAX_DECKS}"),
    "shuffle": (_member(Shuffle), '"every_round" or "cut_card"'),
    "penetration": (_share, "a number above 0 and up to 1, the share dealt before the cut card"),
    "dealer_hits_soft_17": _FLAG,
    "blackjack_pays": (_odds, 'win to stake in whole numbers 1 to 99, like "3:2"'),
    "double_totals": (_double_totals, 'a list of different hard totals 4 to 20, or "any"'),
    "double_after_split": _FLAG,
    "splittable": (_split_ranks, 'a list of different ranks, "A", "2" to "10" (any two ten-valued cards)'),
    "dealer_blackjack_takes": (_member(Takes), '"all" or "original"'),
    "min_bet_cents": _CENTS,
    "max_bet_cents": _CENTS,
    "bet_step_cents": _CENTS,
    "bet_seconds": (_integer(5, 120), "whole seconds, 5 to 120"),
    "decide_seconds": (_integer(5, 120), "whole seconds, 5 to 120"),
    "one_seat_seconds": (_integer(30, 900), "whole seconds, 30 to 900"),
}
