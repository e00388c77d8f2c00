"""The conversation as a model is shown it: the questions before with their statements and results, and what was asked in this job."""

from collections.abc import Sequence
from uuid import UUID

from contracts.ask.results import LogsFound, PassagesFound, Queried, Refused, TablesFound, ToolResult
from contracts.ask.steps import AskPlan
from contracts.base import Json
from contracts.replies import Reply
from contracts.statements import Quote, Statement
from workers.errors import NotFound
from workers.llm.brief import Brief
from workers.roles.base import StepContext
from workers.saying import text_of

KIND = "ask"
CHOICE = "ask.choice"
"""The form in which a question keeps a choice with its number."""
MOST_TURNS = 5
"""Earlier questions of the conversation that a model is shown."""
MOST_SAID = 600
"""Characters of an earlier answer in words."""
MOST_ROWS = 5
"""Rows of an earlier result that it is shown."""
SHARE_TURNS, SHARE_SESSION = 0.15, 0.08
"""Shares of the window."""


def turns_of(ctx: StepContext) -> list[AskPlan]:
    """The answered questions of the conversation, the oldest first. What retention has removed is passed over."""
    return [plan for _, plan in _answered(ctx)]


def session_text(ctx: StepContext, brief: Brief, *, has_conversation: bool = False) -> str:
    """What the session remembers for this role. `has_conversation`: the prompt shows the questions of the conversation, which are then
    not shown twice."""
    shown = [job_id for job_id, _ in _answered(ctx)] if has_conversation else []
    return brief.text("session", ctx.session.context(shown), SHARE_SESSION)


def _answered(ctx: StepContext) -> list[tuple[UUID, AskPlan]]:
    found: list[tuple[UUID, AskPlan]] = []
    for earlier in ctx.session.earlier():
        if earlier.kind != KIND or len(found) == MOST_TURNS:
            continue
        try:
            plan = ctx.session.read(AskPlan, earlier)
        except NotFound:
            continue
        if plan.answer is not None:
            found.append((earlier.job_id, plan))
    return found[::-1]


def statement_of(turn: AskPlan) -> str:
    """The statement at which an answer left the conversation."""
    return turn.answer.state.sql if turn.answer is not None else ""


def conversation_text(brief: Brief, turns: Sequence[AskPlan]) -> str:
    """The conversation: each question with its statement and the head of its result, or what it was answered in words."""
    return brief.items("conversation", [_turn_text(turn) for turn in turns], SHARE_TURNS, separator="\n\n", last_first=True)


def _turn_text(turn: AskPlan) -> str:
    parts = [f"User: {turn.question}"]
    answer = turn.answer
    if answer is None:
        return parts[0]
    parts.append(f"Answered with: {answer.ends_with.value}")
    for result in answer.results:
        sql = getattr(result, "sql", "")
        if sql:
            parts.append(f"SQL over {source}: {sql}" if (source := getattr(result, "source", "")) else f"SQL: {sql}")
        if isinstance(result, Queried) and result.columns:
            rows = [", ".join("NULL" if cell is None else str(cell)[:60] for cell in row) for row in result.rows[:MOST_ROWS]]
            parts.append("\n".join([f"Result, {result.row_count} rows: {', '.join(result.columns)}", *rows]))
        if answer_text := _words_of(result):
            parts.append(answer_text)
    return "\n".join(parts)


def _words_of(result: ToolResult) -> str:
    """What a result without rows says: a refusal may hold the question that the next message answers."""
    match result:
        case Refused():
            return f"Refused: {text_of(result.reason, 'en')[:MOST_SAID]}"
        case TablesFound(tables=(_, *_)):
            return f"Tables: {', '.join(table.name for table in result.tables)}"
        case PassagesFound() if result.answer:
            return f"From the documents: {result.answer[:MOST_SAID]}"
        case LogsFound() if result.logql:
            return f"LogQL: {result.logql}"
        case _:
            return ""


def replies_of(ctx: StepContext) -> list[Reply]:
    """What the user was asked in this job, and answered."""
    found: list[Reply] = []
    for payload, response in ctx.answers():
        reply = str(response.get("text", "")).strip()
        if reply:
            choices = tuple(_said(choice, ctx.language) for choice in payload.get("choices") or ())
            found.append(Reply(question=_said(payload.get("text"), ctx.language), choices=choices, reply=reply))
    return found


def _said(value: Json | str | None, language: str) -> str:
    """As the user read it; a choice without its number, since a prompt counts them itself."""
    if not isinstance(value, dict):
        return str(value or "")
    statement = Statement.model_validate(value)
    choice = statement.values["reading"] if statement.code == CHOICE else statement
    return choice.text if isinstance(choice, Quote) else text_of(choice, language)
