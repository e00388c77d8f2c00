"""Tables as a model reads them: CREATE TABLE with comments, since models know that form best. The same for all kinds of jobs.

A column has its type, key or reference, its comment, the values of a small domain or the range of a large one, and its share of nulls. The
texts are data of the user's: a prompt fences them.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from sqlglot import exp

from contracts.tables import ColumnDetail, ForeignKey, JoinEvidence, JoinPath, TableDetail
from workers.engines.sql.facts import TypeKind, type_kind

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""A name that every dialect takes without quotes."""
MOST_VALUES = 400
"""Characters of a column's values that are shown."""
MOST_COMMENT = 400
"""Characters of a comment that are shown."""
_DATE = len("2026-01-31")
_MOST_CELL = 40
"""Characters of a value in a sample row."""
_FEW_NULLS = 0.005
"""Share of nulls below which they are not mentioned as a share."""


def identifier(name: str, dialect: str) -> str:
    """A name as a statement of the dialect writes it, quoted where it must be; dots separate schema and table."""
    return ".".join(
        part if _PLAIN.fullmatch(part) else exp.to_identifier(part, quoted=True).sql(dialect=dialect or None) for part in name.split(".")
    )


def table_text(table: TableDetail, dialect: str) -> str:
    """One table."""
    head = [f"-- {_one_line(table.description)}"] if table.description else []
    facts = [
        f"{'view' if table.is_view else 'table'} of {table.rows:,} rows" if table.rows is not None else "view" if table.is_view else "",
        f"partitioned by {', '.join(table.partitioned_by)}" if table.partitioned_by else "",
    ]
    if known := ", ".join(fact for fact in facts if fact):
        head.append(f"-- {known}")
    own = {key.columns[0]: key for key in table.foreign_keys if len(key.columns) == 1}
    lines = [_column_text(column, table, own.get(column.name), dialect) for column in table.columns]
    tail = [f"  PRIMARY KEY ({_names(table.primary_key, dialect)})"] if table.primary_key else []
    tail += [f"  UNIQUE ({_names(columns, dialect)})" for columns in table.unique if columns != table.primary_key]
    tail += [
        f"  FOREIGN KEY ({_names(key.columns, dialect)}) REFERENCES {identifier(key.table, dialect)} ({_names(key.references, dialect)})"
        for key in table.foreign_keys
        if len(key.columns) > 1
    ]
    parts = [f"CREATE TABLE {identifier(table.full_name, dialect)} (", *lines, *",\n".join(tail).splitlines(), ")"]
    return "\n".join([*head, *parts])


def rows_text(table: TableDetail, rows: Sequence[Sequence[object]], dialect: str) -> str:
    """Rows of a table, in the order of its columns."""
    head = f"{identifier(table.full_name, dialect)} ({_names([column.name for column in table.columns], dialect)})"
    return "\n".join([head, *(f"({', '.join(_cell(value) for value in row)})" for row in rows)])


def joins_text(paths: Sequence[JoinPath], dialect: str) -> list[str]:
    """How tables belong together, the strongest evidence first, a line each."""
    found: dict[str, None] = {}
    for path in paths:
        on = " AND ".join(
            f"{identifier(path.left, dialect)}.{identifier(left, dialect)} = {identifier(path.right, dialect)}.{identifier(right, dialect)}"
            for left, right in zip(path.left_columns, path.right_columns, strict=True)
        )
        why = {
            JoinEvidence.DECLARED: "a declared key",
            JoinEvidence.QUERIES: f"{path.queries} earlier queries do it",
            JoinEvidence.NAMES: "names and values fit",
        }[path.evidence]
        found[f"{on}  -- {why}"] = None
    return list(found)


