"""The clauses of a query in words, in the order in which they act."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from sqlglot import exp

from contracts.sql_explanation import ClauseKind, ExplainedClause
from contracts.statements import Join, Statement, Value, code, count, listing, name, say
from contracts.tables import TableDetail
from workers.engines.sql.explain.conditions import all_hold, condition, conjuncts
from workers.engines.sql.explain.context import Context
from workers.engines.sql.explain.words import all_words, grouped_words, order_words, words
from workers.engines.sql.repair.dates import whole
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.repair.mend import detail_of


class JoinKind(StrEnum):
    """What becomes of rows without a match."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    CROSS = "cross"
    SEMI = "semi"
    ANTI = "anti"


MOST_OTHERS = 40
"""Sources that a sentence on a join names of those before it."""

GROUPING_SETS = ("rollup", "cube", "grouping_sets")


def clauses_of(select: exp.Select, context: Context, tables: Sequence[TableDetail]) -> Iterator[ExplainedClause]:
    """Sentences about a query."""
    yield _clause(ClauseKind.GRAIN, _grain(select, context, tables))
    yield from _sources(select, context)
    where = select.args.get("where")
    if isinstance(where, exp.Where):
        parts = [_and(condition(item, context), item) for item in conjuncts(where.this)]
        yield _clause(ClauseKind.FILTER, say("sql_explain.filter", condition=all_hold(parts)))
    group = select.args.get("group")
    if isinstance(group, exp.Group) and any(group.args.get(name) for name in GROUPING_SETS):
        yield _clause(ClauseKind.GROUP, say("sql_explain.grouping_sets", sets=code(printed(group, context.dialect))))
    having = select.args.get("having")
    if isinstance(having, exp.Having):
        yield _clause(ClauseKind.HAVING, say("sql_explain.having", condition=condition(having.this, context)))
    yield from _result(select, context)
    qualify = select.args.get("qualify")
    if isinstance(qualify, exp.Qualify):
        yield _clause(ClauseKind.QUALIFY, say("sql_explain.qualify", condition=condition(qualify.this, context)))
    yield from _distinct(select, context)
    yield from order_and_limit(select, context)


def order_and_limit(query: exp.Expr, context: Context) -> Iterator[ExplainedClause]:
    """Sentences about the order and the number of rows."""
    order, limit, offset = query.args.get("order"), query.args.get("limit"), query.args.get("offset")
    if isinstance(order, exp.Order):
        yield _clause(ClauseKind.ORDER, say("sql_explain.order", keys=order_words(order, context)))
    if isinstance(limit, exp.Limit | exp.Fetch):
        value = limit.expression if isinstance(limit, exp.Limit) else limit.args.get("count")
        number, options = whole(value), limit.args.get("limit_options")
        is_plain = not isinstance(options, exp.LimitOptions) or not (options.args.get("percent") or options.args.get("with_ties"))
        if not is_plain or limit.expressions:
            yield _clause(ClauseKind.LIMIT, say("sql_explain.limit_as", clause=code(printed(limit, context.dialect).strip())))
        elif number is not None:
            yield _clause(ClauseKind.LIMIT, say("sql_explain.limit", n=count(number, exact=True)))
        elif isinstance(value, exp.Expr):
            yield _clause(ClauseKind.LIMIT, say("sql_explain.limit_by", value=words(value, context)))
    if isinstance(offset, exp.Offset):
        yield _clause(ClauseKind.LIMIT, say("sql_explain.offset", value=words(offset.expression, context)))


def _clause(kind: ClauseKind, text: Statement) -> ExplainedClause:
    return ExplainedClause(kind=kind, text=text)


def _and(value: Value, node: exp.Expr) -> Value:
    return say("sql_explain.in_brackets", value=value) if isinstance(node.unnest(), exp.Or) else value


def source_words(node: exp.Expr, context: Context) -> Value:
    """A table, a CTE or a query in brackets."""
    if isinstance(node, exp.Table) and any(node.args.get(argument) for argument in ("sample", "pivots", "version", "when")):
        return code(printed(node, context.dialect))
    if isinstance(node, exp.Table):
        shown = ".".join(part.name for part in node.parts) or node.sql(context.dialect or None)
        called = context.source(node.alias) if node.alias else ""
        return say("sql_explain.table_as", table=name(shown), alias=name(called)) if called and called != node.name else name(shown)
    if node.alias:
        return name(node.alias)
    inner = node.this if isinstance(node, exp.Subquery) else node
    return say("sql_explain.result_of", number=name(context.numbers.of(inner))) if isinstance(inner, exp.Query) else words(node, context)


