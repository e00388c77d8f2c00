"""What statements say of themselves: the table that they write, how, by which key; and what makes a row of a query unique."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from sqlglot import exp

from contracts.sql_review import WriteMode
from workers.engines.sql.conditions import conjuncts
from workers.engines.sql.trees import ctes_of, parts_of
from workers.kinds.etl.rules.writing import empties, is_temporary, written_table

REPLACE = "replace"
MOST_FOLLOWED = 20
"""`SELECT * FROM name` is followed through so many names to the query behind them."""


@dataclass(frozen=True)
class Unit:
    """The statements of a file that write one table, temporary tables included; or a query alone."""

    table: str
    """As it is written, in lower case. Empty: a query alone."""
    trees: tuple[exp.Expr, ...]
    file: str

    @property
    def query(self) -> exp.Query | None:
        """The content of the table, where all that the statements do is to make it from one query."""
        if self.replaced is not None:
            return self.replaced
        rest = [tree for tree in self.trees if not isinstance(tree, exp.Drop)]
        if len(rest) != 1:
            return None
        tree = rest[0]
        if isinstance(tree, exp.Query):
            return tree
        made = tree.expression if isinstance(tree, exp.Create) else None
        return made if isinstance(made, exp.Query) else None

    @cached_property
    def replaced(self) -> exp.Query | None:
        """The rows that come or come again, where all that the statements do beside declaring the table is one `REPLACE INTO`."""
        rest = [tree for tree in self.trees if not (isinstance(tree, exp.Create) and tree.expression is None)]
        tree = rest[0] if len(rest) == 1 and is_replace(rest[0]) else None
        if tree is None or not isinstance(tree.expression, exp.Select):
            return None
        made, listed = tree.expression.copy(), _listed(tree)
        if not listed:
            return made
        if len(listed) != len(made.expressions) or made.is_star:
            return None
        named = zip(made.expressions, listed, strict=True)
        return made.select(*(exp.alias_(item.unalias().copy(), column, quoted=True) for item, column in named), append=False, copy=False)


def is_replace(tree: exp.Expr) -> bool:
    """A `REPLACE INTO`, which was read as an INSERT."""
    return isinstance(tree, exp.Insert) and bool(tree.meta.get(REPLACE))


def units_of(trees: Sequence[exp.Expr], file: str) -> list[Unit]:
    """Statements by the table that they write, in the order of the first of each. A temporary table belongs to what is written next."""
    found: dict[str, list[exp.Expr]] = {}
    waiting: list[exp.Expr] = []
    temporary: set[str] = set()
    for tree in trees:
        table = written_table(tree)
        if is_temporary(tree):
            temporary.add(table)
        indexed = _indexed(tree)
        table = indexed if indexed in found or indexed in temporary else table
        if table in temporary or (not table and not isinstance(tree, exp.Query)):
            waiting.append(tree)
            continue
        found.setdefault(table, []).extend([*waiting, tree])
        waiting = []
    if waiting and found:
        found[next(reversed(found))].extend(waiting)
    return [Unit(table, tuple(statements), file) for table, statements in found.items()]


def mode_of(unit: Unit) -> WriteMode | None:
    """How the statements leave the rows that the table has; None: they do not say it by their form."""
    if unit.query is not None:
        return WriteMode.OVERWRITE if unit.replaced is None else WriteMode.UPSERT
    own = [tree for tree in unit.trees if written_table(tree) == unit.table]
    if any(empties(tree) for tree in own):
        return WriteMode.OVERWRITE
    if any(isinstance(tree, exp.Merge) and _updates(tree) for tree in own):
        return WriteMode.UPSERT
    inserts = [tree for tree in own if isinstance(tree, exp.Insert)]
    if any(_replaces(tree) for tree in inserts):
        return WriteMode.UPSERT
    deletes = [tree for tree in own if isinstance(tree, exp.Delete | exp.Update)]
    if deletes and inserts:
        return WriteMode.UPSERT if any(_deleted_by(tree) for tree in deletes) else None
    return WriteMode.APPEND if (inserts or any(isinstance(tree, exp.Merge) for tree in own)) and not deletes else None


def key_of(unit: Unit) -> tuple[str, ...] | None:
    """The columns of which the statements say that they make a row unique; None: they say nothing. Empty: there is one row."""
    own = [tree for tree in unit.trees if written_table(tree) == unit.table]
    for tree in own:
        if key := _matched(tree) or _deleted_by(tree):
            return key
    for tree in own:
        if (key := _declared(tree)) and not (unit.replaced is not None and _has_unique(unit)):
            return key
    if unit.replaced is not None:
        return None  # it replaces by the table's key, and not by what its query groups by
    last = unit.query or next((tree.expression for tree in reversed(own) if isinstance(tree, exp.Insert | exp.Create)), None)
    if not isinstance(last, exp.Query):
        return None
    found, listed = grain_of(last), _listed(own[-1]) if own else ()
    if not found or not listed or len(listed) != len(last.named_selects):
        return found
    return tuple(listed[last.named_selects.index(column)] for column in found)


def partition_of(unit: Unit) -> tuple[str, ...]:
    """The columns of the partitions that the statements replace."""
    for tree in unit.trees:
        into = tree.this.this if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Schema) else tree.this
        partition = into.args.get("partition") if isinstance(tree, exp.Insert) and isinstance(into, exp.Table) else None
        if isinstance(partition, exp.Expr):
            return tuple(dict.fromkeys(column.name for column in partition.find_all(exp.Column, exp.Identifier) if column.name))
    return ()


def clauses_of(unit: Unit, dialect: str) -> list[str]:
    """Clauses with which a CREATE TABLE says how the table is stored: `PARTITION BY day`, `CLUSTER BY country`, options."""
    made = [tree.args.get("properties") for tree in unit.trees if isinstance(tree, exp.Create)]
    kept = (node for found in made if isinstance(found, exp.Properties) for node in found.expressions)
    texts = (" ".join(node.sql(dialect=dialect).split())[:80] for node in kept if not isinstance(node, exp.TemporaryProperty))
    return list(dict.fromkeys(filter(None, texts)))


def columns_of(unit: Unit) -> list[str]:
    """The columns of the last query of the statements, as far as it names them."""
    last = unit.query or next((tree.expression for tree in reversed(unit.trees) if isinstance(tree.expression, exp.Query)), None)
    return [name for name in last.named_selects if name != "*"] if isinstance(last, exp.Query) else []


def grain_of(query: exp.Query) -> tuple[str, ...] | None:
    """What makes a row of the result unique, by GROUP BY or DISTINCT. Empty: there is one row. None: the query does not say."""
    at: exp.Expr = query.unnest()
    for _ in range(MOST_FOLLOWED):
        behind = _behind(at)
        if behind is None:
            break
        at = behind
    if not isinstance(at, exp.Select) or (at.args.get("joins") and at.is_star):
        return None
    outputs = at.named_selects
    distinct = at.args.get("distinct")
    if isinstance(distinct, exp.Distinct) and not at.is_star:
        on = distinct.args.get("on")
        return _outputs(at, [on] if not isinstance(on, exp.Tuple) else on.expressions) if isinstance(on, exp.Expr) else tuple(outputs)
    group = at.args.get("group")
    if isinstance(group, exp.Group):
        is_plain = all(not group.args.get(other) for other in ("grouping_sets", "cube", "rollup", "all"))
        return _outputs(at, group.expressions) if is_plain and group.expressions else None
    aggregates = (found for node in at.expressions for found in node.find_all(exp.AggFunc))
    return () if any(found.find_ancestor(exp.Window, exp.Select) is at for found in aggregates) else None


def _behind(at: exp.Expr) -> exp.Expr | None:
    """The query behind a `SELECT * FROM name` or of a query in brackets."""
    if not isinstance(at, exp.Select) or len(at.expressions) != 1 or not isinstance(at.expressions[0], exp.Star) or at.args.get("joins"):
        return None
    source = at.args.get("from_")
    inner = source.this if isinstance(source, exp.From) else None
    if isinstance(inner, exp.Subquery):
        return inner.unnest()
    if not isinstance(inner, exp.Table) or inner.db:
        return None
    scope: exp.Expr | None = at
    while scope is not None:
        clause = ctes_of(scope)
        for cte in clause.expressions if clause is not None else ():
            if cte.alias_or_name.lower() == inner.name.lower() and cte.this is not at:
                return cte.this.unnest() if isinstance(cte.this, exp.Query) else None
        scope = scope.find_ancestor(exp.Query)
    return None


def _outputs(select: exp.Select, by: Sequence[exp.Expr]) -> tuple[str, ...] | None:
    """The names that expressions have among the outputs; None: one of them is not there."""
    found: list[str] = []
    for node in by:
        name = _output(select, node)
        if not name:
            return None
        found.append(name)
    return tuple(dict.fromkeys(found))


def _output(select: exp.Select, node: exp.Expr) -> str:
    outputs = select.expressions
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        place = int(node.name)
        return outputs[place - 1].alias_or_name if 0 < place <= len(outputs) else ""
    same = (output.alias_or_name for output in outputs if output.unalias() == node)
    alias = node.name if isinstance(node, exp.Column) and not node.table else ""
    named = (output.alias_or_name for output in outputs if alias and output.alias_or_name.lower() == alias.lower())
    return next(chain(same, named), "")


def _updates(tree: exp.Merge) -> bool:
    return any(isinstance(when.args.get("then"), exp.Update) for when in tree.find_all(exp.When))


def _replaces(tree: exp.Insert) -> bool:
    conflict = tree.args.get("conflict")
    if isinstance(conflict, exp.OnConflict):
        return bool(conflict.expressions)
    return str(tree.args.get("alternative") or "").upper() == "REPLACE"


def _matched(tree: exp.Expr) -> tuple[str, ...]:
    """The columns by which a statement finds the row that comes again."""
    if isinstance(tree, exp.Insert):
        conflict = tree.args.get("conflict")
        return tuple(node.name for node in parts_of(conflict, "conflict_keys")) if isinstance(conflict, exp.OnConflict) else ()
    if isinstance(tree, exp.Merge) and isinstance(tree.this, exp.Table):
        return tuple(_compared(tree.args.get("on"), tree.this.alias_or_name))
    return ()


def _deleted_by(tree: exp.Expr) -> tuple[str, ...]:
    """The columns by which a DELETE takes away the rows that come again: `key IN (SELECT ...)`, or EXISTS with equal keys."""
    if not isinstance(tree, exp.Delete) or not isinstance(tree.this, exp.Table):
        return ()
    where, own = tree.args.get("where"), tree.this.alias_or_name
    condition = where.this if isinstance(where, exp.Where) else None
    if isinstance(condition, exp.In) and isinstance(condition.args.get("query"), exp.Query):
        named = condition.this.expressions if isinstance(condition.this, exp.Tuple) else [condition.this]
        return tuple(column.name for column in named if isinstance(column, exp.Column))
    inner = condition.this.unnest() if isinstance(condition, exp.Exists) and isinstance(condition.this, exp.Query) else None
    inside = inner.args.get("where") if isinstance(inner, exp.Select) else None
    if isinstance(inside, exp.Where):
        return tuple(_compared(inside.this, own))
    return tuple(_compared(condition, own)) if tree.args.get("using") else ()


def _compared(condition: exp.Expr | None, table: str) -> Iterator[str]:
    """The columns of a table that a condition sets equal to those of another."""
    for node in conjuncts(condition):
        if isinstance(node, exp.EQ | exp.NullSafeEQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column):
            for side, other in ((node.this, node.expression), (node.expression, node.this)):
                if side.table.lower() == table.lower() != other.table.lower():
                    yield side.name


def _declared(tree: exp.Expr) -> tuple[str, ...]:
    """The primary key of a CREATE TABLE."""
    if not isinstance(tree, exp.Create) or not isinstance(tree.this, exp.Schema):
        return ()
    for key in tree.this.find_all(exp.PrimaryKey):
        return tuple(node.name for node in key.expressions)
    for column in tree.this.expressions:
        if isinstance(column, exp.ColumnDef) and column.find(exp.PrimaryKeyColumnConstraint) is not None:
            return (column.name,)
    return ()


def _has_unique(unit: Unit) -> bool:
    """Whether the table's rows are unique by more than its primary key: by a UNIQUE of the table or a unique index of its own."""
    return any(tree.find(exp.UniqueColumnConstraint) or (tree.args.get("unique") and _indexed(tree) == unit.table) for tree in unit.trees)


def _indexed(tree: exp.Expr) -> str:
    """The table of a CREATE INDEX, in lower case; empty for other statements."""
    index = tree.this if isinstance(tree, exp.Create) else None
    table = index.args.get("table") if isinstance(index, exp.Index) else None
    return ".".join(part.name for part in table.parts).lower() if isinstance(table, exp.Table) else ""


def _listed(tree: exp.Expr) -> list[str]:
    """The columns into which an INSERT puts its rows, where it names them."""
    return [node.name for node in tree.this.expressions] if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Schema) else []
