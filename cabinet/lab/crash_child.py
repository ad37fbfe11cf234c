"""The evening that is crashed, in a process of its own that can be traced, starved and refused.

It says ``ack N`` at each point, ``tilt TEXT`` when the storage fails, and ``digest D`` at the end.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from cabinet.lab.crash_play import Options, open_scene
from cabinet.lab.crash_watch import COMMIT_MS, Point
from cabinet.store import schema


def say(line: str) -> None:
    os.write(1, line.encode() + b"\n")


def main(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="cabinet.lab.crash_child")
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--cabinet", default="shared3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commit-ms", type=int, default=COMMIT_MS)
    parser.add_argument("--scenes", nargs="*", default=())
    parser.add_argument("--synchronous", type=int, default=2, help="what a careless journal would do")
    given = parser.parse_args(args)
    schema.WRITER_PRAGMAS = tuple(
        (name, given.synchronous if name == "synchronous" else value) for name, value in schema.WRITER_PRAGMAS
    )
    options = Options(given.cabinet, given.seed, scenes=tuple(given.scenes), commit_ms=given.commit_ms)

    def at_point(point: Point) -> None:
        say(f"ack {point.number}")

    with tempfile.TemporaryDirectory(prefix="cabinet-crash-") as scratch:
        scene = open_scene(options, Path(scratch))
        life = scene.first_life(given.state, at_point)
        life.run(life.all_gone)
        life.stop()
    say(f"digest {life.digest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
