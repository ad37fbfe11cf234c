"""``cabinet rng``: what it says, what it writes, and its exit codes."""

from __future__ import annotations

import hashlib
import importlib
import random
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from cabinet.cli import main as cli
from cabinet.lab.patience import PATIENCE_S
from cabinet.rng import collect as rng_collect
from cabinet.rng import source as rng
from cabinet.rng.collect import BINARY, TEXT, CardsFile
from cabinet.rng.generator import Generator
from support.programs.source import ROOT


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


def broken_after(monkeypatch: pytest.MonkeyPatch, good: int) -> None:
    """The kernel gives zeros after so many good bytes."""
    chance, given = random.Random(6), [0]

    def getrandom(count: int, _flags: int) -> bytes:
        given[0] += count
        return chance.randbytes(count) if given[0] <= good else bytes(count)

    monkeypatch.setattr("os.getrandom", getrandom)


# ---- selftest


def test_the_self_test_names_every_check(shell: Shell) -> None:
    assert shell.run("selftest") == 0
    assert shell.err == ""
    lines = shell.out.splitlines()
    assert len(lines) == 7
    assert all(line.startswith("good  ") for line in lines)
    assert lines[-1].endswith("1024 bytes of the kernel's generator pass the health tests")


def test_a_broken_kernel_fails_the_self_test(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    broken_after(monkeypatch, 0)
    assert shell.run("selftest") == 1
    assert "FAILED  repetition" in shell.out
    assert shell.err == "cabinet: the random number generator must not be used\n"


def test_wrong_code_fails_the_self_test(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabinet.rng.selftest.SCALED", (1,))
    assert shell.run("selftest") == 1
    assert "FAILED  scaling of published bytes" in shell.out
    assert "good    20 cards of a six-deck shoe" in shell.out


# ---- collect


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_bits_are_raw_and_their_digest_stands_beside_them(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "bits"
    assert shell.run("collect", "--bits", "800000", "--out", str(out)) == 0
    assert out.stat().st_size == 100_000
    assert len(set(out.read_bytes())) == 256
    assert shell.out == f"{digest(out)}  {out}\n"
    assert (tmp_path / "bits.sha256").read_text(encoding="utf-8") == f"{digest(out)}  bits\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bits", "bits.sha256"]


def test_cards_as_text_are_one_deal_a_line(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "cards"
    assert shell.run("collect", "--cards", "700", "--out", str(out)) == 0
    first, *lines = out.read_text(encoding="utf-8").splitlines()
    assert first == "# cabinet rng cards: format=text decks=6 each=312 cards=700"
    deals = [[int(word) for word in line.split()] for line in lines]
    assert [len(deal) for deal in deals] == [312, 312, 76]
    assert [sorted(deal) == list(range(312)) for deal in deals] == [True, True, False]
    assert len(set(deals[2])) == 76


def test_some_cards_of_every_shoe(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "cards"
    assert shell.run("collect", "--cards", "100", "--decks", "2", "--each", "20", "--out", str(out)) == 0
    assert [len(set(line.split())) for line in out.read_text("utf-8").splitlines()[1:]] == [20] * 5


def test_cards_in_binary_are_two_bytes_each(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "cards"
    options = ("--cards", "416", "--decks", "8", "--format", "binary", "--out", str(out))
    assert shell.run("collect", *options) == 0
    head, _, body = out.read_bytes().partition(b"\n")
    header = CardsFile.parse(head + b"\n")
    assert header == CardsFile(BINARY, 8, 416, 416)
    dealt = [int.from_bytes(body[at : at + 2], "little") for at in range(0, len(body), 2)]
    assert sorted(dealt) == list(range(416))


def test_the_cards_are_those_that_the_dealer_would_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """One stream of bytes, two ways: the file and the plain drawing of cards."""
    chance, plain = random.Random(9), random.Random(9)
    generator = Generator(chance.randbytes)
    assert generator.start() == ""
    text = b"".join(rng_collect.cards(generator, CardsFile(TEXT, 6, 30, 60)))
    plain.randbytes(1024)
    dealt = [rng.deal(lambda n: rng.uniform(n, plain.randbytes), 6, 30) for _ in range(2)]
    assert [[int(word) for word in line.split()] for line in text.splitlines()[1:]] == dealt


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\x00\x01\n",
        b"# cabinet rng cards: format=text decks=9 each=1 cards=1\n",
        b"# cabinet rng cards: format=text decks=1 each=53 cards=53\n",
        b"# cabinet rng cards: format=text decks=1 each=0 cards=53\n",
        b"# cabinet rng cards: format=text decks=1 each=52 cards=52",
    ],
)
def test_what_is_no_file_of_cards(line: bytes) -> None:
    assert CardsFile.parse(line) is None


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("collect", "--bits", "800"), "Missing option '--out'"),
        (("collect", "--out", "x"), "say either --bits or --cards"),
        (("collect", "--bits", "8", "--cards", "8", "--out", "x"), "say either --bits or --cards"),
        (("collect", "--bits", "801", "--out", "x"), "a multiple of 8"),
        (("collect", "--bits", "0", "--out", "x"), "Invalid value for '--bits'"),
        (("collect", "--bits", "many", "--out", "x"), "Invalid value for '--bits'"),
        (("collect", "--bits", "8", "--decks", "1", "--out", "x"), "are for --cards"),
        (("collect", "--cards", "8", "--decks", "9", "--out", "x"), "Invalid value for '--decks'"),
        (("collect", "--cards", "8", "--format", "xml", "--out", "x"), "Invalid value for '--format'"),
        (("collect", "--cards", "8", "--decks", "1", "--each", "53", "--out", "x"), "1 deck has 52 cards"),
        (("collect", "--cards", "8", "--each", "313", "--out", "x"), "6 decks has 312 cards"),
        (("collect", "--cards", "8", "--out", "/nowhere/x"), "there is no directory /nowhere"),
        (("collect", "--cards", "8", "--out", "/"), "/ is a directory"),
        (("collect", "--cards", "8", "--out", "/proc/x"), "/proc/x cannot be written"),
        (("shuffle",), "No such command 'shuffle'"),
        ((), "Missing command"),
    ],
)
def test_wrong_use_is_one_line_and_exit_2(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shell.run(*args) == 2
    assert shell.out == ""
    assert shell.err.startswith("cabinet: ")
    assert says in shell.err
    assert shell.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["cards", "cards.sha256"])
