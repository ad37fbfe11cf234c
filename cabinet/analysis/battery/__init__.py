"""The statistical tests of the generator.

A command of its own; nothing imports it.
"""

__all__: list[str] = []
