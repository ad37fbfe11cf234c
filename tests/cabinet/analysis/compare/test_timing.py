"""The timing model: its arithmetic, its shipped files, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from cabinet.analysis.compare.timing import Decisions, RoundParts, TableTiming, Thought, Work, seconds
from cabinet.analysis.compare.timing_file import load_timing, shipped_names
from cabinet.analysis.compare.work import standard_work
from cabinet.config.problems import ConfigError
from cabinet.core.facts import CardsDrawn
from cabinet.core.options import betting_open_ms
from cabinet.core.renewal import replace
from game.analysis.standard import StandardJob, simulate_standard
from game.chart import advise
from game.round import Round
from game.rules import Rules
from support.evenings.evening import Evening
from support.evenings.rounds import default_chart

# Rounds per hour with 1 to 7 players: Jim Kilby, "Casino Operations Management".
KILBY = (209, 139, 105, 84, 70, 60, 52)


# --------------------------------------------------------------------------------------
# Thinking.


def test_one_person_takes_the_floor_and_the_mean_of_the_rest() -> None:
    assert Thought(fastest_s=1, spread_s=2, longest_s=600).slowest_s(1) == pytest.approx(3)


def test_the_slowest_of_many_takes_a_harmonic_sum() -> None:
    thought = Thought(fastest_s=1, spread_s=2, longest_s=600)
    assert thought.slowest_s(7) == pytest.approx(1 + 2 * sum(1 / n for n in range(1, 8)))
    assert thought.slowest_s(0) == 0


@pytest.mark.parametrize("people", [1, 2, 7])
def test_the_countdown_ends_every_wait(people: int) -> None:
    """The closed form against a numeric mean of the slowest of so many."""
    thought = Thought(fastest_s=1, spread_s=2, longest_s=5)
    times = np.random.default_rng(people).exponential(2, size=(400_000, people))
    slowest = np.minimum(1 + times, 5).max(axis=1)
    assert thought.slowest_s(people) == pytest.approx(slowest.mean(), abs=4 * slowest.std() / 400_000**0.5)


def test_people_without_a_spread_all_take_the_same() -> None:
    assert Thought(fastest_s=1.5, spread_s=0, longest_s=9).slowest_s(7) == 1.5


# --------------------------------------------------------------------------------------
# A round.


def some_work(**changes: object) -> Work:
    nothing: dict[str, object] = dict.fromkeys(Work.__slots__, 0)
    return Work(**{**nothing, "seats": 2, "asked": (), **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("work", "key", "part"),
    [
        ({"deal": 1}, "cards.deal_s", "cards_s"),
        ({"drawn": 1}, "cards.draw_s", "cards_s"),
        ({"continuation": 1}, "cards.continuation_s", "cards_s"),
        ({"continued": 1}, "cards.continuation_start_s", "cards_s"),
        ({"dealer": 1}, "cards.dealer_s", "cards_s"),
        ({"dealer_turns": 1}, "cards.dealer_start_s", "cards_s"),
        ({"splits": 1}, "cards.split_s", "cards_s"),
        ({"next_hands": 1}, "cards.next_hand_s", "cards_s"),
        ({"shuffles": 1}, "cards.shuffle_s", "cards_s"),
        ({"registered": 1}, "decisions.register_s", "decisions_s"),
        ({"passes": 1}, "decisions.next_player_s", "decisions_s"),
        ({"settled": 1}, "settlement.bet_s", "settlement_s"),
    ],
)
def test_each_thing_takes_its_own_seconds(work: dict[str, object], key: str, part: str) -> None:
    """Three of a thing take three times its seconds longer than none, in its own part and nowhere else."""
    timing = load_timing("live")
    table, name = key.split(".")
    three = dict.fromkeys(work, 3)
    longer, idle = seconds(timing, some_work(**three)), seconds(timing, some_work())
    assert getattr(longer, part) - getattr(idle, part) == pytest.approx(
        3 * getattr(getattr(timing, table), name)
    )
    assert longer.round_s - idle.round_s == pytest.approx(getattr(longer, part) - getattr(idle, part))


def test_a_common_wait_takes_the_slowest_and_single_waits_add_up() -> None:
    timing = load_timing("cabinet")
    idle = seconds(timing, some_work())
    together = seconds(timing, some_work(asked=(0, 0, 1.5)))
    alone = seconds(timing, some_work(asked=(4.5,)))
    assert together.decisions_s - idle.decisions_s == pytest.approx(1.5 * timing.decisions.slowest_s(3))
    assert alone.decisions_s == pytest.approx(4.5 * timing.decisions.slowest_s(1))
    assert together.decisions_s < alone.decisions_s
    assert idle.bets_s == timing.bets.slowest_s(2)


def test_a_round_is_the_sum_of_its_parts() -> None:
    assert RoundParts(1, 2, 4, 8).round_s == 15


# --------------------------------------------------------------------------------------
# The shipped models.


def play_by_the_chart(evening: Evening, seats: Sequence[int]) -> tuple[Round, int]:
    """A round in the program. Its end, and the milliseconds in which nobody could do anything."""
    before = len(evening.facts("CardsDrawn"))
    evening.deal(*seats)
    while evening.playing():
        round_ = evening.state.round
        assert round_ is not None
        active = round_.active_hand
        assert active is not None
        for seat in seats:
            legal = round_.legal(seat)
            if legal:
                hand, upcard = round_.hands[active].cards, round_.dealer[0]
                evening.press(seat, advise(default_chart(), Rules(), hand, upcard, legal).value)
        evening.land()
    drawn = [fact for fact in evening.facts("CardsDrawn")[before:] if isinstance(fact, CardsDrawn)]
    flights_ms = sum(fact.cards[-1].land_ms - fact.at_ms for fact in drawn)
    landed_ms = drawn[-1].cards[-1].land_ms
    finished = evening.state.round
    assert finished is not None
    return finished, flights_ms + betting_open_ms(evening.state, evening.live) - landed_ms


def work_of(round_: Round, seats: int) -> Work:
    """The cards of a finished round of seats that played alike, counted on the table."""
    split = len(round_.hands) > 1
    played = round_.hands[1:] if split else round_.hands
    return some_work(
        seats=seats,
        deal=3,
        drawn=sum(len(hand.cards) - (1 if split else 2) for hand in played),
        continuation=sum(len(hand.continuation) for hand in played),
        continued=sum(bool(hand.continuation) for hand in played),
        dealer=len(round_.dealer) - 1,
        dealer_turns=len(round_.dealer) > 1,
        splits=split,
        next_hands=split,
    )


def any_card(chance: random.Random, evening: Evening) -> Callable[[Sequence[int]], int]:
    """The stacked cards first, then any."""

    def index(remaining: Sequence[int]) -> int:
        return evening.stacked.index(remaining) if evening.stacked.cards else chance.randrange(len(remaining))

    return index


@pytest.mark.parametrize(
    "deal", ["", "8S 8D 6H", "AS AD 9H", "9S 9D 5C 9H 2H", "AS KD AC", "AS KD 5C", "5S 6D 5H"]
)
def test_the_cabinet_model_is_the_time_of_the_screen_to_the_millisecond(deal: str) -> None:
    timing, chance = load_timing("cabinet"), random.Random(deal)
    for _ in range(6):
        evening = Evening(deal, seats=2)
        evening.index = any_card(chance, evening)
        round_, shown_ms = play_by_the_chart(evening, (1, 2))
        parts = seconds(timing, work_of(round_, 2))
        assert 1000 * (parts.cards_s + parts.settlement_s) == pytest.approx(shown_ms, abs=0.01)


def test_the_cabinet_model_has_the_countdowns_of_the_rules() -> None:
    timing = load_timing("cabinet")
    assert timing.decisions.longest_s == Rules().decide_seconds
    assert timing.bets.longest_s == Rules().bet_seconds


def test_the_live_model_comes_out_at_the_published_rounds_per_hour() -> None:
    timing, chart = load_timing("live"), default_chart()
    for seats, published in enumerate(KILBY, start=1):
        (tally,) = simulate_standard(StandardJob(Rules(), (chart,) * seats, 50_000, seed=seats, batches=1))
        assert 3600 / seconds(timing, standard_work(tally, cut_card=False)).round_s == pytest.approx(
            published, rel=0.025
        )


# --------------------------------------------------------------------------------------
# What is refused.


def changed(tmp_path: Path, old: str, new: str) -> str:
    """A copy of the cabinet's model with one change; its path."""
    from cabinet.config import shipped_folder

    text = (shipped_folder() / "timing" / "cabinet.toml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return str(path)


def refusal(name: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_timing(name)
    return str(caught.value)


def test_a_model_of_ones_own_is_read(tmp_path: Path) -> None:
    timing = load_timing(changed(tmp_path, "deal_s = 0.18", "deal_s = 3"))
    shipped = load_timing("cabinet")
    assert timing == replace(shipped, cards=replace(shipped.cards, deal_s=3))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("deal_s = 0.18", "deal_s = -1", "[cards] deal_s: found -1; allowed: seconds, 0 to 600"),
        ("deal_s = 0.18", "deal_s = 601", "[cards] deal_s: found 601; allowed: seconds, 0 to 600"),
        ("deal_s = 0.18", 'deal_s = "1"', '[cards] deal_s: found "1"; allowed: seconds, 0 to 600'),
        ("deal_s = 0.18", "deal_s = nan", "[cards] deal_s: found NaN; allowed: seconds, 0 to 600"),
        ("deal_s = 0.18", "deal_s = true", "[cards] deal_s: found true; allowed: seconds, 0 to 600"),
        ("deal_s = 0.18", "", "[cards] deal_s: found nothing; allowed: seconds, 0 to 600"),
        ("deal_s = 0.18", "deal_s = 1\nspeed = 2", "[cards] speed: found an unknown key; allowed: one of"),
        ('name = "Cabinet"', "name = 3", "name: found 3; allowed: a text of 1 to 40 letters"),
        ('name = "Cabinet"', "", "name: found nothing; allowed: a text of 1 to 40 letters"),
        ('name = "Cabinet"', 'name = "x"\ncards2 = 1', "cards2: found an unknown key; allowed: one of name,"),
        ("[bets]", "[bids]", "[bets] fastest_s: found nothing; allowed: seconds, 0 to 600"),
        (
            "longest_s = 12.0",
            "longest_s = 0.5",
            "[decisions] longest_s: found 0.5; allowed: at least fastest_s (1.0)",
        ),
        ("[cards]", "[cards", "found no TOML"),
    ],
)
def test_a_bad_model_is_refused_with_file_key_found_and_allowed(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    path = changed(tmp_path, old, new)
    said = refusal(path)
    assert f"{path}: {told}" in said


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    assert len(refusal(changed(tmp_path, "_s = 0.", "_s = -0.")).splitlines()) > 5


def test_a_file_that_is_not_there_and_a_table_that_is_none(tmp_path: Path) -> None:
    assert refusal("nowhere") == "nowhere: found not there; allowed: a TOML file, or one of cabinet, live"
    assert f"{tmp_path}: found a folder" in refusal(str(tmp_path))
    path = tmp_path / "flat.toml"
    path.write_text('name = "x"\ncards = 1\n', encoding="utf-8")
    assert f"{path}: cards: found 1; allowed: a table" in refusal(str(path))


def test_every_shipped_model_is_sound() -> None:
    assert shipped_names() == ["cabinet", "live"]
    assert all(isinstance(load_timing(name), TableTiming) for name in shipped_names())
    assert isinstance(load_timing("live").decisions, Decisions)
