"""A statement run on its source, and what its result holds (`execute_sql_and_analyze_result`)."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from sqlglot import exp

from contracts.ask.results import MOST_ROWS, RESULT_BYTES, Cell, Queried, SqlFixed, SqlMade
from contracts.ask.steps import Carried, Understanding
from contracts.base import canonical_json
from contracts.queries import Aggregate, QueryPlan
from contracts.sources import QueryResult
from contracts.statements import Join, Statement, count, listing, name, names, passage, quote, say
from contracts.tables import ColumnDetail
from workers.engines.results.charts import charts_of, with_titles
from workers.engines.results.findings import findings_of
from workers.engines.results.mixed_units import MixedUnit, mixed_units
from workers.engines.results.periods import NO_EXTENT, Extent, whole_rows
from workers.engines.results.table import ColumnRole, Grain, ResultTable, as_number, as_time
from workers.engines.sql.facts import TypeKind, type_kind
from workers.engines.sql.limit_ties import MOST_TIES, Further, further_than_limit
from workers.engines.sql.script import read_script
from workers.engines.sql.texts_as_times import texts_as_times
from workers.engines.sql.trees import NotParsed, dialect_of, parse_statement
from workers.errors import StatementFailed, StatementRefused
from workers.kinds.ask.roles.calls import ToolStep
from workers.kinds.ask.rules.titles import named_days, titles_of, weekdays_of
from workers.kinds.ask.work.floor import Floor
from workers.kinds.ask.work.statements import source_of, tables_of

_NO_PARTS = (exp.Avg, exp.Min, exp.Max, exp.Median, exp.Div, exp.Distinct, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)
"""What makes a figure of which the values of groups are not added up."""
_MOST_NAMED, _NAMED_BY = 5, 2
"""Rows behind a limit that are named, and the columns of each that name it."""


def execute(floor: Floor, step: ToolStep) -> Queried:
    """The result of the call's statement with findings and a chart. A refusal or an error of the engine is a part of the answer."""
    sql, understanding = step.statement, step.understanding
    made = step.earlier(SqlMade) or step.earlier(SqlFixed)
    carried = understanding.carried
    source = source_of(floor, step, sql)
    if source is None:
        return Queried(source="", sql=sql, problems=(say("ask.problem.which_source"),))
    given = str(step.arguments.get("sql_call") or "")
    sql_call = given or (made.call if made else carried.sql_call if carried and carried.sql == sql else "")
    is_carried = carried is not None and carried.sql == sql
    says = made.says if isinstance(made, SqlMade) else carried.says if carried and is_carried else ()
    used = made.definitions if isinstance(made, SqlMade) else carried.used if carried and is_carried else ()
    try:
        result = floor.sources.query(source, sql, owner=floor.owner, job_id=step.ctx.job_id, step_id=step.ctx.step_id)
    except (StatementRefused, StatementFailed) as error:
        return Queried(source=source, sql=sql, sql_call=sql_call, problems=(say("ask.problem.not_run", reason=passage(str(error))),))
    rows = ordered(result, understanding)
    wish = understanding.chart
    plan = _plan(made, carried, sql)
    codes = codes_in(result, rows, sql, floor, source)
    extent, groups = extent_of(floor, source, plan, sql), groups_of(plan, result.columns) | codes
    titles, weekdays = titles_of(plan, result.columns, floor.every(source), step.language), weekdays_of(plan, result.columns)
    shown = named_days(result.columns, rows, weekdays, step.language)
    charts = charts_of(
        result.columns,
        shown,
        mark=wish.mark if wish else None,
        order=wish.order if wish else None,
        is_ordered=_orders(sql),
        extent=extent,
        groups=groups,
    )
    charts = tuple(with_titles(chart, titles) for chart in charts)
    drawn = charts if wish is not None or len(rows) > 2 else ()
    is_whole = result.cut is None and not _is_limited(sql, floor.dialect(source), len(result.rows))
    kept, tables = within(rows), tables_of(floor, source, sql)
    dialect = dialect_of(floor.dialect(source)) or floor.dialect(source)
    mixed, further = mixed_units(sql, dialect, floor.every(source)), further_than_limit(sql, dialect, result.columns)
    return Queried(
        source=source,
        sql=sql,
        sql_call=sql_call,
        weekdays=weekdays,
        columns=result.columns,
        types=result.types,
        codes=tuple(column for column in result.columns if column in groups),
        rows=kept,
        row_count=len(rows),
        is_cut=result.cut is not None,
        says=says,
        definitions=used,
        made=made if isinstance(made, SqlMade) and made.by and made.runs == sql else None,
        notes=(*_ties(floor, step, source, further, result), *_texts(floor, source, sql, tables), *_units(mixed)),
        findings=findings_of(
            result.columns,
            whole_rows(result.columns, shown, extent),
            groups=groups,
            is_whole=is_whole,
            sorted_by=_sorted_by(further, result.columns),
            added=added_up(plan, result.columns, sql, floor.dialect(source)),
            apart=frozenset(column for place, column in enumerate(result.columns) if any(each.place == place for each in mixed)),
        ),
        chart=next(iter(drawn), None),
        further_charts=drawn[1:],
        tables=tables,
    )


