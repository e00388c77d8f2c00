"""How a script becomes a dbt model: a query that dbt writes as a table or merges by key; or, where it is neither, its statements."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from sqlglot import exp

from contracts.pipelines.analysis import EtlTarget
from workers.engines.sql.script import Part
from workers.engines.sql.trees import parts_of, table_name


class Materialization(StrEnum):
    """How dbt writes a model."""

    TABLE = "table"
    INCREMENTAL = "incremental"
    SCRIPT = "script"
    """By a macro of the package: statement by statement."""


@dataclass
class ModelShape:
    """A script as a model."""

    materialization: Materialization
    query: exp.Query | None = None
    """None: the statements are run as they are."""
    between: dict[str, exp.Query] = field(default_factory=dict[str, exp.Query])
    """Temporary tables of the script, by name in lower case, as queries of their own."""
    key: tuple[str, ...] = ()
    newer: exp.Expr | None = None
    """Condition under which a row replaces the one with its key; `excluded` is the new row, the target's name the old one."""


def shape_of(parts: Sequence[Part], temporary: Sequence[str], target: EtlTarget | None, table: str) -> ModelShape:
    """The shape of a script that writes `table`. `target`: what is known of it, if it is the table that was asked for."""
    between: dict[str, exp.Query] = {}
    names, writes = {name.lower() for name in temporary}, list[Part]()
    for part in parts:
        made = _temporary(part, names)
        if made is not None:
            between[made[0]] = made[1]
        elif not isinstance(part.tree, exp.Drop):
            writes.append(part)
    if any(_reads(query, table) for query in between.values()):
        return ModelShape(Materialization.SCRIPT)
    writes = [part for part in writes if not _is_empty_table(part)]
    found = _whole(writes, table) or _upsert(writes, target) or _replaced_by_key(writes, target)
    if found is None or found.query is None or _reads(found.query, table):
        return ModelShape(Materialization.SCRIPT)
    found.between = between
    if found.query.find(exp.Star) is None:
        found.query = _with_names(found.query, _insert_columns(writes[-1]), target)
    return found


def _temporary(part: Part, names: set[str]) -> tuple[str, exp.Query] | None:
    tree = part.tree
    if not isinstance(tree, exp.Create) or not isinstance(tree.expression, exp.Query) or not isinstance(tree.this, exp.Table):
        return None
    name, properties = table_name(tree.this).lower(), tree.args.get("properties")
    is_temporary = isinstance(properties, exp.Properties) and properties.find(exp.TemporaryProperty) is not None
    return (name, tree.expression) if name in names or is_temporary else None


def _is_empty_table(part: Part) -> bool:
    """It makes sure that the target is there: dbt does."""
    tree = part.tree
    if not isinstance(tree, exp.Create) or not tree.args.get("exists"):
        return False
    query = tree.expression
    where = query.args.get("where") if isinstance(query, exp.Select) else None
    return query is None or (isinstance(where, exp.Where) and isinstance(where.this, exp.Boolean) and not where.this.this)


def _whole(writes: Sequence[Part], table: str) -> ModelShape | None:
    """All rows are written again."""
    if len(writes) == 1 and isinstance(writes[0].tree, exp.Create) and isinstance(writes[0].tree.expression, exp.Query):
        return ModelShape(Materialization.TABLE, writes[0].tree.expression)
    if not writes or not _is_plain_insert(writes[-1]):
        return None
    last = writes[-1].tree
    into = last.this.this if isinstance(last.this, exp.Schema) else last.this
    if len(writes) == 1 and last.args.get("overwrite") and not into.args.get("partition"):
        return ModelShape(Materialization.TABLE, last.expression)
    first = writes[0].tree
    empties = isinstance(first, exp.TruncateTable) or (isinstance(first, exp.Delete) and first.args.get("where") is None)
    return ModelShape(Materialization.TABLE, last.expression) if len(writes) == 2 and empties else None


