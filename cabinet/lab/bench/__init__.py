"""The bench: devices and people here, the unmodified firmware as a child process.

For the soak, the crash harness and tests.
"""

__all__ = ["bench"]
