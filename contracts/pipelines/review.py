"""What the reviewer of `etl` yields, of a design and of the scripts."""

from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from contracts.base import Contract, Text
from contracts.pipelines.trial import TrialCheck, TrialReport
from contracts.sql_review import ReviewCheck, SqlFinding
from contracts.statements import Sayable


class ReviewPart(StrEnum):
    """What is reviewed."""

    DESIGN = "design"
    DEVELOPMENT = "development"


class DesignRule(StrEnum):
    """What a design review looks at."""

    GRAIN = "grain"
    """The key of the target is what the steps make unique."""
    KEY = "key"
    """An upsert without a key, or a key that is not a column."""
    COLUMN = "column"
    """A column of the target that no step makes."""
    INPUT = "input"
    """A table that the catalogue does not have, or a step whose input is missing."""
    LATE_DATA = "late_data"
    RERUN = "rerun"
    """A second run would add rows again."""
    TEMPORARY = "temporary"
    """A temporary table that another job reads."""
    COVERAGE = "coverage"
    """A step that no job carries out."""
    ORDER = "order"
    """Jobs that wait for each other, or read what is not made yet."""
    JOIN = "join"
    """A join without evidence, or one that repeats rows before an aggregate."""
    COMPONENT = "component"
    CONDITION = "condition"
    """Conditions that no row can meet together."""


class ReviewIssue(Contract):
    """What is wrong, with what shows it."""

    text: Sayable
    advice: Sayable = ""
    job: Text = ""
    rule: DesignRule | None = None
    finding: SqlFinding | None = None
    check: TrialCheck | None = None
    phrase: Text = ""
    """Words of the requirement, to the letter, on which a model's remark rests. Empty: a rule found it."""


class Verdict(Contract):
    """What review and trial say of one script, as its author heard it."""

    of: Text
    """Hash of all that it rests on: the script's statements, analysis and design, the catalogue, the day."""
    issues: tuple[ReviewIssue, ...] = ()
    warnings: tuple[ReviewIssue, ...] = ()
    checked: tuple[ReviewCheck, ...] = ()
    not_checked: tuple[ReviewCheck, ...] = ()
    trial: TrialReport | None = None
    """None: the review found something, so that nothing was run."""


class ReviewResult(Contract):
    """A review."""

    part: ReviewPart
    passed: bool
    """False whenever there are issues."""
    score: int = Field(ge=0, le=100)
    """90 and more: very good; 70 to 89: good; 60 to 69: just enough; below: not enough."""
    summary: Sayable
    issues: tuple[ReviewIssue, ...] = ()
    """Each blocks."""
    warnings: tuple[ReviewIssue, ...] = ()
    waived: tuple[DesignRule, ...] = ()
    """Rules whose issues are among the warnings, because an operator took them upon themselves."""
    checked: tuple[ReviewCheck, ...] = ()
    """Of development: what the review of the scripts looked at."""
    not_checked: tuple[ReviewCheck, ...] = ()
    """What it did not, in at least one of them."""
    trial: TrialReport | None = None
    """Of development: the run in the sandbox."""

    @model_validator(mode="after")
    def _issues_block(self) -> Self:
        if self.passed and self.issues:
            raise ValueError("a review with issues does not pass")
        return self
