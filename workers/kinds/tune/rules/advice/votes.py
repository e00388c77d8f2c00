"""What users did with a remedy before: it moves the remedy's rank, and the report says so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.statements import Statement, count, say
from contracts.tune.plan import FixKind
from contracts.tune.steps import Experience

SIDE = 0.25
"""Weight of one vote: four ignored and none adopted halve a remedy's score, four adopted and none ignored raise it by a half."""

TELLING = 2
"""Votes from which on the report says so: one may be chance."""


@dataclass(frozen=True, slots=True)
class Votes:
    """How often users said that they took a remedy, and that they did not."""

    adopted: int = 0
    ignored: int = 0

    @property
    def factor(self) -> float:
        """By which the remedy's score is multiplied: between none and twice, and never either."""
        balance = self.adopted - self.ignored
        return 1 + SIDE * balance / (1 + SIDE * abs(balance))

    def pros(self) -> Iterator[Statement]:
        """That it was taken before."""
        if self.adopted >= TELLING and self.adopted > self.ignored:
            yield say("tune.votes.adopted", n=count(self.adopted))

    def cons(self) -> Iterator[Statement]:
        """That it was not taken before."""
        if self.ignored >= TELLING and self.ignored > self.adopted:
            yield say("tune.votes.ignored", n=count(self.ignored))


def votes_for(kind: FixKind, experience: Sequence[Experience]) -> Votes:
    """Of the pieces of experience that describe the remedy: a word on a fix counts for each of them, so the most is what was said."""
    described = [piece for piece in experience if kind.value in piece.remedies]
    return Votes(max((piece.adopted for piece in described), default=0), max((piece.ignored for piece in described), default=0))
