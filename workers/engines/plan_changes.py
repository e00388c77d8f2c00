"""Changes of a plan that somebody names one by one: other groups, conditions, a number of rows. Nothing is read but names and values.

A column is `name`, `table.name`, or what its comment or a synonym calls it. A table that the plan does not read is joined where no row is
repeated by it. What cannot be done is refused with what there is instead.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from contracts.queries import (
    Aggregate,
    Condition,
    DatePart,
    Measure,
    Operator,
    Ordering,
    Period,
    PlanJoin,
    QueryPlan,
    Selected,
    Source,
    TimeUnit,
)
from contracts.statements import Statement, code, name, names, quote, say
from contracts.tables import ColumnDetail, JoinPath, TableDetail
from contracts.times import TimeRange
from workers.engines.questions.asked import UNITS
from workers.engines.questions.edges import Edges
from workers.engines.questions.event_times import event_times
from workers.engines.questions.grammar import Link
from workers.engines.questions.names import Names, phrase_of
from workers.engines.sql.build_values import as_number
from workers.engines.sql.plan_check import is_numeric, is_temporal, nearest, plan_problems
from workers.engines.sql.plan_shape import multiplied
from workers.engines.sql.truth import holds_truth

ANY = "*"
"""In the place of a value: no condition on the column any more."""
MOST_VALUES = 12
"""Values of a column that a refusal lists."""
_UNITS = {kind.lower(): unit for kind, unit in UNITS.items()}
_CONDITION = re.compile(r"(?P<column>[^=!<>]+)(?P<sign>!=|>=|<=|=|>|<)(?P<value>.*)", re.DOTALL)
SIGNS = {
    "=": Operator.EQUAL, "!=": Operator.NOT_EQUAL, ">": Operator.GREATER, ">=": Operator.GREATER_EQUAL, "<": Operator.LESS,
    "<=": Operator.LESS_EQUAL,
}  # fmt: skip
_SEVERAL = {Operator.EQUAL: Operator.IN, Operator.NOT_EQUAL: Operator.NOT_IN}
_EXACT = (Operator.EQUAL, Operator.IN, Operator.IS_TRUE, Operator.IS_FALSE)
_TRUTHS = {"yes": True, "true": True, "1": True, "是": True, "no": False, "false": False, "0": False, "否": False}


class NotChanged(ValueError):
    """A change that cannot be made."""

    def __init__(self, reason: Statement) -> None:
        super().__init__(reason.code)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be otherwise. Empty: as it is."""

    by: tuple[str, ...] = ()
    """Columns and units of time in the place of those by which rows are grouped."""
    where: tuple[str, ...] = ()
    """`column=value`, with `!=`, `>`, `>=`, `<`, `<=`, together in the place of the conditions on their columns; `=a,b` for several values,
    `=*` for any."""
    top: int | None = None
    during: TimeRange | None = None
    """When what the figures are of happened."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a column is to be. Empty: anything."""

    column: str
    conditions: tuple[Condition, ...] = ()
    periods: tuple[Period, ...] = ()


