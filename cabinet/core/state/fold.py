"""``after(state, fact)``: the next state, or `FactRefusedError`.

A fact that does not fit is never written: a negative credit, a second credit for one reference,
a ticket paid twice are refused before anything reaches the journal.
"""

from __future__ import annotations

from typing import Any

from cabinet.core.conditions import Code
from cabinet.core.facts import (
    BetMoved,
    BettingClosed,
    BettingOpened,
    CardsDrawn,
    CashOutAsked,
    ClockDoubted,
    ClockJudged,
    ClockStepped,
    ConditionCleared,
    ConditionRaised,
    Decided,
    DecisionOpened,
    DeskNumberWrong,
    Fact,
    Frozen,
    HandpayCancelled,
    HandpayOpened,
    HandpayPaid,
    KeyTurned,
    MemoryBegun,
    MemoryCleared,
    NoteClosed,
    NoteCredited,
    NoteIntended,
    NoteRefused,
    NoteRejected,
    NoteReturned,
    NoteSettledByHand,
    NoteUnresolved,
    PeriodReset,
    PulseDone,
    PulseIntended,
    RedeemIntended,
    Released,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    RulesTaken,
    SeatReady,
    SeatTouched,
    SequenceGiven,
    SessionStarted,
    SessionStopped,
    SettingsTaken,
    TicketBegun,
    TicketExpired,
    TicketIntended,
    TicketPaidAtDesk,
    TicketPrinted,
    TicketRedeemed,
    TicketRefused,
    TicketTakenAway,
    TicketUnknown,
    TicketVoided,
)
from cabinet.core.renewal import replace
from cabinet.core.state import fold_money as money
from cabinet.core.state import fold_settings, meters
from cabinet.core.state import fold_tickets as tickets
from cabinet.core.state import ledger as accounts
from cabinet.core.state.ledger import FactRefusedError
from cabinet.core.state.state import Move, SeatRecord, State
from game.round import ENGINE, MAX_SEATS, Round
from game.rules import Rules
from game.shoe import Shoe

# Conditions that end with their cause. The table of conditions may change and an old journal may not: what
# one of these codes has meant stays. A code that is not here waits for a person, also one of another version.
OVER_BY_THEMSELVES: frozenset[str] = frozenset(
    {
        Code.CASH_BOX_FULL,
        Code.VALIDATOR_FAILED,
        Code.VALIDATOR_SILENT,
        Code.DOCUMENT_STUCK,
        Code.TWO_DOCUMENTS,
        Code.VALIDATOR_NOT_READY,
        Code.MAIN_DOOR_OPEN,
        Code.PRINTER_DOOR_OPEN,
        Code.CASH_BOX_DOOR_OPEN,
        Code.DROP_DOOR_OPEN,
        Code.CASH_BOX_REMOVED,
        Code.ATTENDANT_MENU,
        Code.SERVICE_MENU,
        Code.NO_SECOND_COPY,
        Code.NOT_CONFIGURED,
        Code.STORAGE_SLOW,
        Code.INPUT_STUCK,
        Code.NO_DISPLAY,
        Code.INPUT_BOARD_LOST,
        Code.NO_SOUND,
        Code.PAPER_LOW,
        Code.PAPER_OUT,
        Code.PRINTER_SILENT,
        Code.TICKET_NOT_TAKEN,
        Code.PRINTER_OPEN,
        Code.PRINTER_FAILED,
        Code.PRINTER_STANDS,
    }
)


class NewerEngineError(FactRefusedError):
    """Rounds are played by a procedure that this program does not know: a newer program has begun it."""


def after(state: State, fact: Fact) -> State:
    """The state once `fact` is true. Raises RefusedError; never changes `state`."""
    try:
        following = _after(state, fact)
        counted = meters.after(state, fact)
    except (ValueError, LookupError) as error:
        # Whatever a damaged or strange journal holds: a fact that cannot be folded cannot be true.
        kind = NewerEngineError if isinstance(error, NewerEngineError) else FactRefusedError
        raise kind(f"{type(fact).__name__}: {error}") from error
    return following if counted is state.meters else replace(following, meters=counted)


