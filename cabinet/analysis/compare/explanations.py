"""What the comparison says in sentences, as text and on its page."""

from __future__ import annotations

from collections.abc import Sequence

from cabinet.analysis.compare.figures import ComparisonRow, PaceRow, faster_from

DEFINITIONS: dict[str, str] = {
    "Standard dealing": (
        "every player has an own hand; players decide one after another; otherwise the same rules, shoe and "
        "dealer, who has no hole card. Standard dealing has no continuation cards."
    ),
    "Cards": "all cards dealt in a round, the dealer's included. A dealer with no bet open draws none.",
    "Waits": (
        "how often the table waits for a decision. On a common hand all seats are asked at once and the "
        "table waits for the slowest; in standard dealing every decision is a wait of its own."
    ),
    "Table variance": (
        "of the sum that all seats win in a round, one bet each. Seats that play alike on a common hand win "
        "and lose together: k seats have k squared times the variance of one. In standard dealing it is k "
        "times that of a seat and k (k - 1) times the covariance that the common dealer makes."
    ),
    "Error": (
        "the standard error of the simulation, measured from batch to batch. Times and speeds have the "
        "error of the cards only: the seconds of the timing model are taken as given."
    ),
}

# What each number of a timing model is the time of.
TIMES: dict[str, dict[str, str]] = {
    "cards": {
        "deal_start_s": "before the first card of the deal",
        "deal_s": "each card of the deal",
        "draw_s": "each card of a hit, a double or a split",
        "continuation_start_s": "before the first continuation card on a hand",
        "continuation_s": "each continuation card",
        "dealer_start_s": "before the dealer's first drawn card",
        "dealer_s": "each card that the dealer draws",
        "split_s": "a pair is moved apart",
        "next_hand_s": "on to the next hand of a split",
        "shuffle_s": "a shuffle when the cut card has come",
    },
    "decisions": {
        "fastest_s": "a decision, at least",
        "spread_s": "a decision, on average so much more",
        "longest_s": "a decision, at most",
        "register_s": "common hand: one seat's decision is taken down",
        "next_player_s": "standard dealing: on to the next player",
    },
    "settlement": {
        "start_s": "before the first bet is settled",
        "bet_s": "each bet is settled",
        "hold_s": "results stay or are cleared",
    },
    "bets": {
        "fastest_s": "a bet, at least",
        "spread_s": "a bet, on average so much more",
        "longest_s": "a bet, at most",
    },
}

LIMITS: tuple[str, ...] = (
    (
        "All seats play the same chart. Seats that play differently on a common hand need more cards (with "
        "the default rules up to 6.77 a round, when every splittable pair is dealt both ways and the dealer "
        "always plays out) and more waits, and their variance is less."
    ),
    (
        "A timing model is an assumption about people. How much faster the common hand is depends on it. "
        "That standard dealing takes more cards and more waits with every player, and the common hand does "
        "not, is counted and depends on no model."
    ),
    (
        "Speed is not odds: the house edge is the same in both games. More rounds an hour are more bets an "
        "hour, and what a player loses in an hour grows with them."
    ),
)


def verdict(rows: Sequence[PaceRow], table: Sequence[ComparisonRow]) -> str:
    """What the numbers show, and where they do not show it."""
    first, last = rows[0], rows[-1]
    start = faster_from(rows)
    if start is None:
        said = "With these times Common-Hand Blackjack is not faster than standard dealing."
    elif start == last.seats:
        said = f"Common-Hand Blackjack is faster only with {last.seats} players: {_times(last)}."
    else:
        since = rows[start - first.seats]
        said = (
            f"Common-Hand Blackjack is faster from {start} player{'s' if start > 1 else ''} on: "
            f"{_times(since)} with {start}, {_times(last)} with {last.seats}."
        )
    if first.gain.value + 3 * first.gain.error >= 1:
        return said
    common, standard = table[0].common.cards.value, table[0].standard.cards.value
    return (
        f"{said} With one player it is slower ({_times(first)}): it deals {common:.2f} cards a round against "
        f"{standard:.2f}, because every hand is dealt on to 21 or bust, and no waiting is saved."
    )


def _times(row: PaceRow) -> str:
    return f"{row.gain.value:.2f} times the rounds per hour"
