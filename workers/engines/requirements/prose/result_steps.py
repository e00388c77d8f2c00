"""Steps over the target's own columns: windows, the period before, every day, the first rows."""

from contracts.pipelines.analysis import (
    CalendarWork,
    FilterWork,
    JoinSide,
    JoinWork,
    WindowColumn,
    WindowWork,
)
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, NamedExpression, Sorting, ValueType, columns_in
from contracts.queries import TimeUnit
from contracts.statements import count, name, names, say
from workers.engines.requirements.naming import plain_name
from workers.engines.requirements.prose.draft import RESULT, Measure, Previous, Rows, Share, Window
from workers.engines.requirements.prose.joining import RowSteps, all_of

ZERO = Constant(type=ValueType.INTEGER, value="0")

_TRUE = Constant(type=ValueType.BOOLEAN, value="true")


class ResultSteps(RowSteps):
    """Makes the steps that come after rows are grouped or taken over."""

    def _or_zero(self, value: Expression, measure: Measure) -> Expression:
        is_count = measure.function in (Function.COUNT, Function.COUNT_DISTINCT)
        zeros = self._draft.zeros and measure.function is Function.SUM
        return Call(function=Function.COALESCE, arguments=(value, ZERO)) if is_count or measure.is_zero or zeros else value

    def _with_later(self, at: str) -> str:
        for label, later in self._draft.later.items():
            if isinstance(later, Window | Share):
                at = self._windowed(at, label, later)
            elif isinstance(later, Previous):
                at = self._with_previous(at, label, later)
            else:
                columns = [(item, ColumnOf(step=at, name=item)) for item in self._labels]
                at = self._derive(_step_of(label), at, [*columns, (label, over_result(later, at))])
        return at

    def _windowed(self, at: str, label: str, later: Window | Share) -> str:
        if isinstance(later, Window):
            column = later.column
            made = column.model_copy(
                update={
                    "name": label,
                    "value": over_result(column.value, at),
                    "partition_by": tuple(over_result(item, at) for item in column.partition_by),
                    "order_by": tuple(item.model_copy(update={"value": over_result(item.value, at)}) for item in column.order_by),
                }
            )
            step = self._steps.add(
                _step_of(label), WindowWork(input=at, columns=(made,)), say("requirements.step.window", column=name(label))
            )
            return self._note(step, [*self._labels, label])
        total = f"{label}_total"
        value = Call(function=Function.SUM, arguments=(ColumnOf(step=at, name=later.of),))
        column = WindowColumn(name=total, value=value, partition_by=tuple(ColumnOf(step=at, name=item) for item in later.by))
        step = self._steps.add(
            _step_of(total), WindowWork(input=at, columns=(column,)), say("requirements.step.window", column=name(total))
        )
        columns = [(item, ColumnOf(step=step, name=item)) for item in self._labels]
        ratio = Call(function=Function.OVER, arguments=(ColumnOf(step=step, name=later.of), ColumnOf(step=step, name=total)))
        return self._derive(_step_of(label), step, [*columns, (label, ratio)])

    def _with_previous(self, at: str, label: str, later: Previous) -> str:
        """The row of the period before, by its date: a period without rows is no period before."""
        draft = self._draft
        time = next(item for item in draft.keys if item in draft.units)
        others = [item for item in draft.keys if item != time]
        next_ = Call(
            function=Function.ADD_TIME,
            arguments=(ColumnOf(step=at, name=time), Constant(type=ValueType.INTEGER, value="1")),
            unit=TimeUnit.WEEK if draft.units[time].value.startswith("week") else draft.units[time],
        )
        if draft.units[time].value == "quarter":
            next_ = Call(
                function=Function.ADD_TIME,
                arguments=(ColumnOf(step=at, name=time), Constant(type=ValueType.INTEGER, value="3")),
                unit=type(draft.units[time])("month"),
            )
        labels = list(self._labels)
        columns = [*((item, ColumnOf(step=at, name=item)) for item in others), (time, next_), (label, ColumnOf(step=at, name=later.of))]
        before = self._derive(f"before_{label}", at, columns)
        on = all_of(
            [
                Call(
                    function=Function.EQUAL if item == time else Function.SAME,
                    arguments=(ColumnOf(step=at, name=item), ColumnOf(step=before, name=item)),
                )
                for item in (time, *others)
            ]
        )
        kept = [NamedExpression(name=item, value=ColumnOf(step=at, name=item)) for item in labels]
        work = JoinWork(
            left=at,
            right=before,
            side=JoinSide.LEFT,
            on=on,
            columns=(*kept, NamedExpression(name=label, value=ColumnOf(step=before, name=label))),
        )
        step = self._steps.add(_step_of(label), work, say("requirements.step.previous", column=name(later.of)))
        return self._note(step, [*labels, label])

    def _spined(self, at: str) -> str:
        """Every thing on every day; without rows the measures are 0."""
        draft, spine = self._draft, self._draft.spine
        if spine is None or draft.base is None:
            return at
        things = [item for item in draft.keys if item != spine.day]
        source = self._source(draft.base.base)
        own = self._rows(Rows(draft.base.base), [column for item in things for column in columns_in(draft.keys[item])])
        labels = list(self._labels)
        each = self._derive("things", own.step, [(item, own.of(draft.keys[item])) for item in things], is_distinct=True)
        bounds = [
            Call(function=Function.MINIMUM, arguments=(Constant(type=ValueType.DATE, value=day),)) for day in (spine.start, spine.end)
        ]
        calendar = self._steps.add(
            "calendar",
            CalendarWork(input=source, start=bounds[0], end=bounds[1], name=spine.day),
            say("requirements.step.calendar", start=name(spine.start), end=name(spine.end)),
        )
        both = [NamedExpression(name=item, value=ColumnOf(step=each, name=item)) for item in things]
        work = JoinWork(
            left=each,
            right=calendar,
            on=_TRUE,
            columns=(*both, NamedExpression(name=spine.day, value=ColumnOf(step=calendar, name=spine.day))),
        )
        all_days = self._steps.add("all_days", work, say("requirements.step.every_day", columns=names(things)))
        on = all_of(
            [
                Call(function=Function.EQUAL, arguments=(ColumnOf(step=all_days, name=item), ColumnOf(step=at, name=item)))
                for item in (*things, spine.day)
            ]
        )
        kept = [NamedExpression(name=item, value=ColumnOf(step=all_days, name=item)) for item in (*things, spine.day)]
        measures = [
            NamedExpression(name=item, value=self._or_zero(ColumnOf(step=at, name=item), draft.measures[item]))
            for item in labels
            if item in draft.measures
        ]
        joined = JoinWork(left=all_days, right=at, side=JoinSide.LEFT, on=on, columns=(*kept, *measures))
        step = self._steps.add(
            "days_filled", joined, say("requirements.step.join", left=name("all_days"), right=name(at), columns=names([*things, spine.day]))
        )
        return self._note(step, [*things, spine.day, *(item.name for item in measures)])

    def _first(self, at: str) -> str:
        top = self._draft.top
        if top is None:
            return at
        place = top.place or "place"
        order = [Sorting(value=ColumnOf(step=at, name=top.by), descending=top.is_descending)]
        ties = top.ties if not top.all_equal else ()
        order += [Sorting(value=ColumnOf(step=at, name=item), descending=down) for item, down in ties]
        known = {top.by, *(item for item, _ in ties)}
        rest = [] if top.all_equal else [item for item in self._draft.keys if item not in known and item in self._labels]
        order += [Sorting(value=ColumnOf(step=at, name=item)) for item in rest]
        function = Function.RANK if top.all_equal else Function.ROW_NUMBER
        groups = tuple(ColumnOf(step=at, name=item) for item in top.groups)
        column = WindowColumn(name=place, value=Call(function=function), partition_by=groups, order_by=tuple(order))
        ranked = self._steps.add("ranked", WindowWork(input=at, columns=(column,)), say("requirements.step.rank"))
        test = Call(
            function=Function.LESS_EQUAL,
            arguments=(ColumnOf(step=ranked, name=place), Constant(type=ValueType.INTEGER, value=str(top.number))),
        )
        first = self._steps.add("first_rows", FilterWork(input=ranked, where=test), say("requirements.step.first", n=count(top.number)))
        return self._note(first, [*self._labels, place])


def over_result(value: Expression, step: str) -> Expression:
    """An expression over the target's columns as they are in a step."""
    if isinstance(value, ColumnOf):
        return ColumnOf(step=step, name=value.name) if value.step == RESULT else value
    if isinstance(value, Call):
        return value.model_copy(update={"arguments": tuple(over_result(item, step) for item in value.arguments)})
    return value


def _step_of(label: str) -> str:
    """The id of the step that adds a column."""
    return f"with_{plain_name(label, 'value')}"
