"""What is installed around the program: unit, users, folders, rules for devices."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cabinet.cli import main as cli
from cabinet.lab.patience import PATIENCE_S
from cabinet.program import field, runtime, start
from cabinet.store import schema
from support.programs.source import ROOT

UNIT = ROOT / "systemd" / "cabinet.service"
SYSUSERS = ROOT / "deploy" / "sysusers.d" / "cabinet.conf"


def settings(path: Path) -> dict[str, list[str]]:
    """Every ``Key=value`` of a unit, in order; a key may come several times."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def tool(name: str, *args: str) -> subprocess.CompletedProcess[str] | None:
    """Runs one of systemd's checkers; None where systemd is not installed."""
    path = shutil.which(name)
    if path is None:
        return None
    return subprocess.run([path, *args], capture_output=True, text=True, timeout=PATIENCE_S)


@pytest.mark.parametrize("page", ["deploy/install.md", "docs/gpio.md"])
def test_an_interrupt_is_wired_to_a_line_that_no_shipped_plan_uses(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    pins = re.findall(r"dtoverlay=mcp23017,addr=0x[0-9a-f]+,gpiopin=(\d+)", text)
    assert pins
    for plan in (ROOT / "config" / "cabinets").glob("*.toml"):
        used = set(re.findall(r'"pinctrl-[a-z0-9]+:(\d+)"', plan.read_text(encoding="utf-8")))
        assert used.isdisjoint(pins), plan.stem
    assert "dtparam=i2c_arm=on" in text


def test_the_unit_starts_the_command_line_that_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    [command] = settings(UNIT)["ExecStart"]
    program, *args = command.split()
    assert program == "/opt/cabinet/venv/bin/cabinet"
    assert args == ["run", "--config", "/etc/cabinet/cabinet.toml", "--state", "/var/lib/cabinet"]
    with pytest.raises(SystemExit) as caught:
        cli.main(["run", "--help"])
    assert caught.value.code == 0
    assert {"--config", "--state"} <= set(re.findall(r"--\w+", capsys.readouterr().out))


def test_no_image_of_the_program_and_its_keys_is_left_on_the_disk() -> None:
    assert settings(UNIT)["LimitCORE"] == ["0"]


def test_whatever_ends_the_program_its_outputs_go_dark(capsys: pytest.CaptureFixture[str]) -> None:
    [command] = settings(UNIT)["ExecStopPost"]
    program, *args = command.split()
    assert program == "-/opt/cabinet/venv/bin/cabinet"  # no line that is missing fails the unit
    assert args == ["dark", "--config", "/etc/cabinet/cabinet.toml"]
    with pytest.raises(SystemExit) as caught:
        cli.main(["dark", "--help"])
    assert caught.value.code == 0
    assert "--config" in capsys.readouterr().out


def test_the_limit_of_starts_is_reached_only_by_a_program_that_dies() -> None:
    """What ends by itself and starts again does so more slowly than the unit gives up; and every stop is over
    before systemd kills."""
    unit = settings(UNIT)
    [interval], [burst] = unit["StartLimitIntervalSec"], unit["StartLimitBurst"]
    slowest_ms = min(field.ANEW_MS, field.UNFED_MS)
    assert int(interval) * 1000 / slowest_ms <= int(burst)
    [stop] = unit["TimeoutStopSec"]
    assert field.STOP_WAIT_MS / 1000 + 2 * field.STOP_COMMIT_S < start.STOP_HARD_S < 10 < int(stop)
    [watchdog], [starting] = unit["WatchdogSec"], unit["TimeoutStartSec"]
    assert int(watchdog) < field.UNFED_MS / 1000
    assert int(starting) > start.OPENING_MS / 1000
    assert schema.BUSY_MS < runtime.HUNG_COMMIT_MS < field.UNFED_MS


def test_the_unit_watches_the_program_and_starts_it_again_whatever_it_ends_with() -> None:
    unit = settings(UNIT)
    assert unit["Type"] == ["notify"]
    assert unit["Restart"] == ["always"]
    assert unit["WatchdogSec"] == ["10"]
    assert "RestartPreventExitStatus" not in unit  # nothing that a person can mend ends the program
    assert "StartLimitAction" not in unit  # see the comment there


def test_the_state_is_the_cabinets_own_and_there_is_no_network() -> None:
    unit = settings(UNIT)
    assert unit["StateDirectory"] == ["cabinet"]
    assert unit["StateDirectoryMode"] == ["0700"]
    assert unit["UMask"] == ["0077"]
    assert unit["IPAddressDeny"] == ["any"]
    assert unit["RestrictAddressFamilies"] == ["AF_UNIX AF_NETLINK"]
    assert unit["CapabilityBoundingSet"] == [""]


def test_every_group_of_the_unit_is_there_or_made() -> None:
    """A unit with an unknown group does not start."""
    [groups] = settings(UNIT)["SupplementaryGroups"]
    made = set(re.findall(r"^g (\S+)", SYSUSERS.read_text(encoding="utf-8"), re.MULTILINE))
    debian = {"video", "input", "audio", "dialout", "tty"}  # base-passwd and udev have these
    assert set(groups.split()) <= made | debian
    [user] = settings(UNIT)["User"]
    assert re.search(rf"^u {user} ", SYSUSERS.read_text(encoding="utf-8"), re.MULTILINE)


def test_systemd_reads_the_unit_without_a_word(tmp_path: Path) -> None:
    """`verify` wants the program to be there, so another one stands in for it."""
    unit = tmp_path / UNIT.name
    text = UNIT.read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/cabinet/venv/bin/cabinet", "/bin/true"), encoding="utf-8")
    done = tool("systemd-analyze", "verify", "--recursive-errors=yes", str(unit))
    assert done is None or (done.returncode, done.stderr) == (0, "")


def test_the_unit_is_shut_in() -> None:
    """15 is systemd's "1.5, OK"; an unhardened unit has 96."""
    done = tool("systemd-analyze", "security", "--offline=true", "--threshold=15", str(UNIT))
    assert done is None or done.returncode == 0, done.stdout


def test_systemd_reads_users_and_folders(tmp_path: Path) -> None:
    done = tool("systemd-sysusers", "--dry-run", str(SYSUSERS))
    assert done is None or done.returncode == 0, done.stderr
    lines = (ROOT / "deploy" / "tmpfiles.d" / "cabinet.conf").read_text(encoding="utf-8").splitlines()
    entries = [line.split() for line in lines if not line.startswith("#")]
    assert {entry[1]: entry[2] for entry in entries} == {
        "/var/lib/cabinet": "0700", "/etc/cabinet": "0755", "/etc/cabinet/rules": "0755",
    }  # fmt: skip


def test_rules_for_devices_are_well_formed() -> None:
    """Every line is a comma-separated list of KEY op "value"; and no modem manager near a validator."""
    text = (ROOT / "deploy" / "udev" / "60-cabinet.rules").read_text(encoding="utf-8")
    part = re.compile(r'[A-Z]+(\{[\w/]+\})?(==|!=|=|\+=|:=)"[^"]*"')
    lines = [line.removeprefix("# ") for line in text.splitlines() if "==" in line]
    assert len(lines) >= 6
    for line in lines:
        for piece in line.split(", "):
            assert part.fullmatch(piece), piece
    [usb] = [line for line in lines if "ID_MM_DEVICE_IGNORE" in line]
    assert 'SUBSYSTEM=="tty", SUBSYSTEMS=="usb"' in usb


def test_the_instructions_name_files_that_exist() -> None:
    text = (ROOT / "deploy" / "install.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w/])(?:systemd|deploy|requirements|config)/[\w./-]+\w", text))
    assert len(named) >= 5
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
