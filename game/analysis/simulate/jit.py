"""Compiling a function with numba, typed and without surprises from its cache.

Compiled functions get every array they use as an argument and must make none: that lets them do
without counting references, which would take two thirds of the time of a round.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Its types know only the options that have a public name.
_njit: Any = numba.njit
# numba's own library uses the switch for its runtime (which counts references); it has no public name.
_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}


@cache
def fingerprint() -> str:
    """A hash of all sources of this package: code compiled, or results made, from others differ in it."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def compiled(function: _Function) -> _Function:
    """A function in machine code that leaves other threads free to run.

    The code is kept on disk for the next process where a folder can be written (``__pycache__``
    beside the file, else the user's cache); elsewhere it is compiled again. numba by itself takes
    kept code for fresh as long as the function's own file is the same, though it holds the code and
    the constants of all that the function uses; so the stamp is made of the whole package.
    """
    try:
        dispatcher = _njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba found no folder that it can write
        return compiled_again(function)
    dispatcher._cache._cache_file._source_stamp = fingerprint()
    return cast(_Function, dispatcher)


def compiled_again(function: _Function) -> _Function:
    """As ``compiled``, never kept on disk."""
    return cast(_Function, _njit(**_OPTIONS)(function))
