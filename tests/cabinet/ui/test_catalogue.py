"""All player texts: complete, consistent, well formatted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cabinet.ui
from cabinet.core.conditions import TABLE, Lock
from cabinet.core.look import Button, Message, SeatState, TablePhase
from cabinet.core.view.sight import KEYS
from cabinet.ui.catalogue import Catalogue, CatalogueError
from game.grid import RowKind, Word

LOCKS = {"unknown", *(row.code for row in TABLE if row.lock is Lock.PLAY and row.code not in KEYS)}


@pytest.fixture(scope="module")
def book() -> Catalogue:
    return Catalogue()


def test_an_unknown_key_is_an_error_in_the_lab_and_a_mark_in_the_field(book: Catalogue) -> None:
    with pytest.raises(CatalogueError):
        book.text(Message("head.fortune"))
    assert Catalogue(strict=False).text(Message("head.fortune")) == "?head.fortune"


def test_a_missing_argument_is_an_error_too(book: Catalogue) -> None:
    with pytest.raises(CatalogueError):
        book.text(Message("head.bust"))
    assert Catalogue(strict=False).text(Message("head.bust")) == "?head.bust"


def test_the_short_form_needs_no_argument_that_the_long_one_has_not(book: Catalogue) -> None:
    for key in list(book.keys()):
        long, short = (set(re.findall(r"\{(\w+)", form)) for form in book._forms(key))
        assert short <= long, key


def test_short_forms_are_not_longer(book: Catalogue) -> None:
    for key in list(book.keys()):
        long, short = (re.sub(r":\w+\}", "}", form) for form in book._forms(key))
        assert len(short) <= len(long), key


def test_every_lock_of_the_table_says_what_is_and_whom_to_call_and_no_other_has_words(
    book: Catalogue,
) -> None:
    words = {key for key in book.keys() if key.startswith("lock.") and key.count(".") == 2}  # noqa: SIM118
    assert words == {f"lock.{code}.{part}" for code in LOCKS for part in ("title", "text", "call")}


def test_every_button_phase_row_and_choice_has_its_word(book: Catalogue) -> None:
    keys = set(book.keys())
    assert {f"lamp.{button.value}" for button in Button} <= keys
    assert {f"phase.{phase.value}" for phase in TablePhase} <= keys
    assert {f"caption.{kind.value}" for kind in RowKind} <= keys
    assert {f"cell.{word.value}" for word in Word if word not in (Word.NONE, Word.OPEN)} <= keys
    assert len(SeatState) == 21


def test_the_screen_names_only_keys_that_exist(book: Catalogue) -> None:
    """Literals of the form "section.name" in the drawing code."""
    keys = set(book.keys())
    sections = {key.split(".")[0] for key in keys}
    folder = Path(cabinet.ui.__file__).parent
    found = 0
    for path in folder.rglob("*.py"):
        for name in re.findall(r'"((?:[a-z]+)\.[a-z0-9_.]+)"', path.read_text(encoding="utf-8")):
            if name.split(".")[0] in sections and not name.endswith(".svg"):
                found += 1
                assert name in keys, f"{path.name}: {name}"
    assert found > 60


def test_money_is_exact_and_has_the_true_minus(book: Catalogue) -> None:
    assert book.money(2500) == "$25.00"
    assert book.money(123_450) == "$1,234.50"
    assert book.money(9_999_999_999_99) == "$9,999,999,999.99"
    assert book.money(-1000) == "\N{MINUS SIGN}$10.00"
    assert book.money(5000, False, True) == "+$50.00"
    assert book.money(0, False, True) == "$0.00"
    assert book.money(500, True) == "$5"
    assert book.money(550, True) == "$5.50"


def test_seats_are_listed_as_spoken(book: Catalogue) -> None:
    def waiting(*seats: int) -> str:
        return book.text(Message("seat.waiting_for", (("seats", seats),))).split("\n")[1]

    assert waiting(3) == "seat 3"
    assert waiting(3, 5) == "seats 3 and 5"
    assert waiting(1, 3, 5) == "seats 1, 3 and 5"
    assert book.seats((1, 2, 3, 4, 6), "C") == "seats 1\N{EN DASH}4, 6"
    assert book.seats((1, 2, 4), "c") == "1, 2, 4"
    assert book.seats((4,), "S") == "Seat 4"


def test_decks_are_counted_in_words(book: Catalogue) -> None:
    notes = [book.word("shoe.new_shuffle", decks=decks) for decks in (1, 6)]
    assert notes == ["One deck,\nnew shuffle", "Six decks,\nnew shuffle"]


def test_verbs_and_nouns_follow_the_number(book: Catalogue) -> None:
    one = Message("story.pair_some_split", (("rank", 1), ("splitters", (1,)), ("keepers", (2, 4))))
    assert book.text(one) == (
        "Pair of aces. Seat 1 splits,\nseats 2 and 4 keep it together.\nThree hands, one after another."
    )
    assert book.text(Message("line.seats_to_go", (("count", 1),))) == "1 seat\nto go"
    assert book.text(Message("line.seats_to_go", (("count", 2),))) == "2 seats\nto go"


def test_times_are_those_of_the_wall_clock_given(book: Catalogue) -> None:
    wall = ((21 * 60 + 47) * 60 + 5) * 1000
    assert book.hours_minutes(wall) == "21:47"
    assert book.hours_minutes_seconds(wall) == "21:47:05"


def test_no_text_flatters_hurries_or_blames(book: Catalogue) -> None:
    for key in list(book.keys()):
        for form in book._forms(key):
            assert "!" not in form, key
            assert not re.search(r"\b(luck|lucky|almost|hurry|sorry|congrat)", form, re.IGNORECASE), key


def test_a_file_with_a_wrong_entry_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xx.toml").write_text('[head]\nfree = "FREE"\n', encoding="utf-8")
    monkeypatch.setattr("cabinet.ui.catalogue.FOLDER", tmp_path)
    with pytest.raises(CatalogueError, match=r"head\.free"):
        Catalogue("xx")


def test_the_money_cache_is_bounded(book: Catalogue) -> None:
    for cents in range(2000):
        book.money(cents)
    info = book.money.cache_info()
    assert info.maxsize is not None
    assert info.currsize <= info.maxsize
