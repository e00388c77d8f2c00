"""Names and values of a plan as nodes of a syntax tree."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from contracts.queries import QueryPlan, Related
from contracts.tables import TableDetail

NUMERIC = re.compile(r"^(?!enum).*?(?:int|serial|dec|num|real|float|double|money|byte$)|^long|^short", re.IGNORECASE | re.DOTALL)
"""Not an enum: the labels of `enum('interim', 'declined')` are no types."""
MONEY = re.compile(r"^money$", re.IGNORECASE)
"""Of Postgres. It has no average, and no comparison with a number."""
TEMPORAL = re.compile(r"^(?!enum).*?(?:date|time)", re.IGNORECASE | re.DOTALL)
BOOLEAN = re.compile(r"^(?!enum).*?bool|^bit$", re.IGNORECASE | re.DOTALL)
_MOST_SPELLINGS = 3
"""Spellings of a value that are found in a column."""


class Columns:
    """The columns that a plan may name, as nodes, and their types."""

    def __init__(self, plan: QueryPlan, tables: Sequence[TableDetail]) -> None:
        self._table_of = {source.alias: source.table for source in plan.sources}
        self._types: dict[tuple[str, str], str] = {}
        by_name = {table.full_name: table for table in tables}
        for source in plan.sources:
            self._add(source.alias, by_name[source.table])
        for item in plan.related:
            self._add(by_name[item.table].name, by_name[item.table])

    def _add(self, alias: str, table: TableDetail) -> None:
        self._types |= {(alias, column.name): column.type for column in table.columns}

    def table(self, alias: str) -> exp.Expr:
        """The table in FROM or JOIN, with its alias unless that is its name."""
        name = self._table_of[alias]
        table = _table(name)
        return table if name.rpartition(".")[2] == alias else exp.alias_(table, alias, quoted=True, table=True)

    def related(self, item: Related) -> exp.Expr:
        """The table of a sub-query, under a name that no source has."""
        return exp.alias_(_table(item.table), self._related_alias(item), quoted=True, table=True)

    def in_related(self, item: Related, column: str) -> exp.Column:
        """A column of that table."""
        return exp.column(_quoted(column), table=_quoted(self._related_alias(item)))

    def _related_alias(self, item: Related) -> str:
        name = item.table.rpartition(".")[2]
        return name if name not in self._table_of else f"other_{name}"

    def of(self, alias: str, column: str) -> exp.Column:
        """A column of a source."""
        return exp.column(_quoted(column), table=_quoted(alias))

    def named(self, column: str) -> exp.Expr:
        """`source.column` as a node; money as a number."""
        found = self.of(*split(column))
        return exp.cast(found, "decimal") if MONEY.search(self.type_of(column)) else found

    def type_of(self, column: str) -> str:
        """The type that the catalogue gives; empty where it is unknown."""
        return self._types.get(split(column), "")


def split(column: str) -> tuple[str, str]:
    """The alias and the name in `source.column`. A name may hold dots, an alias none."""
    alias, _, name = column.partition(".")
    return alias, name


def literal(value: str, type_: str, dialect: str) -> exp.Expr:
    """A value as the column's type compares it."""
    if BOOLEAN.search(type_):
        return exp.Boolean(this=value.lower() in ("true", "t", "1", "yes"))
    if NUMERIC.search(type_) and (number := as_number(value)) is not None:
        return exp.Literal.number(number) if not number.startswith("-") else exp.Neg(this=exp.Literal.number(number[1:]))
    return exp.Literal.string(value)


def truth(is_true: bool, type_: str) -> exp.Expr:
    """Yes or no as the column's type has it."""
    return exp.Literal.number(int(is_true)) if NUMERIC.search(type_) else exp.Boolean(this=is_true)


def as_number(value: str) -> str | None:
    """The number that a text is, written plainly, or None."""
    try:
        number = Decimal(value.replace(",", ""))
    except InvalidOperation:
        return None
    return format(number, "f") if number.is_finite() else None


def contains(column: exp.Expr, value: str, *, at_start: bool) -> exp.Expr:
    """Whether the text holds the value, in any case. Wildcards in the value are plain characters."""
    escaped = re.sub(r"([!%_])", r"!\1", value.lower())
    like = exp.Like(this=exp.Lower(this=column), expression=exp.Literal.string(f"{escaped}%" if at_start else f"%{escaped}%"))
    return like if escaped == value.lower() else exp.Escape(this=like, expression=exp.Literal.string("!"))


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _table(name: str) -> exp.Table:
    schema, _, table = name.rpartition(".")
    return exp.table_(_quoted(table), db=_quoted(schema) if schema else None)


def found_values_sql(columns: Sequence[tuple[TableDetail, str]], lowered: str, dialect: str) -> str:
    """A statement that finds a text in any of the columns, in any letter case: the column's place in the list, and a value as stored."""
    parts: list[exp.Select] = []
    for place, (table, column) in enumerate(columns):
        value = exp.column(_quoted(column))
        inner = exp.select(exp.alias_(exp.Literal.number(place), "place"), exp.alias_(value, "found")).distinct()
        inner = inner.from_(_table(table.full_name)).where(
            exp.EQ(this=exp.Lower(this=value.copy()), expression=exp.Literal.string(lowered))
        )
        parts.append(exp.select("place", "found").from_(inner.limit(_MOST_SPELLINGS).subquery(f"in_{place}")))
    tree: exp.Query = parts[0]
    for part in parts[1:]:
        tree = exp.union(tree, part, distinct=False)
    return tree.sql(dialect=dialect, comments=False)
