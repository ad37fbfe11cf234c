"""Tickets that the desk pays: what is outstanding, and the digits that prove who holds the paper."""

from __future__ import annotations

from cabinet.core.facts import NEVER_MS
from cabinet.core.look import ServicePanel
from cabinet.core.staff import desk as tickets
from cabinet.core.state.book import IssuedTicket
from cabinet.formats import day, plural, stamp
from cabinet.service.page import Body, Desk, row

_HEAD = ("Ticket #", "Printed", "At", "Amount", "Good until the end of")


def pay(desk: Desk) -> Body:
    """The outstanding tickets, the newest first; the menu beside them chooses one."""
    found = tickets.outstanding(desk.state, desk.live)
    first = int(desk.argument) * tickets.SHOWN
    shown = found[first : first + tickets.SHOWN]
    rows = (row(*_HEAD), *(row(*_line(desk, line)) for line in shown))
    total = desk.money(sum(line.cents for line in found))
    choose = "Choose the ticket number and amount of the paper. You then enter digits from it."
    return Body(
        headline=f"{plural(len(found), 'ticket is', 'tickets are')} outstanding".capitalize(),
        subline=desk.live.outcome or (choose if found else "Nothing is left to pay at the desk."),
        panels=(ServicePanel(f"OUTSTANDING, TOGETHER {total}", (3, 5, 3, 4, 6), rows, right=3),)
        if found
        else (),
        hint="Seat 1: BET - and BET + choose, DEAL enters.",
    )


def _line(desk: Desk, line: IssuedTicket) -> tuple[str, str, str, str, str]:
    last = "no day" if line.expires_ms >= NEVER_MS else day(line.expires_ms - 1)
    printed = stamp(line.wall_ms)[:16] if line.wall_ms else "not known"
    return f"{line.ticket_no:04d}", printed, f"seat {line.seat}", desk.money(line.cents), last


def pay_number(desk: Desk) -> Body:
    """The number as it stands on the paper, with the places that are asked for."""
    ref, digits = tickets.asked(desk.page)
    line = tickets.payable(desk.state, desk.live, ref)
    if line is None:
        return Body("This ticket cannot be paid now", "It is paid, over, or in a validator.", mark="warn")
    number, printed, seat, amount, last = _line(desk, line)
    return Body(
        headline=_places(digits, desk.live.cursor),
        subline="Enter the two groups of four digits before the last group on the paper.",
        panels=(
            ServicePanel(
                "TICKET",
                (1, 5),
                (
                    row("Ticket #", f"{number}, {seat}"),
                    row("Amount", amount),
                    row("Printed", printed),
                    row("Good until", last),
                ),
            ),
            ServicePanel(
                "BUTTONS OF SEAT 1",
                (1, 5),
                (
                    row("UP, DOWN", "BET - and BET +: another digit"),
                    row("ENTER", "DEAL: takes the digit"),
                    row("BACK", "CASH OUT: takes the last digit back"),
                ),
            ),
        ),
        mark="warn",
        hint=f"Digit {len(digits) + 1} of {tickets.COUNT}. Nothing is paid before the key confirms.",
    )


def _places(digits: str, chosen: int) -> str:
    """``xx-xxxx-48[3]_-____-xxxx``: the digits so far, the one that is chosen now, those to come."""
    places = [*digits, f"[{chosen}]", *"_" * tickets.COUNT][: tickets.COUNT]
    half = tickets.COUNT // 2
    return f"xx-xxxx-{''.join(places[:half])}-{''.join(places[half:])}-xxxx"
