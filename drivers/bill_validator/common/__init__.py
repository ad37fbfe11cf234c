"""What the drivers of all validators share: orders, line, document, acceptance, patience, values.

For drivers of validators.
"""

__all__ = ["document", "identity", "line", "options", "session", "validator", "values"]
