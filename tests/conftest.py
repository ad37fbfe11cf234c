"""Settings for every test: no screen, no sound card, and long runs only when asked for."""

from __future__ import annotations

import os

import pytest

# Before anything imports pygame. A developer's own choice (to watch a test) is kept.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--campaign", action="store_true", help="also run the long runs (marker `campaign`)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the long runs unless they were asked for: deselected, not skipped, so the count is true."""
    if config.getoption("--campaign"):
        return
    long_runs = [item for item in items if item.get_closest_marker("campaign") is not None]
    if long_runs:
        config.hook.pytest_deselected(items=long_runs)
        items[:] = [item for item in items if item.get_closest_marker("campaign") is None]
