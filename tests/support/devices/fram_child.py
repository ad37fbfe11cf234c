"""A child process that keeps a second copy in FRAM, with the field's own code and nothing else.

Arguments: how many records, from which number on. One line for each record that was kept; then the
record that is read back by a copy of its own.
"""

from __future__ import annotations

import sys

from cabinet.store.chain import Head
from cabinet.store.second_copy import SecondCopyError
from cabinet.store.second_copy.media import FramSecondCopy


def main(count: int, first: int) -> None:
    copy = FramSecondCopy(1, 0x50)
    for seq in range(first, first + count):
        try:
            copy.write(Head(seq, f"{seq:064x}"), b"totals %d" % seq)
        except SecondCopyError as error:
            print(f"refused {seq}: {error}", flush=True)
        else:
            print(f"kept {seq}", flush=True)
    try:
        record = FramSecondCopy(1, 0x50).read()
    except SecondCopyError as error:
        print(error, flush=True)
    else:
        print(record.totals.decode() if record else "nothing", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
