"""The declared types of a table's columns, which its query then yields."""

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError

from contracts.pipelines.analysis import EtlTarget
from contracts.tables import TableDetail
from workers.engines.sql.facts import TypeKind, type_kind
from workers.engines.sql.names import resolve
from workers.engines.sql.trees import parts_of

CAST = (TypeKind.INTEGER, TypeKind.DECIMAL, TypeKind.DATE)
"""Kinds of types to which is cast. A text is not, which a cast may cut; nor a time, whose zone a cast may change."""
WITHOUT_TYPES = "sqlite"
"""Its columns have no types: a cast to a date would make a number of it."""


def with_declared_types(query: exp.Query, target: EtlTarget, tables: Sequence[TableDetail], dialect: str) -> exp.Query:
    """The query with a cast for each column whose declared type it does not have by itself."""
    types = {column.name.lower(): kind for column in target.columns if (kind := _type(column.type, dialect)) is not None}
    if dialect == WITHOUT_TYPES or not isinstance(query, exp.Select) or query.is_star or query.args.get("distinct"):
        return query
    resolved = resolve(query, tables, dialect)
    selects = list[exp.Expr]()
    for item, named in zip(query.expressions, parts_of(resolved.tree, "expressions"), strict=True):
        inner, wanted = item.unalias(), types.get(item.alias_or_name.lower())
        found = resolved.column(named.unalias())
        table = found.source.table if found is not None and found.source is not None else None
        own = next((column.type for column in table.columns if column.name.lower() == inner.name.lower()), "") if table is not None else ""
        if wanted is None or wanted in (_type(own, dialect), inner.args.get("to") if isinstance(inner, exp.Cast) else None):
            selects.append(item)
        else:
            made = item.copy() if isinstance(item, exp.Alias) else exp.alias_(item.copy(), named.alias_or_name, copy=False)
            made.set("this", exp.cast(inner.copy(), wanted))
            selects.append(made)
    return query.select(*selects, append=False)


def _type(declared: str, dialect: str) -> exp.DataType | None:
    """A type to which is cast; None: there is none, or it is not one of the dialect."""
    if type_kind(declared) not in CAST:
        return None
    try:
        return exp.DataType.build(declared, dialect=dialect)
    except SqlglotError:
        return None