class PlanEditor:
    """Changes plans over a set of tables."""

    def __init__(
        self,
        tables: Sequence[TableDetail],
        paths: Sequence[JoinPath],
        *,
        week: TimeUnit,
        synonyms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """`paths`: joins that are known beside those that the tables declare."""
        self._tables, self._week = tuple(tables), week
        self._names, self._edges = Names(tables, synonyms), Edges(tables, paths)

    def changed(self, plan: QueryPlan, changes: Changes) -> QueryPlan:
        """The plan with all changes. Raises `NotChanged`."""
        wanted: list[_Wanted] = []
        for text in changes.where:
            plan, condition = self._where(plan, text)
            wanted.append(condition)
        if changes.during is not None:
            plan, cut = self._timed(plan, Measure(unit=TimeUnit.DAY))
            wanted.append(_Wanted(cut.column, periods=(Period(column=cut.column, start=changes.during.start, end=changes.during.end),)))
        plan = _replaced(plan, wanted)
        if changes.by:
            plan = self._by(plan, changes.by)
        if changes.top is not None:
            plan = _top(plan, changes.top)
        if problems := plan_problems(plan, self._tables):
            raise NotChanged(problems[0])
        return plan

    # groups

    def _by(self, plan: QueryPlan, wanted: Sequence[str]) -> QueryPlan:
        figures = [item for item in plan.selected if item.value.aggregate is not None or item.relation is not None]
        if not figures:
            raise NotChanged(say("questions.change.no_figure", option=code("--by")))
        groups: list[Measure] = []
        for word in wanted:
            unit = _UNITS.get(word.strip().lower())
            plan, group = self._of_unit(plan, unit) if unit is not None else self._of_column(plan, word)
            groups += [group] if group not in groups else []
        selected = (*(Selected(value=group) for group in groups), *figures)
        ranked = [_moved(item, plan.selected, selected) for item in plan.order_by]
        kept = tuple(item for item in ranked if item is not None)
        times = tuple(Ordering(position=place) for place, group in enumerate(groups, 1) if group.unit or group.part)
        return plan.model_copy(
            update={"group_by": tuple(groups), "selected": selected, "order_by": kept or times, "limit": plan.limit if kept else None}
        )

    def _of_unit(self, plan: QueryPlan, unit: TimeUnit | DatePart) -> tuple[QueryPlan, Measure]:
        if isinstance(unit, TimeUnit):
            return self._timed(plan, Measure(unit=self._week if unit is TimeUnit.WEEK else unit))
        return self._timed(plan, Measure(part=unit))

    def _timed(self, plan: QueryPlan, cut: Measure) -> tuple[QueryPlan, Measure]:
        if known := [item.column for item in plan.group_by if item.unit or item.part]:
            return plan, cut.model_copy(update={"column": known[0]})
        found = self._nearest_times(plan) or [(table, column) for table in self._around(plan) for column in event_times(self._table(table))]
        spoken = [(alias, column) for alias, column in found if any(period.column == f"{alias}.{column}" for period in plan.periods)]
        found = spoken or found
        if len(found) != 1:
            raise NotChanged(say("questions.change.which_time", columns=names([f"{table}.{column}" for table, column in found] or ["-"])))
        ((table, column),) = found
        plan, alias = self._joined(plan, table) if table not in {source.alias for source in plan.sources} else (plan, table)
        return plan, cut.model_copy(update={"column": f"{alias}.{column}"})

    def _nearest_times(self, plan: QueryPlan) -> list[tuple[str, str]]:
        """The aliases and columns that say when what the figures are of happened: of the fewest joins away that have any."""
        tables = {source.alias: self._table(source.table) for source in plan.sources}
        measures = [measure for item in plan.selected for measure in (item.value, item.other) if measure is not None and measure.aggregate]
        level = {measure.column.rpartition(".")[0] for measure in measures if measure.column}
        if not level or any(measure.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT) for measure in measures):
            level.add(next(alias for alias in tables if all(join.right != alias for join in plan.joins)))
        seen: set[str] = set()
        while level - seen:
            if found := [(alias, column) for alias in tables if alias in level for column in event_times(tables[alias])]:
                return found
            seen |= level
            level = {end for join in plan.joins if {join.left, join.right} & level for end in (join.left, join.right)} - seen
        return []

    def _of_column(self, plan: QueryPlan, word: str) -> tuple[QueryPlan, Measure]:
        plan, column, _ = self._column(plan, word)
        return plan, Measure(column=column)

    # conditions

    def _where(self, plan: QueryPlan, text: str) -> tuple[QueryPlan, _Wanted]:
        match = _CONDITION.fullmatch(text.strip())
        if match is None or not match["value"].strip():
            raise NotChanged(say("questions.change.no_condition", text=quote(text[:80]), form=code("--where column=value")))
        operator, value = SIGNS[match["sign"]], match["value"].strip()
        plan, column, detail = self._column(plan, match["column"])
        if value == ANY:
            return plan, _Wanted(column)
        if holds_truth(detail):
            return plan, _Wanted(column, (_truth(column, operator, value),))
        if is_temporal(detail) and detail.type:
            return plan, _Wanted(column, periods=tuple(_periods(column, operator, value)))
        values = [part.strip() for part in value.split(",") if part.strip()] if operator in _SEVERAL else [value]
        known = [_known(detail, part) for part in values]
        operator = _SEVERAL[operator] if len(known) > 1 else operator
        return plan, _Wanted(column, (Condition(column=column, operator=operator, values=tuple(known)),))

    # names

    def _column(self, plan: QueryPlan, word: str) -> tuple[QueryPlan, str, ColumnDetail]:
        """The plan with the table of the column, the column as plans write it, and what is known of it."""
        word = word.strip()
        here = {source.table: source.alias for source in plan.sources}
        links = self._links(word, here)
        for tables in (list(here), self._around(plan)):
            found = [link for link in links if link.table in tables]
            if len(found) > 1:
                raise NotChanged(say("questions.change.which_column", word=quote(word), columns=names(sorted(map(_full, found)))))
            if found:
                (link,) = found
                plan, alias = (plan, here[link.table]) if link.table in here else self._joined(plan, link.table)
                return plan, f"{alias}.{link.column}", self._names.column(link)
        if links:
            raise NotChanged(say("questions.change.no_join", column=name(_full(links[0])), tables=names(here)))
        near = [column.name for table in (*here, *self._around(plan)) for column in self._table(table).columns]
        raise NotChanged(
            say("questions.change.no_column", word=quote(word), near=names(nearest(word, list(dict.fromkeys(near))) or near[:MOST_VALUES]))
        )

    def _links(self, word: str, here: Mapping[str, str]) -> list[Link]:
        """The columns that a word names: by their own name, or else as people call them."""
        table, _, bare = word.rpartition(".")
        of = {
            full
            for full in self._names.tables
            if table.lower() in (full.lower(), full.rpartition(".")[2].lower(), here.get(full, "").lower())
        }
        exact = [
            Link(full, column.name)
            for full, detail in self._names.tables.items()
            if not table or full in of
            for column in detail.columns
            if column.name.lower() == bare.lower()
        ]
        called = [
            link for link in self._names.of_columns.get(phrase_of(bare), ()) if not link.is_partial and (not table or link.table in of)
        ]
        return exact or called

    def _table(self, full: str) -> TableDetail:
        return self._names.tables[full]

    def _around(self, plan: QueryPlan) -> list[str]:
        """The tables to which rows of the plan's tables belong: joining them repeats nothing."""
        found: list[str] = []
        waiting = [source.table for source in plan.sources]
        while waiting:
            for path in self._edges.parents(waiting.pop(0)):
                if path.right not in found and path.right not in {source.table for source in plan.sources}:
                    found.append(path.right)
                    waiting.append(path.right)
        return found

    def _joined(self, plan: QueryPlan, table: str) -> tuple[QueryPlan, str]:
        """The plan with a table of `_around`, by the shortest way. Raises `NotChanged` where there are several."""
        ways: list[tuple[JoinPath, ...]] = [()]
        sources = [source.table for source in plan.sources]
        while ways:
            longer = [
                (*way, path) for way in ways for start in ([way[-1].right] if way else sources) for path in self._edges.parents(start)
                if path.right not in {*sources, *(step.right for step in way)}
            ]  # fmt: skip
            arrived = [way for way in longer if way[-1].right == table]
            if len(arrived) > 1:
                joins = [" ".join(f"{step.left}.{','.join(step.left_columns)}" for step in way) for way in arrived]
                raise NotChanged(say("questions.change.several_joins", table=name(table), columns=names(joins)))
            if arrived:
                return self._with(plan, arrived[0]), self._alias(table)
            ways = longer
        raise NotChanged(say("questions.change.no_join", column=name(table), tables=names(sources)))

    def _with(self, plan: QueryPlan, way: Sequence[JoinPath]) -> QueryPlan:
        alias = {source.table: source.alias for source in plan.sources} | {path.right: self._alias(path.right) for path in way}
        made = plan.model_copy(
            update={
                "sources": (*plan.sources, *(Source(table=path.right, alias=alias[path.right]) for path in way)),
                "joins": (*plan.joins, *(PlanJoin.along(path, alias[path.left], alias[path.right]) for path in way)),
            }
        )  # fmt: skip
        if multiplied(made, self._tables) - multiplied(plan, self._tables) - {alias[path.right] for path in way}:
            raise NotChanged(
                say("questions.change.no_join", column=name(way[-1].right), tables=names(source.table for source in plan.sources))
            )
        return made

    def _alias(self, table: str) -> str:
        return self._names.tables[table].name


