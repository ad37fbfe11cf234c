"""Settings for every test: no screen, no sound card, and long runs only when asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.programs import compliance

# Coverage is measured where the gate looks: in the tests of the code that money depends on. Tracing doubles
# the time of a test, so whole evenings, processes, screens and the mathematics run without it.
TESTS = Path(__file__).parent
TRACED = tuple(
    TESTS / place
    for place in ("game", "cabinet/core", "cabinet/store", "cabinet/memory", "drivers", "contract")
)
UNTRACED = TESTS / "game" / "analysis"

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
    Only the tests of the gate's code are traced."""
    for item in items:
        traced = any(item.path.is_relative_to(place) for place in TRACED)
        if not traced or item.path.is_relative_to(UNTRACED):
            item.add_marker("no_cover")
    if config.getoption("--campaign"):
        return
    long_runs = [item for item in items if item.get_closest_marker("campaign") is not None]
    if long_runs:
        config.hook.pytest_deselected(items=long_runs)
        items[:] = [item for item in items if item.get_closest_marker("campaign") is None]
