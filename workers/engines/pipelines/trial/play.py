"""Plays the scripts of a workflow on some rows: makes the tables, runs job by job, and keeps what the target holds after each run."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from workers.engines.pipelines.trial.translate import SCHEMA, Translated, Translator
from workers.engines.pipelines.warehouse import Answer, Warehouse, WarehouseError
from workers.engines.sql.review.duckdb import table_definition
from workers.engines.sql.review.rows import Data
from workers.engines.sql.review.witness import comparable, marked_rows
from workers.engines.sql.sandbox import Row
from workers.engines.sql.script import Script, conflict_key


@dataclass(frozen=True, slots=True)
class JobPart:
    """A job with its statements for the trial's engine."""

    job: str
    statements: tuple[Translated, ...]


class JobFailed(Exception):
    """A statement of a job does not run."""

    def __init__(self, job: str, statement: Translated, error: WarehouseError) -> None:
        super().__init__(str(error))
        self.job = job
        self.statement = statement
        self.error = error


@dataclass
class Played:
    """What a play of several runs left."""

    runs: list[Answer] = field(default_factory=list[Answer])
    """The target after each run."""
    left: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Job → tables that were not there before it and are after it, by full name in lower case."""


class Player:
    """Plays one workflow as often as asked, each time from nothing."""

    def __init__(self, warehouse: Warehouse, script: Script, jobs: Sequence[JobPart], target: str) -> None:
        self._warehouse = warehouse
        self._script = script
        self._jobs = jobs
        self._target = target
        self._translator = Translator(script)
        self._plays = 0

    def play(self, rounds: Sequence[Data]) -> Played:
        """Run all jobs once for each round of rows, which take the place of those before. Raises `JobFailed` or `WarehouseError`."""
        self._open()
        played = Played()
        for data in rounds:
            self._fill(data)
            for job in self._jobs:
                self._run_job(job, played)
            played.runs.append(self._read_target())
        return played

    def _open(self) -> None:
        """A database of its own for this play."""
        self._plays += 1
        run = self._warehouse.run
        run(f"ATTACH ':memory:' AS \"play{self._plays}\"")
        run(f'USE "play{self._plays}"')
        if self._plays > 1:
            run(f'DETACH "play{self._plays - 1}"')
        for schema in self._translator.schemas():
            run(f"CREATE SCHEMA IF NOT EXISTS {exp.to_identifier(schema, quoted=True).sql('duckdb')}")
        for table in self._script.inputs:
            key = conflict_key(self._script.parts, table)
            run(table_definition(table, self._script.dialect, key, self._translator.place(table.full_name)))

    def _fill(self, data: Data) -> None:
        known = {table.full_name.lower(): table for table in self._script.inputs}
        for name, rows in data.items():
            place = self._translator.place(known[name].full_name).sql("duckdb")
            self._warehouse.run(f"DELETE FROM {place}")  # noqa: S608 a name of the catalogue, quoted
            marks = ", ".join("?" for _ in known[name].columns)
            self._warehouse.insert(f"INSERT INTO {place} VALUES ({marks})", rows)  # noqa: S608 as above; values are bound

    def _run_job(self, job: JobPart, played: Played) -> None:
        before = set(self._tables())
        for statement in job.statements:
            for sql in statement.sql:
                try:
                    self._warehouse.run(sql)
                except WarehouseError as error:
                    raise JobFailed(job.job, statement, error) from None
        for name, kind in self._warehouse.run(_TEMPORARY).rows:
            self._warehouse.run(f"DROP {kind} IF EXISTS temp.{exp.to_identifier(str(name), quoted=True).sql('duckdb')}")
        played.left.setdefault(job.job, tuple(sorted(set(self._tables()) - before)))

    def _tables(self) -> list[str]:
        rows = self._warehouse.run(_TABLES.format(self._plays)).rows
        return [f"{schema}.{name}".lower() if schema != SCHEMA else str(name).lower() for schema, name in rows]

    def _read_target(self) -> Answer:
        return self._warehouse.run(f"SELECT * FROM {self._translator.place(self._target).sql('duckdb')}")  # noqa: S608 a quoted name


_TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'play{0}' UNION ALL "
    "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'play{0}' AND NOT internal"
)
_TEMPORARY = (
    "SELECT table_name, 'TABLE' FROM duckdb_tables() WHERE temporary UNION ALL "
    "SELECT view_name, 'VIEW' FROM duckdb_views() WHERE temporary AND NOT internal"
)


def marked(row: Row) -> Row:
    """A row in a form that is equal for equal rows."""
    return tuple(comparable(cell) for cell in row)


def counted(answer: Answer) -> Counter[Row]:
    """Rows as a multiset."""
    return Counter(map(marked, answer.rows))


def rows_of(answer: Answer, wanted: Counter[Row]) -> tuple[Row, ...]:
    """The rows of an answer that are in a multiset."""
    return marked_rows(answer.rows, wanted, marked)
