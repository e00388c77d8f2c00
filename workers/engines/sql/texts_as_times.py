"""Columns that are declared as times, hold other texts (`28/01/2024`), and are used by a statement as if they were times."""

from collections.abc import Collection, Iterator

from sqlglot import exp

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.trees import NotParsed, parse

_ORDERING = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Ordered, exp.Min, exp.Max)
_OF_TIMES = (exp.Date, exp.TimeToStr, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Cast, exp.Extract, exp.DateTrunc, exp.TimestampTrunc)
_SQLITE = frozenset({"date", "datetime", "time", "julianday", "unixepoch", "strftime"})


def texts_as_times(sql: str, dialect: str, tables: Collection[TableDetail]) -> list[ColumnDetail]:
    """Each column of these tables that the statement puts in an order, bounds, or takes as a time, though it holds other texts."""
    known = {column.name.lower(): column for table in tables for column in table.columns if column.holds_no_times}
    if not known:
        return []
    try:
        trees = parse(sql, dialect)
    except NotParsed:
        return []
    used = {name for tree in trees for name in _used(tree)}
    return [column for name, column in known.items() if name in used]


def _used(tree: exp.Expr) -> Iterator[str]:
    for column in tree.find_all(exp.Column):
        parent = column.parent
        if isinstance(parent, (*_ORDERING, *_OF_TIMES)) or (isinstance(parent, exp.Anonymous) and parent.name.lower() in _SQLITE):
            yield column.name.lower()
