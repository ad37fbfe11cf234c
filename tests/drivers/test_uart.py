"""What a UART took, compared with what was asked."""

from __future__ import annotations

import termios
from pathlib import Path

import pytest

from drivers.uart import is_mini_uart, unfit_reason

TAKEN_8E1 = termios.CS8 | termios.PARENB
ALL_BITS = termios.CS7 | termios.PARENB | termios.PARODD | termios.CSTOPB


@pytest.mark.parametrize(
    ("cflag", "speed", "words"),
    [
        (TAKEN_8E1, termios.B9600, ""),
        (termios.CS8, termios.B9600, "runs parity N, not E"),
        (TAKEN_8E1 | termios.PARODD, termios.B9600, "runs parity O, not E"),
        (termios.CS7 | termios.PARENB, termios.B9600, "did not take 8 data bits"),
        (TAKEN_8E1 | termios.CSTOPB, termios.B9600, "did not take 1 stop bits"),
        (TAKEN_8E1, termios.B4800, "did not take 9600 baud"),
    ],
)
def test_a_validator_needs_8e1(cflag: int, speed: int, words: str) -> None:
    reason = unfit_reason(baud=9600, data_bits=8, parity="E", stop_bits=1, cflag=cflag, speed=speed)
    assert words in reason
    assert bool(reason) == bool(words)


def test_other_lines() -> None:
    seven = unfit_reason(baud=9600, data_bits=7, parity="O", stop_bits=2, cflag=ALL_BITS, speed=termios.B9600)
    assert seven == ""
    nameless = unfit_reason(baud=12345, data_bits=8, parity="N", stop_bits=1, cflag=termios.CS8, speed=0)
    assert nameless == "", "a rate without a name cannot be compared"


def test_the_mini_uart_is_known_by_its_name_in_the_device_tree(tmp_path: Path) -> None:
    node = tmp_path / "ttyS0" / "device" / "of_node"
    node.mkdir(parents=True)
    (node / "compatible").write_bytes(b"brcm,bcm2835-aux-uart\0")
    assert is_mini_uart("/dev/ttyS0", str(tmp_path))
    assert not is_mini_uart("/dev/ttyAMA0", str(tmp_path))
    (node / "compatible").write_bytes(b"arm,pl011\0arm,primecell\0")
    assert not is_mini_uart("/dev/ttyS0", str(tmp_path))
