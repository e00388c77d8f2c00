"""Tables of rows that a script can be tried on: deterministic, within keys, references, domains, bounds and null shares."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from sqlglot import exp

from contracts.sql_review import SampleTable
from contracts.tables import ForeignKey, TableDetail
from workers.engines.pipelines.rows.values import LAST_DAY, ColumnMaker, day_of, shifted
from workers.engines.sql.facts import TableFacts, TypeKind, type_kind
from workers.engines.sql.review.duckdb import CLOCK
from workers.engines.sql.review.rows import BATCH, Data, Maker, Place, Recipe, as_history, ends_of, unique_rows
from workers.engines.sql.sandbox import Row

NULL_SHARE = 0.12
"""Of a column that may be null, where the share is not known."""
MOST_NULL = 0.6
"""A column that is mostly null would leave nothing to join."""
SHARED = 0.85
"""How often a column takes a value that a column it is joined with has already."""
CHILDLESS = 4
"""Every fourth row of a referenced table is referenced by nothing."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many rows."""

    referenced: int = 18
    """Of a table that others reference."""
    other: int = 60


class Generator:
    """Rows of the tables that a script needs, the same for the same seed."""

    def __init__(self, recipe: Recipe, shape: Shape | None = None, samples: Sequence[SampleTable] = ()) -> None:
        self._recipe = recipe
        self._shape = shape or Shape()
        self._samples = {sample.name.lower(): sample for sample in samples}
        self._order = Maker(recipe).tables()
        self._facts = {table.full_name.lower(): recipe.script.facts.of(table) for table in self._order}
        self._casts = dict(_casts(recipe))
        self._shift = _to_the_trials_day(recipe, self._order)
        self._referenced = {reference.table for facts in self._facts.values() for reference in facts.references}

    @property
    def sampled(self) -> frozenset[str]:
        """Tables with rows of the source, by full name in lower case."""
        return frozenset(self._samples) & frozenset(self._facts)

    def make(self, seed: int) -> Data:
        """Rows of all tables, referenced ones first. The table that the script adds to starts empty."""
        data, used = Data(), dict[Place, list[Any]]()
        for table in self._order:
            name = table.full_name.lower()
            facts, random = self._facts[name], Random(f"{seed}/{name}")
            rows = list(self._sample_rows(table)) or list(self._rows(facts, random, data, used))
            data[name] = list(as_history(facts, list(unique_rows(facts, rows)), *ends_of(self._recipe, facts)))
            for place, column in enumerate(table.columns):
                root = self._recipe.root((name, column.name.lower()))
                used.setdefault(root, []).extend(row[place] for row in data[name] if row[place] is not None)
            if not facts.keys and name not in self._samples:
                data[name] += data[name][:2]  # nothing forbids a row that is there twice
        return data

    def _sample_rows(self, table: TableDetail) -> Iterator[Row]:
        sample = self._samples.get(table.full_name.lower())
        if sample is None:
            return
        places = {column.lower(): place for place, column in enumerate(sample.columns)}
        for row in sample.rows:
            yield tuple(row[places[column.name.lower()]] if column.name.lower() in places else None for column in table.columns)

    def _rows(self, facts: TableFacts, random: Random, data: Data, used: dict[Place, list[Any]]) -> Iterator[Row]:
        table = facts.table
        makers = [self._maker(facts, place) for place in range(len(table.columns))]
        wanted = self._shape.referenced if table.full_name.lower() in self._referenced else self._shape.other
        if table.rows is not None and 0 < table.rows < wanted:
            wanted = table.rows
        for number in range(wanted):
            yield self._row(facts, makers, number, random, data, used)
        yield from self._awkward(facts, makers, wanted, random, data, used)

    def _maker(self, facts: TableFacts, place: int) -> ColumnMaker:
        column = facts.table.columns[place]
        where = (facts.table.full_name.lower(), column.name.lower())
        in_key = any(where[1] in key for key in facts.keys)
        is_small = (
            in_key or self._recipe.joined(where) or (where in self._recipe.grouped and type_kind(column.type) is not TypeKind.DECIMAL)
        )
        if where in self._casts and not column.values:
            column = column.model_copy(update={"type": self._casts[where]})
        literals = tuple(self._recipe.compared(where))
        if self._shift is not None and type_kind(column.type) in (TypeKind.DATE, TypeKind.TIMESTAMP):
            bounds = {side: shifted(getattr(column, side), self._shift) for side in ("minimum", "maximum")}
            column, literals = column.model_copy(update=bounds), (*literals, *map(str, (LAST_DAY, LAST_DAY - timedelta(days=1))))
        return ColumnMaker(column, literals, is_small)

    def _row(
        self, facts: TableFacts, makers: list[ColumnMaker], number: int, random: Random, data: Data, used: dict[Place, list[Any]]
    ) -> Row:
        name, given = facts.table.full_name.lower(), self._referring(facts, number, random, data)
        cells = list[Any]()
        for maker in makers:
            column = maker.column.name.lower()
            if column in given:
                cells.append(given[column])
            elif maker.kind in (TypeKind.DATE, TypeKind.TIMESTAMP) and BATCH.search(column):
                cells.append(LAST_DAY)
            elif frozenset({column}) in facts.keys:
                cells.append(maker.identity(number))
            elif random.random() < _null_share(facts, column):
                cells.append(None)
            elif (
                (before := used.get(self._recipe.root((name, column)))) and self._recipe.joined((name, column)) and random.random() < SHARED
            ):
                cells.append(random.choice(before))
            else:
                cells.append(maker.value(random, number))
        return tuple(cells)

    def _referring(self, facts: TableFacts, number: int, random: Random, data: Data) -> dict[str, Any]:
        """The values of columns that reference rows of other tables."""
        found = dict[str, Any]()
        for key in _foreign_keys(facts):
            other, columns = self._facts.get(key.table), [column.lower() for column in key.columns]
            rows = data.get(key.table, [])
            if other is None or not rows or any(column in found for column in columns):
                continue
            names = [column.name.lower() for column in other.table.columns]
            if not all(name.lower() in names for name in key.references):
                continue
            if random.random() < max(_null_share(facts, column) for column in columns):
                found.update(dict.fromkeys(columns))
                continue
            rows = [row for place, row in enumerate(rows) if place % CHILDLESS] or rows
            row = rows[number % len(rows)] if frozenset(columns) in facts.keys else random.choice(rows)
            found.update({column: row[names.index(name.lower())] for column, name in zip(columns, key.references, strict=True)})
        return found

    def _awkward(
        self, facts: TableFacts, makers: list[ColumnMaker], number: int, random: Random, data: Data, used: dict[Place, list[Any]]
    ) -> Iterator[Row]:
        """Rows that scripts forget: nothing but nulls, empty and strange texts, zero, negative and large numbers, the last day of a
        month or year."""
        referring = {column.lower() for key in _foreign_keys(facts) for column in key.columns}
        for turn in range(6):
            row = list(self._row(facts, makers, number + turn, random, data, used))
            for place, maker in enumerate(makers):
                column = maker.column.name.lower()
                values = maker.awkward()
                if turn == 0 and facts.may_be_null(column):
                    row[place] = None
                elif turn and values and maker.is_free and not maker.literals and column not in referring and not BATCH.search(column):
                    row[place] = values[(turn - 1) % len(values)]
            yield tuple(row)


