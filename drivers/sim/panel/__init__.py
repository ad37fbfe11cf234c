"""A simulated panel: fingers, keys, doors, lamps and counters on the copper.

For the lab and for tests.
"""

from drivers.sim.panel.panel import (
    COUNTER_LEAST_MS,
    PanelMachine,
)

__all__ = ["COUNTER_LEAST_MS", "PanelMachine"]
