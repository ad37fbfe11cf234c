"""The critical memory: what a start finds, how it is begun, bound and cleared.

For the program and its commands.
"""

from cabinet.memory.check import (
    BOARD_FILE,
    board_of,
)

__all__ = ["BOARD_FILE", "access", "begin", "board_of", "check", "clear", "last_trouble"]