def _casts(recipe: Recipe) -> Iterator[tuple[Place, str]]:
    """Text columns that the script converts: their texts are numbers or dates, though the catalogue does not say so."""
    script = recipe.script
    for part in script.parts:
        for node in part.tree.find_all(exp.Cast):
            base = script.base_column(part, node.this)
            to = node.to.sql("duckdb")
            if base is not None and script.facts.of(base[0]).kind(base[1]) is TypeKind.TEXT and type_kind(to) is not TypeKind.TEXT:
                yield (base[0].full_name.lower(), base[1]), to


def _to_the_trials_day(recipe: Recipe, tables: Sequence[TableDetail]) -> timedelta | None:
    """By how much times are moved so that the newest of the data is on the day of the trial, where a script asks what day it is: it would
    find no row of yesterday otherwise. None: no script asks."""
    if not any(part.tree.find(*CLOCK) for part in recipe.script.parts):
        return None
    last = [
        day
        for table in tables
        for column in table.columns
        if type_kind(column.type) in (TypeKind.DATE, TypeKind.TIMESTAMP) and (day := day_of(column.maximum)) is not None
    ]
    return LAST_DAY - max(last) if last else timedelta()


def _null_share(facts: TableFacts, column: str) -> float:
    found = facts.columns.get(column)
    if found is None or not facts.may_be_null(column):
        return 0.0
    if found.nulls is not None and facts.table.rows:
        return min(found.nulls / facts.table.rows, MOST_NULL)
    return NULL_SHARE


def _foreign_keys(facts: TableFacts) -> Iterator[ForeignKey]:
    """Declared keys, then references of single columns that a description names."""
    declared = set[str]()
    for key in facts.table.foreign_keys:
        declared.update(column.lower() for column in key.columns)
        if len(key.columns) == len(key.references):
            yield key.model_copy(update={"table": key.table.lower()})
    for reference in facts.references:
        if reference.column not in declared and reference.table != facts.table.full_name.lower():
            yield ForeignKey(columns=(reference.column,), table=reference.table, references=(reference.references,))
