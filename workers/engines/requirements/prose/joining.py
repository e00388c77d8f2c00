"""The rows of a draft as steps: tables, what they refer to, what restricts them, what holds at a time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from contracts.pipelines.analysis import (
    DeriveWork,
    FilterWork,
    JoinSide,
    JoinWork,
    SourceWork,
    UnionWork,
    WindowColumn,
    WindowWork,
)
from contracts.pipelines.expressions import Call, ColumnOf, Expression, Function, NamedExpression, Sorting, columns_in
from contracts.statements import name, names, say
from contracts.tables import JoinEvidence, TableDetail
from workers.engines.requirements.facts import NotRead, Steps, filter_text
from workers.engines.requirements.naming import free_name
from workers.engines.requirements.prose.draft import Draft, Rows
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.scope import Place, Scope

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


class RowSteps:
    """Makes the steps that read, join and filter the rows of a draft."""

    def __init__(self, draft: Draft, phrases: Phrases) -> None:
        self._draft, self._phrases = draft, phrases
        self._steps = Steps()
        self._sources: dict[str, str] = {}
        self._tables: list[str] = []

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

    def _rows(
        self, rows: Rows, needed: Iterable[ColumnOf], *, keep: bool = False, named: Sequence[ColumnOf] | None = None
    ) -> Made:  # fmt: skip
        """The rows with all columns that are needed of them. `keep`: those that refer to nothing stay. `named`: the columns that say what a
        row is, by default all that are needed."""
        scope = self._phrases.scope(rows.table)
        tests = [value for condition in rows.where for value in columns_in(condition)]
        links = [
            ColumnOf(step=scope.base.name, name=right) for related in rows.related for _, right in self._link(related.rows, rows.table)
        ]
        needed = list(needed)
        wanted = list(dict.fromkeys([*needed, *tests, *links]))
        strict = {value.step for value in tests}
        strict |= (
            set()
            if keep
            else {value.step for value in wanted if not scope.may_lack(value)} | _named_things(scope, needed if named is None else named)
        )
        made = self._joined(scope, wanted, strict)
        for related in rows.related:
            made = self._related(made, related.rows, scope, exists=related.exists)
        if rows.where:
            where = all_of([made.of(condition) for condition in rows.where])
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
        work = JoinWork(left=made.step, right=right, side=side, on=all_of(pairs), columns=columns, evidence=evidence)
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
        on = all_of([Call(function=Function.EQUAL, arguments=(other.places[left], made.places[right])) for left, right in pairs])
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
            left=made.step, right=periods, side=JoinSide.LEFT, on=all_of([*tests, open_]), columns=columns, evidence=JoinEvidence.NAMES
        )
        text = say("requirements.step.as_of", table=name(as_of.table.full_name), column=name(as_of.since))
        step = self._steps.add(f"with_{as_of.table.name}", work, text)
        return Made(step, {value: ColumnOf(step=step, name=item) for value, item in places.items()})

    def _note(self, step: str, labels: Sequence[str]) -> str:
        self._labels = list(labels)
        return step

    def _derive(self, wanted: str, at: str, columns: Sequence[tuple[str, Expression]], *, is_distinct: bool = False) -> str:
        work = DeriveWork(
            input=at, columns=tuple(NamedExpression(name=label, value=value) for label, value in columns), is_distinct=is_distinct
        )
        step = self._steps.add(wanted, work, say("requirements.step.derive", columns=names(label for label, _ in columns)))
        return self._note(step, [label for label, _ in columns])


def all_of(parts: Sequence[Expression]) -> Expression:
    """All of the conditions."""
    return parts[0] if len(parts) == 1 else Call(function=Function.AND, arguments=tuple(parts))


def but_not(test: Expression) -> Expression:
    """Rows for which the test does not hold, or is unknown."""
    unknown = [Call(function=Function.IS_NULL, arguments=(column,)) for column in dict.fromkeys(columns_in(test))]
    return Call(function=Function.OR, arguments=(Call(function=Function.NOT, arguments=(test,)), *unknown))


def _named_things(scope: Scope, needed: Sequence[ColumnOf]) -> set[str]:
    """The things whose own key is asked for: a row for each truck is none where there is no truck."""
    found = set[str]()
    for place in scope.places.values():
        links = [ColumnOf(step=place.alias.rpartition(">")[0], name=column) for column in place.path[-1].columns] if place.path else []
        own = [ColumnOf(step=place.alias, name=column) for column in place.table.primary_key]
        if any(key and all(column in needed for column in key) for key in (links, own)):
            found.add(place.alias)
    return found