def _sources(select: exp.Select, context: Context) -> Iterator[ExplainedClause]:
    start = select.args.get("from_")
    if isinstance(start, exp.From):
        yield _clause(ClauseKind.SOURCE, say("sql_explain.source", source=source_words(start.this, context)))
    before = [source_words(start.this, context)] if isinstance(start, exp.From) else list[Value]()
    joins: list[exp.Join] = select.args.get("joins") or []
    for join in joins:
        yield _clause(ClauseKind.JOIN, _join(join, before, context))
        before.append(source_words(join.this, context))


def join_kind(join: exp.Join) -> JoinKind:
    """What a join does with rows that match nothing."""
    kind, side = str(join.args.get("kind") or "").upper(), str(join.args.get("side") or "").upper()
    if kind in {"SEMI", "ANTI", "CROSS"}:
        return JoinKind(kind.lower())
    if side in {"LEFT", "RIGHT", "FULL"}:
        return JoinKind(side.lower())
    has_condition = join.args.get("on") or join.args.get("using") or str(join.args.get("method") or "").upper() == "NATURAL"
    return JoinKind.INNER if has_condition else JoinKind.CROSS


def _join(join: exp.Join, before: list[Value], context: Context) -> Statement:
    source, kind = source_words(join.this, context), join_kind(join)
    more = len(before) - MOST_OTHERS
    others = listing(*before[:MOST_OTHERS], *([say("sql_explain.more_sources", n=count(more))] if more > 0 else ()))
    on, using = join.args.get("on"), join.args.get("using")
    if isinstance(on, exp.Expr):
        keys: Value = all_hold([_and(condition(item, context), item) for item in conjuncts(on)])
    elif using:
        keys = say("sql_explain.same_columns", columns=listing(*(name(item.name) for item in using)))
    else:
        keys = say("sql_explain.same_names")
    match kind:
        case JoinKind.INNER:
            return say("sql_explain.join.inner", source=source, condition=keys)
        case JoinKind.LEFT:
            return say("sql_explain.join.left", source=source, others=others, condition=keys)
        case JoinKind.RIGHT:
            return say("sql_explain.join.right", source=source, condition=keys)
        case JoinKind.FULL:
            return say("sql_explain.join.full", source=source, condition=keys)
        case JoinKind.CROSS:
            return say("sql_explain.join.cross", source=source, others=others)
        case JoinKind.SEMI:
            return say("sql_explain.join.semi", source=source, others=others, condition=keys)
        case JoinKind.ANTI:
            return say("sql_explain.join.anti", source=source, others=others, condition=keys)


def _result(select: exp.Select, context: Context) -> Iterator[ExplainedClause]:
    """The columns, and a sentence for each that is computed and has a name."""
    items, computed = list[Value](), list[tuple[str, Value]]()
    for item in select.selects:
        value = words(item, context)
        if isinstance(item, exp.Alias) and not (isinstance(item.this, exp.Column) and item.this.name == item.alias):
            computed.append((item.alias, value))
            items.append(name(item.alias))
        else:
            items.append(value)
    if len(items) == 1:
        single = say("sql_explain.named", name=name(computed[0][0]), value=computed[0][1]) if computed else items[0]
        yield _clause(ClauseKind.RESULT, say("sql_explain.result_single", column=single))
        return
    yield _clause(ClauseKind.RESULT, say("sql_explain.result", columns=listing(*items, join=Join.PLAIN)))
    for called, value in computed:
        yield _clause(ClauseKind.RESULT, say("sql_explain.column_is", name=name(called), value=value))


def _distinct(select: exp.Select, context: Context) -> Iterator[ExplainedClause]:
    distinct = select.args.get("distinct")
    if not isinstance(distinct, exp.Distinct):
        return
    on = distinct.args.get("on")
    if isinstance(on, exp.Tuple):
        yield _clause(ClauseKind.DISTINCT, say("sql_explain.distinct_on", keys=all_words(on.expressions, context)))
    else:
        yield _clause(ClauseKind.DISTINCT, say("sql_explain.distinct"))


def _is_aggregated(select: exp.Select) -> bool:
    for item in select.selects:
        for node in item.find_all(exp.AggFunc):
            is_window = isinstance(node.parent, exp.Window) or (
                isinstance(node.parent, exp.Filter) and isinstance(node.parent.parent, exp.Window)
            )
            if not is_window and node.find_ancestor(exp.Select) is select:
                return True
    return False


