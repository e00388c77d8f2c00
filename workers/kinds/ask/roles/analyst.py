"""The analyst of `ask`: runs a statement behind the five locks, and says what its result holds."""

from contracts.ask.results import Queried
from contracts.reports import Report, completed
from contracts.statements import count, say
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.execution import execute
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.wording import word_result
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason


def execute_and_analyze(ctx: StepContext) -> Report[Queried]:
    """The result whole, findings with their figures, a chart where one helps, and what it says in a model's words."""
    step = ToolStep.of(ctx)
    found = execute(Floor(ctx), step)
    worded: Reasoned[tuple[str, ...]] = Reasoned((), RULES)
    if found.row_count > 1 and step.understanding.by_model:  # one row says itself
        worded = reason(ctx, lambda chat: word_result(step, found, chat), lambda: ())
    found = found.model_copy(update={"words": worded.value})
    summary = say("ask.step.ran", n=count(found.row_count)) if not found.problems else say("ask.step.did_not_run")
    return completed(found, summary, engine=worded.engine, notes=worded.notes)
