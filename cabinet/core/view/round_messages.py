"""What the table says about a moment: the line under the dial, the story, the notes of the rows."""

from __future__ import annotations

from cabinet.core.look import Message, TablePhase
from cabinet.core.view.replay import RoundMoment
from game import needs
from game.cards import points, same_rank
from game.grid import Row, RowKind
from game.hand import is_natural
from game.play import Fate, Hand, HandStatus
from game.round import Round
from game.rules import Shuffle, Takes

Text = Message | None


def message(key: str, **args: int | str | tuple[int, ...]) -> Message:
    """A message with its arguments in the order given."""
    return Message(key, tuple(args.items()))


# ---- under the dial


def line(moment: RoundMoment, *, one_seat: bool, betting_open: bool) -> Text:
    """The two lines under the dial while a round is on the table."""
    round_ = moment.round
    if moment.settled:
        return message("line.again_or_cash_out") if betting_open else None
    if round_.natural and len(round_.dealer) > 0:
        return message("line.blackjack_one" if one_seat else "line.blackjack")
    match moment.phase:
        case TablePhase.DECIDE:
            return _to_go(moment, one_seat) if moment.opened else None
        case TablePhase.DRAW:
            return message("line.next_card")
        case TablePhase.COMPLETE:
            if len(round_.hands) > 1:
                return message("line.to_21_or_bust")
            return message("line.all_decided_one" if one_seat else "line.all_decided")
        case TablePhase.DEALER:
            return message("line.dealer_to_17")
    return message("line.cards_first")


def _to_go(moment: RoundMoment, one_seat: bool) -> Message:
    round_ = moment.round
    if one_seat:
        return message("line.no_choice_stand")
    count = len(round_.hands[round_.active].undecided)
    if len(round_.hands) == 1:
        return message("line.seats_to_go", count=count)
    if round_.active == 0:
        return message("line.pair_to_go", count=count)
    return message("line.split_to_go", hand=round_.active, count=count)


# ---- beside the dealer's first card


def story(moment: RoundMoment, *, one_seat: bool) -> Text:
    """Why the table does what it does. A third card of the dealer takes its place."""
    round_ = moment.round
    if not round_.dealer or len(round_.dealer) > 2:
        return None
    if round_.natural:
        return _story_of_natural(round_, one_seat)
    if len(round_.dealer) == 2:
        return _story_of_dealer_blackjack(round_)
    match round_.phase:
        case needs.Phase.DEALER:
            return _story_of_dealer(round_)
        case needs.Phase.FINISHED:
            return message("story.dealer_draws_nothing")
        case needs.Phase.CONTINUATION if len(round_.hands) == 1:
            return message("story.completion")
        case needs.Phase.CONTINUATION:
            return message(f"story.{_COMPLETION[round_.active]}")
    return _story_of_pair(round_, one_seat)


_COMPLETION = ("completion_pair", "completion_split_1", "completion_split_2")


def _story_of_natural(round_: Round, one_seat: bool) -> Text:
    if is_natural(round_.dealer):
        return message("story.natural_push")
    pays = round_.rules.blackjack_pays
    if round_.phase is not needs.Phase.DEALER:
        return message("story.natural_one" if one_seat else "story.natural", pays=pays)
    if one_seat:
        return message("story.dealer_one_card")
    return message(
        "story.natural_dealer_ace" if points(round_.dealer[0]) == 1 else "story.natural_dealer_ten"
    )


def _story_of_dealer_blackjack(round_: Round) -> Text:
    if not is_natural(round_.dealer):
        return None
    several = any(round_.stakes(seat) > bet_cents for seat, bet_cents in round_.bets)
    original = round_.rules.dealer_blackjack_takes is Takes.ORIGINAL and several
    return message("story.dealer_blackjack_original" if original else "story.dealer_blackjack")


def _story_of_dealer(round_: Round) -> Message:
    plays = [play for hand in round_.hands for play in hand.plays]
    if all(play.fate in (Fate.BUST, Fate.SPLIT) for play in plays):
        return message("story.dealer_one_card")
    return message("story.dealer_draws_soft" if round_.rules.dealer_hits_soft_17 else "story.dealer_draws")


def _story_of_pair(round_: Round, one_seat: bool) -> Text:
    pair = round_.hands[0].cards
    if len(pair) < 2 or not round_.rules.may_split(pair[:2]):
        return None
    # A pair of tens may be of two ranks, and is then one of tens.
    rank = pair[0] % 13 + 1 if same_rank(pair[0], pair[1]) else 10
    if len(round_.hands) == 1:
        said = len(pair) == 2 and round_.phase is needs.Phase.DRAW
        return message("story.pair_none_split", rank=rank) if said and not one_seat else None
    keepers = round_.hands[0].owners
    splitters = round_.hands[1].owners
    if keepers:
        return message("story.pair_some_split", rank=rank, splitters=splitters, keepers=keepers)
    if points(pair[0]) == 1:
        return message("story.aces_split")
    return message("story.pair_one_seat_split" if one_seat else "story.pair_all_split", rank=rank)


# ---- grid rows


def row_note(row: Row, moment: RoundMoment, *, one_seat: bool) -> Text:
    """The right end of a row's label."""
    hand = moment.round.hands[row.hand]
    if row.kind is RowKind.PAIR and not hand.owners:
        return message("row.all_split")
    match hand.status:
        case HandStatus.DONE:
            return _row_done(row, hand)
        case HandStatus.COMPLETING if row.continued is not None:
            return message("row.now_extra", total=row.continued)
        case HandStatus.PLAYING if moment.phase is TablePhase.DEAL and not one_seat:
            return message("row.seats_in", count=len(moment.round.bets))
        case HandStatus.PLAYING if moment.opened and one_seat and row.active:
            return message("row.your_turn")
    return None


def _row_done(row: Row, hand: Hand) -> Message:
    fates = {play.fate for play in hand.plays}
    if Fate.BLACKJACK in fates:
        return message("row.blackjack")
    if Fate.ONE_CARD in fates:
        return message("row.one_card_each")
    if row.continued is None and row.total > 21:
        return message("row.bust", total=row.total)
    return message("row.final_total", total=row.total if row.continued is None else row.continued)


# ---- under the shoe


def shoe_note(decks: int, shuffle: Shuffle, *, shuffles: bool) -> Message:
    """What happens to the shoe before the next deal."""
    key = "new_shuffle" if shuffles else "goes_on"
    if shuffle is Shuffle.EVERY_ROUND:
        key = "shuffle_each_round"
    return message(f"shoe.{key}", decks=decks)
