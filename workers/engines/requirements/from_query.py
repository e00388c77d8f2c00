"""A query plan, as the reader of questions makes it, as the steps of an analysis."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from contracts.pipelines.analysis import (
    AggregateWork,
    DeriveWork,
    EtlTarget,
    FilterWork,
    JoinSide,
    JoinWork,
    SourceWork,
    TargetColumn,
    WindowColumn,
    WindowWork,
)
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, NamedExpression, Sorting, ValueType
from contracts.queries import (
    Aggregate,
    Arithmetic,
    Condition,
    DatePart,
    JoinKind,
    Measure,
    Operator,
    PlanJoin,
    QueryPlan,
    Related,
    Relation,
    Selected,
)
from contracts.sql_review import WriteMode
from contracts.statements import Sayable, count, name, names, say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.requirements.facts import NotRead, Steps, filter_text
from workers.engines.requirements.naming import free_name, plain_name
from workers.engines.sql.build_values import BOOLEAN, NUMERIC, TEMPORAL, as_number, split

_AGGREGATES = {
    Aggregate.COUNT: Function.COUNT,
    Aggregate.COUNT_DISTINCT: Function.COUNT_DISTINCT,
    Aggregate.SUM: Function.SUM,
    Aggregate.AVERAGE: Function.AVERAGE,
    Aggregate.MINIMUM: Function.MINIMUM,
    Aggregate.MAXIMUM: Function.MAXIMUM,
}
_PREFIX = {
    Aggregate.COUNT: "number_of",
    Aggregate.COUNT_DISTINCT: "different",
    Aggregate.SUM: "total",
    Aggregate.AVERAGE: "average",
    Aggregate.MINIMUM: "first",
    Aggregate.MAXIMUM: "last",
}
_CHINESE_FORMS = {
    Aggregate.COUNT: "{}数",
    Aggregate.COUNT_DISTINCT: "不同{}数",
    Aggregate.SUM: "{}合计",
    Aggregate.AVERAGE: "平均{}",
    Aggregate.MINIMUM: "最小{}",
    Aggregate.MAXIMUM: "最大{}",
}
_ARITHMETIC = {
    Arithmetic.PLUS: Function.PLUS,
    Arithmetic.MINUS: Function.MINUS,
    Arithmetic.TIMES: Function.TIMES,
    Arithmetic.OVER: Function.OVER,
    Arithmetic.DAYS_SINCE: Function.DAYS_BETWEEN,
}
_COMPARISONS = {
    Operator.EQUAL: Function.EQUAL,
    Operator.NOT_EQUAL: Function.NOT_EQUAL,
    Operator.GREATER: Function.GREATER,
    Operator.GREATER_EQUAL: Function.GREATER_EQUAL,
    Operator.LESS: Function.LESS,
    Operator.LESS_EQUAL: Function.LESS_EQUAL,
    Operator.IN: Function.IN,
    Operator.CONTAINS: Function.CONTAINS,
    Operator.STARTS_WITH: Function.STARTS_WITH,
    Operator.IS_NULL: Function.IS_NULL,
    Operator.NOT_NULL: Function.NOT_NULL,
}


def typed_constant(value: str, type_: str) -> Constant:
    """A value as the column's type compares it."""
    if BOOLEAN.search(type_):
        return Constant(type=ValueType.BOOLEAN, value="true" if value.lower() in ("true", "t", "1", "yes") else "false")
    if TEMPORAL.search(type_):
        return Constant(type=ValueType.TIMESTAMP if "time" in type_.lower() else ValueType.DATE, value=value)
    number = as_number(value) if NUMERIC.search(type_) else None
    return Constant(type=ValueType.TEXT, value=value) if number is None else Constant(type=ValueType.DECIMAL, value=number)


def upward(plan: QueryPlan, tables: Mapping[str, TableDetail]) -> QueryPlan:
    """The plan with its joins from the rows that refer to those that they refer to, where some refer to nothing and one table refers to all
    others: only so can those rows be kept."""
    both = [*plan.joins, *(_turned(join) for join in plan.joins)]
    if not any(_lacks(join, tables) for join in both) or any(join.kind is not JoinKind.INNER for join in plan.joins):
        return plan
    for first in tables:
        found, reached = list[PlanJoin](), {first}
        while (
            join := next((join for join in both if join.left in reached and join.right not in reached and _is_up(join, tables)), None)
        ) is not None:
            found.append(join)
            reached.add(join.right)
        if len(found) == len(plan.joins):
            return plan.model_copy(update={"joins": tuple(found)})
    return plan


