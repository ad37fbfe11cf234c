"""Bill validators that speak JCM ID-003.

The registry takes `Options` and `create`; the simulated unit shares `codec`.
"""

from drivers.bill_validator.id003.driver import (
    Options,
    create,
)

__all__ = ["Options", "codec", "create"]
