"""`./dev` and `.ci/run`: plain shell, clear hints, set up once, again when the lock has changed.

The scripts run for real, in a folder of their own with a PATH that has stand-ins in it: a
`python3` that writes down how it was called, and an `apt-get` that must never be.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cabinet.lab.patience import PATIENCE_S
from support.programs.source import ROOT

# What a bare Debian has at /usr/bin and the scripts may use.
BASICS = (
    "sh",
    "dirname",
    "cat",
    "cksum",
    "rm",
    "find",
    "mkdir",
    "cp",
    "grep",
    "tail",
    "tee",
    "mktemp",
    "id",
    "bash",
    "chmod",
)
PYTHON = """#!/bin/sh
echo "$*" >>"$HOME/calls"
case "$*" in
    *version_info*) exit "${BAD_VERSION:-0}" ;;
    *ensurepip*) exit "${NO_VENV:-0}" ;;
    *"-m venv"*) mkdir -p "$HOME/project/.venv/bin" && cp "$0" "$HOME/project/.venv/bin/python" ;;
    *sys.prefix*) echo "$HOME/project/.venv" ;;
    *"-m pip"*--require-hashes*)
        echo "Ignoring tzdata: markers 'sys_platform == \"win32\"' don't match your environment"
        echo "Collecting one==1 (from -r dev.txt (line 1))"
        echo "${PIP_SAYS:-Installing collected packages: one}"
        exit "${NO_PIP:-0}" ;;
