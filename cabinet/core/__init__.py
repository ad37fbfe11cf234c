"""The decider: pure functions from state, live and an event to facts and acts; and the views of them.

No input, no output, no clock, no chance. Everything above it may import it.
"""

__all__ = [
    "conditions",
    "confirm",
    "currency",
    "decide",
    "facts",
    "live",
    "look",
    "money",
    "options",
    "outputs",
    "past",
    "policy",
    "renewal",
    "staff",
    "state",
    "timing",
    "turn",
    "validation",
    "view",
]
