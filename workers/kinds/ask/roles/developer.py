"""The developer of `ask`: makes, mends and explains SQL, and searches logs."""

from contracts.ask.results import LogsFound, SqlExplained, SqlFixed, SqlMade
from contracts.reports import Report, completed
from contracts.statements import say
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.explaining import explain
from workers.kinds.ask.work.fixing import fix
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.log_search import search
from workers.kinds.ask.work.making import make_sql
from workers.roles.base import StepContext


def generate_sql(ctx: StepContext) -> Report[SqlMade]:
    """The question's plan as SQL of its source, checked by the source's engine."""
    step = ToolStep.of(ctx)
    reasoned = make_sql(Floor(ctx), step)
    summary = say("ask.step.sql_made") if reasoned.value.sql else say("ask.step.no_sql")
    return completed(reasoned.value, step.text(summary), engine=reasoned.engine, notes=reasoned.notes)


def fix_sql(ctx: StepContext) -> Report[SqlFixed]:
    """The smallest change with which the statement runs."""
    step = ToolStep.of(ctx)
    fixed = fix(Floor(ctx), step)
    return completed(fixed, step.text(say("ask.step.fixed") if fixed.sql else say("ask.step.not_fixed")))


def explain_sql(ctx: StepContext) -> Report[SqlExplained]:
    """What a statement computes, in words, and what the review finds in it."""
    step = ToolStep.of(ctx)
    return completed(explain(Floor(ctx), step), step.text(say("ask.step.explained")))


def search_log(ctx: StepContext) -> Report[LogsFound]:
    """The words as LogQL, and what it finds where the logs can be reached."""
    step = ToolStep.of(ctx)
    found = search(Floor(ctx), step)
    return completed(found, step.text(say("ask.step.searched") if found.has_run else say("ask.step.not_searched")))
