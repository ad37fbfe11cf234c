"""The PAR sheet: everything exact that is to be said about a rule set.

A command of its own; `compare` borrows its words.
"""

__all__ = ["command", "sheet"]
