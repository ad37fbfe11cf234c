"""Exact odds of a rule set, counted hand by hand without replacement.

Numbers in, numbers out; read by `cabinet.analysis` and by tests.
"""

from game.analysis.exact.odds import (
    ALWAYS_STAND,
    Analysis,
    ChartCell,
    Distribution,
    analyse,
    distribution_of,
)

__all__ = ["ALWAYS_STAND", "Analysis", "ChartCell", "Distribution", "analyse", "distribution_of"]
