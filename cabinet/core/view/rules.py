"""The house rules as the players may read them."""

from __future__ import annotations

from cabinet.core.look import HouseRules
from cabinet.core.policy import Policy
from game.rules import Shuffle


def house_rules(policy: Policy) -> HouseRules:
    """What the felt, the help pages and the attract loop state."""
    rules = policy.rules
    totals = rules.double_totals
    return HouseRules(
        blackjack_pays=rules.blackjack_pays,
        dealer_hits_soft_17=rules.dealer_hits_soft_17,
        decks=rules.decks,
        shuffle_every_round=rules.shuffle is Shuffle.EVERY_ROUND,
        double_totals=totals if isinstance(totals, str) else ", ".join(str(total) for total in totals),
        splittable=rules.splittable,
        double_after_split=rules.double_after_split,
        dealer_blackjack_takes=rules.dealer_blackjack_takes.value,
        min_bet_cents=rules.min_bet_cents,
        max_bet_cents=rules.max_bet_cents,
        bet_seconds=rules.bet_seconds,
        decide_seconds=rules.one_seat_seconds if policy.seats == 1 else rules.decide_seconds,
    )
