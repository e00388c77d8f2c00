"""Searches rows on which a suspicion shows, runs the script on them, and takes rows away while it still shows."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlglot import exp

from contracts.sql_review import Counterexample, Defect, SampleTable
from contracts.tables import TableDetail
from workers.engines.sql.review.duckdb import DAY_BEFORE, flat_name, flat_table, for_sandbox, table_definition
from workers.engines.sql.review.rows import ROUND, Data, Maker, Place, Recipe
from workers.engines.sql.review.suspicion import Meant, Rounds, Suspicion, edited
from workers.engines.sql.sandbox import Row, RunFailed, Sandbox, Table
from workers.engines.sql.script import Script
from workers.engines.sql.trees import parts_of

TRIES = 48
"""Sets of rows that are tried for a suspicion. Of the defects in our tests, 9 of 10 show within the first 12."""
FAILURES = 3
"""So many refused runs end the search: the engine of the sandbox does not read this script."""
MOST_SHOWN = 6
"""Rows of a result beyond this are not shown."""


Widened = tuple[tuple[str, str, str], ...]
"""(table, column, type)."""
Kind = tuple[frozenset[Place], bool]
"""What rows are made for: columns that must hold nulls, and whether versions touch."""


@dataclass(frozen=True)
class Differs:
    """What was seen on some rows."""

    given: Table
    given_rows: tuple[Row, ...]
    meant: Table | None
    meant_rows: tuple[Row, ...]


class Witness:
    """Tries suspicions of one script."""

    def __init__(self, script: Script, sandbox: Sandbox) -> None:
        self._script = script
        self._sandbox = sandbox
        self._given = [for_sandbox(part.tree, part, script) for part in script.parts]
        self._day_before = [for_sandbox(part.tree, part, script, DAY_BEFORE) for part in script.parts]
        self._makers: dict[Kind, Maker] = {}
        self._results: dict[tuple[Kind, Rounds, bool, int], tuple[list[Data], Table]] = {}
        """The rows of a try and what the script gives on them, by what they are made for: most suspicions are tried on the same."""
        self._definitions: dict[Widened, list[str]] = {}
        self.ran = False
        """It was run at least once."""
        self.refused: str | None = None
        """Why the sandbox does not run the script."""
        self.untried: set[Defect] = set()
        """Those of which it refused each try."""

    def try_it(self, suspicion: Suspicion) -> Counterexample | None:
        """A counterexample, as small as it could be made; None: not found."""
        kind = (frozenset(suspicion.needs_nulls_in), suspicion.defect is Defect.HISTORY_BOUND)
        if kind not in self._makers:
            self._makers[kind] = Maker(Recipe(self._script, *kind))
        maker = self._makers[kind]
        meant = self._meant(suspicion.meant)
        failures = 0
        for seed in range(TRIES):
            try:
                mark = kind, suspicion.rounds, suspicion.days_pass, seed
                if mark not in self._results:
                    made = _rounds(maker, suspicion.rounds, seed)
                    self._results[mark] = made, self._given_on(suspicion, made)
                rounds, given = self._results[mark]
                seen = self._see(suspicion, meant, rounds, given)
            except RunFailed as error:
                failures += 1
                self.refused = str(error)
                if failures >= FAILURES and failures > seed:
                    self.untried.add(suspicion.defect)
                    return None
                continue
            if seen is not None:
                rounds, seen = self._shrunk(suspicion, meant, rounds, seen, maker)
                return self._shown(rounds, self._put_right(suspicion, rounds, seen))
        return None

    def result(self, seed: int = 1) -> Table | None:
        """The result of the script on some rows; None: the sandbox does not run it."""
        try:
            return self._run(self._given, [Maker(Recipe(self._script)).make(seed)])
        except RunFailed as error:
            self.refused = str(error)
            return None

    def _put_right(self, suspicion: Suspicion, rounds: list[Data], seen: Differs) -> Differs:
        """What was seen, beside a result in which nothing is wrong by the same cause."""
        whole = self._meant(suspicion.with_others)
        try:
            return (self._see(suspicion, whole, rounds, self._given_on(suspicion, rounds)) if whole is not None else None) or seen
        except RunFailed:
            return seen

    def _meant(self, corrections: Sequence[Meant] | None) -> list[str] | None:
        if corrections is None:
            return None
        made = list(self._given)
        for correction in corrections:
            tree = edited(correction.part, correction.edits)
            made[correction.part.number - 1] = for_sandbox(tree, correction.part, self._script)
        return made

    def _see(self, suspicion: Suspicion, meant: list[str] | None, rounds: list[Data], given: Table) -> Differs | None:
        if suspicion.wrong is not None:
            rows = tuple(suspicion.wrong(given))
            return Differs(given, rows, None, ()) if rows else None
        if suspicion.expected is not None:
            other = self._run((), rounds[-1:], result=suspicion.expected.meant)
            given = suspicion.expected.given(given, other)
        elif suspicion.without:
            others = list[Table]()
            for way in suspicion.without:
                others.append(self._run(self._given, rounds, without=way))
                mark = _marker(given, others[-1])
                if Counter(map(mark, others[-1].rows)) == Counter(map(mark, given.rows)):
                    return None
            other = others[0]
        elif suspicion.days_pass:
            return _lacking(given, self._given_on(suspicion, [rounds[-1]] * len(rounds)), suspicion.at_once)
        elif suspicion.compares_at_once:
            return _lacking(given, self._run(self._given, rounds[-1:]), suspicion.at_once)
        elif suspicion.once:
            other = self._run(self._given, rounds[:1])
        elif meant is not None or suspicion.widened:
            other = self._run(meant or self._given, rounds, suspicion.widened)
        else:
            return None
        if len(other.columns) == len(given.columns):  # a correction may be a long expression; what it stands for has the script's name
            other = Table(given.columns, other.rows)
        mark = _marker(given, other)
        ours, theirs = Counter(map(mark, given.rows)), Counter(map(mark, other.rows))
        if ours == theirs:
            return None
        return Differs(given, marked_rows(given.rows, ours - theirs, mark), other, marked_rows(other.rows, theirs - ours, mark))

    def _given_on(self, suspicion: Suspicion, rounds: Sequence[Data]) -> Table:
        """What the script gives."""
        return self._run(self._given, rounds, first=self._day_before if suspicion.days_pass else ())

    def _run(
        self,
        script: Sequence[str],
        rounds: Sequence[Data],
        widened: Widened = (),
        *,
        result: str = "",
        without: Sequence[str] = (),
        first: Sequence[str] = (),
    ) -> Table:
        """`first`: the statements of the first run, where they are others."""
        steps: list[tuple[str, Sequence[Row]]] = [(definition, ()) for definition in self._made(widened)]
        for number, data in enumerate(rounds):
            for name, rows in data.items():
                table = flat_name(name, self._script)
                if number:
                    steps.append((f'DELETE FROM "{table}"', ()))  # noqa: S608 a name of the sandbox
                if rows:
                    marks = ", ".join("?" for _ in rows[0])
                    steps.append((f'INSERT INTO "{table}" VALUES ({marks})', rows))  # noqa: S608 a name of the sandbox; values are bound
            steps += [(statement, ()) for statement in without]
            writing = first if first and number == 0 else script
            steps += [(statement, ()) for statement in (writing if self._script.written else writing[:-1])]
        written = self._script.written
        last = f'SELECT * FROM "{flat_name(written, self._script)}"' if written else script[-1]  # noqa: S608 as above
        found = self._sandbox.run(steps, result or last)
        self.ran = True
        return found

    def _made(self, widened: Widened) -> list[str]:
        """The statements that make the script's tables. They are the same in each run."""
        if widened not in self._definitions:
            tables = [_with_types(known, widened) for known in self._script.inputs]
            self._definitions[widened] = [
                table_definition(table, self._script.dialect, self._conflict_key(table), flat_table(table, self._script))
                for table in tables
            ]
        return self._definitions[widened]

    def _conflict_key(self, table: TableDetail) -> tuple[str, ...]:
        """The columns that an ON CONFLICT of the script names."""
        for part in self._script.parts:
            target, conflict = part.resolved.target, part.tree.args.get("conflict")
            if (
                target is not None
                and target.table is not None
                and target.table.full_name == table.full_name
                and isinstance(conflict, exp.OnConflict)
            ):
                return tuple(key.name for key in parts_of(conflict, "conflict_keys")) or table.primary_key
        return ()

    def _shrunk(
        self, suspicion: Suspicion, meant: list[str] | None, rounds: list[Data], seen: Differs, maker: Maker
    ) -> tuple[list[Data], Differs]:
        for number in range(len(rounds)):
            for name in list(rounds[number]):
                for row in list(rounds[number][name]):
                    fewer = [dict(data) for data in rounds]
                    for later in fewer[number:] if suspicion.rounds is not Rounds.REPLACED else fewer[number : number + 1]:
                        later[name] = [kept for kept in later[name] if kept is not row]
                    fewer = [maker.kept(data) for data in fewer]
                    if not all(any(data.values()) for data in fewer):
                        continue
                    try:
                        smaller = self._see(suspicion, meant, fewer, self._given_on(suspicion, fewer))
                    except RunFailed:
                        continue
                    if smaller is not None:
                        rounds, seen = fewer, smaller
        return rounds, seen

    def _shown(self, rounds: list[Data], seen: Differs) -> Counterexample:
        return Counterexample(
            rounds=tuple(self._tables(data) for data in rounds),
            given=_sample(seen.given, seen.given_rows, seen.meant is None),
            meant=_sample(seen.meant, seen.meant_rows, False) if seen.meant is not None else None,
        )

    def _tables(self, data: Data) -> tuple[SampleTable, ...]:
        known = {table.full_name.lower(): table for table in self._script.inputs}
        return tuple(
            SampleTable(
                name=known[name].full_name,
                columns=tuple(column.name for column in known[name].columns),
                rows=tuple(tuple(shown(cell) for cell in row) for row in rows),
            )
            for name, rows in data.items()
            if rows
        )


