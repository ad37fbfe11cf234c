"""The test lab: the program with simulated devices and people. Never in the field package.

Only `cabinet lab` and tests reach it.
"""

__all__: list[str] = []
