"""Builds the library that lets the unmodified firmware use simulated GPIO chips."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from importlib import resources
from pathlib import Path

from cabinet.lab.patience import PATIENCE_S

COMPILERS = ("gcc", "cc", "clang")


def build_forwarder(cache_dir: Path, compilers: tuple[str, ...] = COMPILERS) -> Path | None:
    """The shared library, compiled once per source text into `cache_dir`; None without a compiler.

    RuntimeError with the compiler's words if a working one cannot build it. Give the library to the
    child in LD_PRELOAD and the GPIO server's socket in GPIO_SERVER.
    """
    compiler = next((path for path in map(shutil.which, compilers) if path and _works(path)), None)
    if compiler is None:
        return None
    source = resources.files("drivers.sim").joinpath("ioctlfwd.c").read_bytes()
    library = cache_dir / f"ioctlfwd-{hashlib.sha256(source).hexdigest()[:12]}.so"
    if library.exists():
        return library
    cache_dir.mkdir(parents=True, exist_ok=True)
    unfinished = library.with_suffix(f".{os.getpid()}")  # two runs may build at the same time
    built = _compile(compiler, source, "-shared", "-fPIC", "-O2", "-o", str(unfinished))
    if built.returncode != 0:
        raise RuntimeError(f"{compiler} cannot build the forwarder: {built.stderr.decode(errors='replace')}")
    return unfinished.replace(library)


def _works(compiler: str) -> bool:
    """A compiler without the C library's headers is as good as none."""
    return _compile(compiler, b"#include <stdlib.h>\n", "-fsyntax-only").returncode == 0


def _compile(compiler: str, source: bytes, *options: str) -> subprocess.CompletedProcess[bytes]:
    command = [compiler, *options, "-x", "c", "-", "-ldl", "-lpthread"]
    return subprocess.run(command, input=source, capture_output=True, timeout=PATIENCE_S, check=False)
