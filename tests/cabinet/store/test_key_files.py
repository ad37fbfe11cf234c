"""Small secret files: for their owner alone, replaced whole, and never told."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from cabinet.store.seals import key_files
from cabinet.store.seals.key_files import KeyFileError

SECRET = b"\x01 nobody reads this \xff"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return key_files.path_of(tmp_path / "state", "ticket")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written_is_read_and_is_for_nobody_else(path: Path) -> None:
    assert key_files.read(path) is None
    before = os.umask(0)
    try:
        key_files.write(path, SECRET)
    finally:
        os.umask(before)
    assert key_files.read(path) == SECRET
    assert (mode(path), mode(path.parent), path.parent.name) == (0o600, 0o700, "keys")


def test_it_is_replaced_whole_and_nothing_is_left_beside_it(path: Path) -> None:
    key_files.write(path, SECRET)
    path.with_name(".ticket.next").write_bytes(b"a power cut left this")
    key_files.write(path, b"new")
    assert key_files.read(path) == b"new"
    assert [entry.name for entry in path.parent.iterdir()] == ["ticket"]


@pytest.mark.parametrize("name", ["write", "fsync", "rename"])
def test_a_disk_that_refuses_leaves_the_old_content(
    path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    key_files.write(path, SECRET)

    def refuse(*_args: object, **_names: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if name == "write":
        monkeypatch.setattr(os, "fchmod", refuse)
    else:
        monkeypatch.setattr(os, name, refuse)
    with pytest.raises(KeyFileError, match=r"disk is full.*ticket"):
        key_files.write(path, b"new")
    monkeypatch.undo()
    assert key_files.read(path) == SECRET
    assert [entry.name for entry in path.parent.iterdir()] == ["ticket"]


def test_file_and_names_are_on_the_disk_before_it_returns(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, rename = os.fsync, os.rename

    def synced(fd: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        sync(fd)

    def renamed(old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        done.append("rename")
        rename(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    key_files.write(path, SECRET)
    assert done[-3:] == ["file", "rename", "folder"]


@pytest.mark.parametrize("bits", [0o040, 0o004, 0o020, 0o002, 0o010])
def test_what_others_could_have_read_or_written_is_refused_with_the_remedy(path: Path, bits: int) -> None:
    key_files.write(path, SECRET)
    path.chmod(0o600 | bits)
    with pytest.raises(KeyFileError, match=f"chmod 600 {path}"):
        key_files.read(path)
    path.chmod(0o600)
    path.parent.chmod(0o700 | bits)
    with pytest.raises(KeyFileError, match=f"chmod 700 {path.parent}"):
        key_files.read(path)
    with pytest.raises(KeyFileError, match=f"chmod 700 {path.parent}"):
        key_files.write(path, b"new")


def test_what_belongs_to_somebody_else_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key_files.write(path, SECRET)
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(KeyFileError, match="chown"):
        key_files.read(path)


def test_no_link_is_followed(path: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(0o700)
    (elsewhere / "ticket").write_bytes(b"known to the cheat")
    (elsewhere / "ticket").chmod(0o600)
    path.parent.mkdir(0o700, parents=True)
    path.symlink_to(elsewhere / "ticket")
    with pytest.raises(KeyFileError, match="is a link"):
        key_files.read(path)
    key_files.write(path, SECRET)  # the link is replaced, what it leads to is not
    assert not path.is_symlink()
    assert (elsewhere / "ticket").read_bytes() == b"known to the cheat"
    path.with_name(".ticket.next").symlink_to(elsewhere / "ticket")
    key_files.write(path, b"new")
    assert (elsewhere / "ticket").read_bytes() == b"known to the cheat"

    path.unlink()
    path.parent.rmdir()
    path.parent.symlink_to(elsewhere)
    with pytest.raises(KeyFileError, match="is a link"):
        key_files.read(path)
    with pytest.raises(KeyFileError, match="is a link"):
        key_files.write(path, SECRET)


def test_a_pipe_a_folder_or_a_flood_is_no_key(path: Path) -> None:
    key_files.make_folder(path.parent)
    os.mkfifo(path, 0o600)
    with pytest.raises(KeyFileError, match="is no file"):
        key_files.read(path)
    path.unlink()
    path.mkdir(0o700)
    with pytest.raises(KeyFileError):
        key_files.read(path)
    path.rmdir()
    key_files.write(path, b"x")
    with path.open("ab") as file:
        file.truncate(key_files.LARGEST + 1)
    with pytest.raises(KeyFileError, match="no key"):
        key_files.read(path)
    with pytest.raises(ValueError, match="no key"):
        key_files.write(path, bytes(key_files.LARGEST + 1))


def test_no_error_tells_what_is_in_the_file(path: Path) -> None:
    key_files.write(path, SECRET)
    path.chmod(0o644)
    with pytest.raises(KeyFileError) as reading:
        key_files.read(path)
    with pytest.raises(KeyFileError) as writing:
        key_files.write(path / "x", SECRET)
    for error in (reading.value, writing.value):
        assert "nobody reads this" not in f"{error!r} {error} {error.text}"
