"""What a fact of an older version is today.

A kind whose meaning changes gets a new version here; a field that only comes along and has a default needs
none. A row of version 1 is stored under the name of its kind, a later one as ``KIND@VERSION``: a program from
before that version does not know the name, and stops before it reads the row wrongly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Fields = dict[str, Any]

#: The versions of kinds that have more than one.
VERSIONS: Mapping[str, int] = {}
#: (kind, version) -> the fields of that version as those of the next one. One row for each older version.
UPCASTERS: Mapping[tuple[str, int], Callable[[Fields], Fields]] = {}
