"""The texts that a statement compares with, against the values that the data are known to have."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.tables import TableDetail
from workers.engines.sql.plan_check import nearest
from workers.engines.sql.trees import NotParsed, parse_statement


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A text that a column is compared with and does not have, and values that it has: the most alike first."""

    column: str
    value: str
    known: tuple[str, ...]


MOST_NAMED = 12
"""Values of a column that are named where none is alike."""


def with_known_values(sql: str, dialect: str, tables: Sequence[TableDetail]) -> tuple[str, list[UnknownValue]]:
    """The statement with its texts spelled as in the data where only upper and lower case differ; and the texts that no column has, where
    all values of the column are known."""
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed:
        return sql, []
    columns = _by_name(tables)
    unknown: list[UnknownValue] = []
    is_changed = False
    for node in list(tree.find_all(exp.EQ, exp.NEQ, exp.In)):
        column = node.this if isinstance(node.this, exp.Column) else None
        options = node.expressions if isinstance(node, exp.In) else [node.expression]
        if column is None or not (known := columns.get(column.name.lower())):
            continue
        folded = {value.casefold(): value for value in known}
        for literal in options:
            if not isinstance(literal, exp.Literal) or not literal.is_string or literal.name in known:
                continue
            if (value := folded.get(literal.name.casefold())) is not None:
                literal.replace(exp.Literal.string(value))
                is_changed = True
            else:
                there = sorted(known)
                alike = tuple(nearest(literal.name, there)) or tuple(there[:MOST_NAMED])
                unknown.append(UnknownValue(column.name, literal.name, alike))
    return (tree.sql(dialect=dialect) if is_changed else sql), unknown


def _by_name(tables: Sequence[TableDetail]) -> dict[str, set[str]]:
    """The values of columns whose values are all known, by the column's name; columns of one name together."""
    found: dict[str, set[str]] = {}
    open_: set[str] = set()
    for table in tables:
        for column in table.columns:
            name = column.name.lower()
            if column.values and (column.distinct is None or column.distinct <= len(column.values)):
                found.setdefault(name, set()).update(column.values)
            else:
                open_.add(name)
    return {name: values for name, values in found.items() if name not in open_}
