"""What became of the last tickets, as every printer's driver remembers it: an order that is or may be on
paper is answered from here and never carried out a second time."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.device import TicketOutcome

OUTCOMES_KEPT = 32  # the owner asks again about its last ticket, never about an old one


@dataclass(frozen=True, slots=True)
class JobVerdict:
    """What became of one ticket, or of an order that was not carried out."""

    outcome: TicketOutcome
    detail: str = ""
    unsuitable: bool = False  # the template must not be used again before somebody has looked
    is_out: bool = False  # bytes of the order have left this program: never again under its number


class Outcomes(dict[int, JobVerdict]):
    """The verdicts by their tickets; the oldest of too many is forgotten."""

    def __setitem__(self, ref: int, verdict: JobVerdict) -> None:
        super().__setitem__(ref, verdict)
        if len(self) > OUTCOMES_KEPT:
            del self[next(iter(self))]

    def forbids(self, ref: int) -> JobVerdict | None:
        """Why `ref` is not ordered (again): its number is or may be in the printer or on paper."""
        known = self.get(ref)
        again = known is not None and known.outcome is TicketOutcome.NOT_STARTED and not known.is_out
        return None if again else known
