"""The manners of the line to a TCL printer: pauses, polls, silence, and half commands.

The protocol has no acknowledgement, so the line is kept alive by asking for the status at a fixed
pace; answers are never paired with questions, and frames that come unasked are as good as any.
"""

from __future__ import annotations

from drivers.link import OpenLink
from drivers.protocol.exchange import next_beat
from drivers.ticket_printer.common.line import PrinterLine
from drivers.ticket_printer.tcl import codec as tcl_codec
from drivers.ticket_printer.tcl.options import Options
from drivers.ticket_printer.tcl.status import Status, StatusReader

# So long a printer that holds its host back (XOFF) is busy and not lost. A buffer that is over 80 % full is
# empty again within one ticket.
XOFF_MS = 20_000
BOOT_MS = 5000  # silence behind a reset that is no dead line
HELD_LOOK_MS = 50  # so often it is looked whether the output moves again


class Line(PrinterLine[Status]):
    """An open, paced, polled line. `listen` first, then `speak`, once in a tick."""

    def __init__(self, options: Options, open_link: OpenLink) -> None:
        super().__init__(options, open_link, _meaning)
        self._gap_ms = options.gap_ms
        self._request = options.request()
        self._reader = StatusReader()
        self._lost_bytes = 0
        self._poll_ms = 0
        self._unanswered = False
        self._closing_tried = False  # a lone caret has been sent in this silence
        self._held_ms: int | None = None  # since when the printer holds its host back
        self._held_seen_ms = 0
        self._spoiled = False

    # ---- state

    @property
    def is_held(self) -> bool:
        """Output waits, here or in the kernel: whatever is sent now would come glued to it."""
        return self._port.pending > 0 or (self._held_ms is not None and self._port.settings.xonxoff)

    @property
    def lost_bytes(self) -> int:
        return self._lost_bytes + self._reader.lost_bytes

    def wake_at(self, order_ms: int | None) -> int | None:
        """When this line moves without input, if the next order is due at `order_ms`."""
        port_at = self._port.wake_at
        if not self._port.is_open:
            return port_at
        due = self._heard_ms + self._silence_ms
        if self._held_ms is not None:
            due = self._held_seen_ms + HELD_LOOK_MS
        if not self.is_held:
            wanted = min(self._chore_ms(), self._poll_ms)
            if order_ms is not None and order_ms < wanted:
                wanted = order_ms
            due = min(due, max(self._free_ms, wanted))
        return due if port_at is None else min(due, port_at)

    # ---- listening

    def _take(self, data: bytes, now_ms: int) -> list[Status]:
        statuses = self._reader.feed(data)
        for status in statuses:
            self._alive(now_ms)
            self.statistics["answered"] += 1
            self._log.add(now_ms, False, status.raw)
        self.moved = bool(statuses)  # half a frame says nothing
        return statuses

    def _opened(self, now_ms: int) -> None:
        self._lost_bytes += self._reader.lost_bytes
        self._reader = StatusReader()
        self._spoiled = False
        self._free_ms = self._poll_ms = self._heard_ms = now_ms
        self._unanswered = self._closing_tried = False

    def _alive(self, now_ms: int) -> None:
        """The silence, if there was one, is over."""
        self._heard_ms = max(self._heard_ms, now_ms)
        self._unanswered = self._closing_tried = False
        self.held_back = ""

    # ---- speaking

    def speak(self, now_ms: int, order: bytes) -> bool:
        """Send `order`, or do what the line itself needs. True if the order was given to the port, also if
        the port then died: a part of it may be on the line."""
        self._mind_xoff(now_ms)
        if not self._port.is_open or self._is_silent(now_ms) or self.is_held or now_ms < self._free_ms:
            return False
        if not self._spoiled:
            self._spoiled = True
            self._heard_ms += self.line_ms(len(tcl_codec.SPOIL))
            self._write(tcl_codec.SPOIL, now_ms)
        elif order:
            self._poll_ms = min(self._poll_ms, now_ms + self._options.poll_waiting_ms)
            # At 1200 baud a ticket alone takes longer than a silence.
            self._heard_ms += self.line_ms(len(order)) + (BOOT_MS if order == tcl_codec.RESET else 0)
            self._write(order, now_ms)
            return True
        elif now_ms >= self._chore_ms():
            self._closing_tried = True
            self._write(tcl_codec.LONE_CARET, now_ms)
        elif now_ms >= self._poll_ms:
            self._poll(now_ms)
        return False

    def _mind_xoff(self, now_ms: int) -> None:
        """With XON/XOFF the kernel obeys: what it shows is output that stays behind for longer than it needs
        on the line. Without, the byte itself is seen."""
        settings = self._port.settings
        stays = settings.xonxoff and now_ms >= self._free_ms and self._port.unsent > 0
        if not (self._port.is_open and (stays or (self._reader.stopped and not settings.xonxoff))):
            self._held_ms = None
            return
        self._held_seen_ms = now_ms
        if self._held_ms is None:
            self._held_ms = now_ms
        if now_ms - self._held_ms < XOFF_MS:
            self._heard_ms = max(self._heard_ms, now_ms)
            return
        self._held_ms = None
        self._reader.stopped = False
        self.held_back = f"it has held its host back (XOFF) for {XOFF_MS // 1000} s"
        self._port.reopen(self.held_back)

    def hurry(self, now_ms: int) -> None:
        self.waiting = True
        self._poll_ms = min(self._poll_ms, now_ms + self._options.poll_waiting_ms)

    def _chore_ms(self) -> int:
        """When the line wants to send something that is neither an order nor a poll."""
        if not self._spoiled:
            return self._free_ms
        never = self._heard_ms + 2 * self._silence_ms
        return never if self._closing_tried else self._heard_ms + self._silence_ms // 2

    def _poll(self, now_ms: int) -> None:
        self.statistics["polls"] += 1
        self.statistics["no_answer"] += self._unanswered
        self._unanswered = True
        self._poll_ms = next_beat(now_ms, self._poll_every_ms)
        self._write(self._request, now_ms)

    def _write(self, command: bytes, now_ms: int) -> None:
        self._free_ms = now_ms + self.line_ms(len(command)) + self._gap_ms
        self._log.add(now_ms, True, tcl_codec.masked(command))
        self._port.write(command)


def _meaning(data: bytes, sent: bool) -> str:
    if not sent:
        found = StatusReader().feed(data)
        return found[0].meaning() if found else "not a status"
    match data:
        case tcl_codec.EXTENDED_STATUS | tcl_codec.STANDARD_STATUS:
            return "what is your status"
        case tcl_codec.CLEAR:
            return "clear the flags"
        case tcl_codec.CLEAR_JAM:
            return "clear the flags, the jam is mended"
        case tcl_codec.RESET:
            return "start again and forget all orders"
        case tcl_codec.LONE_CARET:
            return "end a command that was broken off"
        case tcl_codec.SPOIL:
            return "make a half command unprintable"
        case _:
            return "print a ticket"
