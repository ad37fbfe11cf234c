"""Standard dealing, one hand for each seat: what the common hand is compared with.

Read by `cabinet.analysis.compare`.
"""

from game.analysis.standard.dealing import (
    Job,
    StandardTally,
    simulate_standard,
)

__all__ = ["Job", "StandardTally", "common", "simulate_standard"]
