"""How a seat in a round looks at one moment: its state, the word in its head, the text below.

Everything here follows from the round as it was at that moment, so nothing is told before the
card has landed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cabinet.core.look import Message, SeatState, TablePhase
from cabinet.core.view.replay import RoundMoment
from cabinet.core.view.round_messages import message
from game import needs
from game.cards import points
from game.hand import is_natural
from game.play import Fate, Hand, Play, Said
from game.round import Round
from game.settle import HandResult, Outcome


class SeatFace(NamedTuple):
    state: SeatState
    head: Message
    text: Message | None = None


def net_cents(results: Iterable[HandResult]) -> dict[int, int]:
    """What the round has won or lost each seat."""
    found: dict[int, int] = {}
    for result in results:
        found[result.seat] = found.get(result.seat, 0) + result.returned_cents - result.stake_cents
    return found


def result_face(results: tuple[HandResult, ...]) -> SeatFace:
    """The round is settled. The net decides: a net loss is never dressed as a win."""
    net = sum(net_cents(results).values())
    outcomes = {r.outcome for r in results}
    if net > 0:
        return SeatFace(
            SeatState.WIN, message("head.blackjack" if Outcome.BLACKJACK in outcomes else "head.win")
        )
    if net < 0:
        return SeatFace(SeatState.LOSE, message("head.lose"))
    return SeatFace(SeatState.PUSH, message("head.push" if outcomes == {Outcome.PUSH} else "head.even"))


def play_face(moment: RoundMoment, seat: int) -> SeatFace:
    """The round goes on, and the seat is in it."""
    round_ = moment.round
    plays = [(number, play) for number, hand in enumerate(round_.hands) if (play := _own(hand, seat))]
    if len(round_.hands) > 1 and round_.active_hand == 0 and plays[0][0] != 0:
        return _split(round_)
    number, play = _focus(plays, round_.active_hand)
    if number == 2 and play.fate is Fate.LIVE and not play.said and not moment.opened:
        return _finished(moment, *plays[0], plays)  # what became of split 1, until split 2 is played
    if play.fate is Fate.LIVE:
        return _live(moment, number, play)
    if moment.opened and round_.active == number and len(play.said) == len(round_.hands[number].cards) - 1:
        return SeatFace(SeatState.DECIDED, message("head.stand"), _waiting(round_, number, play))
    return _finished(moment, number, play, plays)


def _split(round_: Round) -> SeatFace:
    """The seat has left the pair and waits for its two hands."""
    ace = points(round_.hands[0].cards[0]) == 1
    text = message("seat.one_card_each_ace" if ace else "seat.plays_two")
    return SeatFace(SeatState.SPLIT, message("head.split"), text)


def _own(hand: Hand, seat: int) -> Play | None:
    play = hand.play(seat)
    return None if play is None or play.fate is Fate.SPLIT else play


def _focus(plays: list[tuple[int, Play]], active: int | None) -> tuple[int, Play]:
    """The hand that the seat looks at: the one that is played, else the last that it played."""
    for number, play in plays:
        if number == active:
            return number, play
    return plays[-1]


# ---- deciding


def _live(moment: RoundMoment, number: int, play: Play) -> SeatFace:
    round_ = moment.round
    if moment.opened and play.seat in round_.hands[number].undecided:
        return SeatFace(SeatState.TURN, message("head.your_turn"))
    if not play.said:
        if number:
            return _split(round_)
        return SeatFace(SeatState.WATCH, message("head.in_play"), message("seat.in_play"))
    head = message(f"head.{play.said[-1].value}")
    if moment.opened:
        return SeatFace(SeatState.DECIDED, head, _waiting(round_, number, play))
    if play.said[-1] is Said.DOUBLE:
        return SeatFace(SeatState.DECIDED, head, message("seat.one_card_comes"))
    keeps = len(round_.hands) > 1 and number == 0 and len(play.said) == 1
    return SeatFace(SeatState.DECIDED, head, message("seat.keeps_pair" if keeps else "seat.in_play"))


def _waiting(round_: Round, number: int, play: Play) -> Message:
    """Who still has to decide."""
    seats = round_.hands[number].undecided
    if not number:
        return message("seat.waiting_for", seats=seats)
    if play.said[-1] is Said.DOUBLE:
        return message("seat.split_doubled", hand=number, seats=seats)
    return message("seat.split_waits", hand=number, seats=seats)


# ---- finished on a hand


def _finished(moment: RoundMoment, number: int, play: Play, plays: list[tuple[int, Play]]) -> SeatFace:
    state, head, text = _by_fate(moment, play)
    if number < plays[-1][0]:
        # The second split hand comes next: this seat is not out of the round.
        state = SeatState.SPLIT if state is SeatState.BUST else state
        return SeatFace(state, head, message("seat.split_next", hand=plays[-1][0]))
    if len(plays) == 1:
        return SeatFace(state, head, text)
    if all(other.fate is Fate.BUST for _, other in plays):
        return SeatFace(state, head, text)
    if moment.phase is TablePhase.DEALER:
        return SeatFace(SeatState.SPLIT, message("head.split"), message("seat.dealer_draws"))
    return SeatFace(state, head, text)


def _by_fate(moment: RoundMoment, play: Play) -> SeatFace:
    match play.fate:
        case Fate.BUST:
            return SeatFace(SeatState.BUST, message("head.bust", total=play.total), message("seat.over_21"))
        case Fate.TIMED_OUT:
            text = message("seat.no_choice_stands", total=play.total)
            return SeatFace(SeatState.TIME_OUT, message("head.time_out"), text)
        case Fate.DOUBLED:
            text = message("seat.one_card_stands", total=play.total)
            return SeatFace(SeatState.DOUBLED, message("head.doubled"), text)
        case Fate.ONE_CARD:
            return SeatFace(SeatState.SPLIT, message("head.split"), message("seat.one_card_each_ace"))
        case Fate.BLACKJACK:
            return SeatFace(SeatState.BLACKJACK, message("head.blackjack"), _blackjack_text(moment.round))
        case Fate.TWENTY_ONE if moment.phase is not TablePhase.DEALER:
            return SeatFace(
                SeatState.STOOD, message("head.stood", total=21), message("seat.stands_by_itself")
            )
    return SeatFace(SeatState.STOOD, message("head.stood", total=play.total), _stands_text(moment))


def _stands_text(moment: RoundMoment) -> Message:
    round_ = moment.round
    if moment.phase is TablePhase.DEALER:
        return message("seat.dealer_draws")
    if moment.phase is TablePhase.COMPLETE and round_.active == len(round_.hands) - 1:
        return message("seat.dealer_next")
    return message("seat.hand_played")


def _blackjack_text(round_: Round) -> Message:
    if round_.phase is needs.Phase.DEALER:
        return message("seat.blackjack_dealer_draws")
    if is_natural(round_.dealer):
        return message("seat.hand_played")
    return message("seat.blackjack_pays", pays=round_.rules.blackjack_pays)
