"""Cabinet files with another second copy than the shipped ones."""

from __future__ import annotations


def with_copy(text: str, table: str = "") -> str:
    """The text of a cabinet file with these lines as its [second_copy]; without one if there are none."""
    tables = ("\n" + text).split("\n[")
    kept = [part for part in tables if not part.startswith("second_copy]")]
    added = [f"second_copy]\n{table}\n"] if table else []
    return "\n[".join([*kept, *added])
