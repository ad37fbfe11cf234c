"""By which chart simulated players play: that of their table's own rules, or a stated simple one."""

from __future__ import annotations

from cabinet.config import Config
from game.chart import HARD_TOTALS, SOFT_TOTALS, UPCARDS, Chart
from game.rules import SPLIT_RANKS

HIT, STAND = "H" * len(UPCARDS), "S" * len(UPCARDS)

# No advice, a habit: no card that could bust a hand, no second bet.
NEVER_BUST = Chart(
    "Never bust",
    hard=tuple(HIT if total < 12 else STAND for total in HARD_TOTALS),
    soft=tuple(HIT if total < 18 else STAND for total in SOFT_TOTALS),
    pairs=("",) * len(SPLIT_RANKS),
)


def chart_of(config: Config) -> Chart:
    """The chart that was counted for the rules of this table, if there is one."""
    return config.advice.chart if config.advice is not None else NEVER_BUST


def described(config: Config) -> str:
    """What a tester should know about it; "" if players follow the chart of their rules."""
    if config.advice is not None:
        return ""
    return (
        "there is no strategy chart for these rules: simulated players only take no card that could bust "
        f"them; to make one: cabinet par --rules {config.rules_path} --write-chart"
    )
