"""What simulated bill validators share: their mechanics, their paper, and what the laboratory asks of them.

For simulated devices, the lab and tests.
"""

from drivers.sim.validator.machine import ValidatorMachine

__all__ = ["ValidatorMachine", "path", "sheets"]
