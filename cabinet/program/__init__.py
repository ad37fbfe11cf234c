"""The running program: the loop, the field program, its start and its end, the service manager.

For the command line and the lab.
"""

__all__ = ["contacts", "dark", "field", "loop", "picture", "ports", "presenter", "runtime"]
