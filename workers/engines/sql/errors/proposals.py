"""What may have been meant by a name that an engine does not know, in the order in which engines list it."""

from collections.abc import Iterator, Sequence

from sqlglot import exp, parse_one

from contracts.sql_errors import SqlError, SqlErrorKind
from contracts.tables import TableDetail
from workers.engines.sql.trees import PARSER_FAULTS

MOST = 5
"""As many as Spark lists."""


def distance(left: str, right: str) -> int:
    """The number of letters to insert, delete or replace (Levenshtein)."""
    before = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        now = [row]
        for column, other in enumerate(right, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != other)))
        before = now
    return before[-1]


def in_order_of_likeness(name: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """The candidates by their distance to a name, the order of equally near ones kept.

    Qualifiers that all candidates share are left out of the comparison, as long as the name has none.
    """
    shared = _shared_qualifier(candidates) if "." not in name else ""
    return tuple(sorted(candidates, key=lambda candidate: distance(name.lower(), candidate.removeprefix(shared).lower())))


def proposals_for(error: SqlError, sql: str, tables: Sequence[TableDetail]) -> tuple[str, ...]:
    """At most five: the engine's own first, then what the statement and the known tables suggest."""
    return tuple(dict.fromkeys([*error.proposals, *suggested(error, sql, tables)]))[:MOST]


def suggested(error: SqlError, sql: str, tables: Sequence[TableDetail]) -> tuple[str, ...]:
    """What may be meant, without the engine's own proposals."""
    try:
        tree = parse_one(sql, read=error.engine if error.engine != "databricks" else "spark")
    except PARSER_FAULTS:
        tree = None
    wanted = error.names[0] if error.names else ""
    if error.kind is SqlErrorKind.UNKNOWN_TABLE:
        return in_order_of_likeness(wanted, [table.full_name for table in tables])
    if error.kind is SqlErrorKind.UNKNOWN_COLUMN:
        known = list(_columns(tree, tables)) if tree is not None else [column.name for table in tables for column in table.columns]
        return in_order_of_likeness(wanted, list(dict.fromkeys(known)))
    if error.kind is SqlErrorKind.AMBIGUOUS_NAME and tree is not None:
        return tuple(dict.fromkeys(f"{alias}.{wanted.rpartition('.')[2]}" for alias in _aliases(tree)))
    if error.kind in TOLERANT_KINDS and error.engine in {"spark", "databricks"} and tree is not None:
        return tuple(dict.fromkeys(_tolerant(tree, sql)))
    return ()


TOLERANT_KINDS = {SqlErrorKind.BAD_VALUE, SqlErrorKind.OVERFLOW, SqlErrorKind.DIVISION_BY_ZERO, SqlErrorKind.OUT_OF_RANGE}
"""Errors of values, for which Spark has functions that yield null instead."""

TOLERANT: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Cast, "try_cast"), (exp.Div, "try_divide"), (exp.Add, "try_add"), (exp.Sub, "try_subtract"), (exp.Mul, "try_multiply"),
    (exp.Sum, "try_sum"), (exp.Avg, "try_avg"), (exp.Bracket, "get"),
)  # fmt: skip
"""Operations and the functions that do the same but yield null where the operation fails."""

TOLERANT_FUNCTIONS = ("to_number", "to_binary", "to_timestamp", "element_at", "to_date", "to_json", "parse_json", "aes_decrypt", "mod")
"""Functions that have a form with `try_` before the name."""


def _tolerant(tree: exp.Expr, sql: str) -> Iterator[str]:
    lower = sql.lower()
    yield from (f"try_{name}" for name in TOLERANT_FUNCTIONS if f"{name}(" in lower and f"try_{name}(" not in lower)
    yield from (name for kind, name in TOLERANT if tree.find(kind) is not None)


def _aliases(tree: exp.Expr) -> Iterator[str]:
    for node in tree.find_all(exp.Table, exp.Subquery):
        if node.alias_or_name:
            yield node.alias_or_name


def _columns(tree: exp.Expr, tables: Sequence[TableDetail]) -> Iterator[str]:
    """The columns that a statement's sources have, with the alias where there are several sources."""
    sources = [node for node in tree.find_all(exp.Table) if node.name]
    is_qualified = len(sources) > 1
    for node in sources:
        for table in tables:
            if table.name.lower() == node.name.lower():
                yield from (f"{node.alias_or_name}.{column.name}" if is_qualified else column.name for column in table.columns)
    for alias in tree.find_all(exp.TableAlias):
        yield from (f"{alias.name}.{column.name}" if is_qualified else column.name for column in alias.columns)
    for query in tree.find_all(exp.Subquery, exp.CTE):
        if isinstance(query.this, exp.Query):
            yield from (name for name in query.this.named_selects if name and name != "*")


def _shared_qualifier(candidates: Sequence[str]) -> str:
    qualifiers = {candidate.rpartition(".")[0] for candidate in candidates}
    return f"{qualifiers.pop()}." if len(qualifiers) == 1 and "" not in qualifiers else ""
