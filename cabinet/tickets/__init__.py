"""Numbers of tickets that nobody can compute: the permutation, and the key that it is made with.

For the program, its commands and the lab.
"""

__all__ = ["keys", "sealed"]
