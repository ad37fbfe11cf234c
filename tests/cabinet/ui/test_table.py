"""The named moments at three screen sizes: the right colour at the right place."""

from __future__ import annotations

from collections.abc import Callable

import pygame
import pytest

from cabinet.core.look import Button, CashOutState, Clock, LampLook, SeatState, TablePhase, TicketLook, View
from cabinet.core.renewal import replace
from cabinet.ui.compose import Composer
from cabinet.ui.draw import theme
from cabinet.ui.draw.paint import Painter
from cabinet.ui.draw.pen import Kit
from cabinet.ui.draw.theme import Colour
from cabinet.ui.moment import moment
from cabinet.ui.parts.block import shown_lamps
from cabinet.ui.parts.dial import lit_ticks
from support.screens import screens

SIZES = ((1280, 720), (1920, 1080), (3840, 2160))
COMPOSERS: dict[int, Composer] = {}


class Shot:
    """A drawn view; places are native."""

    def __init__(self, kit: Kit, view: View, now_ms: int = 0) -> None:
        self.scale = kit.scale
        self.surface = pygame.Surface((kit.scale.width, kit.scale.height)).convert()
        composer = COMPOSERS.setdefault(kit.scale.width, Composer(kit))
        Painter(self.surface).paint(composer.frame(view, now_ms))

    def at(self, x: float, y: float) -> Colour:
        red, green, blue, _ = self.surface.get_at((self.scale.x(x), self.scale.y(y)))
        return red, green, blue

    def near(self, x: float, y: float, colour: Colour, tolerance: int = 6) -> bool:
        return all(abs(a - b) <= tolerance for a, b in zip(self.at(x, y), colour, strict=True))

    def has(self, box: tuple[float, float, float, float], colour: Colour) -> bool:
        """Whether a colour is anywhere in a native box."""
        x, y, w, h = box
        return any(self.near(x + w * i / 60, y + h * k / 60, colour, 3) for i in range(61) for k in range(61))


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[1]}p")
def shot(request: pytest.FixtureRequest, kit_of: Callable[..., Kit]) -> Callable[..., Shot]:
    return lambda view, now_ms=0: Shot(kit_of(*request.param), view, now_ms)


def test_betting_has_amber_heads_where_bets_are_missing(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.betting())
    assert picture.near(700, 770, theme.ACCENT)
    assert picture.near(1840, 770, theme.ACCENT)
    assert not picture.near(300, 770, theme.ACCENT)
    assert picture.near(21, 900, theme.TEXT, 20)  # white edge of a bet that is in
    assert picture.near(597, 985, theme.ACCENT)  # BET + of seat 2 is lit
    assert picture.near(1030, 340, theme.PAPER, 12)  # the shoe
    assert picture.near(100, 749, theme.ACCENT)  # time bar
    assert picture.near(1800, 749, theme.TRACK)


def test_deciding_shows_hand_turns_and_the_struck_clock(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.deciding())
    for x in (600, 850, 1100):
        assert picture.near(x, 672, theme.PAPER)
    assert picture.has((510, 360, 60, 100), (0x0A, 0x6B, 0x3C))  # green seven of clubs
    assert picture.near(800, 770, theme.ACCENT)
    assert picture.near(1340, 770, theme.ACCENT)
    assert not picture.near(270, 770, theme.ACCENT)
    assert picture.near(1468, 280, theme.ACCENT, 30)  # amber edge of a cell whose turn it is
    assert picture.near(1340, 780, theme.ACCENT)


def test_three_split_hands_stand_side_by_side(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.split())
    assert picture.near(606, 500, theme.ACCENT, 30)  # amber edge of the hand that is played
    assert picture.near(400, 630, theme.PAPER)
    assert picture.near(635, 630, theme.INK, 12)  # the foot PAIR
    assert picture.near(330, 714, theme.CONTINUATION, 10)  # a continuation tile
    assert picture.near(1420, 490, theme.PANEL_HI, 20)


def test_the_settlement_is_amber_for_wins_only(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.settlement())
    assert picture.near(60, 1000, theme.ACCENT)
    assert picture.near(820, 1000, theme.ACCENT)
    assert not picture.near(450, 1000, theme.ACCENT)
    assert not picture.near(1560, 1000, theme.ACCENT)
    assert picture.near(1668, 220, theme.ACCENT)  # 19 wins
    assert picture.near(1432, 220, theme.WELL, 10)  # 16 loses
    assert picture.near(100, 749, picture.at(100, 753), 25)  # no time bar


