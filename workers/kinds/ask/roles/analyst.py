"""The analyst of `ask`: runs a statement behind the five locks, and says what its result holds."""

from contracts.ask.results import Queried
from contracts.reports import Report, completed
from contracts.statements import count, say
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.execution import execute
from workers.kinds.ask.work.floor import Floor
from workers.roles.base import StepContext


def execute_and_analyze(ctx: StepContext) -> Report[Queried]:
    """The result whole, findings with their figures, and a chart where one helps."""
    step = ToolStep.of(ctx)
    found = execute(Floor(ctx), step)
    return completed(found, step.text(say("ask.step.ran", n=count(found.row_count)) if not found.problems else say("ask.step.did_not_run")))
