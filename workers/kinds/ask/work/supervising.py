"""The supervisor of `ask`: what it is shown of the deployment and the conversation, and its answer as an understanding."""

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from contracts.ask.answers import SupervisorAnswer
from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool
from contracts.base import Json
from contracts.catalogue import NodeKind
from contracts.pointers import ColumnPointer, TablePointer
from contracts.tables import TableDetail
from workers.engines.definitions.definition import Definition
from workers.engines.sql.schema_text import overview_line
from workers.kinds.ask.rules.by_model import FORBIDDEN, MEANINGS, offered, problem_of, understood
from workers.kinds.ask.rules.intents import Grounds
from workers.kinds.ask.rules.messages import statement_in
from workers.kinds.ask.work.dialogue import conversation_text, replies_of, session_text, statement_of, turns_of
from workers.kinds.ask.work.documents import about_tables
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.log_search import log_names
from workers.llm import ChatClient
from workers.llm.brief import Brief, likely_text, replies_text, today_text
from workers.llm.checked import ask_checked
from workers.roles.base import StepContext

REPLIES = "answer thanks and greetings (`reason`)"
"""What is left of `ask_human` once the user cannot be asked any more."""
MOST_FOUND = 50
"""Tables and columns that the search for an overview gives."""
SHARE_TABLES, SHARE_DEFINITIONS, SHARE_DOCUMENTS, SHARE_MESSAGE, SHARE_ERROR = 0.35, 0.1, 0.05, 0.15, 0.05
"""Shares of the window."""


def supervise(ctx: StepContext, floor: Floor, request: AskRequest, carried: Carried | None, chat: ChatClient) -> Understanding:
    """The first call and what the user wants in the end, in one question to the model."""
    brief = Brief.of(chat)
    asked = floor.asked(request.source)
    kept = carried.source if carried is not None and carried.keeps_source and not request.source else None
    turns = turns_of(ctx)
    heard = replies_of(ctx)
    logs, has_documents = log_names(floor, request.logs), floor.catalogue.has_documents(owner=floor.owner)
    grounds = Grounds(has_logs=bool(logs), has_sources=bool(asked), has_documents=has_documents)
    tools = offered(grounds)
    in_message = statement_in(request.question)
    of_message = request.sql or (in_message.statement if in_message is not None else "")
    statements = [text for text in (*map(statement_of, turns), of_message) if text]
    tables = {source: floor.tables(source) for source in asked}
    likely, overview = overview_of(floor, request, tables)
    background = request.background if request.background is not None else carried.background if carried else ""
    from_user: dict[str, Any] = {  # made first, so that it has room
        "message": brief.text("message", request.question, SHARE_MESSAGE),
        "statement": brief.text("statement", request.sql or "", SHARE_MESSAGE),
        "error": brief.text("error", request.error or "", SHARE_ERROR),
        "replies": brief.text("answers", replies_text(heard), SHARE_ERROR),
    }
    answer = ask_checked(
        chat,
        answer_form(tools),
        lambda answer: problem_of(answer, tools, request, statements, may_ask=ctx.may_ask),
        prompt="classifier/supervise",
        tools=meanings_of(tools, may_ask=ctx.may_ask),
        may_ask=ctx.may_ask,
        never=FORBIDDEN,
        sources=[(name, str(source.kind)) for name, source in sorted(asked.items())],
        tables=brief.chosen("tables", overview, SHARE_TABLES),
        definitions=brief.items("definitions", _definitions(floor, asked, kept), SHARE_DEFINITIONS),
        documents=brief.items("documents", _headings(floor, request.question, request.source or kept), SHARE_DOCUMENTS),
        logs=logs,
        today=today_text(floor.now, floor.ctx.services.settings.times),
        background=brief.text("background", background, SHARE_ERROR),
        session=session_text(ctx, brief, has_conversation=True),
        conversation=conversation_text(brief, turns),
        **from_user,
        likely=likely_text(likely, [name for name, _ in overview]),
        prompt_cuts=brief.cut_rows(),
    )
    return understood(
        answer,
        request,
        carried,
        heard,
        tables=[(source, table.full_name) for source, known in tables.items() for table in known],
        statements=statements,
        background=background,
    )


@cache
def answer_form(tools: tuple[Tool, ...]) -> type[SupervisorAnswer]:
    """The supervisor's answer with these tools alone in its JSON schema: a model reads the schema too."""

    class Offered(SupervisorAnswer):
        @classmethod
        def model_json_schema(cls, *given: Any, **more: Any) -> Json:
            schema = super().model_json_schema(*given, **more)
            schema["$defs"][Tool.__name__]["enum"] = [tool.value for tool in tools]
            return schema

    Offered.__name__, Offered.__doc__ = SupervisorAnswer.__name__, SupervisorAnswer.__doc__
    return Offered


def meanings_of(tools: Sequence[Tool], *, may_ask: bool) -> list[tuple[str, str]]:
    """The tools as the supervisor reads them in this turn: who cannot be asked any more is still greeted."""
    return [(tool.value, REPLIES if tool is Tool.ASK_HUMAN and not may_ask else MEANINGS[tool]) for tool in tools]


def overview_of(floor: Floor, request: AskRequest, tables: dict[str, tuple[TableDetail, ...]]) -> tuple[list[str], list[tuple[str, str]]]:
    """The names of the tables that the search finds, the best first; and all tables with a line each, those first, then the others by
    name."""
    found = floor.search(request.question, request.source, {NodeKind.TABLE, NodeKind.COLUMN}, limit=MOST_FOUND)
    order: dict[tuple[str, str], None] = {}
    for pointer in found:
        if isinstance(pointer, TablePointer | ColumnPointer):
            full = f"{pointer.schema_name}.{pointer.table}" if pointer.schema_name else pointer.table
            order.setdefault((pointer.catalog, full))
    ranked = {place: number for number, place in enumerate(order)}
    every = sorted(
        ((source, table) for source, known in tables.items() for table in known),
        key=lambda item: (ranked.get((item[0], item[1].full_name), len(ranked)), item[0], item[1].full_name),
    )
    several = len(tables) > 1
    named = [(f"{source}.{table.full_name}" if several else table.full_name, source, table) for source, table in every]
    likely = [name for name, source, table in named if (source, table.full_name) in ranked]
    return likely, [(name, f"{source}.{overview_line(table)}" if several else overview_line(table)) for name, source, table in named]


def definitions_of(floor: Floor, source: str) -> list[Definition]:
    """The metrics and terms of a source."""
    return list(floor.catalogue.terms(source, owner=floor.owner).believed)


def _definitions(floor: Floor, sources: Collection[str], kept: str | None) -> list[str]:
    """Those of these sources, with the source where there are several; first those of the source that the conversation is about."""
    order = sorted(sources, key=lambda source: (source != kept, source))
    lines = [(source, entry.line) for source in order for entry in definitions_of(floor, source)]
    return list(dict.fromkeys(f"{source}: {line}" if len(sources) > 1 else line for source, line in lines))


def _headings(floor: Floor, words: str, source: str | None) -> list[str]:
    """Only headings of documents: a term of the glossary is among the definitions."""
    found = [passage for passage in about_tables(floor, words, source) if passage.path]
    return [f"{passage.title}: {passage.heading}" if passage.heading else passage.title for passage in found]
