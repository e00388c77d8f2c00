"""What a script may hold that writes to a source: plain changes of tables in writable schemas, made of queries that pass the first lock."""

from collections.abc import Sequence

from sqlglot import exp

from contracts.sources import STATEMENT_MAX, Lock, SourceKind
from contracts.statements import Name, Statement, count, names, say
from workers.engines.sql import bounded
from workers.engines.sql.trees import PARSER_FAULTS
from workers.errors import StatementRefused
from workers.sources.parsing import check_node
from workers.sources.shapes import is_allowed

STATEMENTS_MAX = 100
"""Of a script."""
_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Create, exp.Drop, exp.TruncateTable, exp.Comment)
_PARTS = (
    exp.Schema, exp.ColumnDef, exp.ColumnConstraint, exp.NotNullColumnConstraint, exp.PrimaryKeyColumnConstraint, exp.PrimaryKey,
    exp.UniqueColumnConstraint, exp.DefaultColumnConstraint, exp.OnConflict, exp.Properties, exp.TemporaryProperty,
)  # fmt: skip


def check_script(statements: Sequence[str], kind: SourceKind, writable: Sequence[str]) -> tuple[str, ...]:
    """The texts that go to the engine, printed from what was checked. Raises `StatementRefused`."""
    if not statements or len(statements) > STATEMENTS_MAX:
        raise _refused(say("refused.writing.statements", most=count(STATEMENTS_MAX), n=count(len(statements), exact=True)))
    temporary, texts = set[str](), list[str]()
    for statement in statements:
        tree = _parsed(statement, kind)
        for node in tree.walk():
            _check(node, tree, kind)
        for table in _targets(tree):
            _check_target(table, tree, writable, temporary)
        for table in tree.find_all(exp.Table):
            if _name(table.args.get("db")).startswith("pg_") or _name(table.args.get("db")) == "information_schema":
                raise _refused(say("refused.writing.engine_s", table=Name(text=table.sql()[:80])))
        texts.append(tree.sql(dialect=str(kind), comments=False, normalize_functions=False))
    return tuple(texts)


def _parsed(statement: str, kind: SourceKind) -> exp.Expr:
    if len(statement) > STATEMENT_MAX:
        raise _refused(say("refused.source.long", n=count(len(statement), exact=True), most=count(STATEMENT_MAX, exact=True)))
    try:
        trees = [tree for tree in bounded.parse(statement, str(kind)) if tree is not None]
    except PARSER_FAULTS:
        raise _refused(say("refused.writing.unreadable", kind=Name(text=kind))) from None
    if len(trees) != 1 or not isinstance(trees[0], _WRITES):
        raise _refused(say("refused.writing.one_table"))
    tree = trees[0]
    if isinstance(tree, exp.Create | exp.Drop) and str(tree.args.get("kind")).upper() != "TABLE":
        raise _refused(say("refused.writing.only_tables"))
    if isinstance(tree, exp.Comment) and (str(tree.args.get("kind")).upper() not in ("TABLE", "COLUMN") or not tree.expression.is_string):
        raise _refused(say("refused.writing.only_tables"))
    if tree.args.get("cascade") or tree.args.get("returning") or tree.args.get("option"):
        raise _refused(say("refused.writing.cascade"))
    return tree


def _check(node: exp.Expr, tree: exp.Expr, kind: SourceKind) -> None:
    if node is tree or isinstance(node, _PARTS) or (isinstance(node, exp.IndexParameters) and not any(node.args.values())):
        return
    if not is_allowed(node):
        raise _refused(say("refused.writing.part", part=Name(text=type(node).__name__.upper())))
    check_node(node, kind)


def _targets(tree: exp.Expr) -> list[exp.Table]:
    if isinstance(tree, exp.TruncateTable):
        return [table for table in tree.expressions if isinstance(table, exp.Table)]
    if isinstance(tree, exp.Drop):
        return [table for table in (tree.args.get("tables") or [tree.this]) if isinstance(table, exp.Table)]
    if isinstance(tree, exp.Comment) and isinstance(tree.this, exp.Column):
        place = tree.this.args
        return [exp.Table(this=place.get("table"), db=place.get("db"), catalog=place.get("catalog"))]
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
        example = Name(text=f"{writable[0] if writable else 'mart'}.{name[:40]}")
        raise _refused(say("refused.writing.schema_lacks", table=Name(text=table.sql()[:80]), example=example))
    if schema not in writable:
        allowed = names(writable) if writable else say("refused.writing.none")
        raise _refused(say("refused.writing.not_writable", schema=Name(text=schema[:60]), allowed=allowed))


def _name(node: object) -> str:
    """As the engine folds it."""
    if not isinstance(node, exp.Identifier):
        return ""
    return str(node.this) if node.args.get("quoted") else str(node.this).lower()


def _refused(says: Statement) -> StatementRefused:
    return StatementRefused(Lock.PARSED, says)
