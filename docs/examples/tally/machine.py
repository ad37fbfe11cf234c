"""The simulated validator of the example: its frames in front, known mechanics behind."""

from __future__ import annotations

from collections.abc import Mapping

from drivers.bill_validator.tally import TALLIES, Decoder, frame
from drivers.sim.validator import ValidatorMachine
from drivers.sim.validator.path import NotePath, PathState, Quirks, Where
from drivers.sim.validator.sheets import Sheet

BAUD = 9600
BITS = 10  # 8N1
NOTES = {1: 100, 2: 500, 3: 1000, 4: 2000, 5: 5000, 6: 10_000}  # digit -> cents
TURNAROUND_MS = 5

_STATES = {
    PathState.STARTING: "W",
    PathState.WAITING: "W",
    PathState.TESTING: "W",
    PathState.ACCEPTING: "A",
    PathState.ESCROW: "E",
    PathState.HOLDING: "E",
    PathState.LIFTING: "M",
    PathState.PUSHING: "M",
    PathState.REJECTING: "B",
    PathState.RETURNING: "B",
    PathState.CLEARING: "B",
    PathState.CHEATED: "B",
}
_POWER_UPS = {Where.NOWHERE: "P", Where.ACCEPTOR: "p", Where.STACKER: "b"}


class TallyMachine(ValidatorMachine):
    """What the laboratory asks of it stands in `ValidatorMachine`; here are its frames."""

    FAULTS: Mapping[str, str] = {
        "stands_still": "the paper stops where it is, until healed or started again",
        "ignores_stack": "the order to stack is answered and not carried out, until healed or started again",
        "never_ready": "from the next start on its self-test does not end",
        "powers_up": "every new start ends as if power had come back",
        "stays_inhibited": "it takes the order to accept, and stays inhibited",
        "refuses_accept": "it refuses the order to accept",
        "goes_on_taking": "it takes the order to inhibit, and goes on taking notes",
        "deaf": "it stops answering until it is started again",
        "healed": "ends all of them",
    }

    def __init__(self) -> None:
        self.quirks = Quirks(stacked_polls=0)
        self.path = NotePath(self.quirks)
        self._decoder = Decoder()
        self._answers: list[tuple[int, bytes]] = []
        self._accepts = False
        self._ills: set[str] = set()
        self.power_on(0)

    # ---- what the laboratory asks

    @property
    def accepts(self) -> bool:
        return self._accepts

    @property
    def condition(self) -> tuple[str, bool]:
        return self.path.state.replace("_", " "), self.path.state is PathState.POWER_UP

    @property
    def notes(self) -> tuple[int, ...]:
        return tuple(NOTES.values())

    # ---- customers

    def insert(self, cents: int, now_ms: int, *, currency: str = "USD", flaw: int = 0) -> bool:
        code = next((code for code, value in NOTES.items() if (value, "USD") == (cents, currency)), None)
        return self._feed(Sheet(cents, currency, code, flaw=flaw), now_ms)

    def insert_ticket(self, digits: str, now_ms: int) -> bool:
        return self._feed(Sheet(0, "", digits=digits), now_ms)

    def _feed(self, paper: Sheet, now_ms: int) -> bool:
        self._step(now_ms)
        return self._open and self.path.insert(paper, now_ms)

    # ---- machine

    @property
    def _open(self) -> bool:
        return self._accepts and "stays_inhibited" not in self._ills

    @property
    def wake_at(self) -> int | None:
        due = [at for at, _ in self._answers[:1]]
        if self.path.wake_at is not None:
            due.append(self.path.wake_at)
        return min(due, default=None)

    def _step(self, now_ms: int) -> None:
        self.path.step(now_ms)
        if self.path.state is PathState.VEND_VALID:
            self.path.acknowledge(now_ms)  # it waits for nobody
        if self.path.state is PathState.WAITING and "never_ready" not in self._ills:
            self.path.start_test(now_ms)

    def receive(self, data: bytes, now_ms: int) -> None:
        self._step(now_ms)
        if self.path.state is not PathState.OFF:
            for text in self._decoder.feed(data):
                self._obey(text, now_ms)

    def tick(self, now_ms: int) -> bytes:
        self._step(now_ms)
        out = b""
        while self._answers and self._answers[0][0] <= now_ms:
            out += self._answers.pop(0)[1]
        return out

    def _answer(self, text: str, now_ms: int) -> None:
        if not self.path.deaf:
            self._answers.append((now_ms + TURNAROUND_MS, frame(text)))

    def _obey(self, text: str, now_ms: int) -> None:
        path = self.path
        match text:
            case "Q":
                self._answer(self._state(), now_ms)
                if not path.deaf:
                    path.polled(now_ms)
            case "T":
                rows = (f"{code}USD{cents // 100:05}" for code, cents in NOTES.items())
                self._answer("t" + "".join(rows), now_ms)
            case "V":
                self._answer("vTALLY 1.0", now_ms)
            case "A1" if "refuses_accept" in self._ills:
                self._answer("n", now_ms)
            case "A0" | "A1":
                self._accepts = text == "A1" or "goes_on_taking" in self._ills
                self._answer("y", now_ms)
            case "S" if "ignores_stack" in self._ills:
                path.wait_for_ever()
                self._answer("y", now_ms)
            case "S":
                self._answer("y" if path.stack(now_ms, early=False) else "n", now_ms)
            case "R":
                self._answer("y" if path.give_back(now_ms) else "n", now_ms)
            case "Z":
                self._reset(now_ms)

    def _reset(self, now_ms: int) -> None:
        self._accepts = False
        self._ills -= {"stands_still", "ignores_stack"}
        self.path.stands_still = False
        self.path.reset(now_ms)
        self._answer("y", now_ms)
        if "powers_up" in self._ills:
            self.path.powers_up()

    def _state(self) -> str:
        path = self.path
        if path.state is PathState.POWER_UP:
            letter = _POWER_UPS[path.where]
        elif path.state is PathState.IDLE:
            letter = "O" if self._open else "I"
        else:
            letter = _STATES[path.state]
        code = path.paper.code if path.paper is not None else None
        return f"q{letter}{path.stacked.count % TALLIES:03}{code or 0}"

    # ---- power and trouble

    def power_off(self, now_ms: int) -> None:
        self._step(now_ms)
        self.path.power_off()
        self._accepts = False
        self._answers.clear()
        self._decoder.give_up()

    def power_on(self, now_ms: int) -> None:
        self.path.power_on()

    def inject(self, fault: str, now_ms: int) -> None:
        self._step(now_ms)
        match fault:
            case "stands_still":
                self.path.stand_still(now_ms)
            case "deaf":
                self.path.deaf = True
            case "healed":
                self._ills.clear()
                self.path.deaf = False
                self.path.move_again(now_ms)
            case "never_ready":
                self._ills.add(fault)
                self._accepts = False
                self.path.restart(now_ms)
            case _:
                self._ills.add(fault)


MACHINE = TallyMachine


def make(_baud: int, _currency: str) -> TallyMachine:
    """As a cabinet has it."""
    return TallyMachine()