def _lacking(given: Table, meant: Table, only: tuple[str, ...]) -> Differs | None:
    """The rows that are meant and not given, by some columns or by all. What was there before and does not come again stays."""
    wanted = {column.lower() for column in only}
    places = [place for place, column in enumerate(meant.columns) if not only or column.lower() in wanted]
    mark = _marker(given, meant)
    there = Counter(_picked(mark(row), places) for row in given.rows)
    lacking = list[Row]()
    for row in meant.rows:
        marked = _picked(mark(row), places)
        if there[marked] > 0:
            there[marked] -= 1
        else:
            lacking.append(row)
    return Differs(given, given.rows, meant, tuple(lacking)) if lacking else None


def _with_types(table: TableDetail, widened: Widened) -> TableDetail:
    wider = {column: kind for name, column, kind in widened if name == table.full_name.lower()}
    columns = tuple(
        column.model_copy(update={"type": wider[column.name.lower()]}) if column.name.lower() in wider else column
        for column in table.columns
    )
    return table.model_copy(update={"columns": columns}) if wider else table


def _rounds(maker: Maker, rounds: Rounds, seed: int) -> list[Data]:
    first = maker.make(seed)
    if rounds is Rounds.SINGLE:
        return [first]
    if rounds is Rounds.AGAIN:
        return [first, dict(first)]
    other = maker.make(seed + ROUND)
    if rounds is Rounds.REPLACED:
        return [first, other]
    added = {name: [*rows, *(row for row in other.get(name, []) if row not in rows)] for name, rows in first.items()}
    return [first, maker.kept(added)]