esac
"""


class Machine:
    """A folder with a copy of the scripts and a PATH of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.project = home / "project"
        self.bin = home / "bin"
        self.bin.mkdir()
        (self.project / "requirements").mkdir(parents=True)
        (self.project / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
        (self.project / ".ci").mkdir()
        shutil.copy(ROOT / "dev", self.project / "dev")
        shutil.copy(ROOT / ".ci" / "run", self.project / ".ci" / "run")
        self.lock("one==1")
        for name in BASICS:
            found = shutil.which(name)
            assert found is not None, name
            (self.bin / name).symlink_to(found)
        self.program("apt-get", '#!/bin/sh\necho apt-get >>"$HOME/calls"\n')
        self.program("python3", PYTHON)

    def program(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def lock(self, text: str) -> None:
        (self.project / "requirements" / "dev.txt").write_text(text, encoding="utf-8")

    def run(
        self, script: str, *args: str, cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.project / script), *args],
            cwd=cwd or self.home,
            env={"PATH": str(self.bin), "HOME": str(self.home), **env},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    @property
    def calls(self) -> list[str]:
        log = self.home / "calls"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def installs(self) -> int:
        return sum("--require-hashes" in call for call in self.calls)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(("shell", "script"), [("dash", "dev"), ("bash", ".ci/run")])
def test_the_scripts_are_sound_shell(shell: str, script: str) -> None:
    done = subprocess.run([shell, "-n", str(ROOT / script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert os.access(ROOT / script, os.X_OK)


def test_help_names_every_command(machine: Machine) -> None:
    done = machine.run("dev", "help")
    assert done.returncode == 0
    text = (ROOT / "dev").read_text(encoding="utf-8")
    [line] = re.findall(r"^    (run \| cabinet \| .*)\) ;;$", text, re.MULTILINE)
    for command in [*line.split(" | "), "setup", "lock", "help"]:
        assert re.search(rf"^  {command} ", done.stdout, re.MULTILINE), command
    assert machine.calls == []
    assert machine.run("dev").stdout == done.stdout


def test_a_command_that_is_not_there(machine: Machine) -> None:
    done = machine.run("dev", "deploy")
    assert done.returncode == 1
    assert done.stderr.endswith("dev: no command 'deploy'\n")
    assert machine.calls == []


def test_no_python_is_said_with_what_to_install(machine: Machine) -> None:
    (machine.bin / "python3").unlink()
    done = machine.run("dev", "setup")
    assert done.returncode == 1
    assert "sudo apt-get install python3 python3-venv" in done.stderr
    assert machine.calls == []


def test_a_python_that_is_too_old_is_passed_over(machine: Machine) -> None:
    done = machine.run("dev", "setup", BAD_VERSION="1")
    assert done.returncode == 1
    assert "no Python 3.11, 3.12 or 3.13 found" in done.stderr
    machine.program("python3.12", PYTHON.replace("${BAD_VERSION:-0}", "0"))
    assert machine.run("dev", "setup", BAD_VERSION="1").returncode == 0


def test_python_without_venv_is_said_with_what_to_install(machine: Machine) -> None:
    done = machine.run("dev", "test", NO_VENV="1")
    assert done.returncode == 1
    assert "sudo apt-get install python3-venv" in done.stderr
    assert "apt-get" not in machine.calls
    assert not (machine.project / ".venv").exists()


def test_a_missing_compiler_is_named_when_a_package_could_not_be_built(machine: Machine) -> None:
    says = "error: command 'cc' failed: No such file or directory"
    done = machine.run("dev", "setup", NO_PIP="1", PIP_SAYS=says)
    assert done.returncode == 1
    assert says in done.stderr
    assert "sudo apt-get install gcc libc6-dev python3-dev" in done.stderr
    assert "network" not in done.stderr
    machine.program("cc", "#!/bin/sh\n")
    done = machine.run("dev", "setup", NO_PIP="1", PIP_SAYS=says)
    assert "gcc" not in done.stderr
    assert "the requirements could not be installed" in done.stderr
    # Nothing is taken for ready after that.
    assert machine.run("dev", "python", "-V").returncode == 0
    assert machine.installs() == 3


@pytest.mark.parametrize(
    "says",
    [
        "WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError(...)': /one/",
        "ERROR: Could not find a version that satisfies the requirement one==1 (from versions: none)",
        "ERROR: Exception: ReadTimeoutError: HTTPSConnectionPool: Read timed out.",
    ],
)
def test_a_failed_download_names_the_network_and_no_compiler(machine: Machine, says: str) -> None:
    done = machine.run("dev", "setup", NO_PIP="1", PIP_SAYS=says)
    assert done.returncode == 1
    assert "the requirements could not be downloaded" in done.stderr
    assert "Check the network" in done.stderr
    assert "gcc" not in done.stderr
    log = machine.project / ".venv" / "setup.log"
    assert str(log) in done.stderr
    assert says in log.read_text(encoding="utf-8")


def test_setup_says_how_far_it_is(machine: Machine) -> None:
    """A log gets every tenth requirement, so that twenty are two lines; and what takes long at the end."""
    machine.lock("\n".join(f"p{number}==1" for number in range(20)))
    rows = "\n".join(f"Collecting p{number}==1 (from -r dev.txt)" for number in range(18))
    done = machine.run("dev", "setup", PIP_SAYS=f"{rows}\nInstalling collected packages: p0")
    assert done.returncode == 0
    said = done.stdout.splitlines()
    assert "dev: installing 20 locked requirements (one to three minutes)" in said
    assert "dev: 10 of 20: p7==1" in said  # two more went before them
    assert "dev: 20 of 20: p17==1" in said
    assert said[-3:] == [
        "dev: all are here, unpacking them (half a minute)",
        "dev: installing the project itself (editable)",
        "dev: ready",
    ]


@pytest.mark.parametrize("command", ["setup", "lock", "lint", "format", "compliance"])
def test_a_command_without_arguments_explains_itself_instead_of_running(
    machine: Machine, command: str
) -> None:
    for option in ("--help", "-h"):
        done = machine.run("dev", command, option)
        assert done.returncode == 0
        assert done.stdout.startswith(f"usage: ./dev {command}\n\n")
        assert len(done.stdout.splitlines()) > 2
    wrong = machine.run("dev", command, "now")
    assert wrong.returncode == 1
    assert wrong.stderr == f"dev: {command} takes no arguments. Try: ./dev {command} --help\n"
    assert machine.calls == []


def test_setup_happens_by_itself_once_and_again_when_the_lock_or_the_project_has_changed(
    machine: Machine,
) -> None:
    done = machine.run("dev", "python", "-c", "print()", cwd=machine.bin)
    assert done.returncode == 0
    assert "dev: ready" in done.stderr
    assert done.stdout == ""  # what a command prints is not mixed with what setup says
    assert machine.calls[-1] == "-c print()"
    quiet = machine.run("dev", "python", "-V")
    assert (quiet.stderr, machine.installs()) == ("", 1)
    machine.lock("two==2")
    machine.run("dev", "python", "-V")
    assert machine.installs() == 2
    (machine.project / "pyproject.toml").write_text('[project.scripts]\nother = "a:b"\n', encoding="utf-8")
    machine.run("dev", "python", "-V")
    assert machine.installs() == 3
    # The requirements come with hashes, the project itself without another look at an index.
    assert any(
        call.endswith(f"--no-deps --no-build-isolation --editable {machine.project}")
        for call in machine.calls
    )


def test_arguments_arrive_as_they_were_given(machine: Machine) -> None:
    machine.run("dev", "soak", "--hours", "2", "a b", "*")
    assert machine.calls[-1] == "-m cabinet.lab.soak.command --hours 2 a b *"
    machine.run("dev", "test", "tests/game", "-k", "split or ace")
    assert machine.calls[-1] == "-m pytest tests/game -k split or ace"


# ---- integration


@pytest.mark.parametrize(
    ("code", "closing"), [(0, "==== 12 passed in 3.45s ===="), (1, "=== 1 failed, 2 passed in 1s ===")]
)
def test_integration_ends_with_the_closing_line_and_the_code_of_the_tests(
    machine: Machine, code: int, closing: str
) -> None:
    script = f'#!/bin/sh\n[ "$1" = test ] || exit 0\necho "{closing}"\necho "TOTAL 91 %"\nexit {code}\n'
    (machine.project / "dev").write_text(script, encoding="utf-8")
    (machine.bin / "apt-get").unlink()
    done = machine.run(".ci/run")
    assert done.returncode == code
    assert done.stdout.splitlines()[-1] == closing


def test_integration_stops_when_setup_fails(machine: Machine) -> None:
    (machine.project / "dev").write_text('#!/bin/sh\n[ "$1" != setup ]\n', encoding="utf-8")
    (machine.bin / "apt-get").unlink()
    assert machine.run(".ci/run").returncode == 1
