"""What differs between the units of different makes, drawn by seed; and how a frame looks."""

from __future__ import annotations

import random
from dataclasses import dataclass

SYNC, ACK = 0xFC, 0x50
MOUTH_MM, ESCROW_MM, LEVER_MM, BOX_MM = 20.0, 150.0, 220.0, 300.0
US_TABLE = (
    (0x61, 1, 1, 0),
    (0x63, 1, 5, 0),
    (0x64, 1, 1, 1),
    (0x65, 1, 2, 1),
    (0x66, 1, 5, 1),
    (0x67, 1, 1, 2),
)
VERSIONS = (
    "i(USA)100-SS ID003-05V280-42 01AUG17 964D",
    "U(USA)-24-SS ID003-03V253-11 14MAY12 8B2C",
    "WBA(USA)12-SS   ID003-02 V201-05 03FEB09 77A0",
    "S(USA)-SCR ID003 V9.1 rel 04",
)
FLAWS = (0x71, 0x72, 0x74, 0x76, 0x77, 0x78, 0x7B, 0x7D, 0x98)
FAILURES = (0xA2, 0xA6, 0xAB, 0xA8)
QUEUE_MAX = 6  # frames that wait in the unit's input; further ones are lost as in a full FIFO
STALE_MS = 3_000  # no unit carries out an order so much later, on another note than it was meant for


def check_sum(data: bytes) -> bytes:
    """CRC-16/KERMIT, low byte first."""
    crc = 0
    for byte in data:
        for bit in range(8):
            mixed = (crc ^ (byte >> bit)) & 1
            crc = (crc >> 1) ^ (0x8408 if mixed else 0)
    return bytes((crc & 0xFF, crc >> 8))


def frame(code: int, data: bytes = b"") -> bytes:
    body = bytes((SYNC, 5 + len(data), code)) + data
    return body + check_sum(body)


@dataclass(slots=True)
class Habits:
    """What differs between units, drawn by seed."""

    speed: float = 200.0  # mm/s
    answer_ms: tuple[int, int] = (2, 25)
    late_percent: int = 0  # answers that take 50 ms to 3 s
    shows_late_ms: int = 0  # every status is that of so long ago
    inhibit_late_ms: int = 0
    reads_on: bool = True  # an inhibit does not stop the note that is being read
    says_bad_frame: bool = False  # 4A, else silence
    before_reset: str = "status"  # what a unit in POWER UP answers to orders: "status", "4B" or ""
    recovery: bool = True  # obeys option bit 1: VEND VALID again after a loss of power
    soft_reset: str = "initialize"  # or "vend_valid", "in_stacker"
    forgets: bool = False  # in the box and not stored: nothing is known of it
    store_ms: int = 20
    ack_store_ms: int = 0
    vend_data: bool = False
    stacked_ms: int = 150
    stroke_ms: int = 500
    deaf_ms: int = 0  # deaf until RESET after so much VEND VALID without ACK; 0: never
    hold_ms: int = 10_000
    no_poll_ms: int = 3_000
    back_code: int = 0x18
    needs: frozenset[int] = frozenset((0xC3,))  # settings that end the wait in INITIALIZE
    test_ms: int = 1_000
    boot_ms: int = 800
    zeros: bool = False
    recovers: bool = True  # a cause that is gone leads on without RESET
    shift: int = 0  # of the escrow codes
    trailing: bytes = b""
    version: str = VERSIONS[0]
    hands_ms: tuple[int, int] = (200, 2_500)  # until a customer takes a note that comes back


def habits(seed: str) -> Habits:
    dice = random.Random(f"habits {seed}")
    every = frozenset((0xC0, 0xC1, 0xC3, 0xC4, 0xC5))
    return Habits(
        speed=dice.choice((90.0, 150.0, 250.0, 420.0)),
        answer_ms=dice.choice(((1, 8), (2, 25), (15, 45), (50, 180))),
        late_percent=dice.choice((0, 0, 0, 1, 4)),
        shows_late_ms=dice.choice((0, 0, 40, 120, 250)),
        inhibit_late_ms=dice.choice((0, 0, 60, 250, 600)),
        reads_on=dice.random() < 0.5,
        says_bad_frame=dice.random() < 0.5,
        before_reset=dice.choice(("status", "4B", "")),
        recovery=dice.random() < 0.6,
        soft_reset=dice.choice(("initialize", "vend_valid", "in_stacker")),
        forgets=dice.random() < 0.4,
        store_ms=dice.choice((0, 20, 150, 400)),
        ack_store_ms=dice.choice((0, 30, 250)),
        vend_data=dice.random() < 0.3,
        stacked_ms=dice.choice((0, 30, 150, 450)),
        stroke_ms=dice.randint(200, 1_200),
        deaf_ms=dice.choice((0, 0, 60_000)),
        hold_ms=dice.randint(8_000, 12_000),
        no_poll_ms=dice.randint(2_500, 4_000),
        back_code=dice.choice((0x17, 0x18)),
        needs=dice.choice((frozenset((0xC3,)), every)),
        test_ms=dice.choice((150, 800, 2_500, 5_000)),
        boot_ms=dice.choice((100, 900, 4_000)),
        zeros=dice.random() < 0.5,
        recovers=dice.random() < 0.5,
        shift=dice.choice((0, 0, 1, 3)),
        trailing=dice.choice((b"", b"", b"\x00\x01")),
        version=dice.choice(VERSIONS),
    )
