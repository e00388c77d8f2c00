"""`tune`: what a model answers, step by step. It names what it was shown by number; code looks the numbers up, and what a number does
not bear is dropped.

Kinds, settings and the rest of what a model may get wrong are plain text here: one bad word costs its own item and not the answer."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Text
from contracts.tune.plan import Risk
from contracts.verdicts import TuningClass

Line = Annotated[Text, Field(max_length=2_000)]
"""A sentence or two; longer than what is kept, so that a wordy model is cut and not asked again."""
Word = Annotated[Text, Field(max_length=200)]


class ClassReason(Contract):
    """Why a class, with what says so."""

    artefact: int
    """Number of the artefact as shown; 0: the description."""
    figure: int | None = None
    """Number of the figure as shown; none where nothing was measured."""
    text: Line


class ClassAnswer(Contract):
    """What a run suffers from most, by a model."""

    reasons: tuple[ClassReason, ...] = Field(default=(), max_length=20)
    """First, so that a model which writes in this order thinks before it decides."""
    tuning_class: TuningClass


class SupposedCause(Contract):
    """One thing that may be wrong."""

    kind: Word
    """A `VerdictKind` of a problem."""
    statement: Line
    how_to_verify: tuple[Line, ...] = Field(default=(), max_length=20)
    needs: tuple[Word, ...] = Field(default=(), max_length=20)
    """Values of `Information`."""


class CausesAnswer(Contract):
    """Hypotheses by a model."""

    hypotheses: tuple[SupposedCause, ...] = Field(default=(), max_length=30)


class LineRewrite(Contract):
    """New text in the place of lines of a script. The diff is made by us."""

    script: int
    """Number of the script as shown."""
    from_line: int
    to_line: int
    """The last line that goes, as shown."""
    text: Text = Field(max_length=20_000)


class ProposedSetting(Contract):
    """One line of configuration."""

    name: Word
    value: Word


class ProposedFix(Contract):
    """One remedy by a model."""

    kind: Word
    """A `FixKind`; any other word is taken for `other`."""
    title: Line
    what: Line
    verdicts: tuple[int, ...] = Field(default=(), max_length=50)
    """Numbers of the findings that it answers, the first one above all."""
    figures: tuple[int, ...] = Field(default=(), max_length=100)
    """Numbers of the figures that it rests on."""
    pros: tuple[Line, ...] = Field(default=(), max_length=20)
    cons: tuple[Line, ...] = Field(default=(), max_length=20)
    risk: Risk = Risk.MEDIUM
    risk_note: Line = ""
    rewrites: tuple[LineRewrite, ...] = Field(default=(), max_length=20)
    configuration: tuple[ProposedSetting, ...] = Field(default=(), max_length=20)
    verify: tuple[Line, ...] = Field(default=(), max_length=20)


class PlanAnswer(Contract):
    """What a model makes of the rules' fixes, and what it adds to them."""

    order: tuple[Word, ...] = Field(default=(), max_length=50)
    """Ids of the rules' fixes, the best first."""
    fixes: tuple[ProposedFix, ...] = Field(default=(), max_length=20)
    """Its own."""


class RaisedObjection(Contract):
    """What a model has against a fix."""

    fix_id: Word
    rule: Word
    """The rule that the fix breaks."""
    text: Line
    figure: int | None = None
    """Number of the figure that shows it."""


class ReviewAnswer(Contract):
    """What a model has against a plan; nothing where the plan may go out."""

    objections: tuple[RaisedObjection, ...] = Field(default=(), max_length=50)
