"""A step that calls a tool: what a model may choose of its arguments, the call, and all rows of its table."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError

from contracts.analyze.steps import Act, ActOutcome, ToolUse
from contracts.base import Contract, Json, Text
from contracts.charts import Chart
from contracts.procedure_results import Cell, HeldTable
from contracts.procedures import CallStep, Procedure, TableSpec
from contracts.statements import Sayable, Statement
from contracts.tools import CallOutcome
from workers.engines.procedures.computing import judged_steps, rows_of
from workers.engines.procedures.expressions import search
from workers.kinds.analyze.rules.findings import say_no_column
from workers.kinds.analyze.rules.progress import Standing
from workers.llm.brief import Brief
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import Reasoned, reason
from workers.saying import text_of

MOST_ROWS = 2_000
"""Rows of a table that a step holds: a deliverable has room for a megabyte of JSON."""
MOST_BYTES = 250_000
"""Size of a table as JSON: an answer shows several and carries them to the next message, in a deliverable of a megabyte."""
PAGE = 500
MOST_MESSAGE = 2_000
SHARE_OPTIONS, SHARE_QUESTION = 0.7, 0.15
"""Shares of the model's window."""
MOST_SAID = 8
"""Sentences of a tool that an answer repeats."""


class Picked(Contract):
    """What a model takes for an argument."""

    values: tuple[Text, ...] = Field(min_length=1, max_length=40)


def call_tool(ctx: StepContext, step: CallStep, place: Standing, number: int, question: str) -> Reasoned[Act]:
    """Call the tool that is due. A business error ends the step as failed; a transport error is raised, and tried again."""
    given = _all_rows(ctx, step, place.procedure) | dict(place.due.arguments) | dict(ctx.edit().get("arguments") or {})
    made = reason(ctx, lambda chat: _chosen(ctx, chat, step, place, given, question), lambda: given)
    use = ToolUse(tool=step.call, arguments=made.value)
    answer = ctx.tools.call(step.call, made.value)
    if answer.outcome is not CallOutcome.ANSWERED or answer.result is None:
        act = Act(number=number, step=step.id, kind="call", outcome=ActOutcome.FAILED, call=use, message=answer.message)
        return Reasoned(act, made.engine, made.notes)
    refused = answer.result.get("error")
    if isinstance(refused, str) and refused:  # for a model, which would try again; a procedure cannot
        act = Act(number=number, step=step.id, kind="call", outcome=ActOutcome.FAILED, call=use, message=refused[:MOST_MESSAGE])
        return Reasoned(act, made.engine, made.notes)
    try:
        table = _table(ctx, step, step.table, answer.result) if step.table else None
    except _NoPage as failed:
        act = Act(number=number, step=step.id, kind="call", outcome=ActOutcome.FAILED, call=failed.use, message=str(failed)[:MOST_MESSAGE])
        return Reasoned(act, made.engine, made.notes)
    if table is not None and table.key not in table.columns and table.columns:
        why = text_of(say_no_column(table.key, table.columns), place.scope["language"])
        act = Act(number=number, step=step.id, kind="call", outcome=ActOutcome.FAILED, call=use, message=why)
        return Reasoned(act, made.engine, made.notes)
    act = Act(
        number=number,
        step=step.id,
        kind="call",
        call=use,
        result=answer.result,
        table=table,
        chart=_chart(step, answer.result),
        says=_says(step, answer.result),
    )
    return Reasoned(_fitting(act), made.engine, made.notes)


