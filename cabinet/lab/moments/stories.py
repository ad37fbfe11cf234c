"""Every named moment of the screen: the list of stories, and playing them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cabinet.lab.moments import (
    money as moments_money,
)
from cabinet.lab.moments import (
    pages as moments_pages,
)
from cabinet.lab.moments import (
    past as moments_past,
)
from cabinet.lab.moments import (
    play as moments_play,
)
from cabinet.lab.moments.stage import Shot, Stage, Story, StoryError
from cabinet.lab.scratch import folder

# The groups of the contact sheet, in the order of an evening.
GROUPS = {
    "attract": "Nobody is here",
    "bets": "Bets and the deal",
    "decisions": "Decisions",
    "splits": "Splits",
    "dealer": "The continuation cards, and the dealer",
    "results": "Results",
    "money": "Notes and tickets",
    "trouble": "Doors, faults, restarts",
    "people": "Attendant and technician",
    "help": "Help",
    "solo": "One seat",
}
_ALL = (*moments_pages.STORIES, *moments_play.STORIES, *moments_money.STORIES, *moments_past.STORIES)
STORIES: tuple[Story, ...] = tuple(story for group in GROUPS for story in _ALL if story.group == group)


def names() -> tuple[str, ...]:
    """All moments, in the order of an evening."""
    return tuple(name for story in STORIES for name in story.moments)


def play(wanted: Collection[str] = ()) -> Iterator[Shot]:
    """Play the stories that have a wanted moment (all without any), and give what they show.

    Raises KeyError for a name that is no moment, StoryError when a story shows something else than
    it promises.
    """
    unknown = sorted(set(wanted) - set(names()))
    if unknown:
        raise KeyError(f"no moment {', '.join(unknown)}; --list shows all")
    for story in STORIES:
        if not wanted or set(story.moments) & set(wanted):
            yield from (shot for shot in shots_of(story) if not wanted or shot.name in wanted)


def shots_of(story: Story) -> list[Shot]:
    """One story from the first note to its last moment."""
    with folder("moments") as scratch:
        stage = Stage(story, scratch)
        try:
            story.play(stage)
        finally:
            stage.close()
    shown = tuple(shot.name for shot in stage.shots)
    if shown != story.moments:
        raise StoryError(f"story {story.name} shows {shown}, not {story.moments}")
    return stage.shots
