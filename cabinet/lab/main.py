"""``cabinet lab``: the table with simulated devices, in a window or headless."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from itertools import groupby

import click

from cabinet.cli.arguments import NamedPath
from cabinet.config import ConfigError
from cabinet.core.live import Live
from cabinet.core.state import State
from cabinet.formats import plural
from cabinet.lab import evening, strategy, table
from cabinet.lab.cabinets import CabinetChoice
from cabinet.lab.patience import Remaining
from cabinet.lab.table import LabOptions
from cabinet.lab.world import NoSuchFaultError, build
from cabinet.store.journal import JournalError, JournalLocked

WRONG, FAILED, HELD = 2, 1, 3
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
NO_DISPLAY = """No display is set, so there is no window to play in. Three ways to see it:
  on a desktop            start it from a terminal of that desktop (DISPLAY or WAYLAND_DISPLAY set)
  without a screen        --headless --autoplay --rounds 20 --shots out   (then open out/index.html)
  on a virtual screen     xvfb-run -s "-screen 0 1920x1080x24" ./dev run ..."""


class FaultAt(click.ParamType[tuple[str, int]]):
    """DEVICE.FAULT@ROUND, or "help"."""

    name = "DEVICE.FAULT@ROUND"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        text = str(value)
        name, _, at_round = text.partition("@")
        if text == "help":
            return "help", 0
        if not at_round.isdigit():
            self.fail(f"{text!r} is not DEVICE.FAULT@ROUND, for example printer1.paper_out@3", param, ctx)
        return name, int(at_round)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--cabinet", type=CabinetChoice(), default="table5", show_default=True)
@click.option(
    "--pace",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Presentation and countdowns N times quicker; wires stay honest.",
)
@click.option("--headless", is_flag=True, help="No window; frames are drawn all the same.")
@click.option("--autoplay", is_flag=True, help="Seats play by the strategy chart, put in notes, cash out.")
@click.option(
    "--bring-tickets", is_flag=True, help="With --autoplay: some seats put in tickets they have won."
)
@click.option("--rounds", type=click.IntRange(1), default=None, help="End after N rounds, between rounds.")
@click.option("--seed", type=int, default=None, help="Cards, people and devices repeat.  [default: 1]")
@click.option("--virtual", is_flag=True, help="Virtual clock: as quick as the machine, always the same.")
@click.option(
    "--wire",
    type=click.Choice(["pty", "memory"]),
    default=None,
    help="pty: the real serial code.  [default: pty; memory with --virtual]",
)
@click.option(
    "--shots",
    type=NamedPath(file_okay=False),
    default=None,
    help="Pictures of the evening, tickets, grid and books, with an index.html.",
)
@click.option("--cards", default="", help='Stacked shoe, e.g. "8H 8S 6D".')
@click.option(
    "--fault", "faults", type=FaultAt(), multiple=True, help='Make a fault happen; "help" lists them.'
)
@click.option(
    "--state",
    type=NamedPath(file_okay=False),
    default=None,
    help="Keep the journal here and go on with it next time: the DIR of cabinet journal, meters, memory.",
)
@click.option(
    "--report",
    type=NamedPath(dir_okay=False),
    default=None,
    help="Write the evening's figures as JSON.",
)
def lab(
    faults: tuple[tuple[str, int], ...],
    wire: str | None,
    seed: int | None,
    rounds: int | None,
    **given: object,
) -> None:
    """The Common-Hand Blackjack table with simulated devices. No real money.

    In the window click the lamps, or use keys: 1-7 choose the seat; h s d p, up down, return, c, f1 and b
    are its buttons; n and a figure put in a note; t takes the ticket; o l x v are doors, a and k keys; F2
    hides and shows the deck beside the table, which has all of this and every fault; q ends.
    """
    options = LabOptions(
        faults=faults,
        wire=wire or ("memory" if given["virtual"] else "pty"),
        seed=1 if seed is None else seed,
        rounds=rounds or 0,
        **given,  # type: ignore[arg-type]
    )
    if any(name == "help" for name, _ in faults):
        _list_faults(options)
        return
    sys.exit(play(options))


def _list_faults(options: LabOptions) -> None:
    from cabinet.config import load

    world = build(load(table.cabinet_file(options.cabinet)), wire="memory", seed=1)
    click.echo(f"Faults at {options.cabinet}: --fault DEVICE.FAULT@ROUND, e.g. --fault printer1.jam@3")
    devices: dict[tuple[str, str], list[str]] = {}  # by fault and what it does
    for full, what in world.faults().items():
        device, _, fault = full.partition(".")
        devices.setdefault((fault, what), []).append(device)
    for same, faults in groupby(sorted(devices, key=lambda fault: devices[fault]), devices.__getitem__):
        click.echo(f"\n{', '.join(same)}")
        for fault, what in faults:
            click.echo(f"  {fault:18} {what}")


def play(options: LabOptions) -> int:
    """Run one evening and print what came of it; the exit code."""
    from cabinet.version import version

    windowed = not options.headless and not options.virtual
    if windowed and not any(os.environ.get(name) for name in DISPLAYS):
        click.echo(NO_DISPLAY, err=True)
        return WRONG
    if (options.headless or options.virtual) and not options.rounds:
        click.echo("--headless and --virtual need --rounds N: nobody could end the evening", err=True)
        return WRONG
    if options.rounds and not options.autoplay and (options.headless or options.virtual):
        click.echo("nobody plays: add --autoplay", err=True)
        return WRONG
    try:
        made = evening.play(options, version(), attach=_greet)
    except (ConfigError, NoSuchFaultError, ValueError) as error:
        click.echo(str(error), err=True)
        return WRONG
    except table.StandstillError as error:
        click.echo(str(error), err=True)
        return FAILED
    except JournalLocked as error:
        click.echo(error.text, err=True)
        return HELD
    except JournalError as error:
        click.echo(error.text, err=True)
        return FAILED
    except OSError as error:  # the evening is over or has not begun; its journal is safe either way
        click.echo(f"{error.filename or 'the system'}: {error.strerror}", err=True)
        return FAILED
    rounds = plural(made.rounds, "round", "rounds")
    click.echo(
        f"{rounds}; in cents: notes {made.notes_in_cents}, tickets in {made.tickets_in_cents}, "
        f"out {made.tickets_out_cents}, ",
        nl=False,
    )
    click.echo(
        f"by hand {made.handpay_cents}, credit {made.credit_cents}, house {made.house_cents}; ", nl=False
    )
    click.echo(f"ledger sum {made.ledger_sum_cents}; {len(made.sim_ticket_numbers)} tickets")
    click.echo(f"journal {made.journal_digest}")
    for fault in made.faults:
        click.echo(f"fault {fault}")
    for problem in made.problems:
        click.echo(f"PROBLEM: {problem}", err=True)
    return FAILED if made.problems else 0


def _greet(began: table.Table) -> None:
    """Say which evening is continued, and when players have no chart."""
    if text := table.welcome(began):
        click.echo(text)
    if began.options.autoplay and (text := strategy.described(began.world.config)):
        click.echo(text, err=True)
    if began.options.headless or began.options.virtual:
        began.watchers.append(_progress(began))  # in a window one sees it


def _progress(began: table.Table) -> Callable[[State, Live], None]:
    """Says five times in an evening how far it is: in real time twenty rounds take minutes."""
    wanted, said, remaining = began.options.rounds, 0, Remaining()
    every = max(1, wanted // 5)

    def on_facts(_state: State, _live: Live) -> None:
        nonlocal said
        if (done := began.rounds) >= said + every and done < wanted:
            said = done
            click.echo(f"round {done} of {wanted}, {remaining.text(done, wanted)}", err=True)

    return on_facts


def main(args: list[str]) -> int:
    """Entry of ``cabinet lab ARGS``. A first word that is no option names another work of the lab."""
    command, name = lab, "cabinet lab"
    if args[:1] == ["day"]:
        from cabinet.lab.days.command import day

        command, name, args = day, "cabinet lab day", args[1:]
    elif args[:1] == ["crash"]:
        from cabinet.lab.crash.command import crash

        command, name, args = crash, "cabinet lab crash", args[1:]
    try:
        command.main(args=args, prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0
