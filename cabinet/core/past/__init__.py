"""Questions to the journal and what it answers: recalled rounds, logs, lists of meters.

For pages, commands and whoever reads a journal.
"""

__all__ = ["answers", "logs", "meter_list", "reasons", "recall"]
