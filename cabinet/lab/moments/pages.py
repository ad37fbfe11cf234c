"""Moments of the attract loop, the help and the pages behind the service key; the one-seat form."""

from __future__ import annotations

from cabinet.core.look import TablePhase
from cabinet.lab.moments.stage import SEVEN, Stage, Story

TABLE, SLOT = "table5", "slot1"
SLOT_MS = 4_000  # the attract loop changes so often
LOOP_MS = 8 * SLOT_MS
MENU = {"status": 0, "matters": 1, "meters": 2, "devices": 3, "inputs": 4, "recall": 5, "logs": 6}


# ---- nobody is here


def _attract(stage: Stage) -> None:
    stage.wait(4_000)
    began_ms = stage.view().attract_ms + LOOP_MS  # the second time round: devices have told their state
    for place, later_ms, name, caption in (
        (0, 3_000, "attract-title", "The title, and a demonstration that deals its first cards"),
        (2, 500, "attract-demonstration", "The demonstration draws a card; who stood keeps the total"),
        (5, 3_000, "attract-results", "The demonstration has ended"),
        (6, 3_000, "attract-how-to-play", "Four pictures of how it is played"),
        (7, 3_000, "attract-house-rules", "The house rules and the limits"),
    ):
        stage.wait_for(began_ms + place * SLOT_MS + later_ms)
        stage.shoot(name, caption)


def _attract_seven(stage: Stage) -> None:
    stage.wait(4_000)
    stage.wait_for(stage.view().attract_ms + 13 * SLOT_MS + 3_000)
    stage.shoot("attract-seven-seats", "The same with seven seats")


# ---- help


def _help(stage: Stage) -> None:
    stage.notes({2: 40})
    stage.wait(1_000)
    for page, name, caption in (
        (1, "help-how-to-play", "Help, page 1: how it is played"),
        (2, "help-house-rules", "Help, page 2: every rule of this house"),
        (3, "help-plain-words", "Help, page 3: what is said in plain words"),
        (4, "help-chart", "Help, page 4: the best play for the rules of this table"),
    ):
        stage.press("2.help")
        stage.until("page", lambda _, live, wanted=page: live.help_open(2) == wanted)  # type: ignore[misc]
        stage.wait(300)
        stage.shoot(name, caption)


# ---- behind the service key


def _open(stage: Stage, place: int) -> None:
    """From the top of a list, to an item and in."""
    for _ in range(place):
        stage.press("1.bet_plus")
    stage.press("1.deal")
    stage.wait(250)


def _back(stage: Stage) -> None:
    stage.press("1.cash_out")
    stage.wait(200)


def _service(stage: Stage) -> None:
    stage.notes({1: 100, 2: 60, 3: 45})
    stage.bet({1: 10, 2: 20})
    stage.deal()
    stage.all_say("stand")
    stage.until_settled()
    stage.fault("validator4.jam_acceptor")
    stage.fault("printer5.paper_low")
    stage.fault("printer3.head_open")
    stage.wait(3_000)
    stage.switch("key.service", True)
    stage.wait(3_500)
    stage.shoot("service-root", "The service key is turned: faults first, then program and table")
    for place, name, caption in (
        (MENU["status"], "service-status", "Status"),
        (MENU["meters"], "service-meters", "Soft meters, the identity that proves them, hard meters"),
        (MENU["devices"], "service-devices", "All devices with what they say"),
    ):
        _open(stage, place)
        stage.shoot(name, caption)
        if place != MENU["devices"]:
            _back(stage)
    stage.press("1.deal")
    stage.wait(300)
    stage.shoot("service-validator", "One bill validator: its state, its link, its last frames")
    _open(stage, 0)
    stage.shoot("service-frames", "The last frames on the wire, with their meaning")
    for _ in range(3):
        _back(stage)
    _open(stage, MENU["inputs"])
    _open(stage, 2)
    stage.shoot("service-inputs", "Inputs as they are now; a lamp is switched on by hand")


def _service_meters(stage: Stage) -> None:
    stage.notes({1: 100, 2: 60, 3: 45})
    stage.bet({1: 10, 2: 20})
    stage.deal()
    stage.all_say("stand")
    stage.until_settled()
    stage.wait(3_000)
    stage.press("3.cash_out")
    stage.wait(12_000)
    stage.switch("door.main", True)
    stage.wait(1_000)
    stage.switch("door.main", False)
    stage.switch("key.service", True)
    stage.wait(3_500)
    _open(stage, MENU["meters"])
    for place, name, caption in (
        (0, "service-meters-seat", "The meters of one seat, and what proves them"),
        (5, "service-meters-doors", "What people opened and did"),
        (7, "service-meters-notes", "Notes by validator; a page below each has them by value"),
        (8, "service-meters-rules", "Each set of house rules has its own meters"),
        (9, "service-meters-hard", "Hard meters: what each was given and owes"),
        (10, "service-meters-period", "A period is ended here; the meters themselves stay"),
    ):
        _open(stage, place)
        stage.shoot(name, caption)
        _back(stage)


