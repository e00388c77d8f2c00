"""The statements that leave a query's result in its target, so that a second run changes nothing."""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from contracts.pipelines.analysis import AnalysisStep, EtlTarget, HistoryWork, IncrementWork
from contracts.sql_review import WriteMode
from workers.engines.steps.expressions import column, identifier, table
from workers.engines.steps.relations import Relations

NEW = "__new"
"""Ending of the temporary table that holds what a run brings."""
BEFORE, NUMBER = "__before", "version__number"
"""The ending of columns with what a row's key had before it in a run, and the column with the row's number there."""
OVERWRITES = frozenset({"hive", "spark", "spark2", "databricks"})
"""Dialects with INSERT OVERWRITE, whose tables mostly refuse DELETE."""

NO_NULL_SAFE = frozenset({"oracle", "tsql", "redshift"})
"""Dialects without IS NOT DISTINCT FROM, in the versions that are in use."""

Written = tuple[tuple[str, ...], tuple[str, ...]]
"""The statements, and the temporary tables that they make and drop."""


class NotWritable(ValueError):
    """A write mode lacks what it needs, so nothing is written rather than something else."""


def statements_of(relations: Relations, last: AnalysisStep, target: EtlTarget, dialect: str, taken: Iterable[str] = ()) -> Written:
    """The last of typed steps, in its target."""
    if isinstance(last.work, HistoryWork):
        return _printed(_history(relations.query(last.work.input), last.work, target), (), dialect)
    query = relations.query(last.work.input if isinstance(last.work, IncrementWork) else last.id)
    if target.mode is not WriteMode.OVERWRITE and not target.key and not target.partition_by:
        target = target.model_copy(update={"mode": WriteMode.OVERWRITE})  # one row of all, in every mode
    return written(query, target, dialect, taken)


def written(query: exp.Query, target: EtlTarget, dialect: str, taken: Iterable[str] = ()) -> Written:
    """The content of a target, one query by any author, written as the target's mode says. Only an overwrite drops the target, and only one
    that was not there before. `taken`: names of tables that are not ours. Raises `NotWritable`."""
    new = _free(f"{target.table}{NEW}", taken)
    match target.mode:
        case WriteMode.OVERWRITE if not target.exists:
            return _printed([_drop(target.table), _create(target.table, query)], (), dialect)
        case WriteMode.OVERWRITE:
            trees = [_drop(new), _create(new, query), *_emptied(new, target, dialect), _drop(new)]
        case WriteMode.HISTORY:
            return _printed(_history(query, _history_work(target), target), (), dialect)
        case WriteMode.UPSERT:
            trees = _replaced(query, target, new, target.key)
        case WriteMode.APPEND:
            trees = _appended(query, target, new) if target.key else _replaced(query, target, new, target.partition_by)
    return _printed(trees, (new,), dialect)


def _printed(trees: Sequence[exp.Expr], temporary: tuple[str, ...], dialect: str) -> Written:
    if dialect in NO_NULL_SAFE:
        trees = [tree.transform(_spelt_out) for tree in trees]
    return tuple(tree.sql(dialect=dialect, pretty=True, comments=False) for tree in trees), temporary


def _spelt_out(node: exp.Expr) -> exp.Expr:
    """A comparison that is never null, for a dialect without one of its own."""
    if not isinstance(node, exp.NullSafeEQ):
        return node
    left, right, null = node.this, node.expression, exp.Null()
    are_null = [exp.Is(this=side.copy(), expression=null.copy()) for side in (left, right)]
    are_filled = [exp.Not(this=part.copy()) for part in are_null]
    equal = exp.EQ(this=left.copy(), expression=right.copy())
    return exp.paren(exp.or_(exp.and_(equal, *are_filled), exp.and_(*are_null)))


def _free(name: str, taken: Iterable[str]) -> str:
    """A name that no table has that somebody else made."""
    used = {item.lower() for item in taken}
    made, number = name, 1
    while made.lower() in used or made.rpartition(".")[2].lower() in used:
        number += 1
        made = f"{name}{number}"
    return made