def _ties(floor: Floor, step: ToolStep, source: str, further: Further | None, result: QueryResult) -> tuple[Statement, ...]:
    """Where a limit ends the rows between equals: how many further ones there are, and the first of them."""
    if further is None or len(result.rows) != further.limit or result.cut is not None:
        return ()
    try:
        more = floor.sources.query(source, further.sql, owner=floor.owner, job_id=step.ctx.job_id, step_id=step.ctx.step_id)
    except (StatementRefused, StatementFailed):
        return ()
    ties = further.ties(result.rows, more.rows)
    if not ties:
        return ()
    beside = [place for place in range(len(result.columns)) if place not in further.ordered_by][:_NAMED_BY] or [0]
    shown = [quote(" ".join(str(row[place]) for place in beside)) for row in ties[:_MOST_NAMED]]
    values = {"n": count(len(ties)), "column": names(result.columns[place] for place in further.ordered_by)}
    rows = listing(*shown, join=Join.PLAIN)
    if len(ties) < MOST_TIES:
        return (say("ask.note.ties", rows=rows, **values),)
    return (say("ask.note.many_ties", rows=rows, **values),)


def _texts(floor: Floor, source: str, sql: str, tables: Sequence[str]) -> Iterator[Statement]:
    """Columns that are declared as times and hold other texts, where the statement takes them for times."""
    kind = floor.dialect(source)
    read = [table for table in floor.every(source) if table.full_name in tables]
    for column in texts_as_times(sql, dialect_of(kind) or kind, read):
        value = next((text for text in (column.minimum, *column.values) if text), "")
        yield say("ask.note.no_times", column=name(column.name), type=name(column.type), value=quote(value[:40]))


def _units(mixed: Sequence[MixedUnit]) -> Iterator[Statement]:
    """Figures over amounts in different units."""
    for each in mixed:
        if each.place is None:
            units = listing(*map(quote, each.values[:_MOST_NAMED]), join=Join.PLAIN)
            yield (
                say("ask.note.mixed_units", amount=name(each.amount), unit=name(each.unit), units=units)
                if each.values
                else say("ask.note.open_unit", amount=name(each.amount), unit=name(each.unit))
            )


def _plan(made: SqlMade | SqlFixed | None, carried: Carried | None, sql: str) -> QueryPlan | None:
    """The plan of the statement, where it has one."""
    if isinstance(made, SqlMade) and made.runs == sql:
        return made.plan
    return carried.plan if carried and carried.sql == sql else None


def groups_of(plan: QueryPlan | None, columns: Sequence[str]) -> frozenset[str]:
    """The columns of a result by which its plan groups, without times."""
    if plan is None or len(columns) != len(plan.selected):
        return frozenset()
    grouped = {measure.column for measure in plan.group_by if measure.unit is None and measure.part is None}
    return frozenset(
        column for column, item in zip(columns, plan.selected, strict=True) if item.value.aggregate is None and item.value.column in grouped
    )


def extent_of(floor: Floor, source: str, plan: QueryPlan | None, sql: str = "") -> Extent:
    """From when until when there are data of the time by which a plan groups: as far as the catalogue knows them, within the time that the
    plan asks for, and not beyond now. Without a plan, what a statement counts or adds up is not beyond now."""
    cut = next((measure for measure in plan.group_by if measure.unit is not None), None) if plan else None
    if plan is None or cut is None:
        tree = _tree(sql, floor.dialect(source)) if plan is None and sql else None
        return Extent(until=floor.now.replace(tzinfo=None)) if tree is not None and tree.find(exp.AggFunc) else NO_EXTENT
    grouped = cut.column
    alias, _, wanted = grouped.rpartition(".")
    table = next((each.table for each in plan.sources if each.alias == alias), "")
    detail = next((each for each in floor.every(source) if each.full_name == table), None)
    column = next((each for each in detail.columns if each.name == wanted), None) if detail is not None else None
    periods = [period for period in plan.periods if period.column == grouped]
    since = [moment for period in periods if (moment := _moment(period.start))]
    until = [moment for period in periods if (moment := _moment(period.end))]
    return Extent(
        max(since, default=None),
        min([*until, floor.now.replace(tzinfo=None)]),
        seen_since=_moment(column.minimum) if column is not None else None,
        seen_until=_last_moment(column) if column is not None else None,
        grain=next((grain for grain in Grain if str(cut.unit).startswith(grain)), None),
    )


def _last_moment(column: ColumnDetail) -> datetime | None:
    """The last time of a column, as far as the catalogue knows; a day ends with its last instant."""
    moment, is_day = _moment(column.maximum), len(column.maximum or "") == len("2025-01-01")
    return moment + timedelta(days=1, microseconds=-1) if moment and (is_day or type_kind(column.type) is TypeKind.DATE) else moment


def _moment(value: object) -> datetime | None:
    return as_time(str(value)) if value is not None else None


