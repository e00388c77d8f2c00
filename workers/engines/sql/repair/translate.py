"""A statement of one dialect in another, with the same meaning."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from sqlglot import exp
from sqlglot.dialects.oracle import Oracle
from sqlglot.time import format_time
from sqlglot.transforms import eliminate_join_marks

from contracts.tables import TableDetail
from workers.engines.sql.repair.clickhouse import of_clickhouse
from workers.engines.sql.repair.counting import (
    COUNTS_IN_FORM,
    SKIPS_NULLS,
    between_beginnings,
    counted,
    units_in,
    with_integer_quotients,
    without_counterpart,
)
from workers.engines.sql.repair.dates import in_one_form, whole
from workers.engines.sql.repair.dates_postgres import for_postgres, with_intervals
from workers.engines.sql.repair.dates_sqlite import for_sqlite
from workers.engines.sql.repair.days_by_sign import with_days
from workers.engines.sql.repair.dialects import parsed, printed, whole_text

LOWERED: dict[str, Callable[[exp.Expr], exp.Expr]] = {
    **{"sqlite": for_sqlite, "postgres": for_postgres, "duckdb": with_intervals},
    **{"spark": partial(between_beginnings, has_days=True), "databricks": partial(between_beginnings, has_days=False)},
}
"""Dialects for which dates are written here; the printer knows those of the others."""

WITH_ILIKE = {"postgres", "duckdb", "snowflake", "spark", "databricks", "redshift", "clickhouse", ""}
NULLS_LAST_UPWARDS = {"postgres", "duckdb", "oracle", "snowflake", "redshift", ""}
"""Dialects in which nulls are the largest values."""

_FORM_OF_DATES = re.compile(r"(?:YYYY|MM|DD|HH24|MI|SS|[-/.,:; ])+", re.IGNORECASE)
"""Forms of Oracle that mean the same numbers everywhere; names of months and days differ in their case and their blanks."""
_WITH_TO_CHAR = {"postgres", "redshift"}
"""Dialects with Oracle's forms."""
IGNORES_CASE = re.compile(r"_C[I]_|_ci\b|NOCASE", re.IGNORECASE)
ALTERNATIVES = re.compile(r"^(?P<start>\^?)\(?(?P<words>[\w @.-]+(?:\|[\w @.-]+)*)\)?(?P<end>\$?)$")


@dataclass(frozen=True, slots=True)
class Translation:
    """The text of a statement in another dialect."""

    sql: str
    is_same: bool
    """False: a part of it has no counterpart, so the text means something else. It may be asked whether it runs, never offered."""
    without: str = ""
    """The part without a counterpart, as it was written, where it is known."""
    unproved: tuple[str, ...] = ()
    """Quotients and means, as they were written, that are whole numbers in the one dialect if they are of integers, which is not known."""
    ordered: str = ""
    """The ORDER BY, as it was written, that came after Oracle's ROWNUM and comes before the LIMIT in its place."""


def translated(sql: str, read: str, write: str, tables: Sequence[TableDetail]) -> str | None:
    """The text of a statement in another dialect, for a dry run; None where it is no SQL of its own, or cannot be written."""
    tree = parsed(sql, read)
    try:
        return translate(tree, read, write, tables).sql if tree is not None else None
    except Exception:  # a printer and somebody's statement: what cannot be written is not known to run
        return None


def translate(tree: exp.Expr, read: str, write: str, tables: Sequence[TableDetail]) -> Translation:
    """A statement in another dialect. The tree stays as it is."""
    tree = tree.copy()
    lost = next(without_counterpart(tree, read, write), None)
    is_same, without = lost is None, printed(lost, read) if lost is not None else ""
    unproved = with_integer_quotients(tree, read, write, tables)
    tree, is_understood = with_days(counted(in_one_form(tree, read), read, write), read, write, tables)
    is_same = is_same and is_understood
    tree = tree.transform(_without_nulls, write)
    units, then_ordered = units_in(tree, ""), ""
    tree = tree.transform(_without_collation, write)
    if read == "oracle":
        tree = eliminate_join_marks(tree)
        tree = tree if write in _WITH_TO_CHAR else tree.transform(_with_form)
        taken = [_limited(select) for select in list(tree.find_all(exp.Select))]
        then_ordered = next((printed(order, read) for order in taken if order is not None), "")
    if read == "tsql":
        _concatenate(tree, tables)
    if read == "clickhouse":
        tree = tree.transform(of_clickhouse, write, tables)
    if write == "sqlite":
        tree = tree.transform(_for_sqlite)
    for select in tree.find_all(exp.Select):
        select.set("options", None)
    for ordered in tree.find_all(exp.Ordered):
        _order_of_nulls(ordered, write, tables)
    text = whole_text(LOWERED.get(write, lambda same: same)(tree), write)
    if units and write not in COUNTS_IN_FORM:
        again = parsed(text, write)
        is_same = is_same and again is not None and units_in(in_one_form(again, write), write) == units
    return Translation(text, is_same, without, tuple(dict.fromkeys(unproved)), then_ordered)


