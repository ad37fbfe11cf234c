"""The pieces of the battery: laws against counting, the rule, files, dieharder, the command."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

from cabinet.analysis.battery import dieharder, laws
from cabinet.analysis.battery.parts import bytes_needed
from cabinet.analysis.battery.result import Result, chi_square, counts, poisson
from cabinet.analysis.battery.supply import CardsError, read_cards, read_header
from cabinet.analysis.battery.verdict import judge, look
from cabinet.cli import main as cli
from cabinet.rng.collect import BINARY, TEXT, CardsFile

# ---- laws, by counting every permutation


ORDERS = tuple(permutations(range(7)))


def law(count: Callable[[tuple[int, ...]], int], size: int) -> list[float]:
    seen = Counter(count(order) for order in ORDERS)
    return [seen[k] / len(ORDERS) for k in range(size)]


def cycles_of(order: tuple[int, ...]) -> int:
    left, found = set(order), 0
    while left:
        card, found = left.pop(), found + 1
        while (card := order[card]) in left:
            left.remove(card)
    return found


def test_the_laws_are_those_of_all_orders_of_seven_cards() -> None:
    pairs = [
        (laws.fixed_points(7), law(lambda o: sum(c == i for i, c in enumerate(o)), 8)),
        (laws.successions(7), law(lambda o: sum(b - a == 1 for a, b in pairwise(o)), 7)),
        (laws.cycles(7), law(cycles_of, 8)),
        (laws.first_of(7, 3), law(lambda o: min(o.index(c) for c in (0, 1, 2)), 7)),
    ]
    for exact, counted in pairs:
        assert exact == pytest.approx(counted)


def test_the_law_of_coupons_is_that_of_all_orders_of_eight_cards() -> None:
    orders = list(permutations(range(8)))
    seen = Counter(max(min(o.index(c) for c in range(kind, 8, 4)) for kind in range(4)) for o in orders)
    assert laws.coupons(8, 4) == pytest.approx([seen[k] / len(orders) for k in range(8)])


def test_the_laws_of_a_deck_are_probabilities() -> None:
    for found in (
        laws.coupons(52, 13),
        laws.coupons(52, 4),
        laws.poker(),
        laws.cycles(52),
        laws.first_of(52, 4),
    ):
        assert found.sum() == pytest.approx(1)
        assert (found >= 0).all()


# ---- from statistics to p-values


def test_too_good_is_as_strange_as_too_bad() -> None:
    assert chi_square("x", 51.0, 51).p > 0.9
    assert chi_square("x", 130.0, 51).p < 1e-6
    assert chi_square("x", 12.0, 51).p < 1e-6
    assert chi_square("x", 0.0, 1).p == 1, "two counts can be exactly right by chance"


def test_the_limits_at_99_percent_are_those_of_the_tables() -> None:
    for df, statistic in ((51, 80.75), (51, 28.73), (2601, 2790.0), (2601, 2419.0)):
        assert chi_square("x", statistic, df).p == pytest.approx(0.01, rel=0.05)


def test_thin_cells_are_put_together() -> None:
    result = counts("x", np.array([50, 30, 2, 1, 1]), np.array([48.0, 30.0, 3.0, 2.0, 1.0]))
    assert result.detail.endswith("2 df")


def test_rare_events_count_by_themselves() -> None:
    assert poisson("x", 0, 1e-5) == Result("x", 1.0, "0, expected 1e-05", exact=True)
    assert poisson("x", 1, 1e-8).p == pytest.approx(1e-8)
    assert poisson("x", 100, 100.0).p > 0.9
    assert poisson("x", 40, 100.0).p < 1e-6


# ---- the rule


def results(*ps: float, count: int = 400) -> list[Result]:
    """So many tests with evenly spread p-values; the first ones are replaced by `ps`."""
    even = [(k + 0.5) / count for k in range(count)]
    random.Random(0).shuffle(even)
    even[: len(ps)] = ps
    return [Result(f"test {k}", p, "") for k, p in enumerate(even)]


class Again:
    """Fresh data; what was asked for is kept."""

    def __init__(self, fresh: Sequence[Result]) -> None:
        self.fresh = fresh
        self.asked: list[list[str]] = []

    def __call__(self, names: Sequence[str]) -> Sequence[Result]:
        self.asked.append(list(names))
        return self.fresh


def test_the_rule_passes_even_p_values_and_repeats_nothing() -> None:
    again = Again([])
    verdict = judge(results(0.001, 0.002), again)
    assert verdict.passed
    assert again.asked == []


def test_a_p_value_below_a_millionth_fails_at_once() -> None:
    again = Again(results())
    verdict = judge(results(9e-7), again)
    assert (verdict.passed, again.asked) == (False, [])
    assert verdict.reasons == ("test 0: p below 1e-6",)


def test_an_exact_test_that_is_violated_fails_and_is_no_p_value_among_others() -> None:
    exact = Result("no card twice", 0.0, "", exact=True)
    assert not judge([*results(), exact], None).passed
    good = Result("no card twice", 1.0, "", exact=True)
    assert look([*results(), *[good] * 400]).ks > 0.9


def test_two_rejected_tests_fail_at_once() -> None:
    again = Again(results())
    assert not judge(results(1e-5, 2e-5), again).passed
    assert again.asked == []


def test_one_rejected_test_is_repeated_once() -> None:
    passes, fails = Again(results(0.4)), Again(results(0.009))
    verdict = judge(results(1e-5), passes)
    assert verdict.passed
    assert passes.asked == [["test 0"]]
    assert verdict.reasons == ("test 0: rejected once, passed on fresh data",)
    verdict = judge(results(1e-5), fails)
    assert not verdict.passed
    assert verdict.reasons == ("test 0: rejected twice",)
    assert not judge(results(1e-5), Again(results(0.4, 1e-7))).passed, "fresh data have a rule 1 too"


def test_the_limit_of_holm_follows_from_the_number_of_tests() -> None:
    assert look(results(0.01 / 400 * 0.99)).rejected == ("test 0",)
    assert look(results(0.01 / 400 * 1.01)).rejected == ()
    assert look(results(0.009, count=2)).rejected == ()


def test_p_values_that_are_not_uniform_are_repeated_as_a_whole() -> None:
    crowded = [Result(f"test {k}", 0.4 + k / 2000, "") for k in range(400)]
    again = Again(results())
    assert judge(crowded, again).passed
    assert again.asked == [[]]
    assert judge(crowded, Again(crowded)).reasons == ("p-values uniform: rejected twice",)


def test_a_file_has_no_fresh_data() -> None:
    verdict = judge(results(1e-5), None)
    assert not verdict.passed
    assert "collect a second one" in verdict.reasons[0]


# ---- files


def some_cards(tmp_path: Path, form: str, cards: int = 70) -> tuple[Path, list[list[int]]]:
    chance = random.Random(1)
    deals = [chance.sample(range(104), 20) for _ in range(-(-cards // 20))]
    deals[-1] = deals[-1][: cards % 20 or 20]
    path = tmp_path / form
    lines = [" ".join(map(str, deal)) + "\n" for deal in deals]
    body = (
        "".join(lines).encode()
        if form == TEXT
        else b"".join(card.to_bytes(2, "little") for deal in deals for card in deal)
    )
    path.write_bytes(CardsFile(form, 2, 20, cards).header() + body)
    return path, deals


@pytest.mark.parametrize("form", [TEXT, BINARY])
@pytest.mark.parametrize("cards", [60, 70])
def test_collected_cards_are_read_back(tmp_path: Path, form: str, cards: int) -> None:
    path, deals = some_cards(tmp_path, form, cards)
    header = read_header(path)
    assert header == CardsFile(form, 2, 20, cards)
    assert header is not None
    assert np.concatenate(list(read_cards(path, header))).tolist() == deals[:3]


@pytest.mark.parametrize("form", [TEXT, BINARY])
@pytest.mark.parametrize("change", [lambda data: data[:-40], lambda data: data + data[-40:]])
def test_a_file_of_cards_that_is_cut_or_longer_is_refused(
    tmp_path: Path, form: str, change: Callable[[bytes], bytes]
) -> None:
    path, _ = some_cards(tmp_path, form)
    path.write_bytes(change(path.read_bytes()))
    header = read_header(path)
    assert header is not None
    with pytest.raises(CardsError):
        list(read_cards(path, header))


# ---- dieharder


FAKE = """#!/bin/sh
head -c 100000 > /dev/null
echo "#=============================#"
echo "        test_name   |ntup| tsamples |psamples|  p-value |Assessment"
echo "   diehard_birthdays|   0|       100|     100|0.51000000|  {0}  "
echo "         sts_serial|   3|    100000|     100|0.00400000|   WEAK   "
exit {1}
"""


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, assessment: str = "PASSED", code: int = 0) -> str:
    path = folder / "dieharder"
    path.write_text(FAKE.format(assessment, code), encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    found = dieharder.program()
    assert found == str(path)
    return found


def test_dieharder_gets_a_stream_until_it_has_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = list(dieharder.run(fake(tmp_path, monkeypatch), (("-d", "0"), ("-d", "2")), bytes))
    assert lines == 2 * [
        dieharder.DieharderLine("diehard_birthdays 0", 0.51, "PASSED"),
        dieharder.DieharderLine("sts_serial 3", 0.004, "WEAK"),
    ]


def test_a_dieharder_that_breaks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(dieharder.DieharderError, match="ended with code 3"):
        list(dieharder.run(fake(tmp_path, monkeypatch, code=3), dieharder.ALL, bytes))
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    silent.chmod(0o755)
    with pytest.raises(dieharder.DieharderError, match="-a gave no result"):
        list(dieharder.run(str(silent), dieharder.ALL, bytes))


# ---- the command


class Shell:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def run(self, *args: str) -> int:
        with pytest.raises(SystemExit) as caught:
            cli.main(("rng", *args))
        self.out, self.err = self._capsys.readouterr()
        code = caught.value.code
        return code if isinstance(code, int) else 0 if code is None else 1


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def test_a_file_of_cards_is_tested_and_reported(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "cards"
    assert shell.run("collect", "--cards", "104000", "--decks", "1", "--out", str(path)) == 0
    code = shell.run("battery", "--source-file", str(path), "--json")
    said = json.loads(shell.out)
    assert said["passed"] is (code == 0)
    assert said["amount"] == "2,000 deals of 52 cards from 1 deck"
    names = [result["name"] for result in said["results"]]
    assert names[:2] == ["deck: no card twice", "deck: card at position 1"]
    assert "deck: cards that keep their place" in names


def test_a_file_of_wrong_cards_fails(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "cards"
    line = " ".join(map(str, range(52))) + "\n"
    path.write_bytes(CardsFile(TEXT, 1, 52, 52_000).header() + line.encode() * 1_000)
    assert shell.run("battery", "--source-file", str(path)) == 1
    last = shell.out.splitlines()
    assert last[-1] == "FAILED"
    assert "failed: deck: card at position 1: p below 1e-6" in last


def test_a_card_twice_ends_the_battery(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "cards"
    path.write_bytes(CardsFile(TEXT, 1, 2, 2_000).header() + b"7 7\n" * 1_000)
    assert shell.run("battery", "--source-file", str(path)) == 1
    assert "failed: deck: no card twice: p below 1e-6" in shell.out.splitlines()
    assert "correlation" not in shell.out


def test_a_file_of_bits_goes_through_the_production_path(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "bits"
    path.write_bytes(random.Random(12).randbytes(bytes_needed(1_000)))
    assert shell.run("battery", "--source-file", str(path), "--json") == 0
    said = json.loads(shell.out)
    assert said["amount"].startswith("1,000 shuffles of one deck")
    assert said["notes"] == ["six decks: too few deals for the tests of positions"]
    assert {"deck: order of four cards", "one of 312", "bytes: pairs"} <= {r["name"] for r in said["results"]}


def test_a_file_of_bits_with_a_stuck_bit_is_stopped_by_the_health_tests(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "bits"
    path.write_bytes(bytes(byte | 8 for byte in random.Random(12).randbytes(bytes_needed(1_000))))
    assert shell.run("battery", "--source-file", str(path)) == 1
    assert shell.err.startswith("cabinet: the generator stopped: stuck bit")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--shuffles", "10"), "Invalid value for '--shuffles'"),
        (("--shuffles", "x"), "Invalid value for '--shuffles'"),
        (("--dieharder", "some"), "Invalid value for '--dieharder'"),
        (("--seed", "1"), "No such option"),
        (("--source-file", "missing"), "missing: No such file or directory"),
        (("--source-file", "."), "File '.' is a directory"),
        (("--source-file", "short"), "short has 5 bytes: at least "),
        (("--source-file", "few"), "few has 1 complete deals: at least 1,000 are needed"),
        (("--source-file", "few", "--shuffles", "2000"), "--shuffles is for bits"),
        (("--source-file", "cut"), "cut ends before"),
        (("--source-file", "odd"), "a line of cards has something else"),
        (("--source-file", "short", "--dieharder", "all"), "dieharder needs a live stream"),
        (("--dieharder", "quick"), "dieharder is not installed"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], says: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_bytes(b"short")
    (tmp_path / "few").write_bytes(CardsFile(TEXT, 1, 2, 2).header() + b"1 2\n")
    (tmp_path / "cut").write_bytes(CardsFile(TEXT, 1, 2, 2_000).header() + b"1 2\n")
    (tmp_path / "odd").write_bytes(CardsFile(TEXT, 1, 2, 2_000).header() + b"1 ace\n" * 1_000)
    assert shell.run("battery", *args) == 2
    assert shell.out == ""
    assert shell.err.startswith("cabinet: ")
    assert says in shell.err
    assert shell.err.count("\n") == 1


def test_the_live_battery_runs_dieharder_too(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cabinet.analysis.battery import command
    from cabinet.analysis.battery.report import BatteryReport

    even = results()
    monkeypatch.setattr(
        command, "live", lambda _shuffles: BatteryReport("live", "some", even, judge(even, None))
    )
    fake(tmp_path, monkeypatch)
    assert shell.run("battery", "--dieharder", "quick") == 0
    assert shell.out.count("diehard_birthdays 0") == len(dieharder.QUICK)
    fake(tmp_path, monkeypatch, "FAILED")
    assert shell.run("battery", "--dieharder", "all", "--json") == 1
    assert json.loads(shell.out)["reasons"] == ["dieharder diehard_birthdays 0"]
    fake(tmp_path, monkeypatch, code=9)
    assert shell.run("battery", "--dieharder", "all") == 1
    assert "cabinet: dieharder ended with code 9" in shell.err
