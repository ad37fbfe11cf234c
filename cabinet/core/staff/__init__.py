"""People with keys: pages, acts that a key confirms, doors, conditions, settings.

For the decider and the service pages.
"""

__all__ = ["attendant", "condition_log", "desk", "menu", "money_acts", "settings"]
