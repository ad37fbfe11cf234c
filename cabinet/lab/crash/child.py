"""The evening that is crashed, in a process of its own that can be traced, starved and refused.

It says ``ack N`` at each point and ``digest D`` at the end. When the storage fails it says ``tilt TEXT``,
then for each validator whether it still takes notes, then starts again on the same disk and the same
devices, and tells what is wrong in the end. ``refused TEXT``: the start found the storage failed, and is
tried again.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
from pathlib import Path

from cabinet.lab.crash.cut import Bytes, CrashScene, Cut, Plug, aftermath, strike
from cabinet.lab.crash.evening import Life
from cabinet.lab.crash.play import CrashOptions, open_scene, scratch_folder
from cabinet.lab.crash.watch import COMMIT_MS
from cabinet.store import schema
from cabinet.store.journal import JournalError
from cabinet.store.second_copy import SecondCopyError

TILT_MS = 8_000  # of virtual time: a note in escrow has gone back, every device has heard


def say(line: str) -> None:
    os.write(1, line.encode() + b"\n")


def main(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cabinet.lab.crash.child")
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--cabinet", default="shared3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commit-ms", type=int, default=COMMIT_MS)
    parser.add_argument("--scenes", nargs="*", default=())
    parser.add_argument("--synchronous", type=int, default=None, help="what a careless journal would do")
    given = parser.parse_args(args)
    if given.synchronous is not None:  # else what is shipped is what is tried
        schema.WRITER_PRAGMAS = schema.with_synchronous(given.synchronous)
    options = CrashOptions(given.cabinet, given.seed, scenes=tuple(given.scenes), commit_ms=given.commit_ms)
    logging.disable(logging.WARNING)
    with scratch_folder() as scratch:
        scene = open_scene(options, Path(scratch))
        life = started(scene, given.state) or started(scene, given.state)
        if life is None:
            return 0  # the file is damaged: one more start would say the same
        life.run(lambda: bool(life.refused) or life.all_gone())
        if life.refused:
            return tilted(scene, life)
        life.stop()
    say(f"digest {life.digest()}")
    return 0


def started(scene: CrashScene, state_dir: Path) -> Life | None:
    """The program, or why it does not start."""
    try:
        return scene.first_life(state_dir, lambda point: say(f"ack {point.number}"))
    except (JournalError, SecondCopyError) as error:
        say(f"refused {error}")
        return None


def tilted(scene: CrashScene, life: Life) -> int:
    """The storage has failed: the devices are told to take no money, and the next start reads the disk."""
    say(f"tilt {life.refused}")
    life.script, until_ms = None, life.now_ms + TILT_MS
    life.run(lambda: life.now_ms >= until_ms)
    for machine in scene.world.validators:
        say("accepting" if machine.accepts else "inhibited")
    cut, dice = Cut(Plug.PROCESS, Bytes.DELIVERED), random.Random(scene.seed)
    struck = strike(scene, life, cut, None, 0, dice)
    verdict = aftermath(scene, struck, cut, dice, again=False)
    for check, text in verdict.problems:
        say(f"problem {check}: {text}")
    say("restarted")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
