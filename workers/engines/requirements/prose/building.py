"""The steps of a draft: rows are joined to what they refer to, filtered, aggregated for each table by itself, and put together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from contracts.pipelines.analysis import (
    AggregateWork,
    DedupWork,
    EtlTarget,
    FilterWork,
    JoinSide,
    JoinWork,
    TargetColumn,
)
from contracts.pipelines.expressions import Call, ColumnOf, Constant, Expression, Function, NamedExpression, Sorting, ValueType, columns_in
from contracts.sql_review import WriteMode
from contracts.statements import Sayable, Statement, count, name, names, say
from contracts.tables import JoinEvidence, TableDetail
from workers.engines.requirements.facts import NotRead, RequirementReading, filter_text, may_be_null
from workers.engines.requirements.prose.draft import BY_PARTS, Measure, Rows
from workers.engines.requirements.prose.joining import Made, all_of, but_not
from workers.engines.requirements.prose.net_prices import notes_of
from workers.engines.requirements.prose.result_steps import ZERO, ResultSteps, over_result
from workers.engines.requirements.prose.scope import Scope

SURE = 0.95


class Builder(ResultSteps):
    """Makes the steps of one draft."""

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
        if draft.having:
            where = all_of([over_result(test, at) for test in draft.having])
            at = self._note(
                self._steps.add("chosen_groups", FilterWork(input=at, where=where), filter_text(draft.table, where)), self._labels
            )
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
            needed += [column for test in draft.of_latest for column in columns_in(test)]
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
            if draft.of_latest:
                where = all_of([made.of(test) for test in draft.of_latest])
                step = self._steps.add("last_kept", FilterWork(input=made.step, where=where), filter_text("last_state", where))
                made = Made(step, {place: ColumnOf(step=step, name=value.name) for place, value in made.places.items()})
        return self._derive("chosen", made.step, [(label, made.of(value)) for label, value in draft.keys.items()])

    def _grouped(self) -> str:
        draft = self._draft
        if draft.base is None:
            raise NotRead
        base = draft.base.base
        own = {label: measure for label, measure in draft.measures.items() if measure.rows.table == base}
        if any(measure.rows.related for measure in own.values()):  # which rows of a group have partners is not known here
            raise NotRead(*own)
        key = [ColumnOf(step=base.name, name=column) for column in base.primary_key] if len(own) < len(draft.measures) else []
        values = [*draft.keys.values(), *(item for measure in own.values() for item in _inside(measure)), *key]
        every = [measure.rows for measure in own.values()] if len(own) == len(draft.measures) else []
        shared = self._shared(every)
        if shared.where and draft.keys:
            draft.assumptions.append(say("requirements.assume.groups_with_rows"))
        rows = self._narrowed(
            Rows(base, (*(draft.rows.where if draft.rows else ()), *shared.where), draft.rows.related if draft.rows else ())
        )
        named = [column for value in draft.keys.values() for column in columns_in(value)]
        made = self._rows(rows, [column for value in values for column in columns_in(value)], named=named)
        made, parts = self._with_parts(base, made, key)
        by = [NamedExpression(name=label, value=made.of(value)) for label, value in draft.keys.items()]
        measures = [
            NamedExpression(
                name=label,
                value=self._of_parts(measure, made.of(parts[label]))
                if label in parts
                else self._own(measure, self._aggregate(replace(measure, rows=_less(measure.rows, shared.where)), made)),
            )
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
    def _own(measure: Measure, value: Expression) -> Expression:
        """0 in a group without such rows, where the requirement says so; a count is 0 by itself."""
        is_count = measure.function in (Function.COUNT, Function.COUNT_DISTINCT)
        return Call(function=Function.COALESCE, arguments=(value, ZERO)) if measure.is_zero and not is_count else value

    def _with_parts(self, base: TableDetail, made: Made, key: Sequence[ColumnOf]) -> tuple[Made, dict[str, ColumnOf]]:
        """The rows with the aggregates of what refers to them, worked out for each row so that no join repeats one; and their places."""
        others = {label: measure for label, measure in self._draft.measures.items() if measure.rows.table != base}
        places: dict[str, ColumnOf] = {}
        for table in dict.fromkeys(measure.rows.table.full_name for measure in others.values()):
            here = {label: measure for label, measure in others.items() if measure.rows.table.full_name == table}
            branch = self._branch(base, here)
            on = all_of(
                [
                    Call(function=Function.EQUAL, arguments=(made.places[column], ColumnOf(step=branch, name=_key_name(column.name, here))))
                    for column in key
                ]
            )
            own = {ColumnOf(step=branch, name=label): ColumnOf(step=branch, name=label) for label in here}
            columns, kept = self._kept(made, own, table)
            work = JoinWork(left=made.step, right=branch, side=JoinSide.LEFT, on=on, columns=columns, evidence=JoinEvidence.DECLARED)
            text = say("requirements.step.join", left=name(base.name), right=name(branch), columns=names(base.primary_key))
            at = self._steps.add(f"{base.name}_with_{self._phrases.schema.by_name[table].name}", work, text)
            made = Made(at, {place: ColumnOf(step=at, name=item) for place, item in kept.items()})
            places |= {label: ColumnOf(step=branch, name=label) for label in here}
        return made, places

    @staticmethod
    def _of_parts(measure: Measure, value: Expression) -> Expression:
        made = Call(function=BY_PARTS[measure.function], arguments=(value,))
        is_zero = measure.function is Function.COUNT or measure.is_zero
        return Call(function=Function.COALESCE, arguments=(made, ZERO)) if is_zero else made

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
                where.append(but_not(all_of(list(excluded.where))))
        return replace(rows, where=tuple(where))

    def _aggregate(self, measure: Measure, made: Made) -> Expression:
        value = made.of(measure.value) if measure.value is not None else None
        if measure.rows.where:
            test = all_of([made.of(condition) for condition in measure.rows.where])
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
        if draft.as_of is not None:
            needed += [draft.as_of.moment, *(left for left, _ in draft.as_of.keys)]
        rows = self._narrowed(draft.rows or Rows(entity))
        for label in draft.top.groups if draft.top is not None else ():  # what is in no group is in no group's first
            rows = replace(rows, where=(*rows.where, Call(function=Function.NOT_NULL, arguments=(draft.keys[label],))))
        own = self._rows(rows, needed, keep=True)
        at, places = own.step, own.places
        values: dict[str, Expression] = {}
        for number, here in enumerate(_by_rows(draft.measures)):
            table = next(iter(here.values())).rows.table
            branch = self._branch(entity, here)
            on = all_of(
                [
                    Call(function=Function.EQUAL, arguments=(places[column], ColumnOf(step=branch, name=_key_name(column.name, here))))
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
            at = self._steps.add(f"{entity.name}_with_{table.name}", work, text)
            places = {place: ColumnOf(step=at, name=item) for place, item in kept.items()}
            values = {label: ColumnOf(step=at, name=label) for label in values}
            values |= {label: ColumnOf(step=at, name=item.name) for label, item in zip(here, brought, strict=True)}
        made = Made(at, places)
        chosen = {label: made.of(value) for label, value in draft.keys.items()} | values
        labels = [label for label in draft.order if label in chosen] + [label for label in chosen if label not in draft.order]
        return self._derive("facts", at, [(label, chosen[label]) for label in labels])

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
        linked = tuple(Call(function=Function.NOT_NULL, arguments=(key,)) for key in keys if _may_be_null(key, scope))
        rows = self._narrowed(Rows(table, (*shared.where, *linked), next(iter(same))))
        needed = [*keys, *(column for measure in measures.values() for item in _inside(measure) for column in columns_in(item))]
        made = self._rows(rows, needed, named=keys)
        by = tuple(
            NamedExpression(name=_key_name(column, measures), value=made.places[key])
            for column, key in zip(entity.primary_key, keys, strict=True)
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

    # ---- the target

    def _reading(self) -> RequirementReading:
        draft = self._draft
        key = self._key()
        if draft.entity is not None and draft.entity.primary_key and not key:
            key_names = names(draft.entity.primary_key)
            draft.assumptions.append(say("requirements.assume.no_key", table=name(draft.entity.full_name), columns=key_names))
        columns = tuple(
            TargetColumn(name=label, description=self._described(label), nullable=self._nullable(label, key)) for label in draft.order
        )
        keeps = (
            draft.entity.full_name
            if draft.entity is not None and not (draft.only_with_rows or draft.top or draft.having or self._is_narrowed())
            else ""
        )
        says = [say("requirements.says.columns", table=name(draft.table), columns=names(draft.order))]
        if draft.top is not None:
            groups = names(draft.top.groups)
            says = [
                say("requirements.says.first_of", n=count(draft.top.number), by=name(draft.top.by), columns=groups)
                if draft.top.groups
                else say("requirements.says.first", n=count(draft.top.number), by=name(draft.top.by))
            ]
        elif draft.entity is not None:
            says = [say("requirements.says.row_of", table=name(draft.entity.full_name))] + (
                [say("requirements.says.keeps_all", table=name(draft.entity.full_name))] if keeps else []
            )
        target = EtlTarget(
            table=draft.table,
            mode=draft.mode if key else WriteMode.OVERWRITE,
            columns=columns,
            key=key,
            keeps_all=keeps,
            description=says[0],
        )
        return RequirementReading(
            steps=tuple(self._steps.made), target=target, tables=tuple(dict.fromkeys(self._tables)), says=tuple(says),
            assumptions=(*draft.assumptions, *self._net_prices()), confidence=SURE,
        )  # fmt: skip

    def _net_prices(self) -> list[Statement]:
        values = [item for measure in self._draft.measures.values() for item in _inside(measure)]
        return list(dict.fromkeys(note for value in (*values, *self._draft.keys.values()) for note in notes_of(value)))

    def _described(self, label: str) -> Sayable:
        """What a column means: its source's comment, or the words that define it."""
        top = self._draft.top
        if top is not None and label == top.place:
            return say("requirements.says.place", by=name(top.by))
        return self._draft.descriptions.get(label, "")

    def _nullable(self, label: str, key: Sequence[str]) -> bool | None:
        """Whether a column may be null: one that rows are grouped by is where its source is."""
        if label not in key:
            return None
        value, base = self._draft.keys.get(label), self._draft.base
        if not self._draft.is_grouped or value is None or base is None or self._draft.spine is not None:
            return False
        return any(_may_be_null(column, base) for column in columns_in(value))

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
            shown = {value: label for label, value in draft.keys.items() if label in draft.order}
            return tuple(shown[column] for column in draft.latest.key) if all(column in shown for column in draft.latest.key) else ()
        if draft.is_grouped:
            own = self._own_keys()
            return tuple(own) if all(item in draft.order for item in own) else ()
        table = draft.entity or (draft.base.base if draft.base is not None and not draft.parts else None)
        if table is None or draft.is_distinct:
            return ()
        shown = {value: label for label, value in draft.keys.items() if label in draft.order}
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


def _by_rows(measures: Mapping[str, Measure]) -> list[dict[str, Measure]]:
    """The measures of each table; those of rows that have partners, or have none, by themselves."""
    found: list[tuple[tuple[object, ...], dict[str, Measure]]] = []
    for label, measure in measures.items():
        kind = (measure.rows.table.full_name, measure.rows.related)
        here = next((group for known, group in found if known == kind), None)
        if here is None:
            here = dict[str, Measure]()
            found.append((kind, here))
        here[label] = measure
    return [group for _, group in found]


def _inside(measure: Measure) -> list[Expression]:
    return [*([measure.value] if measure.value is not None else []), *measure.rows.where]


def _less(rows: Rows, shared: Sequence[Expression]) -> Rows:
    return replace(rows, where=tuple(item for item in rows.where if item not in shared))


def _key_name(column: str, measures: Mapping[str, Measure]) -> str:
    """The name of a key beside measures: its own, where none of them has it."""
    return f"key_{column}" if column in measures else column


def _may_be_null(column: ColumnOf, scope: Scope) -> bool:
    """Whether a row is not known to have a value of this column: it may be null, or what it is behind may be missing."""
    return may_be_null(scope.detail(column)) or scope.may_lack(column)
