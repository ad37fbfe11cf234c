"""The pages behind the keys, as data: what they say, not what their buttons do (`core.staff`).

For whatever shows a page.
"""

__all__ = ["pages"]
