"""Whole stories at the table: notes in, play, tickets out."""

from __future__ import annotations

from support.evenings.evening import Evening


def test_a_note_a_round_and_a_ticket() -> None:
    evening = Evening(deal="10H 9S 7D 10C")  # 19 against a dealer's 17
    evening.deal(1)
    assert evening.lamps(1) == {"hit", "stand"}
    evening.press(1, "stand")
    evening.land()
    assert evening.state.credit(1) == 10_500
    evening.press(1, "cash_out")
    order = evening.printed()
    assert order.ticket.figures == "$105.00"
    assert evening.state.ledger["tickets_out"] == 10_500
    assert evening.state.ledger["house"] == -500


def test_seven_double_tapped_hits_draw_one_card() -> None:
    evening = Evening(seats=7, deal="5H 4S 7D 2C")
    evening.deal(*range(1, 8))
    for seat in range(1, 8):
        evening.press(seat, "hit", "hit")
    assert evening.state.round is not None
    assert len(evening.state.round.hands[0].cards) == 3