def _full(link: Link) -> str:
    return f"{link.table.rpartition('.')[2]}.{link.column}"


def _moved(item: Ordering, before: Sequence[Selected], after: Sequence[Selected]) -> Ordering | None:
    """The order by a figure that is still shown, at its new place."""
    if item.position is None:
        return item if item.value is not None and item.value.aggregate is not None else None
    figure = before[item.position - 1]
    is_figure = figure.value.aggregate is not None or figure.relation is not None
    return item.model_copy(update={"position": after.index(figure) + 1}) if is_figure else None


def _top(plan: QueryPlan, number: int) -> QueryPlan:
    """The first rows, by the order that there is, or else the highest first."""
    figures = [place for place, item in enumerate(plan.selected, 1) if item.value.aggregate is not None or item.relation is not None]
    by_figure = any(item.position in figures or (item.value and item.value.aggregate) for item in plan.order_by)
    if by_figure or (plan.order_by and not figures):
        return plan.model_copy(update={"limit": number})
    if not figures:
        raise NotChanged(say("questions.change.no_order", option=code("--top")))
    return plan.model_copy(update={"limit": number, "order_by": (Ordering(position=figures[0], descending=True),)})


def _replaced(plan: QueryPlan, wanted: Sequence[_Wanted]) -> QueryPlan:
    """The plan with these conditions in the place of those on their columns. Raises `NotChanged` for a column of which a figure says itself
    what it has to be, and for two values of one."""
    columns = dict.fromkeys(each.column for each in wanted)
    conditions = [condition for each in wanted for condition in each.conditions]
    own = {condition.column for item in plan.selected for measure in (item.value, item.other) if measure for condition in measure.where}
    if fixed := [column for column in columns if column in own]:
        raise NotChanged(say("questions.change.in_figure", column=name(fixed[0])))
    exact = [item.column for item in conditions if item.operator in _EXACT]
    if twice := [column for column in columns if exact.count(column) > 1]:
        raise NotChanged(say("questions.change.two_values", column=name(twice[0]), form=code("--where column=a,b")))
    periods = [_overlap([period for each in wanted if each.column == column for period in each.periods]) for column in columns]
    return plan.model_copy(
        update={
            "filters": (*(item for item in plan.filters if item.column not in columns), *conditions),
            "periods": (*(item for item in plan.periods if item.column not in columns), *(item for some in periods for item in some)),
        }
    )


