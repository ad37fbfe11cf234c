"""Moments of rounds: bets, decisions, splits, continuation cards, the dealer, results."""

from __future__ import annotations

from cabinet.core.look import TablePhase
from cabinet.lab.moments.stage import SEVEN, Stage, Story

TABLE = "table5"
FIVE = {1: 100, 2: 100, 3: 150, 4: 300, 5: 120}
BETS = {1: 20, 2: 10, 3: 25, 4: 50, 5: 15}


def _ready(stage: Stage, amounts: dict[int, int], bets: dict[int, int]) -> None:
    """Notes, bets, DEAL."""
    stage.notes(amounts)
    stage.bet(bets)
    stage.deal()


# ---- bets and the deal


def _betting(stage: Stage) -> None:
    stage.notes({1: 20})
    stage.shoot("first-credit", "The first note is credit; the other seats are free")
    stage.notes({2: 85, 3: 150, 4: 500})
    stage.wait(2_000)
    stage.shoot("place-your-bets", "Four seats have credit and nobody has bet yet: no clock runs")
    stage.press("2.bet_plus")
    stage.press("2.bet_minus")
    stage.bet({1: 10, 3: 35, 4: 130})
    stage.press("3.deal")
    stage.shoot("betting", "The clock runs: seats 1 and 4 have bet, 3 is ready, 2 is asked")
    stage.press("2.bet_plus")
    stage.deal()
    cards = stage.view().hands[0].cards
    stage.wait_for(cards[1].start_ms + 130)
    stage.shoot("dealing", "The second card of the common hand is in flight")


def _deciding(stage: Stage) -> None:
    _ready(
        stage,
        {1: 335, 2: 125, 3: 65, 4: 695, 5: 1300, 6: 75},
        {1: 25, 2: 20, 3: 10, 4: 75, 5: 50, 6: 15},
    )
    stage.until("open choices", lambda state, _: bool(state.deciding()))
    stage.wait(1_500)
    stage.shoot("first-decision", "Six seats decide on 11 at once; DOUBLE is lit")
    stage.decide(seat1="hit", seat2="double", seat3="hit", seat4="hit", seat5="hit")
    stage.wait(1_000)
    stage.shoot("waiting-for-one", "Five have decided, seat 6 has not")
    stage.until("next choices", lambda state, _: 6 not in state.awaited() and bool(state.deciding()))
    stage.decide(seat1="hit", seat4="stand")
    stage.wait(2_400)
    stage.shoot("deciding", "The second decision: 1 hits, 2 has doubled, 4 stands, 6 ran out of time")


def _stacked_hand(stage: Stage) -> None:
    _ready(stage, dict.fromkeys(range(1, 6), 100), dict.fromkeys(range(1, 6), 10))
    stage.all_say("hit")
    stage.until("second choices", lambda state, _: bool(state.round) and len(state.awaited()) == 5)
    stage.decide(seat1="stand", seat2="hit", seat3="hit", seat4="hit", seat5="hit")
    stage.until("third choices", lambda state, _: len(state.deciding()) == 4)
    stage.decide(seat2="stand", seat3="hit", seat4="hit", seat5="hit")
    while len(stage.state.round.hands[0].cards if stage.state.round else ()) < 11:
        stage.all_say("hit")
    stage.decide(seat3="hit", seat4="stand", seat5="hit")
    stage.until("last choices", lambda state, _: len(state.deciding()) == 2)
    stage.wait(700)
    stage.shoot("many-cards", "A hand of twelve cards: every index can be read")


# ---- splits


def _split(stage: Stage) -> None:
    _ready(stage, {1: 180, 2: 85, 3: 400, 4: 550, 5: 35}, {1: 20, 2: 10, 3: 25, 4: 50, 5: 15})
    stage.until("open choices", lambda state, _: bool(state.deciding()))
    stage.wait(1_200)
    stage.shoot("pair", "A pair of eights: SPLIT is lit where the credit is enough")
    stage.decide(seat1="split", seat2="stand", seat3="split", seat4="hit", seat5="split")
    stage.until("split", lambda state, _: state.round is not None and len(state.round.hands) == 3)
    opens_ms = stage.view().hands[1].opens_ms
    assert opens_ms is not None
    stage.wait_for(opens_ms + 180)
    stage.shoot("pair-slides", "The pair's two cards slide to their columns")
    stage.decide(seat4="stand")
    stage.until("split 1", lambda state, _: state.round is not None and state.round.active == 1)
    stage.decide(seat3="double")
    stage.wait(2_500)
    stage.shoot("three-hands", "Three hands: the pair is done, split 1 is decided now, split 2 comes next")
    stage.decide(seat1="hit", seat5="hit")
    stage.decide(seat1="stand", seat5="stand")
    stage.until("split 2", lambda state, _: state.round is not None and state.round.active == 2)
    stage.decide(seat1="stand", seat3="stand", seat5="hit")
    stage.until_settled()
    stage.shoot("settlement-split", "Results of three hands: the net of each seat decides its word")


