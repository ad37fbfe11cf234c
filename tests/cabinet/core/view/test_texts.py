"""Everything that a view says is in the catalogue, with exactly the arguments that the text names."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator

import pytest

from cabinet.core.look import Message
from cabinet.ui.catalogue import Catalogue
from drivers.device import TicketDone, TicketOutcome
from support.evenings.evening import Evening
from support.programs.source import ROOT
from support.screens.seen import look, messages

DEALS = ("", "8H 8S 6D 5C", "AH KS AD 9C", "AH AS 6D 2H 3S", "8H 8S AD 10C", "5H 6S 10D 9C", "AH KS AD KC")
BUTTONS = (
    "bet_plus", "bet_plus", "bet_minus", "deal", "deal", "deal", "hit", "stand", "double", "split", "split",
    "help", "buy_in", "cash_out",
)  # fmt: skip
WORDS = Catalogue()
KEYS = frozenset(WORDS.keys())
KEY = re.compile(r"[a-z_]+\.[a-z0-9_]+")


def check(message: Message) -> None:
    assert message.key in KEYS, message
    assert WORDS.arguments(message.key) == frozenset(dict(message.args)), message
    for short in (False, True):
        assert WORDS.text(message, short=short)


def something(evening: Evening, rng: random.Random) -> None:
    """People, doors and time do what they like."""
    seats = list(evening.state.seats)
    chance = rng.random()
    if chance < 0.15:
        evening.insert(rng.choice(seats), rng.choice((500, 2_000, 10_000, 600_000)))
    elif chance < 0.75:
        for seat in seats:
            if rng.random() < 0.6:
                evening.press(seat, rng.choice(BUTTONS))
    elif chance < 0.79:
        evening.switch(rng.choice(("door.main", "door.drop", "key.attendant")), rng.random() < 0.4)
    elif chance < 0.83 and evening.state.tickets:
        ticket = evening.state.tickets[0]
        outcome = rng.choice(tuple(TicketOutcome))
        evening.feed(TicketDone(ticket.device, evening.at_ms, ticket.ref, outcome))
    else:
        evening.advance(rng.choice((50, 300, 1_000, 5_000, 13_000)))


@pytest.mark.parametrize("seed", range(15))
def test_every_message_is_in_the_catalogue_with_its_arguments(seed: int) -> None:
    rng = random.Random(seed)
    evening = Evening(
        deal=DEALS[seed % len(DEALS)],
        seats=(1, 2, 5, 7)[seed % 4],
        shared=seed % 3 == 0,
        lab=seed % 2 == 0,
        large_win_cents=1_000 if seed % 5 == 0 else 0,
    )
    for _ in range(90):
        something(evening, rng)
        for message in set(messages(look(evening))):
            check(message)


def written() -> Iterator[tuple[str, frozenset[str]]]:
    """Every key that stands in the sources of the core, with the arguments that it is given there."""
    for path in sorted((ROOT / "cabinet/core").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            given = [keyword.arg or "" for keyword in node.keywords]
            if node.func.id == "Message" and len(node.args) == 2:
                given = texts(node.args[1])
            if node.func.id in ("message", "Message"):
                yield from ((key, frozenset(given)) for key in texts(node.args[0]) if KEY.fullmatch(key))


def texts(node: ast.expr) -> list[str]:
    """The strings in an expression: both of a choice, the pieces of an f-string."""
    return [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def test_every_key_that_is_written_down_has_its_text() -> None:
    found = set(written())
    assert len(found) > 100
    assert [key for key, _ in found if key not in KEYS] == []
    assert [entry for entry in found if WORDS.arguments(entry[0]) != entry[1]] == []


@pytest.mark.parametrize(
    "kind",
    [
        Message("banner.closed"),
        Message("banner.restored"),
        Message("banner.door_closed"),
        Message("banner.attendant_seats", (("seats", (1, 3)),)),
        Message("banner.notes_to_seat", (("seat", 1),)),
        Message("banner.no_notes"),
        Message("banner.no_tickets"),
        Message("banner.paper_low"),
        Message("banner.lab"),
    ],
)
def test_every_banner_has_its_words(kind: Message) -> None:
    check(kind)