def _overlap(periods: Sequence[Period]) -> tuple[Period, ...]:
    """What periods of one column have in common, as one."""
    if len(periods) < 2:
        return tuple(periods)
    starts = [period.start for period in periods if period.start is not None]
    ends = [period.end for period in periods if period.end is not None]
    return (Period(column=periods[0].column, start=max(starts, default=None), end=min(ends, default=None)),)


def _truth(column: str, operator: Operator, value: str) -> Condition:
    holds = _TRUTHS.get(value.casefold())
    if holds is None or operator not in _SEVERAL:
        raise NotChanged(say("questions.change.yes_or_no", column=name(column)))
    return Condition(column=column, operator=Operator.IS_TRUE if holds is (operator is Operator.EQUAL) else Operator.IS_FALSE)


def _periods(column: str, operator: Operator, value: str) -> Iterator[Period]:
    """A year, a month or a day as the range that it is."""
    begin, end = _range(column, value)
    match operator:
        case Operator.EQUAL:
            yield Period(column=column, start=begin, end=end)
        case Operator.GREATER:
            yield Period(column=column, start=end)
        case Operator.GREATER_EQUAL:
            yield Period(column=column, start=begin)
        case Operator.LESS:
            yield Period(column=column, end=begin)
        case Operator.LESS_EQUAL:
            yield Period(column=column, end=end)
        case _:
            raise NotChanged(say("questions.change.no_time", column=name(column), value=quote(value[:80])))


def _range(column: str, value: str) -> tuple[date, date]:
    parts = value.split("-")
    try:
        year, month, day = (int(part) for part in (*parts, "1", "1")[:3])
        begin = date(year, month, day)
        if len(parts) == 3:
            return begin, begin + timedelta(days=1)
        if len(parts) == 2:
            return begin, date(year + month // 12, month % 12 + 1, 1)
        if len(parts) == 1:
            return begin, date(year + 1, 1, 1)
    except (ValueError, OverflowError):
        pass
    raise NotChanged(say("questions.change.no_time", column=name(column), value=quote(value[:80])))


def _known(column: ColumnDetail, value: str) -> str:
    """A value as the data have it. Raises `NotChanged` for one that a column whose values are known does not have."""
    if is_numeric(column) and column.type:
        if as_number(value) is None:
            raise NotChanged(say("questions.change.no_number", column=name(column.name), value=quote(value[:80])))
        return value
    stored = {known.casefold(): known for known in column.values}
    if not stored or value.casefold() in stored:
        return stored.get(value.casefold(), value)
    near = nearest(value, list(column.values)) or list(column.values)
    raise NotChanged(say("questions.change.no_value", column=name(column.name), value=quote(value[:80]), near=names(near[:MOST_VALUES])))
