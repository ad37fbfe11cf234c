"""Settings for every test: no screen, no sound card, and long runs only when asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.programs import compliance

# The mathematics is not in the coverage gate (compiled loops cannot be traced), and tracing it costs
# a third of its time.
TESTS = Path(__file__).parent
UNTRACED = (TESTS / "game" / "analysis", TESTS / "cabinet" / "analysis")

# Before anything imports pygame. A developer's own choice (to watch a test) is kept.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--campaign", action="store_true", help="also run the long runs (marker `campaign`)")
    parser.addoption("--compliance", action="store_true", help="write docs/compliance.md from this run")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--compliance") and not hasattr(config, "workerinput"):  # once, where reports meet
        config.pluginmanager.register(compliance.Recorder(), "compliance")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the long runs unless they were asked for: deselected, not skipped, so the count is true.
    Tests of the mathematics run without tracing."""
    for item in items:
        if item.path.is_relative_to(UNTRACED[0]) or item.path.is_relative_to(UNTRACED[1]):
            item.add_marker("no_cover")
    if config.getoption("--campaign"):
        return
    long_runs = [item for item in items if item.get_closest_marker("campaign") is not None]
    if long_runs:
        config.hook.pytest_deselected(items=long_runs)
        items[:] = [item for item in items if item.get_closest_marker("campaign") is None]
