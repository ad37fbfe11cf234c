"""Virtual days of random play and trouble, with every invariant checked.

`cabinet lab day`, and tests.
"""

__all__ = ["command", "plan"]
