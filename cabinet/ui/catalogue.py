"""Every text on the screen comes from here: keys and arguments in, finished strings out.

The texts are in ``catalogue/<language>.toml``; the head of that file explains its notation.
A text has a long and a short form; whoever draws it measures the long one against its place and
takes the short one when it does not fit. Money, plurals and dates are left to Babel.

An unknown key or a missing argument raises `CatalogueError` when `strict` is set (tests, lab) and
is shown as ``?key`` otherwise: a missing word must not stop a table with money on it.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

from babel import Locale
from babel.numbers import format_currency

from cabinet.core.currency import USD, Currency
from cabinet.core.look import Message

Argument: TypeAlias = "int | str | tuple[int, ...]"

FOLDER: Final = Path(__file__).parent / "catalogue"
MINUS: Final = "\N{MINUS SIGN}"
# Amounts on screen at one time: three for each of seven seats and a few in texts. Rolling meters
# pass through at most 12 values each.
MONEY_CACHE: Final = 256


class CatalogueError(KeyError):
    """A key that is not in the catalogue, or an argument that a text needs and has not got."""


class Catalogue:
    """The texts of one language. `locale` is for Babel ("en_US"): where the sign of the currency stands, how
    figures are grouped."""

    def __init__(
        self, language: str = "en", locale: str = "en_US", currency: Currency = USD, *, strict: bool = True
    ) -> None:
        raw = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
        self._texts: dict[str, tuple[str, str]] = dict(_flatten("", raw))
        self._locale = Locale.parse(locale)
        self.currency = currency
        self._strict = strict
        self._fields = _Fields(self)
        self._plural_tags = _plural_order(self._locale)
        self.money = lru_cache(MONEY_CACHE)(self._money)

    def keys(self) -> tuple[str, ...]:
        """All keys, in the order of the file."""
        return tuple(self._texts)

    def arguments(self, key: str) -> frozenset[str]:
        """Names of the arguments that the two forms of `key` use."""
        names: set[str] = set()
        for form in self._forms(key):
            names.update(name for _, name, _, _ in string.Formatter().parse(form) if name)
        return frozenset(names)

    def text(self, message: Message, *, short: bool = False) -> str:
        """The long (or short) text of a message. It may hold line breaks and ``*strong*`` words."""
        try:
            form = self._forms(message.key)[1 if short else 0]
            return self._fields.vformat(form, (), dict(message.args)) if "{" in form else form
        except (KeyError, ValueError, IndexError, TypeError) as error:
            if self._strict:
                raise CatalogueError(f"{message.key} {dict(message.args)}: {error}") from error
            return f"?{message.key}"

    def word(self, key: str, *, short: bool = False, **args: Argument) -> str:
        """The same for texts that the screen itself chooses."""
        return self.text(Message(key, tuple(args.items())), short=short)

    def _money(self, cents: int, whole: bool = False, signed: bool = False) -> str:
        """`cents` are minor units: "$1,250.00", "¥1,250". `whole` drops the decimals of a whole amount.

        A negative amount has the true minus sign in front, a positive one "+" if `signed`.
        """
        sign = MINUS if cents < 0 else "+" if signed and cents > 0 else ""
        pattern = self._locale.currency_formats["standard"].pattern
        if not self.currency.exponent or (whole and cents % self.currency.whole == 0):
            pattern = pattern.replace(".00", "")
        exact = self.currency.digits(cents, group="")
        return sign + format_currency(
            exact, self.currency.code, format=pattern, locale=self._locale, currency_digits=False
        )

    def hours_minutes(self, local_ms: int) -> str:
        """Hours and minutes of a wall clock: `local_ms` since 1970-01-01 00:00 local time."""
        return f"{datetime.fromtimestamp(local_ms // 1000, UTC):%H:%M}"

    def hours_minutes_seconds(self, local_ms: int) -> str:
        """The same with seconds, for the service pages."""
        return f"{datetime.fromtimestamp(local_ms // 1000, UTC):%H:%M:%S}"

    def seats(self, seats: tuple[int, ...], style: str = "") -> str:
        """A list of seats: "" "seats 3 and 5", "S" with a capital, "n" figures only.

        Compact with "C" "seats 1-4, 6" and "c" figures only (with an en dash).
        """
        comma = self._texts["words.list_next"][0]
        compact = style in ("c", "C")
        last = comma if compact else self._texts["words.list_last"][0]
        figures = _ranges(seats) if compact else [str(seat) for seat in seats]
        listed = last.join([comma.join(figures[:-1]), figures[-1]]) if len(figures) > 1 else "".join(figures)
        if style in ("n", "c"):
            return listed
        noun = "seat" if len(seats) == 1 else "seats"
        return f"{self._texts[f'words.{noun}_capital' if style == 'S' else f'words.{noun}'][0]} {listed}"

    def plural(self, count: int, forms: str) -> str:
        """One of the words in "seat|seats", by the plural rule of the language."""
        words = forms.split("|")
        return words[min(self._plural_tags.index(self._locale.plural_form(count)), len(words) - 1)]

    def rank(self, rank: int) -> str:
        """Rank 1 to 13 in the plural: "aces", "8s"."""
        return self._forms(f"rank.{rank}")[0]

    def _forms(self, key: str) -> tuple[str, str]:
        try:
            return self._texts[key]
        except KeyError:
            raise CatalogueError(key) from None


class _Fields(string.Formatter):
    """Puts arguments into a text; the name of an argument tells its kind."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def get_field(self, field_name: str, args: object, kwargs: Mapping[str, object]) -> tuple[object, str]:
        """Arguments by plain name only; the name goes along, because it decides the format."""
        return (field_name, kwargs[field_name]), field_name

    def format_field(self, value: object, format_spec: str) -> str:
        assert isinstance(value, tuple)
        name, argument = value
        book = self._catalogue
        if isinstance(argument, tuple):
            choose = book.plural(len(argument), format_spec) if "|" in format_spec else ""
            return choose or book.seats(argument, format_spec)
        if isinstance(argument, int) and "|" in format_spec:
            return book.plural(argument, format_spec)
        if isinstance(argument, int) and name.endswith("_cents"):
            return book.money(argument, format_spec == "w")
        if isinstance(argument, int) and name == "rank":
            return book.rank(argument)
        if isinstance(argument, int) and name == "decks":
            return book.word(f"rule.decks.{argument}")
        return str(argument)


def _flatten(prefix: str, table: Mapping[str, object]) -> Iterator[tuple[str, tuple[str, str]]]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _flatten(f"{key}.", value)
        elif isinstance(value, list) and len(value) == 2 and all(isinstance(form, str) for form in value):
            yield key, (value[0], value[1])
        else:
            raise CatalogueError(f"{key} must be [long, short]")


def _ranges(seats: tuple[int, ...]) -> list[str]:
    """Neighbours from three on as one range."""
    found: list[list[int]] = []
    for seat in seats:
        if found and seat == found[-1][-1] + 1:
            found[-1].append(seat)
        else:
            found.append([seat])
    return [
        text
        for group in found
        for text in ([f"{group[0]}\N{EN DASH}{group[-1]}"] if len(group) > 2 else map(str, group))
    ]


def _plural_order(locale: Locale) -> tuple[str, ...]:
    """Plural categories of a language in the order of CLDR; "other" is always the last."""
    order = ("zero", "one", "two", "few", "many", "other")
    return tuple(tag for tag in order if tag in locale.plural_form.tags or tag == "other")
