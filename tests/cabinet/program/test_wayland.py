"""The program on a real Wayland compositor that comes late, dies, and comes back. Only with sway."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from cabinet.program import field
from drivers.bill_validator.id003.codec import Status
from drivers.sim.id003 import Id003Machine
from support.programs.firmware import Firmware

__test__ = shutil.which("sway") is not None and shutil.which("setpriv") is not None
pytestmark = pytest.mark.no_cover
NOBODY = 65534  # sway does not run as root


class Sway:
    """A compositor without a monitor."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "config").write_text("output * resolution 1280x720\n", encoding="utf-8")
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {
            "SDL_VIDEODRIVER": "wayland", "XDG_RUNTIME_DIR": str(self.folder), "WAYLAND_DISPLAY": "wayland-1",
        }  # fmt: skip

    def start(self) -> None:
        for left in self.folder.glob("wayland-*"):
            left.unlink()
        environment = {
            **os.environ, "XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder),
            "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
        }  # fmt: skip
        command = ["sway", "-c", str(self.folder / "config")]
        if os.geteuid() == 0:
            command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *command]
        with (self.folder / "log").open("ab") as log:
            self._child = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def die(self) -> None:
        assert self._child is not None
        self._child.kill()
        self._child.wait()


@pytest.fixture
def sway() -> Iterator[Sway]:
    with tempfile.TemporaryDirectory(prefix="sway-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        made = Sway(folder)
        yield made
        if made._child is not None and made._child.poll() is None:
            made.die()


@pytest.mark.requirement("MEM-10", "BIL-04")
def test_a_compositor_that_dies_locks_the_table_and_one_that_comes_back_opens_it(
    tmp_path: Path, sway: Sway
) -> None:
    firmware = Firmware(tmp_path, sway.environment)
    machine = firmware.bench.world.wires["validator1"].machine
    assert isinstance(machine, Id003Machine)

    def takes() -> bool:
        return machine.status()[0] == Status.IDLING

    try:
        firmware.start()
        firmware.wait(lambda: "S04 no display" in firmware.status, "a start without a display")
        sway.start()
        firmware.wait(lambda: firmware.status == "running", "a display that comes late")
        firmware.wait(takes, "a validator that takes notes")
        sway.die()
        firmware.wait(lambda: "S04 no display: the display server has ended" in firmware.status, "the lock")
        firmware.wait(lambda: not takes(), "a validator that takes none")
        firmware.bench.world.insert("validator1", 5_000, firmware.clock.now_ms())
        firmware.runs(1_500)
        assert machine.stacked_cents == 0
        assert firmware.bench.seen is not None
        assert firmware.bench.seen.seats[0].credit_cents == 0
        beats = firmware.beats
        firmware.wait(lambda: firmware.beats > beats + 2, "signs of life")
        sway.start()
        firmware.wait(lambda: firmware.status == "running", "a display that comes back")
        firmware.wait(takes, "a validator that takes notes again")
        firmware.process.send_signal(signal.SIGTERM)
        assert firmware.ended() == field.CLEAN
    finally:
        firmware.close()