def _after(state: State, fact: Fact) -> State:
    match fact:
        case SessionStarted():
            return _session_started(state, fact)
        case ClockStepped():
            return _clock_stepped(state, fact)
        case ClockDoubted(known_ms=known_ms):
            if known_ms <= 0:
                raise FactRefusedError("a clock that nobody has known cannot be doubted")
            return replace(state, clock_known_ms=known_ms, clock_wrong=False)
        case ClockJudged(right=right):
            return replace(state, clock_known_ms=0 if right else state.clock_known_ms, clock_wrong=not right)
        case MemoryBegun():
            return state
        case MemoryCleared():
            return _memory_cleared(state, fact)
        case RulesTaken(rules=rules, seats=seats, engine=engine):
            if engine > ENGINE:
                raise NewerEngineError(f"rounds of procedure {engine}: this program plays up to {ENGINE}")
            return replace(_rules_taken(state, rules, seats), engine=engine)
        case SettingsTaken():
            return fold_settings.after(state, fact)
        case NoteIntended() | NoteCredited() | NoteClosed() | NoteReturned():
            return money.note(state, fact)
        case NoteUnresolved() | NoteSettledByHand():
            return money.note_by_hand(state, fact)
        case BetMoved(seat=seat, cents=cents):
            return _bet_moved(state, seat, cents)
        case BettingOpened(deadline_ms=deadline_ms):
            return replace(state, bet_deadline_ms=deadline_ms, remaining_ms=None)
        case BettingClosed():
            return replace(state, bet_deadline_ms=None, remaining_ms=None)
        case SeatReady(seat=seat):
            return _with_book(state, seat, ready=True, active=True)
        case SeatTouched(seat=seat):
            return _with_book(state, seat, active=True)
        case RoundOpened() | CardsDrawn() | DecisionOpened() | Decided() | RoundSettled() | RoundVoided():
            return _round(state, fact)
        case Frozen(code=code, at_ms=at_ms):
            return _frozen(state, code, at_ms)
        case Released(at_ms=at_ms):
            return _landed(replace(state, frozen="", remaining_ms=None), at_ms)
        case CashOutAsked(seat=seat):
            if seat not in state.seats or seat in state.waiting:
                raise FactRefusedError(f"seat {seat} does not exist or waits for its ticket already")
            return replace(state, waiting=(*state.waiting, seat))
        case TicketIntended() | TicketBegun() | TicketPrinted() | TicketUnknown() | TicketVoided():
            return tickets.ticket(state, fact)
        case RedeemIntended() | TicketRedeemed() | TicketExpired() | SequenceGiven():
            return _ticket_in(state, fact)
        case TicketPaidAtDesk():
            return tickets.paid_at_desk(state, fact)
        case TicketTakenAway(device=device):
            return replace(state, presented=tuple(p for p in state.presented if p.device != device))
        case HandpayOpened() | HandpayPaid() | HandpayCancelled():
            return money.handpay(state, fact)
        case PulseIntended(meter=meter, count=count):
            return money.pulse_intended(state, meter, count)
        case PulseDone(meter=meter, count=count):
            return money.pulse_done(state, meter, count)
        case PeriodReset():
            return meters.new_period(state, fact)
        case ConditionRaised(code=code, device=device):
            held = (code, device)
            if code in OVER_BY_THEMSELVES or held in state.conditions:
                return state  # only what a person must clear outlives its cause
            return replace(state, conditions=(*state.conditions, held))
        case ConditionCleared(code=code, device=device):
            return replace(state, conditions=tuple(c for c in state.conditions if c != (code, device)))
        case (
            NoteRefused()
            | NoteRejected()
            | TicketRefused()
            | DeskNumberWrong()
            | KeyTurned()
            | SessionStopped()
        ):
            return state
    raise FactRefusedError(f"no rule for {type(fact).__name__}")


def _ticket_in(state: State, fact: RedeemIntended | TicketRedeemed | TicketExpired | SequenceGiven) -> State:
    match fact:
        case RedeemIntended():
            return tickets.redeem_intended(state, fact)
        case TicketRedeemed():
            return tickets.redeemed(state, fact)
        case TicketExpired(ref=ref):
            return tickets.expired(state, ref)
        case SequenceGiven():
            return tickets.sequence_given(state, fact)


def _with_book(state: State, seat: int, **changes: Any) -> State:
    if not 1 <= seat <= len(state.seat_records):
        raise FactRefusedError(f"there is no seat {seat}")
    records = list(state.seat_records)
    records[seat - 1] = replace(records[seat - 1], **changes)
    return replace(state, seat_records=tuple(records))


