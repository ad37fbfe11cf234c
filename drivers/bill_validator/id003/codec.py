"""ID-003 frames: bytes in, messages out. No time, no port.

A frame is ``FC LNG CODE DATA CRC-lo CRC-hi``; LNG counts every byte, CRC-16/KERMIT runs over all
before it. Both directions look alike and several command and status codes are the same number, so
only the context tells a command from a status. There is no byte stuffing: FC may stand in data.
Source: the maker's public protocol name is JCM ID-003; codes as used by several open hosts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from drivers.device import NoteType
from drivers.protocol.crc import crc16_kermit

SYNC = 0xFC
SHORTEST = 5
TICKET_CODE = 0x6F
FIRST_NOTE_CODE = 0x61
MASKED_NOTES = 16  # SET DENOMINATION has two bytes of mask


class Command(IntEnum):
    STATUS_REQUEST = 0x11
    RESET = 0x40
    STACK_1 = 0x41
    STACK_2 = 0x42
    RETURN = 0x43
    HOLD = 0x44
    WAIT = 0x45
    ACK = 0x50
    VERSION = 0x88
    BOOT_VERSION = 0x89
    CURRENCY = 0x8A
    DENOMINATION = 0xC0
    SECURITY = 0xC1
    MODE = 0xC2
    INHIBIT = 0xC3
    DIRECTION = 0xC4
    OPTION = 0xC5
    BARCODE = 0xC6
    BAR_INHIBIT = 0xC7


class Status(IntEnum):
    ENQ = 0x05
    IDLING = 0x11
    ACCEPTING = 0x12
    ESCROW = 0x13
    STACKING = 0x14
    VEND_VALID = 0x15
    STACKED = 0x16
    REJECTING = 0x17
    RETURNING = 0x18
    HOLDING = 0x19
    INHIBITED = 0x1A
    INITIALIZE = 0x1B
    POWER_UP = 0x40
    POWER_UP_IN_ACCEPTOR = 0x41
    POWER_UP_IN_STACKER = 0x42
    STACKER_FULL = 0x43
    STACKER_OPEN = 0x44
    JAM_IN_ACCEPTOR = 0x45
    JAM_IN_STACKER = 0x46
    PAUSE = 0x47
    CHEATED = 0x48
    FAILURE = 0x49
    COMMUNICATION_ERROR = 0x4A
    INVALID_COMMAND = 0x4B
    ACK = 0x50


_STATUS_CODES = frozenset(int(status) for status in Status)

REJECTS = {
    0x71: "insertion",
    0x72: "magnetic pattern",
    0x73: "something in the head while idle",
    0x74: "data amplitude",
    0x75: "feed",
    0x76: "denomination not assessed",
    0x77: "photo pattern",
    0x78: "photo level",
    0x79: "inhibited",
    0x7A: "reserved",
    0x7B: "operation",
    0x7C: "bill in transport at the wrong time",
    0x7D: "length",
    0x7E: "photo pattern 2",
    0x7F: "true bill feature",
    0x91: "ticket: function not set",
    0x92: "ticket: unknown",
    0x93: "ticket: number of characters",
    0x94: "ticket: start bit",
    0x95: "ticket: stop bit",
    0x96: "ticket: type not set",
    0x98: "several bills",
    0x9B: "ticket: upside down",
    0x9D: "ticket: length",
}

FAILURES = {
    0xA2: "stacker motor",
    0xA5: "transport motor speed",
    0xA6: "transport motor",
    0xA7: "aligning motor",
    0xAB: "cash box not ready",
    0xAC: "optical sensor",
    0xAD: "magnetic sensor",
    0xAF: "head removed",
    0xB0: "boot ROM",
    0xB1: "external ROM",
    0xB2: "ROM",
    0xB3: "external ROM write",
}

# Country bytes of the currency table. 1B and 2E are said to be US dollars too, by one source only:
# an unknown country is never money.
COUNTRIES = {
    0x01: "USD", 0x02: "AUD", 0x05: "SEK", 0x06: "ZAR", 0x08: "CAD", 0x09: "MXN", 0x0A: "JPY",
    0x0C: "BRL", 0x0D: "NZD", 0x0E: "ARS", 0x16: "CHF", 0x17: "GBP", 0x19: "COP", 0x1A: "PLN",
    0x1C: "AED", 0x1F: "VEF", 0x22: "SGD", 0x27: "RUB", 0x2C: "CZK", 0x2D: "CNY", 0x2F: "PEN",
    0x30: "HUF", 0x31: "UYU", 0x3A: "DKK", 0x48: "CAD", 0x4A: "PHP", 0x4E: "CLP", 0x51: "KZT",
    0x56: "ILS", 0xE0: "EUR",
}  # fmt: skip
_WITHOUT_MINOR_UNITS = frozenset({"JPY", "CLP"})  # ISO 4217: no cents
_LARGEST_EXPONENT = 6  # the largest note on earth was 10^14, the largest in use is 5 x 10^5


@dataclass(frozen=True, slots=True)
class Id003Message:
    code: int
    data: bytes = b""


def frame(code: int, data: bytes = b"") -> bytes:
    """One frame. ``data`` is at most 250 bytes."""
    return _build(code, data) if data else _PLAIN[code]


def _build(code: int, data: bytes) -> bytes:
    body = bytes((SYNC, SHORTEST + len(data), code)) + data
    return body + crc16_kermit(body).to_bytes(2, "little")


# Nearly all of a day's traffic is frames without data: they are made and known as a whole.
_PLAIN = tuple(_build(code, b"") for code in range(256))
_KNOWN = {plain: Id003Message(code) for code, plain in enumerate(_PLAIN)}


class Decoder:
    """Finds frames in whatever the line brings.

    Skips to the next SYNC; on an impossible length or a wrong checksum it drops one byte and looks
    again, because a false SYNC can hide a real one. It keeps at most 254 bytes: an unfinished frame.
    """

    def __init__(self) -> None:
        self.lost_bytes = 0
        self.bad_checksums = 0
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Id003Message]:
        if not self._buffer and (message := _KNOWN.get(data)) is not None:
            return [message]
        self._buffer += data
        return self._scan()

    def give_up(self) -> list[Id003Message]:
        """The line has been silent: what looks like an unfinished frame is none. What does it hide?"""
        found: list[Id003Message] = []
        while self._buffer:
            self._drop(1)
            found += self._scan()
        return found

    def _scan(self) -> list[Id003Message]:
        buffer = self._buffer
        found: list[Id003Message] = []
        while buffer:
            if buffer[0] != SYNC:
                place = buffer.find(SYNC)
                self._drop(len(buffer) if place < 0 else place)
                continue
            if len(buffer) < 2:
                break
            length = buffer[1]
            if length < SHORTEST:
                self._drop(1)
                continue
            if len(buffer) < length:
                break
            if crc16_kermit(buffer[: length - 2]) != buffer[length - 2] | buffer[length - 1] << 8:
                self.bad_checksums += 1
                self._drop(1)
                continue
            found.append(Id003Message(buffer[2], bytes(buffer[3 : length - 2])))
            del buffer[:length]
        return found

    def _drop(self, count: int) -> None:
        self.lost_bytes += count
        del self._buffer[:count]


@dataclass(frozen=True, slots=True)
class CurrencyRow:
    """One assigned row of the currency table; ``currency`` is "" for a country that we do not know."""

    code: int
    country: int
    currency: str
    cents: int


def parse_currency_table(data: bytes) -> tuple[CurrencyRow, ...]:
    """Rows of 4 bytes: code, country, base, exponent; value = base x 10^exponent. Base 0: not assigned.

    A remainder of less than 4 bytes is ignored, and so is a row whose value cannot be a note.
    """
    rows = []
    for place in range(0, len(data) - 3, 4):
        code, country, base, exponent = data[place : place + 4]
        if base == 0 or exponent > _LARGEST_EXPONENT:
            continue
        currency = COUNTRIES.get(country, "")
        minor: int = 1 if currency in _WITHOUT_MINOR_UNITS else 100
        rows.append(CurrencyRow(code, country, currency, base * 10**exponent * minor))
    return tuple(rows)


def denomination_mask(notes: tuple[NoteType, ...]) -> bytes:
    """Two bytes for SET DENOMINATION: a set bit forbids a code; bit 0 of the first byte is code 61."""
    mask = 0xFFFF
    for note in notes:
        if FIRST_NOTE_CODE <= note.code < FIRST_NOTE_CODE + MASKED_NOTES:
            mask &= ~(1 << note.code - FIRST_NOTE_CODE)
    return mask.to_bytes(2, "little")


def printable(data: bytes) -> str:
    return "".join(chr(byte) for byte in data if 0x20 <= byte < 0x7F)


def masked(message: Id003Message) -> bytes:
    """The frame of a message, as a technician may see it: of the number of a ticket, which may go back to its
    owner and be worth money, the last four digits stay."""
    data = message.data
    if message.code == Status.ESCROW and data[:1] == bytes((TICKET_CODE,)):
        data = data[:1] + b"x" * len(data[1:-4]) + data[1:][-4:]
    return frame(message.code, data)


def meaning(data: bytes, sent: bool) -> str:
    """What one frame says, in words, for the service page."""
    if len(data) < SHORTEST or data[0] != SYNC:
        return "not a frame"
    code, body = data[2], data[3:-2]
    if sent:
        name = _name(Command, code)
        return f"{name} {body.hex(' ')}".strip()
    match code:
        case Status.REJECTING if body:
            return f"REJECTING: {REJECTS.get(body[0], f'reason {body[0]:02X}')}"
        case Status.FAILURE if body:
            return f"FAILURE: {FAILURES.get(body[0], f'code {body[0]:02X}')}"
        case Status.ESCROW if body[:1] == bytes((TICKET_CODE,)):
            return f"ESCROW ticket {printable(body[1:])}"
        case Command.VERSION:
            return f"VERSION {printable(body)}"
        case _ if code in _STATUS_CODES:
            return f"{_name(Status, code)} {body.hex(' ')}".strip()
        case _:
            return f"{_name(Command, code)} {body.hex(' ')}".strip()


def _name(kind: type[IntEnum], code: int) -> str:
    try:
        return kind(code).name.replace("_", " ")
    except ValueError:
        return f"code {code:02X}"
