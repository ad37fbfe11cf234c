"""A state directory: whose it is, the names of its files, the lock that holds it.

For the store, and for commands of a stopped cabinet.
"""

__all__ = ["files", "lock", "owner"]
