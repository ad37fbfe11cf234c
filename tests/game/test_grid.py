"""The Blackjack Grid at every moment of a round."""

from __future__ import annotations

import pytest

from game.grid import CellState, Grid, RowKind, Word, grid
from game.round import Choice, HandStatus, Round
from game.rules import Rules, Takes
from game.settle import Outcome
from support.evenings.rounds import Story, cards

SEATS = range(1, 8)


def states(view: Grid, hand: int = 0) -> list[str]:
    return [cell.state.value for cell in view.rows[hand].cells]


def marks(view: Grid, hand: int = 0) -> list[str]:
    return [cell.mark for cell in view.rows[hand].cells]


def words(view: Grid, line: int) -> list[str]:
    return [word.value for word in view.lines[line].words]


def test_before_the_first_decision_seats_are_in_or_empty() -> None:
    state = Round.open(Rules(), {1: 500, 3: 500})
    view = grid(state, (1, 2, 3))
    assert view.seats == (1, 2, 3)
    assert states(view) == ["in", "empty", "in"]
    assert marks(view) == ["...", "", "..."]
    assert view.lines == ()
    assert view.rows[0].total == 0
    assert grid(state).seats == (1, 3)


def test_a_table_in_the_middle_of_a_decision() -> None:
    """Seats 2 and 6 are finished on 11; 1 and 4 have spoken on 16, 3 and 5 have not, 7 is free."""
    story = Story("7C 4H | 10S | 5D", bets=dict.fromkeys(range(1, 7), 1000))
    story.say({1: "hit", 2: "double", 3: "hit", 4: "hit", 5: "hit", 6: "time"})
    story.say({1: "hit", 4: "stand"})
    view = grid(story.round, SEATS)
    assert len(view.rows) == 1
    row = view.rows[0]
    assert (row.kind, row.hand, row.status, row.active) == (RowKind.HAND, 0, HandStatus.PLAYING, True)
    assert (row.total, row.soft, row.continued) == (16, False, None)
    assert states(view) == ["hit", "doubled", "turn", "stand", "turn", "time", "empty"]
    assert [cell.total for cell in row.cells] == [None, 16, None, 16, None, 11, None]
    assert marks(view) == ["HIT", "16 D", "?", "16", "?", "11 T", ""]
    assert [cell.doubled for cell in row.cells] == [False, True, False, False, False, False, False]
    assert [line.title for line in view.lines] == ["11", "16"]
    assert words(view, 0) == ["hit", "double", "hit", "hit", "hit", "time", "none"]
    assert words(view, 1) == ["hit", "none", "open", "stand", "open", "none", "none"]


def test_a_stand_becomes_final_for_the_eye_when_the_decision_closes() -> None:
    story = Story("10S 2H | 6D | 3D", bets={1: 500, 2: 500}).say({1: "stand"})
    assert states(grid(story.round)) == ["stand", "turn"]
    story.say({2: "hit"})
    assert states(grid(story.round)) == ["stood", "turn"]


def test_a_double_waits_for_its_card_and_a_split_for_the_others() -> None:
    story = Story("5S 5D | 6H", bets={1: 500, 2: 500, 3: 500}, rules=Rules(splittable=("5",)))
    story.say({1: "double", 2: "split"})
    view = grid(story.round)
    assert states(view) == ["double", "split", "turn"]
    assert marks(view) == ["DOUBLE", "SPLIT", "?"]
    assert [cell.total for cell in view.rows[0].cells] == [None, None, None]
    assert view.cell(0, 1).doubled
    assert words(view, 0) == ["double", "split", "open"]


def test_the_lines_say_soft() -> None:
    bets = dict.fromkeys(SEATS, 500)
    story = Story("AD 2C | 8D | 4S | 9H | AC | 2S AH KD | 10D", bets=bets)
    story.say(dict.fromkeys(SEATS, "hit"))
    story.say({1: "hit", 2: "stand", 3: "hit", 4: "hit", 5: "hit", 6: "hit", 7: "stand"})
    story.say({1: "hit", 3: "stand", 4: "hit", 5: "hit", 6: "time"})
    story.say({1: "stand", 4: "stand", 5: "stand"})
    view = grid(story.round, SEATS)
    assert [line.title for line in view.lines] == ["SOFT 13", "SOFT 17", "16", "17"]
    assert words(view, 2) == ["hit", "none", "stand", "hit", "hit", "time", "none"]
    assert words(view, 3) == ["stand", "none", "none", "stand", "stand", "none", "none"]
    assert marks(view) == ["17", "17", "16", "17", "17", "16 T", "17"]
    assert (view.rows[0].total, view.rows[0].continued) == (17, 30)


def test_bust_and_twenty_one_show_at_once_and_their_results_later() -> None:
    story = Story("10S 5H | 6D | 6C | 10H 2C", bets={1: 500, 2: 500}).say({1: "hit", 2: "stand"})
    assert states(grid(story.round)) == ["twenty_one", "stood"]
    assert [cell.result for cell in grid(story.round).rows[0].cells] == [Outcome.WIN, Outcome.LOSE]

    bust = Story("10S 4H | 6D", bets={1: 500, 2: 500}).round
    bust = bust.decide(1, Choice.HIT).decide(2, Choice.STAND).deal(cards("KD")[0])
    view = grid(bust)
    assert states(view) == ["bust", "stood"]
    assert [cell.total for cell in view.rows[0].cells] == [24, 14]
    assert marks(view) == ["BUST", "14"]
    assert [cell.result for cell in view.rows[0].cells] == [None, None], "the dealer has not drawn"


