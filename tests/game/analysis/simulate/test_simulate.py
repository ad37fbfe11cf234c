"""The simulation finds the known odds, and the same numbers whoever plays it."""

from __future__ import annotations

import math
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from game.analysis.simulate import jit as simulate_jit
from game.analysis.simulate import rounds as counted
from game.analysis.simulate.job import make_deck, nothing_played, play_chunk, stream
from game.analysis.simulate.kernel import CHOICES, SEAT_ROWS, Deck, draw, next_word
from game.analysis.simulate.run import CHUNK_ROUNDS, Figures, SimulationJob, Tally, figures, simulate
from game.analysis.simulate.tables import decisions, numbers_of
from game.chart import Chart
from game.rules import Rules, Shuffle
from support.evenings.rounds import default_chart

CUT = Rules(shuffle=Shuffle.CUT_CARD)

# The default rules with their total-dependent chart, counted exactly by an independent program.
EDGE, SD, BET = 0.00666675, 1.103265, 1.092813
SHARES = {"win": 0.4334743, "push": 0.0881493, "loss": 0.4783764, "split": 0.0218011, "double": 0.0704716}
NET = {
    "-4": .000116412, "-3": .001336414, "-2": .029228725, "-1": .447694850, "0": .088149312,
    "1": .342642826, "3/2": .045322988, "2": .043444621, "3": .001811516, "4": .000252336,
}  # fmt: skip


@pytest.fixture(scope="module")
def chart() -> Chart:
    return default_chart()


@pytest.fixture(scope="module")
def played(chart: Chart) -> Tally:
    return simulate(SimulationJob(Rules(), (chart,), 4 * CHUNK_ROUNDS, seed=20))


def within_four_errors(found: Figures) -> None:
    seat = found.seats[0]
    assert seat.standard_error == pytest.approx(SD / math.sqrt(found.rounds), rel=0.01)
    assert abs(seat.edge - EDGE) < 4 * seat.standard_error
    for name, share in SHARES.items():
        assert abs(getattr(seat, name) - share) < 4 * found.error_of(share), name
    for net, share in NET.items():
        assert abs(seat.net[Fraction(net)] - share) < 4 * found.error_of(share), net
    # The fourth moment of a round bounds the error of the sd: about 0.9 of it by the root of the rounds.
    assert abs(seat.sd - SD) < 4 * 0.9 / math.sqrt(found.rounds)
    assert abs(seat.bet_per_round - BET) < 4 * 0.35 / math.sqrt(found.rounds)


def test_two_million_rounds_find_the_exact_odds(played: Tally) -> None:
    within_four_errors(figures(played))


@pytest.mark.campaign
def test_a_billion_rounds_find_the_exact_odds(chart: Chart) -> None:
    found = figures(simulate(SimulationJob(Rules(), (chart,), 1_000_000_000, seed=1)))
    assert found.seats[0].standard_error == pytest.approx(0.0000349, rel=0.01)
    within_four_errors(found)


def test_every_round_is_counted_once_everywhere(played: Tally) -> None:
    found, seat = figures(played), figures(played).seats[0]
    rounds = found.rounds
    assert rounds == found.shoes == 4 * CHUNK_ROUNDS
    for shares in (seat.net, found.table_net, found.dealer):
        assert sum(shares.values()) == pytest.approx(1)
    assert sum(found.cards.values()) == rounds
    assert sum(seat.totals.values()) == sum(round(share * rounds) for share in seat.hands.values())
    assert seat.win + seat.push + seat.loss == pytest.approx(1)
    assert found.all_split == seat.split
    assert found.some_split == 0
    assert found.table_variance == pytest.approx(seat.variance)
    assert found.cards_per_round == pytest.approx(6.27, abs=0.01)
    assert seat.edge_per_unit_staked == pytest.approx(seat.edge / seat.bet_per_round)


def test_seats_that_play_alike_win_and_lose_together(chart: Chart, played: Tally) -> None:
    """k seats with one chart have k squared times the variance, and one result."""
    seven = simulate(SimulationJob(Rules(), (chart,) * 7, 4 * CHUNK_ROUNDS, seed=20))
    found, one = figures(seven), figures(played).seats[0]
    assert found.seats == (one,) * 7
    assert found.table_variance == pytest.approx(49 * one.variance)
    assert found.table_net == {7 * net: share for net, share in one.net.items()}


