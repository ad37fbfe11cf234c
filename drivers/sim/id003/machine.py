"""A simulated ID-003 bill validator: frames in front, ``NotePath`` mechanics behind.

POWER UP until RESET; settings are lost at RESET and at a power cut; INITIALIZE until the inhibit
setting has come, then a self-test; VEND VALID until ACK. ``stacked_cents`` and the lists of the
mechanics are the machine's own books, to be compared with what a host believes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drivers.bill_validator.id003.codec import (
    FIRST_NOTE_CODE,
    MASKED_NOTES,
    TICKET_CODE,
    Command,
    Decoder,
    Id003Message,
    Status,
    frame,
)
from drivers.sim.id003.paper import CurrencyEntry, rows_of, usd_rows
from drivers.sim.validator import ValidatorMachine
from drivers.sim.validator.path import NotePath, PathState, Quirks, Where
from drivers.sim.validator.sheets import Sheet

BAUD = 9600
BITS = 11  # 8E1
VERSION = b"i(USA)100-SS ID003-05V280-42 01AUG17 964D"
BOOT_VERSION = b"B05 "
PAUSE_MS = 3_000  # until the second document is taken out again
BACKLOG_BYTES = 1024  # answers that wait for their time; a host has one request in flight
COMMANDS_KEPT = 1000

_STATUS = {
    PathState.STARTING: Status.POWER_UP,
    PathState.WAITING: Status.INITIALIZE,
    PathState.TESTING: Status.INITIALIZE,
    PathState.ACCEPTING: Status.ACCEPTING,
    PathState.ESCROW: Status.ESCROW,
    PathState.HOLDING: Status.HOLDING,
    PathState.LIFTING: Status.STACKING,
    PathState.PUSHING: Status.STACKING,
    PathState.VEND_VALID: Status.VEND_VALID,
    PathState.STACKED: Status.STACKED,
    PathState.REJECTING: Status.REJECTING,
    PathState.RETURNING: Status.RETURNING,
    PathState.CLEARING: Status.RETURNING,
    PathState.CHEATED: Status.CHEATED,
}
_POWER_UP = {
    Where.NOWHERE: Status.POWER_UP,
    Where.ACCEPTOR: Status.POWER_UP_IN_ACCEPTOR,
    Where.STACKER: Status.POWER_UP_IN_STACKER,
}
_READ_BACK = {
    0x80: Command.DENOMINATION,
    0x81: Command.SECURITY,
    0x82: Command.MODE,
    0x83: Command.INHIBIT,
    0x84: Command.DIRECTION,
    0x85: Command.OPTION,
    0x86: Command.BARCODE,
    0x87: Command.BAR_INHIBIT,
}
_TROUBLE = frozenset(
    {
        Status.POWER_UP, Status.POWER_UP_IN_ACCEPTOR, Status.POWER_UP_IN_STACKER, Status.STACKER_FULL,
        Status.STACKER_OPEN, Status.JAM_IN_ACCEPTOR, Status.JAM_IN_STACKER, Status.PAUSE, Status.CHEATED,
        Status.FAILURE,
    }
)  # fmt: skip
_TICKET_SETTINGS = (Command.BARCODE, Command.BAR_INHIBIT)


class _Path(NotePath):
    """Mechanics that ask the settings."""

    def __init__(self, quirks: Quirks, settings: Mapping[int, bytes]) -> None:
        super().__init__(quirks)
        self._settings = settings

    def forbidden(self, paper: Sheet) -> bool:
        if self._settings.get(Command.INHIBIT) != b"\x00" and not self.quirks.reads_on:
            return True
        bar = self._settings.get(Command.BAR_INHIBIT, b"\x00")[0]
        if paper.digits:
            return bool(bar & 2) or not self.quirks.knows_tickets
        if bar & 1:
            return True
        if paper.code is None or not self.quirks.obeys_denominations:
            return False
        place = paper.code - FIRST_NOTE_CODE
        mask = int.from_bytes(self._settings.get(Command.DENOMINATION, b"\xff\xff"), "little")
        return place < MASKED_NOTES and bool(mask >> place & 1)


class Id003Machine(ValidatorMachine):
    """See the module."""

    FAULTS: Mapping[str, str] = {
        "jam_acceptor": "the paper sticks in the acceptor now",
        "jam_stacker": "the paper sticks in the stacker now",
        "jam_cleared": "a person takes the stuck paper out; RESET is still needed",
        "box_out": "the cash box is taken out",
        "box_in": "the cash box is put back",
        "box_full": "the cash box has no room",
        "box_emptied": "the notes are taken out of the cash box",
        "cheat": "the next note is pulled back while it is stacked",
        "pause": "a second document is held into the entrance for 3 s",
        "failure": "the stacker motor fails",
        "repaired": "the failure is mended; the device restarts itself",
        "mute": "it stops answering",
        "unmute": "it answers again",
        "refuse": "the next command is answered INVALID COMMAND",
        "misheard": "the next command is answered COMMUNICATION ERROR",
        "restart": "it restarts itself: INITIALIZE, settings lost",
        "stands_still": "the paper stops where it is; the status stays what it is until healed or RESET",
        "ignores_stack": "STACK is acknowledged and not carried out, until healed or RESET",
        "never_ready": "from the next start on its self-test does not end",
        "powers_up": "every RESET is followed by POWER UP again",
        "stays_inhibited": "it takes the order to accept, and stays inhibited",
        "refuses_accept": "the order to accept is answered INVALID COMMAND",
        "echoes_wrongly": "the order to accept is answered with other data, and not carried out",
        "goes_on_taking": "it takes the order to inhibit, and goes on taking notes",
        "deaf": "it stops answering until RESET",
        "healed": "ends all of them",
    }

    def __init__(
        self,
        *,
        rows: Sequence[CurrencyEntry] | None = None,
        quirks: Quirks | None = None,
        version: bytes = VERSION,
        powered: bool = True,
    ) -> None:
        self.quirks = quirks or Quirks()
        self.rows = tuple(usd_rows() if rows is None else rows)
        self.settings: dict[int, bytes] = {}
        self.path: _Path = _Path(self.quirks, self.settings)
        self.commands: list[int] = []  # codes heard since power-up, the last COMMANDS_KEPT, for tests
        self._version = version
        self._decoder = Decoder()
        self._bad_before = 0
        self._answers: list[tuple[int, bytes]] = []
        self._mute = False
        self._once = ""  # "refuse" or "misheard"
        self._ills: set[str] = set()  # habits of a broken unit, until "healed"
        self._announced: int | None = None  # status that an ENQ has told of
        if powered:
            self.power_on(0)

    # ---- what the laboratory asks

    @property
    def accepts(self) -> bool:
        return self.settings.get(Command.INHIBIT) == b"\x00"

    @property
    def condition(self) -> tuple[str, bool]:
        status = Status(self.status()[0])
        return status.name.replace("_", " ").lower(), status in _TROUBLE

    @property
    def notes(self) -> tuple[int, ...]:
        return tuple(row.cents for row in self.rows if row.base)

    @property
    def settings_count(self) -> int:
        return len(self.settings)

    # ---- customers

    def insert(self, cents: int, now_ms: int, *, currency: str = "USD", flaw: int = 0) -> bool:
        """Feed a note; False if the machine does not draw it in. ``flaw`` is a reject reason."""
        self.path.step(now_ms)
        known = (row.code for row in self.rows if row.base and (row.cents, row.currency) == (cents, currency))
        return self._feed(Sheet(cents, currency, next(known, None), flaw=flaw), now_ms)

    def insert_ticket(self, digits: str, now_ms: int) -> bool:
        self.path.step(now_ms)
        return self._feed(Sheet(0, "", TICKET_CODE, digits=digits), now_ms)

    def _feed(self, paper: Sheet, now_ms: int) -> bool:
        if not self._open:
            return False
        return self.path.insert(paper, now_ms)

    # ---- machine

    @property
    def wake_at(self) -> int | None:
        path_at = self.path.wake_at
        if not self._answers:
            return path_at
        answer_at = self._answers[0][0]
        return answer_at if path_at is None or answer_at < path_at else path_at

    def receive(self, data: bytes, now_ms: int) -> None:
        path = self.path
        path.step(now_ms)
        if path.state is PathState.OFF:
            return
        for message in self._decoder.feed(data):
            self._obey(message, now_ms)
        if self._decoder.bad_checksums != self._bad_before:
            self._bad_before = self._decoder.bad_checksums
            if self.quirks.bad_checksum == "error":
                self._answer(Status.COMMUNICATION_ERROR, now_ms)

    def tick(self, now_ms: int) -> bytes:
        path = self.path
        path.step(now_ms)
        mode = self.settings.get(Command.MODE)
        if mode is not None and mode != b"\x00" and path.state is not PathState.OFF:
            self._announce(now_ms)
        out = b""
        while self._answers and self._answers[0][0] <= now_ms:
            out += self._answers.pop(0)[1]
        return out

    def _announce(self, now_ms: int) -> None:
        """Interrupt mode: one ENQ for each change of status."""
        status = self.status()[0]
        if status != self._announced:
            self._announced = status
            self._answers.append((now_ms, frame(Status.ENQ)))

    def _answer(self, code: int, now_ms: int, data: bytes = b"") -> None:
        if self._mute or (self.path.deaf and code != Status.ACK):
            return
        if not self._answers or sum(len(answer) for _, answer in self._answers) < BACKLOG_BYTES:
            self._answers.append((now_ms + self.quirks.turnaround_ms, frame(code, data)))

    def status(self) -> tuple[int, bytes]:
        """Code and data of the present status."""
        path = self.path
        if path.state is PathState.IDLE and not path.blocked:
            return self._idle_status(), b""
        if path.state is PathState.POWER_UP:
            return _POWER_UP[path.where], b""
        if path.state in (PathState.STARTING, PathState.WAITING, PathState.TESTING):
            return _STATUS[path.state], b""
        if path.paused:
            return Status.PAUSE, b""
        if path.failure:
            return Status.FAILURE, bytes((path.failure,))
        if path.jam is not Where.NOWHERE:
            return Status.JAM_IN_STACKER if path.jam is Where.STACKER else Status.JAM_IN_ACCEPTOR, b""
        if path.box_open:
            return Status.STACKER_OPEN, b""
        if path.says_vend_valid:
            return Status.VEND_VALID, b"\x61" if self.quirks.vend_data else b""
        match path.state:
            case PathState.ESCROW:
                assert path.paper is not None
                assert path.paper.code is not None
                return Status.ESCROW, bytes((path.paper.code,)) + path.paper.digits.encode("ascii")
            case PathState.REJECTING:
                return Status.REJECTING, bytes((path.reason,))
            case state:
                return _STATUS[state], b""

    def _idle_status(self) -> int:
        if self.path.box_is_full:
            return Status.STACKER_FULL
        return Status.IDLING if self._open else Status.INHIBITED

    @property
    def _open(self) -> bool:
        """The rollers would draw a document in."""
        if "stays_inhibited" in self._ills:
            return False
        inhibit = self.settings.get(Command.INHIBIT)
        return inhibit == b"\x00" or (inhibit is not None and "goes_on_taking" in self._ills)

    def _obey(self, message: Id003Message, now_ms: int) -> None:
        path, code = self.path, message.code
        self.commands.append(code)
        if len(self.commands) > COMMANDS_KEPT:
            del self.commands[0]
        if self._once and code != Command.ACK:
            self._answer(
                Status.INVALID_COMMAND if self._once == "refuse" else Status.COMMUNICATION_ERROR, now_ms
            )
            self._once = ""
            return
        match code:
            case Command.STATUS_REQUEST:
                status, data = self.status()
                if path.unseen(now_ms):
                    status, data = self._idle_status(), b""
                self._announced = status
                self._answer(status, now_ms, data)
                if not self._mute and not path.deaf:
                    path.polled(now_ms)
            case Command.ACK:
                path.acknowledge(now_ms)
            case Command.RESET:
                self.settings.clear()
                self._ills -= {"stands_still", "ignores_stack"}
                path.stands_still = False
                path.reset(now_ms)
                self._answer(Status.ACK, now_ms)
                if "powers_up" in self._ills:
                    path.powers_up()
            case Command.STACK_1 | Command.STACK_2 if "ignores_stack" in self._ills:
                path.wait_for_ever()
                self._answer(Status.ACK, now_ms)
            case Command.STACK_1 | Command.STACK_2:
                self._order(path.stack(now_ms, early=code == Command.STACK_1), now_ms)
            case Command.RETURN:
                self._order(path.give_back(now_ms), now_ms)
            case Command.HOLD:
                self._order(path.hold(now_ms), now_ms)
            case Command.VERSION:
                self._answer(code, now_ms, self._version)
            case Command.BOOT_VERSION:
                self._answer(code, now_ms, BOOT_VERSION)
            case Command.CURRENCY:
                self._answer(code, now_ms, b"".join(row.packed() for row in self.rows))
            case _ if code in _READ_BACK and _READ_BACK[code] in self.settings:
                self._answer(code, now_ms, self.settings[_READ_BACK[code]])
            case Command.INHIBIT if message.data == b"\x00" and "refuses_accept" in self._ills:
                self._answer(Status.INVALID_COMMAND, now_ms)
            case Command.INHIBIT if message.data == b"\x00" and "echoes_wrongly" in self._ills:
                self._answer(code, now_ms, b"\x01")
            case _ if self._settable(code):
                self.settings[code] = message.data
                self._answer(code, now_ms, message.data)
                if code == Command.INHIBIT and "never_ready" not in self._ills:
                    path.start_test(now_ms)
            case _:
                self._answer(Status.INVALID_COMMAND, now_ms)

    def _settable(self, code: int) -> bool:
        if self.path.state is PathState.POWER_UP:
            return False
        if code in _TICKET_SETTINGS and not self.quirks.knows_tickets:
            return False
        return Command.DENOMINATION <= code <= Command.BAR_INHIBIT

    def _order(self, taken: bool, now_ms: int) -> None:
        self._answer(Status.ACK if taken else Status.INVALID_COMMAND, now_ms)

    # ---- power and trouble

    def power_off(self, now_ms: int) -> None:
        self.path.step(now_ms)
        self.path.power_off()
        self.settings.clear()
        self._answers.clear()
        self._decoder.give_up()
        self._bad_before = self._decoder.bad_checksums
        self._announced = None
        self._once = ""

    def power_on(self, now_ms: int) -> None:
        if self.path.state is PathState.OFF:
            self.path.power_on()
            self.commands.clear()
            if self.quirks.zeros_at_power_up:
                self._answers.append((now_ms, b"\x00\x00"))

    def inject(self, fault: str, now_ms: int) -> None:
        """One of FAULTS; KeyError for any other name."""
        path = self.path
        path.step(now_ms)
        match fault:
            case "jam_acceptor" | "jam_stacker":
                path.block(now_ms)
                path.jam = Where.ACCEPTOR if fault == "jam_acceptor" else Where.STACKER
                path.jam_held = True
            case "jam_cleared":
                path.clear_jam()
            case "box_out":
                path.block(now_ms)
                path.box_open = True
            case "box_in":
                path.box_back(now_ms)
            case "box_full":
                path.box_is_full = True
            case "box_emptied":
                path.cash_box.clear()
                path.box_is_full = False
            case "cheat":
                path.cheat_next = True
            case "pause":
                path.block(now_ms)
                path.paused_until_ms = now_ms + PAUSE_MS
            case "failure":
                path.block(now_ms)
                path.failure = 0xA2
            case "repaired" | "restart":
                path.failure = 0
                self.settings.clear()
                path.restart(now_ms)
            case "mute" | "unmute":
                self._mute = fault == "mute"
            case "refuse" | "misheard":
                self._once = fault
            case "deaf":
                path.deaf = True
            case "healed":
                self._ills.clear()
                path.deaf = False
                path.move_again(now_ms)
            case "never_ready":
                self._ills.add(fault)
                if path.state is not PathState.OFF:
                    self.settings.clear()
                    path.restart(now_ms)
            case "stands_still":
                path.stand_still(now_ms)
            case (
                "ignores_stack"
                | "powers_up"
                | "stays_inhibited"
                | "refuses_accept"
                | "echoes_wrongly"
                | "goes_on_taking"
            ):
                self._ills.add(fault)
            case _:
                raise KeyError(fault)


MACHINE = Id003Machine  # the simulated device of the driver of the same name, for the contract tests


def make(_baud: int, currency: str) -> Id003Machine:
    """As a cabinet with this currency has it."""
    return Id003Machine(rows=rows_of(currency))
