"""What a model does for the differential method, as one value: each part may be missing."""

from dataclasses import dataclass

from workers.kinds.diagnose.rules.differential.heard import NOTHING_HEARD, Heard
from workers.kinds.diagnose.rules.differential.hint import Point
from workers.kinds.diagnose.rules.differential.stated import ReadOpening


@dataclass(frozen=True)
class Assist:
    """A model's part in one turn."""

    point: Point | None = None
    """Asked for the tickets that the incident is like."""
    read: ReadOpening | None = None
    """Asked what the description says of known phenomena."""
    heard: Heard = NOTHING_HEARD
    """What it heard in the latest answer."""


UNASSISTED = Assist()
"""No model."""
