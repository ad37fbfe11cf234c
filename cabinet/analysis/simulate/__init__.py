"""Many rounds, and how they agree with the exact figures.

A command of its own; others borrow its line of progress.
"""

__all__: list[str] = []
