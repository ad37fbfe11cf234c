"""Builds the library that lets the unmodified firmware use simulated GPIO chips."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from importlib import resources
from pathlib import Path

COMPILERS = ("gcc", "cc", "clang")
BUILD_LIMIT_S = 60


def build_forwarder(cache_dir: Path, compilers: tuple[str, ...] = COMPILERS) -> Path | None:
    """The shared library, compiled once per source text into `cache_dir`; None without a compiler.

    RuntimeError with the compiler's words if there is one that cannot build it. Give the library to the
    child in LD_PRELOAD and the GPIO server's socket in GPIO_SERVER.
    """
    compiler = next(filter(None, map(shutil.which, compilers)), None)
    if compiler is None:
        return None
    source = resources.files("drivers.sim").joinpath("ioctlfwd.c").read_bytes()
    library = cache_dir / f"ioctlfwd-{hashlib.sha256(source).hexdigest()[:12]}.so"
    if library.exists():
        return library
    cache_dir.mkdir(parents=True, exist_ok=True)
    unfinished = library.with_suffix(".new")
    command = [compiler, "-shared", "-fPIC", "-O2", "-x", "c", "-o", str(unfinished), "-"]
    built = subprocess.run(
        [*command, "-ldl", "-lpthread"], input=source, capture_output=True, timeout=BUILD_LIMIT_S, check=False
    )
    if built.returncode != 0:
        raise RuntimeError(f"{compiler} cannot build the forwarder: {built.stderr.decode(errors='replace')}")
    return unfinished.replace(library)