def _grain(select: exp.Select, context: Context, tables: Sequence[TableDetail]) -> Statement:
    """What a row of the result is."""
    group, distinct = select.args.get("group"), select.args.get("distinct")
    if isinstance(group, exp.Group) and any(group.args.get(name) for name in GROUPING_SETS):
        return say("sql_explain.grain.groups")
    if isinstance(distinct, exp.Distinct) and isinstance(on := distinct.args.get("on"), exp.Tuple):
        return say("sql_explain.grain.group", keys=all_words(on.expressions, context))
    if isinstance(group, exp.Group) and group.expressions:
        return say("sql_explain.grain.group", keys=grouped_words(group.expressions, context))
    if isinstance(group, exp.Group):
        return say("sql_explain.grain.groups")
    if _is_aggregated(select):
        return say("sql_explain.grain.single")
    start = select.args.get("from_")
    if not isinstance(start, exp.From):
        makes_rows = any(select.find_all(exp.GenerateSeries, exp.ExplodingGenerateSeries, exp.Explode, exp.Unnest))
        return say("sql_explain.grain.series") if makes_rows else say("sql_explain.grain.single")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on") is None:
        return say("sql_explain.grain.distinct")
    every: list[exp.Join] = select.args.get("joins") or []
    source, joins = source_words(start.this, context), [join for join in every if join_kind(join) not in {JoinKind.SEMI, JoinKind.ANTI}]
    if not joins:
        is_whole = not every and select.args.get("where") is None
        return say("sql_explain.grain.whole", source=source) if is_whole else say("sql_explain.grain.source", source=source)
    return _joined_grain(select, source, joins, context, tables)


def _joined_grain(
    select: exp.Select, source: Value, joins: Sequence[exp.Join], context: Context, tables: Sequence[TableDetail]
) -> Statement:
    """What a row is of a source and those that are joined to it."""
    joined = [source_words(join.this, context) for join in joins]
    if all(_is_left_out(join, select, tables) for join in joins):
        return say("sql_explain.grain.without", source=source, others=listing(*joined))
    if all(_is_by_key(join, tables) for join in joins):
        return say("sql_explain.grain.by_key", source=source)
    shown = listing(source, *joined)
    if any(join_kind(join) in {JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL} for join in joins):
        return say("sql_explain.grain.matches_and_rest", sources=shown)
    return say("sql_explain.grain.matches", sources=shown)


def _is_left_out(join: exp.Join, select: exp.Select, tables: Sequence[TableDetail]) -> bool:
    """`LEFT JOIN b ON b.id = a.id WHERE b.id IS NULL`: only rows without a match are kept; so with any column that is never null."""
    where, on = select.args.get("where"), join.args.get("on")
    if join_kind(join) is not JoinKind.LEFT or not isinstance(where, exp.Where) or not isinstance(on, exp.Expr):
        return False
    own = join.this.alias_or_name.lower()
    keys = {column.sql().lower() for column in on.find_all(exp.Column) if column.table.lower() == own}
    detail = detail_of(join.this, tables) if isinstance(join.this, exp.Table) else None
    filled = [column.name for column in detail.columns if column.nullable is False] if detail is not None else []
    keys |= {f"{own}.{column}".lower() for column in (*filled, *(detail.primary_key if detail is not None else ()))}
    empty = (item for item in conjuncts(where.this) if isinstance(item, exp.Is) and isinstance(item.expression, exp.Null))
    return any(item.this.sql().lower() in keys for item in empty)


def _is_by_key(join: exp.Join, tables: Sequence[TableDetail]) -> bool:
    """Whether the join finds at most one row: it names all columns of a key of the joined table."""
    if not isinstance(join.this, exp.Table) or join_kind(join) not in {JoinKind.INNER, JoinKind.LEFT}:
        return False
    detail, on = detail_of(join.this, tables), join.args.get("on")
    if detail is None or not isinstance(on, exp.Expr):
        return False
    own = join.this.alias_or_name.lower()
    named = {
        side.name.lower()
        for item in conjuncts(on)
        if isinstance(item, exp.EQ)
        for side in (item.this, item.expression)
        if isinstance(side, exp.Column) and side.table.lower() == own
    }
    keys = [key for key in (detail.primary_key, *detail.unique) if key]
    return any({column.lower() for column in key} <= named for key in keys)
