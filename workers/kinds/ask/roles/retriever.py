"""The retriever of `ask`: tables and their details for a question, and passages of documents."""

from contracts.ask.results import PassagesFound, TablesFound
from contracts.reports import Report, completed
from contracts.statements import count, say
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.discovery import discover
from workers.kinds.ask.work.documents import find_passages
from workers.kinds.ask.work.floor import Floor
from workers.roles.base import StepContext


def discover_data(ctx: StepContext) -> Report[TablesFound]:
    """The tables that the question is about, and the question read as a query over them (S34)."""
    step = ToolStep.of(ctx)
    found = discover(Floor(ctx), step)
    return completed(found, step.text(say("ask.step.discovered", n=count(len(found.tables)))))


def answer_from_documents(ctx: StepContext) -> Report[PassagesFound]:
    """Passages that answer, cited by their place; none when the documents do not say it."""
    step = ToolStep.of(ctx)
    found = find_passages(Floor(ctx), step)
    return completed(found, step.text(say("ask.step.passages", n=count(len(found.passages)))))
