"""A trouble in which nothing could be recorded, kept beside the journal until the next start can.

While the storage, the memory or the books are in question no fact is written. What it was is then known to
the screen and to nobody afterwards; so the program leaves a line behind when it ends, and the start that
follows puts it into the log. A disk that takes not even that leaves it to the system journal.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path

from cabinet.core.live import TILTS, Live
from cabinet.store.directory.files import read_file, write_again

FILE = "trouble"
_MOST_BYTES = 400
LOG = logging.getLogger("cabinet")


def of(live: Live) -> tuple[str, str] | None:
    """Code and words of what keeps anything from being recorded; None if nothing does."""
    code, text = live.tilt
    if not code:
        return None
    when = datetime.fromtimestamp((live.wall_base_ms + (live.stopped_ms or 0)) / 1000, UTC)
    return code, f"{text}, on {when:%m/%d/%Y at %H:%M}"


def keep(directory: Path, live: Live) -> None:
    """At the end of a session. Raises nothing."""
    found = of(live)
    if found is None:
        return
    code, text = found
    try:
        write_again(directory / FILE, f"{code} {text}".encode()[:_MOST_BYTES])
    except OSError as error:
        LOG.warning("%s %s: the next start will not know of it: %s", code, text, error)


def kept(directory: Path) -> tuple[str, str]:
    """What the session before has left: code and words, two empty texts for nothing."""
    try:
        line = read_file(directory / FILE, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return "", ""
    code, _, text = line.partition(" ")
    return (code, text) if code in TILTS else ("", "")


def forget(directory: Path) -> None:
    """It stands in the log now."""
    try:
        (directory / FILE).unlink(missing_ok=True)
    except OSError as error:
        LOG.warning("%s: %s", directory / FILE, error)
