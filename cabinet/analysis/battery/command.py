"""``cabinet rng battery``: the statistical tests of the generator, live or from a collected file.

Exit codes: 0 passed, 1 failed, 2 wrong use. What is tested and by which rule it passes is fixed in
`parts` and `verdict`, and said in docs/rng.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from cabinet.analysis.battery import dieharder
from cabinet.analysis.battery.cards import FIRST_POSITION, NO_CARD_TWICE
from cabinet.analysis.battery.parts import (
    PARTS,
    PREFIXES,
    BatteryPart,
    bytes_needed,
    of_bytes,
    of_deals,
    shoes,
    tallies,
)
from cabinet.analysis.battery.report import BatteryReport, as_json, as_text
from cabinet.analysis.battery.result import Result
from cabinet.analysis.battery.supply import (
    CardsError,
    DrawnCards,
    OverError,
    Supply,
    file_source,
    read_cards,
    read_header,
)
from cabinet.analysis.battery.verdict import BatteryVerdict, judge
from cabinet.cli.arguments import NamedPath
from cabinet.cli.common import FAILED, WRONG, fail
from cabinet.core.turn import DrawError
from cabinet.rng import Source, kernel
from cabinet.rng.collect import CardsFile
from cabinet.rng.generator import Generator

SHUFFLES, SHUFFLES_LEAST, SHUFFLES_MOST = 100_000, 1_000, 10**8
DEALS_LEAST = 1_000
CHOICES = {"quick": dieharder.QUICK, "all": dieharder.ALL}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--shuffles",
    type=click.IntRange(SHUFFLES_LEAST, SHUFFLES_MOST),
    help=f"Shuffles of one deck; everything else follows ({SHUFFLES:,}, about a minute).",
)
@click.option("--source-file", type=NamedPath(regular=True), help="Test a collected file instead.")
@click.option("--dieharder", "harder", type=click.Choice(["off", *CHOICES]), help="Also run dieharder (off).")
@click.option("--json", "json_", is_flag=True, help="Report as JSON.")
def battery(shuffles: int | None, source_file: Path | None, harder: str | None, json_: bool) -> None:
    """Test cards, bounded integers and bits of the production path at 99 %."""
    choice = "off" if harder is None else harder
    program = dieharder.program()
    if choice != "off" and source_file is not None:
        fail(
            "dieharder needs a live stream: a file would be rewound and fail for no fault of its bits", WRONG
        )
    if choice != "off" and program is None:
        fail(
            "dieharder is not installed (Debian package dieharder); without --dieharder the rest runs", WRONG
        )
    try:
        report = of_file(source_file, shuffles) if source_file is not None else live(shuffles or SHUFFLES)
        if choice != "off" and program is not None:
            report = _harder(report, program, choice)
    except DrawError as error:
        fail(f"the generator stopped: {error}", FAILED)
    except (CardsError, OverError, _UseError) as error:
        fail(str(error), WRONG)
    except OSError as error:
        fail(f"{error.filename or source_file}: {error.strerror or error}", WRONG)
    except dieharder.DieharderError as error:
        fail(str(error), FAILED)
    click.echo(as_json(report) if json_ else as_text(report))
    sys.exit(0 if report.passed else FAILED)


class _UseError(Exception):
    """What was asked for cannot be tested."""


def live(shuffles: int) -> BatteryReport:
    """The generator of the field program, with the kernel behind it. Raises DrawError."""
    supply = _watched(kernel)
    results, verdict = tested(supply, shuffles, PARTS, again=True)
    notes = _left_out(results)
    if not dieharder.program():
        notes += ("dieharder is not installed (Debian package dieharder)",)
    return BatteryReport("the kernel's generator, live", _amount(shuffles), results, verdict, (), notes)


def of_file(path: Path, shuffles: int | None) -> BatteryReport:
    """A collected file of bits or of cards. Raises OSError, CardsError, OverError, DrawError."""
    header = read_header(path)
    if header is not None:
        if shuffles is not None:
            raise _UseError("--shuffles is for bits: a file of cards is tested as a whole")
        return _of_cards(path, header)
    return _of_bits(path, shuffles)


def tested(
    supply: Supply, shuffles: int, parts: Sequence[BatteryPart], *, again: bool
) -> tuple[list[Result], BatteryVerdict]:
    """All results of the parts and the verdict; `again` allows the repetition on fresh data."""
    found: dict[str, list[Result]] = {}
    for part in parts:
        click.echo(f"battery: {part.name}", err=True)
        found[part.name] = list(part.run(supply, shuffles))
    results = [result for some in found.values() for result in some]

    def repeat(names: Sequence[str]) -> list[Result]:
        chosen = [
            part for part in parts if not names or any(result.name in names for result in found[part.name])
        ]
        click.echo(f"battery: again on fresh data: {', '.join(part.name for part in chosen)}", err=True)
        return [result for part in chosen for result in part.run(supply, shuffles)]

    return results, judge(results, repeat if again else None)


def _watched(source: Source) -> DrawnCards:
    """The production path over a source. Raises DrawError when the start-up tests fail."""
    generator = Generator(source)
    if trouble := generator.start():
        raise DrawError(trouble)
    return DrawnCards(generator, generator.take)


def _amount(shuffles: int) -> str:
    return (
        f"{shuffles:,} shuffles of one deck, {shoes(shuffles):,} deals of six decks, integers 2 to 416, bytes"
    )


def _of_cards(path: Path, header: CardsFile) -> BatteryReport:
    full = header.cards // header.each
    if full < DEALS_LEAST:
        raise _UseError(f"{path} has {full:,} complete deals: at least {DEALS_LEAST:,} are needed")
    chosen = tallies(header.decks, header.each)
    prefix = PREFIXES.get(header.decks, f"{header.decks} decks")
    results = list(of_deals(chosen, read_cards(path, header), prefix))
    amount = f"{full:,} deals of {header.each} cards from {header.decks} deck{'s' * (header.decks > 1)}"
    return BatteryReport(str(path), amount, results, judge(results, None), (), _left_out(results))


def _of_bits(path: Path, shuffles: int | None) -> BatteryReport:
    """The bytes once through the production path, which watches them; the first ones once more as bytes."""
    size = path.stat().st_size
    least = bytes_needed(SHUFFLES_LEAST)
    if size < least:
        raise _UseError(f"{path} has {size:,} bytes: at least {least:,} are needed")
    if shuffles is None:
        shuffles = _fitting(size)
    elif bytes_needed(shuffles) > size:
        raise _UseError(f"{path} is enough for {_fitting(size):,} shuffles, not for {shuffles:,}")
    with file_source(path) as source:
        results, _ = tested(_watched(source), shuffles, PARTS[:-1], again=False)
    with path.open("rb") as file:
        results += of_bytes(file.read(1 << 24))
    return BatteryReport(str(path), _amount(shuffles), results, judge(results, None), (), _left_out(results))


def _left_out(results: Sequence[Result]) -> tuple[str, ...]:
    """What there were too few deals for."""
    names = {result.name for result in results}
    prefixes = {name.partition(":")[0] for name in names if name.endswith(NO_CARD_TWICE)}
    return tuple(
        f"{prefix}: too few deals for the tests of positions"
        for prefix in sorted(prefixes)
        if f"{prefix}: {FIRST_POSITION}" not in names
    )


def _fitting(size: int) -> int:
    """The most shuffles for which `size` bytes are enough, found by halving."""
    low, high = SHUFFLES_LEAST, SHUFFLES_MOST
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if bytes_needed(middle) <= size else (low, middle - 1)
    return low


def _harder(report: BatteryReport, program: str, choice: str) -> BatteryReport:
    """The report with dieharder's lines, from raw bits of the kernel."""
    click.echo(f"battery: dieharder, {choice}", err=True)
    lines = tuple(dieharder.run(program, CHOICES[choice], kernel))
    return BatteryReport(report.source, report.amount, report.results, report.verdict, lines, report.notes)