def ordered(result: QueryResult, understanding: Understanding) -> list[tuple[Cell, ...]]:
    """The rows; in another order where the user asked for the best or the worst first."""
    rows: list[tuple[Cell, ...]] = [tuple(_cell(cell) for cell in row) for row in result.rows]
    wish = understanding.chart
    if wish is None or wish.order is None or not rows:
        return rows
    quantities = ResultTable(tuple(result.columns), tuple(rows)).of(ColumnRole.QUANTITY)
    if not quantities:
        return rows
    place, sign = quantities[-1].index, -1 if wish.order == "best_first" else 1
    values = [as_number(row[place]) for row in rows]
    pairs = sorted(zip(values, rows, strict=True), key=lambda pair: (pair[0] is None, sign * (pair[0] or 0)))  # no value: at the end
    return [row for _, row in pairs]


def _tree(sql: str, dialect: str) -> exp.Expr | None:
    """The statement; None where it cannot be read."""
    try:
        return parse_statement(sql, dialect_of(dialect) or dialect)
    except NotParsed:
        return None


def _is_limited(sql: str, dialect: str, n: int) -> bool:
    """The statement may leave out rows of what it is about, of which it gave `n`: the parts that it gives are not the whole."""
    tree = _tree(sql, dialect)
    if tree is None or any(tree.args.get(part) is not None for part in ("offset", "qualify")):
        return True
    limit = tree.args.get("limit")
    most = limit.args.get("expression") or limit.args.get("count") if isinstance(limit, exp.Expr) else None
    return limit is not None and not (isinstance(most, exp.Literal) and most.is_int and n < int(most.name))


def _sorted_by(further: Further | None, columns: Sequence[str]) -> str:
    """The column by which the rows of a limited result come first; empty: nothing says so."""
    return columns[further.ordered_by[0]] if further is not None else ""


def added_up(plan: QueryPlan | None, columns: Sequence[str], sql: str, dialect: str) -> dict[str, bool]:
    """Whether the values of a result's columns are parts of a sum, by the plan, or else by the statement where it says so: numbers of rows
    and sums are, numbers of different things, averages and quotients are not."""
    if plan is not None and len(columns) == len(plan.selected):
        sums = (Aggregate.COUNT, Aggregate.SUM)
        return {column: item.relation is None and item.value.aggregate in sums for column, item in zip(columns, plan.selected, strict=True)}
    tree = _tree(sql, dialect)
    if not isinstance(tree, exp.Query) or len(tree.selects) != len(columns):
        return {}
    denied = {alias.alias for alias in tree.find_all(exp.Alias) if alias.find(*_NO_PARTS)}
    found: dict[str, bool] = {}
    for column, item in zip(columns, tree.selects, strict=True):
        if item.find(*_NO_PARTS) or item.unalias().name in denied:
            found[column] = False
        elif item.find(exp.Sum, exp.Count):
            found[column] = True
    return found


def codes_in(result: QueryResult, rows: Sequence[tuple[Cell, ...]], sql: str, floor: Floor, source: str) -> frozenset[str]:
    """The columns of a result whose numbers name a row and measure nothing: texts, what the statement groups by, and keys of tables."""
    texts = {
        column
        for place, (column, type_) in enumerate(zip(result.columns, result.types, strict=False))
        if type_kind(type_) is TypeKind.TEXT and all(row[place] is None or isinstance(row[place], str) for row in rows)
    }
    kind = floor.dialect(source)
    try:
        script = read_script(sql, floor.every(source), dialect_of(kind) or kind, None)
    except NotParsed:
        return frozenset(texts)
    part = script.parts[-1]
    items = part.tree.selects if isinstance(part.tree, exp.Query) else []
    group = part.tree.args.get("group")
    by = [] if not isinstance(group, exp.Group) else group.expressions
    for place, (column, item) in enumerate(zip(result.columns, items, strict=False) if len(items) == len(result.columns) else ()):
        own, base = item.unalias(), script.base_column(part, item)
        spoken = {item.alias_or_name, str(place + 1)}
        is_by = own in by or any(isinstance(each, exp.Column | exp.Literal) and each.name in spoken for each in by)
        keys = () if base is None else (base[0].primary_key, *base[0].unique, *(key.columns for key in base[0].foreign_keys))
        if is_by or (base is not None and any(base[1] in map(str.lower, key) for key in keys)):
            texts.add(column)
    return frozenset(texts)


def _orders(sql: str) -> bool:
    """The statement says how its rows are ordered, somewhere: it is not parsed again for a drawing."""
    return re.search(r"\border\s+by\b", sql, re.IGNORECASE) is not None


def _cell(value: object) -> Cell:
    return value if value is None or isinstance(value, str | int | float | bool) else canonical_json(value)


def within(rows: Sequence[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """The first rows, as many as a deliverable holds."""
    kept: list[tuple[Cell, ...]] = []
    used = 0
    for row in rows[:MOST_ROWS]:
        used += sum(len(cell.encode()) if isinstance(cell, str) else 8 for cell in row)
        if used > RESULT_BYTES:
            break
        kept.append(row)
    return tuple(kept)
