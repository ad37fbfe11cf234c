"""Acts of the decider as calls of the drivers: one place where each is named."""

from __future__ import annotations

from cabinet.core import turn as acts
from cabinet.core.turn import Act
from drivers.device import BillValidator, TicketPrinter


def validator(device: BillValidator, act: Act) -> None:
    match act:
        case acts.AdoptDocument(document=document):
            device.adopt(document)
        case acts.StackNote():
            device.stack()
        case acts.ReturnNote():
            device.give_back()
        case acts.AcknowledgeNote():
            device.acknowledge()
        case acts.ResetValidator():
            device.reset()


def printer(device: TicketPrinter, act: Act) -> None:
    match act:
        case acts.ReleasePrinter():
            device.release()
        case acts.InquireTicket(ref=ref):
            device.inquire(ref)
        case acts.PrintTicket(ref=ref, ticket=ticket):
            device.print_ticket(ref, ticket)
        case acts.TicketRecorded(ref=ref):
            device.recorded(ref)
        case acts.MendPrinter():
            device.clear_fault()
