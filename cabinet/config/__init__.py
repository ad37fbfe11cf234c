"""The cabinet file: read, checked as a whole, and made into a policy and devices.

For the program, its commands and the lab.
"""

from cabinet.config.file import (
    CheckCopy,
    Config,
    ConfigError,
    DeviceKind,
    DeviceTable,
    FramCopy,
    load,
    shipped_folder,
)

__all__ = [
    "CheckCopy",
    "Config",
    "ConfigError",
    "DeviceKind",
    "DeviceTable",
    "FramCopy",
    "assembly",
    "chart_file",
    "copy_place",
    "file",
    "load",
    "problems",
    "report",
    "shipped_folder",
    "tables",
]
