"""What a command line may say: types for click that refuse, in one line, what no program could use.

A path that the system cannot even look for (too long, not UTF-8, empty), and a number that is none (nan,
inf), are refused where they are read. Otherwise each command would have to expect them in every place where
it opens or counts something.
"""

from __future__ import annotations

import json
import math
import os
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click


def quoted(text: str) -> str:
    """For a message of one line: cut when long, and nothing in it that a terminal or a log would obey."""
    shown = json.dumps(text)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def not_utf8(args: Iterable[str]) -> str:
    """What is wrong with the first argument that is not UTF-8; "" if there is none."""
    for arg in args:
        if any(unicodedata.category(letter) == "Cs" for letter in arg):
            return f"the argument {quoted(arg)} is not UTF-8: type it, or name the file, in UTF-8"
    return ""


class NamedPath(click.Path):
    """A path that can be looked for; whether something is there is the command's business. `regular`: what is
    there is to be read, so it is neither a device nor a pipe, which might never end."""

    def __init__(self, *, regular: bool = False, dir_okay: bool = True, **rest: Any) -> None:
        super().__init__(dir_okay=dir_okay and not regular, path_type=Path, **rest)
        self.regular = regular

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = os.fspath(value)
        if not text:
            self.fail("the path is empty: give the path of a file or a directory.", param, ctx)
        if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text):
            why = "holds control characters or is not UTF-8: give the file another name."
            self.fail(f"the path {quoted(text)} {why}", param, ctx)
        try:
            mode = Path(text).stat().st_mode
            if self.regular and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                self.fail(f"{quoted(text)} is a device or a pipe: give a regular file.", param, ctx)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            why = f"{error.strerror}: give a path that can be reached."
            self.fail(f"the path {quoted(text)} cannot be looked for: {why}", param, ctx)
        return super().convert(value, param, ctx)


class FileOrName(NamedPath):
    """The path of a file, or the name of one that comes with the program; stays a text."""

    def __init__(self) -> None:
        super().__init__(regular=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        super().convert(value, param, ctx)
        return value


class FiniteRange(click.FloatRange):
    """A range of numbers. The comparisons of a plain one let nan through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(
                f"{value} is not a number that can be counted to: give {self._describe_range()}.", param, ctx
            )
        return number