def test_seats_that_play_differently_share_the_cards_only(chart: Chart) -> None:
    """A seat that never splits keeps the pair: three hands, more cards, and less than full correlation."""
    stubborn = Chart("never splits", chart.hard, chart.soft, ("",) * 10)
    found = figures(simulate(SimulationJob(Rules(), (chart, stubborn), CHUNK_ROUNDS, seed=3)))
    other, alone = (
        found.seats[1],
        figures(simulate(SimulationJob(Rules(), (stubborn,), CHUNK_ROUNDS, seed=4))),
    )
    assert other.split == 0
    assert found.some_split == found.seats[0].split > 0.02
    assert found.all_split == 0
    assert abs(other.edge - alone.seats[0].edge) < 4 * math.hypot(
        other.standard_error, alone.seats[0].standard_error
    )
    assert found.cards_per_round > alone.cards_per_round
    spread = math.sqrt(found.table_variance)
    assert max(seat.sd for seat in found.seats) < spread < sum(seat.sd for seat in found.seats)


def test_a_cut_card_is_where_the_rules_say(chart: Chart) -> None:
    """The loop shuffles exactly when ``Rules.must_shuffle`` does, and begins with a complete shoe."""
    rounds = 3000
    deck = make_deck(CUT, stream(5, 0))
    table, players = np.zeros(counted.TABLE_WIDTH, np.int64), np.zeros((1, counted.PLAYER_WIDTH), np.int64)
    said, seats, nets = (
        np.zeros((1, CHOICES), np.int64),
        np.zeros((SEAT_ROWS, 1), np.int64),
        np.zeros(1, np.int64),
    )
    coded, weights, numbers = decisions(chart, CUT)[None], np.ones(1, np.int64), numbers_of(CUT)
    shoes = 1
    for number in range(rounds):
        if number and CUT.must_shuffle(int(deck.place[2] - deck.place[0])):
            deck.place[:2] = 0
            shoes += 1
        counted.play_round(deck, seats, coded, weights, numbers, table, players, said, nets)
    tally = simulate(SimulationJob(CUT, (chart,), rounds, seed=5))
    assert figures(tally).shoes == shoes
    net = slice(counted.NET, counted.NET + counted.NETS)
    assert tally.players[0][net] == tuple(players[0, net].tolist())
    assert 35 < rounds / shoes < 40


def test_with_a_cut_card_the_error_is_that_of_shoes(chart: Chart) -> None:
    found = figures(simulate(SimulationJob(CUT, (chart,), 2 * CHUNK_ROUNDS, seed=6)))
    seat = found.seats[0]
    assert seat.standard_error == pytest.approx(seat.sd / math.sqrt(found.rounds), rel=0.05)
    assert abs(seat.edge - EDGE) < 5 * seat.standard_error  # the cut card effect is far smaller


# ---- parts of a job


def test_the_same_job_gives_the_same_numbers_and_another_seed_others(chart: Chart) -> None:
    job = SimulationJob(Rules(), (chart,), 2000, seed=1)
    assert simulate(job) == simulate(job) != simulate(SimulationJob(Rules(), (chart,), 2000, seed=2))


def test_parts_add_up_in_any_order(chart: Chart) -> None:
    job = SimulationJob(CUT, (chart,), 2 * CHUNK_ROUNDS + 1234, seed=1)
    first, second, third = (play_chunk(job, number) for number in range(job.chunks))
    assert third.rounds == 1234
    assert third.merge(first).merge(second) == simulate(job) == first.merge(second.merge(third))
    assert first != second
    with pytest.raises(ValueError, match="different tables"):
        first.merge(nothing_played(SimulationJob(CUT, (chart,) * 2, 1, seed=1)))


