"""The soft meters, what proves them, and what the hard meters owe."""

from __future__ import annotations

from collections.abc import Iterable

from cabinet.core.conditions import BY_CODE
from cabinet.core.look import ServicePanel, ServiceRow
from cabinet.core.money import hard_meters as pulsed
from cabinet.core.past import meter_list
from cabinet.core.past.meter_list import Meter, Unit
from cabinet.core.state import identity
from cabinet.core.state.meters import digest, in_period, rule_set, shown
from cabinet.formats import clock, day, plural
from cabinet.service.page import Body, Desk, check, row

_COLUMNS = (7, 7, 7)  # name, since the first start, in this period
FAULTS_SHOWN = 13  # what fits on a page; the most frequent ones
RULE_SETS_SHOWN = 10
_HINT = "Nothing resets a meter. After ten digits it begins at zero again."


# ---- cabinet and seats


def meters(desk: Desk) -> Body:
    """The cabinet's own: the sums over all seats."""
    state = desk.state
    metered = sum(identity.metered_cents(state.meters, seat) for seat in state.seats)
    held = sum(identity.held_cents(state, seat) for seat in state.seats)
    why = identity.trouble(state)
    proof = f"Hash of all meters: {digest(state.meters)[:12]}"
    says = f"All seats: meters tell {desk.money(metered)}, accounts hold {desk.money(held)}."
    return _body(
        desk,
        "The books balance" if not why else "The books do not balance",
        why or f"{says} Sum of all accounts {desk.money(state.ledger.sum)}.",
        (_money_panel(desk, ""), _play_panel(desk, "")),
        good=not why,
        hint=proof,
    )


def seat_meters(desk: Desk) -> Body:
    state, seat = desk.state, int(desk.argument)
    metered, held = identity.metered_cents(state.meters, seat), identity.held_cents(state, seat)
    what = "balances" if metered == held else "does not balance"
    return _body(
        desk,
        f"Seat {seat} {what}",
        f"Meters tell {desk.money(metered)}, accounts hold {desk.money(held)}.",
        (_money_panel(desk, f".{seat}"), _play_panel(desk, f".{seat}")),
        good=metered == held,
    )


def _body(
    desk: Desk,
    headline: str,
    subline: str,
    panels: tuple[ServicePanel, ...],
    *,
    good: bool = True,
    hint: str = _HINT,
) -> Body:
    """A page of meters. While the books or the storage are in question everything on it is, too."""
    code, reason = desk.live.tilt
    if code:
        return Body(
            f"Doubtful: {code} {BY_CODE[code].name}",
            f"{reason}. What stands here may be wrong.",
            panels,
            "warn",
            hint,
        )
    return Body(headline, subline, panels, check(good), hint)


def _owner(suffix: str) -> str:
    return f"SEAT {suffix[1:]}" if suffix else "CABINET"


def _money_panel(desk: Desk, suffix: str) -> ServicePanel:
    title = f"{_owner(suffix)}, MONEY IN {desk.live.policy.currency.code}"
    return _half(title, _rows(desk, meter_list.MONEY, suffix))


def _play_panel(desk: Desk, suffix: str) -> ServicePanel:
    rows = (*_rows(desk, meter_list.PLAY, suffix), *_since(desk, suffix))
    return _half(f"{_owner(suffix)}, COUNTS", rows)


def _half(title: str, rows: tuple[ServiceRow, ...]) -> ServicePanel:
    return ServicePanel(title, _COLUMNS, rows, half=True, figures=True)


def _wide(title: str, rows: tuple[ServiceRow, ...]) -> ServicePanel:
    """The same three columns, for longer names."""
    return ServicePanel(title, (11, 5, 5), rows, figures=True)


def _table(title: str, rows: Iterable[ServiceRow]) -> ServicePanel:
    """Five columns over the whole width."""
    return ServicePanel(title, (4, 3, 4, 4, 4), tuple(rows), figures=True)


def _rows(desk: Desk, listed: Iterable[Meter], suffix: str = "") -> tuple[ServiceRow, ...]:
    """A head, and each meter with what it shows and what it has counted in this period."""
    head = row("", "Since first start", f"Period {desk.state.period}")
    return (head, *(_line(desk, meter, meter.key + suffix) for meter in listed))


def _line(desk: Desk, meter: Meter, key: str) -> ServiceRow:
    count, period = desk.state.meters.get(key, 0), in_period(desk.state, key)
    return row(meter.name, _shown(desk, meter.unit, count), _shown(desk, meter.unit, period))


def _shown(desk: Desk, unit: Unit, count: int) -> str:
    return desk.money(shown(count)) if unit is Unit.CENTS else f"{shown(count):,}"


def _since(desk: Desk, suffix: str) -> Iterable[ServiceRow]:
    for meter in meter_list.SINCE:
        yield row(meter.name, f"{shown(desk.state.meters.get(meter.key + suffix, 0)):,}", "")


# ---- occurrences


def occurrences(desk: Desk) -> Body:
    """How often somebody opened or did something, and how often anything failed."""
    resets = desk.state.meters.get("power_resets", 0)
    return _body(
        desk,
        f"{plural(resets, 'power reset', 'power resets')} since the first start".capitalize(),
        "A door that is found open at a start counts as an opening.",
        (_wide("OCCURRENCES", _rows(desk, (*meter_list.DOORS, *meter_list.CABINET))),),
    )


