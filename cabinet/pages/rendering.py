"""Fills a template. Equal values give equal bytes; nothing is loaded when the page is read."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

FOLDER = Path(__file__).parent


def render(template: Path, **values: object) -> str:
    """The page of a template, which extends ``base.html`` of this folder and has its style sheet inside.

    Texts are escaped; what is markup already says ``|safe`` in the template. Raises jinja2.UndefinedError
    for a value that the template names and nobody has given.
    """
    style = (FOLDER / "style.css").read_text(encoding="utf-8")
    return _environment(template.parent).get_template(template.name).render(style=style, **values)


@cache
def _environment(folder: Path) -> Environment:
    return Environment(
        loader=FileSystemLoader([folder, FOLDER]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
