"""Which program this is."""

from __future__ import annotations

DISTRIBUTION = "common-hand-cabinet"


def version() -> str:
    """The version of the installed package."""
    import importlib.metadata  # slow to load, and most commands do not ask

    return importlib.metadata.version(DISTRIBUTION)