def shown(cell: Any) -> str | None:
    """A value as the counterexample holds it."""
    if cell is None:
        return None
    if isinstance(cell, float):
        return f"{cell:.10g}"
    if isinstance(cell, Decimal):
        return f"{cell.normalize():f}"
    return str(cell)


FLOAT_DIGITS = 9
"""Digits to which floats are compared: sums of them differ in their last ones."""


def comparable(cell: Any, *, is_rounded: bool = False) -> Any:
    """Equal for values that are equal: integers, decimals and texts as they are, floats to nine digits. `is_rounded`: integers and decimals
    too, since they are compared with floats."""
    if isinstance(cell, float) or (is_rounded and isinstance(cell, int | Decimal) and not isinstance(cell, bool)):
        number = float(cell)
        return Decimal(f"{number:.{FLOAT_DIGITS}g}") if math.isfinite(number) else str(number)
    return cell if cell is None or isinstance(cell, bool | int | Decimal) else str(cell)


Mark = Callable[[Row], Row]
"""A row in a form that is equal for equal rows."""


def _marker(*tables: Table) -> Mark:
    """For rows of tables that are compared: a column that is of floats in one of them is rounded in all."""
    floats = {place for table in tables for row in table.rows for place, cell in enumerate(row) if isinstance(cell, float)}
    return lambda row: tuple(comparable(cell, is_rounded=place in floats) for place, cell in enumerate(row))


def _picked(row: Row, places: Sequence[int]) -> Row:
    return tuple(row[place] for place in places)


def marked_rows(rows: Sequence[Row], wanted: Counter[Row], mark: Mark) -> tuple[Row, ...]:
    """The rows whose marks are in a multiset."""
    left, found = Counter(wanted), list[Row]()
    for row in rows:
        marked = mark(row)
        if left[marked] > 0:
            left[marked] -= 1
            found.append(row)
    return tuple(found)


def _sample(table: Table, differing: tuple[Row, ...], only_wrong: bool) -> SampleTable:
    rows = differing if only_wrong or len(table.rows) > MOST_SHOWN else table.rows
    return SampleTable(name="", columns=table.columns, rows=tuple(tuple(shown(cell) for cell in row) for row in rows[:MOST_SHOWN]))
