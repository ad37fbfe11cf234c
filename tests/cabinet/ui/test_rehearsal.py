"""What is drawn unseen while the table idles is all that will be drawn in play."""

from __future__ import annotations

from cabinet.ui import rehearsal
from support.screens import kinds, screens


def test_all_that_a_screen_can_show_is_rehearsed() -> None:
    """A scene, a state of a seat, a phase or a cell that is new needs a view of `rehearsal`: without it
    its first frame comes late."""
    # The menu is opened by a key, on a table that stands still: its first frame may take longer.
    assert kinds.missing(rehearsal.views(screens.betting())) == {"Scene.SERVICE"}