# ---- one seat


def _solo(stage: Stage) -> None:
    stage.wait(4_000)
    stage.wait_for(stage.view().attract_ms + 13 * SLOT_MS + 3_000)
    stage.shoot("solo-attract", "The one-seat form, with nobody at it")
    stage.notes({1: 200})
    stage.wait(1_000)
    stage.shoot("solo-credit", "Credit, and no clock")
    stage.bet({1: 10})
    stage.wait(500)
    stage.shoot("solo-bet", "A bet is in; DEAL is lit")
    stage.deal()
    stage.until("open choices", lambda state, _: bool(state.deciding()))
    stage.wait(278_000)
    stage.shoot("solo-deciding", "11 against a six: HIT, STAND and DOUBLE are lit")
    stage.press("1.split")
    stage.wait(300)
    stage.shoot("solo-refused", "SPLIT was pressed without a pair")
    stage.decide(seat1="double")
    stage.until_settled()
    stage.shoot("solo-win", "Doubled and won")
    stage.wait(3_000)
    stage.press("1.cash_out")
    stage.until("a ticket in print", lambda state, _: bool(state.tickets))
    stage.wait(2_000)
    stage.shoot("solo-ticket", "The ticket is being printed")


def _solo_split(stage: Stage) -> None:
    stage.notes({1: 60})
    stage.bet({1: 10})
    stage.deal()
    stage.decide(seat1="split")
    stage.until("split 1", lambda state, _: bool(state.deciding()) and len(state.moves) > 4)
    stage.wait(800)
    stage.shoot("solo-split", "A split pair: the first hand is played")
    stage.decide(seat1="hit")
    stage.decide(seat1="stand")
    stage.until("split 2", lambda state, _: state.round is not None and state.round.active == 2)
    stage.decide(seat1="stand")
    stage.until_phase(TablePhase.DEALER, -1, 300)
    stage.shoot("solo-dealer", "Both hands are complete, the dealer draws")
    stage.until_settled()
    stage.shoot("solo-even", "One hand won, one lost: even")


def _solo_nobody(stage: Stage) -> None:
    stage.notes({1: 60})
    stage.bet({1: 25})
    stage.deal()
    stage.decide(seat1="hit")
    stage.decide(seat1="stand")
    stage.until_phase(TablePhase.COMPLETE, -1, 100)
    stage.shoot("solo-completion", "A continuation card goes beside the hand")
    stage.until_settled()
    stage.shoot("solo-push", "A push: the bet comes back")


def _solo_bust(stage: Stage) -> None:
    stage.notes({1: 60})
    stage.bet({1: 25})
    stage.deal()
    stage.decide(seat1="hit")
    stage.until_settled()
    stage.shoot("solo-bust", "Over 21: the bet is lost, the dealer draws nothing")


STORIES = (
    Story(
        "attract", "attract", TABLE, "",
        ("attract-title", "attract-demonstration", "attract-results", "attract-how-to-play",
         "attract-house-rules"), _attract,
    ),
    Story("attract-seven", "attract", SEVEN, "", ("attract-seven-seats",), _attract_seven),
    Story(
        "help", "help", TABLE, "",
        ("help-how-to-play", "help-house-rules", "help-plain-words", "help-chart"), _help,
    ),
    Story(
        "service", "people", TABLE, "10H 9C 7S 5C 8D 6C",
        ("service-root", "service-status", "service-meters", "service-devices", "service-validator",
         "service-frames", "service-inputs"), _service,
    ),
    Story(
        "service-meters", "people", TABLE, "10H 9C 7S 5C 8D 6C",
        ("service-meters-seat", "service-meters-doors", "service-meters-notes", "service-meters-rules",
         "service-meters-hard", "service-meters-period"), _service_meters,
    ),
    Story(
        "solo", "solo", SLOT, "5H 6C 6D 9S 10C 7D 10H",
        ("solo-attract", "solo-credit", "solo-bet", "solo-deciding", "solo-refused", "solo-win",
         "solo-ticket"), _solo,
    ),
    Story(
        "solo-split", "solo", SLOT, "8H 8C 10D 3S 9C 7D 2S 6S 9D 7C",
        ("solo-split", "solo-dealer", "solo-even"), _solo_split,
    ),
    Story("solo-nobody", "solo", SLOT, "10H 4C 7D 3S 9C 10S", ("solo-completion", "solo-push"), _solo_nobody),
    Story("solo-bust", "solo", SLOT, "10H 6C 9D KD", ("solo-bust",), _solo_bust),
)  # fmt: skip
