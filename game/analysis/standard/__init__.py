"""Standard dealing, one hand for each seat: what the common hand is compared with.

Read by `cabinet.analysis.compare`.
"""

from game.analysis.standard.dealing import (
    StandardJob,
    StandardTally,
    simulate_standard,
)

__all__ = ["StandardJob", "StandardTally", "common", "simulate_standard"]
