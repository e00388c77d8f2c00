"""Windows: the latest row chosen after deletes were left out, ties, and windows that run over all rows instead of each group."""

import re
from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import code, name, names
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.conditions import is_not_null, where_of
from workers.engines.sql.facts import TypeKind, type_kind
from workers.engines.sql.names import Output, Scope
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rules.clauses import row_condition
from workers.engines.sql.review.suspicion import Edit, Meant, Suspicion
from workers.engines.sql.script import Part, Script
from workers.engines.sql.shape import has_key_in
from workers.engines.sql.trees import parts_of

RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)
STEPS = (exp.Lag, exp.Lead)
PICKS = (exp.RowNumber, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue)
"""What they give depends on which of two equal rows comes first."""
FEED = frozenset(("d", "del", "delete", "deleted", "remove", "removed", "i", "u", "insert", "update", "create", "c"))
DELETED = re.compile(r"^(d|del|delete|deleted|remove|removed|r|x|gone|cancelled|canceled|closed|inactive)$", re.IGNORECASE)
MARKS = re.compile(
    r"^(op|operation|action|event|event_type|change_type|cdc_op|status|state|type)$|delet|remov|active|valid|cancel|tombstone",
    re.IGNORECASE,
)


def windows(scope: Scope) -> Iterator[exp.Window]:
    """The windows of a query itself."""
    select = scope.select
    if select is None:
        return
    for part in (*select.expressions, select.args.get("qualify")):
        if isinstance(part, exp.Expr):
            for node in part.find_all(exp.Window):
                if node.find_ancestor(exp.Select) is select:
                    yield node


