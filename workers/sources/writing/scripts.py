"""What a script may hold that writes to a source: plain changes of tables in writable schemas, made of queries that pass the first lock."""

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from contracts.sources import STATEMENT_MAX, Lock, SourceKind
from workers.errors import StatementRefused
from workers.sources.parsing import check_node
from workers.sources.shapes import is_allowed

STATEMENTS_MAX = 100
_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Create, exp.Drop, exp.TruncateTable)
_PARTS = (
    exp.Schema, exp.ColumnDef, exp.ColumnConstraint, exp.NotNullColumnConstraint, exp.PrimaryKeyColumnConstraint, exp.PrimaryKey,
    exp.UniqueColumnConstraint, exp.DefaultColumnConstraint, exp.OnConflict, exp.Properties, exp.TemporaryProperty,
)  # fmt: skip


def check_script(statements: Sequence[str], kind: SourceKind, writable: Sequence[str]) -> tuple[str, ...]:
    """The texts that go to the engine, printed from what was checked. Raises `StatementRefused`."""
    if not statements or len(statements) > STATEMENTS_MAX:
        raise _refused(f"A script has 1 to {STATEMENTS_MAX} statements; this one has {len(statements)}.")
    temporary, texts = set[str](), list[str]()
    for statement in statements:
        tree = _parsed(statement, kind)
        for node in tree.walk():
            _check(node, tree, kind)
        for table in _targets(tree):
            _check_target(table, tree, writable, temporary)
        for table in tree.find_all(exp.Table):
            if _name(table.args.get("db")).startswith("pg_") or _name(table.args.get("db")) == "information_schema":
                raise _refused(f"{table.sql()[:80]} belongs to the engine.")
        texts.append(tree.sql(dialect=str(kind), comments=False, normalize_functions=False))
    return tuple(texts)


def _parsed(statement: str, kind: SourceKind) -> exp.Expr:
    if len(statement) > STATEMENT_MAX:
        raise _refused(f"A statement has {len(statement):,} characters; {STATEMENT_MAX:,} are the most.")
    try:
        trees = [tree for tree in sqlglot.parse(statement, read=str(kind)) if tree is not None]
    except (SqlglotError, RecursionError, ValueError):
        raise _refused(f"A statement cannot be read as {kind}.") from None
    if len(trees) != 1 or not isinstance(trees[0], _WRITES):
        raise _refused("Each statement changes one table: INSERT, UPDATE, DELETE, TRUNCATE, CREATE TABLE or DROP TABLE.")
    tree = trees[0]
    if isinstance(tree, exp.Create | exp.Drop) and str(tree.args.get("kind")).upper() != "TABLE":
        raise _refused("Only tables are made and dropped.")
    if tree.args.get("cascade") or tree.args.get("returning") or tree.args.get("option"):
        raise _refused("CASCADE and RETURNING are not allowed.")
    return tree


def _check(node: exp.Expr, tree: exp.Expr, kind: SourceKind) -> None:
    if node is tree or isinstance(node, _PARTS) or (isinstance(node, exp.IndexParameters) and not any(node.args.values())):
        return
    if not is_allowed(node):
        raise _refused(f"{type(node).__name__.upper()} is not allowed in a script that writes.")
    check_node(node, kind)


def _targets(tree: exp.Expr) -> list[exp.Table]:
    if isinstance(tree, exp.TruncateTable):
        return [table for table in tree.expressions if isinstance(table, exp.Table)]
    if isinstance(tree, exp.Drop):
        return [table for table in (tree.args.get("tables") or [tree.this]) if isinstance(table, exp.Table)]
    node = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    return [node] if isinstance(node, exp.Table) else []


def _check_target(table: exp.Table, tree: exp.Expr, writable: Sequence[str], temporary: set[str]) -> None:
    schema, name = _name(table.args.get("db")), _name(table.this)
    if not schema and isinstance(tree, exp.Create) and tree.find(exp.TemporaryProperty) is not None:
        temporary.add(name)
        return
    if not schema and name in temporary:
        return
    if table.args.get("catalog") or not schema:
        raise _refused(
            f"{table.sql()[:80]} is written without its schema; name it, as in {writable[0] if writable else 'mart'}.{name[:40]}."
        )
    if schema not in writable:
        allowed = ", ".join(writable) or "no schema"
        raise _refused(f"{schema[:60]} is not writable; scripts may write into {allowed}.")


def _name(node: object) -> str:
    """As the engine folds it."""
    if not isinstance(node, exp.Identifier):
        return ""
    return str(node.this) if node.args.get("quoted") else str(node.this).lower()


def _refused(message: str) -> StatementRefused:
    return StatementRefused(Lock.PARSED, message)
