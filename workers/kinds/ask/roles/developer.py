"""The developer of `ask`: makes, mends and explains SQL, and searches logs."""

from contracts.ask.results import LogsFound, SqlExplained, SqlFixed, SqlMade
from contracts.jobs import EngineChoice
from contracts.reports import Report, completed
from contracts.statements import say
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.explaining import explain
from workers.kinds.ask.work.fixing import fix, fix_by_model
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.log_search import read_logs, search, search_by_model
from workers.kinds.ask.work.making import make_sql
from workers.kinds.ask.work.wording import word_explanation
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason


def generate_sql(ctx: StepContext) -> Report[SqlMade]:
    """The question's plan as SQL of its source, checked by the source's engine."""
    step = ToolStep.of(ctx)
    reasoned = make_sql(Floor(ctx), step)
    summary = say("ask.step.sql_made") if reasoned.value.sql else say("ask.step.no_sql")
    return completed(reasoned.value, summary, engine=reasoned.engine, notes=reasoned.notes)


def fix_sql(ctx: StepContext) -> Report[SqlFixed]:
    """The smallest change with which the statement runs."""
    step, floor = ToolStep.of(ctx), Floor(ctx)
    reasoned = reason(ctx, lambda chat: fix_by_model(floor, step, chat), lambda: fix(floor, step))
    summary = say("ask.step.fixed") if reasoned.value.sql else say("ask.step.not_fixed")
    return completed(reasoned.value, summary, engine=reasoned.engine, notes=reasoned.notes)


def explain_sql(ctx: StepContext) -> Report[SqlExplained]:
    """What a statement computes, in words, and what the review finds in it."""
    step = ToolStep.of(ctx)
    explained = explain(Floor(ctx), step)
    worded: Reasoned[tuple[str, ...]] = Reasoned((), RULES)
    if not explained.problems:
        worded = reason(ctx, lambda chat: word_explanation(step, explained, chat), lambda: ())
    explained = explained.model_copy(update={"words": worded.value})
    return completed(explained, say("ask.step.explained"), engine=worded.engine, notes=worded.notes)


def search_log(ctx: StepContext) -> Report[LogsFound]:
    """The words as LogQL, and what it finds where the logs can be reached."""
    step, floor = ToolStep.of(ctx), Floor(ctx)
    closed = read_logs(floor, step.request.logs, step.understanding.words, step.understanding.carried)
    if ctx.engine is not EngineChoice.LLM and closed is not None and closed.query is not None:
        reasoned = Reasoned(search(floor, step, closed), RULES)
    else:
        reasoned = reason(ctx, lambda chat: search_by_model(floor, step, chat), lambda: search(floor, step, closed))
    summary = say("ask.step.searched") if reasoned.value.has_run else say("ask.step.not_searched")
    return completed(reasoned.value, summary, engine=reasoned.engine, notes=reasoned.notes)
