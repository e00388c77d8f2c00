"""A model asked for a query: as a plan and as statements, each run and repaired, compared by their results."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from contracts.tables import JoinPath, TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.questions.items import Item, Kind
from workers.engines.results.comparing import comparable_rows
from workers.engines.sql.build import build_sql
from workers.engines.sql.repair import repair
from workers.errors import ModelAnswerUnusable
from workers.kinds.ask.rules.drafts import (
    MOST_REPAIRS,
    Judged,
    SqlDraft,
    SteppedDraft,
    Tried,
    agree,
    doubts_of,
    is_ordered,
    joins_text,
    judged,
    schema_text,
    values_text,
    with_known_values,
)
from workers.kinds.ask.rules.labels import labelled
from workers.kinds.ask.rules.plan_drafts import NoSuchPlan, PlanDraft, plan_of
from workers.llm import ChatClient

MOST_TABLES = 5
"""Tables that a model is shown: with more, it takes columns from the wrong ones."""

SURE = 0.8
"""Quality of a link from which its table is shown to a model."""

Rows = Sequence[Sequence[object]]

PROMPT = "developer/sql"


@dataclass(frozen=True, slots=True)
class Way:
    """How a draft is asked for. The prompts begin alike, so that a server that keeps the beginning reads only the rest."""

    form: Literal["statement", "steps", "plan"]
    contract: type[SqlDraft] | type[SteppedDraft] | type[PlanDraft]
    is_reversed: bool = False
    """The tables in the opposite order."""


_WAYS = (Way("plan", PlanDraft), Way("statement", SqlDraft), Way("steps", SteppedDraft), Way("statement", SqlDraft, is_reversed=True))
"""As many of them as it takes until two agree: the later ones are asked only where a question is doubtful."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a draft is checked with."""

    dialect: str
    tables: tuple[TableDetail, ...]
    """Those of the question."""
    paths: tuple[JoinPath, ...]
    edges: Edges
    dry_run: Callable[[str], str | None]
    """The engine's error, or None."""
    rows: Callable[[str], Rows | str]
    """The result, or the engine's error."""


def tables_for(items: Sequence[Item], tables: Sequence[TableDetail], edges: Edges) -> tuple[TableDetail, ...]:
    """The tables that the words mean, and those that connect two of them."""
    named = list(
        dict.fromkeys(link.table for item in items if item.kind is not Kind.UNKNOWN for link in item.links if link.quality >= SURE)
    )
    if not named:
        return tuple(tables[:MOST_TABLES])
    between = [
        table.full_name for table in tables
        if table.full_name not in named and sum(edges.between(name, table.full_name) is not None for name in named) > 1
    ]  # fmt: skip
    wanted = list(dict.fromkeys([*named[:MOST_TABLES], *between]))[:MOST_TABLES]
    return tuple(table for table in tables if table.full_name in wanted)


def draft_sql(chat: ChatClient, bench: Bench, question: str, items: Sequence[Item], instructions: str = "", examples: str = "") -> Judged:
    """The draft that most ways of asking agree on. Raises `ModelAnswerUnusable` when none of them runs."""
    tried: list[Tried] = []
    problem = ""
    for way in _WAYS:
        made = _drafted(chat, bench, way, question, items, instructions, examples)
        if isinstance(made, str):
            problem = made
        else:
            tried.append(made)
        if agree(tried):
            break  # another would only cost
    best = judged(tried)
    if best is None:
        raise ModelAnswerUnusable(f"No statement of model {chat.model} runs: {problem}")
    return best


def _drafted(
    chat: ChatClient, bench: Bench, way: Way, question: str, items: Sequence[Item], instructions: str, examples: str
) -> Tried | str:
    """A draft that runs, or what is wrong with the last one."""
    shown = tuple(reversed(bench.tables)) if way.is_reversed else bench.tables
    data: dict[str, object] = {
        "dialect": bench.dialect, "tables": schema_text(shown, items), "joins": joins_text(bench.paths),
        "values": values_text(items), "instructions": instructions, "examples": examples, "question": question, "last": "", "problem": "",
        "form": way.form,
    }  # fmt: skip
    problem, seen = "", set[str]()
    for _ in range(1 + MOST_REPAIRS):
        draft = chat.ask(way.contract, prompt=PROMPT, **data).value
        last = json.dumps(draft.to_json(), ensure_ascii=False) if isinstance(draft, PlanDraft) else draft.sql
        made = _built(bench, draft, items) if isinstance(draft, PlanDraft) else _run(bench, draft.sql.strip().rstrip(";"), items)
        if isinstance(made, Tried) or last in seen:  # it runs, or the model says the same again
            return made
        seen.add(last)
        problem = made
        data |= {"last": last, "problem": problem}
    return problem


def _built(bench: Bench, draft: PlanDraft, items: Sequence[Item]) -> Tried | str:
    """The statement of a plan."""
    try:
        plan = labelled(plan_of(draft, bench.tables, bench.edges))
    except NoSuchPlan as error:
        return str(error)
    made = _run(bench, build_sql(plan, bench.tables, bench.dialect), items)
    return replace(made, plan=plan) if isinstance(made, Tried) else made


def _run(bench: Bench, sql: str, items: Sequence[Item]) -> Tried | str:
    spelled, unknown = with_known_values(sql, bench.dialect, bench.tables)
    if unknown:
        return f"The data have no such value: {', '.join(unknown[:3])}."
    error = bench.dry_run(spelled)
    if error is not None:
        mended = repair(spelled, error, bench.dialect, bench.tables, bench.dry_run)
        if not mended.sql:
            return error
        spelled = mended.sql
    rows = bench.rows(spelled)
    if isinstance(rows, str):
        return rows
    doubts = tuple(doubts_of(spelled, bench.dialect, items))
    return Tried(spelled, comparable_rows(rows), doubts, is_ordered(spelled, bench.dialect))