@pytest.mark.parametrize("state", list(CashOutState))
def test_the_ticket_stays_in_its_own_seat(shot: Callable[..., Shot], state: CashOutState) -> None:
    with_ticket, without = shot(screens.cashout(state)), shot(screens.cashout(CashOutState.QUEUED))
    paper = with_ticket.near(700, 880, theme.PAPER) or with_ticket.near(730, 872, theme.PAPER)
    assert paper == (state is not CashOutState.QUEUED)
    for x, y in ((200, 900), (900, 900), (620, 500), (560, 180), (144, 520), (1500, 300)):
        assert with_ticket.at(x, y) == without.at(x, y)


def test_a_print_advances_in_steps_and_waits_for_the_printer(kit: Kit) -> None:
    def width(now_ms: int) -> int:
        picture = Shot(kit, screens.cashout(), now_ms)
        return sum(picture.near(412 + x, 970, theme.ACCENT) for x in range(340))

    widths = [width(now_ms) for now_ms in (0, 199, 200, 2000, 3999, 60_000)]
    assert widths == sorted(widths)
    assert widths[0] == widths[1] == 0
    assert widths[2] > 0
    assert widths[-1] < 335


def test_a_door_covers_dealer_and_dial_and_nothing_else(shot: Callable[..., Shot]) -> None:
    picture, before = shot(screens.door_open(), 5000), shot(screens.deciding())
    assert picture.near(600, 59, theme.TEXT)  # white edge
    assert picture.near(600, 90, theme.INK)
    assert picture.near(40, 360, theme.INK)
    assert picture.has((300, 270, 400, 40), theme.ACCENT)  # whom to call
    for x, y in ((600, 672), (800, 770), (1342, 170)):
        dim, bright = picture.at(x, y), before.at(x, y)
        assert sum(dim) < sum(bright)
        assert sum(dim) > sum(bright) * 0.4


def test_a_storage_tilt_lists_the_other_faults(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.storage_tilt())
    assert picture.has((1000, 280, 230, 30), theme.TEXT_2)


def test_the_service_pages_need_no_felt(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.service())
    assert picture.near(300, 120, theme.ACCENT)  # the chosen line of the menu
    assert picture.near(455, 500, theme.INK, 3)
    assert picture.near(500, 180, theme.TEXT)  # the round mark
    assert picture.has((690, 500, 60, 40), theme.ACCENT)  # a warning row
    assert picture.near(200, 1050, theme.PANEL_HI, 6)
    assert picture.near(600, 1050, theme.INK, 6)  # UP does nothing at the top


def test_one_seat_has_a_console(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.one_seat())
    assert picture.near(900, 950, theme.ACCENT)
    assert picture.near(1700, 950, theme.WELL, 6)
    assert picture.near(700, 720, theme.PAPER)
    assert picture.near(60, 900, theme.WELL, 6)


def test_service_pages_and_recall_are_read_while_a_fault_lasts(kit: Kit) -> None:
    lock = screens.door_open().lock
    for view in (screens.service(), screens.recall()):
        plain, locked = Shot(kit, view), Shot(kit, replace(view, lock=lock))
        for x, y in ((300, 120), (900, 300), (960, 700), (100, 1000), (1700, 200)):
            assert plain.at(x, y) == locked.at(x, y)
    named = Shot(kit, replace(screens.service(), lock=lock))
    assert named.has((900, 10, 400, 50), theme.ACCENT)  # the code stands in the top line


@pytest.mark.requirement("REC-03")
def test_recall_is_hatched_and_says_so(shot: Callable[..., Shot]) -> None:
    picture = shot(screens.recall())
    assert picture.has((0, 0, 60, 72), theme.ACCENT)
    assert picture.has((0, 0, 60, 72), theme.ON_ACCENT)
    assert picture.has((1909, 100, 10, 900), theme.ACCENT)
    assert picture.has((90, 15, 190, 45), theme.ACCENT)
    assert not picture.has((24, 404, 240, 220), theme.ACCENT)  # no dial


def test_the_lab_banner_is_on_every_scene(shot: Callable[..., Shot]) -> None:
    scenes = (
        screens.deciding(),
        screens.attract(),
        screens.service(),
        screens.help_page(2),
        screens.recall(),
    )
    for view in scenes:
        plain, marked = shot(view), shot(replace(view, banners=(*view.banners, screens.LAB)))
        box = (60, 0, 1620, 160)
        x, y, w, h = plain.scale.box(*box)
        first = pygame.image.tobytes(plain.surface.subsurface((x, y, w, h)), "RGB")
        second = pygame.image.tobytes(marked.surface.subsurface((x, y, w, h)), "RGB")
        assert first != second, view.scene


