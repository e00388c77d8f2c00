"""Statements that a model wrote: what it is shown, what is checked, and when several drafts count as verified.

A model proposes, code disposes. A draft must run on the source's engine; the values that it compares with must be those of the data; and a
second draft, asked for in another way, must come to the same result. What differs is shown to the user as open.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from contracts.base import Contract, Text
from contracts.queries import QueryPlan
from contracts.tables import ColumnDetail, JoinPath, TableDetail
from workers.engines.questions.items import Item, Kind
from workers.engines.sql.trees import NotParsed, parse_statement

MOST_REPAIRS = 3
"""Times that a draft is sent back to the model with what is wrong with it."""

MOST_VALUES = 3
"""Values of a column that a model is shown."""

_AGREEING = 2
"""Drafts that must come to the same result."""


class SqlDraft(Contract):
    """A statement of a model."""

    sql: Text


class SteppedDraft(Contract):
    """A statement of a model that was asked for its parts first."""

    tables: tuple[Text, ...] = ()
    columns: tuple[Text, ...] = ()
    sql: Text


@dataclass(frozen=True, slots=True)
class Tried:
    """A draft that runs, and its rows in a form that can be compared."""

    sql: str
    rows: tuple[tuple[str, ...], ...]
    doubts: tuple[str, ...] = ()
    """What speaks against it although it runs."""
    is_ordered: bool = False
    plan: QueryPlan | None = None
    """Where the model filled in a plan: a follow-up can change it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The draft to show, whether it is verified, and the first draft that came to another result."""

    sql: str
    is_verified: bool
    other: str = ""
    plan: QueryPlan | None = None


def agree(tried: Sequence[Tried]) -> bool:
    """Whether most of the drafts, and two at least, have the same result."""
    most = max((sum(other.rows == draft.rows for other in tried) for draft in tried), default=0)
    return most >= _AGREEING and most * 2 > len(tried)


def judged(tried: Sequence[Tried]) -> Judged | None:
    """The draft whose result most drafts share; among equals one that has rows, nothing against it, and is a statement, which can say more
    than a plan. Its plan where one says the same. An empty result verifies nothing: wrong conditions give it too."""
    if not tried:
        return None
    votes = {draft.rows: sum(other.rows == draft.rows for other in tried) for draft in tried}
    best = max(tried, key=lambda draft: (votes[draft.rows], bool(draft.rows), not draft.doubts, draft.plan is None))
    is_verified = agree(tried) and bool(best.rows) and not _is_null(best.rows) and not best.doubts
    best = next((draft for draft in tried if draft.plan and _says_the_same(draft, best)), best)
    other = next((draft.sql for draft in tried if draft.rows != best.rows), "")
    return Judged(best.sql, is_verified, other, best.plan)


def _says_the_same(draft: Tried, best: Tried) -> bool:
    """Rows are compared in any order, so a statement that orders them says more than a plan that does not."""
    return draft.rows == best.rows and draft.is_ordered == best.is_ordered and not draft.doubts


def _is_null(rows: tuple[tuple[str, ...], ...]) -> bool:
    return all(cell in ("null", "") for row in rows for cell in row)


def schema_text(tables: Sequence[TableDetail], items: Sequence[Item]) -> str:
    """The tables as a model reads them, a line each: columns with their types, and values of those that the question names."""
    named = {(link.table, link.column) for item in items for link in item.links if link.column}
    return "\n".join(_table_text(table, named) for table in tables)


def _table_text(table: TableDetail, named: set[tuple[str, str]]) -> str:
    columns = ", ".join(_column_text(column, (table.full_name, column.name) in named) for column in table.columns)
    return f"{table.full_name} ({columns})"


def _column_text(column: ColumnDetail, is_named: bool) -> str:
    kind = column.type.split("(")[0].lower()
    if is_named and column.values:
        return f"{column.name} {kind} e.g. " + "/".join(f"'{value}'" for value in column.values[:MOST_VALUES])
    return f"{column.name} {kind}"


def joins_text(paths: Sequence[JoinPath]) -> str:
    """The joins, one a line."""
    return "\n".join(
        " AND ".join(
            f"{path.left}.{left} = {path.right}.{right}" for left, right in zip(path.left_columns, path.right_columns, strict=True)
        )
        for path in paths
    )


def values_text(items: Sequence[Item]) -> str:
    """The values that the question names, with their columns."""
    found = [
        f"{link.table}.{link.column} = '{link.value}'" for item in items if item.kind is Kind.VALUE for link in item.links[:2] if link.value
    ]
    return "\n".join(dict.fromkeys(found))


def with_known_values(sql: str, dialect: str, tables: Sequence[TableDetail]) -> tuple[str, list[str]]:
    """The statement with its literals spelled as in the data where only upper and lower case differ; and the literals that no column has,
    where all values of the column are known."""
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed:
        return sql, []
    columns = _by_name(tables)
    unknown: list[str] = []
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
                unknown.append(f"{column.name} = '{literal.name}'")
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


def doubts_of(sql: str, dialect: str, items: Sequence[Item]) -> list[str]:
    """What speaks against a draft although it runs: values and numbers of the question that it does not use."""
    try:
        tree = parse_statement(sql, dialect)
    except NotParsed:
        return ["it cannot be parsed"]
    idle = _idle_tables(tree)
    found: list[str] = [f"{table} is joined, and nothing of it is used" for table in idle]
    literals = {literal.name.casefold() for literal in tree.find_all(exp.Literal)}
    text = " ".join(literals)
    columns = {column.name.casefold() for column in tree.find_all(exp.Column)}
    for item in items:
        if item.kind is Kind.COLUMN and not any(link.column.casefold() in columns for link in item.links):
            found.append(f"the column {item.text} is not used")
        if item.kind is Kind.VALUE and item.links and not any(link.value.casefold() in text for link in item.links):
            found.append(f"the value {item.text} is not used")
        if item.kind is Kind.NUMBER and str(item.payload) not in literals and f"{item.payload}.0" not in literals:
            found.append(f"the number {item.text} is not used")
    return found


def is_ordered(sql: str, dialect: str) -> bool:
    """Whether the statement orders its rows."""
    try:
        return parse_statement(sql, dialect).args.get("order") is not None
    except NotParsed:
        return False


def _idle_tables(tree: exp.Expr) -> list[str]:
    """Tables that are joined and not used, neither in a value nor to reach another table: a model adds them when it is lost."""
    joins = [on for join in tree.find_all(exp.Join) if (on := join.args.get("on")) is not None]
    joined = {id(column) for on in joins for column in on.find_all(exp.Column)}
    if any(not column.table for column in tree.find_all(exp.Column)) or tree.find(exp.Star) is not None:
        return []
    used = {column.table.lower() for column in tree.find_all(exp.Column) if id(column) not in joined}
    links: dict[str, int] = {}
    for on in joins:
        for table in {column.table.lower() for column in on.find_all(exp.Column)}:
            links[table] = links.get(table, 0) + 1
    return [
        table.alias_or_name
        for table in tree.find_all(exp.Table)
        if table.alias_or_name.lower() not in used and links.get(table.alias_or_name.lower(), 0) == 1
    ]
