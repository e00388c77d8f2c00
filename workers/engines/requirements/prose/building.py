"""The steps of a draft: rows are joined to what they refer to, filtered, aggregated for each table by itself, and put together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from contracts.pipelines.analysis import (
    AggregateWork,
    CalendarWork,
    DedupWork,
    DeriveWork,
    EtlTarget,
    FilterWork,
    JoinSide,
    JoinWork,
    SourceWork,
    TargetColumn,
    UnionWork,
    WindowColumn,
    WindowWork,
)
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, NamedExpression, Sorting, ValueType, columns_in
from contracts.sql_review import WriteMode
from contracts.statements import count, name, names, say
from contracts.tables import JoinEvidence, TableDetail
from workers.engines.requirements.facts import NotRead, RequirementReading, Steps, filter_text
from workers.engines.requirements.naming import free_name
from workers.engines.requirements.prose.draft import RESULT, Draft, Measure, Previous, Rows, Share, Window
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.scope import Place, Scope

SURE = 0.95
_ZERO = Constant(type=ValueType.INTEGER, value="0")
_TRUE = Constant(type=ValueType.BOOLEAN, value="true")
_Places = dict[ColumnOf, ColumnOf]


@dataclass
class Made:
    """Rows as a step has them, and where each column of the scope is in it."""

    step: str
    places: _Places

    def of(self, value: Expression) -> Expression:
        """The expression over the step's output."""
        if isinstance(value, ColumnOf):
            return self.places[value]
        if isinstance(value, Call):
            return value.model_copy(update={"arguments": tuple(self.of(item) for item in value.arguments)})
        return value