def _session_started(state: State, fact: SessionStarted) -> State:
    """Everything that was open is in doubt; all cards have landed; each countdown starts again."""
    if fact.number != state.session + 1:
        raise FactRefusedError(f"session {fact.number} cannot follow session {state.session}")
    state = replace(
        state,
        session=fact.number,
        clean=fact.clean,
        started_ms=fact.at_ms,
        wall_base_ms=fact.wall_ms - fact.at_ms,
        restored=state.round_open,
        tickets=tuple(replace(t, doubt=True, since_ms=fact.at_ms) for t in state.tickets),
        handpays=tuple(replace(pay, since_ms=fact.at_ms) for pay in state.handpays),
        frozen="",
        remaining_ms=None,
        bet_deadline_ms=None,
        presented=(),
    )
    return _landed(state, fact.at_ms)


def _clock_stepped(state: State, fact: ClockStepped) -> State:
    """A round of this session was opened by the wrong clock. So was every ticket: none ends sooner than its
    guest was told in days."""
    later_ms = fact.wall_ms - fact.before_ms
    opened_ms = state.round_wall_ms + (later_ms if state.round_open and not state.restored else 0)
    state = replace(state, wall_base_ms=fact.wall_ms - fact.at_ms, round_wall_ms=opened_ms)
    return tickets.clock_stepped(state, fact.first_ref, later_ms) if later_ms > 0 else state


def _memory_cleared(state: State, fact: MemoryCleared) -> State:
    """Nothing but the numbers that are burned, and a table that waits for the service key."""
    if state != State():
        raise FactRefusedError("a memory clear stands at the beginning of a journal")
    return replace(
        state,
        next_ref=fact.next_ref,
        sequence=fact.sequence,
        ticket_no=fact.ticket_no,
        conditions=((Code.MEMORY_CLEARED, ""),),
    )


def _landed(state: State, at_ms: int) -> State:
    """All cards lie on the table; an open decision is opened again in full."""
    moves = tuple(
        replace(m, start_ms=min(m.start_ms, at_ms), land_ms=min(m.land_ms, at_ms)) for m in state.moves
    )
    return replace(
        state,
        moves=moves,
        landed_ms=min(state.landed_ms, at_ms),
        settled_ms=None if state.settled_ms is None else min(state.settled_ms, at_ms),
        decision_deadline_ms=None,
        bet_deadline_ms=None,
    )


def _rules_taken(state: State, rules: Rules, seats: int) -> State:
    if state.round_open or not 1 <= seats <= MAX_SEATS:
        raise FactRefusedError(f"house rules for {seats} seats cannot be taken, or a round is open")
    records = state.seat_records[:seats] + tuple(SeatRecord() for _ in range(seats - len(state.seat_records)))
    for seat in range(seats + 1, len(state.seat_records) + 1):
        if any(state.ledger[f"{kind}.{seat}"] for kind in ("credit", "bet", "in_flight", "handpay")):
            raise FactRefusedError(f"seat {seat} still holds money and cannot be taken away")
    return replace(
        state, rules=rules, seat_records=records, round=None, moves=(), results=(), settled_ms=None, shoe=None
    )


# ---- bets and the round


def _bet_moved(state: State, seat: int, cents: int) -> State:
    if state.round_open:
        raise FactRefusedError("bets are closed")
    source, target = accounts.credit(seat), accounts.bet(seat)
    if cents < 0:
        source, target = target, source
    state = replace(state, ledger=state.ledger.move(source, target, abs(cents)))
    if state.settled_ms is not None:
        state = _cleared(state)
    return _with_book(state, seat, active=True, ready=False)


def _cleared(state: State) -> State:
    """The settled round leaves the table."""
    return replace(state, round=None, moves=(), results=(), settled_ms=None, bets=(), restored=False)


def _round(state: State, fact: Fact) -> State:
    match fact:
        case RoundOpened():
            return _round_opened(state, fact)
        case CardsDrawn():
            return _cards_drawn(state, fact)
        case DecisionOpened():
            if not state.awaited():
                raise FactRefusedError("no decision is awaited")
            return replace(
                state, decision_deadline_ms=fact.deadline_ms, decision_opened_ms=fact.at_ms, remaining_ms=None
            )
        case Decided():
            return _decided(state, fact)
        case RoundSettled():
            return _settled(state, fact)
    return _voided(state)


