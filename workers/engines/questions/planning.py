"""From a frame and the chosen links to a plan."""

from collections.abc import Sequence

from contracts.queries import Aggregate, GroupCondition, Measure, Operator, Ordering, PlanJoin, QueryPlan, Selected, Source
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.amounts import is_added_up
from workers.engines.questions.choosing import OF_EACH, Choice
from workers.engines.questions.edges import Edges
from workers.engines.questions.filtering import Filters
from workers.engines.questions.frame import Frame
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.ordering import Orderings
from workers.engines.questions.parts import MeasurePart
from workers.engines.questions.scope import Doubtful, NoPlan
from workers.engines.questions.timing import Times, cut
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import split
from workers.engines.sql.plan_check import is_temporal
from workers.engines.sql.plan_shape import is_unique, multiplied

_ROWS = Measure(aggregate=Aggregate.COUNT)


def plans(frame: Frame, choice: Choice, tables: Sequence[TableDetail], edges: Edges) -> list[QueryPlan]:
    """The plans of a reading: one, or several where it is open which of several times is meant. Raises `NoPlan`."""
    if not choice.tables:
        raise NoPlan
    times = Times(frame, choice, tables, edges)
    if not times.needs_time:
        return [_Planner(frame, choice, tables, edges).plan(None)]
    columns = times.time_columns()
    return [_Planner(frame, times.choice, tables, edges).plan(column) for column in columns]


def _with_common_conditions(plan: QueryPlan) -> QueryPlan:
    """A condition that the only measure has is one of the whole query, which is easier to read."""
    measures = [item.value for item in plan.selected if item.value.aggregate is not None or item.relation is not None]
    measures += [item.value for item in plan.order_by if item.value is not None and item.value.aggregate is not None]
    wheres = {measure.where for measure in measures}
    if len(wheres) != 1 or not (where := wheres.pop()) or plan.having or any(item.relation is not None for item in plan.selected):
        return plan
    selected = tuple(item.model_copy(update={"value": item.value.model_copy(update={"where": ()})}) for item in plan.selected)
    order_by = tuple(
        item if item.value is None else item.model_copy(update={"value": item.value.model_copy(update={"where": ()})})
        for item in plan.order_by
    )
    return plan.model_copy(update={"selected": selected, "order_by": order_by, "filters": (*plan.filters, *where)})


def _is_quantity(column: ColumnDetail) -> bool:
    last = split_name(column.name)[-1].lower()
    return is_added_up(column.name, column.description) or key(last) != last