def test_nothing_is_written_over_without_being_asked(shell: Shell, tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("old", encoding="utf-8")
    out = tmp_path / "cards"
    assert shell.run("collect", "--cards", "9", "--out", str(out)) == 2
    assert f"{there} is there already; --force writes over it" in shell.err
    assert (tmp_path / there).read_text(encoding="utf-8") == "old"
    assert shell.run("collect", "--cards", "9", "--out", str(out), "--force") == 0
    assert (tmp_path / "cards.sha256").read_text(encoding="utf-8") == f"{digest(out)}  cards\n"


def test_a_generator_that_stops_leaves_no_file(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_after(monkeypatch, 5_000)
    out = tmp_path / "cards"
    out.write_text("old", encoding="utf-8")
    assert shell.run("collect", "--cards", "100000", "--out", str(out), "--force") == 1
    assert shell.err.startswith("cabinet: the generator stopped, nothing was written: repetition")
    assert shell.err.count("\n") == 1
    assert out.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [out]
    broken_after(monkeypatch, 0)
    assert shell.run("collect", "--cards", "1", "--out", str(tmp_path / "more")) == 1
    assert shell.err.startswith("cabinet: repetition")


def test_a_full_disk_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    out = tmp_path / "bits"
    args = ["rng", "collect", "--bits", "8000000", "--out", str(out)]
    code = f"from cabinet.cli.main import main\nmain({args!r})"

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=small_disk,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 1
    assert done.stderr == f"cabinet: {out} cannot be written: File too large\n"
    assert list(tmp_path.iterdir()) == []


def test_long_work_says_how_far_it_is(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Generator, "take", lambda _self, count: bytes(count))
    out = tmp_path / "bits"
    assert shell.run("collect", "--bits", str(8 << 25), "--out", str(out)) == 0
    lines = shell.err.splitlines()
    assert len(lines) == 10
    assert lines[-1] == "chunks of 64 KiB: 512 of 512"


# ---- battery without its libraries


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        (
            "numpy",
            "cabinet rng battery needs numpy, which is not installed; the extra lab has it: pip install",
        ),
        ("scipy.stats", "cabinet rng battery needs scipy, which is not installed"),
        ("cabinet.analysis", "cabinet rng battery is not part of this package"),
    ],
)
def test_a_battery_that_cannot_be_loaded_says_why(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, missing: str, says: str
) -> None:
    load = importlib.import_module

    def import_module(name: str, package: str | None = None) -> object:
        if name.startswith("cabinet.analysis"):
            raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)
        return load(name, package)

    monkeypatch.setattr(importlib, "import_module", import_module)
    assert shell.run("battery", "--json") == 2
    assert shell.err.startswith(f"cabinet: {says}")
    assert shell.err.count("\n") == 1


def test_a_mistake_of_our_own_is_no_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    load = importlib.import_module

    def import_module(name: str, package: str | None = None) -> object:
        if name.startswith("cabinet.analysis"):
            raise ModuleNotFoundError("No module named 'cabinet.rgn'", name="cabinet.rgn")
        return load(name, package)

    monkeypatch.setattr(importlib, "import_module", import_module)
    with pytest.raises(ModuleNotFoundError, match=r"cabinet\.rgn"):
        cli.main(("rng", "battery"))


def test_self_test_and_collection_need_no_mathematics(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom cabinet.cli.main import main\n"
        f"for args in (['selftest'], ['collect', '--cards', '9', '--out', {str(tmp_path / 'c')!r}]):\n"
        "    try: main(['rng', *args])\n    except SystemExit as end: assert not end.code\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, timeout=PATIENCE_S
    )
    loaded = {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert loaded & {"numpy", "scipy", "pygame", "sqlite3", "serial"} == set()
