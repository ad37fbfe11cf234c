"""A memory was copied, and two cabinets play with it side by side.

What money that makes, who sees it, at which start, at the desk, in the box; and what nobody sees, as
docs/trust.md says it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from adversary.boards import Board, into, number_of
from adversary.state_directory import Memory, told
from cabinet.core.facts import SettingsTaken, decode
from cabinet.store.chain import Head
from cabinet.store.journal import Journal
from cabinet.tickets import keys as ticket_keys

CREDIT, TICKET = 7_000, 3_000


class Pair:
    """`first` had a credit and a ticket outstanding when it was copied; `second` is the copy: another board,
    a second copy of its own, and made to fit."""

    def __init__(self, folder: Path, *, chip: str = "copied", machine_id: int = 796) -> None:
        memory = Memory(folder / "first")
        memory.begin(5)
        self.first = Board(memory)
        self.first.start()
        self.first.note(TICKET)
        self.number, _ = self.first.cash_out()
        self.first.note(CREDIT)
        self.first.stop()
        self.before = memory.copied(folder / "before")
        copied = memory.copied(folder / "second")
        copied.machine_id = machine_id
        self.second = Board(copied).on("board 2")
        if chip == "blank":
            copied.copy.unlink()
        self.second.made_to_fit("board 2", "" if chip == "blank" else number_of(copied))

    def start(self) -> None:
        assert self.first.start().what == self.second.start().what == "plays"

    @property
    def boards(self) -> tuple[Board, Board]:
        return self.first, self.second


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    made.start()
    yield made
    for board in made.boards:
        if board._runtime is not None:
            board.runtime.drop()


# ---- what it makes


def test_the_copy_has_the_credit_and_the_tickets_of_the_moment_once_more(pair: Pair) -> None:
    """This is the gain: cashed out at both, and one paper with its photocopy."""
    for board in pair.boards:
        assert board.state.credit(1) == CREDIT
        assert board.ticket_in(pair.number) == TICKET
        assert board.ticket_in(pair.number) == 0, "each pays it once"
        assert board.cash_out()[1] == CREDIT + TICKET


def test_the_box_of_the_copy_is_short_by_just_that(pair: Pair) -> None:
    """What the house finds at the drop: the books of the copy count notes that lie in the other box."""
    first, second = pair.boards
    second.note(2_000)
    assert first.booked_cents == first.box_cents
    assert second.booked_cents - second.box_cents == CREDIT + TICKET


def test_afterwards_both_give_one_number_to_two_papers_and_each_pays_its_own_amount(pair: Pair) -> None:
    """A holder of the small one is paid the large one at the other cabinet, and its holder comes too late."""
    first, second = pair.boards
    for board in pair.boards:
        board.cash_out()
    small, large = paid_out(first, 100), paid_out(second, 50_000)
    assert small == large
    assert second.ticket_in(small) == 50_000
    assert second.ticket_in(large) == 0
    assert first.at_the_desk(large) == [100], "the page shows an amount that the paper has not"


def test_another_machine_id_ends_the_equal_numbers_but_not_the_copied_money(tmp_path: Path) -> None:
    pair = Pair(tmp_path, machine_id=797)
    pair.start()
    first, second = pair.boards
    (one, _), (other, _) = first.cash_out(), second.cash_out()
    assert one != other
    assert (first.ticket_in(other), second.ticket_in(one)) == (0, 0)
    assert second.ticket_in(pair.number) == TICKET
    for board in pair.boards:
        board.stop()


@pytest.mark.parametrize("seed", range(2))
def test_no_play_with_both_makes_more_than_what_was_copied(pair: Pair, seed: int) -> None:
    """Notes, cash-outs, all papers and their copies at both cabinets, stops and kills in between."""
    hands(pair, seed)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(2, 40))
def test_many_hands_at_both(pair: Pair, seed: int) -> None:
    hands(pair, seed)


def hands(pair: Pair, seed: int) -> None:
    dice, papers = random.Random(seed), [pair.number]
    for _ in range(60):
        board = dice.choice(pair.boards)
        match dice.randrange(6):
            case 0 | 1:
                board.note(dice.choice((100, 500, 2_000)))
            case 2 if board.state.credit(1):
                papers.append(board.cash_out()[0])
            case 3 | 4:
                board.ticket_in(dice.choice(papers[-4:]))
            case 5:
                dice.choice((board.stop, board.kill))()
                assert board.start().what == "plays"
        boxes = sum(each.box_cents for each in pair.boards)
        assert sum(each.can_be_had_cents for each in pair.boards) == boxes + CREDIT + TICKET


# ---- what is seen at the next start


SWAPS = {
    "directory": (("state",), "not of this cabinet"),
    "second copy": (("copy",), "the second copy is"),  # ahead, or of another journal
    "directory made to fit": (("state",), "the second copy is"),
}


@pytest.mark.parametrize("how", SWAPS)
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_one_half_of_the_other_cabinet_is_seen_in_both_directions(pair: Pair, how: str, end: str) -> None:
    for board in pair.boards:
        paid_out(board, 1_000)
        getattr(board, end)()
    what, text = SWAPS[how]
    kept = [
        board.memory.copied(board.memory.folder.parent / f"kept {i}") for i, board in enumerate(pair.boards)
    ]
    for target, source, name in ((pair.first, kept[1], "board 1"), (pair.second, kept[0], "board 2")):
        for part in what:
            into(target.memory, source, part)
        if "fit" in how:
            target.made_to_fit(name, number_of(target.memory))
        found = target.start()
        assert found.what != "plays"
        assert text in found.text


def test_a_second_copy_that_has_gone_on_alone_is_ahead_of_the_card_that_stood_still(pair: Pair) -> None:
    """The first cabinet was off while the copy played; then the chips change places."""
    pair.second.note(1_000)
    pair.second.stop()
    pair.first.kill()
    into(pair.first.memory, pair.second.memory, "copy")
    assert pair.first.start().what == "locked"


# ---- what is not


def test_what_a_copy_has_played_at_night_goes_on_in_the_cabinet_that_stood_still(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The card comes back with an evening that never was. The seals fit, for the thief had their key; the
    chip is only older. What tells of it: a line of the log, the other board among the settings, the box."""
    pair = Pair(tmp_path)
    pair.second.start()
    pair.second.note(50_000)
    pair.second.stop()
    into(pair.first.memory, pair.second.memory, "state")
    pair.first.made_to_fit("board 1", number_of(pair.before))
    assert pair.first.start().what == "plays"
    assert pair.first.state.credit(1) == CREDIT + 50_000
    assert "it was right but older than the journal" in caplog.text
    assert pair.first.booked_cents - pair.first.box_cents == 50_000
    pair.first.stop()
    assert told(pair.first.memory) == []
    assert boards_of(pair.first.memory) == ["board 1", "board 2", "board 1"]


