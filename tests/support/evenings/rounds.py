"""Rounds told as stories: the order of the cards is written down, the seats say their words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from game.cards import Card, parse
from game.chart import Chart
from game.round import Choice, Finished, NeedCard, NeedDecisions, Purpose, Round
from game.rules import Rules
from game.settle import HandResult, Settlement, settle

ROOT = Path(__file__).parents[3]


def cards(faces: str) -> tuple[Card, ...]:
    """``"8S 8D | 6H"``: bars are for the reader; a face that comes again is of the next deck."""
    dealt: list[Card] = []
    for face in faces.replace("|", " ").split():
        card = parse(face)
        while card in dealt:
            card += 52
        dealt.append(card)
    return tuple(dealt)


def default_chart() -> Chart:
    file = ROOT / "config" / "charts" / f"{Rules().odds_hash}.json"
    return Chart.parse(json.loads(file.read_text(encoding="utf-8"))["chart"])


class Story:
    """A round whose cards come in a known order; it deals until somebody has to decide."""

    def __init__(
        self, order: str | Iterable[Card], bets: Mapping[int, int] | None = None, rules: Rules | None = None
    ) -> None:
        self.order = cards(order) if isinstance(order, str) else tuple(order)
        self.used = 0
        self.purposes: list[Purpose] = []
        self.round = Round.open(rules or Rules(), bets or {1: 1000})
        self._deal()

    def _deal(self) -> None:
        while isinstance(need := self.round.needs(), NeedCard):
            self.purposes.append(need.purpose)
            self.round = self.round.deal(self.order[self.used])
            self.used += 1

    def say(self, words: Mapping[int, str]) -> Story:
        """Seats decide in the order given: ``{1: "hit", 2: "stand", 3: "time"}``."""
        for seat, word in words.items():
            timed_out = word == "time"
            choice = Choice.STAND if timed_out else Choice(word)
            self.round = self.round.decide(seat, choice, timed_out)
        self._deal()
        return self

    @property
    def asked(self) -> list[int]:
        """The seats that have to decide now."""
        need = self.round.needs()
        return list(need.seats) if isinstance(need, NeedDecisions) else []

    @property
    def finished(self) -> bool:
        return isinstance(self.round.needs(), Finished)

    @property
    def all_dealt(self) -> bool:
        """The round is over and took exactly the cards of the story."""
        return self.finished and self.used == len(self.order)

    @property
    def settled(self) -> Settlement:
        return settle(self.round)

    def result(self, seat: int, hand: int = 0) -> HandResult:
        found = self.settled.result(seat, hand)
        assert found is not None, f"seat {seat} has no bet on hand {hand}"
        return found

    def outcome(self, seat: int, hand: int = 0) -> str:
        return str(self.result(seat, hand).outcome)

    def net(self, seat: int) -> int:
        return self.settled.net_cents(seat)
