"""The simulated printers of all languages, for those who stand before them and not behind their wire.

What both kinds have: ``tray`` (papers with ``complete``, ``text.validation``, ``cents``, ``at_ms`` and
``picture()``), ``printed_count``, ``printed_cents``, ``spoilt_count``, ``paper_left``, ``paper_stands``,
``stage``, ``trouble`` and ``take()``.
"""

from __future__ import annotations

from collections.abc import Iterable

from drivers.sim.escpos import EscPosMachine
from drivers.sim.escpos.paper import Strip
from drivers.sim.tcl import TclMachine
from drivers.sim.tcl.paper import PrintedTicket

Printer = TclMachine | EscPosMachine
Paper = PrintedTicket | Strip


def newest_of(printer: Printer, seat: int) -> str:
    """The number on the newest whole ticket that this seat got from the printer; "" for none."""
    papers: Iterable[Paper] = reversed(list(printer.tray))
    mine = (paper for paper in papers if paper.complete and _names(paper, seat))
    return next((paper.text.validation for paper in mine), "")


def _names(paper: Paper, seat: int) -> bool:
    lines = paper.lines if isinstance(paper, Strip) else [paper.text.small_print]
    return any(line.endswith(f"SEAT {seat}") for line in lines)
