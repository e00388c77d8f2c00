"""Mends that choose rows: the latest row of each group, and conditions on a rank."""

from collections.abc import Iterator

from sqlglot import exp

from contracts.statements import code, name, say
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.repair.mend import Broken, Mend, alias_of, column_names, detail_of, replaced, select_of, sources_of

QUALIFIES = frozenset({"duckdb", "snowflake", "bigquery", "databricks", "teradata", "redshift", "clickhouse"})
"""Dialects with QUALIFY."""
PLACE = "row_place"
"""What the place of a row in its group is called."""
RANKED = "ranked"


def key_among(select: exp.Select, columns: list[exp.Expr], broken: Broken) -> str:
    """The table of which these columns hold a key, so that each group has at most one row of it; empty: none that is known."""
    sources = sources_of(select)
    for source in sources:
        detail = detail_of(source, broken.tables)
        keys = [key for key in (detail.primary_key, *detail.unique) if key] if detail is not None else []
        own = {
            column.name.lower()
            for column in columns
            if isinstance(column, exp.Column)
            and (column.table.lower() == alias_of(source).lower() or (not column.table and len(sources) == 1))
        }
        if any({part.lower() for part in key} <= own for key in keys):
            return source.name
    return ""


def latest_of_group(broken: Broken, select: exp.Select, grouped: list[exp.Expr], added: list[exp.Expr]) -> Mend | None:
    """`SELECT customer, order, MAX(day) .. GROUP BY customer`: the row that has the maximum, of each customer."""
    extreme = _extreme_of(select) if grouped else None
    if extreme is None:
        return None
    outer = _first_of_each(select, extreme, grouped, added)
    if outer is None:
        return None
    values = {
        "columns": code(", ".join(printed(item, broken.dialect) for item in grouped)),
        "column": code(printed(extreme.this, broken.dialect)),
        "other": code("GROUP BY " + ", ".join(printed(item, broken.dialect) for item in [*grouped, *added])),
    }
    why = say("sql_repair.latest_of_group", **values) if isinstance(extreme, exp.Max) else say("sql_repair.earliest_of_group", **values)
    return Mend(replaced(broken.tree, {id(select): outer}), why, 1)


def _extreme_of(select: exp.Select) -> exp.Max | exp.Min | None:
    """The maximum or minimum of a column, where that is all that a query works out of its groups."""
    found = [node for item in select.selects for node in item.find_all(exp.AggFunc)]
    if len(found) != 1 or any(select.args.get(part) is not None for part in ("having", "distinct", "limit")):
        return None
    (only,) = found
    return only if isinstance(only, exp.Max | exp.Min) and isinstance(only.this, exp.Column) else None


def _first_of_each(select: exp.Select, extreme: exp.Max | exp.Min, grouped: list[exp.Expr], added: list[exp.Expr]) -> exp.Select | None:
    """The query with the rows of each group ranked by the column, around it one that takes the first. None: its order cannot be kept."""
    items = [_ranked_item(item, extreme) for item in select.selects]
    by = [extreme.this, *added]
    order = [exp.Ordered(this=column.copy(), desc=isinstance(extreme, exp.Max), nulls_first=False) for column in by]
    window = exp.Window(this=exp.RowNumber(), partition_by=[column.copy() for column in grouped], order=exp.Order(expressions=order))
    inner = select.copy()
    ordered = inner.args.get("order")
    for part in ("group", "order", "with_"):
        inner.set(part, None)
    inner.set("expressions", [*items, exp.alias_(window, PLACE)])
    outer = exp.select(*(exp.column(item.alias_or_name) for item in items)).from_(exp.alias_(exp.Subquery(this=inner), RANKED))
    outer = outer.where(exp.EQ(this=exp.column(PLACE), expression=exp.Literal.number(1)))
    if isinstance(ordered, exp.Order):
        if any(node.table for node in ordered.find_all(exp.Column)) or ordered.find(exp.AggFunc) is not None:
            return None
        outer.set("order", ordered.copy())
    if select.args.get("with_") is not None:
        outer.set("with_", select.args["with_"].copy())
    return outer


