"""The journal on the disk: the only place that knows SQLite, and the only thread of the field program.

For the program, its commands and the lab; the core knows nothing of it.
"""

__all__ = [
    "chain",
    "checker",
    "database",
    "directory",
    "errors",
    "history",
    "journal",
    "journal_file",
    "lost_journal",
    "opening",
    "schema",
    "seals",
    "second_copy",
    "writer",
]
