"""Settings of the cabinet and what has become of them since the session before: a fact with the old and
the new value of each, so that a log can say what was changed, when, and by whose word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cabinet.core.facts import SettingChange, SettingsTaken
from cabinet.core.ledger import RefusedError
from cabinet.core.renewal import replace
from cabinet.core.state import State

if TYPE_CHECKING:  # a turn folds facts, and the fold asks this module
    from cabinet.core.turn import Turn


def take(turn: Turn) -> None:
    """At a start: what the cabinet file says now, laid beside what was told last."""
    policy, before, now = turn.policy, turn.state.settings, dict(turn.policy.settings)
    names = sorted(before.keys() | now.keys())
    changes = tuple(
        SettingChange(name, before.get(name, ""), now.get(name, ""))
        for name in names
        if before.get(name, "") != now.get(name, "")
    )
    if changes:
        turn.add(SettingsTaken(turn.now_ms, policy.settings_from, changes))


def after(state: State, fact: SettingsTaken) -> State:
    """RefusedError when a setting did not have the value that it is said to have had."""
    settings = dict(state.settings)
    for change in fact.changes:
        if settings.get(change.name, "") != change.old:
            raise RefusedError(f"{change.name} was not {change.old!r}")
        if change.new:
            settings[change.name] = change.new
        else:
            settings.pop(change.name, None)
    return replace(state, settings=settings)
