"""Who clears the memory stands at the open logic area with the service key turned, and knows the clear code.

The contacts are read from the panel. The code was chosen by the operator and stands nowhere at the cabinet;
kept is what scrypt makes of it (``keys/clear-code``).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from pathlib import Path

from cabinet.config import Config, Kind
from cabinet.passphrase import SALT_BYTES, stretched
from cabinet.runtime import RealClock
from cabinet.store import key_files
from cabinet.store.key_files import KeyFileError
from drivers import registry
from drivers.device import FaultRaised, InputChanged, Panel

NEEDED = {"door.logic": "the logic area is closed", "key.service": "the service key is not turned"}
CODE_FILE = "clear-code"
_HEAD = b"cabinet clear code 1\n"
LOOK_MS = 2_000  # a debounced door tells itself in a twentieth of that


def set_code(state_dir: Path, code: str, entropy: Callable[[int], bytes]) -> None:
    """Keeps a new clear code. `entropy` gives random bytes. KeyFileError."""
    salt = entropy(SALT_BYTES)
    kept = _HEAD + salt.hex().encode() + b"\n" + stretched(code, salt).hex().encode() + b"\n"
    key_files.write(key_files.path_of(state_dir, CODE_FILE), kept)


def has_code(state_dir: Path) -> bool:
    """Whether a clear code was ever chosen. KeyFileError."""
    return key_files.read(key_files.path_of(state_dir, CODE_FILE)) is not None


def is_code(state_dir: Path, said: str) -> bool:
    """Whether this is the clear code. KeyFileError, also for a file that is damaged."""
    path = key_files.path_of(state_dir, CODE_FILE)
    kept = key_files.read(path) or b""
    lines = kept.removeprefix(_HEAD).decode("latin-1").split("\n")
    try:
        salt, expected = (bytes.fromhex(line) for line in lines[:2])
    except ValueError as error:
        raise KeyFileError(f"{path} is damaged: put it back from a copy") from error
    if not kept.startswith(_HEAD) or len(salt) != SALT_BYTES or len(expected) != 32:
        raise KeyFileError(f"{path} is damaged: put it back from a copy")
    return hmac.compare_digest(stretched(said, salt), expected)


def missing(config: Config, io: registry.Io) -> list[str]:
    """What keeps a person from clearing the memory; empty when both contacts are open. It looks for two
    seconds at most. The cabinet must not be running: it has the lines."""
    panels = [
        registry.make(Kind.PANEL.value, table.driver, table.name, table.options, io)
        for table in config.of_kind(Kind.PANEL)
    ]
    active: set[str] = set()
    faults: list[str] = []
    clock = RealClock()
    try:
        while clock.now_ms() < LOOK_MS and not NEEDED.keys() <= active:
            for panel in panels:
                assert isinstance(panel, Panel)
                _listen(panel, clock.now_ms(), active, faults)
            clock.wait((), clock.now_ms() + 10)
    finally:
        for panel in panels:
            panel.close()
    return list(_said(active, faults))


def _listen(panel: Panel, now_ms: int, active: set[str], faults: list[str]) -> None:
    for event in panel.tick(now_ms):
        match event:
            case InputChanged(name=name, active=True):
                active.add(name)
            case InputChanged(name=name):
                active.discard(name)
            case FaultRaised(detail=detail) if detail not in faults:
                faults.append(detail)


def _said(active: set[str], faults: list[str]) -> Iterator[str]:
    wanting = [text for name, text in NEEDED.items() if name not in active]
    yield from wanting
    if wanting:
        yield from faults
