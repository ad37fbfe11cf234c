"""`replace` for the frozen records of the core, some of which have more than thirty fields.

Every decision makes several new states. They are structs of msgspec, which copies one in a tenth of the time
that `dataclasses.replace` takes; what the screen shows are dataclasses. To a type checker both are one, so
names and types of the changes are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["replace"]

if TYPE_CHECKING:
    from dataclasses import replace
else:
    import dataclasses

    import msgspec

    def replace(record, /, **changes):
        """A new record with these fields changed. TypeError for a name that is none of them."""
        if isinstance(record, msgspec.Struct):
            return msgspec.structs.replace(record, **changes)
        return dataclasses.replace(record, **changes)
