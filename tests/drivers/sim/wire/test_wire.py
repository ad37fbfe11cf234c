"""The wire: paced to the microsecond, and broken in every way that a wire breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from drivers.device import Fault
from drivers.link import OUTGOING_LIMIT_BYTES, Link, LinkError, OpenLink, SerialSettings
from drivers.sim.wire.transport import BUFFER_LIMIT_BYTES, MemoryTransport, PtyTransport
from drivers.sim.wire.wire import FarEnd, memory_wire, patch_bay, pty_wire


class Parrot:
    """Says back what it hears, after ``delay_ms``."""

    FAULTS: Mapping[str, str] = {"hoarse": "it says nothing"}

    def __init__(self, delay_ms: int = 3) -> None:
        self.delay_ms = delay_ms
        self.heard: list[tuple[int, bytes]] = []
        self.hoarse = False
        self._answers: list[tuple[int, bytes]] = []

    @property
    def wake_at(self) -> int | None:
        return self._answers[0][0] if self._answers else None

    def receive(self, data: bytes, now_ms: int) -> None:
        self.heard.append((now_ms, data))
        if not self.hoarse:
            self._answers.append((now_ms + self.delay_ms, data))

    def say(self, data: bytes, at_ms: int) -> None:
        self._answers.append((at_ms, data))

    def tick(self, now_ms: int) -> bytes:
        out = b""
        while self._answers and self._answers[0][0] <= now_ms:
            out += self._answers.pop(0)[1]
        return out

    def inject(self, fault: str, now_ms: int) -> None:
        self.hoarse = True

    def power_off(self, now_ms: int) -> None:
        self._answers.clear()

    def power_on(self, now_ms: int) -> None:
        pass


class Host:
    """A program at the near end: writes when told, notes when bytes come."""

    def __init__(self, open_link: OpenLink, far_end: FarEnd, settings: SerialSettings) -> None:
        self.far_end = far_end
        self.open_link = open_link
        self.settings = settings
        self.link: Link = open_link(settings)
        self.now_ms = 0
        self.got: list[tuple[int, bytes]] = []

    def run(self, until_ms: int) -> None:
        while True:
            self.far_end.tick(self.now_ms)
            data = self.link.read()
            if data:
                self.got.append((self.now_ms, data))
            self.far_end.tick(self.now_ms)
            due = self.far_end.wake_at
            if due is None or due > until_ms:
                self.now_ms = until_ms
                return
            self.now_ms = max(due, self.now_ms)

    def send(self, data: bytes) -> None:
        self.link.write(data)
        self.far_end.tick(self.now_ms)

    @property
    def bytes_got(self) -> bytes:
        return b"".join(data for _, data in self.got)


@pytest.fixture(params=["memory", "pty"])
def parts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Parrot, Host]]:
    parrot = Parrot()
    path = str(tmp_path / "port")
    if request.param == "memory":
        open_link, far_end = memory_wire(parrot, baud=9600, seed=1)
    else:
        open_link, far_end = pty_wire(parrot, path, baud=9600, seed=1)
    host = Host(open_link, far_end, SerialSettings(path, 9600, parity="E"))
    yield parrot, host
    host.link.close()
    far_end.close()


# ---- time on the line


def test_eleven_bits_take_their_time(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.send(b"hello")
    host.run(100)
    # 5 bytes of 11 bits at 9600 baud take 5.73 ms, there and back, with 3 ms to think.
    assert parrot.heard == [(6, b"hello")]
    assert host.got == [(15, b"hello")]


def test_a_wire_with_news_tells_whoever_wakes_the_host(parts: tuple[Parrot, Host]) -> None:
    _, host = parts
    host.send(b"hello")
    host.run(14)
    told = [host.far_end.news]
    host.run(15)
    told.append(host.far_end.news)
    host.far_end.news = False
    host.far_end.unplug(20)
    told.append(host.far_end.news)
    assert told == [False, True, True]


def test_long_bursts_come_in_chunks_of_a_fifo_and_lose_no_time_between(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.send(bytes(range(100)))
    host.run(1000)
    assert [len(data) for _, data in parrot.heard] == [16] * 6 + [4]
    assert parrot.heard[-1][0] == 115, "100 bytes take 114.6 ms"
    assert host.bytes_got == bytes(range(100))


def test_what_is_written_later_waits_for_the_line(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.send(b"12345")
    host.run(2)
    host.send(b"67890")
    host.run(100)
    assert parrot.heard == [(6, b"12345"), (12, b"67890")]


def test_late_ticks_find_everything_done_in_its_order() -> None:
    parrot = Parrot()
    open_link, far_end = memory_wire(parrot, baud=9600)
    link = open_link(SerialSettings("p", 9600))
    link.write(b"hello")
    far_end.tick(0)
    far_end.tick(500)
    assert parrot.heard == [(6, b"hello")]
    assert link.read() == b"hello"


def test_a_machine_that_asks_for_the_same_instant_again_stops_nothing() -> None:
    class Restless(Parrot):
        @property
        def wake_at(self) -> int | None:
            return 0

    machine = Restless()
    _, far_end = memory_wire(machine, baud=9600)
    far_end.tick(10)
    far_end.tick(20)
    assert far_end.wake_at == 0


# ---- one-time faults


def test_lost_answers_and_lost_requests(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.far_end.inject("lost", 0)
    host.send(b"one")
    host.run(100)
    assert parrot.heard
    assert not host.got
    host.far_end.inject("lost_request", 100)
    host.send(b"two")
    host.run(200)
    assert len(parrot.heard) == 1
    host.send(b"three")
    host.run(300)
    assert host.bytes_got == b"three"


def test_garbled_bytes_differ_in_one_bit(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.far_end.inject("garbled", 0)
    host.far_end.inject("garbled_request", 0)
    host.send(b"\0\0\0")
    host.run(100)
    heard = int.from_bytes(parrot.heard[0][1])
    assert heard.bit_count() == 1
    assert (heard ^ int.from_bytes(host.bytes_got)).bit_count() == 1


def test_delayed_split_and_glued_answers(parts: tuple[Parrot, Host]) -> None:
    _, host = parts
    host.far_end.inject("delayed", 0)
    host.send(b"late")
    host.run(1000)
    assert host.got == [(413, b"late")]
    host.got.clear()
    host.far_end.inject("split", 1000)
    host.send(b"halves")
    host.run(2000)
    assert [data for _, data in host.got] == [b"hal", b"ves"]
    assert host.got[1][0] - host.got[0][0] == 60
    host.got.clear()
    host.far_end.inject("glued", 2000)
    host.send(b"first")
    host.run(3000)
    assert not host.got
    host.send(b"second")
    host.run(4000)
    assert [data for _, data in host.got] == [b"firstsecond"]


def test_noise_reaches_the_host_by_itself(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.far_end.inject("noise", 0)
    host.run(100)
    assert 1 <= len(host.bytes_got) <= 12
    assert not parrot.heard


# ---- states of the wire


def test_a_silent_wire_and_an_echo_last_until_mended(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.far_end.inject("silent", 0)
    host.send(b"hello")
    host.run(100)
    assert not parrot.heard
    assert not host.got
    host.far_end.inject("echo", 100)
    host.send(b"hello")
    host.run(200)
    assert not parrot.heard
    assert host.bytes_got == b"hello"
    parrot.say(b"unheard", 210)
    host.run(300)
    host.far_end.inject("mend", 300)
    host.send(b"again")
    host.run(400)
    assert host.bytes_got == b"helloagain"


def test_a_machines_own_faults_go_to_the_machine_and_unknown_names_are_refused(
    parts: tuple[Parrot, Host],
) -> None:
    parrot, host = parts
    host.far_end.inject("hoarse", 0)
    assert parrot.hoarse
    with pytest.raises(KeyError):
        host.far_end.inject("gremlins", 0)


def test_unplug_kills_the_link_and_replug_makes_a_new_one(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.send(b"on the line")
    host.far_end.inject("unplug", 1)
    host.far_end.unplug(1)
    with pytest.raises(LinkError, match="unplugged"):
        host.link.read()
    with pytest.raises(LinkError):
        host.link.write(b"x")
    with pytest.raises(LinkError, match="does not exist") as caught:
        host.open_link(host.settings)
    assert caught.value.fault is Fault.PORT_MISSING
    parrot.say(b"nobody listens", 2)
    host.far_end.tick(100)
    assert not parrot.heard, "what was on the line is lost"
    host.far_end.inject("replug", 100)
    host.far_end.replug(100)
    host.link.close()
    host.link = host.open_link(host.settings)
    host.now_ms = 100
    host.send(b"hello")
    host.run(200)
    assert host.bytes_got == b"hello"


def test_a_power_cut_can_take_the_bytes_in_flight(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.send(b"hello")
    host.far_end.drop_in_flight()
    host.run(100)
    assert not parrot.heard
    assert host.far_end.wake_at is None


def test_one_opener_at_a_time_and_a_dead_program_frees_the_port(parts: tuple[Parrot, Host]) -> None:
    _, host = parts
    with pytest.raises(LinkError, match="in use"):
        host.open_link(host.settings)
    if isinstance(host.far_end.transport, MemoryTransport):
        host.far_end.transport.host_gone()
        host.far_end.transport.host_gone()
    else:
        host.link.close()
    assert host.open_link(host.settings).read() == b""


def test_bytes_for_a_closed_port_are_lost(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    host.link.close()
    parrot.say(b"hello?", 10)
    host.far_end.tick(100)
    host.link = host.open_link(host.settings)
    assert host.link.read() == b""


def test_an_input_buffer_that_nobody_reads_overflows(parts: tuple[Parrot, Host]) -> None:
    parrot, host = parts
    for at in range(1000):
        parrot.say(bytes(16), at)
    host.far_end.tick(60_000)
    first = host.link.read()
    assert first
    assert set(first) == {0}
    if isinstance(host.far_end.transport, MemoryTransport):
        assert len(first) == BUFFER_LIMIT_BYTES


# ---- flow control


@pytest.fixture(params=["memory", "pty"])
def flow(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Parrot, Host]]:
    parrot = Parrot()
    parrot.hoarse = True
    path = str(tmp_path / "port")
    if request.param == "memory":
        open_link, far_end = memory_wire(parrot, baud=9600, xonxoff=True)
    else:
        open_link, far_end = pty_wire(parrot, path, baud=9600, xonxoff=True)
    host = Host(open_link, far_end, SerialSettings(path, 9600, xonxoff=True))
    yield parrot, host
    host.link.close()
    far_end.close()


def test_xoff_stops_the_host_within_a_chunk_and_xon_starts_it(flow: tuple[Parrot, Host]) -> None:
    parrot, host = flow
    host.send(bytes(64))
    parrot.say(b"\x13", 20)
    host.run(500)
    assert sum(len(data) for _, data in parrot.heard) == 32, "the chunk that was under way still comes"
    assert host.got == [], "flow control is not data"
    host.link.write(b"more")
    assert host.link.pending == 4
    parrot.say(b"ok\x11", 600)
    host.run(1000)
    assert host.bytes_got == b"ok"
    assert host.link.pending == 0
    assert b"".join(data for _, data in parrot.heard) == bytes(64) + b"more"


def test_a_host_without_flow_control_gets_both_bytes_as_data(tmp_path: Path) -> None:
    parrot = Parrot()
    open_link, far_end = memory_wire(parrot, baud=9600, xonxoff=True)
    host = Host(open_link, far_end, SerialSettings("p", 9600))
    parrot.say(b"\x13\x11", 5)
    host.run(100)
    assert host.bytes_got == b"\x13\x11"


def test_a_stopped_memory_link_is_bounded() -> None:
    parrot = Parrot()
    open_link, far_end = memory_wire(parrot, baud=9600, xonxoff=True)
    host = Host(open_link, far_end, SerialSettings("p", 9600, xonxoff=True))
    parrot.say(b"\x13", 5)
    host.run(100)
    host.link.write(bytes(OUTGOING_LIMIT_BYTES))
    with pytest.raises(LinkError, match="takes no more bytes"):
        host.link.write(b"x")


# ---- helpers


def test_a_patch_bay_finds_the_wire_by_the_name_of_the_port() -> None:
    first, second = MemoryTransport(), MemoryTransport()
    bay = patch_bay({"a": first.open_link, "b": second.open_link})
    bay(SerialSettings("b", 9600))
    assert first.link is None
    assert second.link is not None
    with pytest.raises(LinkError, match="port c does not exist"):
        bay(SerialSettings("c", 9600))


def test_a_pty_is_reached_by_a_stable_name_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "validator1"
    transport = PtyTransport(str(path))
    first = path.readlink()
    assert transport.fileno() is not None
    transport.replug()
    assert path.readlink() == first, "plugged already"
    transport.unplug()
    assert not path.is_symlink()
    assert transport.take() == b""
    transport.deliver(b"x")
    assert not transport.host_obeys_xonxoff()
    assert transport.fileno() is None
    transport.replug()
    assert path.is_symlink()
    transport.host_gone()
    transport.close()
    transport.close()
    assert list(tmp_path.iterdir()) == []


def test_a_memory_wire_has_nothing_to_wait_on() -> None:
    open_link, far_end = memory_wire(Parrot(), baud=9600)
    assert far_end.fileno() is None
    assert open_link(SerialSettings("p", 9600)).fileno() is None
    far_end.close()
