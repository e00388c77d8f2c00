"""The texts that a statement compares with, against the values that the data are known to have."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.tables import TableDetail
from workers.engines.sql.plan_check import nearest
from workers.engines.sql.script import read_script
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
    """The statement with its texts spelled as in the data where only upper and lower case differ; and the texts that their column does not
    have, or has in several spellings, where all values of the column are known. A column that a query computes is left alone."""
    try:
        script = read_script(sql, tables, dialect, None)
    except NotParsed:
        return sql, []
    part = script.parts[0]
    written, read = parse_statement(sql, dialect), list(part.tree.find_all(exp.Literal))
    own = list(written.find_all(exp.Literal))
    is_alike = [each.name for each in own] == [each.name for each in read]  # the names of the other are complete
    places = {id(literal): place for place, literal in enumerate(read)}
    unknown: list[UnknownValue] = []
    is_changed = False
    for node in list(part.tree.find_all(exp.EQ, exp.NEQ, exp.In)):
        base = script.base_column(part, node.this) if isinstance(node.this, exp.Column) else None
        known = _values(*base) if base is not None else ()
        options = node.expressions if isinstance(node, exp.In) else [node.expression]
        for literal in options if known else ():
            if not isinstance(literal, exp.Literal) or not literal.is_string or literal.name in known:
                continue
            same = [value for value in known if value.casefold() == literal.name.casefold()]
            if len(same) == 1:
                (own[places[id(literal)]] if is_alike else literal).set("this", same[0])
                is_changed = True
            else:
                alike = tuple(same or nearest(literal.name, list(known)) or known[:MOST_NAMED])
                unknown.append(UnknownValue(node.this.name, literal.name, alike))
    return ((written if is_alike else part.tree).sql(dialect=dialect) if is_changed else sql), unknown


def _values(table: TableDetail, name: str) -> tuple[str, ...]:
    """The values of a column, where all are known."""
    column = next((each for each in table.columns if each.name.lower() == name), None)
    if column is None or not column.values or (column.distinct is not None and column.distinct > len(column.values)):
        return ()
    return tuple(sorted(column.values))
