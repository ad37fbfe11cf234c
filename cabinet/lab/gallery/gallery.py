"""``--shots DIR``: an evening as pictures, tickets, grids and books, on one page that needs no network.

While the evening goes on, the recorder keeps pairs of a view and a time: the first and the best of
each kind of moment. Pictures are drawn and encoded when it is over, outside the loop.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from cabinet.core.live import Live
from cabinet.core.look import View
from cabinet.core.state import State
from cabinet.core.timing import Timing
from cabinet.lab.gallery.kinds import KINDS, Stretch, stretches
from cabinet.lab.gallery.page import GalleryPicture, PagePart, page
from cabinet.lab.gallery.text import RoundText, books, described, round_text
from cabinet.lab.report import EveningReport
from cabinet.program.presenter import complete_view, open_window
from drivers.sim.printers import PrinterPaper

if TYPE_CHECKING:
    from cabinet.lab.table import Table
    from cabinet.lab.world import World

ROUNDS_KEPT = 300  # grids on the page: the last ones; text of about 1 kB each
TICKETS_SHOWN = 120  # pictures on the page: the last ones of an evening
FRAME_MS = 15  # what is shown for less than a frame was not seen by anybody


@dataclass(frozen=True, slots=True)
class Kept:
    """A picture to be made: the view, the still picture in it, and the time."""

    kind: str
    score: int
    at: Stretch
    ms: int

    @property
    def wall_ms(self) -> int:
        return self.at.view.top.wall_ms + self.ms


class Recorder:
    """A watcher of committed states. What it holds is bounded by the number of kinds and `ROUNDS_KEPT`."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.timing: Timing = table.runtime.policy.timing
        self.rounds: deque[RoundText] = deque(maxlen=ROUNDS_KEPT)
        self.round_count = 0
        self._kept: dict[str, list[Kept]] = {}
        self._shown: tuple[State, Live] | None = None
        self._page: View | None = None
        self._round = -1
        table.watchers.append(self.watch)

    def watch(self, state: State, live: Live) -> None:
        """A new state is published: what was shown until now can be judged."""
        self._judge(live.now_ms)
        self._shown = state, live
        # Pages behind a key ask the devices, so they are made while they are open.
        self._page = complete_view(state, live, self.table.runtime.devices, 0) if live.key else None
        if state.round is not None and state.settled_ms is not None and state.round_number != self._round:
            self._round = state.round_number
            self.round_count += 1
            self.rounds.append(round_text(state, live.wall_ms))

    def finish(self, now_ms: int) -> None:
        """The evening is over."""
        self._judge(now_ms)
        self._shown = None

    def _judge(self, until_ms: int) -> None:
        if self._shown is None:
            return
        state, live = self._shown
        if until_ms - live.now_ms < FRAME_MS:
            return
        view = self._page or complete_view(state, live, self.table.runtime.devices, 0)
        for stretch in stretches(view, live.now_ms, until_ms, self.timing):
            if stretch.end_ms - stretch.start_ms >= FRAME_MS:
                self._classify(stretch)

    def _classify(self, stretch: Stretch) -> None:
        for kind, (_, find) in KINDS.items():
            found = find(stretch)
            if found is None:
                continue
            kept = self._kept.setdefault(kind, [])
            new = Kept(kind, *found[:1], stretch, found[1])
            if len(kept) < 2:
                if not kept or new.score > kept[0].score:
                    kept.append(new)
            elif new.score > kept[1].score:
                kept[1] = new

    def pictures(self) -> list[list[Kept]]:
        """In the order of the evening; what would be the same picture stands together."""
        groups: dict[tuple[int, int, str], list[Kept]] = {}
        for kind in KINDS:
            kept_ones = self._kept.get(kind, [])
            if len({kept.at.view.top.round_number for kept in kept_ones}) == 1:
                kept_ones = kept_ones[-1:]  # two of one round would be nearly the same
            for kept in kept_ones:
                key = (kept.ms, kept.at.step.from_ms, kept.at.view.scene.value)
                groups.setdefault(key, []).append(kept)
        return sorted(groups.values(), key=lambda group: group[0].ms)

    def write(self, out: Path, made: EveningReport) -> None:
        """The whole gallery of the evening that is over; tells on stderr how far it is."""
        self.finish(self.table.runtime.live.now_ms)
        path = write(out, self, made, say=lambda line: print(line, file=sys.stderr))
        print(path, file=sys.stderr)


