"""The state in which an answer leaves the conversation: what the next message may refer to."""

from collections.abc import Sequence

from contracts.ask.results import LogsFound, PassagesFound, Queried, ReadingStatus, SqlExplained, SqlFixed, SqlMade, TablesFound, ToolResult
from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool

ASIDES = frozenset({Tool.EXPLAIN_SQL, Tool.ASK_HUMAN, Tool.REJECT})
"""What a user may want in between, without giving up what they were after."""


def state_after(understanding: Understanding, done: Sequence[ToolResult]) -> Carried:
    """What was asked, found and made, on top of what the conversation held before."""
    before = understanding.carried or Carried()
    goal = before.goal if understanding.final_intent in ASIDES else understanding.final_intent
    state = before.model_copy(
        update={
            "question": understanding.subject,
            "definitions": understanding.definitions,
            "background": understanding.background,
            "goal": goal,
            "awaits": None,
            "keeps_source": understanding.keeps_source,
            "within": understanding.within,
            "source": understanding.source or before.source,
        }
    )
    for result in done:
        state = state.model_copy(update=_of(result, state))
    return state


def _of(result: ToolResult, state: Carried) -> dict[str, object]:
    match result:
        case TablesFound():
            first = result.tables[0].source if result.tables else state.source
            read = {"question": result.reading.text} if result.reading.status is ReadingStatus.READ and result.reading.text else {}
            return {"tables": tuple(table.name for table in result.tables), "source": first, **read}
        case SqlMade() if result.sql:
            return {
                "sql": result.runs, "sql_call": result.call, "plan": result.plan, "says": result.says, "used": result.definitions,
                "dialect": "" if result.native else result.dialect,
                "source": result.source, "tables": result.tables, "awaits": Tool.EXECUTE,
            }  # fmt: skip
        case SqlFixed() if result.sql:
            return {
                **_with_sql(state, result.sql), "sql_call": result.call, "dialect": result.dialect,
                "source": result.source or state.source, "awaits": Tool.EXECUTE,
            }  # fmt: skip
        case SqlExplained():
            return {**_with_sql(state, result.sql), "dialect": result.dialect, "awaits": Tool.EXECUTE}
        case Queried() if not result.problems:
            made = {"sql_call": result.sql_call} if result.sql_call else {}
            return {**_with_sql(state, result.sql), **made, "source": result.source, "awaits": None}
        case LogsFound():
            return {"log_query": result.query, "awaits": None}
        case PassagesFound():
            return {"cites": result.cites}
        case _:
            return {}


def _with_sql(state: Carried, sql: str) -> dict[str, object]:
    """A statement in the conversation: what was read for another one is not said of it."""
    return {"sql": sql} if sql == state.sql else {"sql": sql, "sql_call": "", "dialect": "", "plan": None, "says": (), "used": ()}
