"""The state of the cabinet: the fold of facts and nothing else, its accounts and its meters.

For all of the core, and for whoever replays a journal.
"""

from cabinet.core.state.state import (
    SCHEMA,
    Book,
    Handpay,
    Move,
    OpenNote,
    OpenTicket,
    Paper,
    State,
)

__all__ = [
    "SCHEMA",
    "Book",
    "Handpay",
    "Move",
    "OpenNote",
    "OpenTicket",
    "Paper",
    "State",
    "book",
    "fold",
    "identity",
    "ledger",
    "meters",
]
