"""What the laboratory asks of a simulated ticket printer, whatever language it speaks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Protocol

from PIL import Image


class Printed(Protocol):
    """What a host's books could compare: the number in the bar code and the amount in figures."""

    @property
    def validation(self) -> str: ...
    @property
    def figures(self) -> str: ...


class PrinterPaper(Protocol):
    """One piece of paper that came out. `LYING`: it is read with its long side across."""

    LYING: ClassVar[bool]

    @property
    def at_ms(self) -> int: ...
    @property
    def text(self) -> Printed: ...
    @property
    def complete(self) -> bool:
        """A whole ticket, which is worth its amount."""
        ...

    @property
    def cents(self) -> int: ...
    @property
    def small_print(self) -> Sequence[str]:
        """Lines, one of which ends with the seat."""
        ...

    def picture(self) -> Image.Image: ...


class PrinterMechanics(Protocol):
    """Where the paper is, and the machine's own books."""

    @property
    def tray(self) -> Sequence[PrinterPaper]: ...
    @property
    def printed_count(self) -> int: ...
    @property
    def printed_cents(self) -> int: ...
    @property
    def spoilt_count(self) -> int: ...
    @property
    def stage(self) -> str: ...


class PrinterMachine(ABC):
    """A Machine (see drivers.sim.wire) that prints tickets."""

    FAULTS: Mapping[str, str]

    # ---- the wire

    @property
    @abstractmethod
    def wake_at(self) -> int | None: ...
    @abstractmethod
    def receive(self, data: bytes, now_ms: int) -> None: ...
    @abstractmethod
    def tick(self, now_ms: int) -> bytes: ...
    @abstractmethod
    def inject(self, fault: str, now_ms: int) -> None: ...
    @abstractmethod
    def power_off(self, now_ms: int) -> None: ...
    @abstractmethod
    def power_on(self, now_ms: int) -> None: ...

    # ---- its paper

    @property
    @abstractmethod
    def mechanics(self) -> PrinterMechanics: ...

    @property
    def printed_count(self) -> int:
        """Whole tickets."""
        return self.mechanics.printed_count

    @property
    def printed_cents(self) -> int:
        return self.mechanics.printed_cents

    @property
    def spoilt_count(self) -> int:
        """Tickets that stopped on the way."""
        return self.mechanics.spoilt_count

    @property
    def stage(self) -> str:
        """How far a ticket has come: "ticket ordered", "ticket printing", "ticket proven"; "" for none."""
        return self.mechanics.stage

    @property
    @abstractmethod
    def tray(self) -> Sequence[PrinterPaper]:
        """All paper that came out, oldest first, as far as it was not swept up."""

    @property
    @abstractmethod
    def ordered(self) -> list[str]:
        """The numbers of the tickets that it has begun or will begin, as far as it knows them."""

    @property
    @abstractmethod
    def paper_count(self) -> int:
        """All paper that ever came out."""

    @property
    @abstractmethod
    def paper_left(self) -> str: ...

    @property
    @abstractmethod
    def paper_stands(self) -> bool:
        """Paper is outside that nobody has taken."""

    @property
    @abstractmethod
    def trouble(self) -> str:
        """What somebody sees who stands before it; "" if nothing is wrong."""

    @abstractmethod
    def sweep(self, kept: int) -> None:
        """Old paper is swept up."""

    @abstractmethod
    def take(self) -> PrinterPaper | None:
        """Somebody takes what came out last; None if nothing is there."""


def newest_of(printer: PrinterMachine, seat: int) -> str:
    """The number on the newest whole ticket that this seat got from the printer; "" for none."""
    papers: Iterable[PrinterPaper] = reversed(list(printer.tray))
    mine = (paper for paper in papers if paper.complete and _names(paper, seat))
    return next((paper.text.validation for paper in mine), "")


def _names(paper: PrinterPaper, seat: int) -> bool:
    return any(line.endswith(f"SEAT {seat}") for line in paper.small_print)