def _fitting(act: Act) -> Act:
    """The step with as many rows as a conversation can carry. How many there were is kept, so that what judges them can say it."""
    result, table = act.result or {}, act.table
    if len(act.model_dump_json()) <= MOST_BYTES:
        return act
    if table is not None:
        while table.rows and len(table.model_dump_json()) > MOST_BYTES:
            table = table.model_copy(update={"rows": table.rows[: len(table.rows) // 2]})
        return act.model_copy(update={"table": table, "result": {name: value for name, value in result.items() if name != "rows"}})
    rows: Any = result.get("rows")
    while isinstance(rows, list) and rows and len(json.dumps(rows, default=str)) > MOST_BYTES:  # pyright: ignore[reportUnknownArgumentType] JSON has no static type
        rows = rows[: len(rows) // 2]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] as above
    return act.model_copy(update={"result": {**result, "rows": rows}}) if "rows" in result else act


def _all_rows(ctx: StepContext, step: CallStep, procedure: Procedure) -> Json:
    """As many rows as a tool gives at once, unless the procedure wants fewer: a table is judged as a whole, and a sample is for a model."""
    if step.table is None and step.id not in judged_steps(procedure):
        return {}
    offer = next((offer for offer in ctx.tools.offers() if offer.name == step.call), None)
    limit: Json = offer.arguments.get("properties", {}).get("limit", {}) if offer is not None else {}
    return {"limit": limit["maximum"]} if limit.get("type") == "integer" and "default" in limit and "maximum" in limit else {}


def _chosen(ctx: StepContext, chat: ChatClient, step: CallStep, place: Standing, given: Json, question: str) -> Json:
    """The arguments with what a model chose. It may take from a list only, and what the procedure wants in any case is added."""
    found = dict(given)
    for name, choice in step.choose.items():
        options = _texts(search(choice.options, place.scope))
        least = _texts(search(choice.least, place.scope)) if choice.least is not None else []
        if len(options) < 2 or place.scope.get("unknown"):
            continue
        brief = Brief.of(chat)
        picked = chat.ask(
            Picked,
            prompt="analyst/choose",
            tool=step.call,
            argument=name,
            options=brief.items("options", options, SHARE_OPTIONS),
            question=brief.text("question", question, SHARE_QUESTION),
            session=brief.text("session", ctx.session.context(), SHARE_QUESTION),
            prompt_cuts=brief.cut_rows(),
        )
        kept = [value for value in picked.value.values if value in options]
        found[name] = list(dict.fromkeys([*least, *kept])) or found.get(name)
    return found


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] JSON has no static type


class _NoPage(Exception):
    """Rows of a table could not be read."""

    def __init__(self, use: ToolUse, message: str) -> None:
        super().__init__(message)
        self.use = use


def _table(ctx: StepContext, step: CallStep, spec: TableSpec, result: Json) -> HeldTable | None:
    """All rows of the table, page by page where the result holds only the first. Raises `_NoPage`."""
    if spec.rows is not None:
        return _of_rows(step, spec, search(spec.rows, result), result)
    reference = search(spec.reference or "", result)
    if not isinstance(reference, str) or spec.pages is None:
        return None
    columns: tuple[str, ...] = ()
    rows: list[tuple[Cell, ...]] = []
    total = 0
    while len(rows) < MOST_ROWS:
        use = ToolUse(tool=spec.pages, arguments={"reference": reference, "offset": len(rows), "limit": PAGE})
        answer = ctx.tools.call(use.tool, use.arguments)
        if answer.outcome is not CallOutcome.ANSWERED or answer.result is None:
            raise _NoPage(use, answer.message)
        page = answer.result
        if isinstance(refused := page.get("error"), str) and refused:
            raise _NoPage(use, refused)
        columns = tuple(map(_column, page.get("columns", ())))
        total = int(page.get("row_count") or 0)
        new = [tuple(map(_cell, row)) for row in page.get("rows", ())]
        rows += new
        if not new or len(rows) >= total:
            break
    kept = tuple(row for row in rows[:MOST_ROWS] if len(row) == len(columns))
    return HeldTable(step=step.id, level=spec.level, key=spec.key, columns=columns, rows=kept, row_count=total)


def _column(column: Any) -> str:
    """The name of a column, which may be described by an object."""
    named: Json = column if isinstance(column, dict) else {"name": column}  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    return str(named.get("name", ""))


def _of_rows(step: CallStep, spec: TableSpec, value: object, result: Json) -> HeldTable:
    """Rows are objects, or lists of cells where the result names its `columns`, as that of `query_source` does. A result that was cut says
    in `row_count` how many rows there are."""
    named = tuple(map(_column, result.get("columns") or ()))
    objects = _named(value, named) or rows_of(value)
    columns = tuple(dict.fromkeys(str(name) for item in objects for name in item)) or named
    rows = tuple(tuple(_cell(item.get(name)) for name in columns) for item in objects[:MOST_ROWS])
    total = result.get("row_count") if spec.rows == "rows" else None
    most = max(len(objects), total) if isinstance(total, int) else len(objects)
    has_more = spec.rows == "rows" and bool(result.get("cut"))
    return HeldTable(step=step.id, level=spec.level, key=spec.key, columns=columns, rows=rows, row_count=most, has_more=has_more)


def _named(value: object, columns: tuple[str, ...]) -> list[Mapping[str, Any]]:
    """Rows that are lists of cells, as objects."""
    rows: list[Any] = value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType] JSON has no static type
    return [dict(zip(columns, row, strict=True)) for row in rows if isinstance(row, list) and len(row) == len(columns)]  # pyright: ignore[reportUnknownArgumentType] as above


def _cell(value: object) -> Cell:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)[:200]


def _chart(step: CallStep, result: Json) -> Chart | None:
    found = search(step.chart, result) if step.chart is not None else None
    try:
        return Chart.model_validate(found) if found is not None else None
    except ValidationError:
        return None


def _says(step: CallStep, result: Json) -> tuple[Sayable, ...]:
    found = search(step.says, result) if step.says is not None else None
    return tuple(_sayable(item) for item in found[:MOST_SAID]) if isinstance(found, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] as above


def _sayable(value: Any) -> Sayable:
    try:
        return Statement.model_validate(value)
    except ValidationError:
        return str(value)[:2_000]
