"""What the journal says of documents and of the seats' money, read fact by fact."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from cabinet.core import facts as f
from cabinet.core.facts import Fact


@dataclass(slots=True)
class Document:
    device: str
    seat: int
    cents: int
    number: str = ""
    paid: int = 0


@dataclass(slots=True)
class Books:
    """What the journal says, read fact by fact."""

    documents: dict[int, Document] = field(default_factory=dict)
    come_in: Counter[int] = field(default_factory=Counter)
    gone_out: Counter[int] = field(default_factory=Counter)
    out: dict[int, tuple[int, int]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    by_hand: int = 0

    def follow(self, fact: Fact) -> None:
        match fact:
            case f.NoteIntended():
                self.documents[fact.ref] = Document(fact.device, fact.seat, fact.cents)
            case f.RedeemIntended():
                self.documents[fact.ref] = Document(fact.device, fact.seat, fact.cents, fact.number)
            case f.NoteCredited(ref=ref) | f.TicketRedeemed(ref=ref):
                self._pay(ref)
            case f.NoteSettledByHand(ref=ref, in_box=in_box):
                self.by_hand += 1
                if in_box and ref:
                    self._pay(ref)
            case (
                f.TicketIntended(ref=ref, seat=seat, cents=cents)
                | f.HandpayOpened(ref=ref, seat=seat, cents=cents)
            ):
                self.out[ref] = (seat, cents)
                self.gone_out[seat] += cents
            case f.TicketVoided(ref=ref) | f.HandpayCancelled(ref=ref):
                seat, cents = self.out.pop(ref)
                self.gone_out[seat] -= cents

    def _pay(self, ref: int) -> None:
        document = self.documents[ref]
        document.paid += 1
        if document.paid > 1:
            self.problems.append(f"document {ref} was paid {document.paid} times")
        self.come_in[document.seat] += document.cents
