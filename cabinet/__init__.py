"""The program of the cabinet: the core decides, the rest connects it to disk, screen, devices and people.

Nothing outside imports it; `cli.main` is where it starts.
"""

__all__: list[str] = []
