"""Many rounds of the very procedure, compiled, with exact counts.

Read by `cabinet.analysis`; `standard` borrows its compiled hands.
"""

__all__ = ["jit", "job", "kernel", "rounds", "run", "tables"]