@pytest.mark.parametrize("seats", [7, 6, 5, 4, 3, 2, 1])
def test_every_state_of_a_seat_can_be_drawn_in_every_form(kit_of: Callable[..., Kit], seats: int) -> None:
    kit = kit_of(1280, 720)
    pictures = set()
    for view in screens.all_states(seats):
        surface = pygame.Surface((1280, 720)).convert()
        Painter(surface).paint(_composer(kit, seats).frame(view, 0))
        pictures.add(surface.get_buffer().raw)
    assert len(pictures) == len(screens.all_states(seats)) or seats == 1


FORMS: dict[int, Composer] = {}


def _composer(kit: Kit, seats: int) -> Composer:
    return FORMS.setdefault(seats, Composer(kit))


def test_the_dial_goes_dark_tick_by_tick() -> None:
    clock = Clock(12_000, 12_000)
    seen = [lit_ticks(clock, now_ms) for now_ms in range(12_001)]
    assert [lit for lit, _, _ in seen] == sorted((lit for lit, _, _ in seen), reverse=True)
    assert {lit for lit, _, _ in seen} == set(range(61))
    assert seen[0][1] == 12
    assert seen[3000][1] == 9
    assert seen[-1][:2] == (0, 0)
    for now_ms, (lit, seconds, change_ms) in enumerate(seen[:-1]):
        assert change_ms > now_ms
        assert (lit, seconds) == seen[change_ms - 1][:2]
        assert (lit, seconds) != seen[change_ms][:2]


def test_a_refusal_leaves_lit_lamps_in_sight(kit: Kit) -> None:
    picture = Shot(kit, screens.refusing(), 900)
    assert picture.near(578, 985, theme.ACCENT)  # HIT of seat 3 is still lit
    assert picture.has((570, 1010, 250, 46), theme.TEXT)  # the reason stands in the dark row
    later = Shot(kit, screens.refusing(), 3400)
    assert not later.has((570, 1010, 250, 46), theme.TEXT)


def test_losses_darken_together_and_wins_fill_one_by_one(kit: Kit) -> None:
    view = screens.settling()
    times = kit.times
    first_win = 1000 + times.lose_fade_ms + times.settle_pause_ms

    def amber(now_ms: int) -> list[bool]:
        picture = Shot(kit, view, now_ms)
        return [picture.near(x, y, theme.ACCENT, 2) for x, y in ((1310, 400), (1548, 400), (1668, 220))]

    assert amber(1000 + times.lose_fade_ms) == [False, False, False]
    lost = Shot(kit, view, 1000 + times.lose_fade_ms)
    assert lost.near(1432, 220, theme.WELL, 4)
    assert amber(first_win + times.win_fill_ms) == [True, False, False]
    assert amber(first_win + times.win_fill_ms + 3 * times.win_stagger_ms) == [True, True, True]


def test_meters_roll_up_to_the_credit_and_stop(kit: Kit) -> None:
    view = screens.settling()

    def credit_line(now_ms: int) -> bytes:
        picture = Shot(kit, view, now_ms)
        return pygame.image.tobytes(picture.surface.subsurface((120, 868, 260, 44)), "RGB")

    rolled = {credit_line(now_ms) for now_ms in range(2000, 2600, 25)}
    assert 10 <= len(rolled) <= 13
    assert credit_line(2600) == credit_line(9000)


def test_before_its_first_step_a_view_shows_that_step(kit: Kit) -> None:
    view = screens.dealing()
    early = replace(view, steps=tuple(replace(step, from_ms=step.from_ms + 5000) for step in view.steps))
    at = moment(early, 0)
    assert at.number == 0
    assert at.next_ms == 5000
    assert at.step.phase is TablePhase.DEAL


def test_lamps_give_way_to_a_message_only_when_none_is_lit(kit: Kit) -> None:
    look = screens.seat(1, SeatState.CREDIT, screens.msg("head.credit"), 0, 500)
    outlined = replace(look, lamps=screens.lamps("", "cash_out"), message=screens.msg("seat.sits_out"))
    assert shown_lamps(outlined) == ()
    lit = replace(outlined, lamps=screens.lamps("bet_plus", "cash_out"))
    assert dict(shown_lamps(lit))[Button.BET_PLUS] is LampLook.LIT


def test_without_a_dark_row_of_lamps_a_refusal_stands_over_the_last_win(kit: Kit) -> None:
    view = screens.deciding()
    still = view.steps[0]
    seats = list(still.seats)
    refused = {"refused": screens.msg("refused.not_pair"), "refused_ms": 0}
    seats[2] = replace(seats[2], lamps=screens.lamps("hit stand double split"), **refused)  # type: ignore[arg-type]
    picture = Shot(kit, replace(view, steps=(replace(still, seats=tuple(seats)),)), 10)
    assert picture.near(578, 985, theme.ACCENT)  # HIT
    assert picture.near(578, 1035, theme.ACCENT)  # DOUBLE
    assert picture.has((620, 915, 150, 36), theme.TEXT)
    assert not Shot(kit, view, 10).has((620, 915, 60, 36), theme.TEXT)


