"""A round of Common-Hand Blackjack as an immutable state machine.

The round never draws: it says what it needs, and is told the card or the decision.

    phase          needs                     then
    -------------  ------------------------  ----------------------------------------------
    DEAL           two cards                 UPCARD
    UPCARD         one card                  DECIDE; on a natural DEALER or FINISHED
    DECIDE         every undecided seat      DRAW if anybody hit or doubled, else complete
    DRAW           one card                  DECIDE if a seat is still live, else complete
    SPLIT_CARD     a split hand's 2nd card   DECIDE; on 21 or split aces the next hand
    CONTINUATION   cards to 21 or bust       the next hand
    DEALER         cards to 17               FINISHED
    FINISHED       nothing

*Complete* means CONTINUATION below 21, else the next hand; after the last hand comes DEALER, or
FINISHED when no bet is left that the dealer could decide. Hand 0 is the common hand, or the pair
that some seats keep together; hands 1 and 2 exist once a seat has split. Nothing is drawn before
the last undecided seat has spoken, and words are kept by seat, so the order of simultaneous
decisions leaves no trace.

Credit is somebody else's: ``legal`` asks the rules only, ``extra_stake`` says what a choice costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from game.cards import DECK_CARDS, Card
from game.hand import is_natural
from game.needs import (
    DEALER_HAND,
    FINISHED,
    NEED_CARD,
    Finished,
    IllegalBet,
    IllegalCard,
    IllegalChoice,
    NeedCard,
    NeedDecisions,
    Needs,
    Phase,
    Purpose,
)
from game.play import SAID, Choice, Fate, Hand, HandStatus, Play, Said
from game.rules import Rules
from game.steps import STEPS, close, speak

__all__ = [
    "DEALER_HAND", "ENGINE", "MAX_SEATS", "Choice", "Fate", "Finished", "Hand", "HandStatus", "IllegalBet",
    "IllegalCard", "IllegalChoice", "NeedCard", "NeedDecisions", "Needs", "Phase", "Play", "Purpose",
    "Round", "Said",
]  # fmt: skip

# The procedure: raised when the same rules, cards and decisions make another round than before.
ENGINE = 1
# Seats are numbered from 1; the grid has room for seven columns.
MAX_SEATS = 7

# What a seat has chosen that does not choose in time. It never costs more.
ON_TIME_OUT: Final = Choice.STAND
_HIT_STAND = (Choice.HIT, Choice.STAND)
# By [may double][may split].
_CHOICES = (
    (_HIT_STAND, (*_HIT_STAND, Choice.SPLIT)),
    ((*_HIT_STAND, Choice.DOUBLE), (*_HIT_STAND, Choice.DOUBLE, Choice.SPLIT)),
)


@dataclass(frozen=True, slots=True)
class Round:
    """The state of one round; see the module. ``bets`` are (seat, cents), ascending by seat.

    ``active`` is the hand that the phase is about; it means nothing in the dealer's phases.
    """

    rules: Rules
    bets: tuple[tuple[int, int], ...]
    hands: tuple[Hand, ...]
    dealer: tuple[Card, ...] = ()
    phase: Phase = Phase.DEAL
    active: int = 0

    @classmethod
    def open(cls, rules: Rules, bets: Mapping[int, int]) -> Round:
        """A round before its first card. ``bets`` maps seats (1..7) to cents.

        Raises IllegalBet when there is no bet or one is off the limits or steps.
        """
        if not bets:
            raise IllegalBet("a round needs at least one bet")
        for seat, bet_cents in bets.items():
            if not 1 <= seat <= MAX_SEATS:
                raise IllegalBet(f"seat {seat} does not exist: 1 to {MAX_SEATS}")
            if not rules.is_bet(bet_cents):
                raise IllegalBet(
                    f"seat {seat} bets {bet_cents} cents: {rules.min_bet_cents} to {rules.max_bet_cents} "
                    f"in steps of {rules.bet_step_cents}"
                )
        ordered = tuple(sorted(bets.items()))
        plays = tuple([Play(seat, bet_cents) for seat, bet_cents in ordered])
        return cls(rules, ordered, (Hand(HandStatus.PLAYING, (), plays),))

    # ---- questions

    def needs(self) -> Needs:
        """What has to happen next: a card, decisions, or nothing."""
        card = NEED_CARD.get(self.phase)
        if card:
            return card[self.active]
        if self.phase is Phase.FINISHED:
            return FINISHED
        return NeedDecisions(self.active, self.hands[self.active].undecided)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats in the round, ascending."""
        return tuple(seat for seat, _ in self.bets)

    @property
    def active_hand(self) -> int | None:
        """The hand that is dealt, decided on or completed; None when it is the dealer's turn or over."""
        dealers = self.phase in (Phase.UPCARD, Phase.DEALER, Phase.FINISHED)
        return None if dealers else self.active

    @property
    def natural(self) -> bool:
        """The common hand is a blackjack, for every seat."""
        return len(self.hands) == 1 and is_natural(self.hands[0].cards)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Every card on the table, each once: hands with their continuation, then the dealer's."""
        table: list[Card] = []
        for number, hand in enumerate(self.hands):
            # The first card of a split hand is a card of the pair, which has been counted.
            table += hand.cards[1:] if number else hand.cards
            table += hand.continuation
        return (*table, *self.dealer)

    def bet(self, seat: int) -> int:
        """The original bet of a seat, in cents; 0 when it sits out."""
        for better, bet_cents in self.bets:
            if better == seat:
                return bet_cents
        return 0

    def stakes(self, seat: int) -> int:
        """All that a seat has at risk at this moment, doubles and splits included, in cents."""
        return sum(play.stake_cents for hand in self.hands for play in hand.plays if play.seat == seat)

    def legal(self, seat: int) -> tuple[Choice, ...]:
        """The choices of a seat by the rules, () when it has nothing to decide now."""
        if self.phase is not Phase.DECIDE:
            return ()
        hand = self.hands[self.active]
        if not hand.asks(seat):
            return ()
        cards = hand.cards
        if len(cards) > 2:
            return _HIT_STAND
        double = self.rules.may_double(cards, after_split=self.active > 0)
        split = self.active == 0 and self.rules.may_split(cards)
        return _CHOICES[double][split]

    def extra_stake(self, seat: int, choice: Choice) -> int:
        """What a choice adds to the stake of a seat: a second equal bet, or nothing. In cents."""
        return self.bet(seat) if choice is Choice.DOUBLE or choice is Choice.SPLIT else 0

    # ---- happenings

    def decide(self, seat: int, choice: Choice, timed_out: bool = False) -> Round:
        """The round after a final decision of one seat; a time-out is `ON_TIME_OUT`, which nobody chose.

        The last of the undecided seats closes the decision. Raises IllegalChoice.
        """
        if choice not in self.legal(seat):
            raise IllegalChoice(f"seat {seat} cannot {choice} now")
        if timed_out and choice is not ON_TIME_OUT:
            raise IllegalChoice(f"a time-out stands, it cannot {choice}")
        hand = self.hands[self.active]
        said = Said.TIME if timed_out else SAID[choice]
        cards = hand.cards
        plays = tuple([speak(play, said, cards) if play.seat == seat else play for play in hand.plays])
        hand = Hand(hand.status, hand.cards, plays)
        if not hand.undecided:
            return Round(self.rules, self.bets, *close(self, hand))
        hands = (*self.hands[: self.active], hand, *self.hands[self.active + 1 :])
        return Round(self.rules, self.bets, hands, self.dealer, self.phase, self.active)

    def deal(self, card: Card) -> Round:
        """The round with the card it needs.

        One card is one thing: it comes from the shoe and cannot be on the table twice. Raises
        IllegalCard for such a card, and when no card is due.
        """
        if not 0 <= card < self.rules.decks * DECK_CARDS:
            raise IllegalCard(f"card {card} is not in a shoe of {self.rules.decks} decks")
        for hand in self.hands:
            if card in hand.cards or card in hand.continuation:
                raise IllegalCard(f"card {card} is on the table already")
        if card in self.dealer:
            raise IllegalCard(f"card {card} is on the table already")
        step = STEPS.get(self.phase)
        if step is None:
            raise IllegalCard(f"no card is due in phase {self.phase}")
        return Round(self.rules, self.bets, *step(self, card))
