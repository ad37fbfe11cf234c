"""A memory on the I2C bus through the unmodified python-periphery: bytes, pieces, and every refusal."""

from __future__ import annotations

import errno
from collections.abc import Sequence

import pytest

from drivers.i2c import PIECE_BYTES, REACH_BYTES, I2cMemory
from drivers.sim.gpio.fram import FRAM_BYTES, FramChip, I2cBus, I2cMessage
from support.devices.i2c_shim import I2cShim

AT = 0x50


class Bench:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.chip = FramChip()
        self.shim = I2cShim(monkeypatch, {1: I2cBus({AT: self.chip})})
        self.memory = I2cMemory(1, AT)

    def refusal(self) -> OSError:
        """What both ways say; they must say the same."""
        with pytest.raises(OSError) as reading:
            self.memory.load(0, 1)
        with pytest.raises(OSError) as writing:
            self.memory.store(0, b"x")
        assert str(reading.value) == str(writing.value)
        return reading.value


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(monkeypatch)


@pytest.mark.parametrize(("offset", "size"), [(0, 1), (63, 64), (250, 12), (4096, 500), (FRAM_BYTES - 9, 9)])
def test_bytes_come_back_from_where_they_were_put(bench: Bench, offset: int, size: int) -> None:
    data = bytes((7 * place + 3) % 256 for place in range(size))
    bench.memory.store(offset, data)
    assert bench.memory.load(offset, size) == data
    assert bytes(bench.chip.content[offset : offset + size]) == data
    assert sum(map(bool, bench.chip.content)) <= size  # and nowhere else
    assert bench.memory.load(offset, 0) == b""


def test_long_records_leave_the_bus_to_others_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    class Watched(FramChip):
        def _take(self, data: bytes) -> None:
            sizes.append(len(data) - 2)
            super()._take(data)

    I2cShim(monkeypatch, {1: I2cBus({AT: Watched()})})
    I2cMemory(1, AT).store(100, bytes(3 * PIECE_BYTES + 5))
    assert sizes == [PIECE_BYTES, PIECE_BYTES, PIECE_BYTES, 5]


def test_one_spike_costs_one_more_try_and_two_are_told(bench: Bench) -> None:
    bench.chip.spikes = 1
    bench.memory.store(0, b"kept")
    bench.chip.spikes = 1
    assert bench.memory.load(0, 4) == b"kept"
    bench.chip.spikes = 2
    with pytest.raises(OSError, match="no answer"):
        bench.memory.load(0, 4)


@pytest.mark.parametrize(
    ("fault", "number", "words"),
    [
        ("missing", errno.EREMOTEIO, "no answer: check the chip's supply, its wires and its address pins"),
        ("hang", errno.ETIMEDOUT, "the bus hangs: something holds SDA or SCL low"),
    ],
)
def test_a_chip_that_fails_says_what_to_do_and_is_found_again(
    bench: Bench, fault: str, number: int, words: str
) -> None:
    bench.memory.store(0, b"before")
    bench.chip.fault = fault
    refusal = bench.refusal()
    assert refusal.errno == number
    assert f"/dev/i2c-1 at 0x50: {words}" in str(refusal)
    assert bench.shim.open_buses == 0
    bench.chip.fault = ""
    assert bench.memory.load(0, 6) == b"before"
    bench.memory.close()
    bench.memory.close()
    assert bench.shim.open_buses == 0


def test_a_bus_that_is_not_there(bench: Bench) -> None:
    bench.memory = I2cMemory(3, AT)
    assert "check dtparam=i2c_arm=on" in str(bench.refusal())


def test_a_bus_that_may_not_be_opened(bench: Bench) -> None:
    bench.shim.denied = True
    assert "group i2c" in str(bench.refusal())


def test_an_adapter_that_can_only_smbus(bench: Bench) -> None:
    bench.shim.can = 0
    assert "I2C not supported" in str(bench.refusal())


def test_nobody_at_that_address(bench: Bench) -> None:
    bench.memory = I2cMemory(1, 0x51)
    assert "at 0x51: no answer" in str(bench.refusal())


def test_power_that_goes_leaves_a_beginning(bench: Bench) -> None:
    bench.chip.left = 70
    with pytest.raises(OSError, match="no answer"):
        bench.memory.store(0, bytes([1]) * 100)
    assert bytes(bench.chip.content[:100]) == bytes([1]) * 70 + bytes(30)


@pytest.mark.parametrize(("offset", "count"), [(-1, 1), (REACH_BYTES, 1), (REACH_BYTES - 1, 2)])
def test_what_two_address_bytes_do_not_reach_is_refused(bench: Bench, offset: int, count: int) -> None:
    with pytest.raises(ValueError, match="are not in"):
        bench.memory.load(offset, count)
    with pytest.raises(ValueError, match="are not in"):
        bench.memory.store(offset, bytes(count))


def test_what_passes_the_last_byte_goes_on_at_the_first(bench: Bench) -> None:
    """As the chip does it; the driver itself never asks for that."""
    bench.chip.transfer([I2cMessage((FRAM_BYTES - 2).to_bytes(2, "big") + b"abcd")])
    assert bench.chip.transfer([I2cMessage((FRAM_BYTES - 2).to_bytes(2, "big")), I2cMessage(count=4)]) == [
        b"abcd"
    ]
    assert bytes(bench.chip.content[:2]) == b"cd"
    bench.chip.transfer([I2cMessage(bytes(2)), I2cMessage(count=FRAM_BYTES)])
    assert bench.chip.pointer == 0


def test_a_bus_that_hangs_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time costs a second of the thread that also writes the journal."""
    asked = []

    class Hanging(FramChip):
        def transfer(self, messages: Sequence[I2cMessage]) -> list[bytes]:
            asked.append(messages)
            raise OSError(errno.ETIMEDOUT, "Connection timed out")

    I2cShim(monkeypatch, {1: I2cBus({AT: Hanging()})})
    with pytest.raises(OSError, match="the bus hangs"):
        I2cMemory(1, AT).load(0, 200)
    assert len(asked) == 1


def test_a_bus_that_cannot_even_be_closed_is_opened_again() -> None:
    """The adapter is gone, and so is whatever the handle stood for."""

    class Gone:
        def write(self, address: int, data: bytes) -> None:
            raise OSError(errno.ENODEV, "No such device")

        def read(self, address: int, sent: bytes, count: int) -> bytes:
            raise OSError(errno.ENODEV, "No such device")

        def close(self) -> None:
            raise OSError(errno.ENODEV, "No such device")

    opened: list[int] = []

    def open_it(number: int) -> Gone:
        opened.append(number)
        return Gone()

    memory = I2cMemory(1, AT, open_it)
    with pytest.raises(OSError, match="/dev/i2c-1 at 0x50: "):
        memory.store(0, b"x")
    memory.close()
    assert opened == [1, 1]
