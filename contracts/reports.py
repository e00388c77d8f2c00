"""Reports: what a role returns. The worker stores it; the coordinator reads it on the blackboard."""

from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import Field, field_validator

from contracts.base import Contract, Json, Text
from contracts.limits import CountedCalls, CountedCost, CountedTokens
from contracts.roles import RoleName
from contracts.stages import StageName, StageSpec
from contracts.statements import Listing, Sayable, Statement, as_value, lines, say


class Outcome(StrEnum):
    """How a run of a role ended."""

    COMPLETED = "completed"
    NEEDS_CLARIFICATION = "needs_clarification"
    NEEDS_DELEGATION = "needs_delegation"
    FAILED = "failed"


class ErrorInfo(Contract):
    """An error that crossed a process: its class name, its message, and whether trying again may help."""

    type: str
    message: Sayable
    retryable: bool = False


COST_DIGITS = 9
"""Decimals of a cost in US dollars: a thousandth of the price of a token. Rounding keeps float errors out of sums."""


class Usage(Contract):
    """What a step used. A model server may report any figure; a figure out of bounds is replaced by the bound."""

    input_tokens: CountedTokens = 0
    output_tokens: CountedTokens = 0
    cost_usd: CountedCost = 0.0
    model_calls: CountedCalls = 0
    priced_calls: CountedCalls = 0
    """Calls of models whose price is set, which distinguishes a cost of 0 from an unknown one."""

    def plus(self, other: "Usage") -> "Usage":
        """The sum of both."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=round(self.cost_usd + other.cost_usd, COST_DIGITS),
            model_calls=self.model_calls + other.model_calls,
            priced_calls=self.priced_calls + other.priced_calls,
        )

    def minus(self, other: "Usage") -> "Usage":
        """What came on top of `other`."""
        return Usage(
            input_tokens=self.input_tokens - other.input_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            cost_usd=round(self.cost_usd - other.cost_usd, COST_DIGITS),
            model_calls=self.model_calls - other.model_calls,
            priced_calls=self.priced_calls - other.priced_calls,
        )


class Question(Contract):
    """A question to the human."""

    text: Sayable
    payload: Json = {}
    """The question in the form of its kind of job, e.g. `PhenomenonQuestion`."""
    choices: tuple[Sayable, ...] = ()
    guidance: Sayable | None = None
    """How the human can find the answer."""
    also: tuple[StageName, ...] = ()
    """Other stages that also need the answer: it makes them stale."""

    @field_validator("text")
    @classmethod
    def _says_something(cls, text: Sayable) -> Sayable:
        if text == "":
            raise ValueError("a question needs a text")
        return text


class Delegation(Contract):
    """Work requested from another role: a stage above the asker, or a role that has no stage in this plan."""

    payload: Json
    stage: StageName | None = None
    role: RoleName | None = None
    task: str | None = None
    """With `role`: the task of the stage `asker/n` that this delegation adds."""


class Remark(Contract):
    """A reviewer's objection. A review passes if and only if it has no objections."""

    text: Text = Field(min_length=1)
    stage: StageName
    """The stage above the reviewer that must be done again."""
    payload: Json = {}


D = TypeVar("D", bound=Contract)


class Report(Contract, Generic[D]):
    """What one run of a role yields."""

    outcome: Outcome
    summary: Sayable = ""
    """One line for a person who watches the job. It is stored in the language of the job."""
    deliverable: D | None = None
    stages: tuple[StageSpec, ...] = ()
    """Stages that this deliverable adds, named after the stage that made it. They exist while it is current."""
    move: str | None = None
    """Only for a `choose/n` stage: the stage that an instruction is meant for."""
    remarks: tuple[Remark, ...] = ()
    question: Question | None = None
    delegation: Delegation | None = None
    draft: Json | None = None
    """Provisional content. It is shown and given to the next run of this stage, but it is never fresh and not hashed."""
    error: ErrorInfo | None = None
    usage: Usage = Usage()
    engine: str = "rules"
    """Who reasoned: `rules`, or the model's name; stored with the step, not in the content."""
    notes: tuple[Sayable, ...] = ()
    """Notes on the reasoning, such as that the model failed and rules were used. They are stored in the language of the job."""


def completed(deliverable: D, summary: Sayable = "", **more: Any) -> Report[D]:
    """A report with a deliverable."""
    return Report(outcome=Outcome.COMPLETED, deliverable=deliverable, summary=summary, **more)


def asks(question: Question, summary: Sayable = "", draft: Json | None = None, **more: Any) -> Report[Any]:
    """A report that waits for a human."""
    return Report(outcome=Outcome.NEEDS_CLARIFICATION, question=question, summary=summary, draft=draft, **more)


def delegates(delegation: Delegation, summary: Sayable = "", draft: Json | None = None, **more: Any) -> Report[Any]:
    """A report that waits for another stage or role."""
    return Report(outcome=Outcome.NEEDS_DELEGATION, delegation=delegation, summary=summary, draft=draft, **more)


_REFUSED = "fleet.error.of_request"
"""What is said of a step that refused what was handed in."""


def refuses(error: str, reason: Sayable) -> Report[Any]:
    """A report that what was handed in cannot be done as it stands: its author can mend that, and doing the same again mends nothing.
    `error`: the class of the fault. `reason`: what is wrong, where, and what to do."""
    message = say("fleet.error.of_request", reason=as_value(reason))
    return Report(outcome=Outcome.FAILED, summary=reason, error=ErrorInfo(type=error, message=message))


def refused_in(error: Sayable | None) -> Statement | None:
    """The reasons of a job whose every failed stage refused what was handed in; None for any other error."""
    stages = error.values.get("stages") if isinstance(error, Statement) else None
    found = [item.values.get("reason") for item in stages.items if isinstance(item, Statement)] if isinstance(stages, Listing) else []
    reasons = [item.values["reason"] for item in found if isinstance(item, Statement) and item.code == _REFUSED]
    return lines(*reasons) if reasons and len(reasons) == len(found) else None