def _drop(name: str) -> exp.Expr:
    return exp.Drop(tables=[table(name)], kind="TABLE", exists=True)


def _create(name: str, query: exp.Query, *, keeps: bool = False) -> exp.Expr:
    return exp.Create(this=table(name), kind="TABLE", expression=query, exists=keeps)


def _emptied(new: str, target: EtlTarget, dialect: str) -> list[exp.Expr]:
    """All rows are written again in a table that stays, with its grants and the views that read it."""
    names = [item.name for item in target.columns]
    rows = exp.select(*map(identifier, names)).from_(table(new))
    if dialect in OVERWRITES:
        return [exp.Insert(this=table(target.table), expression=rows, overwrite=True)]
    return [exp.Delete(this=table(target.table)), _insert(target.table, names, rows)]


def _replaced(query: exp.Query, target: EtlTarget, new: str, key: Sequence[str]) -> list[exp.Expr]:
    """Rows of a key, or partition, that comes again are replaced."""
    if not key:
        raise NotWritable(f"{target.table} has neither a key nor a partition, so what a run brings again is not recognised.")
    names = [item.name for item in target.columns]
    brought = exp.select(exp.Literal.number(1)).from_(exp.alias_(table(new), "brought", table=True)).where(_same(target, key))
    return [
        *_brought(query, target, new),
        exp.Delete(this=table(target.table), where=exp.Where(this=exp.Exists(this=brought))),
        _insert(target.table, names, exp.select(*map(identifier, names)).from_(table(new))),
        _drop(new),
    ]


def _appended(query: exp.Query, target: EtlTarget, new: str) -> list[exp.Expr]:
    """Rows whose key is not there are added; no row that is there changes."""
    names = [item.name for item in target.columns]
    there = exp.select(exp.Literal.number(1)).from_(table(target.table)).where(_same(target, target.key))
    rows = exp.select(*(column(name, "brought") for name in names)).from_(exp.alias_(table(new), "brought", table=True))
    return [
        *_brought(query, target, new),
        _insert(target.table, names, rows.where(exp.Not(this=exp.Exists(this=there)))),
        _drop(new),
    ]


def _brought(query: exp.Query, target: EtlTarget, new: str) -> list[exp.Expr]:
    empty = exp.select(*(identifier(item.name) for item in target.columns)).from_(table(new)).where(exp.false())
    return [_drop(new), _create(new, query), _create(target.table, empty, keeps=True)]


def _same(target: EtlTarget, key: Sequence[str]) -> exp.Condition:
    """The key, or partition, of a row that comes is that of one that is there."""
    return exp.and_(*_equal(target, key, "brought"))


def _equal(target: EtlTarget, key: Sequence[str], brought: str) -> list[exp.Expr]:
    """Columns of a row that comes and of one that is there are equal. Keys that may be null are compared so that null is like null, and so
    are partitions that are not said to have a value."""
    filled = {item.name for item in target.columns if not (item.nullable or (item.nullable is None and item.name not in target.key))}
    return [(exp.EQ if name in filled else exp.NullSafeEQ)(this=column(name, brought), expression=_of(target.table, name)) for name in key]


def _of(name: str, key: str) -> exp.Column:
    """A column of the table that a DELETE or UPDATE is about."""
    return column(key, name.rpartition(".")[2])


def _insert(name: str, columns: Sequence[str], query: exp.Query) -> exp.Expr:
    return exp.Insert(this=exp.Schema(this=table(name), expressions=list(map(identifier, columns))), expression=query)


def brought_columns(target: EtlTarget) -> tuple[str, ...]:
    """The columns that the query of a target yields: all but those that the write mode fills in."""
    made = {target.history.valid_to, target.history.is_current} if target.mode is WriteMode.HISTORY and target.history else set[str]()
    return tuple(item.name for item in target.columns if item.name not in made)


