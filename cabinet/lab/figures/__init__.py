"""The figures that the program is measured by, each with its goal and method.

`./dev bench`, and tests.
"""

__all__: list[str] = []