def _turned(join: PlanJoin) -> PlanJoin:
    return join.model_copy(
        update={"left": join.right, "right": join.left, "left_columns": join.right_columns, "right_columns": join.left_columns}
    )


def _is_up(join: PlanJoin, tables: Mapping[str, TableDetail]) -> bool:
    """Each row of the left side has at most one partner: they are joined on the key of the right side."""
    return tuple(join.right_columns) == tables[join.right].primary_key


def _lacks(join: PlanJoin, tables: Mapping[str, TableDetail]) -> bool:
    """Rows of the left side are known to refer to nothing."""
    return _is_up(join, tables) and any(column.nulls for column in tables[join.left].columns if column.name in join.left_columns)


def with_times(tables: Sequence[TableDetail]) -> tuple[TableDetail, ...]:
    """The tables as questions are read over them: a text column of which every value is a time has the type that its values have."""
    return tuple(
        table.model_copy(
            update={
                "columns": tuple(
                    column.model_copy(update={"type": column.holds, "values": ()}) if column.holds else column for column in table.columns
                )
            }
        )
        for table in tables
    )


class QuerySteps:
    """Makes the steps of one plan. Raises `NotRead` for the forms that a step does not have."""

    def __init__(self, plan: QueryPlan, tables: Sequence[TableDetail]) -> None:
        self._held = {table.full_name: table for table in tables if any(column.holds_times for column in table.columns)}
        self._tables = {table.full_name: table for table in with_times(tables)}
        self._of_alias = {source.alias: self._tables[source.table] for source in plan.sources}
        self._plan = plan = upward(plan, self._of_alias)
        self._steps = Steps()
        self.assumptions: list[Sayable] = []
        self._lacking: set[str] = set()
        """Tables that some rows do not refer to. Those rows are kept, as a group without a value."""
        self._places: dict[str, ColumnOf] = {}
        """`alias.column` → where it is now."""
        values = [item.value for item in plan.selected]
        missing = [Selected(value=item) for item in plan.group_by if item not in values]
        grouped = [item for item in plan.selected if item.value in plan.group_by and item.relation is None]
        others = [item for item in plan.selected if item not in grouped]
        self._results: list[Selected] = [*missing, *grouped, *others]
        """What the target has: what the rows are grouped by first, also where the question did not ask to see it."""

    def make(self, table: str, says: Sequence[Sayable]) -> tuple[Steps, EtlTarget]:
        """The steps, and the target that the last of them fills."""
        plan = self._plan
        if any(item.share_of_total for item in plan.selected) or any(item.aggregate for item in plan.filters) or self._repeats():
            raise NotRead
        last = self._joined()
        for related in plan.related:
            last = self._related(last, related)
        last = self._filtered(last)
        last, outputs = self._selected(last)
        if plan.limit is not None:
            last = self._limited(last, outputs)
        key = self._key(outputs)
        # a key of the target may be null where it is a column of a table that some rows do not refer to
        nullable = [split(selected.value.column)[0] in self._lacking for selected in self._results]
        columns = tuple(
            TargetColumn(name=item, description=self._described(selected), nullable=may_be if item in key else None)
            for item, selected, may_be in zip(outputs, self._results, nullable, strict=True)
        )
        target = EtlTarget(table=table, mode=WriteMode.OVERWRITE, columns=columns, key=key, description=says[0] if says else "")
        return self._steps, target

    def columns(self) -> set[str]:
        """The names of the columns that the plan reads."""
        own = {split(place)[1] for place in self._used()}
        return own | {
            column
            for related in self._plan.related
            for column in (*related.columns, *(split(item.column)[1] for item in related.conditions))
        }

    def _repeats(self) -> bool:
        """Whether the first rows may hold a thing several times: rows of several tables, or groups by several values. The first rows are
        then not the first things."""
        plan = self._plan
        if plan.limit is None:
            return False
        return len(plan.group_by) != 1 if plan.group_by else len(plan.sources) > 1

    def _key(self, outputs: Sequence[str]) -> tuple[str, ...]:
        """The columns that make a row unique: of a table whose key is grouped by, only that key."""
        if not self._plan.group_by:
            return self._own_key(outputs)
        places = {
            measure.column: name_
            for measure, name_ in zip((item.value for item in self._results), outputs, strict=False)
            if not measure.unit
        }
        found = [
            (measure.column, output)
            for measure, output in zip((item.value for item in self._results), outputs, strict=True)
            if measure in self._plan.group_by
        ]
        left_out: set[str] = set()
        for alias, table in self._of_alias.items():
            key = {f"{alias}.{column}" for column in table.primary_key}
            if key and key <= set(places):
                left_out |= {place for place, _ in found if split(place)[0] == alias and place not in key}
        return tuple(output for place, output in found if place not in left_out)

    def _own_key(self, outputs: Sequence[str]) -> tuple[str, ...]:
        """The key of the only table that is read, where all of it is shown and no row is one of several."""
        if len(self._of_alias) != 1 or any(item.value.aggregate is not None for item in self._results):
            return ()
        alias, table = next(iter(self._of_alias.items()))
        shown = {item.value.column: output for item, output in zip(self._results, outputs, strict=True) if item.value.operator is None}
        key = [shown.get(f"{alias}.{column}") for column in table.primary_key]
        return tuple(column for column in key if column is not None) if all(key) else ()

    def _described(self, selected: Selected) -> Sayable:
        measure = selected.value
        if measure.part is DatePart.WEEKDAY:
            return say("requirements.assume.weekday", column=name(DatePart.WEEKDAY.value))
        if not measure.column or measure.aggregate is not None:
            return ""
        alias, column = split(measure.column)
        return next((item.description for item in self._of_alias[alias].columns if item.name == column), "")

    def _type(self, place: str) -> str:
        alias, column = split(place)
        return next((item.type for item in self._of_alias[alias].columns if item.name == column), "")

    def _joined(self) -> str:
        plan = self._plan
        ids: dict[str, str] = {}
        used = self._used()
        for source in plan.sources:
            read = {split(place)[1] for place in used if split(place)[0] == source.alias}
            ids[source.alias] = self._source(source.alias, source.table, read)
        joined = {join.right for join in plan.joins}
        first = next(source.alias for source in plan.sources if source.alias not in joined)
        self._places = {place: ColumnOf(step=ids[first], name=split(place)[1]) for place in used if split(place)[0] == first}
        last = ids[first]
        for number, join in enumerate(plan.joins):
            later = self._used_from(number + 1)
            on = _and(
                Call(function=Function.EQUAL, arguments=(self._places[f"{join.left}.{left}"], ColumnOf(step=ids[join.right], name=right)))
                for left, right in zip(join.left_columns, join.right_columns, strict=True)
            )
            right = {place: ColumnOf(step=ids[join.right], name=split(place)[1]) for place in used if split(place)[0] == join.right}
            columns: dict[str, NamedExpression] = {}
            for place, value in (self._places | right).items():
                if place not in later:
                    continue
                label = value.name
                if label in {item.name for item in columns.values()}:
                    label = free_name(f"{split(place)[0]}_{label}", {item.name for item in columns.values()})
                columns[place] = NamedExpression(name=label, value=value)
            if join.left in self._lacking or _lacks(join, self._of_alias):
                self._lacking.add(join.right)
            side = JoinSide.LEFT if join.kind is JoinKind.LEFT or join.right in self._lacking else JoinSide.INNER
            work = JoinWork(
                left=last, right=ids[join.right], side=side, on=on, columns=tuple(columns.values()), evidence=join.evidence
            )  # fmt: skip
            text = say("requirements.step.join", left=name(join.left), right=name(join.right), columns=names(join.left_columns))
            last = self._steps.add(f"with_{join.right}", work, text)
            self._places = {place: ColumnOf(step=last, name=item.name) for place, item in columns.items()}
        return last

    def _source(self, id_: str, table: str, columns: Collection[str]) -> str:
        """A table as a step. Of its text columns, those that hold times and are read are converted."""
        made = self._steps.add(id_, SourceWork(table=table), say("requirements.step.source", table=name(table)), tables=(table,))
        held = (
            [column for column in self._held[table].columns if column.holds_times and column.name in columns] if table in self._held else []
        )
        if not held:
            return made
        shown = names(column.name for column in held)
        self.assumptions.append(say("requirements.assume.times", columns=shown, table=name(table)))
        values = tuple(NamedExpression(name=column.name, value=_converted(made, column)) for column in self._held[table].columns)
        text = say("requirements.step.times", table=name(table), columns=shown)
        return self._steps.add(f"{made}_times", DeriveWork(input=made, columns=values), text)

    def _used(self) -> list[str]:
        """Every column that the plan speaks of, in the order of the tables."""
        found = self._used_from(0)
        order = {f"{alias}.{column.name}": None for alias, table in self._of_alias.items() for column in table.columns}
        return [place for place in order if place in found]

    def _used_from(self, number: int) -> set[str]:
        """The columns of which the plan speaks from a join on, counted from 0."""
        plan = self._plan
        found: set[str] = set()
        measures = [*plan.group_by, *(item.value for item in plan.selected), *(item.other for item in plan.selected if item.other)]
        measures += [item.value for item in plan.having] + [item.value for item in plan.order_by if item.value]
        for measure in measures:
            found |= {measure.column, measure.operand, *(condition.column for condition in measure.where)}
        found |= {condition.column for condition in plan.filters} | {period.column for period in plan.periods}
        for join in plan.joins[number:]:
            found |= {f"{join.left}.{item}" for item in join.left_columns} | {f"{join.right}.{item}" for item in join.right_columns}
        for related in plan.related:
            found |= {f"{related.source}.{item}" for item in related.source_columns}
        return found

    def _related(self, last: str, related: Related) -> str:
        other = self._tables[related.table]
        read = {*related.columns, *(split(item.column)[1] for item in related.conditions)}
        source = self._source(other.name, related.table, read)
        inside = {f"{other.name}.{column.name}": ColumnOf(step=source, name=column.name) for column in other.columns}
        types = {f"{other.name}.{column.name}": column.type for column in other.columns}
        kept = source
        if related.conditions:
            where = _and(self._all_of(related.conditions, inside.__getitem__, types.__getitem__))
            kept = self._steps.add(f"{other.name}_kept", FilterWork(input=source, where=where), filter_text(other.name, where))
        on = _and(
            Call(function=Function.EQUAL, arguments=(self._places[f"{related.source}.{left}"], ColumnOf(step=kept, name=right)))
            for left, right in zip(related.source_columns, related.columns, strict=True)
        )
        side = JoinSide.SEMI if related.exists else JoinSide.ANTI
        table = name(related.table)
        text = say("requirements.step.semi", table=table) if related.exists else say("requirements.step.anti", table=table)
        made = self._steps.add(f"{last}_related", JoinWork(left=last, right=kept, side=side, on=on), text)
        self._places = {place: ColumnOf(step=made, name=value.name) for place, value in self._places.items()}
        return made

    def _filtered(self, last: str) -> str:
        parts = self._all_of(self._plan.filters, self._places.__getitem__, self._type)
        for period in self._plan.periods:
            type_ = self._type(period.column)
            for bound, function in ((period.start, Function.GREATER_EQUAL), (period.end, Function.LESS)):
                if bound is not None:
                    parts.append(Call(function=function, arguments=(self._places[period.column], typed_constant(str(bound), type_))))
        if not parts:
            return last
        where = _and(parts)
        made = self._steps.add("kept_rows", FilterWork(input=last, where=where), filter_text(last, where))
        self._places = {place: ColumnOf(step=made, name=value.name) for place, value in self._places.items()}
        return made

    def _all_of(
        self, conditions: Sequence[Condition], place: Callable[[str], Expression], type_of: Callable[[str], str]
    ) -> list[Expression]:
        made: list[Expression] = [self._condition(item, place, type_of) for item in conditions if not item.alternative]
        for number in sorted({item.alternative for item in conditions if item.alternative}):
            either = tuple(self._condition(item, place, type_of) for item in conditions if item.alternative == number)
            made.append(Call(function=Function.OR, arguments=either))
        return made

    def _condition(self, item: Condition, place: Callable[[str], Expression], type_of: Callable[[str], str]) -> Expression:
        value, type_ = place(item.column), type_of(item.column)
        if item.part is not None:
            value, type_ = Call(function=Function.PART, arguments=(value,), part=item.part), "integer"
        if item.operator in (Operator.IS_TRUE, Operator.IS_FALSE):
            is_true = item.operator is Operator.IS_TRUE
            truth = typed_constant(str(int(is_true)), type_ if NUMERIC.search(type_) else "boolean")
            return Call(function=Function.EQUAL, arguments=(value, truth))
        is_text = item.operator in (Operator.CONTAINS, Operator.NOT_CONTAINS, Operator.STARTS_WITH)
        if item.ignores_case or is_text:
            value = Call(function=Function.LOWER, arguments=(value,))
        values = [text.lower() if item.ignores_case or is_text else text for text in item.values]
        constants = tuple(typed_constant(text, "varchar" if is_text else type_) for text in values)
        if item.operator in (Operator.NOT_IN, Operator.NOT_CONTAINS):
            inner = Function.IN if item.operator is Operator.NOT_IN else Function.CONTAINS
            return Call(function=Function.NOT, arguments=(Call(function=inner, arguments=(value, *constants)),))
        return Call(function=_COMPARISONS[item.operator], arguments=(value, *constants))

    def _row_value(self, item: Measure) -> Expression | None:
        if not item.column:
            return None
        value: Expression = self._places[item.column]
        if item.unit is not None:
            value = Call(function=Function.CUT, arguments=(value,), unit=item.unit)
        if item.part is not None:
            value = Call(function=Function.PART, arguments=(value,), part=item.part)
        if item.operator is None:
            return value
        return Call(function=_ARITHMETIC[item.operator], arguments=(value, self._places[item.operand]))

    def _measure(self, item: Measure) -> Expression:
        value = self._row_value(item)
        if item.aggregate is None:
            return value or Constant(type=ValueType.NULL)
        if item.where:
            test = _and(self._all_of(item.where, self._places.__getitem__, self._type))
            value = Call(function=Function.CASE, arguments=(test, value or Constant(type=ValueType.INTEGER, value="1")))
        return Call(function=_AGGREGATES[item.aggregate], arguments=() if value is None else (value,))

    def _value(self, item: Selected) -> Expression:
        value = self._measure(item.value)
        if item.relation is not None and item.other is not None:
            other = self._measure(item.other)
            if item.relation is Relation.RATIO:
                value = Call(function=Function.OVER, arguments=(value, other))
            else:
                value = Call(function=Function.MINUS, arguments=(value, other))
                if item.relation is Relation.CHANGE:
                    value = Call(function=Function.OVER, arguments=(value, other))
        if item.in_percent:
            value = Call(function=Function.TIMES, arguments=(Constant(type=ValueType.INTEGER, value="100"), value))
        return value

    def _label(self, item: Selected, taken: Sequence[str]) -> str:
        measure = item.value
        column = split(measure.column)[1] if measure.column else self._most_detailed().name
        if item.label:
            wanted = item.label
        elif measure.operator is not None and measure.aggregate is Aggregate.SUM and (defined := self._defined(measure)):
            wanted = defined
        elif item.relation is Relation.RATIO:
            wanted = "share" if item.in_percent else "ratio"
        elif measure.aggregate is not None:
            if _is_chinese(column):
                return free_name(_CHINESE_FORMS[measure.aggregate].format(column), taken)
            wanted = f"{_PREFIX[measure.aggregate]}_{column}"
        else:
            wanted = measure.unit.value.partition("_")[0] if measure.unit else measure.part.value if measure.part else column
        return free_name(wanted if wanted == column and _is_chinese(column) else plain_name(wanted, "value"), taken)

    def _defined(self, measure: Measure) -> str:
        """The word that a comment of a table defines as this sum: `revenue is the sum of quantity * unit_price`."""
        left, right = (re.escape(split(place)[1]) for place in (measure.column, measure.operand))
        pattern = rf"\b([a-z][a-z_]+)(?: is| =|:) (?:the )?sum of `?(?:{left} ?\S ?{right}|{right} ?\S ?{left})\b"
        comments = (
            text for table in self._tables.values() for text in (table.description, *(column.description for column in table.columns))
        )
        return next((found[1] for text in comments if (found := re.search(pattern, text.lower()))), "")

    def _most_detailed(self) -> TableDetail:
        """The table whose rows the joined rows are: the one to which no other refers."""
        tables = list(self._of_alias.values())
        referred = {key.table for table in tables for key in table.foreign_keys}
        return next((table for table in tables if table.full_name not in referred), tables[-1])

    def _selected(self, last: str) -> tuple[str, list[str]]:
        plan = self._plan
        outputs: list[str] = []
        for item in self._results:
            outputs.append(self._label(item, outputs))
        values = [NamedExpression(name=label, value=self._value(item)) for label, item in zip(outputs, self._results, strict=True)]
        is_grouped = plan.group_by or any(item.value.aggregate for item in plan.selected)
        if not is_grouped:
            work = DeriveWork(input=last, columns=tuple(values), is_distinct=plan.is_distinct)
            return self._steps.add("chosen_columns", work, say("requirements.step.derive", columns=names(outputs))), outputs
        by, measures = values[: len(plan.group_by)], values[len(plan.group_by) :]
        having = [self._group_condition(item.value, item.operator, item.values) for item in plan.having]
        work = AggregateWork(input=last, by=tuple(by), measures=tuple(measures), having=_and(having) if having else None)
        shown = names(item.name for item in by)
        text = say("requirements.step.aggregate", columns=shown) if by else say("requirements.step.aggregate_all")
        return self._steps.add("grouped", work, text), outputs

    def _group_condition(self, value: Measure, operator: Operator, values: Sequence[str]) -> Expression:
        constants = tuple(typed_constant(item, "decimal") for item in values)
        return Call(function=_COMPARISONS[operator], arguments=(self._measure(value), *constants))

    def _limited(self, last: str, outputs: Sequence[str]) -> str:
        """The first rows. Equal values are ordered by the other columns, so that chance decides nothing."""
        plan = self._plan
        orders: list[Sorting] = []
        for item in plan.order_by:
            wanted = item.value or Measure(aggregate=Aggregate.COUNT)
            shown = plan.selected[item.position - 1] if item.position else next((s for s in plan.selected if s.value == wanted), None)
            if shown is None:
                raise NotRead
            orders.append(Sorting(value=ColumnOf(step=last, name=outputs[self._results.index(shown)]), descending=item.descending))
        known = [item.value for item in orders]
        orders += [Sorting(value=column) for item in outputs if (column := ColumnOf(step=last, name=item)) not in known]
        place = WindowColumn(name="place", value=Call(function=Function.ROW_NUMBER), order_by=tuple(orders))
        ranked = self._steps.add("ranked", WindowWork(input=last, columns=(place,)), say("requirements.step.rank"))
        limit = Constant(type=ValueType.INTEGER, value=str(plan.limit))
        test = Call(function=Function.LESS_EQUAL, arguments=(ColumnOf(step=ranked, name="place"), limit))
        first = self._steps.add(
            "first_rows", FilterWork(input=ranked, where=test), say("requirements.step.first", n=count(plan.limit or 0))
        )
        columns = tuple(NamedExpression(name=item, value=ColumnOf(step=first, name=item)) for item in outputs)
        return self._steps.add("result", DeriveWork(input=first, columns=columns), say("requirements.step.derive", columns=names(outputs)))


def _is_chinese(text: str) -> bool:
    return any("\u3400" <= letter <= "\u9fff" for letter in text)


def _converted(step: str, column: ColumnDetail) -> Expression:
    value = ColumnOf(step=step, name=column.name)
    return Call(function=Function.CONVERT, arguments=(value,), type=ValueType(column.holds)) if column.holds_times else value


def _and(parts: Iterable[Expression]) -> Expression:
    found = tuple(parts)
    return found[0] if len(found) == 1 else Call(function=Function.AND, arguments=found)