def _history_work(target: EtlTarget) -> HistoryWork:
    """What a target says of its versions, as the work that typed steps have for it."""
    kept, names = target.history, brought_columns(target)
    if kept is None or kept.valid_from not in names:
        raise NotWritable(f"{target.table} keeps versions, and nothing says from when and until when one holds.")
    key = tuple(name for name in target.key if name != kept.valid_from)
    if not key:
        raise NotWritable(f"{target.table} keeps versions, and no key says of what.")
    return HistoryWork(
        input="today", key=key, tracked=tuple(name for name in names if name not in (*key, kept.valid_from)), day=kept.valid_from,
        valid_from=kept.valid_from, valid_to=kept.valid_to, is_current=kept.is_current, open_end=kept.open_end,
        closes_missing=kept.closes_missing,
    )  # fmt: skip


def _history(query: exp.Query, work: HistoryWork, target: EtlTarget) -> list[exp.Expr]:
    """Close what changed, then open what has no open row. What comes late, of a day before the version that holds, changes nothing. With
    `closes_missing`, keys that are missing are closed on the day of the first run after the one on which they began, and one that comes
    again is opened on that of its run; a run that brings no row at all closes nothing."""
    names, old = [item.name for item in target.columns], target.table.rpartition(".")[2]
    today = query.subquery("today")
    is_open = _is_open(work, old)
    same_key = _equal(target, work.key, "today")
    same = [exp.NullSafeEQ(this=column(name, "today"), expression=column(name, old)) for name in work.tracked]
    later = exp.GT(this=column(work.day, "today"), expression=column(work.valid_from, old))
    changed = [*same_key, later, *([exp.Not(this=exp.paren(exp.and_(*same)))] if same else [])]
    day = exp.select(exp.Min(this=column(work.day, "today"))).from_(today.copy()).where(exp.and_(*(pair.copy() for pair in changed)))
    made = _opened(work)
    values = [
        exp.alias_(made.get(name, column(name, "today")), identifier(name)) if name in made else column(name, "today") for name in names
    ]
    matches = exp.and_(*(pair.copy() for pair in same_key))
    ends_later = exp.GT(this=column(work.valid_to, old), expression=column(work.day, "today"))
    holds = exp.paren(exp.or_(ends_later, is_open.copy()))  # an open end may be NULL
    is_held = _there(table(target.table), exp.and_(matches.copy(), holds))
    opened = _changes(exp.select(*values), today, exp.Not(this=is_held), work, [name for name in names if name not in made])
    empty = exp.select(*(_typed(value, work) for value in values)).from_(today.copy()).where(exp.false())
    closed = _closed(work, target, day.subquery(), is_open, _there(today.copy(), exp.and_(*changed)))
    statements = [*([] if target.exists else [_create(target.table, empty, keeps=True)]), closed]
    if work.closes_missing:
        is_missing = exp.Not(this=_there(today.copy(), exp.and_(*(pair.copy() for pair in same_key))))
        began_before = exp.LT(this=column(work.valid_from, old), expression=exp.CurrentDate())
        statements.append(_closed(work, target, exp.CurrentDate(), is_open, began_before, is_missing, _there(today.copy())))
    statements.append(_insert(target.table, names, opened))
    if work.closes_missing:
        has_open = _there(table(target.table), exp.and_(matches.copy(), is_open.copy()))
        statements.append(_insert(target.table, names, _again(today, names, work, exp.Not(this=has_open))))
    return statements


def _is_open(work: HistoryWork, old: str) -> exp.Expr:
    if work.is_current:
        return column(work.is_current, old)
    end = column(work.valid_to, old)
    return exp.EQ(this=end, expression=_end(work.open_end)) if work.open_end else exp.Is(this=end, expression=exp.Null())


def _there(of: exp.Expr, where: exp.Expr | None = None) -> exp.Exists:
    rows = exp.select(exp.Literal.number(1)).from_(of)
    return exp.Exists(this=rows.where(where) if where is not None else rows)


def _closed(work: HistoryWork, target: EtlTarget, day: exp.Expr, *where: exp.Expr) -> exp.Update:
    """The rows that hold and of which all of this is true end on a day."""
    sets = [exp.EQ(this=exp.column(identifier(work.valid_to)), expression=day)]
    if work.is_current:
        sets.append(exp.EQ(this=exp.column(identifier(work.is_current)), expression=exp.false()))
    return exp.Update(this=table(target.table), expressions=sets, where=exp.Where(this=exp.and_(*(part.copy() for part in where))))