def _all_split(stage: Stage) -> None:
    _ready(stage, {1: 100, 3: 100, 5: 100}, {1: 10, 3: 20, 5: 30})
    stage.all_say("split")
    stage.until("split 1", lambda state, _: bool(state.deciding()) and len(state.awaited()) == 3)
    stage.decide(seat1="hit")
    stage.wait(1_000)
    stage.shoot("all-split", "All seats have split: the pair is gone, two hands are played")


def _split_said(stage: Stage) -> None:
    _ready(stage, {1: 100, 3: 100, 5: 100}, {1: 10, 3: 20, 5: 30})
    stage.decide(seat3="split")
    stage.wait(1_000)
    stage.shoot("split-said", "Seat 3 has said split and waits for the two others")


def _aces(stage: Stage) -> None:
    _ready(stage, {1: 100, 2: 100, 4: 100}, {1: 10, 2: 20, 4: 5})
    stage.decide(seat1="split", seat2="hit", seat4="split")
    stage.decide(seat2="stand")
    stage.until_phase(TablePhase.DEALER, 1, 150)
    stage.shoot("split-aces", "Split aces have one card each; seat 2 kept the pair")


# ---- continuation cards and the dealer


def _completion(stage: Stage) -> None:
    _ready(
        stage,
        {1: 335, 2: 1200, 3: 55, 4: 695, 5: 1300, 6: 75, 7: 1000},
        {1: 25, 2: 100, 3: 10, 4: 75, 5: 50, 6: 15, 7: 200},
    )
    stage.all_say("hit")
    stage.decide(
        seat1="hit", seat2="stand", seat3="hit", seat4="hit", seat5="hit", seat6="hit", seat7="stand"
    )
    stage.decide(seat1="hit", seat3="stand", seat4="hit", seat5="hit")
    stage.until("last choices", lambda state, _: set(state.deciding()) == {1, 4, 5})
    stage.all_say("stand")
    cards = stage.view().hands[0].continuation
    stage.wait_for(cards[0].start_ms + 200)
    stage.shoot("continuation-card-flies", "The lane is open and the first continuation card is in flight")
    stage.wait_for(cards[1].land_ms + 60)
    stage.shoot("completion", "Nobody draws any more: two cards for nobody, a total of their own")
    stage.until_phase(TablePhase.DEALER, -1, 200)
    stage.shoot("dealer-after-completion", "The hand has ended, the dealer draws")


