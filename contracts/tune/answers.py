"""`tune`: the answers of a model in each step. The model refers to what it was shown by number. Code looks the numbers up, and drops
every claim that its number does not support.

Kinds, settings and other values that a model may get wrong are plain text here: one invalid value costs only its own item."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Text
from contracts.tune.plan import Risk
from contracts.verdicts import TuningClass

Line = Annotated[Text, Field(max_length=2_000)]
"""One or two sentences. The limit is larger than what is kept, so that a long answer is cut instead of requested again."""
Word = Annotated[Text, Field(max_length=200)]


class ClassReason(Contract):
    """The reason for a class, with its evidence."""

    artefact: int
    """Number of the artefact as shown; 0: the description."""
    figure: int | None = None
    """Number of the figure as shown; None if nothing was measured."""
    text: Line


class ClassAnswer(Contract):
    """A model's answer: the main problem of a run."""

    reasons: tuple[ClassReason, ...] = Field(default=(), max_length=20)
    """First, so that a model which writes in this order thinks before it decides."""
    tuning_class: TuningClass


class NamedLine(Contract):
    """One line of the code that matters, and why."""

    script: int
    """Number of the script as shown."""
    line: int
    figure: int | None = None
    """Number of the figure that shows it; None if nothing was measured."""
    why: Line


class CodeAnswer(Contract):
    """A model's answer: the lines in which the run spends its time."""

    lines: tuple[NamedLine, ...] = Field(default=(), max_length=20)


class WantedArtefact(Contract):
    """One unread artefact that would settle something."""

    artefact: int
    """Number of the artefact as shown."""
    hypothesis: Word
    """Id of the open hypothesis that it would settle."""
    why: Line


class ReadingAnswer(Contract):
    """A model's answer: what to read before a plan is made; empty if enough is known."""

    wanted: tuple[WantedArtefact, ...] = Field(default=(), max_length=20)


class SupposedCause(Contract):
    """One possible problem."""

    kind: Word
    """A `VerdictKind` of a problem."""
    statement: Line
    how_to_verify: tuple[Line, ...] = Field(default=(), max_length=20)
    needs: tuple[Word, ...] = Field(default=(), max_length=20)
    """Values of `Information`."""


class CausesAnswer(Contract):
    """A model's answer: hypotheses."""

    hypotheses: tuple[SupposedCause, ...] = Field(default=(), max_length=30)


class LineRewrite(Contract):
    """New text that replaces lines of a script. The diff is computed from it."""

    script: int
    """Number of the script as shown."""
    from_line: int
    to_line: int
    """The last line to be replaced, as shown."""
    text: Text = Field(max_length=20_000)


class ProposedSetting(Contract):
    """One line of configuration."""

    name: Word
    value: Word


class ProposedFix(Contract):
    """One fix that a model proposes."""

    kind: Word
    """A `FixKind`; any other value counts as `other`."""
    title: Line
    what: Line
    verdicts: tuple[int, ...] = Field(default=(), max_length=50)
    """Numbers of the findings that it addresses, the most important first."""
    figures: tuple[int, ...] = Field(default=(), max_length=100)
    """Numbers of the figures that support it."""
    pros: tuple[Line, ...] = Field(default=(), max_length=20)
    cons: tuple[Line, ...] = Field(default=(), max_length=20)
    risk: Risk = Risk.MEDIUM
    risk_note: Line = ""
    rewrites: tuple[LineRewrite, ...] = Field(default=(), max_length=20)
    configuration: tuple[ProposedSetting, ...] = Field(default=(), max_length=20)
    verify: tuple[Line, ...] = Field(default=(), max_length=20)


class PlanAnswer(Contract):
    """A model's answer: an order of the rules' fixes, and its additions."""

    order: tuple[Word, ...] = Field(default=(), max_length=50)
    """Ids of the rules' fixes, the best first."""
    fixes: tuple[ProposedFix, ...] = Field(default=(), max_length=20)
    """Fixes that the model adds."""


class RaisedObjection(Contract):
    """A model's objection to a fix."""

    fix_id: Word
    rule: Word
    """The rule that the fix breaks."""
    text: Line
    figure: int | None = None
    """Number of the figure that shows it."""


class ReviewAnswer(Contract):
    """A model's objections to a plan; empty if the plan may be published."""

    objections: tuple[RaisedObjection, ...] = Field(default=(), max_length=50)
