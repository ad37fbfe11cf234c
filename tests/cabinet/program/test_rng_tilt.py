"""From a broken source to the locked table, through the real loop, journal and generator."""

from __future__ import annotations

import logging
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cabinet.core.live import Live
from cabinet.core.state import State
from cabinet.core.view import view
from cabinet.lab import begun
from cabinet.program import field
from cabinet.program.manager import ServiceManager
from cabinet.program.telling import ConditionLog
from cabinet.rng.generator import Generator
from cabinet.ui.catalogue import Catalogue
from drivers.device import InputChanged, NoteEscrowed, Pattern
from support.programs.runtime_bench import Bench
from support.programs.source import ROOT

Make = Callable[..., Bench]


class Source:
    """Fair with a seed, until somebody cuts a wire."""

    def __init__(self) -> None:
        self.chance = random.Random(8)
        self.stuck = False

    def __call__(self, count: int) -> bytes:
        return b"\x7f" * count if self.stuck else self.chance.randbytes(count)


def started(source: Source) -> Generator:
    generator = Generator(source)
    generator.start()
    return generator


def with_bets(make: Make, source: Source) -> Bench:
    b = make(draw=started(source))
    b.start()
    for seat in (1, 2):
        b.insert(seat, 10_000)
        b.press(f"seat{seat}.bet_plus")
    b.press("seat1.deal")
    return b


def turn(b: Bench, key: str) -> None:
    for on in (True, False):
        b.step(InputChanged("panel1", b.now_ms, f"key.{key}", on))


def test_a_stuck_source_locks_the_table_and_plays_nothing(
    bench: Make, caplog: pytest.LogCaptureFixture
) -> None:
    source = Source()
    b = with_bets(bench, source)
    talk = ConditionLog(ServiceManager())
    source.stuck = True
    before = b.kinds()
    b.press("seat2.deal")
    assert b.kinds()[len(before) :] == ["ConditionRaised", "Frozen"], "no card, no round, no press"
    assert b.state.frozen == "F04"
    assert [b.state.bet(seat) for seat in (1, 2)] == [500, 500]
    assert [b.state.credit(seat) for seat in (1, 2)] == [9_500, 9_500]
    assert not any(validator.enabled for validator in b.validators)
    lamps = {name for name, level in b.panel.levels.items() if level is not Pattern.OFF}
    assert lamps == {"candle.top", "candle.bottom"}

    shown = view(b.state, b.runtime.live)
    assert shown.lock is not None
    assert shown.lock.code == "F04"
    assert Catalogue().text(shown.lock.title) == "Shuffle error"

    with caplog.at_level(logging.WARNING):
        talk.tell(b.state, b.runtime.live)
    [record] = [record for record in caplog.records if "F04" in record.getMessage()]
    assert record.levelno == logging.ERROR
    words = "F04 random number generator failed: repetition: one byte came 5 times in a row"
    assert record.getMessage().startswith(words)

    assert b.step(NoteEscrowed("validator1", b.now_ms, 2_000, 1)).count("validator1 give_back") == 1
    for word in ("deal", "cash_out", "bet_minus", "bet_plus"):
        b.press(f"seat1.{word}")
    b.run(3_600_000)
    assert [b.state.bet(seat) for seat in (1, 2)] == [500, 500]
    assert not b.state.round_open


def test_a_source_that_works_again_is_not_believed_before_a_new_start(bench: Make) -> None:
    source = Source()
    b = with_bets(bench, source)
    source.stuck = True
    b.press("seat2.deal")
    source.stuck = False
    for key in ("attendant", "service"):
        turn(b, key)
        assert b.state.frozen == "F04", f"the {key} key does not make a failed generator good"
    b.end()

    b = bench(draw=started(source))
    b.start()
    assert b.state.frozen == "F04", "the start-up tests passed; a technician has to know of it"
    turn(b, "attendant")
    assert b.state.frozen == "F04"
    turn(b, "service")
    assert b.state.frozen == ""
    assert [b.state.bet(seat) for seat in (1, 2)] == [500, 500]
    assert all(validator.enabled for validator in b.validators)
    b.press("seat1.deal", "seat2.deal")
    assert b.state.round_open


def test_a_failure_in_the_round_keeps_its_cards_and_goes_on_after_the_repair(bench: Make) -> None:
    """The last decision waits with the card that it needs; the decision before it stands."""
    source = Source()
    b = with_bets(bench, source)
    b.press("seat2.deal")
    b.run(4_000)
    assert b.state.deciding() == (1, 2), "the seed deals no natural"
    drawn = b.kinds().count("CardsDrawn")
    source.stuck = True
    b.press("seat1.hit")
    b.press("seat2.hit")
    assert b.state.frozen == "F04"
    assert b.state.awaited() == (2,)
    b.end()
    source.stuck = False
    b = bench(draw=started(source))
    b.start()
    turn(b, "service")
    b.run(1)
    assert b.state.deciding() == (2,)
    assert b.kinds().count("CardsDrawn") == drawn
    b.press("seat2.hit")
    assert b.kinds().count("CardsDrawn") == drawn + 1


def test_a_generator_that_fails_its_start_up_tests_locks_the_table_from_the_first_moment(
    bench: Make,
) -> None:
    source = Source()
    source.stuck = True
    generator = started(source)
    b = bench(draw=generator, no_cards=generator.trouble)
    b.start()
    assert b.kinds()[:2] == ["SessionStarted", "ConditionRaised"]
    assert b.state.frozen == "F04"
    assert not any(validator.enabled for validator in b.validators)
    turn(b, "service")
    assert b.state.frozen == "F04"
    b.end()
    source.stuck = False
    generator = started(source)
    b = bench(draw=generator, no_cards=generator.trouble)
    b.start()
    turn(b, "service")
    assert b.state.frozen == ""


@pytest.fixture
def _own_signals() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("_own_signals")
def test_the_field_program_says_so_on_its_screen_and_in_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """`cabinet run` as it is, on a board whose kernel gives nothing but zeros."""
    monkeypatch.setattr("os.getrandom", lambda count, _flags: bytes(count))
    shown: list[str] = []

    def watch(state: State, live: Live) -> None:
        lock = view(state, live).lock
        shown.append(lock.code if lock is not None else "")
        for _ in range(2):  # the second one ends at once
            signal.raise_signal(signal.SIGTERM)

    shipped = ROOT / "config" / "cabinets" / "slot1.toml"
    begun.begin(tmp_path / "state", 1)
    with caplog.at_level(logging.WARNING):
        assert field.run(shipped, tmp_path / "state", on_publish=watch) == field.CLEAN
    assert shown[0] == "F04", "with the first thing that the screen shows"
    assert "F04 random number generator failed: repetition" in caplog.text
