"""A model asked for a statement: drafts in two ways, each run and repaired, compared by their results."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.tables import JoinPath, TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.questions.items import Item, Kind
from workers.engines.results.comparing import comparable_rows
from workers.engines.sql.repair import repair
from workers.errors import ModelAnswerUnusable
from workers.kinds.ask.rules.drafts import (
    MOST_REPAIRS,
    Judged,
    SqlDraft,
    SteppedDraft,
    Tried,
    doubts_of,
    joins_text,
    judged,
    schema_text,
    values_text,
    with_known_values,
)
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

    contract: type[SqlDraft] | type[SteppedDraft]
    is_reversed: bool = False
    """The tables in the opposite order."""


_WAYS = (Way(SqlDraft), Way(SteppedDraft), Way(SqlDraft, is_reversed=True))


@dataclass(frozen=True, slots=True)
class Bench:
    """What a draft is checked with."""

    dialect: str
    tables: tuple[TableDetail, ...]
    """Those of the question."""
    paths: tuple[JoinPath, ...]
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
        if len(tried) == 2 and tried[0].rows == tried[1].rows:
            break  # two ways agree: a third would only cost
    best = judged(tried)
    if best is None:
        raise ModelAnswerUnusable(f"No statement of model {chat.model} runs: {problem}")
    doubts = doubts_of(best.sql, bench.dialect, items)
    return judged(tried, doubts) or best


def _drafted(
    chat: ChatClient, bench: Bench, way: Way, question: str, items: Sequence[Item], instructions: str, examples: str
) -> Tried | str:
    """A draft that runs, or what is wrong with the last one."""
    shown = tuple(reversed(bench.tables)) if way.is_reversed else bench.tables
    data: dict[str, object] = {
        "dialect": bench.dialect, "tables": schema_text(shown, items), "joins": joins_text(bench.paths), "values": values_text(items),
        "instructions": instructions, "examples": examples, "question": question, "sql": "", "problem": "",
        "stepwise": way.contract is SteppedDraft,
    }  # fmt: skip
    problem, seen = "", set[str]()
    for _ in range(1 + MOST_REPAIRS):
        sql = chat.ask(way.contract, prompt=PROMPT, **data).value.sql.strip().rstrip(";")
        made = _run(bench, sql)
        if isinstance(made, Tried) or sql in seen:  # it runs, or the model says the same again
            return made
        seen.add(sql)
        problem = made
        data |= {"sql": sql, "problem": problem}
    return problem


def _run(bench: Bench, sql: str) -> Tried | str:
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
    return Tried(spelled, comparable_rows(rows))
