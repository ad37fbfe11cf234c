"""A rule set is refused as a whole, with every reason."""

from __future__ import annotations

import tomllib
from dataclasses import fields, replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.rules import RuleProblem, Rules, RulesError, Shuffle, Takes, longest_round_cards
from support.evenings.rounds import cards


def problems(**keys: object) -> dict[str, RuleProblem]:
    with pytest.raises(RulesError) as refused:
        Rules.parse(keys)
    return {problem.key: problem for problem in refused.value.problems}


def test_the_defaults_are_the_house_rules_and_pass_their_own_check() -> None:
    assert Rules.parse({}) == Rules()
    assert Rules.parse(
        {
            "decks": 6,
            "shuffle": "every_round",
            "penetration": 0.75,
            "dealer_hits_soft_17": False,
            "blackjack_pays": "3:2",
            "double_totals": [9, 10, 11],
            "double_after_split": True,
            "splittable": ["A", "2", "3", "6", "7", "8", "9"],
            "dealer_blackjack_takes": "all",
            "min_bet_cents": 500,
            "max_bet_cents": 20000,
            "bet_step_cents": 500,
            "bet_seconds": 15,
            "decide_seconds": 12,
            "one_seat_seconds": 300,
        }
    ) == Rules()  # fmt: skip


def test_every_key_can_be_changed() -> None:
    rules = Rules.parse(
        {
            "decks": 2,
            "shuffle": "cut_card",
            "penetration": 0.5,
            "dealer_hits_soft_17": True,
            "blackjack_pays": "6:5",
            "double_totals": "any",
            "double_after_split": False,
            "splittable": ["10", "A"],
            "dealer_blackjack_takes": "original",
            "min_bet_cents": 25,
            "max_bet_cents": 1000,
            "bet_step_cents": 25,
            "bet_seconds": 20,
            "decide_seconds": 30,
            "one_seat_seconds": 60,
        }
    )
    assert all(getattr(rules, field.name) != getattr(Rules(), field.name) for field in fields(Rules))
    assert rules.shuffle is Shuffle.CUT_CARD
    assert rules.dealer_blackjack_takes is Takes.ORIGINAL
    assert rules.splittable == ("A", "10"), "in one order, so that equal rules have an equal hash"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("decks", 0),
        ("decks", 9),
        ("decks", True),
        ("decks", "6"),
        ("decks", 6.0),
        ("shuffle", "sometimes"),
        ("penetration", 0),
        ("penetration", 1.01),
        ("penetration", float("nan")),
        ("penetration", True),
        ("penetration", "0.5"),
        ("dealer_hits_soft_17", 1),
        ("blackjack_pays", "3/2"),
        ("blackjack_pays", "0:1"),
        ("blackjack_pays", "3:2:1"),
        ("blackjack_pays", "03:2"),
        ("blackjack_pays", "100:1"),
        ("blackjack_pays", 1.5),
        ("double_totals", "all"),
        ("double_totals", 9),
        ("double_totals", [9, 9]),
        ("double_totals", [3]),
        ("double_totals", [21]),
        ("double_totals", ["9"]),
        ("double_after_split", "yes"),
        ("splittable", "A"),
        ("splittable", ["K"]),
        ("splittable", [8]),
        ("splittable", ["8", "8"]),
        ("dealer_blackjack_takes", "none"),
        ("min_bet_cents", 0),
        ("min_bet_cents", 5.0),
        ("max_bet_cents", 10_000_001),
        ("bet_step_cents", -500),
        ("bet_seconds", 4),
        ("decide_seconds", 121),
        ("one_seat_seconds", 29),
    ],
)
def test_a_bad_value_is_refused_with_what_was_found_and_what_is_allowed(key: str, value: object) -> None:
    problem = problems(**{key: value})[key]
    assert problem.found == (
        "true" if value is True else f'"{value}"' if isinstance(value, str) else problem.found
    )
    assert problem.allowed
    assert str(problem) == f"{key}: found {problem.found}; allowed: {problem.allowed}"


