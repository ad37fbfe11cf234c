"""What a UART may refuse, and how trouble with a port is worded for people.

The mini UART of the Raspberry Pi (ttyS0 on models with Bluetooth) has no parity bit and ignores the
request for one; ID-003 and other protocols need it.
"""

from __future__ import annotations

import errno
import termios
from pathlib import Path

MINI_UART = b"brcm,bcm2835-aux-uart"  # its name in the device tree
REMEDY = (
    "Use a PL011 UART (/dev/ttyAMA0 with Bluetooth moved off it by dtoverlay=disable-bt) "
    "or a USB-RS232 adapter"
)
_SIZES = {5: termios.CS5, 6: termios.CS6, 7: termios.CS7, 8: termios.CS8}


def unfit_reason(*, baud: int, data_bits: int, parity: str, stop_bits: int, cflag: int, speed: int) -> str:
    """Compare what was asked with what was taken (termios ``cflag`` and output speed); "" if equal."""
    if cflag & termios.CSIZE != _SIZES[data_bits]:
        return f"the UART did not take {data_bits} data bits (the Pi mini UART cannot)"
    taken = "N" if not cflag & termios.PARENB else "O" if cflag & termios.PARODD else "E"
    if taken != parity:
        return f"the UART runs parity {taken}, not {parity} (the Pi mini UART has no parity)"
    if bool(cflag & termios.CSTOPB) != (stop_bits == 2):
        return f"the UART did not take {stop_bits} stop bits"
    wanted = getattr(termios, f"B{baud}", speed)  # a rate without a name cannot be compared
    if speed != wanted:
        return f"the UART did not take {baud} baud"
    return ""


def is_mini_uart(real: str, sys_folder: str = "/sys/class/tty") -> bool:
    """``real`` is the resolved device. It may keep PARENB in its termios: ask the device tree."""
    try:
        compatible = Path(sys_folder, Path(real).name, "device/of_node/compatible").read_bytes()
    except OSError:
        return False
    return MINI_UART in compatible.split(b"\0")


def errno_of(error: BaseException) -> int | None:
    """The number in an OSError, a SerialException or a termios.error (which is no OSError)."""
    number = getattr(error, "errno", None)
    if number is None and error.args and isinstance(error.args[0], int):
        number = error.args[0]
    return number


def trouble_text(port: str, error: BaseException) -> str:
    """Why ``port`` could not be opened, and what to do about it."""
    match errno_of(error):
        case errno.ENOENT | errno.ENXIO | errno.ENODEV:
            return f"port {port} does not exist: check the cable or the udev rule"
        case errno.EACCES | errno.EPERM:
            return f"port {port} may not be opened by this user: check its group in the udev rule"
        case errno.EAGAIN | errno.EBUSY:
            return f"port {port} is in use by another program"
        case errno.ENOTTY:
            return f"port {port} is not a serial port"
        case _:
            return f"port {port} cannot be opened: {error}"