def test_whoever_has_read_the_key_once_can_write_all_that_comes_later_again(pair: Pair) -> None:
    """Both halves are replaced after days: every seal fits the operator's key. A head that was noted down in
    these days is the only thing that shows it."""
    before = journal_head(pair.before)
    for _ in range(3):
        pair.first.note(10_000)
        pair.first.stop()
        pair.first.start()
    pair.first.stop()
    noted = journal_head(pair.first.memory)
    pair.second.note(100)
    pair.second.stop()
    for part in ("state", "copy"):
        into(pair.first.memory, pair.second.memory, part)
    pair.first.made_to_fit("board 1", number_of(pair.first.memory))
    assert pair.first.start().what == "plays"
    assert pair.first.state.credit(1) == CREDIT + 100
    pair.first.stop()
    assert told(pair.first.memory) == told(pair.first.memory, before) == []
    (found,) = told(pair.first.memory, noted)
    assert "is not in this chain" in found


def journal_head(memory: Memory) -> Head:
    with closing(Journal.read(memory.state)) as journal:
        return journal.head


def boards_of(memory: Memory) -> list[str]:
    """The boards that the log of settings names, in their order."""
    with closing(Journal.read(memory.state)) as journal:
        facts = [decode(row.entry.kind, row.entry.body) for row in journal.rows()]
    changes = [change for fact in facts if isinstance(fact, SettingsTaken) for change in fact.changes]
    return [change.new for change in changes if change.name == "memory.board"]


# ---- a house key


def test_two_cabinets_with_one_house_key_have_no_number_in_common(tmp_path: Path) -> None:
    first, second = house(tmp_path)
    numbers = [[paid_out(board, 100) for _ in range(3)] for board in (first, second)]
    assert not set(numbers[0]) & set(numbers[1])
    assert not any(first.ticket_in(number) for number in numbers[1])
    assert not any(second.ticket_in(number) for number in numbers[0])


def test_a_copy_in_the_cabinet_next_to_it_makes_the_numbers_of_that_one_again(tmp_path: Path) -> None:
    """The card of the first, made to fit, under the machine id of the second: its sequence was lower, so it
    comes to numbers that the second has on paper already."""
    first, second = house(tmp_path)
    outstanding = [paid_out(second, 9_000) for _ in range(3)]
    paid_out(first, 100)
    for board in (first, second):
        board.stop()
    copied = first.memory.copied(tmp_path / "copied")
    copied.machine_id = 797
    copied.copy.unlink()
    stranger = Board(copied).on("board 2")
    stranger.made_to_fit("board 2")
    found = stranger.start()
    assert found.what == "plays", found.text
    assert paid_out(stranger, 500) in outstanding


def house(folder: Path) -> tuple[Board, Board]:
    made = []
    for machine_id in (796, 797):
        memory = Memory(folder / str(machine_id))
        memory.begin(machine_id - 790, f"board {machine_id - 795}", machine_id=machine_id)
        ticket_keys.keep(memory.state, ticket_keys.TicketKey(bytes(32), ticket_keys.KeyKind.HOUSE))
        made.append(Board(memory))
        assert made[-1].start().what == "plays"
    return made[0], made[1]


def paid_out(board: Board, cents: int) -> str:
    board.note(cents)
    return board.cash_out()[0]
