"""``view(state, live)``: what the screen shows, as a function. Pure, total and quick.

It is made whenever something has changed; the window draws it at any time until the next one.
The parts: `replay` plays the round again from its moves, `steps` makes the still
pictures, `faces`, `bets` and `payout` dress the seats (`seats`), `words`
speaks for the table, `lock` stops it, `cues` makes it heard.
"""

from __future__ import annotations

from cabinet.core import options
from cabinet.core.live import Live
from cabinet.core.look import HelpLook, Scene, Step, TopBar, View
from cabinet.core.past.recall import RecalledRound, moments
from cabinet.core.renewal import replace
from cabinet.core.state import SeatRecord, State
from cabinet.core.view.cues import cues
from cabinet.core.view.lock import banners, lock_look
from cabinet.core.view.recall import recall_view
from cabinet.core.view.replay import Played, replayed
from cabinet.core.view.rules import house_rules
from cabinet.core.view.seats import SeatFaces
from cabinet.core.view.sight import Sight, sight
from cabinet.core.view.steps import betting_step, round_steps


def view(state: State, live: Live, seq: int = 0) -> View:
    """The view of a cabinet that has its rules. `seq` is the caller's count of views: it rises.

    The pages behind a key are put in by `cabinet.service`; here `scene` says that one is open. A round that
    is recalled there is shown on the table.
    """
    answer = live.page_answer
    if live.key and isinstance(answer, RecalledRound) and live.cursor < moments(answer):
        return recall_view(answer, live.cursor, live, seq)
    seen = sight(_seated(state, live.policy.seats), live)
    state = seen.state
    played: Played | None = None
    faces = SeatFaces(seen)
    if state.round is None:
        steps: tuple[Step, ...] = (betting_step(seen, faces),)
    else:
        played = replayed(state, live.now_ms, live.policy.timing)
        steps = round_steps(seen, played, faces)
    lock = lock_look(seen)
    attract_ms = _attract_ms(seen)
    helping = _help(seen)
    return View(
        scene=_scene(seen, lock is not None, helping is not None, attract_ms is not None),
        seats=live.policy.seats,
        seq=seq,
        top=_top(state, live),
        rules=house_rules(live.policy),
        dealer=played.dealer if played is not None else (),
        hands=played.hands if played is not None else (),
        steps=steps,
        banners=banners(seen),
        lock=lock,
        help=helping,
        attract_ms=attract_ms or 0,
        cues=cues(seen, played, steps),
        settled_ms=state.settled_ms if played is not None else None,
    )


def _seated(state: State, seats: int) -> State:
    """The state with the seats that the cabinet has: a journal that cannot be replayed may know fewer, and
    a round that was begun with other seats more."""
    if len(state.seat_records) == seats:
        return state
    return replace(state, seat_records=(*state.seat_records, *[SeatRecord()] * seats)[:seats])


def _scene(sight: Sight, locked: bool, helping: bool, attracting: bool) -> Scene:
    if sight.live.key:
        return Scene.SERVICE
    if locked:
        return Scene.TABLE
    if helping:
        return Scene.HELP
    return Scene.ATTRACT if attracting else Scene.TABLE


def _help(sight: Sight) -> HelpLook | None:
    """The full-screen help of the seat that asked last; never over a round or over bets."""
    state, live = sight.state, sight.live
    if sight.locked or options.help_in_seat(state, live):
        return None
    asked = [seat for seat in live.help if options.help_page(state, live, seat)]
    if not asked:
        return None
    seat = max(asked, key=lambda each: (live.help[each][1], each))
    return HelpLook(seat, live.help[seat][0], options.help_pages(state, live), live.policy.chart)


# ---- the attract loop


def _attract_ms(sight: Sight) -> int | None:
    """Since when nobody is here; None while somebody is."""
    state, live = sight.state, sight.live
    if (
        state.round_open
        or any(state.bet(seat) for seat in state.seats)
        or not options.betting_open(state, live)
    ):
        return None
    if state.tickets or state.handpays or state.waiting or state.presented or _taking(live):
        return None
    untouched = live.idle_since_ms <= state.started_ms
    after_ms = live.policy.attract_after_ms
    if any(state.credit(seat) for seat in state.seats):
        after_ms *= options.LONG_IDLE
    elif untouched and state.round is None:
        return state.started_ms
    begins_ms = live.idle_since_ms + after_ms
    return begins_ms if live.now_ms >= begins_ms else None


def _taking(live: Live) -> bool:
    """A document is inside a validator: somebody is at the table."""
    return any(device.taking for device in live.devices.values())


# ---- still data


def _top(state: State, live: Live) -> TopBar:
    rules, number = live.policy.rules, state.round_number
    return TopBar(rules.min_bet_cents, rules.max_bet_cents, number, live.wall_base_ms, _notes(live))


def _notes(live: Live) -> tuple[int, ...]:
    """The notes that are taken at every seat, as far as the validators have told theirs."""
    tables = [live.device(name).notes for name, _ in live.policy.validators]
    known = [{note.cents for note in notes} for notes in tables if notes]
    return tuple(sorted(set.intersection(*known))) if known else ()
