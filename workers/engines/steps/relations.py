"""Each step as a relation of a query: sources are read where they are used, every other step is a common table expression."""

import re
from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from contracts.pipelines.analysis import (
    AggregateWork,
    AnalysisStep,
    CalendarWork,
    DedupWork,
    DeriveWork,
    FilterWork,
    FrameUnit,
    HistoryWork,
    IncrementWork,
    JoinSide,
    JoinWork,
    PivotWork,
    SourceWork,
    UnionWork,
    WindowColumn,
    WindowWork,
    Work,
)
from contracts.pipelines.expressions import AGGREGATES, Call, ColumnOf, Constant, Expression, Function, NamedExpression, ValueType
from contracts.tables import TableDetail
from workers.engines.steps.expressions import Expressions, column, identifier, table

PLACE = "row_place"
"""The column by which a dedup keeps the first row."""


def inputs_of(work: Work | None) -> tuple[str, ...]:
    """The steps that a step reads."""
    match work:
        case None | SourceWork():
            return ()
        case JoinWork():
            return (work.left, work.right)
        case UnionWork():
            return work.inputs
        case _:
            return (work.input,)


def spoken_names(steps: Sequence[AnalysisStep]) -> dict[str, str]:
    """What steps are called in SQL where tables have other than Latin names: `sheet2_by_sheet1` is 处方_by_医生."""
    tables = {step.id: step.work.table.rpartition(".")[2] for step in steps if isinstance(step.work, SourceWork)}
    tables = {step: table for step, table in tables.items() if not table.isascii()}
    if not tables:
        return {}
    pattern = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(sorted(tables, key=len, reverse=True))})(?![a-z0-9])")
    found = {step.id: pattern.sub(lambda item: tables[item[0]], step.id) for step in steps}
    return {step: name for step, name in found.items() if name != step and list(found.values()).count(name) == 1}


