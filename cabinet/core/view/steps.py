"""The steps of a view: still pictures of everything but the cards in flight.

Only the steps from the one before the present one are made: what is over is not drawn again, but
the window fades from the step before into the present one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cabinet.core import options
from cabinet.core.live import closed
from cabinet.core.look import Clock, HandTurn, Message, Step, TablePhase
from cabinet.core.state import State
from cabinet.core.view import round_messages
from cabinet.core.view.replay import Played, RoundMoment
from cabinet.core.view.round_messages import message
from cabinet.core.view.seats import SeatFaces, is_asked
from cabinet.core.view.sight import Sight
from game import grid as boards
from game import needs
from game.grid import Cell, CellState, Grid, Row, RowKind
from game.hand import total
from game.play import HandStatus as Life
from game.round import Round
from game.settle import HandResult

_LIVES = {
    Life.WAITING: HandTurn.NEXT,
    Life.PLAYING: HandTurn.NOW,
    Life.COMPLETING: HandTurn.NOW,
    Life.DONE: HandTurn.DONE,
}


def round_steps(sight: Sight, played: Played, faces: SeatFaces) -> tuple[Step, ...]:
    """The steps while a round is on the table. A table that stands still has no future."""
    shown = played.shown(sight.at_ms)
    fresh = sight.at_ms - played.moments[shown].from_ms < sight.policy.timing.settle_ms
    first = max(0, shown - 1) if fresh else shown
    wanted = played.moments[first : shown + 1] if sight.locked else played.moments[first:]
    boards_ = _grids(wanted, sight.state)
    return tuple(
        _round_step(sight, moment, board, faces, len(played.hands))
        for moment, board in zip(wanted, boards_, strict=True)
    )


def still_step(sight: Sight, moment: RoundMoment, faces: SeatFaces, hands: int) -> Step:
    """One moment alone, without what comes before and after."""
    (board,) = _grids((moment,), sight.state)
    return _round_step(sight, moment, board, faces, hands)


def _round_step(sight: Sight, moment: RoundMoment, board: Grid, faces: SeatFaces, hands: int) -> Step:
    one_seat = sight.policy.seats == 1
    return Step(
        from_ms=moment.from_ms,
        phase=moment.phase,
        line=_line(sight, moment, one_seat),
        clock=_decision_clock(sight) if moment.opened else None,
        story=_story(sight, moment, one_seat),
        grid=board,
        row_notes=tuple(round_messages.row_note(row, moment, one_seat=one_seat) for row in board.rows),
        hand_status=_hand_status(moment.round, hands),
        seats=faces.at(moment),
    )


def _line(sight: Sight, moment: RoundMoment, one_seat: bool) -> Message | None:
    if moment.settled and closed(sight.state, sight.live):
        return message("line.closed")
    bets = moment.settled and options.betting_open(sight.state, sight.live)
    return round_messages.line(moment, one_seat=one_seat, betting_open=bets)


def _story(sight: Sight, moment: RoundMoment, one_seat: bool) -> Message | None:
    state, live = sight.state, sight.live
    if state.restored and live.now_ms < state.started_ms + sight.policy.timing.restored_ms and moment.opened:
        return message("story.restored")
    return round_messages.story(moment, one_seat=one_seat)


def _hand_status(round_: Round, hands: int) -> tuple[HandTurn, ...]:
    """One for each hand of the view; a hand that is not split off yet comes next."""
    known = [_LIVES[hand.status] for hand in round_.hands]
    return (*known, *[HandTurn.NEXT] * (hands - len(known)))


# ---- clocks


def _decision_clock(sight: Sight) -> Clock | None:
    return _clock(sight, sight.policy.decide_ms, sight.state.decision_deadline_ms)


def _clock(sight: Sight, total_ms: int, deadline_ms: int | None) -> Clock | None:
    if sight.locked:
        left_ms = sight.left_ms(deadline_ms)
        return None if left_ms is None else Clock(total_ms, None, left_ms)
    return None if deadline_ms is None else Clock(total_ms, deadline_ms)


# ---- grids


def _grids(moments: Sequence[RoundMoment], state: State) -> list[Grid]:
    """The grid of each moment. While cards come that change no play, only the labels are new."""
    found: list[Grid] = []
    for number, moment in enumerate(moments):
        round_ = _as_shown(moment)
        before = _as_shown(moments[number - 1]) if number else None
        if before is not None and _same_cells(before, round_):
            board = _relabelled(found[-1], round_)
            found.append(_with_results(board, state.results) if moment.settled else board)
        else:
            found.append(boards.grid(round_, state.seats, state.results))
    return found


def _as_shown(moment: RoundMoment) -> Round:
    """The round as the grid may show it: nobody has a turn before the decision is open, and nobody
    has won before the settlement is shown."""
    round_ = moment.round
    if round_.phase is needs.Phase.DECIDE and not moment.opened:
        return _in_phase(round_, needs.Phase.DRAW)
    if round_.phase is needs.Phase.FINISHED and not moment.settled:
        return _in_phase(round_, needs.Phase.DEALER)
    return round_


def _in_phase(round_: Round, phase: needs.Phase) -> Round:
    return Round(round_.rules, round_.bets, round_.hands, round_.dealer, phase, round_.active)


def _same_cells(before: Round, after: Round) -> bool:
    """No play has changed and nobody is asked: cells and choices are the same."""
    if needs.Phase.DECIDE in (before.phase, after.phase) or len(before.hands) != len(after.hands):
        return False
    pairs = zip(before.hands, after.hands, strict=True)
    return all(old is new or (old.plays is new.plays and old.cards is new.cards) for old, new in pairs)


def _relabelled(board: Grid, round_: Round) -> Grid:
    """The same cells under labels of `round_`."""
    rows = []
    for row in board.rows:
        hand = round_.hands[row.hand]
        continued = total(hand.cards + hand.continuation).best if hand.continuation else None
        active = round_.active_hand == row.hand
        rows.append(replace(row, status=hand.status, active=active, continued=continued))
    return Grid(board.seats, tuple(rows), board.lines)


def _with_results(board: Grid, recorded: Sequence[HandResult]) -> Grid:
    """The same cells with what each bet has become."""
    outcomes = {(result.hand, result.seat): result.outcome for result in recorded}
    rows = []
    for row in board.rows:
        cells = [replace(cell, result=outcomes.get((row.hand, cell.seat))) for cell in row.cells]
        rows.append(replace(row, cells=tuple(cells)))
    return Grid(board.seats, tuple(rows), board.lines)


# ---- between rounds


def betting_step(sight: Sight, faces: SeatFaces) -> Step:
    """The table without a round: bets are placed, or nobody plays."""
    state, policy = sight.state, sight.policy
    seats = faces.betting()
    count = sum(state.bet(seat) > 0 for seat in state.seats)
    shut = closed(state, sight.live)
    clock = _clock(sight, policy.bet_ms, state.bet_deadline_ms) if count and not shut else None
    rules = policy.rules
    shuffles = state.shoe is None or rules.must_shuffle(len(state.shoe))
    return Step(
        from_ms=sight.at_ms,
        phase=TablePhase.CLOSED if shut else TablePhase.BET if count else TablePhase.IDLE,
        line=_betting_line(sight, count, any(is_asked(seat) for seat in seats)),
        clock=clock,
        story=None,
        grid=_betting_grid(sight, [is_asked(seat) for seat in seats]),
        row_notes=(message("row.seats_in", count=count) if count and policy.seats > 1 else None,),
        hand_status=(),
        seats=seats,
        shoe_note=None if shut else round_messages.shoe_note(rules.decks, rules.shuffle, shuffles=shuffles),
    )


def _betting_line(sight: Sight, count: int, asked: bool) -> Message:
    if closed(sight.state, sight.live):
        return message("line.closed")
    if sight.policy.seats == 1:
        return message("line.place_bet_one")
    if not count:
        return message("line.place_bet")
    return message("line.or_sit_out" if asked else "line.all_bets_in")


def _betting_grid(sight: Sight, asked: Sequence[bool]) -> Grid:
    """One row: who is in, and who is asked for a bet."""
    state = sight.state
    cells = []
    for seat, waits in zip(state.seats, asked, strict=True):
        if state.bet(seat):
            cells.append(Cell(seat, CellState.IN, mark="IN"))
        elif waits:
            cells.append(Cell(seat, CellState.TURN, mark="BET"))
        else:
            cells.append(Cell(seat, CellState.EMPTY))
    row = Row(RowKind.HAND, 0, Life.PLAYING, False, 0, False, None, tuple(cells))
    return Grid(tuple(state.seats), (row,), ())
