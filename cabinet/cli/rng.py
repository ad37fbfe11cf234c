"""``cabinet rng selftest | collect | battery``: what a laboratory asks of the generator.

`selftest` and `collect` are part of the field package and use what the field program uses. The
`battery` is mathematics: it is loaded by its name, because a cabinet has none of its libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from cabinet.cli.arguments import NamedPath
from cabinet.cli.common import FAILED, WRONG, fail
from cabinet.cli.lazy import Later, LazyGroup

BITS_MOST = 10**13
CARDS_MOST = 10**12
_TENTHS = 10


LATER = {
    "battery": Later(
        "cabinet.analysis.battery.command:battery", "Statistical tests of the shuffles and the bits."
    )
}


@click.group(
    cls=LazyGroup,
    later=LATER,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
def commands() -> None:
    """Test the random number generator and collect its output."""


def progress(what: str, total: int) -> Callable[[int], None]:
    """Says on standard error each tenth of a long work; short work is done before anybody wonders."""
    said = 0

    def tell(done: int) -> None:
        nonlocal said
        tenth = done * _TENTHS // total
        if tenth > said:
            said = tenth
            click.echo(f"{what}: {done:,} of {total:,}", err=True)

    return tell


def _quiet(_done: int) -> None:
    """The work is short."""


# ---- selftest


@commands.command()
def selftest() -> None:
    """Known answers of our code, then the start-up tests of the kernel's generator."""
    from cabinet.rng.generator import Generator
    from cabinet.rng.health import START_BYTES
    from cabinet.rng.selftest import known_answers

    checks = known_answers()
    for check in checks:
        click.echo(f"{'good  ' if check.good else 'FAILED'}  {check.name}")
    trouble = Generator().start()
    name = f"{START_BYTES} bytes of the kernel's generator pass the health tests"
    click.echo(f"FAILED  {trouble}" if trouble else f"good    {name}")
    if trouble or not all(check.good for check in checks):
        fail("the random number generator must not be used", FAILED)


# ---- collect


@commands.command()
@click.option("--bits", type=click.IntRange(8, BITS_MOST), help="Raw bits, so many (whole bytes).")
@click.option("--cards", type=click.IntRange(1, CARDS_MOST), help="Cards, so many in all.")
@click.option("--decks", type=click.IntRange(1, 8), help="Decks in the shoe, 1 to 8 (6).")
@click.option("--each", type=click.IntRange(1, 416), help="Cards from each fresh shoe (the whole shoe).")
@click.option("--format", "form", type=click.Choice(["text", "binary"]), help="How cards are written (text).")
@click.option("--out", type=NamedPath(), required=True, help="The file.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def collect(
    bits: int | None,
    cards: int | None,
    decks: int | None,
    each: int | None,
    form: str | None,
    out: Path,
    force: bool,
) -> None:
    """Write raw bits, or cards as the dealer draws them, and the SHA-256 of the file beside it."""
    from cabinet.core.turn import DrawError
    from cabinet.rng import collect as rng_collect
    from cabinet.rng.generator import Generator

    if (bits is None) == (cards is None):
        fail("say either --bits or --cards", WRONG)
    if bits is not None and (decks or each or form):
        fail("--decks, --each and --format are for --cards", WRONG)
    if bits is not None and bits % 8:
        fail(f"--bits {bits}: a file has whole bytes, so a multiple of 8", WRONG)
    decks = decks or 6
    whole = decks * 52
    if each is not None and each > whole:
        fail(f"--each {each}: a shoe of {decks} deck{'s' * (decks > 1)} has {whole} cards", WRONG)
    _may_write(out, force)
    generator = Generator()
    if trouble := generator.start():
        fail(trouble, FAILED)
    if bits is not None:
        size = bits // 8
        pieces, total = rng_collect.bits(generator, size), -(-size // rng_collect.CHUNK_BYTES)
        what, long = "chunks of 64 KiB", size > 1 << 24
    else:
        wanted = rng_collect.CardsFile(form or rng_collect.TEXT, decks, each or whole, cards or 0)
        pieces, total = rng_collect.cards(generator, wanted), 1 + -(-wanted.cards // wanted.each)
        what, long = "deals", wanted.cards > 1_000_000
    try:
        digest = rng_collect.save(out, pieces, progress(what, total) if long else _quiet)
    except DrawError as error:
        fail(f"the generator stopped, nothing was written: {error}", FAILED)
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror or error}", FAILED)
    click.echo(f"{digest}  {out}")


def _may_write(out: Path, force: bool) -> None:
    """Refuses what cannot or should not be written before any work is done."""
    from cabinet.rng.collect import beside

    folder = out.parent
    if out.is_dir():
        fail(f"{out} is a directory", WRONG)
    if not folder.is_dir():
        fail(f"there is no directory {folder}", WRONG)
    for path in (out, beside(out)):
        if path.exists() and not force:
            fail(f"{path} is there already; --force writes over it", WRONG)
    probe = out.with_name(f"{out.name}.part")
    try:
        probe.open("wb").close()
        probe.unlink()
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror or error}", WRONG)
