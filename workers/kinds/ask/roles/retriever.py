"""The retriever of `ask`: tables and their details for a question, and passages of documents."""

from contracts.ask.results import PassagesFound, TablesFound
from contracts.reports import Report, completed
from contracts.statements import Sayable, count, say
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.work.discovery import discover
from workers.kinds.ask.work.documents import find_passages, passages_near
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.wording import word_passages
from workers.llm import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import reason


def discover_data(ctx: StepContext) -> Report[TablesFound]:
    """The tables that the question is about, and the question read as a query over them (S34)."""
    step, floor = ToolStep.of(ctx), Floor(ctx)
    by_meaning = floor.catalogue.searches_by_meaning()
    found = discover(floor, step).model_copy(update={"words_only": not by_meaning})
    return completed(found, say("ask.step.discovered", n=count(len(found.tables))), notes=_notes(by_meaning))


def answer_from_documents(ctx: StepContext) -> Report[PassagesFound]:
    """An answer with its passages, cited by their place; none when the documents do not say it."""
    step, floor = ToolStep.of(ctx), Floor(ctx)

    def by_model(chat: ChatClient) -> PassagesFound:
        near = passages_near(floor, step)
        return word_passages(step, near, chat) if near else PassagesFound()

    by_meaning = floor.catalogue.searches_by_meaning()
    reasoned = reason(ctx, by_model, lambda: find_passages(floor, step))
    found = reasoned.value.model_copy(update={"words_only": not by_meaning})
    summary = say("ask.step.passages", n=count(len(found.passages)))
    return completed(found, summary, engine=reasoned.engine, notes=(*reasoned.notes, *_notes(by_meaning)))


def _notes(by_meaning: bool) -> tuple[Sayable, ...]:
    return () if by_meaning else (say("ask.words_only"),)