def _is_plain_insert(part: Part) -> bool:
    tree = part.tree
    return (
        isinstance(tree, exp.Insert)
        and isinstance(tree.expression, exp.Query)
        and not tree.args.get("conflict")
        and not tree.args.get("ignore")
    )


def _upsert(writes: Sequence[Part], target: EtlTarget | None) -> ModelShape | None:
    """INSERT .. ON CONFLICT (key) DO UPDATE of all other columns, perhaps only by newer rows."""
    tree = writes[0].tree if len(writes) == 1 else None
    conflict = tree.args.get("conflict") if isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Query) else None
    if not isinstance(conflict, exp.OnConflict) or target is None or tree is None:
        return None
    key = tuple(node.name for node in parts_of(conflict, "conflict_keys"))
    sets = [item for item in conflict.expressions if isinstance(item, exp.EQ)]
    whole = {item.this.name.lower() for item in sets if _is_excluded(item)}
    others = {column.name.lower() for column in target.columns} - {name.lower() for name in key}
    if not key or len(whole) != len(sets) or whole != others:
        return None
    where = conflict.args.get("where")
    newer = where.this if isinstance(where, exp.Where) else None
    return ModelShape(Materialization.INCREMENTAL, tree.expression, key=key, newer=newer)


def _is_excluded(item: exp.EQ) -> bool:
    value = item.expression
    return isinstance(value, exp.Column) and value.table.lower() == "excluded" and value.name.lower() == item.this.name.lower()


def _replaced_by_key(writes: Sequence[Part], target: EtlTarget | None) -> ModelShape | None:
    """DELETE of the rows whose key comes, then INSERT of those that come."""
    if (
        len(writes) != 2
        or target is None
        or not target.key
        or not isinstance(writes[0].tree, exp.Delete)
        or not _is_plain_insert(writes[1])
    ):
        return None
    where = writes[0].tree.args.get("where")
    inner = where.this if isinstance(where, exp.Where) else None
    query = inner.this if isinstance(inner, exp.Exists) else None
    condition = query.args.get("where") if isinstance(query, exp.Select) else None
    if not isinstance(query, exp.Select) or not isinstance(condition, exp.Where) or query.args.get("joins"):
        return None
    pairs = list(condition.this.flatten()) if isinstance(condition.this, exp.And) else [condition.this]
    columns = {
        pair.this.name.lower() for pair in pairs if isinstance(pair, exp.EQ) and pair.this.name.lower() == pair.expression.name.lower()
    }
    source = query.args.get("from_")
    inserted = writes[1].tree.expression
    given = inserted.args.get("from_") if isinstance(inserted, exp.Select) else None
    same = isinstance(source, exp.From) and isinstance(given, exp.From) and source.this.name.lower() == given.this.name.lower()
    if len(pairs) != len(columns) or columns != {key.lower() for key in target.key} or not same or inserted.args.get("where"):
        return None
    return ModelShape(Materialization.INCREMENTAL, inserted, key=target.key)


def _reads(query: exp.Query, table: str) -> bool:
    last = table.rpartition(".")[2].lower()
    return any(node.name.lower() == last for node in query.find_all(exp.Table))


def _insert_columns(part: Part) -> list[str]:
    tree = part.tree
    return [node.name for node in tree.this.expressions] if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Schema) else []


def _with_names(query: exp.Query, listed: list[str], target: EtlTarget | None) -> exp.Query:
    """The outputs get the names of the columns into which an INSERT puts them, which dbt needs to make the table."""
    names = listed or ([column.name for column in target.columns] if target is not None else [])
    made = query.copy()
    first = made
    while isinstance(first, exp.SetOperation):
        first = first.this
    if not isinstance(first, exp.Select) or len(first.expressions) != len(names):
        return query
    first.set(
        "expressions",
        [
            output if output.alias_or_name == name else exp.alias_(output.unalias(), name, quoted=not name.isidentifier())
            for output, name in zip(first.expressions, names, strict=True)
        ],
    )
    return made
