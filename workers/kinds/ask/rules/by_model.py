"""What the supervisor says of a message, and what the code takes of it.

It chooses a tool and fills in its arguments. What the deployment does not have is not its to call; a table that does not exist is dropped;
a statement that is neither in the message nor in the conversation is not the user's."""

from collections.abc import Collection, Sequence

from contracts.ask.answers import SupervisorAnswer
from contracts.ask.request import AskRequest
from contracts.ask.results import ChartWish
from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool
from contracts.charts import Mark
from contracts.replies import Reply
from contracts.statements import Sayable, passage, say
from workers.engines.sql.names.written import Place, meant_tables
from workers.kinds.ask.rules.following import definitions_with
from workers.kinds.ask.rules.intents import Grounds

MEANINGS: dict[Tool, str] = {
    Tool.DATA_DISCOVERY: "find which tables and columns hold something",
    Tool.GENERATE_SQL: "write the SQL, without running it: the user asks for the statement or the method",
    Tool.EXECUTE: "run SQL and give figures, an answer or a chart: the user asks for the result (SQL is written first if there is none)",
    Tool.EXPLAIN_SQL: "say in words what a given SQL statement computes",
    Tool.FIX_SQL: "mend a given SQL statement that does not run or gives a wrong result",
    Tool.DATASUITE_FAQ: "say how something is done or defined, from the documents",
    Tool.SEARCH_LOG: "find lines in the logs of services, or count them",
    Tool.ASK_HUMAN: "ask the user what is meant, where readings differ and nothing decides; also answers thanks and greetings (`reason`)",
    Tool.REJECT: "refuse: it has nothing to do with data, documents or logs, or it would change data or rights",
}
"""What a model reads about each tool. `data_suite_expert` answers only those who chose it (S2)."""

FORBIDDEN = (
    "change data, tables or rights, in any statement",
    "answer what has nothing to do with data, documents or logs",
    "show data that the tools do not give this user",
)
"""What a model reads that it never helps with (S38)."""

MOST_ASKED = 800
"""Characters of a model's question that the user is shown."""


def offered(grounds: Grounds) -> tuple[Tool, ...]:
    """The tools that the deployment has."""
    tools = {Tool.ASK_HUMAN, Tool.REJECT}
    tools |= {Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE, Tool.EXPLAIN_SQL, Tool.FIX_SQL} if grounds.has_sources else set()
    tools |= {Tool.DATASUITE_FAQ} if grounds.has_documents else set()
    tools |= {Tool.SEARCH_LOG} if grounds.has_logs else set()
    return tuple(tool for tool in MEANINGS if tool in tools)


def problem_of(
    answer: SupervisorAnswer, tools: Collection[Tool], request: AskRequest, statements: Sequence[str], *, may_ask: bool
) -> str | None:
    """What is wrong with the supervisor's answer, for the model. `statements`: the SQL of the conversation and the message."""
    for tool in (answer.tool, answer.final_intent):
        if tool not in tools:
            return f"{tool.value} is not there. The tools are: {', '.join(tools)}."
    if answer.tool is Tool.ASK_HUMAN and not answer.ask and not answer.reason:
        return "With ask_human, `ask` has the question to the user, or `reason` the reply to a greeting."
    if answer.tool is Tool.ASK_HUMAN and answer.ask and not may_ask:
        return "The user cannot be asked any more. Choose the most likely reading, or reject with a reason."
    if answer.tool in (Tool.EXPLAIN_SQL, Tool.FIX_SQL) and statement_of(answer, request, statements) is None:
        return (
            f"There is no statement to give to {answer.tool.value}, neither in the message nor in the conversation. If the message has "
            "one, `sql` has it word by word."
        )
    return None


def statement_of(answer: SupervisorAnswer, request: AskRequest, statements: Sequence[str]) -> str | None:
    """The statement that is meant: the one that came with the request, or the one that the supervisor names, as the conversation or the
    message has it. What is only a part of the message may be explained and mended; it does not run as the user's, since the rest of the
    statement may be missing."""
    if request.sql:
        return request.sql
    if answer.tool not in (Tool.EXPLAIN_SQL, Tool.FIX_SQL, Tool.EXECUTE):
        return None
    wanted = _as_meant(answer.sql)
    if not wanted:
        return None if answer.tool is Tool.EXECUTE else statements[-1] if statements else None
    whole = next((text for text in reversed(statements) if _as_meant(text) == wanted), None)
    is_part = answer.tool is not Tool.EXECUTE and wanted in _as_meant(request.question)
    return whole or (answer.sql if is_part else None)


def _as_meant(sql: str) -> str:
    """A statement without what changes nothing: case and blanks outside quotation marks, a closing semicolon."""
    made, mark = list[str](), ""
    for sign in sql.strip().rstrip("; \n"):
        if mark:
            mark = "" if sign == mark else mark
            made.append(sign)
            continue
        mark = sign if sign in "'\"`" else ""
        if not sign.isspace() or made[-1:] != [" "]:
            made.append(" " if sign.isspace() else sign.casefold())
    return "".join(made)


def understood(
    answer: SupervisorAnswer,
    request: AskRequest,
    carried: Carried | None,
    replies: Sequence[Reply],
    *,
    tables: Sequence[Place],
    statements: Sequence[str],
    background: str,
) -> Understanding:
    """The supervisor's answer as the understanding of the message. `tables`: source and full name of those that exist."""
    statement = statement_of(answer, request, statements)
    first = answer.tool
    if first is Tool.GENERATE_SQL or (first is Tool.EXECUTE and statement is None):
        first = Tool.DATA_DISCOVERY  # no SQL without the details of its tables, no execution without SQL
    is_reply = answer.tool is Tool.ASK_HUMAN and not answer.ask
    is_theirs = statement is not None and carried is not None and statement == carried.sql
    question = answer.question.strip() or request.question
    source, meant = meant_tables(answer.tables, answer.source, tables)
    return Understanding(
        question=question,
        words=request.question,
        replies=tuple(replies),
        by_model=True,
        subject=carried.question if carried and (is_theirs or first is Tool.REJECT) else "" if is_reply else question,
        intent=first,
        final_intent=answer.final_intent,
        is_closing=is_reply,
        is_follow_up=carried is not None and bool(carried.question),
        carried=carried,
        definitions=definitions_with(carried, "" if first is Tool.SEARCH_LOG else request.question),
        background=background,
        statement=statement,
        source=source,
        tables=meant,
        chart=ChartWish(mark=Mark(answer.chart)) if answer.chart else None,
        dialect=request.dialect,
        reason=_reason(answer),
        choices=answer.choices if answer.tool is Tool.ASK_HUMAN else (),
    )


def _reason(answer: SupervisorAnswer) -> Sayable | None:
    if answer.tool is Tool.ASK_HUMAN and answer.ask:
        return in_its_words(answer.ask)
    if answer.tool in (Tool.ASK_HUMAN, Tool.REJECT) and answer.reason:
        return say("ask.said_by_model", text=passage(answer.reason[:MOST_ASKED]))
    return None


def in_its_words(question: str) -> Sayable:
    """What a model asks the user, said to be the model's."""
    return say("ask.question.of_model", question=passage(" ".join(question.split())[:MOST_ASKED]))