def test_found_is_shown_as_it_would_be_written() -> None:
    assert problems(splittable=["K", "A"])["splittable"].found == '["K", "A"]'
    assert problems(decks=True)["decks"].found == "true"
    assert problems(double_after_split=0)["double_after_split"].found == "0"


def test_all_problems_come_at_once_in_the_order_of_the_keys() -> None:
    with pytest.raises(RulesError) as refused:
        Rules.parse({"surrender": True, "bet_seconds": 0, "decks": 12, "blackjack_pays": "lots"})
    assert [problem.key for problem in refused.value.problems] == [
        "decks", "blackjack_pays", "bet_seconds", "surrender",
    ]  # fmt: skip
    assert len(str(refused.value).splitlines()) == 4


def test_an_unknown_key_names_the_known_ones() -> None:
    problem = problems(deck=6)["deck"]
    assert problem.found == "6"
    assert "no such key" in problem.allowed
    assert "decks" in problem.allowed


# ---- money


@pytest.mark.requirement("CRD-12")
def test_steps_that_cannot_pay_a_blackjack_in_whole_cents_are_refused_with_the_reason() -> None:
    found = problems(min_bet_cents=5, max_bet_cents=105, bet_step_cents=25)
    assert set(found) == {"min_bet_cents", "bet_step_cents"}
    assert "a blackjack on 25 pays 25 x 3 / 2 cents, which is not whole" in found["bet_step_cents"].allowed
    assert set(problems(blackjack_pays="6:5", min_bet_cents=503, max_bet_cents=1003)) == {"min_bet_cents"}


def test_the_highest_bet_is_the_lowest_plus_whole_steps() -> None:
    assert set(problems(max_bet_cents=400)) == {"max_bet_cents"}
    assert set(problems(min_bet_cents=500, max_bet_cents=1200, bet_step_cents=500)) == {"max_bet_cents"}
    assert Rules.parse({"max_bet_cents": 500}).is_bet(500)


def test_a_conflict_of_keys_is_not_reported_on_top_of_a_bad_key() -> None:
    assert set(problems(min_bet_cents=-1, max_bet_cents=1)) == {"min_bet_cents"}
    assert set(problems(blackjack_pays="x", bet_step_cents=1)) == {"blackjack_pays"}


@pytest.mark.requirement("CRD-12")
@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 40), st.integers(1, 40), st.integers(0, 20))
def test_whatever_is_accepted_pays_exactly(win: int, stake: int, lowest: int, step: int, steps: int) -> None:
    highest = lowest + steps * step
    keys = {"min_bet_cents": lowest, "max_bet_cents": highest, "bet_step_cents": step}
    try:
        rules = Rules.parse({"blackjack_pays": f"{win}:{stake}", **keys})
    except RulesError:
        assert lowest * win % stake or step * win % stake
        return
    for bet_cents in range(lowest, highest + 1, step):
        assert rules.is_bet(bet_cents)
        assert rules.blackjack_win_cents(bet_cents) == Fraction(bet_cents * win, stake)


def test_bets_lie_on_the_steps_within_the_limits() -> None:
    rules = Rules()
    assert [cents for cents in range(0, 2100, 100) if rules.is_bet(cents)] == [500, 1000, 1500, 2000]
    assert rules.is_bet(20_000)
    assert not rules.is_bet(20_500)


# ---- the cut card


def test_the_longest_round_of_every_shoe() -> None:
    assert [longest_round_cards(decks) for decks in range(1, 9)] == [26, 35, 41, 45, 49, 53, 56, 58]


@pytest.mark.parametrize("decks", range(1, 9))
def test_a_cut_card_leaves_the_longest_round_behind_it(decks: int) -> None:
    shoe, needed = decks * 52, longest_round_cards(decks)
    deep = (shoe - needed) / shoe - 1e-9
    just = Rules.parse({"decks": decks, "shuffle": "cut_card", "penetration": deep})
    assert just.cards_behind >= needed
    too_deep = (shoe - needed + 1) / shoe + 1e-9
    problem = problems(decks=decks, shuffle="cut_card", penetration=too_deep)["penetration"]
    assert f"at least {needed} of {shoe} cards" in problem.allowed