def _with_form(node: exp.Expr) -> exp.Expr:
    """Oracle's TO_CHAR of a date, by its form. One of names or of numbers stays, and is not printed without its form."""
    form = node.args.get("format") if isinstance(node, exp.ToChar) else None
    if not isinstance(form, exp.Literal) or not _FORM_OF_DATES.fullmatch(form.name):
        return node
    return exp.TimeToStr(this=node.this.copy(), format=exp.Literal.string(format_time(form.name.upper(), Oracle.TIME_MAPPING) or form.name))


def _without_nulls(node: exp.Expr, write: str) -> exp.Expr:
    """An array of different values, none of them null, where the dialect has no function for it."""
    if not isinstance(node, exp.ArrayUniqueAgg) or write in SKIPS_NULLS:
        return node
    return exp.ArrayAgg(this=exp.Distinct(expressions=[node.this.copy()]), nulls_excluded=True)


def _without_collation(node: exp.Expr, write: str) -> exp.Expr:
    """A collation of another engine says at most that case does not matter."""
    if isinstance(node, exp.Like) and isinstance(node.expression, exp.Collate) and _is_foreign(node.expression, write):
        ignores = IGNORES_CASE.search(node.expression.expression.name) is not None
        return (exp.ILike if ignores and write in WITH_ILIKE else exp.Like)(
            this=node.this.copy(), expression=node.expression.this.copy(), negate=node.args.get("negate")
        )
    if isinstance(node, exp.Collate) and _is_foreign(node, write):
        return node.this
    return node


def _is_foreign(node: exp.Collate, write: str) -> bool:
    return not (write == "sqlite" and node.expression.name.upper() in {"NOCASE", "BINARY", "RTRIM"})


def _limited(select: exp.Select) -> exp.Order | None:
    """Oracle's `WHERE ROWNUM <= 5` is a LIMIT, of the rows before they are grouped and before they are ordered. The ORDER BY, if the limit
    now comes after it: who wrote both wants the first rows in that order. A condition on ROWNUM in any other place stays, and is refused.
    """
    where, source = select.args.get("where"), select.args.get("from_")
    if not isinstance(where, exp.Where) or not isinstance(source, exp.From):
        return None
    conditions = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
    for item in conditions:
        is_rownum = isinstance(item, exp.LT | exp.LTE) and item.this.sql().upper() == "ROWNUM"
        number = whole(item.expression) if is_rownum else None
        if number is None:
            continue
        kept = [other.copy() for other in conditions if other is not item]
        rest = exp.Where(this=exp.and_(*kept, copy=False)) if kept else None
        most = number - isinstance(item, exp.LT)
        if not _reads_all_rows(select):
            select.set("where", rest)
            select.limit(most, copy=False)
            order = select.args.get("order")
            return order if isinstance(order, exp.Order) else None
        if isinstance(source.this, exp.Table) and not select.args.get("joins"):
            rows = exp.select("*").from_(source.this.copy()).limit(most, copy=False)
            rows.set("where", rest)
            select.set("where", None)
            select.set("from_", exp.From(this=rows.subquery(source.this.alias_or_name, copy=False)))
        return None
    return None


def _reads_all_rows(select: exp.Select) -> bool:
    """Whether a row of the result comes of several rows."""
    return any(select.args.get(part) for part in ("group", "distinct", "having")) or any(
        node.find_ancestor(exp.Select) is select for node in select.find_all(exp.AggFunc, exp.Window)
    )


def _concatenate(tree: exp.Expr, tables: Sequence[TableDetail]) -> None:
    """Write the sums of T-SQL that have a text in them as texts that are joined. A sum in brackets within one is of texts too, because
    T-SQL adds no number to a word, unless it has a column of numbers."""
    for node in reversed(list(tree.find_all(exp.Add))):
        parts = list(node.flatten(unnest=False))
        if not isinstance(node.parent, exp.Add) and any(isinstance(part.unnest(), exp.DPipe) or part.unnest().is_string for part in parts):
            node.replace(_joined(parts, tables))


