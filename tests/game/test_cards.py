"""Cards are numbers that know their face."""

from __future__ import annotations

import pytest

from game import cards
from game.cards import CARD_LIMIT, deck, parse, points, rank, same_rank, suit, text


def test_the_first_deck_runs_through_spades_hearts_diamonds_clubs() -> None:
    assert [text(card) for card in (0, 12, 13, 26, 39, 51)] == ["AS", "KS", "AH", "AD", "AC", "KC"]


def test_the_last_card_of_eight_decks_is_a_king_of_clubs_of_deck_7() -> None:
    last = CARD_LIMIT - 1
    assert last == 415
    assert (rank(last), suit(last), deck(last)) == ("K", "C", 7)


def test_a_face_has_rank_suit_and_points() -> None:
    ten = parse("10H")
    assert (rank(ten), suit(ten), points(ten), text(ten)) == ("10", "H", 10, "10H")
    assert [points(parse(face)) for face in ("AS", "2S", "9S", "JS", "QS", "KS")] == [1, 2, 9, 10, 10, 10]


def test_every_card_of_every_deck_reads_back_from_its_face() -> None:
    for card in range(CARD_LIMIT):
        assert parse(text(card), deck(card)) == card


def test_faces_may_be_lower_case_and_have_space_around() -> None:
    assert parse(" qd ") == parse("QD")
    assert parse("10h", 3) == 3 * 52 + parse("10H")


@pytest.mark.parametrize("face", ["", "1H", "11H", "10", "H", "TH", "H10", "10 H", "ASS"])
def test_what_is_no_face_is_refused_with_what_is_allowed(face: str) -> None:
    with pytest.raises(ValueError, match=r"is no card: a rank .A 2 .* and a suit"):
        parse(face)


@pytest.mark.parametrize("number", [-1, 8])
def test_there_are_decks_0_to_7(number: int) -> None:
    with pytest.raises(ValueError, match="deck"):
        parse("AS", number)


@pytest.mark.parametrize("name", ["rank", "suit", "deck", "text", "points"])
@pytest.mark.parametrize("card", [-1, CARD_LIMIT])
def test_a_number_outside_the_decks_is_no_card(name: str, card: int) -> None:
    with pytest.raises(ValueError, match="is no card"):
        getattr(cards, name)(card)


def test_rank_is_what_is_printed_not_what_it_counts() -> None:
    assert same_rank(parse("8S"), parse("8D", 5))
    assert not same_rank(parse("QS"), parse("KS"))