def test_without_a_cut_card_the_penetration_is_not_looked_at() -> None:
    assert Rules.parse({"decks": 1, "penetration": 1}).must_shuffle(cards_left=52)


def test_the_shoe_is_shuffled_when_the_cut_card_has_come() -> None:
    rules = Rules.parse({"shuffle": "cut_card", "penetration": 0.75})
    assert rules.cards_behind == 78
    assert not rules.must_shuffle(cards_left=79)
    assert rules.must_shuffle(cards_left=78)


def test_a_broken_card_stays_behind() -> None:
    assert Rules(decks=5, penetration=0.7).cards_behind == 78
    assert Rules(decks=5, penetration=0.701).cards_behind == 78
    assert Rules(decks=5, penetration=0.6999).cards_behind == 79


# ---- choices


def test_a_double_needs_a_hard_total_on_the_list() -> None:
    rules = Rules()
    doubled = [second + 4 for second in range(2, 11) if rules.may_double(cards(f"4S {second}H"), False)]
    assert doubled == [9, 10, 11]
    assert not rules.may_double(cards("AS 8H"), False), "soft 19"
    assert not rules.may_double(cards("2S 3H 4D"), False), "three cards"
    assert not Rules(double_totals=(12,)).may_double(cards("AS AH"), False), "soft 12"
    assert Rules(double_totals=(12,)).may_double(cards("10S 2H"), False)


def test_any_two_cards_means_soft_ones_too() -> None:
    rules = Rules(double_totals="any")
    assert rules.may_double(cards("AS 8H"), False)
    assert rules.may_double(cards("10S KH"), False)
    assert not rules.may_double(cards("2S 3H 4D"), False)


def test_doubling_after_a_split_is_a_rule_of_its_own() -> None:
    assert Rules().may_double(cards("8S 3H"), after_split=True)
    assert not Rules(double_after_split=False).may_double(cards("8S 3H"), after_split=True)
    assert Rules(double_after_split=False).may_double(cards("8S 3H"), after_split=False)


def test_pairs_are_split_by_rank_and_tens_by_value() -> None:
    rules = Rules()
    assert rules.may_split(cards("8S 8H"))
    assert rules.may_split(cards("AS AH"))
    assert not rules.may_split(cards("8S 9H"))
    assert not rules.may_split(cards("5S 5H"))
    assert not rules.may_split(cards("KS KH"))
    assert not rules.may_split(cards("8S 8H 8D"))
    tens = Rules(splittable=("10",))
    assert tens.may_split(cards("KS QH"))
    assert tens.may_split(cards("10S 10H"))


# ---- identity


def test_equal_rules_have_one_text_and_one_hash() -> None:
    text = Rules().canonical()
    assert text.splitlines()[0] == "decks = 6"
    assert 'splittable = ["A", "2", "3", "6", "7", "8", "9"]' in text
    assert "dealer_hits_soft_17 = false" in text
    assert len(Rules().rules_hash) == 64
    assert Rules.parse({"splittable": ["9", "A", "2", "3", "6", "7", "8"]}).rules_hash == Rules().rules_hash


def test_the_text_of_a_rule_set_is_a_file_that_parses_to_it() -> None:
    for rules in (Rules(), Rules(double_totals="any", splittable=(), shuffle=Shuffle.CUT_CARD)):
        assert Rules.parse(tomllib.loads(rules.canonical())) == rules


def test_any_change_changes_the_hash() -> None:
    changed = [
        replace(Rules(), decks=8),
        replace(Rules(), dealer_hits_soft_17=True),
        replace(Rules(), double_totals="any"),
        replace(Rules(), one_seat_seconds=301),
    ]
    assert len({rules.rules_hash for rules in (*changed, Rules())}) == 5
