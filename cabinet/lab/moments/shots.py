"""``./dev shots``: a picture of every named moment, made by the real program from scripted cards.

The same moments are the same pixels on every run: the clock is virtual, the cards are named, and a
picture is a function of a view and a time.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from PIL import Image

from cabinet.cli.arguments import NamedPath
from cabinet.core.timing import Timing
from cabinet.lab.gallery.page import GalleryPicture, PagePart, page
from cabinet.lab.moments import stories as moments
from cabinet.lab.moments.stage import Shot, StoryError, config_of
from cabinet.program.presenter import open_window

if TYPE_CHECKING:
    from cabinet.ui.window import Window

SMALLEST, LARGEST = (640, 360), (3840, 2160)


class Size(click.ParamType[tuple[int, int]]):
    """WIDTHxHEIGHT in pixels."""

    name = "WIDTHxHEIGHT"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        width, _, height = str(value).partition("x")
        if not (width.isdigit() and height.isdigit()):
            self.fail(f"{value!r} is not WIDTHxHEIGHT, for example 1920x1080", param, ctx)
        size = int(width), int(height)
        sides = zip(size, SMALLEST, LARGEST, strict=True)
        if not all(least <= side <= most for side, least, most in sides):
            self.fail(f"{value}: from 640x360 to 3840x2160", param, ctx)
        return size


def dummy_window(size: tuple[int, int]) -> Window:
    """The cabinet's own window without a display: the same pixels as on one."""
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    return open_window(config_of("table5"), Timing(), lab=True, size=size)


def take(
    wanted: Iterable[str], size: tuple[int, int], *, palette: bool = False
) -> Iterator[tuple[Shot, bytes]]:
    """Every wanted moment (all without any) with its PNG; with `palette` in 256 colours."""
    window = dummy_window(size)
    try:
        for shot in moments.play(tuple(wanted)):
            png = window.png(shot.view, shot.now_ms)
            yield shot, in_palette(png) if palette else png
    finally:
        window.close()


def in_palette(png: bytes) -> bytes:
    """The same picture in 256 colours of its own: a fourth of the bytes."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        picture.convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT).save(out, "PNG", optimize=True)
    return out.getvalue()


def contact_sheet(shots: list[Shot], size: tuple[int, int]) -> str:
    """index.html: all pictures in groups, each with its name."""
    group_of = {name: story.group for story in moments.STORIES for name in story.moments}
    parts = []
    for group, title in moments.GROUPS.items():
        if mine := [shot for shot in shots if group_of[shot.name] == group]:
            parts.append(PagePart(group, title, title, pictures=[_picture(shot, size) for shot in mine]))
    return page(
        "Common-Hand Blackjack: every screen",
        "Each picture was made by the program itself, from scripted cards and presses on simulated hardware.",
        parts,
        f"{len(shots)} moments at {size[0]} x {size[1]}. ./dev shots makes them again, pixel for pixel.",
    )


def _picture(shot: Shot, size: tuple[int, int]) -> GalleryPicture:
    note = f"{shot.name}, {shot.cabinet}"
    return GalleryPicture(f"{shot.name}.png", shot.caption, note, f"{shot.caption} ({shot.cabinet})", *size)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--out",
    type=NamedPath(file_okay=False),
    default=Path("out/screens"),
    show_default=True,
    help="Where the pictures and index.html go.",
)
@click.option("--size", type=Size(), default="1920x1080", show_default=True)
@click.option("--only", multiple=True, metavar="MOMENT", help="One moment; may be given several times.")
@click.option("--palette", is_flag=True, help="256 colours, a fourth of the size: for documents.")
@click.option("--list", "listing", is_flag=True, help="Print the names of all moments and stop.")
def shots(out: Path, size: tuple[int, int], only: tuple[str, ...], palette: bool, listing: bool) -> None:
    """Pictures of every screen, from scripted rounds on simulated hardware."""
    if listing:
        click.echo("\n".join(moments.names()))
        return
    out.mkdir(parents=True, exist_ok=True)
    count, taken = len(only) or len(moments.names()), []
    try:
        for shot, png in take(only, size, palette=palette):
            taken.append(shot)
            (out / f"{shot.name}.png").write_bytes(png)
            click.echo(f"[{len(taken):3}/{count}] {shot.name}", err=True)
    except KeyError as error:
        raise click.UsageError(str(error.args[0])) from error
    except StoryError as error:
        raise click.ClickException(str(error)) from error
    (out / "index.html").write_text(contact_sheet(taken, size), encoding="utf-8")
    click.echo(out / "index.html")


if __name__ == "__main__":
    sys.exit(shots())
