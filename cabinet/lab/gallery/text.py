"""The words of a gallery: what a picture shows, the Blackjack Grid of a round, the books."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cabinet.core.currency import Currency, of_settings
from cabinet.core.look import Scene, Step, View
from cabinet.core.state import State
from cabinet.lab.gallery.page import BookRow
from cabinet.lab.report import EveningReport
from cabinet.ui.catalogue import Catalogue
from game import cards
from game.grid import Grid, RowKind, Word, grid
from game.hand import total

COLUMN = 10  # letters per seat
ROW_NAMES = {
    RowKind.HAND: "HAND",
    RowKind.PAIR: "PAIR",
    RowKind.SPLIT_1: "SPLIT 1",
    RowKind.SPLIT_2: "SPLIT 2",
}


# ---- a picture in words


def described(view: View, step: Step, words: Catalogue, ms: int) -> str:
    """What is to be seen, for who does not see it."""
    if view.scene is Scene.ATTRACT:
        return "The title of the game, a demonstration round, and the free seats."
    if view.scene is Scene.SERVICE and view.service is not None:
        return f"Service page: {view.service.headline}. {view.service.subline}"
    parts, money = [], words.currency.text
    if view.lock is not None:
        parts.append(_sentence(f"{words.text(view.lock.title)}. {words.text(view.lock.text)}"))
    lying = [[card.card for card in each.cards if card.land_ms <= ms] for each in view.hands]
    if dealer := [card.card for card in view.dealer if card.land_ms <= ms]:
        parts.append(f"Dealer {_cards(dealer)}, {total(dealer).best}.")
    for place, hand in enumerate(lying):
        name = ("Pair" if len(lying) > 1 else "Common hand") if place == 0 else f"Split {place}"
        if hand and not view.hands[place].gone:
            parts.append(f"{name} {_cards(hand)}, {total(hand).best}.")
    for seat in step.seats:
        said = f"Seat {seat.seat} {words.text(seat.head)}"
        if seat.bet_cents:
            said += f", bet {money(seat.bet_cents)}"
        if seat.result_cents is not None:
            said += f", net {money(seat.result_cents)}"
        if seat.credit_cents:
            said += f", credit {money(seat.credit_cents)}"
        parts.append(said + ".")
    return " ".join(parts)


def _cards(hand: Sequence[int]) -> str:
    return " ".join(cards.text(card) for card in hand)


def _sentence(text: str) -> str:
    return text.replace("\n", " ").replace("*", "")


# ---- a round as text


@dataclass(frozen=True, slots=True)
class RoundText:
    """A settled round: its number, when it was settled (local wall clock, ms), and its grid in letters."""

    number: int
    wall_ms: int
    text: str


def round_text(state: State, wall_ms: int) -> RoundText:
    """The settled round on the table."""
    round_ = state.round
    assert round_ is not None
    made = grid(round_, state.seats)
    ends = total(round_.dealer).best if round_.dealer else 0
    lines = [
        f"{'dealer':9}{_cards(round_.dealer)} = {ends}",
        *_hands(state),
        "",
        *_grid(made),
        "",
        *_money(state),
    ]
    return RoundText(state.round_number, wall_ms, "\n".join(line.rstrip() for line in lines))


def _hands(state: State) -> Iterator[str]:
    assert state.round is not None
    for row in grid(state.round, state.seats).rows:
        hand = state.round.hands[row.hand]
        if not hand.cards or row.empty:
            continue
        line = f"{ROW_NAMES[row.kind].lower():9}{_cards(hand.cards)} = {row.total}"
        if hand.continuation:
            line += f"   continued {_cards(hand.continuation)}, total {row.continued}"
        yield line


def _grid(made: Grid) -> Iterator[str]:
    """Seats across, hands down: the mark of each cell and what became of it; then the choices."""
    yield _line("", [f"seat {seat}" for seat in made.seats])
    for row in made.rows:
        yield _line(ROW_NAMES[row.kind], [cell.mark or "-" for cell in row.cells])
        yield _line("", [cell.result.value if cell.result else "" for cell in row.cells])
    for line in made.lines:
        hand = f"{ROW_NAMES[made.rows[line.hand].kind].lower()}, " if len(made.rows) > 1 else ""
        yield _line(f"{hand}on {line.title.lower()}", [_word(word) for word in line.words])


def _word(word: Word) -> str:
    return "" if word is Word.NONE else word.value


def _money(state: State) -> Iterator[str]:
    money = of_settings(state.settings).text
    stakes: dict[int, int] = {}
    nets: dict[int, int] = {}
    for result in state.results:
        stakes[result.seat] = stakes.get(result.seat, 0) + result.stake_cents
        nets[result.seat] = nets.get(result.seat, 0) + result.returned_cents - result.stake_cents
    yield _line("bets", [money(stakes[seat]) if seat in stakes else "" for seat in state.seats])
    yield _line("net", [money(nets[seat]) if seat in nets else "" for seat in state.seats])


def _line(name: str, entries: Sequence[str]) -> str:
    return f"{name:18}" + "".join(f"{entry:{COLUMN}}" for entry in entries)


# ---- the books


def books(made: EveningReport, currency: Currency) -> list[BookRow]:
    """The cabinet's own books beside what the simulated machines have counted."""
    money = currency.text
    came = made.opening_credit_cents + made.notes_in_cents + made.tickets_in_cents
    went = made.tickets_out_cents + made.handpay_cents + made.credit_cents + made.house_cents
    boxes, paper = made.sim_notes_stacked_cents, made.sim_tickets_cents
    numbers = made.sim_ticket_numbers
    nothing = "must be nothing"
    notes, tickets = made.notes_in_cents, made.tickets_out_cents
    rows = [
        BookRow("Notes in", money(notes), f"{money(boxes)} in the cash boxes", boxes == notes),
        BookRow(
            "Tickets in",
            money(made.tickets_in_cents),
            f"{made.sim_tickets_in} in the cash boxes",
            made.sim_tickets_in == made.tickets_in,
        ),
        BookRow("Tickets out", money(tickets), f"{money(paper)} on paper", paper == tickets),
        BookRow("Paid by hand", money(made.handpay_cents), ""),
        BookRow("Still at the seats", money(made.credit_cents), ""),
        BookRow("Won by the house", money(made.house_cents), ""),
        BookRow("Notes and tickets less all of these", money(came - went), nothing, came == went),
        BookRow("Sum of all accounts", money(made.ledger_sum_cents), nothing, made.ledger_sum_cents == 0),
        BookRow("Ticket numbers", str(len(numbers)), "read from paper, all different", _differ(numbers)),
    ]
    if made.opening_credit_cents:
        rows.insert(0, BookRow("At the seats before", money(made.opening_credit_cents), ""))
    return rows


def _differ(numbers: Sequence[str]) -> bool:
    return len(set(numbers)) == len(numbers)
