"""Every presentation time, in one place (milliseconds).

The decider uses them to know when a card has landed and a decision may open; the window uses
the same numbers to draw the flight. `paced(n)` makes everything that a person watches n times
quicker (the lab's ``--pace``); what a device or a wire needs is not in here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Timing:
    deal_flight_ms: int = 320  # a card of the deal, from the shoe to its place
    deal_gap_ms: int = 180  # the next card of the deal starts this long after the one before
    draw_flight_ms: int = 360  # a card that was asked for
    continuation_flight_ms: int = 420  # continuation card
    between_cards_ms: int = 240  # still time between the landing of one and the start of the next
    lane_ms: int = 200  # the continuation lane opens
    split_ms: int = 400  # the pair slides apart
    before_dealer_ms: int = 500  # pause before the dealer's first drawn card
    before_settle_ms: int = 400  # the table stands still, then bets are settled
    lose_fade_ms: int = 200
    settle_pause_ms: int = 400
    win_fill_ms: int = 200
    win_stagger_ms: int = 80
    roll_ms: int = 600  # credit and win count up
    hold_result_ms: int = 2000  # at least so long is the settled table shown
    lamp_fade_ms: int = 120
    grid_fade_ms: int = 160
    refused_ms: int = 2500  # how long a refused press says why
    paper_refused_ms: int = (
        9000  # the same for a note or ticket: the guest first looks at the slot and takes it
    )
    restored_ms: int = 6000  # GAME RESTORED
    door_closed_ms: int = 4000
    help_seat_ms: int = 8000  # short help inside a seat's own panel
    help_page_ms: int = 45000  # full-screen help closes by itself
    take_ticket_call_ms: int = 5000

    def paced(self, pace: int) -> Timing:
        """The same presentation, `pace` times quicker; nothing becomes shorter than 1 ms."""
        if pace < 1:
            raise ValueError(f"pace must be 1 or more, not {pace}")
        return Timing(**{f.name: max(1, getattr(self, f.name) // pace) for f in fields(self)})

    @property
    def settle_ms(self) -> int:
        """From the first darkened cell until the last credit has counted up (seven seats)."""
        fill_ms = self.win_fill_ms + 7 * self.win_stagger_ms
        return self.lose_fade_ms + self.settle_pause_ms + fill_ms + self.roll_ms