class Builder:
    """Makes the steps of one draft."""

    def __init__(self, draft: Draft, phrases: Phrases) -> None:
        self._draft, self._phrases = draft, phrases
        self._steps = Steps()
        self._sources: dict[str, str] = {}
        self._tables: list[str] = []

    def make(self) -> RequirementReading:
        """The reading. Raises `NotRead` where the parts do not fit each other."""
        draft = self._draft
        if draft.entity is not None:
            at = self._of_entity(draft.entity)
        elif draft.is_grouped:
            at = self._grouped()
        else:
            at = self._rows_alone()
        if draft.spine is not None:
            at = self._spined(at)
        at = self._with_later(at)
        if draft.top is not None:
            at = self._first(at)
        missing = [label for label in draft.order if label not in self._labels]
        if missing:
            raise NotRead(*missing)
        if self._labels != draft.order or draft.is_distinct:
            at = self._derive(
                "result", at, [(label, ColumnOf(step=at, name=label)) for label in draft.order], is_distinct=draft.is_distinct
            )
        return self._reading()

    # ---- rows

    def _source(self, table: TableDetail) -> str:
        """The step that reads a table, or that puts its parts together."""
        if table.full_name not in self._sources:
            if self._draft.parts and self._draft.base is not None and table.full_name == self._draft.base.base.full_name:
                self._sources[table.full_name] = self._union(table)
            else:
                self._sources[table.full_name] = self._read(table)
        return self._sources[table.full_name]

    def _read(self, table: TableDetail) -> str:
        self._tables.append(table.full_name)
        text = say("requirements.step.source", table=name(table.full_name))
        return self._steps.add(table.name, SourceWork(table=table.full_name), text, tables=(table.full_name,))

    def _union(self, table: TableDetail) -> str:
        inputs: list[str] = []
        for part in self._draft.parts:
            source = self._read(part)
            columns = [(column.name, ColumnOf(step=source, name=column.name)) for column in table.columns]
            inputs.append(self._derive(f"{part.name}_rows", source, columns))
        work = UnionWork(inputs=tuple(inputs), is_distinct=False)
        return self._steps.add(table.name, work, say("requirements.step.union", tables=names(part.full_name for part in self._draft.parts)))

    def _rows(self, rows: Rows, needed: Iterable[ColumnOf], *, keep: bool = False) -> Made:
        """The rows with all columns that are needed of them. `keep`: those that refer to nothing stay."""
        scope = self._phrases.scope(rows.table)
        tests = [value for condition in rows.where for value in columns_in(condition)]
        links = [
            ColumnOf(step=scope.base.name, name=right) for related in rows.related for _, right in self._link(related.rows, rows.table)
        ]
        wanted = list(dict.fromkeys([*needed, *tests, *links]))
        strict = {value.step for value in tests} if keep else {value.step for value in wanted}
        made = self._joined(scope, wanted, strict)
        for related in rows.related:
            made = self._related(made, related.rows, scope, exists=related.exists)
        if rows.where:
            where = _all([made.of(condition) for condition in rows.where])
            step = self._steps.add(f"{rows.table.name}_kept", FilterWork(input=made.step, where=where), filter_text(rows.table.name, where))
            made = Made(step, {place: ColumnOf(step=step, name=value.name) for place, value in made.places.items()})
        return made

    def _link(self, rows: Rows, parent: TableDetail) -> tuple[tuple[str, str], ...]:
        link = self._phrases.link(rows.table, parent)
        if link is None:
            raise NotRead(rows.table.name)
        return link

    def _joined(self, scope: Scope, wanted: Sequence[ColumnOf], strict: set[str]) -> Made:
        """The base joined to the tables behind its references that are spoken of, and to those on the way."""
        base = scope.base.name
        source = self._source(scope.base)
        used: dict[str, Place] = {}
        for value in wanted:
            alias = value.step
            while alias != base:
                used[alias] = scope.places[alias]
                alias = alias.rpartition(">")[0]
        made = Made(source, {value: ColumnOf(step=source, name=value.name) for value in wanted if value.step == base})
        for place in used.values():
            if place.path and place.alias.rpartition(">")[0] == base:
                for column in place.path[-1].columns:
                    self._need(made, ColumnOf(step=base, name=column), scope)
        as_of = self._draft.as_of
        for place in sorted(used.values(), key=lambda item: len(item.path)):
            if as_of is not None and place.alias.endswith(">as_of"):
                continue
            made = self._join_up(
                made,
                place,
                wanted,
                used,
                scope,
                is_strict=any(alias == place.alias or alias.startswith(f"{place.alias}>") for alias in strict),
            )
        if as_of is not None and any(value.step.endswith(">as_of") for value in wanted):
            made = self._join_as_of(made, wanted)
        return made

    def _join_up(
        self, made: Made, place: Place, wanted: Sequence[ColumnOf], used: Mapping[str, Place], scope: Scope, *, is_strict: bool
    ) -> Made:
        key, parent = place.path[-1], place.alias.rpartition(">")[0]
        right = self._source(place.table)
        for column in key.columns:
            self._need(made, ColumnOf(step=parent, name=column), scope)
        pairs = [
            Call(function=Function.EQUAL, arguments=(made.places[ColumnOf(step=parent, name=left)], ColumnOf(step=right, name=other)))
            for left, other in zip(key.columns, key.references, strict=True)
        ]
        own = [value for value in wanted if value.step == place.alias]
        own += [
            ColumnOf(step=place.alias, name=column)
            for alias, other in used.items()
            if alias.rpartition(">")[0] == place.alias
            for column in other.path[-1].columns
        ]
        columns, places = self._kept(made, {value: ColumnOf(step=right, name=value.name) for value in own}, place.table.name)
        side = JoinSide.INNER if is_strict else JoinSide.LEFT
        declared = key in place.table.foreign_keys or key in scope.places[parent].table.foreign_keys
        evidence = JoinEvidence.DECLARED if declared else JoinEvidence.NAMES
        work = JoinWork(left=made.step, right=right, side=side, on=_all(pairs), columns=columns, evidence=evidence)
        text = say("requirements.step.join", left=name(made.step), right=name(place.table.name), columns=names(key.columns))
        step = self._steps.add(f"with_{place.table.name}", work, text)
        return Made(step, {value: ColumnOf(step=step, name=item) for value, item in places.items()})

    def _need(self, made: Made, value: ColumnOf, scope: Scope) -> None:
        """A column by which the next table is joined. As long as the base alone has been read it is taken from there."""
        if value in made.places:
            return
        if made.step != self._sources.get(scope.base.full_name):
            raise NotRead(value.name)
        made.places[value] = ColumnOf(step=made.step, name=value.name)

    @staticmethod
    def _kept(made: Made, further: Mapping[ColumnOf, ColumnOf], table: str) -> tuple[tuple[NamedExpression, ...], dict[ColumnOf, str]]:
        """Columns of a join, each with a name of its own."""
        columns: list[NamedExpression] = []
        places: dict[ColumnOf, str] = {}
        for place, value in {**made.places, **further}.items():
            taken = {item.name for item in columns}
            label = value.name if value.name not in taken else free_name(f"{table}_{value.name}", taken)
            columns.append(NamedExpression(name=label, value=value))
            places[place] = label
        return tuple(columns), places

    def _related(self, made: Made, rows: Rows, scope: Scope, *, exists: bool) -> Made:
        link = self._link(rows, scope.base)
        child = self._phrases.scope(rows.table)
        other = self._rows(rows, [ColumnOf(step=child.base.name, name=left) for left, _ in link])
        pairs = [(ColumnOf(step=child.base.name, name=left), ColumnOf(step=scope.base.name, name=right)) for left, right in link]
        on = _all([Call(function=Function.EQUAL, arguments=(other.places[left], made.places[right])) for left, right in pairs])
        table = name(rows.table.full_name)
        text = say("requirements.step.semi", table=table) if exists else say("requirements.step.anti", table=table)
        side = JoinSide.SEMI if exists else JoinSide.ANTI
        work = JoinWork(left=made.step, right=other.step, side=side, on=on)
        step = self._steps.add(f"{scope.base.name}_{'with' if exists else 'without'}_{rows.table.name}", work, text)
        return Made(step, {place: ColumnOf(step=step, name=value.name) for place, value in made.places.items()})

    def _join_as_of(self, made: Made, wanted: Sequence[ColumnOf]) -> Made:
        """Each row of the other table holds until the next one of the same key; null behind the last."""
        as_of = self._draft.as_of
        if as_of is None:
            return made
        right = self._source(as_of.table)
        since = ColumnOf(step=right, name=as_of.since)
        keys = tuple(ColumnOf(step=right, name=column) for _, column in as_of.keys)
        others = [ColumnOf(step=right, name=column.name) for column in self._phrases.schema.by_name[as_of.table.full_name].columns]
        others = [column for column in others if column not in (*keys, since)]
        until = WindowColumn(
            name="next_start",
            value=Call(function=Function.LEAD, arguments=(since,)),
            partition_by=keys,
            order_by=(Sorting(value=since), *(Sorting(value=column) for column in others)),
        )
        periods = self._steps.add(
            f"{as_of.table.name}_periods",
            WindowWork(input=right, columns=(until,)),
            say("requirements.step.periods", table=name(as_of.table.full_name)),
        )
        moment = made.places[as_of.moment]
        start, end = ColumnOf(step=periods, name=as_of.since), ColumnOf(step=periods, name="next_start")
        tests = [
            Call(function=Function.EQUAL, arguments=(made.places[left], ColumnOf(step=periods, name=column))) for left, column in as_of.keys
        ]
        tests.append(Call(function=Function.LESS_EQUAL, arguments=(start, moment)))
        open_ = Call(
            function=Function.OR,
            arguments=(Call(function=Function.IS_NULL, arguments=(end,)), Call(function=Function.LESS, arguments=(moment, end))),
        )
        own = {value: ColumnOf(step=periods, name=value.name) for value in wanted if value.step.endswith(">as_of")}
        columns, places = self._kept(made, own, as_of.table.name)
        work = JoinWork(
            left=made.step, right=periods, side=JoinSide.LEFT, on=_all([*tests, open_]), columns=columns, evidence=JoinEvidence.NAMES
        )
        text = say("requirements.step.as_of", table=name(as_of.table.full_name), column=name(as_of.since))
        step = self._steps.add(f"with_{as_of.table.name}", work, text)
        return Made(step, {value: ColumnOf(step=step, name=item) for value, item in places.items()})

    # ---- the forms

    def _rows_alone(self) -> str:
        draft = self._draft
        if draft.rows is None or draft.base is None:
            raise NotRead
        needed = [column for value in draft.keys.values() for column in columns_in(value)]
        if draft.as_of is not None:
            needed += [draft.as_of.moment, *(left for left, _ in draft.as_of.keys)]
        if draft.latest is not None:
            needed += [*draft.latest.key, *(column for column, _ in draft.latest.order)]
        made = self._rows(self._narrowed(draft.rows), needed, keep=True)
        if draft.latest is not None:
            key = tuple(made.places[column] for column in draft.latest.key)
            order = tuple(Sorting(value=made.places[column], descending=down) for column, down in draft.latest.order)
            text = say(
                "requirements.step.dedup",
                key=names(column.name for column in draft.latest.key),
                columns=names(column.name for column, _ in draft.latest.order),
            )
            known = [item.value for item in order]
            order += tuple(Sorting(value=value) for value in made.places.values() if value not in (*known, *key))
            step = self._steps.add("last_state", DedupWork(input=made.step, key=key, order_by=order), text)
            made = Made(step, {place: ColumnOf(step=step, name=value.name) for place, value in made.places.items()})
        return self._derive("chosen", made.step, [(label, made.of(value)) for label, value in draft.keys.items()])

    def _grouped(self) -> str:
        draft = self._draft
        if draft.base is None:
            raise NotRead
        base = draft.base.base
        values = [*draft.keys.values(), *(item for measure in draft.measures.values() for item in _inside(measure))]
        every = [measure.rows for measure in draft.measures.values()]
        shared = self._shared(every)
        rows = self._narrowed(
            Rows(base, (*(draft.rows.where if draft.rows else ()), *shared.where), draft.rows.related if draft.rows else ())
        )
        made = self._rows(rows, [column for value in values for column in columns_in(value)], keep=False)
        by = [NamedExpression(name=label, value=made.of(value)) for label, value in draft.keys.items()]
        measures = [
            NamedExpression(name=label, value=self._aggregate(replace(measure, rows=_less(measure.rows, shared.where)), made))
            for label, measure in draft.measures.items()
        ]
        if not measures:
            return self._derive("groups", made.step, [(item.name, item.value) for item in by], is_distinct=True)
        step = self._steps.add(
            "grouped",
            AggregateWork(input=made.step, by=tuple(by), measures=tuple(measures)),
            say("requirements.step.aggregate", columns=names(draft.keys)) if by else say("requirements.step.aggregate_all"),
        )
        return self._note(step, [*draft.keys, *draft.measures])

    @staticmethod
    def _shared(every: Sequence[Rows]) -> Rows:
        """The conditions that all measures have: rows for which they do not hold make no group."""
        first = every[0].where if every else ()
        return (
            Rows(every[0].table, tuple(item for item in first if all(item in rows.where for rows in every)))
            if every
            else Rows(TableDetail(name="", columns=()))
        )

    def _narrowed(self, rows: Rows) -> Rows:
        """With what the requirement says of all rows of the table."""
        where = list(rows.where)
        for kept in self._draft.kept:
            if kept.table == rows.table:
                where.extend(item for item in kept.where if item not in where)
        for excluded in self._draft.excluded:
            if excluded.table == rows.table and excluded.where:
                where.append(_but_not(_all(list(excluded.where))))
        return replace(rows, where=tuple(where))

    def _aggregate(self, measure: Measure, made: Made) -> Expression:
        value = made.of(measure.value) if measure.value is not None else None
        if measure.rows.where:
            test = _all([made.of(condition) for condition in measure.rows.where])
            value = Call(
                function=Function.CASE, arguments=(test, value if value is not None else Constant(type=ValueType.INTEGER, value="1"))
            )
        return Call(function=measure.function, arguments=() if value is None else (value,))

    def _of_entity(self, entity: TableDetail) -> str:
        draft = self._draft
        key = [ColumnOf(step=entity.name, name=column) for column in entity.primary_key]
        if draft.measures and not key:
            raise NotRead(entity.name)
        needed = [*key, *(column for value in draft.keys.values() for column in columns_in(value))]
        rows = self._narrowed(draft.rows or Rows(entity))
        for label in draft.top.groups if draft.top is not None else ():  # what is in no group is in no group's first
            rows = replace(rows, where=(*rows.where, Call(function=Function.NOT_NULL, arguments=(draft.keys[label],))))
        own = self._rows(rows, needed, keep=True)
        tables = list(dict.fromkeys(measure.rows.table.full_name for measure in draft.measures.values()))
        at, places = own.step, own.places
        values: dict[str, Expression] = {}
        for number, table in enumerate(tables):
            here = {label: measure for label, measure in draft.measures.items() if measure.rows.table.full_name == table}
            branch = self._branch(entity, here)
            on = _all(
                [
                    Call(function=Function.EQUAL, arguments=(places[column], ColumnOf(step=branch, name=_key_name(column.name))))
                    for column in key
                ]
            )
            columns, kept = self._kept(Made(at, places), {}, entity.name)
            further = [NamedExpression(name=label, value=value) for label, value in values.items()]
            brought = [
                NamedExpression(
                    name=f"{label}_value" if label in kept.values() else label,
                    value=self._or_zero(ColumnOf(step=branch, name=label), measure),
                )
                for label, measure in here.items()
            ]
            side = JoinSide.INNER if draft.only_with_rows and number == 0 else JoinSide.LEFT
            work = JoinWork(left=at, right=branch, side=side, on=on, columns=(*columns, *further, *brought), evidence=JoinEvidence.DECLARED)
            text = say("requirements.step.join", left=name(entity.name), right=name(branch), columns=names(entity.primary_key))
            at = self._steps.add(f"{entity.name}_with_{self._phrases.schema.by_name[table].name}", work, text)
            places = {place: ColumnOf(step=at, name=item) for place, item in kept.items()}
            values = {label: ColumnOf(step=at, name=label) for label in values}
            values |= {label: ColumnOf(step=at, name=item.name) for label, item in zip(here, brought, strict=True)}
        made = Made(at, places)
        chosen = {label: made.of(value) for label, value in draft.keys.items()} | values
        labels = [label for label in draft.order if label in chosen] + [label for label in chosen if label not in draft.order]
        return self._derive("facts", at, [(label, chosen[label]) for label in labels])

    def _or_zero(self, value: Expression, measure: Measure) -> Expression:
        is_count = measure.function in (Function.COUNT, Function.COUNT_DISTINCT)
        zeros = self._draft.zeros and measure.function is Function.SUM
        return Call(function=Function.COALESCE, arguments=(value, _ZERO)) if is_count or measure.is_zero or zeros else value

    def _branch(self, entity: TableDetail, measures: Mapping[str, Measure]) -> str:
        """The measures of one table, one row for each of the entity."""
        table = next(iter(measures.values())).rows.table
        scope = self._phrases.scope(table)
        places = scope.place_of(entity)
        if len(places) != 1 or not places[0].path:
            raise NotRead(table.name)
        parent, path = places[0].alias.rpartition(">")[0], places[0].path[-1]
        if path.references != entity.primary_key:
            raise NotRead(table.name)
        keys = [ColumnOf(step=parent, name=column) for column in path.columns]
        shared = self._shared([measure.rows for measure in measures.values()])
        same = {tuple(measure.rows.related) for measure in measures.values()}
        if len(same) != 1:
            raise NotRead(table.name)
        rows = self._narrowed(Rows(table, shared.where, next(iter(same))))
        needed = [*keys, *(column for measure in measures.values() for item in _inside(measure) for column in columns_in(item))]
        made = self._rows(rows, needed)
        by = tuple(
            NamedExpression(name=_key_name(column), value=made.places[key]) for column, key in zip(entity.primary_key, keys, strict=True)
        )
        values = tuple(
            NamedExpression(name=label, value=self._aggregate(replace(measure, rows=_less(measure.rows, shared.where)), made))
            for label, measure in measures.items()
        )
        return self._steps.add(
            f"{table.name}_by_{entity.name}",
            AggregateWork(input=made.step, by=by, measures=values),
            say("requirements.step.aggregate", columns=names(entity.primary_key)),
        )

    # ---- what is computed from the target's own columns

    def _note(self, step: str, labels: Sequence[str]) -> str:
        self._labels = list(labels)
        return step

    def _derive(self, wanted: str, at: str, columns: Sequence[tuple[str, Expression]], *, is_distinct: bool = False) -> str:
        work = DeriveWork(
            input=at, columns=tuple(NamedExpression(name=label, value=value) for label, value in columns), is_distinct=is_distinct
        )
        step = self._steps.add(wanted, work, say("requirements.step.derive", columns=names(label for label, _ in columns)))
        return self._note(step, [label for label, _ in columns])

    def _with_later(self, at: str) -> str:
        for label, later in self._draft.later.items():
            if isinstance(later, Window | Share):
                at = self._windowed(at, label, later)
            elif isinstance(later, Previous):
                at = self._with_previous(at, label, later)
            else:
                columns = [(item, ColumnOf(step=at, name=item)) for item in self._labels]
                at = self._derive(f"with_{label}", at, [*columns, (label, _over(later, at))])
        return at

    def _windowed(self, at: str, label: str, later: Window | Share) -> str:
        if isinstance(later, Window):
            column = later.column
            made = column.model_copy(update={
                "name": label, "value": _over(column.value, at), "partition_by": tuple(_over(item, at) for item in column.partition_by),
                "order_by": tuple(item.model_copy(update={"value": _over(item.value, at)}) for item in column.order_by),
            })  # fmt: skip
            step = self._steps.add(
                f"with_{label}", WindowWork(input=at, columns=(made,)), say("requirements.step.window", column=name(label))
            )
            return self._note(step, [*self._labels, label])
        total = f"{label}_total"
        value = Call(function=Function.SUM, arguments=(ColumnOf(step=at, name=later.of),))
        column = WindowColumn(name=total, value=value, partition_by=tuple(ColumnOf(step=at, name=item) for item in later.by))
        step = self._steps.add(
            f"with_{total}", WindowWork(input=at, columns=(column,)), say("requirements.step.window", column=name(total))
        )
        columns = [(item, ColumnOf(step=step, name=item)) for item in self._labels]
        ratio = Call(function=Function.OVER, arguments=(ColumnOf(step=step, name=later.of), ColumnOf(step=step, name=total)))
        return self._derive(f"with_{label}", step, [*columns, (label, ratio)])

    def _with_previous(self, at: str, label: str, later: Previous) -> str:
        """The row of the period before, by its date: a period without rows is no period before."""
        draft = self._draft
        time = next(item for item in draft.keys if item in draft.units)
        others = [item for item in draft.keys if item != time]
        next_ = Call(
            function=Function.ADD_TIME,
            arguments=(ColumnOf(step=at, name=time), Constant(type=ValueType.INTEGER, value="1")),
            unit=draft.units[time],
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
        on = _all(
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
        step = self._steps.add(f"with_{label}", work, say("requirements.step.previous", column=name(later.of)))
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
        on = _all(
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

    # ---- the target

    def _reading(self) -> RequirementReading:
        draft = self._draft
        key = self._key()
        columns = tuple(
            TargetColumn(name=label, description=draft.descriptions.get(label, ""), nullable=self._nullable(label, key))
            for label in draft.order
        )
        keeps = (
            draft.entity.full_name
            if draft.entity is not None and not draft.only_with_rows and not draft.top and not self._is_narrowed()
            else ""
        )
        says = [say("requirements.says.columns", table=name(draft.table), columns=names(draft.order))]
        if draft.entity is not None:
            says = [say("requirements.says.row_of", table=name(draft.entity.full_name))] + (
                [say("requirements.says.keeps_all", table=name(draft.entity.full_name))] if keeps else []
            )
        target = EtlTarget(table=draft.table, mode=WriteMode.OVERWRITE, columns=columns, key=key, keeps_all=keeps, description=says[0])
        return RequirementReading(
            steps=tuple(self._steps.made), target=target, tables=tuple(dict.fromkeys(self._tables)), says=tuple(says),
            assumptions=tuple(draft.assumptions), confidence=SURE,
        )  # fmt: skip

    def _nullable(self, label: str, key: Sequence[str]) -> bool | None:
        """Whether a column may be null: one that rows are grouped by is where its source is."""
        if label not in key:
            return None
        value, base = self._draft.keys.get(label), self._draft.base
        if not self._draft.is_grouped or value is None or base is None or self._draft.spine is not None:
            return False
        details = [base.detail(column) for column in columns_in(value)]
        return any(detail.nullable is not False and detail.nulls != 0 for detail in details)

    def _is_narrowed(self) -> bool:
        draft = self._draft
        rows = self._narrowed(draft.rows or Rows(draft.entity)) if draft.entity is not None else None
        return rows is not None and bool(rows.where or rows.related)

    def _key(self) -> tuple[str, ...]:
        draft = self._draft
        if draft.top is not None and draft.top.place and not draft.top.all_equal:
            wanted = (*draft.top.groups, draft.top.place)
            return wanted if all(item in draft.order for item in wanted) else ()
        if draft.latest is not None:
            shown = {value: label for label, value in draft.keys.items()}
            return tuple(shown[column] for column in draft.latest.key) if all(column in shown for column in draft.latest.key) else ()
        if draft.is_grouped:
            own = self._own_keys()
            return tuple(own) if all(item in draft.order for item in own) else ()
        table = draft.entity or (draft.base.base if draft.base is not None and not draft.parts else None)
        if table is None or draft.is_distinct:
            return ()
        shown = {value: label for label, value in draft.keys.items()}
        wanted = [ColumnOf(step=table.name, name=column) for column in table.primary_key]
        return tuple(shown[column] for column in wanted) if wanted and all(column in shown for column in wanted) else ()

    def _own_keys(self) -> list[str]:
        """Of the columns that rows are grouped by, those that do not follow from others."""
        draft = self._draft
        if draft.base is None:
            return list(draft.keys)
        places = {value: label for label, value in draft.keys.items() if isinstance(value, ColumnOf)}
        left_out: set[str] = set()
        for place in draft.base.places.values():
            key = [ColumnOf(step=place.alias, name=column) for column in place.table.primary_key]
            if key and all(column in places for column in key):
                left_out |= {label for value, label in places.items() if value.step == place.alias and value not in key}
        return [label for label in draft.keys if label not in left_out]


def _inside(measure: Measure) -> list[Expression]:
    return [*([measure.value] if measure.value is not None else []), *measure.rows.where]


def _less(rows: Rows, shared: Sequence[Expression]) -> Rows:
    return replace(rows, where=tuple(item for item in rows.where if item not in shared))


def _key_name(column: str) -> str:
    return f"key_{column}"


def _all(parts: Sequence[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Call(function=Function.AND, arguments=tuple(parts))


def _but_not(test: Expression) -> Expression:
    """Rows for which the test does not hold, or is unknown."""
    unknown = [Call(function=Function.IS_NULL, arguments=(column,)) for column in dict.fromkeys(columns_in(test))]
    return Call(function=Function.OR, arguments=(Call(function=Function.NOT, arguments=(test,)), *unknown))


def _over(value: Expression, step: str) -> Expression:
    """An expression over the target's columns as they are in a step."""
    if isinstance(value, ColumnOf):
        return ColumnOf(step=step, name=value.name) if value.step == RESULT else value
    if isinstance(value, Call):
        return value.model_copy(update={"arguments": tuple(_over(item, step) for item in value.arguments)})
    return value
