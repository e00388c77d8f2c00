"""A job that there is as a specification to edit: what the user wrote, else what the analyst understood."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from pydantic import ValidationError
from sqlglot import exp

from contracts.base import Json
from contracts.pipelines.analysis import AnalysisResult, EtlTarget, HistoryColumns, HistoryWork, IncrementWork
from contracts.statements import Sayable
from contracts.tables import TableDetail
from workers.engines.sql.trees import NotParsed, parse
from workers.engines.steps import Relations
from workers.engines.steps.relations import spoken_names
from workers.kinds.etl.rules.drafting import drafted
from workers.saying import text_of


def spec_again(request: Json, analysed: Json | None, source: tuple[str, str], tables: Sequence[TableDetail]) -> str:
    """A YAML text. Where nothing was understood, and of a history in typed steps, it is the draft for the requirement's words."""
    if written := str(request.get("spec") or ""):
        return written
    analysis = _read(analysed)
    query = None if analysis is None else _content(analysis, tables, source[1])
    if analysis is None or query is None:
        return drafted(str(request.get("requirement") or ""), tables, lambda _: (), source)
    return "\n".join([*_asked(request), *_target(analysis, source[1]), *query, ""])


def _read(content: Json | None) -> AnalysisResult | None:
    try:
        return None if content is None else AnalysisResult.model_validate(content)
    except ValidationError:  # a revision replaced it by content of another form
        return None


def _asked(request: Json) -> Iterator[str]:
    """The requirement, as a comment."""
    for line in str(request.get("requirement") or "").strip().splitlines()[:20]:
        yield f"# > {_one_line(line)}".rstrip()


def _target(analysis: AnalysisResult, dialect: str) -> Iterator[str]:
    """All but the content of the table."""
    target = analysis.target
    yield f"target: {_value(target.table)}"
    yield f"source: {_value(analysis.source)}"
    if analysis.sql and analysis.dialect and analysis.dialect != dialect:
        yield f"dialect: {_value(analysis.dialect)}"
    if target.description:
        yield f"description: {_value(_said(target.description))}"
    yield f"mode: {target.mode.value}"
    yield f"grain: [{', '.join(map(_value, target.key))}]"
    if target.partition_by:
        yield f"partition_by: [{', '.join(map(_value, target.partition_by))}]"
    if target.keeps_all:
        yield f"keeps_all: {_value(target.keeps_all)}"
    if target.only:
        yield "only:"
        yield from (f"  - {{table: {_value(table)}, condition: {_value(condition)}}}" for table, condition in target.only)
    if target.totals:
        yield "totals:"
        yield from (f"  - {{column: {_value(column)}, sql: {_value(query)}}}" for column, query in target.totals)
    if target.late_days:
        yield f"late_days: {target.late_days}"
    if target.history is not None:
        history = target.history
        parts = {"valid_from": history.valid_from, "valid_to": history.valid_to, "is_current": history.is_current}
        written = [f"{name}: {_value(column)}" for name, column in parts.items() if column]
        written += [f"open_end: {_value(history.open_end)}"] if history.open_end != HistoryColumns.model_fields["open_end"].default else []
        written += ["closes_missing: true"] if history.closes_missing else []
        yield f"history: {{{', '.join(written)}}}"
    if analysis.schedule:
        yield f"schedule: {_value(analysis.schedule)}"
    yield from _columns(target)


def _columns(target: EtlTarget) -> Iterator[str]:
    if target.columns:
        yield "columns:"
    for column in target.columns:
        parts = [f"name: {_value(column.name)}"]
        parts += [f"type: {_value(column.type)}"] if column.type else []
        parts += [f"meaning: {_value(_said(column.description))}"] if column.description else []
        parts += [f"nullable: {str(column.nullable).lower()}"] if column.nullable is not None else []
        yield f"  - {{{', '.join(parts)}}}"


def _content(analysis: AnalysisResult, tables: Sequence[TableDetail], dialect: str) -> list[str] | None:
    """The query or the statements of the table as a block; None: what there is cannot be said as one query."""
    if analysis.sql:
        try:
            trees = parse(analysis.sql, analysis.dialect or dialect)
        except NotParsed:
            return None
        return _block("sql" if len(trees) == 1 and isinstance(trees[0], exp.Query) else "script", analysis.sql)
    if not analysis.steps or any(step.work is None for step in analysis.steps) or isinstance(analysis.steps[-1].work, HistoryWork):
        return None
    last = analysis.steps[-1]
    relations = Relations(analysis.steps, tables, dialect, {}, spoken_names(analysis.steps))
    query = relations.query(last.work.input if isinstance(last.work, IncrementWork) else last.id)
    return _block("sql", query.sql(dialect=dialect, pretty=True, comments=False))


def _block(field: str, text: str) -> list[str]:
    return [f"{field}: |", *(f"  {line}".rstrip() for line in text.strip().splitlines())]


def _value(text: str) -> str:
    """A text as YAML reads it back, quoted where it has to be."""
    plain: Any = None
    try:
        plain = yaml.safe_load(f"[{text}]") if text.isascii() and text.replace("_", "").replace(".", "").isalnum() else None
    except yaml.YAMLError:
        plain = None
    return text if plain == [text] else json.dumps(text, ensure_ascii=False)


def _said(text: Sayable) -> str:
    return text if isinstance(text, str) else text_of(text, "en")


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
