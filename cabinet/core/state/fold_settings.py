"""How a fact about the settings of the cabinet changes the state."""

from __future__ import annotations

from cabinet.core.facts import SettingsTaken
from cabinet.core.renewal import replace
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.state.state import State


def after(state: State, fact: SettingsTaken) -> State:
    """RefusedError when a setting did not have the value that it is said to have had."""
    settings = dict(state.settings)
    for change in fact.changes:
        if settings.get(change.name, "") != change.old:
            raise FactRefusedError(f"{change.name} was not {change.old!r}")
        if change.new:
            settings[change.name] = change.new
        else:
            settings.pop(change.name, None)
    return replace(state, settings=settings)
