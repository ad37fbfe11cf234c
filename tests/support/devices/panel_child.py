"""A child process that runs the shipped panel driver in real time, as the cabinet's loop does.

Arguments: the bank ("kernel", or "socket" and the server's path follows), then the options as JSON.
One JSON order per line on stdin ({"outputs": {...}} or {"pulse": [meter, count]}), one JSON event per
line on stdout; the first line says which library serves the lines. The end of stdin ends the child.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from dataclasses import asdict
from pathlib import Path

import msgspec

from drivers.bank import Bank
from drivers.device import DeviceEvent, Pattern
from drivers.gpio import open_bank
from drivers.panel.gpio import GpioPanel, Options


def make_bank(kind: str) -> Bank:
    if kind == "kernel":
        return open_bank()
    from drivers.sim.gpio.socket_bank import open_bank_at

    return open_bank_at(Path(kind))


def tell(events: list[DeviceEvent]) -> None:
    for event in events:
        print(json.dumps({"event": type(event).__name__, **asdict(event)}), flush=True)


def obey(panel: GpioPanel, line: str) -> None:
    order = json.loads(line)
    if "outputs" in order:
        panel.set_outputs({name: Pattern(look) for name, look in order["outputs"].items()})
    else:
        panel.pulse(*order["pulse"])


def main(kind: str, table: str) -> None:
    bank = make_bank(kind)
    panel = GpioPanel("panel1", msgspec.json.decode(table, type=Options), bank)
    start_ns = time.monotonic_ns()
    print(json.dumps({"event": "Ready", "bank": type(bank).__name__}), flush=True)
    pending = ""
    while True:
        now_ms = (time.monotonic_ns() - start_ns) // 1_000_000
        tell(list(panel.tick(now_ms)))
        wake_at = panel.wake_at
        pause_ms = 50 if wake_at is None else min(50, max(0, wake_at - now_ms))
        waited = [fd for fd in (0, panel.fileno()) if fd is not None]
        if 0 in select.select(waited, [], [], pause_ms / 1000)[0]:
            data = os.read(0, 65536).decode()
            if not data:
                break
            *lines, pending = (pending + data).split("\n")
            for line in lines:
                obey(panel, line)
    panel.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