def _ranked_item(item: exp.Expr, extreme: exp.Max | exp.Min) -> exp.Expr:
    """An item of the list, with the column itself in the place of its maximum or minimum."""
    if item.unalias() is not extreme:
        return item.copy()
    value = extreme.this.copy()
    label = item.alias or extreme.this.name
    return exp.alias_(value, label) if label != extreme.this.name else value


def misplaced_window(broken: Broken) -> Iterator[Mend]:
    """A condition on a rank in WHERE: QUALIFY where the dialect has it, else a query around the one that ranks."""
    for select in broken.tree.find_all(exp.Select):
        where = select.args.get("where")
        if not isinstance(where, exp.Where):
            continue
        named = {item.alias.lower(): item.this for item in select.selects if isinstance(item, exp.Alias)}
        conditions = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
        moved = [item for item in conditions if _has_window(item, select, named)]
        if not moved:
            continue
        kept = [item.copy() for item in conditions if item not in moved]
        copy = select.copy()
        copy.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
        shown = code(" AND ".join(printed(item, broken.dialect) for item in moved))
        if broken.dialect in QUALIFIES:
            copy.set("qualify", exp.Qualify(this=exp.and_(*(item.copy() for item in moved), copy=False)))
            yield Mend(replaced(broken.tree, {id(select): copy}), say("sql_repair.qualify", condition=shown), 1)
        elif (outer := _around(copy, select, moved, broken)) is not None:
            yield Mend(replaced(broken.tree, {id(select): outer}), say("sql_repair.ranked_first", condition=shown, name=name(RANKED)), 1)


def _has_window(node: exp.Expr, select: exp.Select, named: dict[str, exp.Expr]) -> bool:
    if any(select_of(window) is select for window in node.find_all(exp.Window)):
        return True
    return any(
        not column.table and (value := named.get(column.name.lower())) is not None and value.find(exp.Window) is not None
        for column in node.find_all(exp.Column)
    )


def _around(inner: exp.Select, select: exp.Select, moved: list[exp.Expr], broken: Broken) -> exp.Select | None:
    """The query with its ranks as columns, inside one that has the conditions."""
    outputs = _outputs(select, broken)
    if outputs is None:
        return None
    made: dict[str, str] = {item.this.sql(): item.alias for item in select.selects if isinstance(item, exp.Alias)}
    conditions: list[exp.Expr] = []
    for condition in moved:
        copy = condition.copy()
        for window in list(copy.find_all(exp.Window)):
            text = window.sql()
            if text not in made:
                made[text] = PLACE if PLACE not in made.values() else f"{PLACE}_{len(made)}"
                inner.append("expressions", exp.alias_(window.copy(), made[text]))
            named = exp.column(made[text])
            if window is copy:
                copy = named
            else:
                window.replace(named)
        if any(column.table for column in copy.find_all(exp.Column)):
            return None
        conditions.append(copy)
    order = inner.args.get("order")
    outer = exp.select(*(exp.column(output) for output in outputs))
    for part in ("order", "limit", "offset", "with_"):
        if (value := inner.args.get(part)) is not None:
            outer.set(part, value.copy())
            inner.set(part, None)
    if isinstance(order, exp.Order) and any(column.table for column in order.find_all(exp.Column)):
        return None
    return outer.from_(exp.alias_(exp.Subquery(this=inner), RANKED)).where(*conditions)


def _outputs(select: exp.Select, broken: Broken) -> list[str] | None:
    """The names of what a query yields; None: not known."""
    names: list[str] = []
    for item in select.selects:
        if item.is_star:
            tables = [
                table
                for table in sources_of(select)
                if item.find(exp.Star) and (not isinstance(item, exp.Column) or alias_of(table) == item.table)
            ]
            for table in tables:
                columns = column_names(table, broken)
                if not columns:
                    return None
                names += columns
        elif item.alias_or_name:
            names.append(item.alias_or_name)
        else:
            return None
    return names if len(set(names)) == len(names) else None