class _Planner(Orderings):
    def plan(self, time: str | None) -> QueryPlan:
        """The plan with this column for the time."""
        frame = self.frame
        sources, joins = self._sources()
        skeleton = QueryPlan(sources=sources, joins=joins, selected=(Selected(value=_ROWS),))
        self.repeated = frozenset(multiplied(skeleton, self.all_tables))
        conditions = Filters(frame, self.choice, self.all_tables, self.edges)
        filters, periods = conditions.filters(time)
        groups, shown = self._groups(time)
        measures = [output for output in frame.outputs if isinstance(output, MeasurePart)]
        by = frame.top.by if frame.top is not None else None
        if groups and not (measures or frame.havings or by is not None):
            raise NoPlan
        if frame.top is not None and by is None:
            raise NoPlan
        self._refuse_doubtful(measures)
        self._refuse_best_of_each()
        if frame.absences and any(period.column is None for period in frame.periods):
            raise NoPlan  # `did not order in 2026`: the time is of the orders that are not there
        aggregated = bool(groups or measures or frame.havings or isinstance(by, MeasurePart))
        aggregated = aggregated or any(isinstance(order.by, MeasurePart) for order in frame.orders)
        if aggregated and not groups and not self._is_most_common() and (by is not None or frame.havings or frame.orders):
            if measures and frame.havings:
                raise NoPlan  # `how many learners have more than 5 courses`: not their number for each course
            groups, shown = self._head_groups()
        selected = self._selected(groups, shown, aggregated)
        ordering, limit = self.ordering(selected, time, aggregated)
        if not ordering:
            # what is shown over time is read in its order
            ordering = [
                Ordering(position=place)
                for place, item in enumerate(selected, start=1)
                if item.value.unit is not None or item.value.part is not None
            ]
        plan = QueryPlan(
            sources=sources, joins=joins, selected=tuple(selected), filters=tuple(filters), related=conditions.related(),
            periods=tuple(periods), group_by=tuple(groups), having=self._havings(), order_by=tuple(ordering), limit=limit,
            is_distinct=not aggregated and self._is_distinct(selected),
        )  # fmt: skip
        plan = _with_common_conditions(plan)
        fixed = {item.column for item in plan.filters if item.operator == Operator.EQUAL and not item.alternative}
        if not aggregated and {item.value.column for item in plan.selected} <= fixed:
            raise Doubtful  # it would answer with the words of the question
        if plan.is_distinct and any(order.value is not None for order in plan.order_by):
            raise NoPlan
        return plan

    def _is_most_common(self) -> bool:
        """Whether the rows are grouped by a column that is asked for, `the most common material of work orders`, and not by their table."""
        top = self.frame.top
        ranks = [*([top.by] if top is not None else []), *(order.by for order in self.frame.orders)]
        return any(isinstance(by, MeasurePart) and by.aggregate is Aggregate.COUNT and by.of is None for by in ranks)

    def _sources(self) -> tuple[tuple[Source, ...], tuple[PlanJoin, ...]]:
        names = list(self.choice.tables)
        joins = tuple(
            PlanJoin(
                left=self.alias(path.left), left_columns=path.left_columns, right=self.alias(path.right),
                right_columns=path.right_columns, evidence=path.evidence,
            )
            for path in self.choice.joins
        )  # fmt: skip
        if len({self.alias(name) for name in names}) < len(names):
            raise NoPlan
        return tuple(Source(table=name, alias=self.alias(name)) for name in names), joins

    def _groups(self, time: str | None) -> tuple[list[Measure], list[Measure]]:
        """What is grouped by, and what of it is shown."""
        groups: list[Measure] = []
        shown: list[Measure] = []
        for part in self.frame.groups:
            for item in part.of:
                more, visible = self._group(item, time)
                groups += [measure for measure in more if measure not in groups]
                shown += [measure for measure in visible if measure not in shown]
        return groups, shown

    def _group(self, item: Item, time: str | None) -> tuple[list[Measure], list[Measure]]:
        if item.kind == Kind.UNIT:
            if time is None or not is_temporal(self.detail(time)):
                raise NoPlan
            unit = cut(time, item)
            return [unit], [unit]
        link = self.link(item)
        return self.of_entity(link.table) if not link.column else self._of_column(self.column(item))

    def _refuse_best_of_each(self) -> None:
        """Raises `Doubtful` for `the cheapest product in each category`: a single ranking cannot say that."""
        top, head = self.frame.top, self.frame.head
        if top is None or not self.frame.groups:
            return
        grouped = [self.link(item) for part in self.frame.groups for item in part.of if item.kind != Kind.UNIT]
        is_ranked = isinstance(top.by, MeasurePart) and (not grouped or head is None or self.link(head) in grouped)
        if not is_ranked and not self._ranks_groups(grouped):
            raise Doubtful

    def _ranks_groups(self, grouped: Sequence[Link]) -> bool:
        """Whether what is grouped by is what the question is about, by another word for it."""
        head, top = self.frame.head, self.frame.top
        if head is None or top is None or not isinstance(top.by, MeasurePart):
            return False
        return self.link(head).table in {link.table for link in grouped}

    def _refuse_doubtful(self, measures: Sequence[MeasurePart]) -> None:
        """Raises `NoPlan` for measures that a join of their tables would make wrong, or that may mean two things."""
        measures = [*measures, *(measure.over for measure in measures if measure.over is not None)]
        tables = {self.link(measure.of).table for measure in measures if measure.of is not None}
        counted = [
            self.link(measure.of)
            for measure in measures
            if measure.of is not None and measure.aggregate == Aggregate.COUNT and not measure.is_distinct  # unique customers of the sales
        ]
        if len(tables) > 1 and any(not link.column and self.alias(link.table) in self.repeated for link in counted):
            raise Doubtful  # rows without a partner would be missing from the count
        spoken = tables | {self.link(item).table for item in self.frame.tables}
        of_each = [item for part in self.frame.groups for item in part.of if item.kind == Kind.COLUMN and item.text.lower() in OF_EACH]
        if any(self.link(item).quality < 1.0 and self.link(item).table not in spoken for item in of_each):
            raise Doubtful  # `clients by type`, where only the presses on which their jobs are printed have a kind
        per_unit = [item for part in self.frame.groups if part.is_per for item in part.of if item.kind == Kind.COLUMN]
        if any(self.is_numeric(self.column(item)) and _is_quantity(self.detail(self.column(item))) for item in per_unit):
            raise Doubtful  # `the price per night` is a ratio
        per_row = any(
            part.is_per and not self.link(item).column for part in self.frame.groups for item in part.of if item.kind != Kind.UNIT
        )
        averages = [measure.of for measure in measures if measure.aggregate == Aggregate.AVERAGE]
        if per_row and any(of is None or not self.link(of).column or self._adds_up(self.column(of)) for of in averages):
            raise NoPlan  # `the average amount per customer` may be of their totals; the average rating per agent is not

    def _adds_up(self, column: str) -> bool:
        detail = self.detail(column)
        return is_added_up(detail.name, detail.description)

    def _of_column(self, column: str) -> tuple[list[Measure], list[Measure]]:
        measure = Measure(column=column)
        return [measure], [measure]

    def _head_groups(self) -> tuple[list[Measure], list[Measure]]:
        """Without a word for it, the rows are grouped by what the question is about."""
        head = self.frame.head
        if head is None:
            raise NoPlan
        link = self.link(head)
        if link.column and (tables := [item for item in self.frame.tables if self.link(item).table == link.table]):
            # the name of a row of a table that is spoken of stands for the row
            of = self.of_entity(self.link(tables[0]).table)
            if Measure(column=self.column(head)) in of[0]:
                return of
        return self.of_entity(link.table) if not link.column else self._of_column(self.column(head))

    def _selected(self, groups: list[Measure], shown: list[Measure], aggregated: bool) -> list[Selected]:
        frame = self.frame
        made: list[Selected] = []
        for output in frame.outputs:
            if isinstance(output, MeasurePart):
                made.append(self.measured(output))
            elif self.link(output).column:
                made.append(Selected(value=Measure(column=self.column(output))))
            else:
                table = self.link(output).table
                made += [Selected(value=measure) for measure in self.of_entity(table)[1]]
        if not aggregated:
            return made or [*self._head_shown(), *self._shown_order()]
        by = frame.top.by if frame.top is not None else None
        if isinstance(by, MeasurePart) and frame.top is not None and self._shows_rank(by, frame.top.limit, made):
            made.append(self.measured(by))
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

    @staticmethod
    def _shows_rank(by: MeasurePart, limit: int, made: Sequence[Selected]) -> bool:
        """Whether what is ranked by is shown too: beside a number of rows, and where it is a rate."""
        if by.relation is not None:
            return not any(item.relation is not None or item.value.aggregate is not None for item in made)
        return bool(limit) and not made

    def _depends(self, measure: Measure, groups: Sequence[Measure]) -> bool:
        """Whether the column has a single value in each group, because the groups are rows of its table."""
        alias = split(measure.column)[0]
        own = [split(group.column)[1] for group in groups if split(group.column)[0] == alias and group.unit is None]
        return bool(own) and is_unique(self.by_alias(alias), own)

    def _head_shown(self) -> list[Selected]:
        head = self.frame.head
        if head is None and len(self.choice.tables) == 1:
            return [Selected(value=measure) for measure in self.of_entity(self.choice.tables[0])[1]]
        if head is None:
            raise NoPlan
        link = self.link(head)
        shown = self.of_entity(link.table)[1] if not link.column else [Measure(column=self.column(head))]
        return [Selected(value=measure) for measure in shown]

    def _shown_order(self) -> list[Selected]:
        """A list that is ordered by a column shows it."""
        by = [order.by for order in self.frame.orders]
        if (top := self.frame.top) is not None and top.limit and not top.is_latest and not top.word:
            by.append(top.by)
        items = [item for item in by if isinstance(item, Item) and item.kind == Kind.COLUMN]
        return [Selected(value=Measure(column=self.column(item))) for item in items if self.is_numeric(self.column(item))]

    def _havings(self) -> tuple[GroupCondition, ...]:
        made: list[GroupCondition] = []
        for part in self.frame.havings:
            value = self.counted(self.link(part.table).table, (), distinct=False)
            made.append(GroupCondition(value=value, operator=part.operator, values=(part.value,)))
        return tuple(made)

    def _is_distinct(self, selected: Sequence[Selected]) -> bool:
        frame = self.frame
        if frame.is_distinct:
            return True
        if frame.top is not None:
            return False
        aliases = {split(item.value.column)[0] for item in selected}
        if len(aliases) == 1 and aliases <= self.repeated:
            return True
        alias = next(iter(aliases))
        spoken = any(self.alias(self.link(item).table) == alias for item in frame.tables)
        return len(aliases) == 1 and not spoken and not is_unique(self.by_alias(alias), [split(item.value.column)[1] for item in selected])