def _round_opened(state: State, fact: RoundOpened) -> State:
    if state.round_open or state.rules is None:
        raise FactRefusedError("a round is open already, or there are no rules")
    if fact.number != state.round_number + 1:
        raise FactRefusedError(f"round {fact.number} cannot follow round {state.round_number}")
    if not fact.bets or any(state.bet(seat) != cents for seat, cents in fact.bets):
        raise FactRefusedError("the bets of a round are what lies on the table")
    rules = state.rules
    records = tuple(
        replace(
            record,
            ready=False,
            active=bool(state.bet(seat)),
            won_cents=0,
            net_cents=0,
            last_bet_cents=state.bet(seat) or record.last_bet_cents,
            in_last_round=bool(state.bet(seat)),
        )
        for seat, record in enumerate(state.seat_records, 1)
    )
    shoe = Shoe.full(rules.decks) if fact.shuffled or state.shoe is None else state.shoe
    return replace(
        state,
        seat_records=records,
        round=Round.open(rules, dict(fact.bets)),
        round_number=fact.number,
        round_wall_ms=state.wall_base_ms + fact.at_ms,
        bets=fact.bets,
        moves=(),
        results=(),
        settled_ms=None,
        landed_ms=fact.at_ms,
        shoe=shoe,
        shuffled=fact.shuffled,
        bet_deadline_ms=None,
        decision_deadline_ms=None,
        restored=False,
    )


def _cards_drawn(state: State, fact: CardsDrawn) -> State:
    if state.round is None or not state.round_open or state.shoe is None:
        raise FactRefusedError("no round is open")
    round_, shoe, moves = state.round, state.shoe, list(state.moves)
    for drawn in fact.cards:
        try:
            shoe = shoe.remove(drawn.card)
            round_ = round_.deal(drawn.card)
        except (ValueError, KeyError) as error:
            raise FactRefusedError(f"card {drawn.card} cannot be drawn: {error}") from error
        moves.append(Move(fact.at_ms, drawn.card, drawn.start_ms, drawn.land_ms))
    landed = max((d.land_ms for d in fact.cards), default=state.landed_ms)
    return replace(
        state, round=round_, shoe=shoe, moves=tuple(moves), landed_ms=landed, decision_deadline_ms=None
    )


def _decided(state: State, fact: Decided) -> State:
    if state.round is None or fact.seat not in state.awaited():
        raise FactRefusedError(f"seat {fact.seat} has nothing to decide")
    if fact.stake_cents != state.round.extra_stake(fact.seat, fact.choice):
        raise FactRefusedError(f"{fact.choice} of seat {fact.seat} does not cost {fact.stake_cents} cents")
    try:
        round_ = state.round.decide(fact.seat, fact.choice, fact.timed_out)
    except ValueError as error:
        raise FactRefusedError(f"seat {fact.seat}: {error}") from error
    ledger = state.ledger.move(accounts.credit(fact.seat), accounts.bet(fact.seat), fact.stake_cents)
    move = Move(fact.at_ms, seat=fact.seat, choice=fact.choice, timed_out=fact.timed_out)
    return replace(state, round=round_, ledger=ledger, moves=(*state.moves, move))


def _settled(state: State, fact: RoundSettled) -> State:
    if not state.round_open:
        raise FactRefusedError("no round is open")
    ledger, records = state.ledger, list(state.seat_records)
    for seat, _ in state.bets:
        mine = tuple(r for r in fact.results if r.seat == seat)
        stake = sum(r.stake_cents for r in mine)
        if stake != state.bet(seat):
            raise FactRefusedError(
                f"seat {seat} has {state.bet(seat)} cents on the table, {stake} are settled"
            )
        back = sum(r.returned_cents for r in mine)
        ledger = ledger.move(accounts.bet(seat), "house", stake).move("house", accounts.credit(seat), back)
        won = sum(max(0, r.returned_cents - r.stake_cents) for r in mine)
        records[seat - 1] = replace(records[seat - 1], won_cents=won, net_cents=back - stake)
    return replace(
        state,
        ledger=ledger,
        seat_records=tuple(records),
        results=fact.results,
        settled_ms=fact.show_ms,
        decision_deadline_ms=None,
    )


def _voided(state: State) -> State:
    if not state.round_open:
        raise FactRefusedError("no round is open")
    ledger = state.ledger
    for seat, _ in state.bets:
        ledger = ledger.move(accounts.bet(seat), accounts.credit(seat), state.bet(seat))
    return _cleared(replace(state, ledger=ledger, shoe=None, decision_deadline_ms=None))


def _frozen(state: State, code: str, at_ms: int) -> State:
    if state.frozen:
        return replace(state, frozen=code)
    deadline = state.decision_deadline_ms or state.bet_deadline_ms
    remaining = None if deadline is None else max(0, deadline - at_ms)
    return replace(
        state,
        frozen=code,
        frozen_ms=at_ms,
        remaining_ms=remaining,
        decision_deadline_ms=None,
        bet_deadline_ms=None,
    )
