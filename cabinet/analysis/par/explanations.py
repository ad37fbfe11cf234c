"""What the PAR sheet says in sentences, on paper and on its page."""

from __future__ import annotations

DEFAULT_EDGE = (
    "About the published 0.66 %: the house edge of these rules is 0.6667 % for a player who follows the "
    "chart by totals (0.666675 %, which 0.66 is cut from, not rounded to) and 0.6631 % for one who looks at "
    "every card of the own hand (0.663094 %, which rounds to 0.66). The best chart by totals stays above "
    "0.666 %."
)

DEFINITIONS: dict[str, str] = {
    "House edge by totals": (
        "what the house keeps of the first bet, on average, from a player who follows the chart. It is "
        "the best by totals: changing any one cell of it costs the player."
    ),
    "House edge by composition": (
        "the same for a player who decides by the exact cards of the own hand; in a split hand that player "
        "knows that the other card of the pair is gone."
    ),
    "Edge of all staked": (
        "the same loss as a share of all bets, second bets of doubles and splits included."
    ),
    "Standard deviation": (
        "of the net result of one round of one seat, in first bets. Seats that play alike win and lose "
        "together: k such seats have k squared times the variance of one."
    ),
    "Return after many rounds": (
        "100 % less the edge, more or less the quantile of the normal law times the standard deviation by "
        "the square root of the rounds; equal bets, one seat."
    ),
    "Worth of a choice": (
        "the mean net result in first bets over all hands that come to the cell, each played on by the chart."
    ),
    "Exact": (
        "counted without replacement from a complete shoe, every card order with its weight, in double "
        "precision; nothing is simulated. With a cut card the odds of later rounds move with the cards that "
        "are gone; they are not on this sheet."
    ),
}

WHY = (
    "One player alone has these odds, and so has every seat: what other seats decide changes no law of a "
    "seat's cards. After the last decision on a hand it is dealt on to 21 or bust, so a hit, a stand or a "
    "double never changes which cards the dealer gets. A split changes which cards are dealt, and so the "
    "dealer's cards, but not their odds."
)