def beside_keys(paths: Sequence[JoinPath], tables: Sequence[TableDetail]) -> list[JoinPath]:
    """Those that are not among the foreign keys of these tables, whose text has them."""
    declared = {(table.full_name, key.columns, key.table, key.references) for table in tables for key in table.foreign_keys}

    def ends(path: JoinPath) -> tuple[tuple[str, tuple[str, ...], str, tuple[str, ...]], ...]:
        left, right = (path.left, path.left_columns), (path.right, path.right_columns)
        return (*left, *right), (*right, *left)

    return [path for path in paths if declared.isdisjoint(ends(path))]


def overview_line(table: TableDetail) -> str:
    """A table in one line: name, comment, columns; those of dates with the first and the last one, as far as they are known."""
    comment = f": {_one_line(table.description)}" if table.description else ""
    return f"{table.full_name}{comment} ({', '.join(map(_with_dates, table.columns))})"


def _with_dates(column: ColumnDetail) -> str:
    if not (column.holds_times or type_kind(column.type) in (TypeKind.DATE, TypeKind.TIMESTAMP)):
        return column.name
    first, last = ((_one_line(value or ""))[:_DATE] for value in (column.minimum, column.maximum))
    return f"{column.name} {first}..{last}" if first and last else column.name


def _column_text(column: ColumnDetail, table: TableDetail, key: ForeignKey | None, dialect: str) -> str:
    line = f"  {identifier(column.name, dialect)} {column.type or 'unknown'}"
    if column.nullable is False:
        line += " NOT NULL"
    if key is not None:
        line += f" REFERENCES {identifier(key.table, dialect)} ({_names(key.references, dialect)})"
    held = f"text that holds a {column.holds}" if column.holds_times else "holds text, not all of it times" if column.holds else ""
    says = [_one_line(column.description), held, _values_text(column)]
    if column.nulls and table.rows:
        share = column.nulls / table.rows
        says.append(f"{share:.0%} null" if share >= _FEW_NULLS else "some null")
    comment = "; ".join(text for text in says if text)
    return f"{line}," + (f"  -- {comment}" if comment else "")


def _values_text(column: ColumnDetail) -> str:
    if column.values:
        shown: list[str] = []
        used = 0
        values, written = _as_type(column)
        for value in values:
            used += len(value) + 4
            if shown and used > MOST_VALUES:
                break
            shown.append(written(value))
        if len(shown) == len(column.values):
            return f"values: {', '.join(shown)}"
        return ", ".join(filter(None, (f"values: {', '.join(shown)} and {len(column.values) - len(shown)} more", _range_text(column))))
    return ", ".join(filter(None, (f"{column.distinct:,} different" if column.distinct is not None else "", _range_text(column))))


def _as_type(column: ColumnDetail) -> tuple[Sequence[str], Callable[[str], str]]:
    """The values of a column in the order of its type, and how one is written: numbers as numbers."""
    if type_kind(column.type) in (TypeKind.INTEGER, TypeKind.DECIMAL):
        try:
            return sorted(column.values, key=Decimal), _one_line
        except ArithmeticError:
            pass
    if type_kind(column.type) is TypeKind.BOOLEAN:
        return column.values, _one_line
    return column.values, lambda value: f"'{_kept_blanks(value)}'"


def _kept_blanks(value: str) -> str:
    """A value on one line; the blanks at its ends, which a comparison minds, stay."""
    return value[:MOST_COMMENT] if value.isprintable() else _one_line(value)


def _range_text(column: ColumnDetail) -> str:
    if column.minimum is None or column.maximum is None:
        return ""
    return f"from {_one_line(column.minimum)[:_MOST_CELL]} to {_one_line(column.maximum)[:_MOST_CELL]}"


def _names(columns: Sequence[str], dialect: str) -> str:
    return ", ".join(identifier(column, dialect) for column in columns)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MOST_COMMENT]


def _cell(value: object) -> str:
    text = "NULL" if value is None else _one_line(str(value))
    if isinstance(value, str) and value != value.strip() and len(value) <= _MOST_CELL:
        return f"'{_kept_blanks(value)}'"
    return f"{text[:_MOST_CELL]}…" if len(text) > _MOST_CELL else text
