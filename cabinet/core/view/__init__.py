"""What the screen shows, as a function of state and live. The contract with the screen is `core.look`.

For the presenter, the lab's eyes and tests.
"""

from cabinet.core.view.build import (
    view,
)

__all__ = ["recall", "sight", "view"]
