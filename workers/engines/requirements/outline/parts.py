"""A requirement as far as its parts were read."""

from dataclasses import dataclass, field

from contracts.pipelines.expressions import columns_in
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
        """The draft that reads most columns; of several, one whose own columns tell its rows apart; else the first."""
        return max(self.attempts, key=lambda attempt: (len(attempt.read), -len(attempt.failed), _own_keys(attempt.draft)), default=None)


def _own_keys(draft: Draft) -> int:
    """Keys of a grouped draft that are columns of the grouped rows, and not of what they refer to."""
    return sum(">" not in column.step for value in draft.keys.values() for column in columns_in(value)[:1])
