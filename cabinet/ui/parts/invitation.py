"""The table without cards: place your bets, the shoe, an empty place for the dealer; or closed."""

from __future__ import annotations

from typing import Final

from cabinet.core.look import TablePhase
from cabinet.ui.draw import slots
from cabinet.ui.draw.layout import Layout
from cabinet.ui.draw.pen import Pen
from cabinet.ui.draw.slots import Slot
from cabinet.ui.draw.theme import CAPTION, HEADLINE, NOTE, TEXT, TEXT_2, TEXT_3, UNDER_HEADLINE
from cabinet.ui.moment import Moment
from cabinet.ui.parts import hand as lay

CAPTION_X: Final = 280
CAPTION_ROOM: Final = 204
SHOE_CARDS: Final = 5


def invitation(pen: Pen, at: Moment, shape: Layout) -> None:
    """Place your bets, the shoe, and an empty place for the dealer."""
    single = at.view.seats == 1
    pen.text(pen.word("caption.dealer", CAPTION, CAPTION_ROOM), CAPTION, TEXT_3, CAPTION_X, 111)
    hand_key = "caption.your_hand" if single else "caption.common_hand"
    pen.text(pen.word(hand_key, CAPTION, CAPTION_ROOM), CAPTION, TEXT_3, CAPTION_X, 371)
    lay.empty_place(pen, slots.dealer_slots(1, shape, recall=False)[0])
    words = (
        ("caption.place_bet", "caption.one_hand_you")
        if single
        else ("caption.place_bets", "caption.one_hand")
    )
    if at.step.phase is TablePhase.CLOSED:
        words = ("caption.table_closed", "caption.no_new_round")
    pen.lines(pen.word(words[0], HEADLINE, 680), HEADLINE, TEXT, 276, 523, 120)
    pen.text(pen.word(words[1], UNDER_HEADLINE, 700), UNDER_HEADLINE, TEXT_2, CAPTION_X, 716)
    shift = shape.zone_width - 744
    back = pen.kit.sprites.back(190)
    for number in range(SHOE_CARDS):
        slot = Slot(1000 + shift + 5 * number, 352 - 5 * number, 190, 266)
        lay.cast_shadow(pen, slot, 1.0)
        pen.place(back, slot.x, slot.y)
    if at.step.shoe_note is not None:
        text = pen.fit(at.step.shoe_note, NOTE, 264)
        pen.lines(text, NOTE, TEXT_2, 1110 + shift, 656, 36, "c")