def test_a_bust_double_is_a_bust_of_two_bets() -> None:
    story = Story("10S 4H | 6D | KD", rules=Rules(double_totals="any")).say({1: "double"})
    cell = grid(story.round).cell(0, 1)
    assert (cell.state, cell.mark, cell.doubled, cell.total) == (CellState.BUST, "BUST", True, 24)
    assert cell.result is Outcome.BUST


def test_a_blackjack() -> None:
    waiting = Round.open(Rules(), {1: 500, 4: 500})
    for card in cards("AS KS"):
        waiting = waiting.deal(card)
    assert states(grid(waiting)) == ["in", "in"]
    story = Story("AS KS | 6D", bets={1: 500, 4: 500})
    view = grid(story.round)
    assert states(view) == ["bj", "bj"]
    assert marks(view) == ["BJ", "BJ"]
    assert [cell.result for cell in view.rows[0].cells] == [Outcome.BLACKJACK] * 2
    assert view.lines == ()


def test_three_rows_when_some_split() -> None:
    story = Story(
        "8S 8D | 6H | 3C | AD 4H | 3D | 9C | KC | 10C | 7S | 2S 10D",
        bets={1: 2000, 2: 1000, 3: 2500, 4: 5000, 5: 1500},
    )
    story.say({1: "split", 2: "stand", 3: "split", 4: "hit", 5: "split"}).say({4: "stand"}).say({3: "double"})
    view = grid(story.round)
    assert [row.kind for row in view.rows] == [RowKind.PAIR, RowKind.SPLIT_1, RowKind.SPLIT_2]
    assert [row.status for row in view.rows] == [HandStatus.DONE, HandStatus.PLAYING, HandStatus.WAITING]
    assert [row.active for row in view.rows] == [False, True, False]
    assert states(view, 0) == ["empty", "stood", "empty", "stood", "empty"]
    assert (view.rows[0].total, view.rows[0].continued) == (19, 24)
    assert states(view, 1) == ["turn", "empty", "double", "empty", "turn"]
    assert states(view, 2) == ["wait", "empty", "wait", "empty", "wait"]
    assert [(line.hand, line.title) for line in view.lines] == [(0, "16"), (0, "19"), (1, "11")]
    assert words(view, 0) == ["split", "stand", "split", "hit", "split"]
    assert words(view, 2) == ["open", "none", "double", "none", "open"]

    story.say({1: "hit", 5: "hit"}).say({1: "stand", 5: "stand"}).say({1: "stand", 3: "stand", 5: "hit"})
    view = grid(story.round)
    assert marks(view, 0) == ["", "16", "", "19", ""]
    assert marks(view, 1) == ["20", "", "20 D", "", "20"]
    assert marks(view, 2) == ["18", "", "18", "", "BUST"]
    assert [row.continued for row in view.rows] == [24, 30, None]
    results = [[cell.result.value if cell.result else "" for cell in row.cells] for row in view.rows]
    assert results == [
        ["", "lose", "", "win", ""],
        ["win", "", "win", "", "win"],
        ["push", "", "push", "", "bust"],
    ]


def test_all_split_leaves_the_row_of_the_pair_empty() -> None:
    story = Story("8S 8D | 6H | 3C", bets={1: 500, 2: 500}).say({1: "split", 2: "split"})
    view = grid(story.round)
    assert [row.empty for row in view.rows] == [True, False, False]


def test_a_split_hand_waits_while_its_second_card_falls() -> None:
    state = Story("8S 8D | 6H").round.decide(1, Choice.SPLIT)
    assert [states(grid(state), hand) for hand in range(3)] == [["empty"], ["wait"], ["wait"]]


def test_split_aces() -> None:
    story = Story("AS AD | 6H | KC | 5H | 10D 3H").say({1: "split"})
    view = grid(story.round)
    assert [marks(view, hand) for hand in (1, 2)] == [["21"], ["16"]]
    assert states(view, 1) == ["one_card"]
    assert [(line.title, line.words) for line in view.lines] == [("SOFT 12", (Word.SPLIT,))]


def test_a_bet_that_comes_back_from_a_bust_hand_is_a_push() -> None:
    rules = Rules(dealer_blackjack_takes=Takes.ORIGINAL)
    story = Story("8S 8D | KH | 6C KC | 5C KD | AH", rules=rules)
    story.say({1: "split"}).say({1: "hit"}).say({1: "hit"})
    view = grid(story.round)
    assert [view.cell(hand, 1).state for hand in (1, 2)] == [CellState.BUST, CellState.BUST]
    assert [view.cell(hand, 1).result for hand in (1, 2)] == [Outcome.BUST, Outcome.PUSH]


def test_a_cell_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        grid(Round.open(Rules(), {1: 500})).cell(0, 2)
