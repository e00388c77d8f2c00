"""From a frame and the chosen links to a plan."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from contracts.queries import (
    Aggregate,
    Condition,
    DatePart,
    GroupCondition,
    Measure,
    Operator,
    Ordering,
    Period,
    PlanJoin,
    QueryPlan,
    Related,
    Selected,
    Source,
    TimeUnit,
)
from contracts.tables import JoinPath, TableDetail
from workers.engines.questions.choosing import Choice, linked, place_of
from workers.engines.questions.edges import Edges
from workers.engines.questions.frame import Frame
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.parts import ConditionPart, MeasurePart, PeriodPart
from workers.engines.questions.vocabulary import is_amount, key_columns, own_times, shown_columns
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import NUMERIC, split
from workers.engines.sql.plan_check import is_numeric, is_temporal
from workers.engines.sql.plan_shape import is_unique, multiplied

_MONEY = re.compile(r"amount|price|revenue|total|value|cost|fee|salary|refund|tax|commission", re.IGNORECASE)
_ROWS = Measure(aggregate=Aggregate.COUNT)


_LONG, _HIGH, _LARGE = frozenset({"length", "duration"}), frozenset({"elevation", "altitude", "height"}), frozenset({"area", "size", "population"})
_PRICED, _GOOD = frozenset({"price", "cost"}), frozenset({"rating", "score"})
_ADJECTIVES = {
    "longest": _LONG, "shortest": _LONG, "highest": _HIGH, "lowest": _HIGH, "tallest": _HIGH, "largest": _LARGE, "biggest": _LARGE,
    "smallest": _LARGE, "cheapest": _PRICED, "expensive": _PRICED, "best": _GOOD, "worst": _GOOD, "populous": frozenset({"population"}),
    "populated": frozenset({"population"}),
}  # fmt: skip
"""Words of the columns that an adjective may be about; a table needs to have exactly one of them."""


class NoPlan(Exception):
    """The parts do not make a query, in this reading."""


def plans(frame: Frame, choice: Choice, tables: Sequence[TableDetail], edges: Edges) -> list[QueryPlan]:
    """The plans of a reading: one, or several where it is open which of several times is meant. Raises `NoPlan`."""
    planner = _Planner(frame, choice, tables, edges)
    if not planner.needs_time:
        return [planner.plan(None)]
    return [_Planner(frame, planner.choice, tables, edges).plan(column) for column in planner.time_columns()]


class _Planner:
    def __init__(self, frame: Frame, choice: Choice, tables: Sequence[TableDetail], edges: Edges) -> None:
        self._frame, self.choice, self._edges = frame, choice, edges
        self._tables = {table.full_name: table for table in tables}
        self._all = tables

    # links

    def _link(self, item: Item) -> Link:
        return self.choice.links[place_of(item)]

    def _column(self, item: Item) -> str:
        link = self._link(item)
        if not link.column:
            raise NoPlan
        return f"{self._alias(link.table)}.{link.column}"

    def _alias(self, table: str) -> str:
        return self._tables[table].name

    def _is_numeric(self, column: str) -> bool:
        alias, wanted = split(column)
        return any(is_numeric(known) for known in self._by_alias(alias).columns if known.name == wanted)

    def _detail(self, column: str):  # noqa: ANN202
        alias, wanted = split(column)
        return next(known for known in self._by_alias(alias).columns if known.name == wanted)

    def _by_alias(self, alias: str) -> TableDetail:
        return next(self._tables[name] for name in self.choice.tables if self._tables[name].name == alias)

    # time

    @property
    def needs_time(self) -> bool:
        """Whether a column that says when has to be found."""
        frame = self._frame
        units = any(item.kind == Kind.UNIT for group in frame.groups for item in group.of)
        latest = frame.top is not None and frame.top.is_latest
        weekend = any(part.is_weekend is not None for part in frame.conditions)
        return units or latest or weekend or any(period.column is None for period in frame.periods)

    def time_columns(self) -> list[str]:
        """Columns that may say when: of the table that the question measures, or else of the others, or of a table it belongs to."""
        named = [item for part in (*self._frame.periods,) if (item := part.column) is not None]
        if named:
            return [self._column(named[0])]
        for names in (self._measured_tables(), self.choice.tables):
            found = [f"{self._alias(name)}.{column}" for name in names for column in own_times(self._tables[name])]
            if found:
                return found
        return self._times_of_owners()

    def _times_of_owners(self) -> list[str]:
        """Times of the tables to which the rows belong, such as the order of an order's line."""
        found: list[tuple[JoinPath, str]] = []
        for name in self._measured_tables() or self.choice.tables:
            for other in self._tables.values():
                path = self._edges.between(name, other.full_name)
                if path is not None and other.full_name not in self.choice.tables and is_unique(other, path.right_columns):
                    found += [(path, column) for column in own_times(other)]
        if len(found) != 1:
            years = [f"{self._alias(name)}.{column.name}" for name in self.choice.tables for column in self._tables[name].columns
                     if column.name.lower() == "year" and NUMERIC.search(column.type)]  # fmt: skip
            return years if len(years) == 1 and not found else []
        path, column = found[0]
        choice = self.choice
        self.choice = replace(choice, joins=(*choice.joins, path), tables=(*choice.tables, path.right))
        return [f"{self._alias(path.right)}.{column}"]

    def _measured_tables(self) -> list[str]:
        frame = self._frame
        wanted = [output for output in frame.outputs if isinstance(output, MeasurePart)]
        if frame.top is not None and isinstance(frame.top.by, MeasurePart):
            wanted.append(frame.top.by)
        items = [part.of for part in wanted if part.of is not None]
        if frame.top is not None and frame.top.is_latest and isinstance(frame.top.by, Item):
            items = [frame.top.by]
        if not items and frame.tables:
            items = [frame.tables[0]]
        return list(dict.fromkeys(self._link(item).table for item in items))

    # the plan

    def plan(self, time: str | None) -> QueryPlan:
        """The plan with this column for the time."""
        frame = self._frame
        sources, joins = self._sources()
        skeleton = QueryPlan(sources=sources, joins=joins, selected=(Selected(value=_ROWS),))
        self._repeated = multiplied(skeleton, self._all)
        filters, periods = self._filters(time)
        groups, shown = self._groups(time)
        measures = [output for output in frame.outputs if isinstance(output, MeasurePart)]
        by = frame.top.by if frame.top is not None else None
        aggregated = bool(groups or measures or frame.havings or isinstance(by, MeasurePart))
        aggregated = aggregated or any(isinstance(order.by, MeasurePart) for order in frame.orders)
        if aggregated and not groups and (by is not None or frame.havings or frame.orders):
            groups, shown = self._head_groups()
        selected = self._selected(groups, shown, aggregated)
        ordering, limit = self._ordering(selected, groups, time, aggregated)
        plan = QueryPlan(
            sources=sources, joins=joins, selected=tuple(selected), filters=tuple(filters), related=self._related(), periods=tuple(periods),
            group_by=tuple(groups), having=self._havings(), order_by=tuple(ordering), limit=limit,
            is_distinct=not aggregated and self._is_distinct(selected),
        )  # fmt: skip
        if plan.is_distinct and any(order.value is not None for order in plan.order_by):
            raise NoPlan
        return plan

    def _sources(self) -> tuple[tuple[Source, ...], tuple[PlanJoin, ...]]:
        names = list(self.choice.tables)
        joins = tuple(
            PlanJoin(
                left=self._alias(path.left), left_columns=path.left_columns, right=self._alias(path.right),
                right_columns=path.right_columns, evidence=path.evidence,
            )
            for path in self.choice.joins
        )  # fmt: skip
        if len({self._alias(name) for name in names}) < len(names):
            raise NoPlan
        return tuple(Source(table=name, alias=self._alias(name)) for name in names), joins

    def _filters(self, time: str | None) -> tuple[list[Condition], list[Period]]:
        made = [self._condition(part, time) for part in self._frame.conditions]
        single = [item.column for item in made if item.operator == Operator.EQUAL and not item.alternative]
        if len(single) > len(set(single)):
            raise NoPlan
        periods: list[Period] = []
        for part in self._frame.periods:
            column = self._column(part.column) if part.column is not None else time
            if column is None or part.range is None:
                raise NoPlan
            if is_temporal(self._detail(column)):
                periods.append(Period(column=column, start=part.range.start, end=part.range.end))
            else:
                made += _years(column, part)
        return made, periods

    def _condition(self, part: ConditionPart, time: str | None) -> Condition:
        if part.is_weekend is not None:
            if time is None:
                raise NoPlan
            days = ("6", "7") if part.is_weekend else ("1", "2", "3", "4", "5")
            return Condition(column=time, operator=Operator.IN, values=days, part=DatePart.WEEKDAY)
        links = linked(part, self.choice.links)
        column = self._condition_column(part, links)
        values = tuple(
            self._link(value).value or str(value.payload) if value.links else str(value.payload) for value in part.values
        )
        is_text = any(value.kind == Kind.VALUE for value in part.values)
        raw = is_text and any(not value.links for value in part.values)
        numeric = self._is_numeric(column)
        if part.values and not is_text and not numeric:
            raise NoPlan
        if part.aggregate is not None and not numeric:
            raise NoPlan
        return Condition(
            column=column, operator=part.operator, values=values, aggregate=part.aggregate, alternative=part.alternative,
            ignores_case=raw and part.operator in (Operator.EQUAL, Operator.NOT_EQUAL, Operator.IN, Operator.NOT_IN),
        )  # fmt: skip

    def _condition_column(self, part: ConditionPart, links: Sequence[Link]) -> str:
        places = {(link.table, link.column) for link in links}
        if len(places) != 1:
            raise NoPlan
        table, column = places.pop()
        if not column:
            shown = shown_columns(self._tables[table])
            if len(shown) != 1:
                raise NoPlan
            column = shown[0]
        return f"{self._alias(table)}.{column}"

    def _groups(self, time: str | None) -> tuple[list[Measure], list[Measure]]:
        """What is grouped by, and what of it is shown."""
        groups: list[Measure] = []
        shown: list[Measure] = []
        for part in self._frame.groups:
            for item in part.of:
                more, visible = self._group(item, time)
                groups += [measure for measure in more if measure not in groups]
                shown += [measure for measure in visible if measure not in shown]
        return groups, shown

    def _group(self, item: Item, time: str | None) -> tuple[list[Measure], list[Measure]]:
        if item.kind == Kind.UNIT:
            if time is None or not isinstance(item.payload, TimeUnit) or not is_temporal(self._detail(time)):
                raise NoPlan
            cut = Measure(column=time, unit=item.payload)
            return [cut], [cut]
        link = self._link(item)
        return self._of_entity(link.table) if not link.column else self._of_column(self._column(item))

    def _of_column(self, column: str) -> tuple[list[Measure], list[Measure]]:
        measure = Measure(column=column)
        return [measure], [measure]

    def _of_entity(self, table: str) -> tuple[list[Measure], list[Measure]]:
        """A row of a table: grouped by its key, shown by its name."""
        detail, alias = self._tables[table], self._alias(table)
        keys = [Measure(column=f"{alias}.{name}") for name in key_columns(detail)]
        shown = [Measure(column=f"{alias}.{name}") for name in shown_columns(detail)]
        if not keys and not shown:
            raise NoPlan
        return list(dict.fromkeys([*keys, *shown])), shown or keys

    def _head_groups(self) -> tuple[list[Measure], list[Measure]]:
        """Without a word for it, the rows are grouped by what the question is about."""
        head = self._frame.head
        if head is None:
            raise NoPlan
        link = self._link(head)
        if link.column and (tables := [item for item in self._frame.tables if self._link(item).table == link.table]):
            # the name of a row of a table that is spoken of stands for the row
            of = self._of_entity(self._link(tables[0]).table)
            if Measure(column=self._column(head)) in of[0]:
                return of
        return self._of_entity(link.table) if not link.column else self._of_column(self._column(head))

    def _selected(self, groups: list[Measure], shown: list[Measure], aggregated: bool) -> list[Selected]:
        frame = self._frame
        made: list[Selected] = []
        for output in frame.outputs:
            if isinstance(output, MeasurePart):
                made.append(self._measured(output))
            elif self._link(output).column:
                made.append(Selected(value=Measure(column=self._column(output))))
            else:
                table = self._link(output).table
                made += [Selected(value=measure) for measure in self._of_entity(table)[1]]
        if not aggregated:
            return made or [*self._head_shown(), *self._shown_order()]
        if not made and frame.top is not None and frame.top.limit and isinstance(frame.top.by, MeasurePart):
            made.append(self._measured(frame.top.by))
        plain = [item.value for item in made if item.value.aggregate is None and item.relation is None]
        is_free = not groups
        for measure in plain:
            if measure not in groups:
                if not is_free and not self._depends(measure, groups):
                    raise NoPlan
                groups.append(measure)
        if frame.is_listed and plain:
            return made
        wanted = [measure for measure in shown if measure not in plain]
        if frame.top is not None and plain:
            wanted = []
        return [*(Selected(value=measure) for measure in wanted), *made]

    def _depends(self, measure: Measure, groups: Sequence[Measure]) -> bool:
        """Whether the column has a single value in each group, because the groups are rows of its table."""
        alias = split(measure.column)[0]
        own = [split(group.column)[1] for group in groups if split(group.column)[0] == alias and group.unit is None]
        return bool(own) and is_unique(self._by_alias(alias), own)

    def _head_shown(self) -> list[Selected]:
        head = self._frame.head
        if head is None:
            raise NoPlan
        link = self._link(head)
        shown = self._of_entity(link.table)[1] if not link.column else [Measure(column=self._column(head))]
        return [Selected(value=measure) for measure in shown]

    def _shown_order(self) -> list[Selected]:
        """A list that is ordered by a column shows it."""
        by = [order.by for order in self._frame.orders]
        if (top := self._frame.top) is not None and top.limit and not top.is_latest and not top.word:
            by.append(top.by)
        items = [item for item in by if isinstance(item, Item) and item.kind == Kind.COLUMN]
        return [Selected(value=Measure(column=self._column(item))) for item in items if self._is_numeric(self._column(item))]

    def _measured(self, part: MeasurePart) -> Selected:
        value = self._measure(part)
        if part.over is None:
            return Selected(label=part.label if part.label != "total" else "", value=value)
        other = self._measure(part.over)
        tables = {self._link(item).table for item in (part.of, part.over.of) if item is not None}
        if len(tables) > 1 and not self._frame.groups:
            raise NoPlan  # counts of two tables do not come from a join of them
        return Selected(value=value, relation=part.relation, other=other, in_percent=part.in_percent)

    def _measure(self, part: MeasurePart) -> Measure:
        where = tuple(self._condition(condition, None) for condition in part.where)
        equal = [item.column for item in where if item.operator == Operator.EQUAL and not item.alternative]
        if len(equal) > len(set(equal)):
            raise NoPlan
        if part.of is None:
            return Measure(aggregate=part.aggregate, where=where)
        link = self._link(part.of)
        alias = self._alias(link.table)
        if not link.column:
            if part.aggregate == Aggregate.SUM:
                return self._money(link.table)
            if part.aggregate != Aggregate.COUNT:
                raise NoPlan
            return self._counted(link.table, where, distinct=part.is_distinct)
        column = f"{alias}.{link.column}"
        aggregate = part.aggregate
        if aggregate == Aggregate.COUNT_DISTINCT:
            if self._is_amount(column):
                aggregate = Aggregate.SUM
            elif part.label == "total" and not part.is_distinct:
                raise NoPlan
        numeric = aggregate in (Aggregate.SUM, Aggregate.AVERAGE)
        if numeric and (not self._is_numeric(column) or alias in self._repeated or _is_key(link.column)):
            raise NoPlan
        operand = self._column(part.operand) if part.operand is not None else ""
        return Measure(column=column, operator=part.operator, operand=operand, aggregate=aggregate, where=where)

    def _money(self, table: str) -> Measure:
        """The sum of the only column of the table that is an amount of money."""
        found = [column.name for column in self._tables[table].columns if NUMERIC.search(column.type) and _MONEY.search(column.name)]
        if len(found) != 1 or self._alias(table) in self._repeated:
            raise NoPlan
        return Measure(column=f"{self._alias(table)}.{found[0]}", aggregate=Aggregate.SUM)

    def _is_amount(self, column: str) -> bool:
        """Whether the column itself holds a number of things: `num_reviews`, `population`."""
        return is_amount(self._detail(column))

    def _counted(self, table: str, where: tuple[Condition, ...], *, distinct: bool) -> Measure:
        alias = self._alias(table)
        if alias not in self._repeated and not distinct:
            return Measure(aggregate=Aggregate.COUNT, where=where)
        keys = key_columns(self._tables[table])
        if len(keys) != 1:
            raise NoPlan
        return Measure(column=f"{alias}.{keys[0]}", aggregate=Aggregate.COUNT_DISTINCT, where=where)

    def _ordering(self, selected: list[Selected], groups: list[Measure], time: str | None, aggregated: bool) -> tuple[list[Ordering], int | None]:
        frame = self._frame
        made: list[Ordering] = []
        limit: int | None = None
        if (top := frame.top) is not None:
            limit = top.limit or 1
            if top.is_latest:
                if time is None or aggregated:
                    raise NoPlan
                made.append(Ordering(value=Measure(column=time), descending=top.descending))
            elif top.word and isinstance(top.by, Item):
                made.append(Ordering(value=self._attribute(self._link(top.by).table, top.word), descending=top.descending))
            else:
                made.append(self._ordered(top.by, top.descending, selected, aggregated))
                if isinstance(top.by, Item) and not self._is_ranked(top.by):
                    raise NoPlan
        for order in frame.orders:
            ordering = self._ordered(order.by, order.descending, selected, aggregated, time)
            if frame.top is None or (ordering.position, ordering.value) != (made[0].position, made[0].value):
                made.append(ordering)
        return made, limit

    def _attribute(self, table: str, word: str) -> Measure:
        """The column that an adjective is about: the length of the longest river."""
        names = _ADJECTIVES.get(word.split()[-1], frozenset())
        columns = [column for column in self._tables[table].columns if NUMERIC.search(column.type) and names & {key(part) for part in split_name(column.name)}]
        if len(columns) != 1:
            raise NoPlan
        return Measure(column=f"{self._alias(table)}.{columns[0].name}")

    def _is_ranked(self, by: Item) -> bool:
        """Whether the column has an order that a superlative may speak of."""
        link = self._link(by)
        if not link.column:
            return False
        detail = self._detail(self._column(by))
        return is_numeric(detail) or is_temporal(detail)

    def _ordered(
        self, by: Item | MeasurePart | None, descending: bool, selected: list[Selected], aggregated: bool, time: str | None = None
    ) -> Ordering:
        if by is None:
            numbers = [index for index, item in enumerate(selected, start=1) if item.value.aggregate is not None or item.relation]
            if not numbers and not aggregated:
                numbers = [index for index, item in enumerate(selected, start=1) if self._is_numeric(item.value.column)]
            if len(numbers) != 1:
                raise NoPlan
            return Ordering(position=numbers[0], descending=descending)
        if isinstance(by, MeasurePart):
            wanted = self._measured(by)
        elif by.kind == Kind.UNIT:
            wanted = Selected(value=Measure(column=time or "", unit=by.payload if isinstance(by.payload, TimeUnit) else None))
        elif self._link(by).column:
            wanted = Selected(value=Measure(column=self._column(by)))
        else:
            shown = self._of_entity(self._link(by).table)[1]
            wanted = Selected(value=shown[0])
        for index, item in enumerate(selected, start=1):
            if (item.value, item.relation, item.other) == (wanted.value, wanted.relation, wanted.other):
                return Ordering(position=index, descending=descending)
        if wanted.relation is not None:
            raise NoPlan
        if aggregated and wanted.value.aggregate is None:
            return self._ordered_by_aggregate(wanted.value, selected, descending)
        return Ordering(value=wanted.value, descending=descending)

    def _ordered_by_aggregate(self, value: Measure, selected: list[Selected], descending: bool) -> Ordering:
        """`by rating` where a single aggregate of the rating is shown."""
        found = [index for index, item in enumerate(selected, start=1) if item.value.column == value.column and item.value.aggregate]
        if len(found) != 1:
            raise NoPlan
        return Ordering(position=found[0], descending=descending)

    def _related(self) -> tuple[Related, ...]:
        made: list[Related] = []
        for part in self._frame.absences:
            table = self._link(part.table).table
            head = self._frame.tables[0] if self._frame.tables else None
            if head is None:
                raise NoPlan
            path = self._edges.between(self._link(head).table, table)
            if path is None:
                raise NoPlan
            made.append(
                Related(table=table, source=self._alias(path.left), source_columns=path.left_columns, columns=path.right_columns, exists=part.exists)
            )
        return tuple(made)

    def _havings(self) -> tuple[GroupCondition, ...]:
        made: list[GroupCondition] = []
        for part in self._frame.havings:
            value = self._counted(self._link(part.table).table, (), distinct=False)
            made.append(GroupCondition(value=value, operator=part.operator, values=(part.value,)))
        return tuple(made)

    def _is_distinct(self, selected: Sequence[Selected]) -> bool:
        frame = self._frame
        if frame.is_distinct:
            return True
        if frame.top is not None:
            return False
        aliases = {split(item.value.column)[0] for item in selected}
        if len(aliases) == 1 and aliases <= self._repeated:
            return True
        alias = next(iter(aliases))
        spoken = any(self._alias(self._link(item).table) == alias for item in frame.tables)
        return len(aliases) == 1 and not spoken and not is_unique(self._by_alias(alias), [split(item.value.column)[1] for item in selected])


def _is_key(column: str) -> bool:
    return column.lower() in ("id", "key") or column.lower().endswith(("_id", "_key"))


def _years(column: str, part: PeriodPart) -> list[Condition]:
    """Whole years as conditions on a column of years."""
    if part.range is None:
        raise NoPlan
    made: list[Condition] = []
    for bound, operator in ((part.range.start, Operator.GREATER_EQUAL), (part.range.end, Operator.LESS)):
        if bound is None:
            continue
        if not isinstance(bound, date) or (bound.month, bound.day) != (1, 1):
            raise NoPlan
        made.append(Condition(column=column, operator=operator, values=(str(bound.year),)))
    return made

