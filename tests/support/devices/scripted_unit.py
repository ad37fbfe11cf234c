"""An ID-003 device without physics: a test says what it answers, for sequences no real unit shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from drivers.bill_validator.id003.codec import Command, Decoder, Id003Message, Status, frame

USD_TABLE = bytes.fromhex("61010100 63010500 64010101 65010201 66010501 67010102")


class ScriptedUnit:
    """``status`` is what polls see. ``answer`` may take a message over: its bytes, or None for silence."""

    FAULTS: Mapping[str, str] = {}

    def __init__(self, status: int = Status.INHIBITED, data: bytes = b"") -> None:
        self.status: tuple[int, bytes] = (status, data)
        self.table = USD_TABLE
        self.version = b"U(USA)-5-SS ID003-03 V200"
        self.commands: list[int] = []
        self.heard: list[Id003Message] = []
        self.answer: Callable[[Id003Message], bytes | None] = self.usual
        self.wake_at: int | None = None
        self._decoder = Decoder()
        self._out = b""
        self._unasked = b""

    def show(self, status: int, data: bytes = b"") -> None:
        self.status = (status, data)

    def usual(self, message: Id003Message) -> bytes | None:
        match message.code:
            case Command.STATUS_REQUEST:
                return frame(*self.status)
            case Command.ACK:
                return None
            case Command.RESET:
                self.show(Status.INITIALIZE)
                return frame(Status.ACK)
            case Command.VERSION:
                return frame(Command.VERSION, self.version)
            case Command.CURRENCY:
                return frame(Command.CURRENCY, self.table)
            case Command.STACK_2 | Command.RETURN | Command.HOLD:
                return frame(Status.ACK)
            case Command.INHIBIT:
                if self.status[0] in (Status.INITIALIZE, Status.IDLING, Status.INHIBITED):
                    self.show(Status.INHIBITED if message.data == b"\x01" else Status.IDLING)
                return frame(message.code, message.data)
            case _:
                return frame(message.code, message.data)

    def count(self, command: int) -> int:
        return self.commands.count(command)

    def receive(self, data: bytes, now_ms: int) -> None:
        for message in self._decoder.feed(data):
            self.commands.append(message.code)
            self.heard.append(message)
            self._out += self.answer(message) or b""

    def say(self, data: bytes, at_ms: int) -> None:
        """Bytes that nobody asked for."""
        self._unasked = data
        self.wake_at = at_ms

    def tick(self, now_ms: int) -> bytes:
        out, self._out = self._out, b""
        if self.wake_at is not None and now_ms >= self.wake_at:
            self.wake_at = None
            out += self._unasked
        return out

    def inject(self, fault: str, now_ms: int) -> None:
        raise KeyError(fault)

    def power_off(self, now_ms: int) -> None:
        self.answer = lambda message: None

    def power_on(self, now_ms: int) -> None:
        self.answer = self.usual
        self.show(Status.POWER_UP)
