"""The developer of `ask`: makes, mends and explains SQL, and searches logs."""

from contracts.ask.results import LogsFound, SqlExplained, SqlFixed, SqlMade
from contracts.reports import Report, completed
from contracts.statements import say
from workers.kinds.ask.floor import Floor
from workers.kinds.ask.roles.calls import ToolStep
from workers.roles.base import StepContext


def generate_sql(ctx: StepContext) -> Report[SqlMade]:
    """The question's plan as SQL of its source, checked by the source's engine."""
    step = ToolStep.of(ctx)
    made = Floor(ctx).make_sql(step)
    return completed(made, step.text(say("ask.step.sql_made") if made.sql else say("ask.step.no_sql")))


def fix_sql(ctx: StepContext) -> Report[SqlFixed]:
    """The smallest change with which the statement runs."""
    step = ToolStep.of(ctx)
    fixed = Floor(ctx).fix(step)
    return completed(fixed, step.text(say("ask.step.fixed") if fixed.sql else say("ask.step.not_fixed")))


def explain_sql(ctx: StepContext) -> Report[SqlExplained]:
    """What a statement computes, in words, and what the review finds in it."""
    step = ToolStep.of(ctx)
    return completed(Floor(ctx).explain(step), step.text(say("ask.step.explained")))


def search_log(ctx: StepContext) -> Report[LogsFound]:
    """The words as LogQL, and what it finds where the logs can be reached."""
    step = ToolStep.of(ctx)
    found = Floor(ctx).search_logs(step)
    return completed(found, step.text(say("ask.step.searched") if found.has_run else say("ask.step.not_searched")))
