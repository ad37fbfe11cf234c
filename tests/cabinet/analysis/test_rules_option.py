"""Which rule set a command is asked about, and how a wrong one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cabinet.analysis.rules_option import load_rules, title
from cabinet.config import shipped_folder
from game.rules import Rules

STANDARD = shipped_folder() / "rules" / "standard.toml"


def refusal(capsys: pytest.CaptureFixture[str], file: str | Path, *sets: str) -> str:
    with pytest.raises(SystemExit) as ended:
        load_rules(file, sets)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    [line] = said.err.splitlines()
    return line


def test_a_file_and_its_short_name_are_the_same_rule_set() -> None:
    assert load_rules(STANDARD) == load_rules("standard") == Rules()


def test_a_key_is_overridden_by_a_toml_value() -> None:
    rules = load_rules("standard", ["decks=8", 'splittable=["A", "8"]', "dealer_hits_soft_17 = true"])
    assert (rules.decks, rules.splittable, rules.dealer_hits_soft_17) == (8, ("A", "8"), True)


def test_a_bare_word_needs_no_quotes() -> None:
    rules = load_rules("standard", ["blackjack_pays=6:5", "double_totals=any"])
    assert (rules.blackjack_pays, rules.double_totals) == ("6:5", "any")
    assert load_rules("standard", ['blackjack_pays="6:5"']).blackjack_pays == "6:5"


def test_the_last_override_of_a_key_counts() -> None:
    assert load_rules("standard", ["decks=2", "decks=1"]).decks == 1


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("dekcs=6", "--set dekcs: found 6; allowed: no such key; known: decks"),
        ("decks=0", "--set decks: found 0; allowed: a whole number, 1 to 8"),
        ("decks=", '--set decks: found ""'),
        ("decks=6\nbet_seconds=5", "--set decks: found"),
        ("blackjack_pays=3:7", "min_bet_cents: found 500"),
        ("blackjack_pays=3-2", "--set blackjack_pays"),
        ('splittable=["A"', "--set splittable"),
        ("decks", "--set decks: found no KEY=VALUE"),
        ("=6", "--set =6: found no KEY=VALUE"),
    ],
)
def test_a_wrong_override_is_one_clear_line(
    capsys: pytest.CaptureFixture[str], override: str, words: str
) -> None:
    assert words in refusal(capsys, "standard", override)


def test_a_payout_that_cannot_be_exact_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    line = refusal(capsys, "standard", "bet_step_cents=25", "min_bet_cents=25", "max_bet_cents=100")
    assert "which is not whole" in line
    assert "(also refused: bet_step_cents)" in line


def test_a_missing_file_names_what_there_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    line = refusal(capsys, tmp_path / "none.toml")
    assert "none.toml: found not there" in line
    assert "standard" in line
    assert "found a folder" in refusal(capsys, tmp_path)


def test_a_file_that_is_no_toml_says_where(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("decks = six\n")
    assert "broken.toml: found no TOML" in refusal(capsys, broken)
    broken.write_bytes(b"decks = 6 # \xff")
    assert "broken.toml: found no text" in refusal(capsys, broken)


def test_a_problem_of_the_file_names_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text("decks = 9\n")
    assert refusal(capsys, file).startswith(f"cabinet: {file}: decks: found 9")


def test_the_title_says_what_differs() -> None:
    assert title(STANDARD) == "standard"
    assert title("standard", ["decks=8"]) == "standard, decks = 8"
