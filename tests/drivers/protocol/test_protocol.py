"""Checksums, one request in flight, faults raised once, the frame log."""

from __future__ import annotations

from drivers.device import DeviceEvent, Fault, FaultCleared, FaultRaised
from drivers.protocol.crc import crc16_kermit
from drivers.protocol.exchange import Exchange, ReplyVerdict
from drivers.protocol.faults import FaultBook
from drivers.protocol.framelog import FRAMES, FrameLog


def test_kermit_has_its_published_check_value() -> None:
    assert crc16_kermit(b"123456789") == 0x2189
    assert crc16_kermit(b"") == 0


def new_exchange() -> Exchange[str]:
    return Exchange(answer_ms=300, gap_ms=10, rest_ms=200)


def state(exchange: Exchange[str]) -> tuple[str | None, bool, int | None]:
    return exchange.request, exchange.busy, exchange.wake_at


def test_an_answer_frees_the_line_after_a_gap() -> None:
    exchange = new_exchange()
    exchange.begin("poll", b"P", 1000)
    assert state(exchange) == ("poll", True, 1300)
    assert not exchange.overdue(1299)
    exchange.finish(1020)
    assert state(exchange) == (None, False, None)
    assert exchange.free_at == 1030


def test_a_request_without_answer_is_given_up_and_the_line_rests() -> None:
    exchange = new_exchange()
    exchange.begin("stack", b"S", 0)
    assert exchange.tick(299) is ReplyVerdict.WAIT
    assert exchange.overdue(300)
    assert exchange.tick(300) is ReplyVerdict.GIVEN_UP
    assert (exchange.busy, exchange.free_at) == (False, 500)
    assert exchange.tick(600) is ReplyVerdict.WAIT


def test_a_repeatable_request_is_sent_again_after_the_rest() -> None:
    exchange = new_exchange()
    exchange.begin("reset", b"R", 0, attempts=2)
    assert exchange.tick(300) is ReplyVerdict.NO_ANSWER
    assert state(exchange) == (None, True, 500), "what comes while the line rests answers nothing"
    assert exchange.tick(499) is ReplyVerdict.WAIT
    assert exchange.tick(500) is ReplyVerdict.RESEND
    assert exchange.data == b"R"
    exchange.sent_again(500)
    assert state(exchange) == ("reset", True, 800)
    assert exchange.tick(800) is ReplyVerdict.GIVEN_UP


def test_one_way_bytes_and_a_lost_line() -> None:
    exchange = new_exchange()
    exchange.one_way(50)
    assert exchange.free_at == 60
    exchange.begin("poll", b"P", 60)
    exchange.drop()
    assert (exchange.busy, exchange.free_at) == (False, 0)


def test_a_fault_is_raised_once_and_cleared_once() -> None:
    events: list[DeviceEvent] = []
    book = FaultBook("v1", events.append)
    assert not book
    book.raise_(Fault.JAM, "in the acceptor", 5)
    book.raise_(Fault.JAM, "in the acceptor", 6)
    book.keep(Fault.JAM, "for 6 ms", 6)
    assert Fault.JAM in book
    assert book
    book.raise_(Fault.JAM, "in the stacker", 7)
    book.clear(Fault.JAM, 8)
    book.clear(Fault.JAM, 9)
    assert events == [
        FaultRaised("v1", 5, Fault.JAM, "in the acceptor"),
        FaultCleared("v1", 7, Fault.JAM),
        FaultRaised("v1", 7, Fault.JAM, "in the stacker"),
        FaultCleared("v1", 8, Fault.JAM),
    ]


def test_a_status_with_one_fault_clears_the_others_of_its_kind() -> None:
    events: list[DeviceEvent] = []
    book = FaultBook("v1", events.append)
    kind = (Fault.JAM, Fault.STACKER_OPEN)
    book.raise_(Fault.LINK_LOST, "", 0)
    book.only(Fault.JAM, "stuck", kind, 1)
    book.only(Fault.STACKER_OPEN, "", kind, 2)
    book.only(None, "", kind, 3)
    assert [type(event).__name__ for event in events] == [
        "FaultRaised", "FaultRaised", "FaultCleared", "FaultRaised", "FaultCleared",
    ]  # fmt: skip
    assert Fault.LINK_LOST in book


def test_the_log_keeps_the_last_frames_and_words_them_when_asked() -> None:
    log = FrameLog(lambda data, sent: f"{'to' if sent else 'from'} {data.hex()}")
    for number in range(FRAMES + 3):
        log.add(number, number % 2 == 0, bytes((number,)))
    frames = log.frames()
    assert len(frames) == FRAMES
    assert frames[0].at_ms == 3
    assert frames[-1].meaning == f"to {FRAMES + 2:02x}"
