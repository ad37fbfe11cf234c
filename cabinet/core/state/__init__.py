"""The state of the cabinet: the fold of facts and nothing else, its accounts and its meters.

For all of the core, and for whoever replays a journal.
"""

from cabinet.core.state.state import (
    SCHEMA,
    Handpay,
    Move,
    OpenNote,
    OpenTicket,
    Paper,
    SeatRecord,
    State,
)

__all__ = [
    "SCHEMA",
    "Handpay",
    "Move",
    "OpenNote",
    "OpenTicket",
    "Paper",
    "SeatRecord",
    "State",
    "book",
    "fold",
    "identity",
    "ledger",
    "meters",
]