def write(
    out: Path,
    recorder: Recorder,
    made: EveningReport,
    *,
    size: tuple[int, int] | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> Path:
    """Draw everything into `out`; the page's path. `say` hears of the progress."""
    out.mkdir(parents=True, exist_ok=True)
    for stale in [*out.glob("moment-*.png"), *out.glob("ticket-*.png")]:
        stale.unlink()  # of an earlier evening; nothing else in the folder is touched
    shown = list(_moments(out, recorder, size, say))
    papers = list(_tickets(out, recorder.table.world, recorder))
    say(f"{len(shown)} pictures, {len(papers)} tickets")
    path = out / "index.html"
    path.write_text(_page_of(recorder, made, shown, papers), encoding="utf-8")
    return path


def _moments(
    out: Path, recorder: Recorder, size: tuple[int, int] | None, say: Callable[[str], None]
) -> Iterator[GalleryPicture]:
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"  # the run's own window is closed
    config = recorder.table.world.config
    window = open_window(config, recorder.timing, lab=True, size=size)
    words, groups = window.kit.words, recorder.pictures()
    try:
        for number, group in enumerate(groups, 1):
            first = group[0]
            titles = [KINDS[kept.kind][0] for kept in group]
            name = f"moment-{number:02}-{first.kind}.png"
            (out / name).write_bytes(window.png(first.at.view, first.ms))
            alt = f"{'; '.join(titles)}. {described(first.at.view, first.at.step, words, first.ms)}"
            width, height = size or config.cabinet.resolution
            yield GalleryPicture(name, "; ".join(titles), _when(first), alt, width, height)
            say(f"[{number}/{len(groups)}] {name}")
    finally:
        window.close()


def _when(kept: Kept) -> str:
    number = kept.at.view.top.round_number
    return f"{f'Round {number}, ' if number else ''}{_clock(kept.wall_ms)}"


def _clock(wall_ms: int) -> str:
    return f"{datetime.fromtimestamp(wall_ms // 1000, UTC):%H:%M:%S}"


def _tickets(out: Path, world: World, recorder: Recorder) -> Iterator[GalleryPicture]:
    """Every paper that came out, lying as it is read."""
    wall_ms = recorder.table.runtime.live.wall_base_ms
    money = recorder.table.runtime.policy.currency.text
    papers: list[tuple[int, str, PrinterPaper]] = []
    for name in world.wires:
        if name in {printer for printer, _ in recorder.table.runtime.policy.printers}:
            papers += [(paper.at_ms, name, paper) for paper in world.printer(name).tray]
    papers.sort(key=lambda entry: entry[:2])
    for number, (at_ms, name, paper) in enumerate(papers[-TICKETS_SHOWN:], 1):
        file = f"ticket-{number:03}.png"
        picture = paper.picture()
        if paper.LYING:
            picture = picture.transpose(Image.Transpose.ROTATE_90)
        picture.save(out / file, optimize=True)
        state = "" if paper.complete else ", not complete"
        note = f"{name}, {_clock(wall_ms + at_ms)}{state}"
        alt = f"Cash-out ticket for {money(paper.cents)} from {name}{state}"
        yield GalleryPicture(file, money(paper.cents), note, alt, *picture.size)


# ---- the page


def _page_of(
    recorder: Recorder, made: EveningReport, shown: list[GalleryPicture], papers: list[GalleryPicture]
) -> str:
    options, policy = recorder.table.options, recorder.table.runtime.policy
    kept = len(recorder.rounds)
    note = f"The last {kept} of {recorder.round_count} rounds." if recorder.round_count > kept else ""
    rounds = [(f"Round {each.number}, {_clock(each.wall_ms)}", each.text) for each in recorder.rounds]
    clock = "virtual clock" if options.virtual else f"real clock, pace {options.pace}"
    return page(
        f"An evening at {policy.name}",
        f"{made.rounds} rounds on simulated hardware, {clock}. No real money.",
        (
            PagePart("evening", "Pictures", "The evening", pictures=shown),
            PagePart("tickets", "Tickets", "Tickets", "" if papers else "Nobody cashed out.", papers),
            PagePart("rounds", "Rounds", "The Blackjack Grid of each round", note, rounds=rounds),
            PagePart(
                "books",
                "Books",
                "The books",
                _verdict(made),
                books=books(made, policy.currency),
            ),
        ),
        f"{options.cabinet}, seed {options.seed}, {options.wire} wires. Journal {made.journal_digest}",
    )


def _verdict(made: EveningReport) -> str:
    return "Everything adds up." if not made.problems else "PROBLEMS: " + "; ".join(made.problems)
