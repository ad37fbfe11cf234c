"""Settings of the cabinet and what has become of them since the session before: a fact with the old and
the new value of each, so that a log can say what was changed, when, and by whose word.

Settings are a file on the medium in the logic area; no menu changes them. What touches the money (what a
bet returns, which notes are taken, the limits) changes only while no seat holds any, and the table stays
locked until a technician has turned the service key at the open logic area. (25 CFR 547.8; A/NZ 1.31.2)
"""

from __future__ import annotations

from cabinet.core.conditions import Code
from cabinet.core.currency import Currency
from cabinet.core.facts import ConditionRaised, SettingChange, SettingsTaken
from cabinet.core.live import with_trouble
from cabinet.core.turn import Turn

_MONEY = (
    "rules.",
    "cabinet.credit_limit_cents",
    "cabinet.ticket_limit_cents",
    "cabinet.large_win_cents",
    "cabinet.payout_unit_cents",
    "cabinet.handpay_cancel",
    "cabinet.currency",
    "cabinet.tickets",
)
_OF_VALIDATORS = (".currency", ".enabled_cents", ".barcode")
_HOLDING = ("credit", "bet", "in_flight", "handpay")  # accounts of a seat


def touches_money(name: str) -> bool:
    """Whether a setting changes return, denomination or limits. How long people have does not."""
    if name.startswith("bill_validator."):
        return name.endswith(_OF_VALIDATORS)
    return name.startswith(_MONEY) and not name.endswith("_seconds")


def take(turn: Turn) -> bool:
    """At a start: what the cabinet file says now, laid beside what was told last. False when it may not be
    taken: a seat holds money, and what it was played under stays in force until the old file is back."""
    policy, before, now = turn.policy, turn.state.settings, dict(turn.policy.settings)
    names = sorted(before.keys() | now.keys())
    changes = tuple(
        SettingChange(name, before.get(name, ""), now.get(name, ""))
        for name in names
        if before.get(name, "") != now.get(name, "")
    )
    of_money = [change for change in changes if touches_money(change.name)] if before else []
    held = sum(turn.state.ledger.total(account) for account in _HOLDING)
    if of_money and held:
        turn.live = with_trouble(turn.live, Code.NOT_CONFIGURED, _refusal(of_money, held, policy.currency))
        return False
    if changes:
        turn.add(SettingsTaken(turn.now_ms, policy.settings_from, changes))
    if of_money and (Code.NEW_SETTINGS, "") not in turn.state.conditions:
        turn.add(ConditionRaised(turn.now_ms, Code.NEW_SETTINGS, "", _changes_text(of_money)))
    return True


def _refusal(changes: list[SettingChange], held_cents: int, currency: Currency) -> str:
    held = currency.text(held_cents)
    return f"the seats hold {held}, {_changes_text(changes)}: put the old file back until they are empty"


def _changes_text(changes: list[SettingChange]) -> str:
    first = changes[0]
    others = f" and {len(changes) - 1} more" if changes[1:] else ""
    return f"{first.name} {first.old or 'none'} -> {first.new or 'none'}{others}"
