"""Statements of any dialect for the sandbox: names without schemas, integer division as the dialect does it, a clock that does not go."""

from sqlglot import ErrorLevel, exp

from contracts.tables import TableDetail
from workers.engines.sql.facts import TypeKind
from workers.engines.sql.names import KnownTables
from workers.engines.sql.review.dependent_columns import with_dependent_columns
from workers.engines.sql.review.sqlite_times import with_sandbox_times
from workers.engines.sql.review.types import sandbox_type
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import parts_of, table_name

TODAY = "2024-06-30"
DAY_BEFORE = "2024-06-29"
"""Of the first run, where a day passes until the second."""
CLOCK_DAY = (exp.CurrentDate, exp.UtcDate)
CLOCK_MOMENT = (exp.CurrentTimestamp, exp.CurrentDatetime, exp.CurrentTimestampLTZ, exp.Localtimestamp, exp.Systimestamp, exp.UtcTimestamp)
CLOCK = (*CLOCK_DAY, *CLOCK_MOMENT)
INTEGER_DIVISION = frozenset({"postgres", "sqlite", "tsql", "redshift", "trino", "presto", "teradata", ""})
"""Dialects in which the quotient of two integers is an integer."""


def flat_name(name: str, script: Script) -> str:
    """One word for a table's name: with its schema where a table of another schema has the same name."""
    last = name.rpartition(".")[2]
    same = [table for table in script.tables if table.name.lower() == last.lower()]
    if len(same) < 2:
        return last
    found = KnownTables(same).find(name)
    return (found.full_name if found is not None else name).replace(".", "__").lower()


def flat_table(table: TableDetail, script: Script) -> exp.Table:
    """A table of the sandbox."""
    return exp.Table(this=exp.to_identifier(flat_name(table.full_name, script), quoted=True))


def for_sandbox(tree: exp.Expr, part: Part, script: Script, today: str = TODAY) -> str:
    """A statement as DuckDB runs it on a day, tables without their schemas."""
    copy = tree.copy()
    for node in list(copy.find_all(exp.Table)):
        if not isinstance(node.this, exp.Func):
            _flatten(node, script)
    fit(copy, part, script, today)
    return printed(copy)


def _flatten(node: exp.Table, script: Script) -> None:
    """Give a table its name in the sandbox; columns that are written behind its own name still find it."""
    own, flat = node.name, flat_name(table_name(node), script)
    node.set("db", None)
    node.set("catalog", None)
    if flat.lower() != own.lower():
        node.set("this", exp.to_identifier(flat, quoted=True))
        if not node.alias and isinstance(node.parent, exp.From | exp.Join):
            node.set("alias", exp.TableAlias(this=exp.to_identifier(own, quoted=True)))


def fit(copy: exp.Expr, part: Part, script: Script, today: str = TODAY) -> None:
    """Change a copy of a statement of `part`, so that DuckDB gives what the script's dialect gives on a day."""
    integer = _integer_divisions(part, script)
    for node in list(copy.find_all(exp.Column)):
        node.set("db", None)
        node.set("catalog", None)
    for node in [inner for found in copy.find_all(exp.Update, exp.OnConflict) for inner in found.expressions if isinstance(inner, exp.EQ)]:
        if isinstance(node.this, exp.Column):
            node.this.set("table", None)
    for node in list(copy.find_all(exp.Div)):
        if node.sql() in integer:
            node.replace(exp.IntDiv(this=node.this.copy(), expression=node.expression.copy()))
    with_dependent_columns(copy, script)
    if script.dialect == "sqlite":
        with_sandbox_times(copy)
    stop_clock(copy, today)


def stop_clock(tree: exp.Expr, today: str = TODAY) -> None:
    """Have a statement or condition work on a day, that of the sandbox."""
    for node in list(tree.find_all(*CLOCK_DAY)):
        node.replace(exp.cast(exp.Literal.string(today), "date"))
    for node in list(tree.find_all(*CLOCK_MOMENT)):
        node.replace(exp.cast(exp.Literal.string(today + " 12:00:00"), "timestamp"))


def printed(tree: exp.Expr) -> str:
    """A statement in DuckDB's dialect."""
    return tree.sql("duckdb", unsupported_level=ErrorLevel.IGNORE)


def _integer_divisions(part: Part, script: Script) -> set[str]:
    if script.dialect not in INTEGER_DIVISION:
        return set()
    return {
        node.sql()
        for node in part.tree.find_all(exp.Div)
        if is_integer(node.this, part, script) and is_integer(node.expression, part, script)
    }


def is_integer(node: exp.Expr, part: Part, script: Script) -> bool:
    """An expression is surely an integer."""
    if isinstance(node, exp.Literal):
        return not node.is_string and node.name.isdigit()
    if isinstance(node, exp.Column):
        found = part.resolved.column(node)
        if script.kind(part, node) is TypeKind.INTEGER:
            return True
        inner = found.alias_of if found else None
        if inner is None and found is not None and found.source is not None and found.source.scope is not None:
            inner = found.source.scope.output(found.name)
        return inner is not None and inner.node is not None and inner.node is not node and is_integer(inner.node, part, script)
    if isinstance(node, exp.Count):
        return True
    if isinstance(node, exp.Sum | exp.Paren | exp.Neg | exp.Min | exp.Max | exp.Alias | exp.Abs | exp.Filter | exp.Window):
        return is_integer(node.this, part, script)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Mod):
        return is_integer(node.this, part, script) and is_integer(node.expression, part, script)
    if isinstance(node, exp.Coalesce):
        return all(is_integer(inner, part, script) for inner in (node.this, *node.expressions))
    if isinstance(node, exp.Case):
        results = [branch.args["true"] for branch in parts_of(node, "ifs")]
        default = node.args.get("default")
        return all(is_integer(inner, part, script) for inner in (*results, *([default] if isinstance(default, exp.Expr) else ())))
    if isinstance(node, exp.Cast):
        return node.to.is_type(*exp.DataType.INTEGER_TYPES)
    return False


def table_definition(table: TableDetail, dialect: str, key: tuple[str, ...], name: exp.Table) -> str:
    """CREATE TABLE for a known table; `key`: columns that ON CONFLICT needs to be unique."""
    columns = [
        exp.ColumnDef(this=exp.to_identifier(column.name, quoted=True), kind=sandbox_type(column.type, dialect)) for column in table.columns
    ]
    body: list[exp.Expr] = [*columns]
    if key:
        body.append(exp.UniqueColumnConstraint(this=exp.Schema(expressions=[exp.to_identifier(item, quoted=True) for item in key])))
    schema = exp.Schema(this=name, expressions=body)
    return exp.Create(this=schema, kind="TABLE").sql("duckdb")
