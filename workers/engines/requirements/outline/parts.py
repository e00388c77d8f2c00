"""A requirement as far as its parts were read."""

from dataclasses import dataclass, field

from workers.engines.requirements.facts import RequirementReading
from workers.engines.requirements.outline.heads import Head
from workers.engines.requirements.outline.items import Item
from workers.engines.requirements.outline.layout import Layout
from workers.engines.requirements.prose.draft import Draft


@dataclass
class Attempt:
    """A draft, with the columns that it could not read."""

    draft: Draft
    read: list[Item]
    failed: list[Item]


@dataclass
class Outline:
    """A requirement as far as its parts were read."""

    layout: Layout
    head: Head | None = None
    reading: RequirementReading | None = None
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    unread: list[str] = field(default_factory=list[str])
    """Sentences that are not read, or do not fit the rest."""
    misfits: list[str] = field(default_factory=list[str])
    """Columns that were read, and cannot be worked out beside the others."""
    doubtful: list[str] = field(default_factory=list[str])
    """Columns that are a unit of a time, of which it is open which is meant."""

    @property
    def best(self) -> Attempt | None:
        """The draft that reads most columns; the first of several."""
        return max(self.attempts, key=lambda attempt: (len(attempt.read), -len(attempt.failed)), default=None)