def _joined(parts: Sequence[exp.Expr], tables: Sequence[TableDetail]) -> exp.Expr:
    pieces: list[exp.Expr] = []
    for part in parts:
        inner = part.unnest()
        if isinstance(inner, exp.Add) and not _has_number(inner, tables):
            inner = _joined(list(inner.flatten(unnest=False)), tables)
        is_one = isinstance(inner, exp.DPipe) or not isinstance(inner, exp.Binary)
        pieces.append(inner.copy() if is_one else exp.paren(inner))
    joined = pieces[0]
    for piece in pieces[1:]:
        joined = exp.DPipe(this=joined, expression=piece)
    return joined


def _has_number(node: exp.Expr, tables: Sequence[TableDetail]) -> bool:
    """Whether a sum has a number, or a column that is one."""
    if any(literal.is_number for literal in node.find_all(exp.Literal)):
        return True
    named = {column.name.lower() for column in node.find_all(exp.Column)}
    return any(
        exp.DataType.build(column.type or "text", udt=True).is_type(*exp.DataType.NUMERIC_TYPES)
        for table in tables
        for column in table.columns
        if column.name.lower() in named
    )


def _for_sqlite(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.RegexpLike | exp.RegexpILike) and isinstance(node.expression, exp.Literal):
        return _as_likes(node)
    if isinstance(node, exp.ILike):
        return exp.Like(this=node.this.copy(), expression=node.expression.copy(), negate=node.args.get("negate"))
    if isinstance(node, exp.SplitPart):
        return _split(node)
    if isinstance(node, exp.Left | exp.Right):
        start = exp.Literal.number(1) if isinstance(node, exp.Left) else exp.Neg(this=node.expression.copy())
        arguments = [node.this.copy(), start, *([node.expression.copy()] if isinstance(node, exp.Left) else [])]
        return exp.Anonymous(this="SUBSTR", expressions=arguments)
    return node


def _as_likes(node: exp.Expr) -> exp.Expr:
    """An expression of plain words, for an engine without regular expressions."""
    match = ALTERNATIVES.match(node.expression.name)
    if match is None:
        return node
    before, after = ("" if match["start"] else "%"), ("" if match["end"] else "%")
    patterns = [exp.Literal.string(f"{before}{word}{after}") for word in match["words"].split("|")]
    likes: list[exp.Expr] = [exp.Like(this=node.this.copy(), expression=pattern) for pattern in patterns]
    found = likes[0] if len(likes) == 1 else exp.Paren(this=exp.or_(*likes))
    return exp.Not(this=found) if node.args.get("negate") else found


def _split(node: exp.SplitPart) -> exp.Expr:
    """The first or second part of a text."""
    text, mark, part = node.this, node.args["delimiter"], node.args["part_index"]
    place = exp.Anonymous(this="INSTR", expressions=[exp.DPipe(this=text.copy(), expression=mark.copy()), mark.copy()])
    if part.name == "1":
        last = exp.Sub(this=place, expression=exp.Literal.number(1))
        return exp.Anonymous(this="SUBSTR", expressions=[text.copy(), exp.Literal.number(1), last])
    if part.name == "2":
        first = exp.Add(this=place, expression=exp.Anonymous(this="LENGTH", expressions=[mark.copy()]))
        return exp.Anonymous(this="SUBSTR", expressions=[text.copy(), first])
    return node


def _order_of_nulls(node: exp.Ordered, write: str, tables: Sequence[TableDetail]) -> None:
    """Where there are no nulls, their place in the order need not be written."""
    if write in NULLS_LAST_UPWARDS and not _may_be_null(node.this, node, tables):
        node.set("nulls_first", bool(node.args.get("desc")))


def _may_be_null(value: exp.Expr, at: exp.Expr, tables: Sequence[TableDetail]) -> bool:
    if isinstance(value, exp.Count | exp.RowNumber):
        return False
    if isinstance(value, exp.Column):
        select = at.find_ancestor(exp.Select)
        named = (
            next((item.this for item in select.selects if isinstance(item, exp.Alias) and item.alias == value.name), None)
            if select
            else None
        )
        if named is not None and not value.table and named != value:
            return _may_be_null(named, at, tables)
        known = [column for table in tables for column in table.columns if column.name.lower() == value.name.lower()]
        return not known or any(column.nullable is not False and column.nulls != 0 for column in known)
    if isinstance(value, exp.Sum | exp.Min | exp.Max | exp.Avg | exp.Paren | exp.TimestampTrunc | exp.Extract | exp.Lower | exp.Upper):
        inner = value.expression if isinstance(value, exp.Extract) else value.this
        return _may_be_null(inner, at, tables)
    return not isinstance(value, exp.Literal)
