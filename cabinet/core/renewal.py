"""`replace` for the frozen records of the core, some of which have more than thirty fields.

Every decision makes several new states. `dataclasses.replace` asks for each field by its name and
sets it by another call from Python; here the same is done by the slots themselves, in less than half
the time. To a type checker both are one, so names and types of the changes are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["replace"]

if TYPE_CHECKING:
    from dataclasses import replace
else:
    from collections import deque
    from dataclasses import fields
    from functools import cache
    from itertools import repeat
    from operator import attrgetter, call

    @cache  # some ten classes
    def _slots(kind):
        """How to read all fields at once, the place of each name, and how to set each of them."""
        names = tuple(field.name for field in fields(kind))
        setters = tuple(kind.__dict__[name].__set__ for name in names)
        return attrgetter(*names), {name: place for place, name in enumerate(names)}, setters

    def replace(record, /, **changes):
        """A new record with these fields changed. For frozen dataclasses with slots, two fields or more
        and no `__post_init__`; KeyError for a name that is none of them."""
        kind = type(record)
        read, places, setters = _slots(kind)
        values = list(read(record))
        for name, value in changes.items():
            values[places[name]] = value
        new = object.__new__(kind)
        deque(map(call, setters, repeat(new), values), maxlen=0)
        return new