def filtered_before_latest(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The last state is chosen among rows that are not deletes: what was deleted comes back as it was before."""
    for part, scope in script.scopes():
        latest = next((node for node in windows(scope) if isinstance(node.this, exp.RowNumber | exp.Rank) and node.args.get("order")), None)
        if latest is None or not latest.args.get("partition_by"):
            continue
        keys = {node.name.lower() for node in latest.args["partition_by"]}
        for node in where_of(scope):
            column = _marks_delete(node)
            if column is not None and column.name.lower() not in keys and _is_chosen_by(part, scope, latest):
                kept = node.copy()
                yield Suspicion(
                    Defect.FILTERED_BEFORE_LATEST,
                    part,
                    node,
                    {"condition": code(node.sql(script.dialect)), "column": name(column.name), "key": names(sorted(keys))},
                    meant=[Meant(part, ((latest, _only_if(kept)), (node, lambda _: exp.true())))],
                    blocks=_is_of_feed(node) and not _is_asked(script, column),
                )
    yield from _filtered_before_maximum(script)


def _is_chosen_by(part: Part, scope: Scope, latest: exp.Window) -> bool:
    """Rows are chosen by the rank: some condition compares it with a number."""
    names_ = _names_of(scope, latest)
    for node in part.tree.find_all(exp.EQ, exp.LTE, exp.LT):
        sides = list(node.iter_expressions())
        if any(isinstance(side, exp.Literal) for side in sides) and any(
            side is latest or (isinstance(side, exp.Column) and side.name.lower() in names_) for side in sides
        ):
            return True
    return False


def _is_of_feed(node: exp.Expr) -> bool:
    """The condition is on the kind of a change. A state, as cancelled, may be that of a row by itself, as of an order: the latest of
    those that were not cancelled may be meant."""
    texts = {literal.name.lower() for literal in node.find_all(exp.Literal)}
    column = node.find(exp.Column)
    return bool(texts & FEED) or (column is not None and re.search(r"delet|tombstone|removed", column.name, re.IGNORECASE) is not None)


def _is_asked(script: Script, column: exp.Column) -> bool:
    """A clause `only` of the request says that such rows change nothing, so nothing ends with them."""
    clauses = script.target.only if script.target is not None else ()
    kept = [condition for _, text in clauses if (condition := row_condition(text, script.dialect)) is not None]
    return any(found.name.lower() == column.name.lower() for condition in kept for found in condition.find_all(exp.Column))


def deleted_kept(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The requirement speaks of deleted rows, a table says which are, and no condition looks there."""
    if not wanted.deletes or any(  # the word may be about another table, where a condition does look
        mark is not None and _is_looked_at(script, source.table.full_name, mark.name)
        for _, scope in script.scopes()
        for source in scope.sources.values()
        if source.table is not None
        for mark in (_delete_mark(source.table),)
    ):
        return
    for part, scope in script.scopes():
        for source in scope.sources.values():
            mark = _delete_mark(source.table) if source.table is not None and scope.select is not None else None
            if mark is None or source.table is None:
                continue
            kept = _not_deleted(mark, source.alias)
            latest = next((node for node in windows(scope) if isinstance(node.this, RANKS) and node.args.get("order")), None)
            edit = (latest, _only_if(kept)) if latest is not None else (scope.node, _also(kept))
            yield Suspicion(
                Defect.DELETED_KEPT,
                part,
                source.node,
                {"column": name(mark.name), "table": name(source.table.full_name), "condition": code(kept.sql(script.dialect))},
                meant=[Meant(part, (edit,))],
                blocks=False,  # the requirement may say that they stay
            )


def _delete_mark(table: TableDetail) -> ColumnDetail | None:
    """The column that says that a row was deleted."""
    for column in table.columns:
        is_flag = re.search(r"delet|removed|tombstone", column.name, re.IGNORECASE) is not None
        if is_flag or (MARKS.search(column.name) and _delete_word(column) is not None):
            return column
    return None


def _delete_word(column: ColumnDetail) -> str | None:
    """The value that means deleted: from the known values, or from the description (`op I, U or D`)."""
    words = column.values or tuple(re.findall(r"[A-Za-z]+", column.description))
    return next((word for word in words if re.fullmatch(r"d|del|delete|deleted|cancelled|canceled", word, re.IGNORECASE)), None)


def _not_deleted(column: ColumnDetail, alias: str) -> exp.Expr:
    node = exp.column(column.name, table=alias or None)
    word = _delete_word(column)
    kind = type_kind(column.type)
    if word is not None and kind is TypeKind.TEXT:
        return exp.NEQ(this=node, expression=exp.Literal.string(word))
    if kind in (TypeKind.DATE, TypeKind.TIMESTAMP):
        return exp.Is(this=node, expression=exp.Null())
    return exp.EQ(this=node, expression=exp.Literal.number(0)) if kind is TypeKind.INTEGER else exp.not_(node)


def _is_looked_at(script: Script, table: str, column: str) -> bool:
    """Some condition or CASE of the script reads the column."""
    for part in script.parts:
        for found in part.resolved.columns:
            base = script.base_column(part, found.node)
            if base is not None and base[0].full_name == table and base[1] == column.lower():
                holder = found.node.find_ancestor(exp.Where, exp.Join, exp.Having, exp.Qualify, exp.Case, exp.Filter, exp.When, exp.Merge)
                if holder is not None:
                    return True
    return False


def _also(condition: exp.Expr) -> Edit:
    def change(node: exp.Expr) -> exp.Expr | None:
        return node.copy().where(condition.copy()) if isinstance(node, exp.Select) else None

    return change


def distinct_on_filtered(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`SELECT DISTINCT ON (id) .. WHERE op <> 'D' ORDER BY id, changed_at DESC`."""
    for part, scope in script.scopes():
        select = scope.select
        distinct = select.args.get("distinct") if select is not None else None
        if select is None or distinct is None or distinct.args.get("on") is None or select.args.get("order") is None:
            continue
        for node in where_of(scope):
            column = _marks_delete(node)
            if column is not None and len(scope.outputs) == len(select.expressions):
                yield Suspicion(
                    Defect.FILTERED_BEFORE_LATEST,
                    part,
                    node,
                    {
                        "condition": code(node.sql(script.dialect)),
                        "column": name(column.name),
                        "key": code(distinct.args["on"].sql(script.dialect)),
                    },
                    meant=[Meant(part, ((select, _filtered_outside(node.copy(), [output.name for output in scope.outputs])),))],
                    blocks=_is_of_feed(node) and not _is_asked(script, column),
                )


def _filtered_outside(condition: exp.Expr, columns: list[str]) -> Edit:
    def change(node: exp.Expr) -> exp.Expr:
        inner = node.copy()
        for part in list(inner.args["where"].walk()):
            if part == condition:
                part.replace(exp.true())
        inner.append("expressions", exp.alias_(condition.copy(), "_kept"))
        with_ = inner.args.get("with_")
        inner.set("with_", None)
        made = exp.select(*(exp.column(column) for column in columns)).from_(exp.alias_(exp.Subquery(this=inner), "_latest")).where("_kept")
        made.set("with_", with_)
        return made

    return change


def _filtered_before_maximum(script: Script) -> Iterator[Suspicion]:
    """`SELECT id, MAX(changed_at) .. WHERE op <> 'D' GROUP BY id`, joined back to the rows."""
    for part, scope in script.scopes():
        select = scope.select
        if select is None or select.args.get("group") is None or len(scope.sources) != 1:
            continue
        maximum = next((node for item in select.expressions for node in item.find_all(exp.Max) if isinstance(node.this, exp.Column)), None)
        if maximum is None or not _is_read_with_its_table(part, scope):
            continue
        for node in where_of(scope):
            column = _marks_delete(node)
            if column is not None:
                yield Suspicion(
                    Defect.FILTERED_BEFORE_LATEST,
                    part,
                    node,
                    {"condition": code(node.sql(script.dialect)), "column": name(column.name), "key": names([maximum.this.name])},
                    meant=[Meant(part, ((node, lambda _: exp.true()),))],
                    blocks=_is_of_feed(node) and not _is_asked(script, column),
                )


def _is_read_with_its_table(part: Part, scope: Scope) -> bool:
    table = next(iter(scope.sources.values())).table_name
    readers = [reader for reader in part.resolved.scopes if any(source.scope is scope for source in reader.sources.values())]
    return bool(table) and any(source.table_name == table for reader in readers for source in reader.sources.values())


def _marks_delete(node: exp.Expr) -> exp.Column | None:
    """The column of a condition that leaves out deleted rows."""
    column = node.find(exp.Column)
    if column is None or MARKS.search(column.name) is None:
        return None
    inner = node.this if isinstance(node, exp.Not) else node
    if isinstance(inner, exp.Paren):
        inner = inner.this
    if isinstance(inner, exp.NEQ) or (isinstance(inner, exp.In | exp.EQ) and inner is not node):
        literals = [literal.name for literal in inner.find_all(exp.Literal)]
        return (
            column
            if any(DELETED.match(text) or text in ("1", "true") for text in literals) or isinstance(inner.find(exp.Boolean), exp.Boolean)
            else None
        )
    if isinstance(inner, exp.In):
        texts = {literal.name.lower() for literal in inner.find_all(exp.Literal)}
        return column if texts & {"i", "u", "insert", "update", "c", "create"} else None
    is_flag = re.search(r"delet|remov|cancel|tombstone", column.name, re.IGNORECASE) is not None
    if isinstance(inner, exp.Column):
        return column if is_flag is (inner is not node) else None
    if isinstance(inner, exp.Is):
        return column if is_flag and not is_not_null(inner) else None
    if isinstance(inner, exp.EQ):
        return column if is_flag or re.search(r"active|valid", column.name, re.IGNORECASE) else None
    return None


def _only_if(condition: exp.Expr) -> Edit:
    """The rank counts only where the condition holds for the row itself, so rows before a delete are not first."""

    def change(node: exp.Expr) -> exp.Expr:
        return exp.Case(ifs=[exp.If(this=condition.copy(), true=node.copy())])

    return change


def window_not_partitioned(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The target has one of something for each of something else, and the window runs over all rows."""
    target = script.target
    if target is None or len(target.key) < 2:
        return
    key = [column.lower() for column in target.key]
    for part, scope in script.scopes():
        for node in windows(scope):
            if not node.args.get("order") or not _matters(node):
                continue
            wanted_by = _missing(scope, node, key)
            if wanted_by:
                yield Suspicion(
                    Defect.WINDOW_NOT_PARTITIONED,
                    part,
                    node,
                    {"window": code(node.sql(script.dialect)), "columns": names(column.name for column in wanted_by)},
                    meant=[Meant(part, ((node, _partitioned(wanted_by, key)),))],
                )


def _matters(node: exp.Window) -> bool:
    """A rank, a look at the row before, or a running total."""
    return isinstance(node.this, (*RANKS, *STEPS, exp.Sum, exp.Count, exp.Avg, exp.IgnoreNulls))


def _missing(scope: Scope, node: exp.Window, key: list[str]) -> list[exp.Expr]:
    """Key columns that the query has, that the window is not partitioned by, and that are not the window's own result."""
    held = {column.name.lower() for column in parts_of(node, "partition_by")}
    ordered = {column.name.lower() for column in node.args["order"].find_all(exp.Column)}
    own = _names_of(scope, node)
    found: list[exp.Expr] = []
    for column in key:
        expression = _column_named(scope, column)
        if column in own or expression is None or expression.name.lower() in held | ordered or column in held | ordered:
            continue
        if expression.find(exp.Window) is None:
            found.append(expression)
    if held and not (own & set(key)):
        return []
    return found


def _names_of(scope: Scope, node: exp.Window) -> set[str]:
    return {
        output.name.lower() for output in scope.outputs if output.node is not None and any(inner is node for inner in output.node.walk())
    }


def _column_named(scope: Scope, column: str) -> exp.Expr | None:
    output = scope.output(column)
    if output is not None:
        return _expression(output)
    for source in scope.sources.values():
        if source.has(column):
            return exp.column(column, table=source.alias or None)
    return None


def _expression(output: Output) -> exp.Expr | None:
    if output.node is not None:
        inner = output.node.unalias()
        return inner if isinstance(inner, exp.Column) else None
    return exp.column(output.column, table=output.source.alias or None) if output.source is not None else None


def _partitioned(columns: list[exp.Expr], kept: list[str]) -> Edit:
    """`kept`: columns of the key, by which the window stays partitioned; others are dropped."""

    def change(node: exp.Expr) -> None:
        held = [inner.copy() for inner in parts_of(node, "partition_by") if inner.name.lower() in kept]
        node.set("partition_by", [*held, *(column.copy() for column in columns)])

    return change


def ties(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The first of several rows, or the one before, is taken by an order in which two may be equal."""
    for part, scope in script.scopes():
        for node in windows(scope):
            order = node.args.get("order")
            if not isinstance(node.this, PICKS) or not isinstance(order, exp.Order):
                continue
            yield from _ties(script, wanted, part, scope, order, [*order.expressions, *parts_of(node, "partition_by")])
        select = scope.select
        distinct = select.args.get("distinct") if select is not None else None
        order = select.args.get("order") if select is not None else None
        on = distinct.args.get("on") if distinct is not None else None
        if isinstance(on, exp.Expr) and isinstance(order, exp.Order):
            yield from _ties(script, wanted, part, scope, order, [on, *order.expressions])


def _ties(script: Script, wanted: Wanted, part: Part, scope: Scope, order: exp.Order, by: list[exp.Expr]) -> Iterator[Suspicion]:
    """`by`: what distinguishes rows in the only table of a query."""
    source = next(iter(scope.sources.values())) if len(scope.sources) == 1 else None
    if source is None or not source.columns or source.is_function:
        return
    used = {column.name.lower() for inner in by for column in inner.find_all(exp.Column)}
    if has_key_in(script, part, source, frozenset(used)):
        return
    others = [column for column in source.columns if column.lower() not in used]
    if others:
        yield Suspicion(
            Defect.TIES,
            part,
            order,
            {"order": code(", ".join(inner.sql(script.dialect) for inner in order.expressions)), "columns": names(others[:3])},
            meant=[Meant(part, ((order, _ordered_further(others, source.alias)),))],
            blocks=wanted.ties and len(order.expressions) == 1,
        )


def _ordered_further(columns: list[str], alias: str) -> Edit:
    def change(node: exp.Expr) -> None:
        more = [exp.Ordered(this=exp.column(column, table=alias or None), desc=True) for column in columns]
        node.set("expressions", [*(inner.copy() for inner in node.expressions), *more])

    return change
