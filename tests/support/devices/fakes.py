"""Devices that say what a test puts into their mouth, and write down in one log what they are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drivers.device import DeviceEvent, Frame, OpenDocument, Pattern, TicketFields


class Fake:
    """What every device has. `say` is what its next tick reports."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.log = log
        self.say: list[DeviceEvent] = []
        self.wake_at: int | None = None
        self.descriptor: int | None = None
        self.closed = False

    def fileno(self) -> int | None:
        return self.descriptor

    def tick(self, now_ms: int) -> Sequence[DeviceEvent]:
        said, self.say = self.say, []
        self.log.append(f"{self.name} read")
        return said

    def close(self) -> None:
        self.closed = True

    def frames(self) -> Sequence[Frame]:
        return ()

    def statistics(self) -> Mapping[str, int]:
        return {}

    def _told(self, order: str) -> None:
        self.log.append(f"{self.name} {order}")


class FakeValidator(Fake):
    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__(name, log)
        self.enabled = False
        self.adopted: list[OpenDocument | None] = []

    def adopt(self, document: OpenDocument | None) -> None:
        self.adopted.append(document)

    def accept(self, enabled: bool, change: int = 0) -> None:
        if enabled != self.enabled:
            self._told("accept" if enabled else "inhibit")
        self.enabled = enabled

    def stack(self) -> None:
        self._told("stack")

    def give_back(self) -> None:
        self._told("give_back")

    def acknowledge(self) -> None:
        self._told("acknowledge")

    def reset(self) -> None:
        self._told("reset")


class FakePrinter(Fake):
    def release(self) -> None:
        self._told("release")

    def inquire(self, ref: int) -> None:
        self._told(f"inquire {ref}")

    def print_ticket(self, ref: int, ticket: TicketFields) -> None:
        self._told(f"print {ref} {ticket.figures}")

    def recorded(self, ref: int) -> None:
        self._told(f"recorded {ref}")

    def clear_fault(self) -> None:
        self._told("clear_fault")


class FakePanel(Fake):
    def __init__(self, name: str, log: list[str]) -> None:
        super().__init__(name, log)
        self.levels: Mapping[str, Pattern] = {}

    def set_outputs(self, levels: Mapping[str, Pattern]) -> None:
        self.levels = dict(levels)
        self._told("set_outputs")

    def pulse(self, meter: str, count: int) -> None:
        self._told(f"pulse {meter} {count}")

    def inputs(self) -> Mapping[str, bool]:
        return {}