def _dealer(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.all_say("stand")
    stage.wait_for(stage.view().dealer[4].start_ms + 170)
    stage.shoot("dealer-draws", "The dealer draws to 17, card by card")
    stage.until_settled()
    stage.shoot("dealer-many-cards", "Seven cards of the dealer, side by side")


# ---- results


def _results(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.decide(seat1="double", seat2="stand", seat3="hit", seat4="hit", seat5="hit")
    stage.decide(seat3="hit", seat4="hit", seat5="hit")
    stage.decide(seat3="stand", seat4="hit", seat5="hit")
    stage.until("fourth choices", lambda state, _: set(state.deciding()) == {4, 5})
    stage.decide(seat4="stand", seat5="hit")
    stage.until_phase(TablePhase.DEALER, 1, 300)
    stage.shoot("bust", "Seat 5 is bust; the dealer still has to draw")
    stage.until("settlement", lambda state, _: state.settled_ms is not None)
    timing = stage.live.policy.timing
    stage.wait_for((stage.state.settled_ms or 0) + timing.lose_fade_ms + timing.settle_pause_ms + 180)
    stage.shoot("settling", "Lost cells have darkened, won cells fill")
    stage.until_settled(1_900)
    stage.shoot("settlement", "Doubled and lost, lost, pushed, won and bust in one round")
    stage.wait(1_200)
    stage.press("3.deal")
    stage.wait(1_800)
    stage.shoot("next-bets", "Seat 3 has bet the same again: the clock runs, the others are asked")


def _blackjack(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.until_settled()
    stage.shoot("blackjack", "Ace and king: every seat has blackjack and is paid 3:2")


def _dealer_blackjack(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.decide(seat1="double", seat2="stand", seat3="stand", seat4="stand", seat5="double")
    stage.until_settled()
    stage.shoot("dealer-blackjack", "The dealer's blackjack takes everything, doubled bets too")


def _blackjack_push(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.until_phase(TablePhase.DEALER, 1, 350)
    stage.shoot("blackjack-waits", "Blackjack against an ace: the dealer draws exactly one card")
    stage.until_settled()
    stage.shoot("blackjack-push", "Blackjack against blackjack pushes")


def _dealer_bust(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.decide(seat1="double", seat2="stand", seat3="stand", seat4="double", seat5="stand")
    stage.until_settled()
    stage.shoot("dealer-bust", "The dealer is bust: all win, doubled bets twice")


def _twenty_one(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.decide(seat1="hit", seat2="stand", seat3="double", seat4="hit", seat5="stand")
    stage.until_settled()
    stage.shoot("twenty-one", "21 stands by itself and wins")


def _timed_out(stage: Stage) -> None:
    _ready(stage, FIVE, BETS)
    stage.decide(seat1="hit", seat3="stand")
    stage.until("a time-out", lambda state, _: any(move.timed_out for move in state.moves))
    stage.until_phase(TablePhase.DRAW, -1, 200)
    stage.shoot("time-out", "Three seats made no choice in time: they stand, and it is called so")
    stage.decide(seat1="stand")
    stage.until_settled()
    stage.shoot("time-out-settled", "A time-out is settled like a stand")


def _refused(stage: Stage) -> None:
    stage.notes({1: 25, 2: 100, 3: 100, 4: 100, 5: 40})
    stage.bet({1: 20, 2: 10, 3: 25, 4: 50})
    stage.deal()
    stage.until("open choices", lambda state, _: bool(state.deciding()))
    stage.press("3.help")
    stage.press("1.double", "2.split", "4.cash_out", "5.bet_plus")
    stage.wait(300)
    stage.shoot("refused", "Dark buttons were pressed: each seat is told why; seat 3 reads its short help")
    stage.press("3.help")
    stage.wait(300)
    stage.shoot("help-in-seat", "The next page of the short help, inside the seat's own panel")


STORIES = (
    Story(
        "betting", "bets", TABLE, "9H 4C 10S",
        ("first-credit", "place-your-bets", "betting", "dealing"), _betting,
    ),
    Story(
        "deciding", "decisions", SEVEN, "7C 4H 10S 5D",
        ("first-decision", "waiting-for-one", "deciding"), _deciding,
    ),
    Story("refused", "decisions", TABLE, "6H 5C 10S", ("refused", "help-in-seat"), _refused),
    Story(
        "time-out", "decisions", TABLE, "10H 2C 7S 4D 5C 9H KD", ("time-out", "time-out-settled"), _timed_out
    ),
    Story(
        "many-cards", "decisions", TABLE, "AH AS 6D AC AD AH AS 2C 2D 2H 2S 2C 3D",
        ("many-cards",), _stacked_hand,
    ),
    Story(
        "split", "splits", TABLE, "8S 8D 6H 3C AD 4H 3D 9C KC 10D 7S 2S 10D",
        ("pair", "pair-slides", "three-hands", "settlement-split"), _split,
    ),
    Story("all-split", "splits", TABLE, "9H 9C 7D 2S", ("all-split",), _all_split),
    Story("split-said", "splits", TABLE, "9H 9C 7D", ("split-said",), _split_said),
    Story("split-aces", "splits", TABLE, "AH AC 6D 8S 10H KC 5D 9S KH", ("split-aces",), _aces),
    Story(
        "completion", "dealer", SEVEN, "AD 2C 8D 4S 9H AC 2S AH 5C 9C",
        ("continuation-card-flies", "completion", "dealer-after-completion"), _completion,
    ),
    Story(
        "dealer", "dealer", TABLE, "10H 10C 2S 3H 2D 3S 2C 4C 3D AC",
        ("dealer-draws", "dealer-many-cards"), _dealer,
    ),
    Story(
        "results", "results", TABLE, "6H 5C 8S 3D 4C 2H 5S 10D",
        ("bust", "settling", "settlement", "next-bets"), _results,
    ),
    Story("blackjack", "results", TABLE, "AH KS 7D", ("blackjack",), _blackjack),
    Story(
        "blackjack-push", "results", TABLE, "AH KS AD QC",
        ("blackjack-waits", "blackjack-push"), _blackjack_push,
    ),
    Story(
        "dealer-blackjack", "results", TABLE, "6H 5C AS 9D 4H KD",
        ("dealer-blackjack",), _dealer_blackjack,
    ),
    Story("dealer-bust", "results", TABLE, "6H 4C 6S 9D 3H 10D 8C", ("dealer-bust",), _dealer_bust),
    Story("twenty-one", "results", TABLE, "6H 5C 10S KD 7H", ("twenty-one",), _twenty_one),
)  # fmt: skip