def fault_counts(desk: Desk) -> Body:
    counts = desk.state.meters
    seen = sorted((m for m in meter_list.FAULTS if counts.get(m.key)), key=lambda m: -counts[m.key])
    total = sum(counts[meter.key] for meter in seen)
    panel = ServicePanel(
        "FAULTS, MOST FREQUENT FIRST", (11, 5, 5), _rows(desk, seen[:FAULTS_SHOWN]), figures=True
    )
    return _body(
        desk,
        f"{plural(total, 'fault has', 'faults have')} begun".capitalize(),
        "Kinds that never came are left out.",
        (panel,) if seen else (),
    )


# ---- notes by value


def notes(desk: Desk) -> Body:
    """One line for each validator, or (with an argument) one for each value that it has taken."""
    return _notes_of(desk, desk.argument) if desk.argument else _all_notes(desk)


def _all_notes(desk: Desk) -> Body:
    state = desk.state
    heads = row("Validator", "Notes", "Value", "In the box now", "Their value")
    rows = [heads]
    for device, _ in desk.live.policy.validators:
        mine = [cents for name, cents in meter_list.notes_of(state) if name == device]
        count = sum(state.meters[f"bills.{device}.{cents}"] for cents in mine)
        value = sum(cents * state.meters[f"bills.{device}.{cents}"] for cents in mine)
        inside, inside_cents = (state.meters.get(f"{key}.{device}", 0) for key in ("in_box", "in_box_cents"))
        cells = (
            device,
            f"{shown(count):,}",
            desk.money(shown(value)),
            f"{inside:,}",
            desk.money(inside_cents),
        )
        rows.append(row(*cells))
    bills = state.meters.get("bills", 0)
    return _body(
        desk,
        f"{bills:,} notes are in" if bills else "No note is in yet",
        "A box counts from zero again when it is taken out.",
        (_table("NOTES BY VALIDATOR", rows),),
    )


def _notes_of(desk: Desk, device: str) -> Body:
    state = desk.state
    rows = [row("Value", "Notes", "Amount", f"Notes, period {state.period}", "Amount")]
    for name, cents in meter_list.notes_of(state):
        if name == device:
            key = f"bills.{device}.{cents}"
            count, period = state.meters[key], in_period(state, key)
            rows.append(
                row(
                    desk.money(cents),
                    f"{shown(count):,}",
                    desk.money(shown(cents * count)),
                    f"{shown(period):,}",
                    desk.money(shown(cents * period)),
                )
            )
    some = len(rows) > 1
    return _body(
        desk,
        f"Notes in {device}",
        "Since the first start, and in this period." if some else "It has taken none yet.",
        (ServicePanel(f"{device.upper()}, NOTES BY VALUE", (4, 3, 4, 4, 4), tuple(rows), figures=True),)
        if some
        else (),
    )


# ---- house rules


def rule_sets(desk: Desk) -> Body:
    """What each set of house rules has taken and given back, beside what its mathematics say."""
    state, policy = desk.state, desk.live.policy
    now = rule_set(policy.rules)
    listed = [name for name in meter_list.rule_sets_of(state) if name != now][: RULE_SETS_SHOWN - 1]
    theory = policy.theoretical_return or "not known"
    rows = [row("Rule set", "Games", "Bets", "Wins with stakes", "Return", "Theory")]
    rows.append(_rule_set(desk, now, theory))
    rows += [_rule_set(desk, name, "-") for name in listed]
    return _body(
        desk,
        f"Theoretical return {theory}",
        f"Of the rules in force, {now}, with the best play of the help page's chart.",
        (ServicePanel("BY SET OF HOUSE RULES", (6, 4, 5, 5, 3, 3), tuple(rows), figures=True),),
    )


def _rule_set(desk: Desk, name: str, theory: str) -> ServiceRow:
    counts = desk.state.meters
    games, bets, back, won = (counts.get(f"rules.{name}.{meter.key}", 0) for meter in meter_list.OF_RULES)
    kept = bets - back
    paid = f"{won * 10_000 // kept // 100}.{won * 10_000 // kept % 100:02d} %" if kept else "-"
    return row(name, f"{shown(games):,}", desk.money(shown(bets)), desk.money(shown(won)), paid, theory)


# ---- hard meters


def hard_meters(desk: Desk) -> Body:
    """The electromechanical counters: what they were given, and pulses that are still to be given."""
    state, policy = desk.state, desk.live.policy
    owed = sum(state.pulses.values())
    rows = [row("Counter", "Panel", "Pulses given", "It follows", "Owes")]
    for meter, panel in policy.meters:
        left = state.pulses.get(meter, 0)
        metered = f"{state.meters.get(f'pulses.{meter}', 0):,}"
        follows = desk.money(shown(pulsed.counted_cents(state, meter)))
        rows.append(row(meter.removeprefix("meter."), panel, metered, follows, str(left)))
    return _body(
        desk,
        f"Hard meters owe {plural(owed, 'pulse', 'pulses')}",
        f"One pulse is {desk.money(policy.pulse_cents)}. After a loss of power up to ten may come twice.",
        (ServicePanel("HARD METERS", (3, 3, 4, 4, 3), tuple(rows), figures=True),),
        good=not owed,
    )


# ---- the period


def period(desk: Desk) -> Body:
    state = desk.state
    if state.period_wall_ms:
        begun = f"on {day(state.period_wall_ms)} at {clock(state.period_wall_ms)[:8]}"
    else:
        begun = "with the first start"
    return _body(
        desk,
        f"Period {state.period} began {begun}",
        "A new one begins at zero, and is recorded. The meters themselves stay.",
        (_money_panel(desk, ""), _play_panel(desk, "")),
    )