class Relations:
    """The steps of an analysis as queries in one dialect. `made` says which steps another job has left as a table,
    `spoken` what steps are called in SQL instead of their ids."""

    def __init__(
        self, steps: Sequence[AnalysisStep], tables: Sequence[TableDetail], dialect: str, made: Mapping[str, str] | None = None,
        spoken: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._steps = {step.id: step for step in steps}
        self._tables = {item.full_name: item for item in tables} | {item.name: item for item in tables}
        self._made = dict(made or {})
        self._dialect = dialect
        self._print = Expressions(dialect)
        self._spoken = dict(spoken or {})

    def columns(self, step_id: str) -> tuple[str, ...]:
        """The names of a step's output, in their order."""
        step = self._steps[step_id]
        if step.output:
            return step.output
        match step.work:
            case SourceWork(table=name):
                return tuple(item.name for item in self._tables[name].columns) if name in self._tables else ()
            case JoinWork() if step.work.columns:
                return tuple(item.name for item in step.work.columns)
            case JoinWork():
                return self.columns(step.work.left)
            case AggregateWork():
                return tuple(item.name for item in (*step.work.by, *step.work.measures))
            case DeriveWork():
                return tuple(item.name for item in step.work.columns)
            case WindowWork():
                return (*self.columns(step.work.input), *(item.name for item in step.work.columns))
            case PivotWork():
                return (*(item.name for item in step.work.by), *(item.name for item in step.work.values))
            case CalendarWork():
                return (step.work.name,)
            case UnionWork():
                return self.columns(step.work.inputs[0])
            case None:
                return ()
            case _:
                return self.columns(step.work.input)

    def query(self, last: str) -> exp.Query:
        """The query whose result is the output of a step."""
        order: list[str] = []
        self._gather(last, order)
        body = self._body(last)
        for step_id in order:
            if step_id != last:
                body = body.with_(identifier(step_id), as_=self._body(step_id), copy=False)
        for node in body.find_all(exp.Identifier):
            if node.this in self._spoken:
                node.replace(identifier(self._spoken[node.this]))
        return body

    def sql(self, last: str) -> str:
        """The same as text."""
        return self.query(last).sql(dialect=self._dialect, pretty=True, comments=False)

    def _is_table(self, step_id: str) -> bool:
        return step_id in self._made or isinstance(self._steps[step_id].work, SourceWork)

    def _gather(self, step_id: str, order: list[str]) -> None:
        if step_id in order or self._is_table(step_id):
            return
        for input_ in inputs_of(self._steps[step_id].work):
            self._gather(input_, order)
        order.append(step_id)

    def _relation(self, step_id: str) -> exp.Expr:
        """The step in FROM or JOIN, under its id."""
        if step_id in self._made:
            name = self._made[step_id]
        else:
            work = self._steps[step_id].work
            name = self._tables[work.table].full_name if isinstance(work, SourceWork) and work.table in self._tables else step_id
        found = table(name)
        return found if name == step_id else exp.alias_(found, identifier(step_id), table=True)

    def _body(self, step_id: str) -> exp.Query:
        if step_id in self._made:
            return exp.select(exp.Star()).from_(table(self._made[step_id]))
        work = self._steps[step_id].work
        match work:
            case SourceWork():
                return self._all(step_id).from_(self._relation(step_id))
            case FilterWork():
                return self._all(work.input).from_(self._relation(work.input)).where(self._print.of(work.where))
            case JoinWork():
                return self._join(work)
            case AggregateWork():
                return self._aggregate(step_id, work)
            case DeriveWork():
                query = exp.select(*self._named(work.columns)).from_(self._relation(work.input))
                return query.distinct() if work.is_distinct else query
            case WindowWork():
                return self._all(work.input).select(*(self._window(item) for item in work.columns)).from_(self._relation(work.input))
            case DedupWork():
                return self._dedup(work)
            case UnionWork():
                return self._union(work)
            case PivotWork():
                return self._pivot(work)
            case CalendarWork():
                return self._calendar(work)
            case HistoryWork() | IncrementWork():
                return self._all(work.input).from_(self._relation(work.input))
            case None:
                raise ValueError(f"Step {step_id} is known in words only.")

    def _all(self, step_id: str) -> exp.Select:
        """A query of all columns of a step, by name."""
        return exp.select(*(column(name, step_id) for name in self.columns(step_id)))

    def _named(self, columns: Sequence[NamedExpression]) -> list[exp.Expr]:
        return [self._alias(self._print.of(item.value), item.name) for item in columns]

    @staticmethod
    def _alias(value: exp.Expr, name: str) -> exp.Expr:
        return value if isinstance(value, exp.Column) and value.name == name else exp.alias_(value, identifier(name))

    def _join(self, work: JoinWork) -> exp.Select:
        on = self._print.of(work.on)
        if work.side in (JoinSide.SEMI, JoinSide.ANTI):
            inner = exp.select(exp.Literal.number(1)).from_(self._relation(work.right)).where(on)
            found: exp.Expr = exp.Exists(this=inner)
            kept = exp.Not(this=found) if work.side is JoinSide.ANTI else found
            return self._all(work.left).from_(self._relation(work.left)).where(kept)
        selected = self._named(work.columns) or [column(name, work.left) for name in self.columns(work.left)]
        query = exp.select(*selected).from_(self._relation(work.left))
        return query.join(self._relation(work.right), on=on, join_type="left" if work.side is JoinSide.LEFT else "inner")

    def _aggregate(self, step_id: str, work: AggregateWork) -> exp.Select:
        query = exp.select(*self._named((*work.by, *work.measures))).from_(self._relation(work.input))
        if work.by:
            query = query.group_by(*(self._print.of(item.value) for item in work.by))
        if work.having is not None:
            known = {item.name: item.value for item in (*work.by, *work.measures)}
            query = query.having(self._print.of(_replaced(work.having, step_id, known)))
        return query

    def _window(self, item: WindowColumn) -> exp.Expr:
        spec = None
        order = [
            exp.Ordered(this=self._print.of(each.value), desc=each.descending, nulls_first=False if each.descending else None)
            for each in item.order_by
        ]
        if item.frame is not None:
            before = "UNBOUNDED" if item.preceding is None else self._length(item)
            spec = exp.WindowSpec(
                kind="ROWS" if item.frame is FrameUnit.ROWS else "RANGE",
                start=before, start_side="PRECEDING", end="CURRENT ROW",
            )  # fmt: skip
        window = exp.Window(
            this=self._print.of(item.value),
            partition_by=[self._print.of(each) for each in item.partition_by],
            order=exp.Order(expressions=order) if order else None,
            spec=spec,
        )
        return exp.alias_(window, identifier(item.name))

    @staticmethod
    def _length(item: WindowColumn) -> exp.Expr:
        number = exp.Literal.number(item.preceding or 0)
        return number if item.frame is FrameUnit.ROWS else exp.Interval(this=exp.Literal.string(str(item.preceding)), unit=exp.var("DAY"))

    def _dedup(self, work: DedupWork) -> exp.Select:
        first = Call(function=Function.ROW_NUMBER)
        place = WindowColumn(name=PLACE, value=first, partition_by=work.key, order_by=work.order_by)
        inner = self._all(work.input).select(self._window(place)).from_(self._relation(work.input))
        name = f"{work.input}_ranked"
        outer = exp.select(*(column(item, name) for item in self.columns(work.input)))
        return outer.from_(inner.subquery(identifier(name))).where(exp.EQ(this=column(PLACE, name), expression=exp.Literal.number(1)))

    def _union(self, work: UnionWork) -> exp.Query:
        names = self.columns(work.inputs[0])
        parts = [exp.select(*(column(name, step) for name in names)).from_(self._relation(step)) for step in work.inputs]
        found: exp.Query = parts[0]
        for part in parts[1:]:
            found = exp.Union(this=found, expression=part, distinct=work.is_distinct)
        return found

    def _pivot(self, work: PivotWork) -> exp.Select:
        query = exp.select(*self._named(work.by)).from_(self._relation(work.input))
        for item in work.values:
            test = Call(function=Function.EQUAL, arguments=(work.column, Constant(type=ValueType.TEXT, value=item.value)))
            value = self._print.of(_only_where(work.measure, test))
            if work.empty_as_zero:
                value = exp.Coalesce(this=value, expressions=[exp.Literal.number(0)])
            query = query.select(exp.alias_(value, identifier(item.name)))
        return query.group_by(*(self._print.of(item.value) for item in work.by)) if work.by else query

    def _calendar(self, work: CalendarWork) -> exp.Query:
        """Days as rows. Every dialect has a form of its own for it; sqlglot prints GENERATE_DATE_ARRAY in each."""
        bounds = exp.select(exp.alias_(self._print.of(work.start), "first_day"), exp.alias_(self._print.of(work.end), "last_day"))
        if not (isinstance(work.start, Constant) and isinstance(work.end, Constant)):
            bounds = bounds.from_(self._relation(work.input))  # an aggregate is one row; constants would be one for each row of the input
        if self._dialect in _LISTS:
            return _LISTS[self._dialect](bounds, work.name)
        step = exp.Interval(this=exp.Literal.string("1"), unit=exp.var("DAY"))
        series = exp.GenerateDateArray(start=column("first_day", "bounds"), end=column("last_day", "bounds"), step=step)
        day = exp.alias_(exp.Cast(this=exp.Unnest(expressions=[series]), to=exp.DataType.build("date")), identifier(work.name))
        return exp.select(day).from_(bounds.subquery("bounds"))


def _counted_days(bounds: exp.Select, name: str) -> exp.Query:
    """Days one after the other, for SQLite, which has no function that lists them; its days are texts that sort as days do."""

    def day_of(value: exp.Expr, *more: str) -> exp.Expr:
        return exp.Anonymous(this="DATE", expressions=[value, *map(exp.Literal.string, more)])

    first, last = column("first_day", "bounds"), column("last_day", "bounds")
    start = exp.select(exp.alias_(day_of(first), "a_day"), exp.alias_(day_of(last), "last_day")).from_(bounds.subquery("bounds"))
    start = start.where(exp.LTE(this=day_of(first.copy()), expression=day_of(last.copy())))
    this = column("a_day", "days")
    following = exp.select(day_of(this, "+1 day"), column("last_day", "days")).from_("days")
    following = following.where(exp.LT(this=this.copy(), expression=column("last_day", "days")))
    both = exp.union(start, following, distinct=False)
    counted = exp.select(exp.alias_(this.copy(), identifier(name))).from_("days")
    return counted.with_("days(a_day, last_day)", as_=both, recursive=True)


def _numbered_days(bounds: exp.Select, name: str) -> exp.Query:
    """Days by their number after the first, for MySQL and MariaDB, which end a recursion after 1,000 steps, MariaDB in silence."""
    ten = exp.union(*(exp.select(exp.alias_(exp.Literal.number(digit), "n")) for digit in range(10)), distinct=False)
    number: exp.Expr = column("n", "d0")
    for place in range(1, _DIGITS):
        number = exp.Add(this=number, expression=exp.Mul(this=exp.Literal.number(10**place), expression=column("n", f"d{place}")))
    first, last = (exp.Cast(this=column(day, "bounds"), to=exp.DataType.build("date")) for day in ("first_day", "last_day"))
    day = exp.DateAdd(this=first, expression=exp.Paren(this=number), unit=exp.var("DAY"))
    found = exp.select(exp.alias_(exp.Cast(this=day, to=exp.DataType.build("date")), identifier(name))).from_(bounds.subquery("bounds"))
    for place in range(_DIGITS):
        found = found.join(exp.alias_(exp.to_table("digits_of_days"), f"d{place}", table=True), join_type="cross")
    counted = exp.DateDiff(this=last.copy(), expression=first.copy(), unit=exp.var("DAY"))
    return found.where(exp.LTE(this=number.copy(), expression=counted)).with_("digits_of_days", as_=ten)


_DIGITS = 5
"""Digits of the largest number of a day: 273 years."""
_LISTS: Mapping[str, Callable[[exp.Select, str], exp.Query]] = {"sqlite": _counted_days, "mysql": _numbered_days}
"""How days are listed where the dialect has no function for it."""


def _only_where(measure: Expression, test: Expression) -> Expression:
    """An aggregate of only the rows for which the test holds."""
    if isinstance(measure, Call) and measure.function in AGGREGATES:
        inner = measure.arguments[0] if measure.arguments else Constant(type=ValueType.INTEGER, value="1")
        return measure.model_copy(update={"arguments": (Call(function=Function.CASE, arguments=(test, inner)),)})
    if isinstance(measure, Call):
        return measure.model_copy(update={"arguments": tuple(_only_where(item, test) for item in measure.arguments)})
    return measure


def _replaced(value: Expression, step_id: str, known: Mapping[str, Expression]) -> Expression:
    """The expression with the columns of a step's own output written out: HAVING knows no names of the result in some dialects."""
    if isinstance(value, ColumnOf) and value.step == step_id and value.name in known:
        return known[value.name]
    if isinstance(value, Call):
        return value.model_copy(update={"arguments": tuple(_replaced(item, step_id, known) for item in value.arguments)})
    return value
