"""Mends of clauses: aliases used where they are not known, columns that are not grouped, aggregates in WHERE."""

from collections.abc import Iterator

from sqlglot import exp

from contracts.statements import code, name, say
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.repair.mend import Broken, Mend, replaced, select_of
from workers.engines.sql.repair.mend_rows import key_among, latest_of_group


def alias_in_clause(broken: Broken) -> Iterator[Mend]:
    """A name of the SELECT list used in a clause that does not know it: what it stands for is written there."""
    wanted = broken.name.rpartition(".")[2]
    yield from _order_of_nulls(broken, wanted)
    used = [
        column for column in broken.columns_named(wanted) if not column.table and (select := select_of(column)) and _named(select, wanted)
    ]
    new: dict[int, exp.Expr | None] = {}
    for column in used:
        select = select_of(column)
        value = _named(select, wanted) if select is not None else None
        if value is None or _is_inside(column, value) or _is_whole_order(column):
            continue
        new[id(column)] = exp.Paren(this=value.copy()) if isinstance(value, exp.Binary) and isinstance(column.parent, exp.Binary) else value
    if new:
        yield Mend(
            replaced(broken.tree, new),
            say("sql_repair.alias_spelt_out", alias=name(wanted), value=code(_sql(used[0], broken, wanted))),
            1.25,
        )


def _sql(column: exp.Column, broken: Broken, wanted: str) -> str:
    select = select_of(column)
    value = _named(select, wanted) if select is not None else None
    return printed(value, broken.dialect) if value is not None else wanted


def _named(select: exp.Select, wanted: str) -> exp.Expr | None:
    return next((item.this for item in select.selects if isinstance(item, exp.Alias) and item.alias.lower() == wanted.lower()), None)


def _is_inside(node: exp.Expr, value: exp.Expr) -> bool:
    current: exp.Expr | None = node
    while current is not None:
        if current is value:
            return True
        current = current.parent
    return False


def _is_whole_order(column: exp.Column) -> bool:
    """`ORDER BY total`: every engine knows the name there."""
    return isinstance(column.parent, exp.Ordered)


def _order_of_nulls(broken: Broken, wanted: str) -> Iterator[Mend]:
    """`ORDER BY CASE WHEN x IS NULL THEN 1 ELSE 0 END, x` says where nulls come, as NULLS LAST does."""
    new: dict[int, exp.Expr | None] = {}
    for order in broken.tree.find_all(exp.Order):
        items = list(order.expressions)
        kept: list[exp.Expr] = []
        for item, following in zip(items, [*items[1:], None], strict=True):
            about = null_rank(item)
            if about is not None and following is not None and following.this == about and wanted.lower() == about.name.lower():
                is_last = bool(item.args.get("desc")) is False
                following.set("nulls_first", not is_last)
                continue
            kept.append(item)
        if len(kept) < len(items):
            copy = order.copy()
            copy.set("expressions", [item.copy() for item in kept])
            new[id(order)] = copy
    if new:
        yield Mend(replaced(broken.tree, new), say("sql_repair.order_of_nulls", column=name(wanted)), 1)


def null_rank(item: exp.Expr) -> exp.Expr | None:
    """The value of which an item of an ORDER BY says only whether it is null, 1 for null."""
    case = item.this if isinstance(item, exp.Ordered) else None
    if not isinstance(case, exp.Case) or len(case.args.get("ifs") or []) != 1:
        return None
    when, default = case.args["ifs"][0], case.args.get("default")
    is_empty = isinstance(when.this, exp.Is) and isinstance(when.this.expression, exp.Null) and not when.this.args.get("negate")
    if not is_empty or when.args["true"].name != "1":
        return None
    return when.this.this if default is not None and default.name == "0" else None


def not_grouped(broken: Broken) -> Iterator[Mend]:
    """A column that is neither grouped by nor aggregated joins the GROUP BY, unless only a condition on rows has it."""
    wanted = broken.name
    yield from _plain_having(broken)
    columns = broken.columns_named(wanted) or broken.columns_named(wanted.rpartition(".")[2])
    for select in dict.fromkeys(select_of(column) for column in columns):
        if select is None:
            continue
        group = select.args.get("group")
        grouped = list(group.expressions) if isinstance(group, exp.Group) else []
        missing = _ungrouped(select, grouped)
        named = wanted.rpartition(".")[2].lower()
        own = [item for item in missing if any(column.name.lower() == named for column in item.find_all(exp.Column))]
        for added in [own, missing] if own and len(missing) > len(own) else [missing]:
            if not added:
                continue
            copy = select.copy()
            copy.set("group", exp.Group(expressions=[item.copy() for item in [*grouped, *dict.fromkeys(added)]]))
            shown = ", ".join(printed(item, broken.dialect) for item in dict.fromkeys(added))
            owner = key_among(select, [*grouped, *added], broken)
            is_of_columns = all(isinstance(item, exp.Column) for item in added)
            if owner and added is missing and is_of_columns and (latest := latest_of_group(broken, select, grouped, added)) is not None:
                yield latest
            is_selected = any(item in list(output.walk()) for item in added for output in select.selects)
            if owner:
                why = say("sql_repair.grouped_by_key", columns=code(shown), table=name(owner))
            elif is_selected:
                why = say("sql_repair.grouped", columns=code(shown))
            else:
                why = say("sql_repair.grouped_for_order", columns=code(shown))
            yield Mend(
                replaced(broken.tree, {id(select): copy}),
                why,
                2 if owner else 1 if added is missing else 1.25,
            )


