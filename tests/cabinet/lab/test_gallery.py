"""An evening leaves a page behind: pictures, tickets, grids and books that belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from cabinet.core.currency import USD
from cabinet.core.renewal import replace
from cabinet.lab import evening
from cabinet.lab.gallery import gallery
from cabinet.lab.gallery.gallery import Recorder
from cabinet.lab.gallery.kinds import KINDS
from cabinet.lab.gallery.text import books, round_text
from cabinet.lab.moments import stories as moments
from cabinet.lab.moments.stage import Stage, Story
from cabinet.lab.report import EveningReport
from cabinet.lab.table import LabOptions

EVENING = LabOptions(autoplay=True, virtual=True, wire="memory", rounds=3, seed=7, pace=4)


class Left:
    """What the evening left behind."""

    def __init__(self, out: Path, recorder: Recorder, report: EveningReport) -> None:
        self.out, self.recorder, self.report = out, recorder, report
        self.page = (out / "index.html").read_text(encoding="utf-8")
        self.files = re.findall(r'<img src="([^"]+)"', self.page)


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Left:
    out = tmp_path_factory.mktemp("shots")
    (out / "moment-99-old.png").write_bytes(b"of an earlier evening")
    (out / "notes.txt").write_text("mine")
    recorders: list[Recorder] = []
    report = evening.play(EVENING, "1.0", attach=lambda made: recorders.append(Recorder(made)))
    recorders[0].finish(recorders[0].table.runtime.live.now_ms)
    gallery.write(out, recorders[0], report, size=(640, 360))
    return Left(out, recorders[0], report)


def play(name: str, where: Path) -> Stage:
    """The stage of one of the stories."""
    return Stage(next(story for story in moments.STORIES if story.name == name), where)


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stage, Recorder]]:
    stage = play("split", tmp_path_factory.mktemp("split"))
    recorder = Recorder(stage.table)
    stage.story.play(stage)
    recorder.finish(stage.now_ms)
    yield stage, recorder
    stage.close()


def test_every_picture_of_the_page_is_a_file_and_every_file_is_on_the_page(left: Left) -> None:
    assert left.files
    assert sorted(left.files) == sorted(path.name for path in left.out.glob("*.png"))
    for name in left.files:
        with Image.open(left.out / name) as picture:
            assert picture.size in ((640, 360), (1240, 500))
    assert (left.out / "notes.txt").read_text() == "mine"


def test_the_page_needs_nothing_from_outside(left: Left) -> None:
    references = re.findall(r'(?:href|src)="([^"]+)"|url\(([^)]{1,40})', left.page)
    for attribute, url in references:
        target = attribute or url
        assert target.startswith(("#", "data:", "moment-", "ticket-")), target
    assert "<script" not in left.page
    anchors = set(re.findall(r'href="#([^"]+)"', left.page))
    assert anchors == set(re.findall(r'id="([^"]+)"', left.page))


def test_every_picture_is_told_in_words(left: Left) -> None:
    told = re.findall(r'<img src="moment-[^"]+" alt="([^"]+)"', left.page)
    assert len(told) == sum(name.startswith("moment-") for name in left.files)
    assert all(len(alt) > 30 for alt in told)
    assert any(re.search(r"Dealer \S+ .*Common hand .*Seat \d", alt) for alt in told)


def test_an_evening_shows_its_ordinary_moments_in_their_order(left: Left) -> None:
    groups = left.recorder.pictures()
    kinds = {kept.kind for group in groups for kept in group}
    assert {"attract", "note", "betting", "dealing", "deciding", "waiting", "settlement", "take"} <= kinds
    times = [group[0].ms for group in groups]
    assert times == sorted(times)
    assert len(groups) <= 2 * len(KINDS)


def test_every_ticket_is_a_picture_with_its_amount(left: Left) -> None:
    papers = [paper for printer in left.recorder.table.world.printers for paper in printer.tray]
    assert len(papers) == len(left.report.sim_ticket_numbers) == sum("ticket-" in name for name in left.files)
    for paper in papers:
        assert f"Cash-out ticket for {USD.text(paper.cents)} from" in left.page


def test_every_round_has_its_grid(left: Left) -> None:
    assert [entry.number for entry in left.recorder.rounds] == [1, 2, 3]
    assert left.page.count("<pre>") == left.report.rounds == 3


def test_a_round_in_letters(split: tuple[Stage, Recorder]) -> None:
    stage, _ = split
    told = round_text(stage.state, stage.live.wall_ms)
    assert told.text.splitlines() == [
        "dealer   6H 2S 10D = 18",
        "pair     8S 8D 3C = 19   continued AD 4H, total 24",
        "split 1  8S 3D 9C = 20   continued KC, total 30",
        "split 2  8D 10D 7S = 25",
        "",
        "                  seat 1    seat 2    seat 3    seat 4    seat 5",
        "PAIR              -         16        -         19        -",
        "                            lose                win",
        "SPLIT 1           20        -         20 D      -         20",
        "                  win                 win                 win",
        "SPLIT 2           18        -         18        -         BUST",
        "                  push                push                bust",
        "pair, on 16       split     stand     split     hit       split",
        "pair, on 19                                     stand",
        "split 1, on 11    hit                 double              hit",
        "split 1, on 20    stand                                   stand",
        "split 2, on 18    stand               stand               hit",
        "",
        "bets              $40.00    $10.00    $75.00    $50.00    $30.00",
        "net               $20.00    -$10.00   $50.00    $50.00    $0.00",
    ]


def test_what_is_rare_is_found_when_it_happens(split: tuple[Stage, Recorder]) -> None:
    found = {kept.kind: kept for group in split[1].pictures() for kept in group}
    assert {"three-hands", "completion", "dealer", "win", "lose", "push", "bust", "double-win"} <= set(found)
    assert "blackjack" not in found
    assert "all-split" not in found
    three = found["three-hands"]
    assert three.at.start_ms <= three.ms < three.at.end_ms


def test_trouble_is_found_too(tmp_path: Path) -> None:
    stage = play("door", tmp_path)
    recorder = Recorder(stage.table)
    try:
        stage.story.play(stage)
        stage.switch("key.service", True)
        stage.switch("key.service", False)
    finally:
        stage.close()
    recorder.finish(stage.now_ms)
    kinds = {kept.kind for group in recorder.pictures() for kept in group}
    assert {"locked", "service"} <= kinds


def test_of_one_round_only_the_best_picture_of_a_kind_is_shown(tmp_path: Path) -> None:
    """One seat bets, then three do."""
    stage = Stage(Story("bets", "bets", "table5", "", (), lambda _stage: None), tmp_path)
    recorder = Recorder(stage.table)
    try:
        stage.notes({1: 20})
        stage.bet({1: 5})
        stage.notes({2: 20, 3: 20})
        stage.bet({2: 5, 3: 5})
        stage.wait(500)
        stage.press("1.deal")
        stage.wait(500)
        stage.press("2.deal")
    finally:
        stage.close()
    recorder.finish(stage.now_ms)
    bets = [kept for group in recorder.pictures() for kept in group if kept.kind == "betting"]
    assert [sum(seat.bet_cents > 0 for seat in kept.at.step.seats) for kept in bets] == [3]


def test_books_that_do_not_add_up_say_so(left: Left) -> None:
    def wrong_rows(made: EveningReport) -> list[str]:
        return [row.what for row in books(made, USD) if row.right is False]

    assert wrong_rows(left.report) == []
    assert "WRONG" not in left.page
    assert "Everything adds up." in left.page
    assert wrong_rows(replace(left.report, sim_tickets_cents=1)) == ["Tickets out"]
    twice = replace(left.report, sim_ticket_numbers=["1", "1"], ledger_sum_cents=5)
    assert wrong_rows(twice) == ["Sum of all accounts", "Ticket numbers"]
    assert books(replace(left.report, opening_credit_cents=100), USD)[0].what == "At the seats before"


def test_the_option_of_the_lab_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[Path, int, int]] = []

    def write(out: Path, recorder: Recorder, made: EveningReport, **_: object) -> Path:
        written.append((out, len(recorder.rounds), made.rounds))
        return out / "index.html"

    monkeypatch.setattr(gallery, "write", write)
    evening.play(replace(EVENING, rounds=1, shots=tmp_path), "1.0")
    assert written == [(tmp_path, 1, 1)]
