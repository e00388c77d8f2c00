"""Repair: does the repaired statement run on the case's engine, and does it yield what the gold statement yields?"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import sqlglot
from sqlglot import ErrorLevel
from sqlglot.errors import SqlglotError

from contracts.base import Json
from contracts.tables import TableDetail
from tests.evals.libraries.sql.cases import rows_of, share, tables_of
from tests.evals.libraries.sql.databases import PostgresDatabase, SqlDatabase, SqliteDatabase
from tests.evals.libraries.sql.measurement import Measured, Measurement
from workers.engines.results.comparing import same_rows
from workers.engines.sql.errors import read_error
from workers.engines.sql.repair import repair
from workers.engines.sql.repair.smallest import edits_between
from workers.kinds.base import Bench

TODAY = "2026-11-21"
"""The day at which the SQLite files stand still, and on which the Postgres databases are made."""

RIGHT, DIFFERS, FAILS, ABSTAINED = "right", "differs", "fails", "abstained"


class Databases:
    """The databases of the cases, opened on first use."""

    def __init__(self, bench: Bench, data: Path) -> None:
        self._bench = bench
        self._data = data
        self._open: dict[tuple[str, str], SqlDatabase] = {}

    def get(self, engine: str, name: str) -> SqlDatabase:
        """The database of a case."""
        key = (engine, name)
        if key not in self._open:
            self._open[key] = self._opened(engine, name)
        return self._open[key]

    def _opened(self, engine: str, name: str) -> SqlDatabase:
        if engine == "sqlite":
            return SqliteDatabase(self._data / "nl2sql" / "sqlite" / f"{name}.sqlite", TODAY)
        server_url = self._bench.settings.database_url or ""
        return PostgresDatabase(server_url, f"cases_{name}", self._data / "nl2sql" / "schema_pg" / f"{name}.sql", TODAY)

    def close(self) -> None:
        """Close all that were opened."""
        for database in self._open.values():
            database.close()


def measure_fixing(bench: Bench, data: Path) -> Measured:
    """The share of broken statements that are repaired, beside what the change of dialect by sqlglot repairs."""
    cases, tables = rows_of(data, "fix_sql/broken.jsonl"), tables_of(data)
    databases = Databases(bench, data)
    details: list[Json] = []
    try:
        with bench.progress("Repairing", len(cases)) as advance:
            for number, case in enumerate(cases, 1):
                details.append(_outcome(case, databases.get(case["engine"], case["db"]), tables.get(case["db"], [])))
                advance(number)
    finally:
        databases.close()
    return _summary(details)


def _outcome(case: Json, database: SqlDatabase, tables: Sequence[TableDetail]) -> Json:
    found = repair(case["broken_sql"], case["error"], case["engine"], tables, database.dry_run)
    judge = _judge(database, case["gold"])
    transpiled = _transpiled(case, case.get("source_dialect"))
    return {
        "id": case["id"],
        "half": half_of(case["id"]),
        "engine": case["engine"],
        "outcome": judge(found.sql),
        "transpiled": judge(transpiled),
        "words": _words_changed(case, found.sql),
        "words_transpiled": _words_changed(case, transpiled),
        "error_kind": str(read_error(case["error"], case["engine"]).kind),
        "dry_runs": found.dry_runs,
    }


def _judge(database: SqlDatabase, gold: Sequence[str]) -> Callable[[str | None], str]:
    def judge(statement: str | None) -> str:
        if statement is None:
            return ABSTAINED
        rows = database.rows(statement)
        if isinstance(rows, str):
            return FAILS
        expected = (database.rows(query) for query in gold)
        return RIGHT if any(not isinstance(other, str) and same_rows(rows, other) for other in expected) else DIFFERS

    return judge


def half_of(case_id: str) -> int:
    """The half of the cases to which one belongs: 0 was read while the repairs were written, 1 was not."""
    return int(hashlib.sha256(case_id.encode()).hexdigest(), 16) % 2


def _words_changed(case: Json, statement: str | None) -> int:
    """How many tokens differ."""
    if not statement:
        return 0
    edits = edits_between(case["broken_sql"], statement, case.get("source_dialect") or case["engine"], case["engine"])
    return len(statement) if edits is None else sum(edit.words for edit in edits)


def _transpiled(case: Json, dialect: str | None) -> str | None:
    try:
        return sqlglot.transpile(case["broken_sql"], read=dialect, write=case["engine"], unsupported_level=ErrorLevel.IGNORE)[0]
    except (SqlglotError, IndexError):
        return None


def _summary(details: list[Json]) -> Measured:
    total = len(details)
    outcomes = Counter(row["outcome"] for row in details)
    given = total - outcomes[ABSTAINED]
    halves = [[row for row in details if row["half"] == half] for half in (0, 1)]
    by_half = [share(sum(row["outcome"] == RIGHT for row in rows), len(rows)) for rows in halves]
    both = [row for row in details if row["outcome"] == RIGHT and row["transpiled"] == RIGHT]
    figures = {
        "fix_right": share(outcomes[RIGHT], total),
        "fix_right_transpile": share(sum(row["transpiled"] == RIGHT for row in details), total),
        "fix_right_seen_half": by_half[0],
        "fix_right_unseen_half": by_half[1],
        "fix_right_of_given": share(outcomes[RIGHT], given),
        "fix_given": share(given, total),
        "fix_words_changed": share(sum(row["words"] for row in both), len(both)),
        "fix_words_changed_transpile": share(sum(row["words_transpiled"] for row in both), len(both)),
        "fix_error_kind_read": share(sum(row["error_kind"] != "other" for row in details), total),
        "fix_dry_runs_mean": share(sum(row["dry_runs"] for row in details), total),
    }
    wrong = tuple(f"{row['id']}:{row['outcome']}" for row in details if row["outcome"] != RIGHT)
    return Measured(figures, {"fix": total}, {"fix_right": wrong})


FIX = Measurement("fix", "fix_sql/broken.jsonl", measure_fixing)
