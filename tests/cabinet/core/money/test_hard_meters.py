"""Hard meters: what they owe, in which groups, from which panel, and what a cut may cost."""

from __future__ import annotations

from cabinet.core.conditions import Code
from cabinet.core.facts import PulseIntended
from cabinet.core.turn import AdoptDocument, GivePulses, ReleasePrinter
from drivers.device import PulsesDone
from support.evenings.evening import Evening


def test_hard_meters_get_their_pulses_in_groups_of_ten() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 2_500)
    given = [x for x in evening.acts if isinstance(x, GivePulses)]
    assert given == [GivePulses("panel1", "meter.in", 10), GivePulses("panel1", "meter.drop", 10)]
    evening.acts = []
    evening.feed(PulsesDone("panel1", 0, "meter.in", 10))
    evening.feed(PulsesDone("panel1", 0, "meter.in", 10))
    assert evening.ordered(GivePulses) == [
        GivePulses("panel1", "meter.in", 10),
        GivePulses("panel1", "meter.in", 5),
    ]
    evening.feed(PulsesDone("panel1", 0, "meter.in", 5))
    assert evening.state.pulses == {"meter.in": 0, "meter.drop": 25}


def test_a_group_that_was_not_confirmed_is_repeated_after_a_restart() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 1_500)
    evening.feed(PulsesDone("panel1", 0, "meter.in", 10))
    evening.crash()
    assert evening.ordered(GivePulses) == [
        GivePulses("panel1", "meter.in", 5),
        GivePulses("panel1", "meter.drop", 10),
    ]


def test_pulses_that_nobody_owes_are_not_counted() -> None:
    evening = Evening(seats=1)
    assert evening.feed(PulsesDone("panel1", 0, "meter.in", 3)).facts == ()
    evening.insert(1, 500)
    evening.feed(PulsesDone("panel1", 0, "meter.in", 9))
    assert evening.state.pulses["meter.in"] == 0


def test_what_is_left_below_a_pulse_is_not_lost() -> None:
    """Two tickets of $7.50 are fifteen pulses of a dollar, not fourteen."""
    evening = Evening(seats=1)
    for _ in range(2):
        evening.insert(1, 750)
        evening.press(1, "cash_out")
        evening.printed()
    owed = [
        x.count
        for x in evening.facts("PulseIntended")
        if isinstance(x, PulseIntended) and x.meter == "meter.out"
    ]
    assert owed == [7, 8]


def test_a_cabinet_without_hard_meters_owes_nothing() -> None:
    evening = Evening(seats=1, meters=())
    evening.insert(1, 10_000)
    assert evening.facts("PulseIntended") == []
    evening = Evening(seats=1, panels=())
    assert evening.acts == [ReleasePrinter("printer1"), AdoptDocument("validator1", None)]


def test_the_panel_that_has_the_meter_gives_its_pulses() -> None:
    meters = (("meter.drop", "panel2"), ("meter.in", "panel1"))
    evening = Evening(seats=1, panels=("panel1", "panel2"), meters=meters)
    evening.insert(1, 500)
    assert evening.ordered(GivePulses) == [
        GivePulses("panel2", "meter.drop", 5),
        GivePulses("panel1", "meter.in", 5),
    ]
    evening.feed(PulsesDone("panel2", 0, "meter.drop", 5))
    assert evening.state.pulses == {"meter.drop": 0, "meter.in": 5}


def test_an_order_that_a_panel_cannot_take_is_no_trouble_of_the_books() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 500)
    evening.acts = []
    assert evening.feed(PulsesDone("panel1", 0, "meter.in", 0)).facts == ()
    evening.advance(60_000)
    assert evening.live.trouble(Code.ACCOUNTING_ERROR) == ""
    assert evening.state.pulses["meter.in"] == 5, "it is owed still"
    assert evening.ordered(GivePulses) == [], "it is not asked again and again"
    evening.crash()
    assert GivePulses("panel1", "meter.in", 5) in evening.acts


def test_tickets_that_come_back_are_counted_like_notes() -> None:
    evening = Evening(seats=1)
    evening.insert(1, 500)
    evening.press(1, "cash_out")
    assert evening.insert_ticket(1, evening.printed().ticket.validation)
    owed = dict.fromkeys(("meter.in", "meter.out", "meter.drop"), 0)
    for fact in evening.facts("PulseIntended"):
        assert isinstance(fact, PulseIntended)
        owed[fact.meter] += fact.count
    assert owed == {"meter.in": 10, "meter.out": 5, "meter.drop": 10}
