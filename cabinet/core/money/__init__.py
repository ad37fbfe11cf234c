"""Money in and out: notes, tickets, hand payments, hard meters; what they wait for.

For the decider and the staff's acts.
"""

__all__ = [
    "amounts",
    "binding",
    "cashier",
    "clock",
    "hard_meters",
    "patience",
    "payout",
    "receipts",
    "ticket_in",
]
