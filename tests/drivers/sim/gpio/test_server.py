"""The GPIO server as a kernel: structs, errors, events, and clients that misbehave."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from periphery import gpio_cdev2

from drivers.sim.gpio import abi
from drivers.sim.gpio.abi import Attribute, Ioctl, LineFlag, LineRequest, Operation, Packet
from drivers.sim.gpio.board import Board
from drivers.sim.gpio.server import CONNECTIONS_MOST, EVENTS_KEPT, GpioServer
from drivers.sim.gpio.socket_bank import Connection, open_bank_at
from support.devices.panels import ServerThread

CHIP = "mcp23017@20"
PATH = b"/dev/gpiochip0\0"
BOTH_EDGES = LineFlag.INPUT | LineFlag.EDGE_RISING | LineFlag.EDGE_FALLING


# ---- structs, against the library's own


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (abi.CHIP_INFO.size, gpio_cdev2._CGpiochipInfo),
        (abi.LINE_INFO.size, gpio_cdev2._CGpioV2LineInfo),
        (abi.VALUES.size, gpio_cdev2._CGpioV2LineValues),
        (abi.EVENT.size, gpio_cdev2._CGpioV2LineEvent),
        (abi.LINE_REQUEST_BYTES, gpio_cdev2._CGpioV2LineRequest),
    ],
)
def test_structs_are_as_long_as_those_of_the_library(ours: int, theirs: type[ctypes.Structure]) -> None:
    assert ours == ctypes.sizeof(theirs)


def test_the_numbers_are_those_of_the_library() -> None:
    library = gpio_cdev2.Cdev2GPIO
    assert {request: request.value for request in Ioctl} == {
        Ioctl.GET_CHIPINFO: library._GPIO_GET_CHIPINFO_IOCTL,
        Ioctl.GET_LINEINFO: library._GPIO_V2_GET_LINEINFO_IOCTL,
        Ioctl.GET_LINE: library._GPIO_V2_GET_LINE_IOCTL,
        Ioctl.SET_CONFIG: library._GPIO_V2_LINE_SET_CONFIG_IOCTL,
        Ioctl.GET_VALUES: library._GPIO_V2_LINE_GET_VALUES_IOCTL,
        Ioctl.SET_VALUES: library._GPIO_V2_LINE_SET_VALUES_IOCTL,
    }
    for name in ("ACTIVE_LOW", "INPUT", "OUTPUT", "EDGE_RISING", "EDGE_FALLING"):
        assert getattr(library, f"_GPIO_V2_LINE_FLAG_{name}") == LineFlag[name]
    for name in ("PULL_UP", "PULL_DOWN"):
        assert getattr(library, f"_GPIO_V2_LINE_FLAG_BIAS_{name}") == LineFlag[name]


def test_a_line_request_of_the_library_is_understood() -> None:
    wanted = gpio_cdev2._CGpioV2LineRequest()
    wanted.offsets[0], wanted.offsets[1], wanted.num_lines = 3, 12, 2
    wanted.consumer = b"seat1.hit"
    wanted.config.flags = LineFlag.OUTPUT
    wanted.config.num_attrs = 2
    wanted.config.attrs[0].attr.id = Attribute.OUTPUT_VALUES
    wanted.config.attrs[0].attr.data.values = 0b11
    wanted.config.attrs[0].mask = 0b10
    wanted.config.attrs[1].attr.id = Attribute.FLAGS
    wanted.config.attrs[1].attr.data.flags = LineFlag.OUTPUT | LineFlag.ACTIVE_LOW
    wanted.config.attrs[1].mask = 0b01
    assert abi.decode_line_request(bytes(wanted)) == LineRequest(
        (3, 12), "seat1.hit", (LineFlag.OUTPUT | LineFlag.ACTIVE_LOW, LineFlag.OUTPUT), (False, True)
    )


@given(
    st.lists(st.tuples(st.integers(0, 63), st.booleans()), min_size=1, max_size=64, unique_by=lambda p: p[0]),
    st.from_regex(r"[a-z0-9_.]{0,31}", fullmatch=True),
    st.sampled_from(
        [
            BOTH_EDGES,
            LineFlag.OUTPUT,
            LineFlag.INPUT | LineFlag.PULL_UP,
            LineFlag.OUTPUT | LineFlag.ACTIVE_LOW,
        ]
    ),
)
def test_a_line_request_comes_back_as_it_was(
    lines: list[tuple[int, bool]], consumer: str, flags: LineFlag
) -> None:
    offsets, values = tuple(offset for offset, _ in lines), tuple(value for _, value in lines)
    wanted = LineRequest(offsets, consumer, (flags,) * len(lines), values)
    assert abi.decode_line_request(wanted.encode()) == wanted


@given(st.binary(max_size=700))
def test_no_bytes_upset_the_decoders(data: bytes) -> None:
    for decode in (abi.decode, abi.decode_line_request):
        try:
            decode(data)
        except ValueError:
            continue


@given(st.integers(0, 9), st.integers(0, 99), st.integers(0, 2**32), st.binary(max_size=600))
def test_a_packet_comes_back_as_it_was(operation: int, handle: int, request: int, body: bytes) -> None:
    packet = Packet(operation, handle, request, body, -1, 16)
    assert abi.decode(packet.encode()) == packet


@pytest.mark.parametrize(("place", "value"), [(560, 0), (560, 65), (296, 11)])
def test_a_request_with_impossible_counts_is_refused(place: int, value: int) -> None:
    body = bytearray(LineRequest((1,), "", (LineFlag.INPUT,), (False,)).encode())
    body[place : place + 4] = value.to_bytes(4, "little")
    with pytest.raises(ValueError):
        abi.decode_line_request(bytes(body))


# ---- calls


class Kernel:
    """One client of a served board."""

    def __init__(self, path: Path) -> None:
        self.board = Board({CHIP: 16})
        self.now_ms = 0
        self.thread = ServerThread(path, self.board, lambda: self.now_ms)
        self.connection = Connection(path)
        self.fds: list[int] = []

    def chip(self) -> int:
        answer, fd = self.connection.call(Operation.OPEN, body=PATH)
        self.fds.append(fd)
        return answer.handle

    def lines(self, *offsets: int, flags: LineFlag = BOTH_EDGES, values: int = 0) -> tuple[int, int]:
        count = len(offsets)
        starts = tuple(bool(values >> place & 1) for place in range(count))
        body = LineRequest(offsets, "test", (flags,) * count, starts).encode()
        answer, fd = self.connection.call(Operation.IOCTL, self.chip(), Ioctl.GET_LINE, body)
        self.fds.append(fd)
        return answer.handle, fd

    def ioctl(self, handle: int, request: int, body: bytes) -> bytes:
        return self.connection.call(Operation.IOCTL, handle, request, body)[0].body

    def close(self) -> None:
        self.connection.close()
        for fd in self.fds:
            os.close(fd)
        self.thread.close()


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    made = Kernel(tmp_path / "gpio")
    yield made
    made.close()


def test_several_lines_of_one_request_have_one_bit_each(kernel: Kernel) -> None:
    handle, _fd = kernel.lines(8, 9, 10, flags=LineFlag.OUTPUT | LineFlag.ACTIVE_LOW, values=0b001)
    levels = [[kernel.board.level(f"{CHIP}:{offset}") for offset in (8, 9, 10)]]
    kernel.ioctl(handle, Ioctl.SET_VALUES, abi.VALUES.pack(0b110, 0b011))
    levels.append([kernel.board.level(f"{CHIP}:{offset}") for offset in (8, 9, 10)])
    assert levels == [[False, True, True], [True, False, True]]
    values = kernel.ioctl(handle, Ioctl.GET_VALUES, abi.VALUES.pack(0, 0b111))
    assert abi.VALUES.unpack(values) == (0b010, 0b111)


def test_a_request_that_fails_takes_none_of_its_lines(kernel: Kernel) -> None:
    kernel.board.claim(f"{CHIP}:9", "other")
    with pytest.raises(OSError, match="busy"):
        kernel.lines(8, 9)
    kernel.lines(8)


def test_the_kernel_keeps_the_newest_sixteen_events(kernel: Kernel) -> None:
    _handle, fd = kernel.lines(3)
    for at_ms in range(1, 101):
        kernel.board.touch(f"{CHIP}:3", bool(at_ms % 2), at_ms)
    events = []
    while select.select([fd], [], [], 0)[0]:
        events.append(abi.EVENT.unpack(os.read(fd, abi.EVENT.size)))
    assert len(events) == EVENTS_KEPT
    assert [stamp // 1_000_000 for stamp, *_ in events] == list(range(85, 101))
    assert events[-1] == (100_000_000, abi.FALLING, 3, 100, 100)


def test_only_the_edges_that_were_asked_for_are_told(kernel: Kernel) -> None:
    handle, fd = kernel.lines(3, flags=LineFlag.INPUT | LineFlag.EDGE_FALLING | LineFlag.ACTIVE_LOW)
    kernel.board.touch(f"{CHIP}:3", True, 1)
    edge = abi.EVENT.unpack(os.read(fd, abi.EVENT.size))[1]
    kernel.board.touch(f"{CHIP}:3", False, 2)
    assert edge == abi.FALLING  # active-low: a rising level is a falling line
    assert not select.select([fd], [], [], 0)[0]
    config = LineRequest((3,), "", (LineFlag.INPUT | LineFlag.EDGE_RISING,), (False,)).encode()[288:560]
    kernel.ioctl(handle, Ioctl.SET_CONFIG, config)
    kernel.board.touch(f"{CHIP}:3", True, 3)
    assert abi.EVENT.unpack(os.read(fd, abi.EVENT.size))[:2] == (3_000_000, abi.RISING)


def test_line_info_tells_direction_use_and_user(kernel: Kernel) -> None:
    kernel.lines(8, flags=LineFlag.OUTPUT)
    infos = [
        abi.LINE_INFO.unpack(
            kernel.ioctl(kernel.chip(), Ioctl.GET_LINEINFO, abi.LINE_INFO.pack(b"", b"", offset, 0, 0))
        )
        for offset in (8, 9)
    ]
    assert [(abi.text_of(name), abi.text_of(user), flags) for name, user, _, _, flags in infos] == [
        ("GPIO8", "test", LineFlag.OUTPUT | LineFlag.USED),
        ("GPIO9", "", LineFlag.INPUT),
    ]


def errno_of(kernel: Kernel, handle: int, request: int, body: bytes) -> int | None:
    with pytest.raises(OSError, match=r".") as caught:
        kernel.ioctl(handle, request, body)
    return caught.value.errno


def test_calls_that_do_not_fit_fail_with_the_kernel_s_numbers(kernel: Kernel) -> None:
    chip = kernel.chip()
    handle, _fd = kernel.lines(3)
    values = abi.VALUES.pack(1, 1)
    assert errno_of(kernel, handle, Ioctl.SET_VALUES, values) == errno.EPERM
    assert errno_of(kernel, chip, Ioctl.SET_VALUES, values) == errno.ENOTTY
    assert errno_of(kernel, 999, Ioctl.GET_VALUES, values) == errno.ENOTTY
    assert errno_of(kernel, handle, 0x1234, values) == errno.ENOTTY
    assert errno_of(kernel, handle, Ioctl.GET_VALUES, b"short") == errno.EINVAL
    info = abi.LINE_INFO.pack(b"", b"", 16, 0, 0)
    assert errno_of(kernel, chip, Ioctl.GET_LINEINFO, info) == errno.EINVAL
    with pytest.raises(OSError, match="No such file"):
        kernel.connection.call(Operation.OPEN, body=b"/dev/gpiochip7\0")
    with pytest.raises(OSError, match="not implemented"):
        kernel.connection.call(9)


def test_handles_of_a_lost_chip_stay_dead_when_it_comes_back(kernel: Kernel) -> None:
    chip = kernel.chip()
    handle, fd = kernel.lines(3)
    kernel.board.touch(f"{CHIP}:3", True, 1)
    kernel.board.lose(CHIP, 2)
    kernel.board.restore(CHIP, 3)
    assert len(os.read(fd, 100)) == abi.EVENT.size  # what was told before can still be read
    assert os.read(fd, 100) == b""
    assert errno_of(kernel, handle, Ioctl.GET_VALUES, abi.VALUES.pack(0, 1)) == errno.ENODEV
    assert errno_of(kernel, chip, Ioctl.GET_CHIPINFO, bytes(abi.CHIP_INFO.size)) == errno.ENODEV
    again, _fd = kernel.lines(3)
    kernel.connection.call(Operation.CLOSE, handle)
    assert kernel.board.user_of(f"{CHIP}:3") == "test"
    kernel.connection.call(Operation.CLOSE, again)
    assert kernel.board.user_of(f"{CHIP}:3") == ""
    kernel.board.lose(CHIP, 4)


def test_pulls_are_set_as_asked(kernel: Kernel) -> None:
    for offset, flags in enumerate((LineFlag.PULL_UP, LineFlag.PULL_DOWN, LineFlag(0))):
        kernel.lines(offset, flags=BOTH_EDGES | flags)
    assert [kernel.board.level(f"{CHIP}:{offset}") for offset in range(3)] == [True, False, False]


def test_a_silent_expander_tells_no_edges(kernel: Kernel) -> None:
    _handle, fd = kernel.lines(3)
    kernel.board.silence(CHIP, True, 0)
    kernel.board.touch(f"{CHIP}:3", True, 1)
    assert not select.select([fd], [], [], 0)[0]


# ---- clients


def test_a_client_that_ends_leaves_its_lines_free(kernel: Kernel) -> None:
    kernel.lines(3, 4)
    assert kernel.board.user_of(f"{CHIP}:3") == "test"
    kernel.connection.close()
    kernel.connection = Connection(kernel.thread.server.path)
    kernel.lines(3, 4)


def test_a_client_that_talks_nonsense_is_hung_up_on(kernel: Kernel) -> None:
    for words in (b"?", b"\0" * 100, Packet(Operation.OPEN).encode() + b"more"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.settimeout(10)
            client.connect(str(kernel.thread.server.path))
            client.send(words)
            assert client.recv(100) == b""
    assert kernel.chip() > 0


def test_the_number_of_clients_has_a_bound(kernel: Kernel) -> None:
    path = kernel.thread.server.path
    others = [Connection(path) for _ in range(CONNECTIONS_MOST - 1)]
    try:
        for other in others:
            other.call(Operation.READLINK, body=b"/sys/bus/gpio/devices/gpiochip0\0")
        late = Connection(path)
        with pytest.raises(OSError, match=r"gone|reset|Broken pipe"):
            late.call(Operation.OPEN, body=PATH)
        late.close()
    finally:
        for other in others:
            other.close()
    assert kernel.chip() > 0


def test_a_client_that_does_not_read_its_answers_stops_nobody(tmp_path: Path) -> None:
    server = GpioServer(tmp_path / "gpio", Board({CHIP: 16}))
    deaf = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    deaf.connect(str(server.path))
    deaf.setblocking(False)
    sent = 0
    try:
        while True:
            deaf.send(Packet(Operation.READLINK, body=b"/sys/bus/gpio/devices/gpiochip0\0").encode())
            sent += 1
            server.serve(0)
    except OSError:
        assert sent > 10
    deaf.close()
    server.close()


def test_nobody_listens_where_there_is_no_server(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        open_bank_at(tmp_path / "nothing")


def test_a_server_takes_the_place_of_one_that_died(tmp_path: Path) -> None:
    (tmp_path / "gpio").touch()
    server = GpioServer(tmp_path / "gpio", Board({CHIP: 16}))
    connection = Connection(tmp_path / "gpio")
    server.serve(0)
    connection.close()
    server.serve(0)
    server.close()
    assert not (tmp_path / "gpio").exists()