def _plain_having(broken: Broken) -> Iterator[Mend]:
    """Conditions of a HAVING that have no aggregate move to WHERE: in GROUP BY, their columns would make other groups."""
    for select in broken.tree.find_all(exp.Select):
        having = select.args.get("having")
        if not isinstance(having, exp.Having):
            continue
        named = {item.alias.lower(): item.this for item in select.selects if isinstance(item, exp.Alias)}
        conditions = list(having.this.flatten()) if isinstance(having.this, exp.And) else [having.this]
        moved = [item for item in conditions if item.find(exp.Column) and not _has_aggregate(item, select, named)]
        if not moved:
            continue
        kept, copy = [item.copy() for item in conditions if item not in moved], select.copy()
        copy.set("having", exp.Having(this=exp.and_(*kept, copy=False)) if kept else None)
        copy.where(*(item.transform(_spelt_out, named, is_any=True) for item in moved), copy=False)
        shown = code(" AND ".join(printed(item, broken.dialect) for item in moved))
        yield Mend(replaced(broken.tree, {id(select): copy}), say("sql_repair.where", condition=shown), 0.9)


def _ungrouped(select: exp.Select, grouped: list[exp.Expr]) -> list[exp.Expr]:
    """What the SELECT list and ORDER BY have outside of aggregates that is not grouped by: columns, and whole expressions of the list:
    rows of one month are not rows of one day."""
    aliases = {item.alias.lower() for item in select.selects if isinstance(item, exp.Alias)}
    grouped_texts = {item.sql().lower() for item in grouped} | {item.sql().rpartition(".")[2].lower() for item in grouped}
    parts = [*select.selects, *filter(None, (select.args.get("order"),))]
    found: list[exp.Expr] = []
    for item, column in ((part, column) for part in parts for column in part.find_all(exp.Column)):
        inside = column.find_ancestor(exp.AggFunc, exp.Select)
        if isinstance(inside, exp.AggFunc) and not isinstance(inside.parent, exp.Window):
            continue
        is_alias = not column.table and column.name.lower() in aliases and column.find_ancestor(exp.Order) is not None
        whole = _whole(item, column)
        is_grouped = bool(grouped_texts.intersection((column.sql().lower(), whole.sql().lower())))
        if select_of(column) is select and not is_alias and not is_grouped:
            found.append(whole)
    return list(dict.fromkeys(found))


def _whole(item: exp.Expr, column: exp.Column) -> exp.Expr:
    """The expression of the SELECT list that a column is in, where all of it is of one row; else the column."""
    value = item.unalias()
    is_of_a_row = not isinstance(item, exp.Order) and value.find(exp.AggFunc, exp.Window, exp.Query) is None
    return value if is_of_a_row else column


def misplaced_aggregate(broken: Broken) -> Iterator[Mend]:
    """Conditions on aggregates belong in HAVING."""
    for select in broken.tree.find_all(exp.Select):
        where = select.args.get("where")
        if not isinstance(where, exp.Where):
            continue
        conditions = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
        named = {item.alias.lower(): item.this for item in select.selects if isinstance(item, exp.Alias)}
        moved = [item for item in conditions if _has_aggregate(item, select, named)]
        if not moved:
            continue
        copy = select.copy()
        kept = [item.copy() for item in conditions if item not in moved]
        copy.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
        having = select.args.get("having")
        before = [having.this.copy()] if isinstance(having, exp.Having) else []
        spelt = [item.transform(_spelt_out, named) for item in moved]
        copy.set("having", exp.Having(this=exp.and_(*before, *spelt, copy=False)))
        plain = [] if copy.args.get("group") else _ungrouped(copy, [])
        if plain:
            copy.set("group", exp.Group(expressions=[item.copy() for item in plain]))
        shown = code(" AND ".join(printed(item, broken.dialect) for item in moved))
        yield Mend(replaced(broken.tree, {id(select): copy}), say("sql_repair.having", condition=shown), 1)


def _has_aggregate(node: exp.Expr, select: exp.Select, named: dict[str, exp.Expr]) -> bool:
    if any(aggregate.find_ancestor(exp.Select) is select for aggregate in node.find_all(exp.AggFunc)):
        return True
    return any(
        not column.table and (value := named.get(column.name.lower())) is not None and value.find(exp.AggFunc) is not None
        for column in node.find_all(exp.Column)
    )


def _spelt_out(node: exp.Expr, named: dict[str, exp.Expr], *, is_any: bool = False) -> exp.Expr:
    """An alias as what it stands for: of an aggregate, or any."""
    value = named.get(node.name.lower()) if isinstance(node, exp.Column) and not node.table else None
    return value.copy() if value is not None and (is_any or value.find(exp.AggFunc)) else node


def distinct_order(broken: Broken) -> Iterator[Mend]:
    """`SELECT DISTINCT` ordered by something that it does not select: it is selected too."""
    for select in broken.tree.find_all(exp.Select):
        order = select.args.get("order")
        if select.args.get("distinct") is None or not isinstance(order, exp.Order):
            continue
        known = {item.unalias().sql() for item in select.selects} | {item.alias_or_name for item in select.selects}
        extra = [item.this for item in order.expressions if item.this.sql() not in known]
        if extra:
            copy = select.copy()
            copy.set("expressions", [*copy.expressions, *(item.copy() for item in extra)])
            shown = code(", ".join(printed(item, broken.dialect) for item in extra))
            yield Mend(replaced(broken.tree, {id(select): copy}), say("sql_repair.selected_too", columns=shown), 1.5)
