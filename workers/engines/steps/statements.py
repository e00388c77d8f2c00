"""The statements that leave a query's result in its target, so that a second run changes nothing."""

from collections.abc import Sequence

from sqlglot import exp

from contracts.pipelines.analysis import AnalysisStep, EtlTarget, HistoryWork, IncrementWork
from contracts.sql_review import WriteMode
from workers.engines.steps.expressions import column, identifier, table
from workers.engines.steps.relations import Relations

NEW = "__new"
"""Ending of the temporary table that holds what an upsert brings."""


def statements_of(relations: Relations, last: AnalysisStep, target: EtlTarget, dialect: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The statements, and the temporary tables that they make and drop."""
    trees, temporary = _trees(relations, last, target)
    return tuple(tree.sql(dialect=dialect, pretty=True, comments=False) for tree in trees), temporary


def _trees(relations: Relations, last: AnalysisStep, target: EtlTarget) -> tuple[list[exp.Expr], tuple[str, ...]]:
    if isinstance(last.work, HistoryWork):
        return _history(relations, last.work, target), ()
    query = relations.query(last.work.input if isinstance(last.work, IncrementWork) else last.id)
    if target.mode is WriteMode.OVERWRITE or not target.key:
        return [_drop(target.table), _create(target.table, query)], ()
    return _upsert(query, target), (f"{target.table}{NEW}",)


def _drop(name: str) -> exp.Expr:
    return exp.Drop(tables=[table(name)], kind="TABLE", exists=True)


def _create(name: str, query: exp.Query, *, keeps: bool = False) -> exp.Expr:
    return exp.Create(this=table(name), kind="TABLE", expression=query, exists=keeps)


def _upsert(query: exp.Query, target: EtlTarget) -> list[exp.Expr]:
    new, names = f"{target.table}{NEW}", [item.name for item in target.columns]
    empty = exp.select(*map(identifier, names)).from_(table(new)).where(exp.false())
    same = exp.and_(*(exp.EQ(this=column(key, "brought"), expression=_of(target.table, key)) for key in target.key))
    brought = exp.select(exp.Literal.number(1)).from_(exp.alias_(table(new), "brought", table=True)).where(same)
    return [
        _drop(new),
        _create(new, query),
        _create(target.table, empty, keeps=True),
        exp.Delete(this=table(target.table), where=exp.Where(this=exp.Exists(this=brought))),
        _insert(target.table, names, exp.select(*map(identifier, names)).from_(table(new))),
        _drop(new),
    ]


def _of(name: str, key: str) -> exp.Column:
    """A column of the table that a DELETE or UPDATE is about."""
    return column(key, name.rpartition(".")[2])


def _insert(name: str, columns: Sequence[str], query: exp.Query) -> exp.Expr:
    return exp.Insert(this=exp.Schema(this=table(name), expressions=list(map(identifier, columns))), expression=query)


def _history(relations: Relations, work: HistoryWork, target: EtlTarget) -> list[exp.Expr]:
    """Close what changed or is missing, then open what has no open row."""
    names, old = [item.name for item in target.columns], target.table.rpartition(".")[2]
    today = relations.query(work.input).subquery("today")
    is_open: exp.Expr = (
        column(work.is_current, old)
        if work.is_current
        else exp.EQ(this=column(work.valid_to, old), expression=_end(work.open_end))
    )  # fmt: skip
    same_key = [exp.EQ(this=column(key, "today"), expression=column(key, old)) for key in work.key]
    same = [exp.NullSafeEQ(this=column(name, "today"), expression=column(name, old)) for name in work.tracked]
    unchanged = exp.Exists(this=exp.select(exp.Literal.number(1)).from_(today.copy()).where(exp.and_(*same_key, *same)))
    closing: list[exp.Expr] = [is_open.copy(), exp.Not(this=unchanged)]
    if not work.closes_missing:
        closing.append(exp.Exists(this=exp.select(exp.Literal.number(1)).from_(today.copy()).where(exp.and_(*same_key))))
    day = exp.select(exp.Max(this=column(work.day, "today"))).from_(today.copy())
    sets = [exp.EQ(this=exp.column(identifier(work.valid_to)), expression=day.subquery())]
    if work.is_current:
        sets.append(exp.EQ(this=exp.column(identifier(work.is_current)), expression=exp.false()))
    made: dict[str, exp.Expr] = {
        work.valid_from: column(work.day, "today"),
        work.valid_to: _end(work.open_end),
        **({work.is_current: exp.true()} if work.is_current else {}),
    }
    values = [
        exp.alias_(made.get(name, column(name, "today")), identifier(name)) if name in made else column(name, "today") for name in names
    ]
    matches = [exp.EQ(this=column(key, old), expression=column(key, "today")) for key in work.key]
    has_open = exp.Exists(this=exp.select(exp.Literal.number(1)).from_(table(target.table)).where(exp.and_(*matches, is_open.copy())))
    opened = exp.select(*values).from_(today.copy()).where(exp.Not(this=has_open))
    empty = exp.select(*(value.copy() for value in values)).from_(today.copy()).where(exp.false())
    return [
        *([] if target.exists else [_create(target.table, empty, keeps=True)]),
        exp.Update(this=table(target.table), expressions=sets, where=exp.Where(this=exp.and_(*closing))),
        _insert(target.table, names, opened),
    ]


def _end(day: str) -> exp.Expr:
    return exp.Cast(this=exp.Literal.string(day), to=exp.DataType.build("date"))
