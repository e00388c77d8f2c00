"""The types of what the scripts compute: of counts, sums, dates cut to a month, and of what is passed on."""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from contracts.tables import TableDetail

Types = dict[str, dict[str, str]]
"""The types of columns by the name of their table in lower case, as the dialect prints them."""
_UNKNOWN = frozenset({exp.DType.UNKNOWN, exp.DType.NULL})

_EXACT_MEANS = frozenset({"postgres", "mysql"})
"""Where the mean of exact numbers is exact."""
_SUMS_OF_INTEGERS = {"duckdb": "HUGEINT", "mysql": "DECIMAL"}


def types_of(trees: Sequence[exp.Expr], tables: Sequence[TableDetail], dialect: str) -> Types:
    """The types of the columns of all tables that the statements make, as far as they follow from those of the columns that they read."""
    known = {table.name.lower(): {column.name.lower(): column.type for column in table.columns if column.type} for table in tables}
    for tree in trees:
        for table, query in _made(tree):
            found = dict(_of(query, known, dialect))
            known[table] = {**found, **known.get(table, {})}
    return known


def _made(tree: exp.Expr) -> Iterator[tuple[str, exp.Query]]:
    """The table that a statement makes or fills, and the query."""
    into = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    query = tree.expression
    if isinstance(tree, exp.Create | exp.Insert) and isinstance(into, exp.Table) and isinstance(query, exp.Query):
        yield into.name.lower(), query


def _of(query: exp.Query, known: Types, dialect: str) -> Iterator[tuple[str, str]]:
    schema = MappingSchema(dialect=dialect or None)
    for table, columns in known.items():
        schema.add_table(exp.table_(exp.to_identifier(table, quoted=True)), columns, match_depth=False)
    bare = query.copy()
    for table in bare.find_all(exp.Table):  # the schema knows tables by their bare names
        table.set("db", None)
        table.set("catalog", None)
    try:
        tree = annotate_types(
            qualify(bare, schema=schema, dialect=dialect or None, validate_qualify_columns=False, quote_identifiers=False),
            schema=schema, dialect=dialect or None,
        )  # fmt: skip
    except SqlglotError:
        return
    for column in tree.selects:
        if column.type is not None and column.type.this not in _UNKNOWN and column.alias_or_name:
            yield column.alias_or_name.lower(), _printed(column.unalias(), column.type, dialect)


def _printed(value: exp.Expr, kind: exp.DataType, dialect: str) -> str:
    """The type of a value. What is computed has no more the precision of its column: a sum has as many digits as it needs."""
    if isinstance(value, exp.Column):
        return kind.sql(dialect=dialect or None)
    inner = value.this if isinstance(value, exp.Coalesce) else value
    of = inner.this.type if isinstance(inner, exp.Sum | exp.Avg) and inner.this.type is not None else None
    is_exact = of is not None and (of.is_type(*exp.DataType.INTEGER_TYPES) or of.is_type(exp.DType.DECIMAL))
    if isinstance(inner, exp.Avg) and is_exact and dialect in _EXACT_MEANS:
        return exp.DataType.build("decimal").sql(dialect=dialect)
    if isinstance(inner, exp.Sum) and of is not None and of.is_type(*exp.DataType.INTEGER_TYPES) and dialect in _SUMS_OF_INTEGERS:
        return _SUMS_OF_INTEGERS[dialect]
    bare = kind.copy()
    if any(isinstance(item, exp.DataTypeParam) for item in bare.expressions):
        bare.set("expressions", [])
    return bare.sql(dialect=dialect or None)
