"""The command line, one module for each command, loaded when it is asked for.

Nothing imports it but tests and the commands of `cabinet.analysis`, which end as all commands do (`common`).
"""

__all__ = ["arguments", "common"]
