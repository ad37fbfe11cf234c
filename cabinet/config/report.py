"""What a cabinet file means, in words: the answer of ``cabinet check-config``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from cabinet.config import chart_file
from cabinet.config.checks import input_names, meter_names, output_names, smallest_amount
from cabinet.config.file import Config
from cabinet.config.tables import DeviceKind, DeviceTable, FileCopy, FramCopy
from cabinet.core.currency import CURRENCIES
from cabinet.core.money.amounts import days_in_words
from game.rules import Rules, Shuffle, Takes


def report(config: Config) -> str:
    """The whole report, without a newline at its end."""
    sections = (
        ("cabinet", _cabinet(config)),
        ("seats", _seats(config)),
        ("devices", _devices(config.devices)),
        (
            f"rules {config.cabinet.rules} ({config.rules_path})",
            house_text(config.rules, config.cabinet.seats),
        ),
        ("advice on the help page", _advice(config)),
        ("limits", _limits(config)),
    )
    lines = [f"{config.path}: good"]
    for title, rows in sections:
        lines.append(title)
        lines.extend(f"  {row}" for row in rows)
    return "\n".join(lines)


def house_text(rules: Rules, seats: int) -> Iterator[str]:
    """The house rules, one statement a line."""
    decks = "one deck" if rules.decks == 1 else f"{rules.decks} decks"
    if rules.shuffle is Shuffle.EVERY_ROUND:
        yield f"{decks}, shuffled before every round"
    else:
        yield f"{decks}, shuffled when the cut card is reached ({rules.cards_behind} cards stay behind it)"
    yield f"dealer {'hits' if rules.dealer_hits_soft_17 else 'stands on'} soft 17"
    yield f"blackjack pays {rules.blackjack_pays}"
    totals = rules.double_totals
    yield "double on " + ("any two cards" if totals == "any" else "hard " + _series(totals))
    yield f"double after split: {'yes' if rules.double_after_split else 'no'}"
    yield "split: " + (_series(rules.splittable) if rules.splittable else "never")
    takes_all = rules.dealer_blackjack_takes is Takes.ALL
    yield "a dealer blackjack takes " + ("all bets" if takes_all else "the original bet only")
    if seats == 1:
        yield f"no countdown; a hand stands after {rules.one_seat_seconds} s"
    else:
        yield f"{rules.bet_seconds} s to bet, {rules.decide_seconds} s to decide"
    yield f"rule set {rules.rules_hash[:16]}"


def _advice(config: Config) -> Iterator[str]:
    if config.advice is None:
        yield f"none: no strategy chart for these rules (charts/{chart_file.file_name(config.rules)})"
        yield f"to make one: cabinet par --rules {config.rules_path} --write-chart"
        return
    yield f"strategy chart {config.advice.chart.name!r}, odds {config.rules.odds_hash[:16]}"
    edge = config.advice.figures.get("house_edge_td_percent")
    if edge is not None:
        yield f"the house keeps {edge:.4f} % of the first bet from a player who follows it"


def _series(values: Iterable[object]) -> str:
    words = [str(value) for value in values]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _cabinet(config: Config) -> Iterator[str]:
    cabinet = config.cabinet
    yield f"{cabinet.name}, machine {cabinet.serial}, ticket machine id {cabinet.machine_id:06X}"
    yield f"{cabinet.establishment}, {cabinet.street}, {cabinet.city}"
    width, height = cabinet.resolution
    screen = f"{width} x {height}, {'full screen' if cabinet.fullscreen else 'in a window'}"
    yield f"screen {screen}; {cabinet.deck}-colour deck; volume {cabinet.volume_percent} %"
    yield f"texts {cabinet.language}, money and dates {cabinet.locale}, currency {cabinet.currency}"
    yield f"attract loop after {cabinet.attract_after_s} s"
    yield _second_copy(config.second_copy)


def _second_copy(copy: FileCopy | FramCopy | None) -> str:
    match copy:
        case FramCopy(bus=bus, address=address):
            return f"second copy of the money totals: FRAM at 0x{address:02x} on /dev/i2c-{bus}"
        case FileCopy(path=path):
            return f"second copy of the money totals: {path}"
    return "no second copy of the money totals"


def _seats(config: Config) -> Iterator[str]:
    for seat in range(1, config.cabinet.seats + 1):
        validator = config.serving(DeviceKind.BILL_VALIDATOR, seat)
        printer = config.serving(DeviceKind.TICKET_PRINTER, seat)
        yield (
            f"seat {seat}: notes by {validator.name}{' (shared: BUY IN)' if validator.shared else ''}, "
            f"tickets by {printer.name}{' (shared)' if printer.shared else ''}"
        )


def _devices(devices: tuple[DeviceTable, ...]) -> Iterator[str]:
    for device in devices:
        line = f"{device.kind.replace('_', ' ')} {device.name}: {device.driver}"
        if device.kind is DeviceKind.PANEL:
            counts = (input_names(device), output_names(device), meter_names(device))
            inputs, outputs, meters = (len(tuple(names)) for names in counts)
            yield f"{line}, {inputs} inputs, {outputs} outputs, {meters} hard meters"
        else:
            port = device.options.get("port")
            yield line + (f" at {port}" if port else "")


def _limits(config: Config) -> Iterator[str]:
    cabinet, rules = config.cabinet, config.rules
    money = CURRENCIES[cabinet.currency].text
    yield (
        f"bets {money(rules.min_bet_cents)} to {money(rules.max_bet_cents)} "
        f"in steps of {money(rules.bet_step_cents)}"
    )
    yield f"credit of a seat up to {money(cabinet.credit_limit_cents)}"
    good = days_in_words(cabinet.ticket_expiry_days)
    yield f"tickets up to {money(cabinet.ticket_limit_cents)}, good for {good}"
    if cabinet.tickets == "receipt":
        yield "tickets are receipts: only a cashier pays them"
    else:
        yield (
            'the desk pays tickets only behind the attendant\'s key ("Pay a ticket"), which closes them here;'
            ' where nobody can do that, set tickets = "receipt"'
        )
    large = cabinet.large_win_cents
    yield f"a win of {money(large)} or more is paid by hand" if large else "no win is too large for a ticket"
    yield f"one pulse of a hard meter is {money(cabinet.pulse_cents)}"
    behind = cabinet.pulse_cents - math.gcd(
        cabinet.pulse_cents, smallest_amount(cabinet, rules, config.devices)
    )
    if behind:
        yield f"hard meters carry up to {money(behind)} over: less than a pulse counts with the next amount"