def _again(today: exp.Subquery, names: Sequence[str], work: HistoryWork, is_gone: exp.Expr) -> exp.Select:
    """The last version of each key that was closed as missing and is there again, from the day of the run."""
    made = {work.valid_from: exp.CurrentDate(), work.valid_to: _end(work.open_end)}
    made |= {work.is_current: exp.true()} if work.is_current else {}
    carried = dict.fromkeys((*work.key, *(name for name in names if name not in made)))
    last_first = exp.Order(expressions=[exp.Ordered(this=column(work.day, "today"), desc=True, nulls_first=False)])
    number = exp.Window(this=exp.RowNumber(), partition_by=[column(key, "today") for key in work.key], order=last_first)
    latest = exp.select(*(column(name, "today") for name in carried), exp.alias_(number, identifier(NUMBER))).from_(today.copy())
    is_last = exp.EQ(this=column(NUMBER, "today"), expression=exp.Literal.number(1))
    values = (exp.alias_(made[name], identifier(name)) if name in made else column(name, "today") for name in names)
    return exp.select(*values).from_(latest.subquery("today")).where(exp.and_(is_last, is_gone))


def _changes(select: exp.Select, today: exp.Subquery, is_new: exp.Expr, work: HistoryWork, others: Sequence[str]) -> exp.Select:
    """The rows that a run brings, without those in which nothing changed since the one of the same key before it."""
    if not work.tracked:
        return select.from_(today.copy()).where(is_new)
    carried = tuple(dict.fromkeys((*work.key, *work.tracked, *others, work.day)))
    order = exp.Order(expressions=[exp.Ordered(this=column(work.day, "today"), nulls_first=False)])

    def along(function: exp.Expr, name: str) -> exp.Expr:
        of_key = [column(key, "today") for key in work.key]
        return exp.alias_(exp.Window(this=function, partition_by=of_key, order=order.copy()), identifier(name))

    before = {name: f"{name}{BEFORE}" for name in work.tracked}
    brought = exp.select(
        *(column(name, "today") for name in carried),
        along(exp.RowNumber(), NUMBER),
        *(along(exp.Lag(this=column(name, "today")), other) for name, other in before.items()),
    ).from_(today.copy()).where(is_new)  # fmt: skip
    is_first = exp.EQ(this=column(NUMBER, "today"), expression=exp.Literal.number(1))
    same = exp.and_(*(exp.NullSafeEQ(this=column(name, "today"), expression=column(other, "today")) for name, other in before.items()))
    return select.from_(brought.subquery("today")).where(exp.or_(is_first, exp.Not(this=exp.paren(same))))


def _opened(work: HistoryWork) -> dict[str, exp.Expr]:
    """The columns of a version that code fills in. A run may bring several versions of a key: each holds until the next, the last has no
    end."""
    start, end = column(work.day, "today"), _end(work.open_end)
    following = exp.Window(
        this=exp.Lead(this=start.copy()),
        partition_by=[column(key, "today") for key in work.key],
        order=exp.Order(expressions=[exp.Ordered(this=start.copy(), nulls_first=False)]),
    )
    made: dict[str, exp.Expr] = {work.valid_from: start, work.valid_to: exp.func("COALESCE", following, end)}
    if work.is_current:
        made[work.is_current] = exp.Is(this=following.copy(), expression=exp.Null())
    return made


def _typed(value: exp.Expr, work: HistoryWork) -> exp.Expr:
    """The end of a version has the type of its beginning, which may have a time of day."""
    made = value.copy()
    if made.alias_or_name == work.valid_to:
        never = exp.If(this=exp.false(), true=column(work.day, "today"))
        made.set("this", exp.Case(ifs=[never], default=_end(work.open_end)))
    elif made.alias_or_name == work.is_current:
        made.set("this", exp.true())
    return made


def _end(day: str) -> exp.Expr:
    """The end of a row that holds. Empty: null."""
    return exp.Cast(this=exp.Literal.string(day) if day else exp.Null(), to=exp.DataType.build("date"))
