"""The loop in real time: read, decide, draw, sleep. What runs in it is `cabinet.program.runtime`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cabinet.program.runtime import RealClock, Runtime


class Screen(Protocol):
    """What the loop needs of a screen: its own schedule of frames, and drawing."""

    def due(self) -> bool:
        """Whether a frame is due now; asked once per turn of the loop."""
        ...

    def wait_ms(self) -> float:
        """How long the loop may sleep until the next frame."""
        ...

    def frame(self, now_ms: int) -> object:
        """Draw what has changed up to `now_ms`."""
        ...


class Surroundings(Protocol):
    """What surrounds the cabinet in the lab: simulated devices, people. None of it in the field."""

    @property
    def wake_at(self) -> int | None: ...
    def tick(self, now_ms: int) -> None: ...
    def descriptors(self) -> list[int]: ...


def loop(
    runtime: Runtime,
    clock: RealClock,
    *,
    screen: Screen | None = None,
    world: Surroundings | None = None,
    until: Callable[[int], bool] = lambda _now_ms: False,
    heartbeat: Callable[[int], None] | None = None,
) -> None:
    """Run in real time until `until` says so. Never late by its own doing: each turn reads, decides,
    draws a frame when one is due, then sleeps until input comes or something is due."""
    while True:
        now_ms = clock.now_ms()
        if world is not None:
            world.tick(now_ms)
        runtime.step(now_ms)
        if world is not None:
            world.tick(now_ms)  # the wires take up what the drivers have just written
        if heartbeat is not None:
            heartbeat(now_ms)
        if until(now_ms):
            return
        if screen is not None and screen.due():
            screen.frame(now_ms)
        wakes = [runtime.wake_at(now_ms)]
        descriptors = runtime.descriptors()
        if screen is not None:
            wakes.append(clock.now_ms() + int(screen.wait_ms()) + 1)
        if world is not None:
            wakes.append(now_ms + 1000 if world.wake_at is None else world.wake_at)
            descriptors += world.descriptors()
        clock.wait(descriptors, min(wakes))