@pytest.mark.parametrize("place", ["refused", "trouble"])
def test_why_a_note_came_back_or_jams_hides_no_result(kit: Kit, place: str) -> None:
    view = screens.deciding()
    still = view.steps[0]
    won = screens.seat(3, SeatState.WIN, screens.msg("head.win"), 1_000, 5_000)
    won = replace(won, result_cents=1_000, lamps=screens.lamps())
    told = replace(won, **{place: screens.msg("seat.note_stuck")})  # type: ignore[arg-type]
    shown = [
        Shot(
            kit, replace(view, steps=(replace(still, seats=(*still.seats[:2], look, *still.seats[3:])),)), 10
        )
        for look in (won, told)
    ]
    assert [picture.near(578, 985, theme.ACCENT) for picture in shown] == [True, True], "the result"
    assert [picture.has((560, 915, 160, 36), theme.TEXT) for picture in shown] == [False, True]


def test_frozen_seats_that_decide_keep_their_four_lamps() -> None:
    look = replace(screens.turn(1, 2000, 500), lamps=screens.lamps())
    assert [button for button, _ in shown_lamps(look)] == [
        Button.HIT,
        Button.STAND,
        Button.DOUBLE,
        Button.SPLIT,
    ]


def test_when_rows_change_the_old_ones_are_gone_before_the_new_come(kit: Kit) -> None:
    view, fade_ms = screens.splitting(), kit.times.grid_fade_ms
    begins_ms = view.steps[1].from_ms
    cells = (1290, 165, 600, 570)
    old, middle, new = (
        Shot(kit, view, begins_ms + later_ms).surface.subsurface(cells)
        for later_ms in (0, fade_ms, 9 * fade_ms)
    )
    brightest = [max(pygame.transform.average_color(part)[:3]) for part in (old, middle, new)]
    assert brightest[1] < min(brightest[0], brightest[2])


def test_beside_the_lamps_of_three_seats_a_refusal_has_two_lines(kit: Kit) -> None:
    view = replace(screens.recall(), banners=())
    still = view.steps[0]
    look = replace(screens.turn(1, 2000, 500), refused=screens.msg("refused.only_9_10_11"), refused_ms=0)
    picture = Shot(kit, replace(view, steps=(replace(still, seats=(look, *still.seats[1:])),)), 10)
    assert picture.near(350, 840, theme.ACCENT)  # HIT
    assert picture.has((345, 940, 280, 110), theme.TEXT)


def console_of(kit: Kit, now_ms: int = 0, **changes: object) -> Shot:
    view = screens.one_seat()
    still = view.steps[0]
    look = replace(still.seats[0], **changes)  # type: ignore[arg-type]
    return Shot(kit, replace(view, steps=(replace(still, seats=(look,)),)), now_ms)


HINT = (1400, 780, 476, 132)


def hint_pixels(picture: Shot) -> bytes:
    return pygame.image.tobytes(picture.surface.subsurface(HINT), "RGB")


def test_the_console_always_says_what_can_be_done(kit: Kit) -> None:
    lit = ("hit stand double split", "hit stand double", "hit stand split", "hit stand", "bet_plus", "")
    hints = [hint_pixels(console_of(kit, lamps=screens.lamps(which))) for which in lit]
    assert len(set(hints)) == len(lit)


def test_the_console_shows_results_tickets_and_refusals(kit: Kit) -> None:
    won = console_of(kit, result_cents=1500)
    assert won.near(1410, 800, theme.ACCENT)
    even = console_of(kit, result_cents=0)
    assert not even.near(1410, 800, theme.ACCENT)
    slip = TicketLook(CashOutState.TAKE, 18_650, "3467")
    paid = console_of(kit, ticket=slip)
    assert paid.near(1620, 800, theme.PAPER)
    refused = {"refused": screens.msg("refused.cash_out_later"), "refused_ms": 5}
    told = console_of(kit, 10, ticket=slip, **refused)
    assert not told.near(1620, 800, theme.PAPER)
    locked = console_of(kit, state=SeatState.LOCKED, head=screens.msg("head.locked"))
    assert locked.has((18, 758, 40, 310), theme.TEXT)


def test_large_amounts_stay_inside_their_meters(kit: Kit) -> None:
    for cents in (9_99, 999_999_99, 9_999_999_999_99):
        picture = console_of(kit, credit_cents=cents, won_cents=cents, bets=2, bet_cents=20_000)
        for x in (484, 936):  # the gaps between the meters
            column = [picture.at(x, y) for y in range(790, 910, 3)]
            assert max(sum(colour) for colour in column) < 200