def test_two_processes_count_the_same(chart: Chart) -> None:
    job = SimulationJob(
        Rules(), (chart, Chart("hits", ("H" * 10,) * 17, ("H" * 10,) * 9, ("",) * 10)), 1_600_000, seed=9
    )
    shown: list[tuple[int, int]] = []
    assert simulate(job, workers=2, progress=lambda done, of: shown.append((done, of))) == simulate(job)
    assert shown == [(500_000, 1_600_000), (1_000_000, 1_600_000), (1_500_000, 1_600_000), (1_600_000,) * 2]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stopped_run_is_a_shorter_job(chart: Chart, workers: int) -> None:
    done: list[int] = []
    long = SimulationJob(Rules(), (chart,), 100 * CHUNK_ROUNDS, seed=1)
    tally = simulate(long, workers, None, lambda rounds, _of: done.append(rounds), lambda: len(done) >= 2)
    assert 2 * CHUNK_ROUNDS <= tally.rounds == done[-1] < 20 * CHUNK_ROUNDS
    assert tally == simulate(SimulationJob(Rules(), (chart,), tally.rounds, seed=1))
    assert figures(tally).seats[0].standard_error > 0


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_gives_what_there_is(chart: Chart, workers: int) -> None:
    def pressed(done: int, _of: int) -> None:
        if done >= 2 * CHUNK_ROUNDS:
            raise KeyboardInterrupt

    tally = simulate(SimulationJob(Rules(), (chart,), 100 * CHUNK_ROUNDS, seed=1), workers, progress=pressed)
    assert tally == simulate(SimulationJob(Rules(), (chart,), 2 * CHUNK_ROUNDS, seed=1))


def test_a_run_stopped_at_once_has_no_figures(chart: Chart) -> None:
    tally = simulate(SimulationJob(Rules(), (chart,), 1000, seed=1), stop=lambda: True)
    assert tally.rounds == 0
    with pytest.raises(ValueError, match="no round"):
        figures(tally)


@pytest.mark.parametrize(
    ("seats", "rounds", "rules", "words"),
    [
        (0, 1, Rules(), "0 seats"),
        (8, 1, Rules(), "8 seats"),
        (1, 0, Rules(), "0 rounds"),
        (1, 1, Rules(shuffle=Shuffle.CUT_CARD, penetration=0.9), "behind the cut card"),
    ],
)
def test_jobs_that_make_no_sense_are_refused(
    chart: Chart, seats: int, rounds: int, rules: Rules, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        SimulationJob(rules, (chart,) * seats, rounds, seed=1)
    with pytest.raises(ValueError, match="0 workers"):
        simulate(SimulationJob(Rules(), (chart,), 1, seed=1), workers=0)


# ---- chance


def test_the_generator_is_xoshiro256_plus_plus() -> None:
    """The first words from the state 1, 2, 3, 4, as the reference implementation gives them."""
    words = np.array([1, 2, 3, 4], np.uint64)
    assert [int(next_word(words)) for _ in range(6)] == [
        41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205, 9973669472204895162,
    ]  # fmt: skip


def test_every_card_is_equally_likely_at_every_place() -> None:
    """Chi square of 52 cards at 4 places, 40,000 shoes: 51 degrees of freedom, 99.99 % below 100."""
    seen = np.zeros((4, 52), np.int64)
    deck = Deck(
        np.arange(52, dtype=np.uint8), np.zeros(52, np.uint8), np.array([0, 0, 52], np.int64), stream(1, 1)
    )
    for _ in range(40_000):
        deck.place[:2] = 0
        for place in range(4):
            seen[place, draw(deck, 0)] += 1
    expected = 40_000 / 52
    assert (((seen - expected) ** 2 / expected).sum(axis=1) < 100).all()
    assert sorted(deck.shoe.tolist()) == list(range(52))


def test_streams_of_chunks_and_seeds_differ() -> None:
    assert len({tuple(stream(seed, number).tolist()) for seed in range(20) for number in range(20)}) == 400


# ---- code that is kept on disk


def test_code_is_compiled_where_no_folder_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(**options: object) -> object:
        def compile_it(function: object) -> object:
            if options.get("cache"):
                raise RuntimeError("cannot cache function: no locator available")
            return function

        return compile_it

    monkeypatch.setattr(simulate_jit, "_njit", refuses)
    assert simulate_jit.compiled(len) is len


def test_code_is_kept_for_these_very_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change in any file of the package makes all kept code stale, not only that of its own file."""
    (tmp_path / "kept_code.py").write_text("def twice(number):\n    return 2 * number\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module = import_module("kept_code")

    def hits(sources: str) -> int:
        monkeypatch.setattr(simulate_jit, "fingerprint", lambda: sources)
        dispatcher = simulate_jit.compiled(module.twice)
        assert dispatcher(21) == 42
        return sum(dispatcher.stats.cache_hits.values())

    assert [hits("old"), hits("old"), hits("new"), hits("new")] == [0, 1, 0, 1]
