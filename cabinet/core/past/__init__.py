"""Questions to the journal and what it answers: recalled rounds, logs, lists of meters.

For pages, commands and whoever reads a journal.
"""

__all__ = ["answers", "log_words", "logs", "meter_list", "recall"]
