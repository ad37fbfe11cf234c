"""What a disk may hold after power has gone: a recorded run, and every legal state behind each prefix.

The method is ALICE's (Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014): record the
system calls of one run; cut power after each of them; from what had been flushed and what had not,
build states that the file system may legally leave. The model is an ext4 that owes as little as its
documentation allows: data is durable after fsync or fdatasync of the file; the name of a new file
after an fsync of the file or of its directory; a rename or removal after an fsync of the directory.
Shared-memory files (``-shm``) are left out: SQLite makes them again.

A recorded program writes ``ack N`` to its standard output when it has come to its Nth point, or has
acknowledged its Nth row: whatever is acknowledged there must be on the disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from random import Random

from cabinet.store.seals.key_files import FOLDER

_CALLS = "openat,pwrite64,write,fdatasync,fsync,ftruncate,unlink,unlinkat,rename,renameat,renameat2"
_APPEND = -1  # in place of an offset: behind what is there
OPTIONS = ("-f", "--seccomp-bpf", "-y", "-xx", "-s", "70000", "-e", f"trace={_CALLS}")
_SECTOR_BYTES = 512
_LINE = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)")
_UNFINISHED = "<unfinished ...>"
_RESUMED = re.compile(r"\d+ +<\.\.\. \w+ resumed>")
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FD_PATH = re.compile(r"\d+<([^>]*)>")
_NAMED = re.compile(r'(?:(\d+|AT_FDCWD)(?:<([^>]*)>)?, )?"((?:\\x[0-9a-f]{2})*)"')


class DiskAct(StrEnum):
    CREATE = "create"
    WRITE = "write"
    TRUNCATE = "truncate"
    SYNC = "sync"
    SYNC_DIRECTORY = "sync directory"
    RENAME = "rename"
    REMOVE = "remove"
    ACKNOWLEDGE = "acknowledge"


@dataclass(frozen=True, slots=True)
class Call:
    """One system call that matters. ``at`` is an offset, a length, or the acknowledged row."""

    kind: DiskAct
    name: str = ""
    at: int = 0
    data: bytes = b""
    to: str = ""


class Survival(StrEnum):
    """How much of what had not been flushed survives."""

    NONE = "none"
    ALL = "all"
    HALF = "half"  # a random half of the writes and name changes
    TORN = "torn"  # the same, and a write that did not survive may be there up to a sector's end


@dataclass
class _Inode:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[Call] = field(default_factory=list)


@dataclass(frozen=True)
class _NameChange:
    kind: DiskAct  # CREATE, RENAME or REMOVE
    name: str
    to: str
    inode: int


def calls_of(trace: Path, directory: Path) -> list[Call]:
    """The calls on the files of ``directory`` in a trace that strace has written with `OPTIONS`."""
    calls = [_call(line, directory) for line in _whole(trace.read_text().splitlines())]
    return [call for call in calls if call is not None]


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """One line for each call. When another thread comes in between, strace tells its beginning and its end
    apart: the call counts where it has returned."""
    begun: dict[str, str] = {}
    for line in lines:
        thread = line.partition(" ")[0]
        if line.endswith(_UNFINISHED):
            begun[thread] = line.removesuffix(_UNFINISHED)
        elif (resumed := _RESUMED.match(line)) and thread in begun:
            yield begun.pop(thread) + line[resumed.end() :]
        else:
            yield line


def content_of(directory: Path) -> dict[str, bytes]:
    """The files in ``directory`` that a power cut can harm."""
    found = {_name(path, directory): path for path in directory.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name}


def lay_out(directory: Path, files: Mapping[str, bytes]) -> None:
    """Makes a directory with these files, as the program would have: keys are for their owner alone."""
    directory.mkdir(mode=0o700, parents=True)
    for name, content in files.items():
        path = directory / name
        if path.parent != directory:
            path.parent.mkdir(mode=0o700, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(content)


def _text(hexadecimal: str) -> bytes:
    return bytes.fromhex(hexadecimal.replace("\\x", ""))


def _call(line: str, directory: Path) -> Call | None:
    match = _LINE.match(line)
    if match is None or int(match[3]) < 0:
        return None
    function, arguments, result = match[1], match[2], int(match[3])
    strings = [_text(found[1]) for found in _STRING.finditer(arguments)]
    if function in ("openat", "unlink", "unlinkat", "rename", "renameat", "renameat2"):
        return _on_name(function, arguments, [_name(path, directory) for path in _named(arguments)])
    opened = _FD_PATH.match(arguments)
    path = Path(_text(opened[1]).decode()) if opened and opened[1].startswith("\\x") else Path()
    if function == "write" and (told := re.match(rb"ack (\d+)\n", strings[0])):
        return Call(DiskAct.ACKNOWLEDGE, at=int(told[1]))
    if path in (directory, directory / FOLDER) and function != "write":
        return Call(DiskAct.SYNC_DIRECTORY, "" if path == directory else FOLDER)
    name = _name(path, directory)
    return _on_file(function, arguments, name, strings, result) if name else None


def _named(arguments: str) -> list[Path]:
    """The files that a call names, each with the directory that it is named in."""
    found = []
    for _fd, base, name in _NAMED.findall(arguments):
        folder = _text(base).decode() if base.startswith("\\x") else base
        found.append(Path(folder, _text(name).decode()))
    return found


def _on_name(function: str, arguments: str, names: list[str]) -> Call | None:
    if not all(names) or (function == "openat" and "O_CREAT" not in arguments):
        return None
    if function == "openat":
        return Call(DiskAct.CREATE, names[0])
    return (
        Call(DiskAct.RENAME, names[0], to=names[1])
        if "rename" in function
        else Call(DiskAct.REMOVE, names[0])
    )


def _on_file(function: str, arguments: str, name: str, strings: list[bytes], result: int) -> Call:
    if function == "pwrite64":
        return Call(DiskAct.WRITE, name, at=int(arguments.rsplit(",", 1)[1]), data=strings[0][:result])
    if function == "write":
        return Call(DiskAct.WRITE, name, at=_APPEND, data=strings[0][:result])
    if function == "ftruncate":
        return Call(DiskAct.TRUNCATE, name, at=int(arguments.rsplit(",", 1)[1]))
    return Call(DiskAct.SYNC, name)


def _name(path: Path, directory: Path) -> str:
    """A file of the directory or of its folder for keys, as it is named from there; "" if it does not matter.
    The folder itself is there from the beginning."""
    if path.parent not in (directory, directory / FOLDER) or path == directory / FOLDER:
        return ""
    name = str(path.relative_to(directory))
    return "" if name == "lock" or name.endswith("-shm") else name


class Disk:
    """The files of one directory, in memory and on the medium. ``files`` are there, durable, at first."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._inodes = [_Inode(bytearray(content)) for content in files.values()]
        self._durable = {name: number for number, name in enumerate(files)}  # names on the medium
        self._live = dict(self._durable)  # names as programs see them
        self._pending: list[_NameChange] = []
        self.acknowledged = 0

    def apply(self, call: Call) -> None:
        match call.kind:
            case DiskAct.ACKNOWLEDGE:
                self.acknowledged = call.at
            case DiskAct.CREATE:
                self._create(call.name)
            case DiskAct.RENAME:
                inode = self._live.pop(call.name)
                self._live[call.to] = inode
                self._pending.append(_NameChange(DiskAct.RENAME, call.name, call.to, inode))
            case DiskAct.REMOVE:
                inode = self._live.pop(call.name)
                self._pending.append(_NameChange(DiskAct.REMOVE, call.name, "", inode))
            case DiskAct.WRITE | DiskAct.TRUNCATE:
                inode = self._live[call.name]
                at = len(self._content(inode, Survival.ALL, Random(0))) if call.at == _APPEND else call.at
                self._inodes[inode].pending.append(replace(call, at=at))
            case DiskAct.SYNC:
                self._sync(self._live[call.name])
            case DiskAct.SYNC_DIRECTORY:
                here = [change for change in self._pending if _folder(change.name) == call.name]
                for change in here:
                    _rename(self._durable, change)
                    self._pending.remove(change)

    def until(self, calls: Iterator[Call], number: int) -> None:
        """Apply calls up to the acknowledgement of ``number``."""
        while self.acknowledged < number:
            self.apply(next(calls))

    def _create(self, name: str) -> None:
        if name not in self._live:
            self._inodes.append(_Inode())
            self._live[name] = len(self._inodes) - 1
            self._pending.append(_NameChange(DiskAct.CREATE, name, "", self._live[name]))

    def _sync(self, number: int) -> None:
        inode = self._inodes[number]
        for call in inode.pending:
            _write(inode.durable, call)
        inode.pending = []
        for change in list(self._pending):
            if change.kind is DiskAct.CREATE and change.inode == number:
                _rename(self._durable, change)
                self._pending.remove(change)

    def after_power_cut(self, survival: Survival, chance: Random) -> dict[str, bytes]:
        """Names and contents that the medium holds when power goes now."""
        names = dict(self._durable)
        for change in self._pending:
            if _survives(survival, chance):
                _rename(names, change)
        return {name: self._content(inode, survival, chance) for name, inode in sorted(names.items())}

    def _content(self, number: int, survival: Survival, chance: Random) -> bytes:
        inode = self._inodes[number]
        content = deepcopy(inode.durable)
        for call in inode.pending:
            if _survives(survival, chance):
                _write(content, call)
            elif survival is Survival.TORN and len(call.data) > _SECTOR_BYTES:
                sectors = chance.randrange(len(call.data) // _SECTOR_BYTES)
                _write(content, Call(DiskAct.WRITE, at=call.at, data=call.data[: sectors * _SECTOR_BYTES]))
        return bytes(content)


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


def _survives(survival: Survival, chance: Random) -> bool:
    match survival:
        case Survival.NONE:
            return False
        case Survival.ALL:
            return True
        case Survival.HALF | Survival.TORN:
            return chance.random() < 0.5


def _rename(names: dict[str, int], change: _NameChange) -> None:
    match change.kind:
        case DiskAct.REMOVE:
            if names.get(change.name) == change.inode:
                del names[change.name]
        case DiskAct.RENAME:
            if names.get(change.name) == change.inode:
                del names[change.name]
            names[change.to] = change.inode
        case _:
            names[change.name] = change.inode


def _write(content: bytearray, call: Call) -> None:
    if call.kind is DiskAct.TRUNCATE:
        del content[call.at :]
        content.extend(bytes(call.at - len(content)))
    else:
        content.extend(bytes(max(0, call.at - len(content))))
        content[call.at : call.at + len(call.data)] = call.data


def states(
    calls: list[Call], seed: int, files: dict[str, bytes]
) -> Iterator[tuple[str, int, dict[str, bytes]]]:
    """For each prefix and kind of survival: where power went, the last acknowledged row, the files.

    ``files`` are those that the recorded run had found. A state that is the same as one before it,
    with nothing more acknowledged, is left out.
    """
    chance = Random(seed)
    disk = Disk(files)
    seen: set[tuple[int, int]] = set()
    for number, call in enumerate(calls, 1):
        disk.apply(call)
        for survival in Survival:
            left = disk.after_power_cut(survival, chance)
            key = (disk.acknowledged, hash(tuple(left.items())))
            if key not in seen:
                seen.add(key)
                yield f"call {number} ({call.kind} {call.name}), {survival}", disk.acknowledged, left
