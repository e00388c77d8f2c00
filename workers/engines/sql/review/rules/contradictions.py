"""What a script, or a script and a clause of its request, say against each other: no word of a requirement is needed to see it."""

from collections.abc import Iterator

from sqlglot import exp

from contracts.sql_review import Defect
from contracts.statements import code, name, number
from contracts.tables import TableDetail
from workers.engines.sql.conditions import conjuncts, sources_in, where_of
from workers.engines.sql.facts import TypeKind
from workers.engines.sql.names import KnownTables, Scope, Source
from workers.engines.sql.review.requirement import Wanted
from workers.engines.sql.review.rules.clauses import row_condition
from workers.engines.sql.review.rules.nulls import excluded_from, or_null
from workers.engines.sql.review.suspicion import Edit, Meant, Suspicion
from workers.engines.sql.script import Part, Script
from workers.engines.sql.trees import within

MOST_DAYS = 366
"""The longest frame that the name of a column may stand for."""


def rows_left_out(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A condition with the values and columns of a clause `only` rejects rows for which the clause holds: at a bound, where the column is
    null, by the order of texts. A condition with other values may be a further one."""
    for place, text in script.target.only if script.target is not None else ():
        table, kept = KnownTables(script.tables).find(place), row_condition(text, script.dialect)
        readers = [(part, scope, source) for part, scope in script.scopes() for source in scope.sources.values() if source.table is table]
        if table is None or kept is None:
            continue
        for part, scope, source in readers:
            for node in _conditions_on(script, part, scope, source, {column.name.lower() for column in kept.find_all(exp.Column)}):
                values = {literal.name for literal in node.find_all(exp.Literal)}
                if not values or not values <= {literal.name for literal in kept.find_all(exp.Literal)}:
                    continue
                yield Suspicion(
                    Defect.ROWS_LEFT_OUT,
                    part,
                    node,
                    {"table": name(table.full_name), "condition": code(text), "filter": code(node.sql(script.dialect))},
                    meant=[Meant(part, ((node, _or_kept(kept, source)),))],
                    blocks=len(readers) == 1,  # read twice, each reading may be of a part of the rows that count
                )


def _conditions_on(script: Script, part: Part, scope: Scope, source: Source, columns: set[str]) -> list[exp.Expr]:
    """The conditions of a query that look at nothing but some columns of a FROM item."""
    parts = [*where_of(scope), *(conjuncts(source.join.args.get("on")) if source.join is not None else ())]
    found: list[exp.Expr] = []
    for node in parts:
        used = script.columns_in(part, node)
        is_own = used and all(column.source is source and column.name.lower() in columns for column in used)
        if is_own and node.find(exp.Query) is None:
            found.append(node)
    return found


def _or_kept(kept: exp.Expr, source: Source) -> Edit:
    def change(node: exp.Expr) -> exp.Expr:
        condition = kept.copy()
        for column in condition.find_all(exp.Column):
            column.set("table", exp.to_identifier(source.alias))
        return exp.paren(exp.or_(exp.paren(node.copy()), exp.paren(condition)))

    return change


def null_named(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The query says what stands for a missing value, and a condition or an inner join lets no row without the value through."""
    for part, scope in script.scopes():
        select = scope.select
        named = [node for item in (select.expressions if select is not None else ()) for node in within(item)]
        for node in named:
            if not isinstance(node, exp.Coalesce) or not isinstance(node.this, exp.Column):
                continue
            yield from _null_excluded(script, part, scope, node, node.this)
            yield from _null_never_joined(script, part, node, node.this)


def _null_excluded(script: Script, part: Part, scope: Scope, node: exp.Expr, column: exp.Column) -> Iterator[Suspicion]:
    for condition in where_of(scope):
        if excluded_from(condition) == column and script.may_be_null(part, column):
            base = script.base_column(part, column)
            yield Suspicion(
                Defect.NULL_NAMED,
                part,
                condition,
                {"column": name(column.name), "expression": code(node.sql(script.dialect)), "filter": code(condition.sql(script.dialect))},
                meant=[Meant(part, ((condition, or_null(column)),))],
                needs_nulls_in=((base[0].full_name.lower(), base[1]),) if base else (),
            )


def _null_never_joined(script: Script, part: Part, node: exp.Expr, column: exp.Column) -> Iterator[Suspicion]:
    found = part.resolved.column(column)
    source = found.source if found is not None else None
    join = source.join if source is not None else None
    if source is None or join is None or source.is_optional or str(join.side) or str(join.kind).upper() == "CROSS":
        return
    base = script.base_column(part, column)
    if base is None or script.facts.of(base[0]).may_be_null(base[1]):
        return
    equal = [condition for condition in conjuncts(join.args.get("on")) if isinstance(condition, exp.EQ)]
    others = [side for condition in equal for side in (condition.this, condition.expression) if source not in sources_in(part, side)]
    missing = [other for side in others if script.may_be_null(part, side) and (other := script.base_column(part, side)) is not None]
    if missing:
        yield Suspicion(
            Defect.NULL_NAMED,
            part,
            join,
            {"column": name(column.name), "expression": code(node.sql(script.dialect)), "filter": code(join.sql(script.dialect).strip())},
            meant=[Meant(part, ((join, _left),))],
            needs_nulls_in=tuple((table.full_name.lower(), column_name) for table, column_name in missing),
        )


def _left(join: exp.Expr) -> None:
    join.set("side", "LEFT")
    join.set("kind", None)


def frame_ends_here(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """LAST_VALUE in the frame that an ORDER BY has by itself ends at the current row, so it gives that row's value."""
    for part in script.parts:
        for node in part.tree.find_all(exp.Window):
            if isinstance(node.this, exp.LastValue) and node.args.get("order") is not None and node.args.get("spec") is None:
                yield Suspicion(
                    Defect.FRAME_ENDS_HERE,
                    part,
                    node,
                    {"window": code(node.sql(script.dialect))},
                    meant=[Meant(part, ((node, _whole_frame),))],
                )


def _whole_frame(node: exp.Expr) -> None:
    node.set(
        "spec", exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="UNBOUNDED", end_side="FOLLOWING")
    )  # fmt: skip


def named_frame(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """The target has a column such as `avg_7`, and its frame has eight rows, or all rows before."""
    asked = {column.lower() for column in script.target.columns} if script.target is not None else set[str]()
    for part, scope in script.scopes():
        for output in scope.outputs:
            length = _length_named(output.name) if output.name.lower() in asked else None
            for node in output.node.find_all(exp.Window) if length is not None and output.node is not None else ():
                given = _frame_length(node)
                if length is None or given is None or given == length or (given and given != length + 1):
                    continue
                yield Suspicion(
                    Defect.FRAME_LENGTH,
                    part,
                    node,
                    {
                        "window": code(node.sql(script.dialect)),
                        "given": number(given, digits=0) if given else code("UNBOUNDED"),
                        "wanted": number(length, digits=0),
                    },
                    meant=[Meant(part, ((node, _starting(length)),))],
                )


def _length_named(column: str) -> int | None:
    """The number that ends a column's name: 7 of `avg_7` and of `sum_7d`."""
    last = column.lower().rpartition("_")[2].removesuffix("d") if "_" in column else ""
    return int(last) if last.isascii() and last.isdigit() and len(last) <= 3 and 2 <= int(last) <= MOST_DAYS else None


def _frame_length(node: exp.Window) -> int | None:
    """The rows of a frame that ends at the current row; 0: all before it. None: another frame, or no aggregate."""
    spec = node.args.get("spec")
    if not isinstance(node.this, exp.Avg | exp.Sum | exp.Min | exp.Max) or node.args.get("order") is None:
        return None
    if spec is None:
        return 0
    start, end = spec.args.get("start"), spec.args.get("end")
    is_rows = isinstance(start, exp.Literal) and start.name.isdigit() and end in (None, "CURRENT ROW")
    return int(start.name) + 1 if is_rows and isinstance(start, exp.Literal) else None


def _starting(length: int) -> Edit:
    def change(node: exp.Expr) -> None:
        start = exp.Literal.number(length - 1)
        node.set("spec", exp.WindowSpec(kind="ROWS", start=start, start_side="PRECEDING", end="CURRENT ROW"))

    return change


LAST_DAYS = frozenset(("due", "deadline", "expires", "expiry", "until", "end", "ends", "to", "last"))
"""Words in the name of a column that holds the last day of something."""


def day_as_midnight(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """A time compared with the day of another column: that day counts as its first instant."""
    for part in script.parts:
        for node in part.tree.find_all(exp.GT, exp.LTE, exp.LT, exp.GTE, exp.Between):
            time, day = _time_and_day(script, part, node)
            if time is None or day is None:
                continue
            is_last = bool(LAST_DAYS & set(day.name.lower().split("_")))
            yield Suspicion(
                Defect.DAY_AS_MIDNIGHT,
                part,
                node,
                {"condition": code(node.sql(script.dialect)), "time": name(time.name), "day": name(day.name)},
                meant=[Meant(part, ((time, _as_day),))],
                blocks=is_last,
            )


def _time_and_day(script: Script, part: Part, node: exp.Expr) -> tuple[exp.Column | None, exp.Column | None]:
    """Of `time > day` and `time <= day`, either way round, and of `time BETWEEN .. AND day`."""
    if isinstance(node, exp.Between):
        sides = (node.this, node.args["high"])
    else:
        sides = (node.this, node.expression) if isinstance(node, exp.GT | exp.LTE) else (node.expression, node.this)
    time, day = sides
    if not isinstance(time, exp.Column) or not isinstance(day, exp.Column):
        return None, None
    is_so = script.kind(part, time) is TypeKind.TIMESTAMP and script.kind(part, day) is TypeKind.DATE
    return (time, day) if is_so else (None, None)


def _as_day(node: exp.Expr) -> exp.Expr:
    return exp.cast(node.copy(), "date")


def text_as_number(script: Script, wanted: Wanted) -> Iterator[Suspicion]:
    """`age >= '12'` where the column is a text: '9' is more, and '100' less. Texts of one length, as '08', may be meant so."""
    lengths: dict[tuple[str, str], set[int]] = {}
    found: list[tuple[Part, exp.Expr, exp.Column, TableDetail, str]] = []
    for part in script.parts:
        for node in part.tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between):
            column, literals = _text_and_numbers(node)
            base = script.base_column(part, column) if column is not None else None
            if column is None or base is None or script.facts.of(base[0]).kind(base[1]) is not TypeKind.TEXT:
                continue
            lengths.setdefault((base[0].full_name, base[1]), set()).update(len(literal.name) for literal in literals)
            found.append((part, node, column, *base))
    for part, node, column, table, column_name in found:
        yield Suspicion(
            Defect.TEXT_AS_NUMBER,
            part,
            node,
            {"condition": code(node.sql(script.dialect)), "column": name(column.name)},
            meant=[Meant(part, ((node, _by_number),))],
            blocks=len(lengths[table.full_name, column_name]) > 1,
        )


def _text_and_numbers(node: exp.Expr) -> tuple[exp.Column | None, list[exp.Literal]]:
    sides = list(node.iter_expressions())
    columns = [side for side in sides if isinstance(side, exp.Column)]
    literals = [side for side in sides if isinstance(side, exp.Literal) and side.is_string and side.name.isascii() and side.name.isdigit()]
    return (columns[0], literals) if len(columns) == 1 and len(literals) == len(sides) - 1 else (None, [])


def _by_number(node: exp.Expr) -> exp.Expr:
    changed = node.copy()
    for side in list(changed.iter_expressions()):
        side.replace(exp.TryCast(this=side.copy(), to=exp.DataType.build("double")))
    return changed
