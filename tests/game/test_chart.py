"""Strategy charts: the one of the default rules, and what makes a chart sound."""

from __future__ import annotations

import random

import pytest

from game.chart import Chart, ChartError, advise
from game.round import Choice, NeedDecisions, Round
from game.rules import SPLIT_RANKS, Rules
from game.settle import settle
from support.evenings.rounds import cards, default_chart

HIT_STAND = (Choice.HIT, Choice.STAND)
ALL = tuple(Choice)
LETTERS = {Choice.HIT: "H", Choice.STAND: "S", Choice.DOUBLE: "D", Choice.SPLIT: "P"}
UPCARDS = ("2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "10D", "AD")


def row(hand: str) -> str:
    """The letters for a hand against 2 .. 10, A, with the choices the default rules allow."""
    first, second = cards(hand)
    letters = []
    for upcard in UPCARDS:
        state = Round.open(Rules(), {1: 500}).deal(first).deal(second).deal(cards(upcard)[0])
        letters.append(
            LETTERS[advise(default_chart(), Rules(), (first, second), cards(upcard)[0], state.legal(1))]
        )
    return "".join(letters)


@pytest.mark.parametrize(
    ("hands", "letters"),
    [
        (("2S 3H", "2S 4H", "2S 5H", "3S 5H"), "HHHHHHHHHH"),
        (("2S 7H", "4S 5H"), "HDDDDHHHHH"),
        (("2S 8H", "5S 5H"), "DDDDDDDDHH"),
        (("2S 9H", "5S 6H"), "DDDDDDDDHH"),
        (("10S 2H", "3S 9H"), "HHSSSHHHHH"),
        (("10S 3H", "10S 4H", "10S 5H", "10S 6H"), "SSSSSHHHHH"),
        (("10S 7H", "10S 8H", "10S 9H", "KS QH"), "SSSSSSSSSS"),
        (("AS 2H", "AS 3H", "AS 4H", "AS 5H", "AS 6H"), "HHHHHHHHHH"),
        (("AS 7H",), "SSSSSSSHHH"),
        (("AS 8H", "AS 9H"), "SSSSSSSSSS"),
        (("AS AH",), "PPPPPPPPPH"),
        (("2S 2H", "3S 3H", "7S 7H"), "PPPPPPHHHH"),
        (("6S 6H",), "PPPPPHHHHH"),
        (("8S 8H",), "PPPPPPPPHH"),
        (("9S 9H",), "PPPPPSPPSS"),
    ],
)
def test_the_chart_of_the_default_rules(hands: tuple[str, ...], letters: str) -> None:
    for hand in hands:
        assert row(hand) == letters, hand


@pytest.mark.parametrize(
    ("hand", "upcard", "choice"),
    [
        ("8S 8H", "6D", Choice.STAND),  # hard 16
        ("AS AH", "6D", Choice.HIT),  # soft 12
        ("2S 2H", "6D", Choice.HIT),  # hard 4
        ("9S 9H", "6D", Choice.STAND),
        ("5S 6H", "6D", Choice.HIT),  # a double that is not legal
        ("2S 3H 6D", "6D", Choice.HIT),
        ("10S 5H 6D", "6D", Choice.STAND),  # 21, if it is ever asked
    ],
)
def test_without_credit_the_total_decides(hand: str, upcard: str, choice: Choice) -> None:
    assert advise(default_chart(), Rules(), cards(hand), cards(upcard)[0], HIT_STAND) is choice


def chart(**rows: str) -> Chart:
    """The default chart with some rows exchanged: ``chart(soft_18="DDDDDDDDDD")``."""
    base = default_chart()
    tables: dict[str, object] = {
        "name": "changed",
        "hard": {str(number + 4): row for number, row in enumerate(base.hard)},
        "soft": {str(number + 12): row for number, row in enumerate(base.soft)},
        "pairs": {rank: row for rank, row in zip(SPLIT_RANKS, base.pairs, strict=True) if row},
    }
    for key, letters in rows.items():
        table, line = key.split("_")
        tables[table] = {**tables[table], line: letters}  # type: ignore[dict-item]
    return Chart.parse(tables)


def test_a_double_that_is_not_legal_hits_a_weak_hand_and_stands_on_a_good_one() -> None:
    doubles = chart(soft_17="D" * 10, soft_18="D" * 10, hard_16="D" * 10, hard_17="D" * 10)
    six = cards("6D")[0]
    hands = ("AS 6H", "AS 7H", "10S 6H", "10S 7H")
    assert [advise(doubles, Rules(), cards(hand), six, ALL) for hand in hands] == [Choice.DOUBLE] * 4
    assert [advise(doubles, Rules(), cards(hand), six, HIT_STAND) for hand in hands] == [
        Choice.HIT, Choice.STAND, Choice.HIT, Choice.STAND,
    ]  # fmt: skip


def test_tens_are_a_pair_where_the_house_splits_them() -> None:
    tens = chart(pairs_10="PPPPPPPPPP")
    six = cards("6D")[0]
    assert advise(tens, Rules(splittable=("10",)), cards("KS QH"), six, ALL) is Choice.SPLIT
    assert advise(tens, Rules(), cards("KS QH"), six, HIT_STAND) is Choice.STAND


def test_a_row_of_a_pair_may_say_something_else_than_its_total() -> None:
    eights = chart(pairs_8="S" * 10)
    assert advise(eights, Rules(), cards("8S 8H"), cards("10D")[0], ALL) is Choice.STAND


def test_a_chart_with_faults_is_refused_with_all_of_them() -> None:
    good = "H" * 10
    with pytest.raises(ChartError) as refused:
        Chart.parse(
            {
                "title": "x",
                "hard": {str(total): good for total in range(4, 20)} | {"21": good},
                "soft": {str(total): good for total in range(12, 20)} | {"20": "HHHH"},
                "pairs": {"K": good, "8": "X" * 10, "9": ""},
            }
        )
    assert [problem.key for problem in refused.value.problems] == [
        "title", "name", "hard.21", "hard.20", "soft.20", "pairs.K", "pairs.8", "pairs.9",
    ]  # fmt: skip
    found = {problem.key: problem.found for problem in refused.value.problems}
    assert found["hard.20"] == "nothing"
    assert found["soft.20"] == '"HHHH"'


def test_a_split_letter_belongs_to_pairs_only() -> None:
    with pytest.raises(ChartError, match=r"hard\.16"):
        chart(hard_16="P" * 10)


@pytest.mark.parametrize("table", ["hard", "soft", "pairs"])
def test_a_table_that_is_missing_or_no_table_is_named(table: str) -> None:
    with pytest.raises(ChartError) as refused:
        Chart.parse({"name": "x", table: 5})
    assert {"hard", "soft", "pairs"} == {problem.key for problem in refused.value.problems}


def test_a_row_that_is_no_text_is_refused() -> None:
    with pytest.raises(ChartError, match=r"pairs\.8"):
        chart(pairs_8=8)  # type: ignore[arg-type]


def test_the_chart_splits_and_doubles_as_often_as_exact_counting_says() -> None:
    """Exact, for six decks: 2.18011 % of rounds with a split, 7.04716 % with a double, 1.092813 bets a
    round, house edge 0.666675 % with a standard deviation of 1.103265. Within four standard errors."""
    rules, strategy, dice = Rules(), default_chart(), random.Random(20)
    rounds, splits, doubles, staked, won = 20_000, 0, 0, 0, 0
    for _ in range(rounds):
        order = iter(dice.sample(range(312), 40))
        state = Round.open(rules, {1: 1000})
        while state.phase != "finished":
            if isinstance(state.needs(), NeedDecisions):
                hand = state.hands[state.active].cards
                state = state.decide(1, advise(strategy, rules, hand, state.dealer[0], state.legal(1)))
            else:
                state = state.deal(next(order))
        splits += len(state.hands) > 1
        doubles += any(play.doubled for hand in state.hands for play in hand.plays)
        staked += state.stakes(1)
        won += settle(state).net_cents(1)
    assert abs(splits / rounds - 0.0218011) < 4 * (0.0218 * 0.9782 / rounds) ** 0.5
    assert abs(doubles / rounds - 0.0704716) < 4 * (0.0705 * 0.9295 / rounds) ** 0.5
    assert abs(staked / rounds / 1000 - 1.092813) < 4 * 0.31 / rounds**0.5
    assert abs(won / rounds / 1000 + 0.00666675) < 4 * 1.103265 / rounds**0.5
