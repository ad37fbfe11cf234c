"""Every named moment of the screen is there, comes from the program itself, and is the same twice."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from cabinet.core.look import CashOutState, Scene, SeatState
from cabinet.lab.moments import shots
from cabinet.lab.moments import stories as moments
from cabinet.lab.moments.stage import SEVEN, Shot, Stage, Story, StoryError, config_of
from support.screens import kinds

SMALL = (640, 360)
WANTED = """
attract-title attract-demonstration attract-how-to-play attract-house-rules note-inside first-credit
place-your-bets betting dealing first-decision deciding waiting-for-one three-hands all-split split-aces
continuation-card-flies completion many-cards dealer-draws settlement settlement-split bust blackjack
blackjack-push dealer-blackjack dealer-bust twenty-one time-out refused ticket-printing take-your-ticket
printer-queue handpay large-win ticket-in-doubt door-open storage-tilt validator-jam no-tickets paper-low
game-restored service-root service-status service-meters service-devices service-validator service-frames
service-inputs attendant-matters solo-attract solo-bet solo-deciding solo-split solo-win solo-ticket
service-meters-seat service-meters-notes service-meters-period
press-buy-in notes-go-to-seat help-how-to-play help-house-rules help-plain-words help-in-seat
"""


def story(name: str) -> Story:
    return next(each for each in moments.STORIES if each.name == name)


def named(shots_of: Iterable[Shot]) -> dict[str, Shot]:
    return {shot.name: shot for shot in shots_of}


@cache
def told(each: Story) -> tuple[Shot, ...]:
    return tuple(moments.shots_of(each))


def seats(shot: Shot) -> list[SeatState]:
    steps = [step for step in shot.view.steps if step.from_ms <= shot.now_ms] or [shot.view.steps[0]]
    return [seat.state for seat in steps[-1].seats]


def test_the_list_has_every_moment_once_in_a_group() -> None:
    names = moments.names()
    assert set(WANTED.split()) <= set(names)
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)  # they are file names
    assert {each.group for each in moments.STORIES} == set(moments.GROUPS)


@pytest.mark.parametrize(
    "each", [each for each in moments.STORIES if each.group != "past"], ids=lambda each: each.name
)
def test_every_story_comes_to_its_last_moment(each: Story) -> None:
    """A change of what the program waits for must not leave a story, and with it all pictures, behind."""
    assert tuple(shot.name for shot in told(each)) == each.moments


def test_all_that_a_screen_can_show_is_in_some_picture() -> None:
    """A scene, a state of a seat, a phase or a cell that is new needs a moment in `cabinet/lab/moments`."""
    shown = [shot.view for each in moments.STORIES if each.group != "past" for shot in told(each)]
    # The sign of a key stands on one lock-up only, that of new settings: it needs a second cabinet file.
    assert kinds.missing(shown) == {"LockIcon.KEY"}


def test_seven_seats_are_the_table_with_two_more_of_everything() -> None:
    config = config_of(SEVEN)
    assert [device.seats for device in config.devices if device.seats] == [
        (seat,) for seat in range(1, 8)
    ] * 2
    panel = config.devices[-1].options
    lines = [*panel["inputs"].values(), *panel["outputs"].values(), *panel["meters"].values()]
    assert len(set(lines)) == len(lines)
    assert {name for name in panel["inputs"] if name.startswith("seat7.")} == {
        name.replace("1", "7", 1) for name in panel["inputs"] if name.startswith("seat1.")
    }


def test_a_split_is_told_from_scripted_cards_by_the_program_itself() -> None:
    shots_of = named(told(story("split")))
    three = shots_of["three-hands"]
    assert [len(hand.cards) for hand in three.view.hands] == [3, 2, 1]
    assert seats(three) == [
        SeatState.TURN,
        SeatState.STOOD,
        SeatState.DECIDED,
        SeatState.STOOD,
        SeatState.TURN,
    ]
    settled = shots_of["settlement-split"]
    assert seats(settled) == [
        SeatState.WIN,
        SeatState.LOSE,
        SeatState.WIN,
        SeatState.WIN,
        SeatState.PUSH,
    ]


def test_power_cuts_and_keys_are_part_of_a_story() -> None:
    shots_of = named(told(story("in-doubt")))
    doubt = shots_of["ticket-in-doubt"].view.steps[-1].seats
    assert [seat.ticket.state for seat in doubt if seat.ticket] == [CashOutState.HANDPAY, CashOutState.ASK]
    page = shots_of["attendant-answer"].view
    assert page.scene is Scene.SERVICE
    assert page.service is not None
    assert page.service.cursor == 1
    assert sum(name.startswith("Seat") for name in page.service.menu) == 5


def test_the_same_moment_is_the_same_pixels() -> None:
    first, second = (list(shots.take(("all-split",), SMALL)) for _ in range(2))
    assert [png for _, png in first] == [png for _, png in second]
    assert first[0][1].startswith(b"\x89PNG")


def test_a_picture_for_documents_has_256_colours_and_is_small() -> None:
    (_, full), (_, small) = (
        next(iter(shots.take(("blackjack",), SMALL, palette=palette))) for palette in (False, True)
    )
    assert len(small) * 2 < len(full)
    with Image.open(io.BytesIO(small)) as picture:
        assert (picture.mode, picture.size) == ("P", SMALL)


def test_pictures_and_a_sheet_that_names_them_all(tmp_path: Path) -> None:
    run = CliRunner().invoke(
        shots.shots,
        ["--out", str(tmp_path), "--size", "640x360", "--only", "blackjack", "--only", "door-open"],
    )
    assert run.exit_code == 0, run.output
    sheet = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert sorted(re.findall(r'src="([^"]+)"', sheet)) == ["blackjack.png", "door-open.png"]
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("blackjack.png", "door-open.png"))
    assert len(re.findall(r'alt="[^"]{20,}"', sheet)) == 2
    assert "[  2/2] door-open" in run.stderr


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--size", "huge"], "is not WIDTHxHEIGHT"),
        (["--size", "320x200"], "from 640x360 to 3840x2160"),
        (["--only", "jackpot"], "no moment jackpot"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path: Path, given: list[str], said: str) -> None:
    run = CliRunner().invoke(shots.shots, ["--out", str(tmp_path), *given])
    assert run.exit_code != 0
    assert said in run.output


def test_the_list_is_printed_without_playing() -> None:
    run = CliRunner().invoke(shots.shots, ["--list"])
    assert run.output.split() == list(moments.names())


def test_a_story_that_shows_something_else_is_an_error() -> None:
    wrong = Story("wrong", "bets", "table5", "", ("promised",), lambda stage: stage.shoot("other", "Other"))
    with pytest.raises(StoryError, match="other"):
        moments.shots_of(wrong)


def test_waiting_for_what_never_comes_is_an_error(tmp_path: Path) -> None:
    stage = Stage(Story("idle", "bets", "slot1", "", (), lambda _stage: None), tmp_path)
    try:
        with pytest.raises(StoryError, match="no miracle within"):
            stage.until("miracle", lambda _state, _live: False)
    finally:
        stage.close()
