"""A script in Postgres: one transaction with its ledger row, so that it happens as a whole, and once."""

from collections.abc import Sequence
from typing import cast
from uuid import UUID

import psycopg
from psycopg import sql

from contracts.statements import name, names, passage, say
from workers.errors import SourceUnavailable, StatementFailed, UnsafeAccount
from workers.failpoints import failpoint
from workers.secrets import redact_url
from workers.sources.sessions.postgres import first_line

Unique = tuple[str, tuple[str, ...]]
"""(table, with its schema where it has one, and the columns of which no two of its rows may have the same values)."""
LEDGER = "bullpen_writes"
"""In the first writable schema: a row for each script that ran, committed with what it did."""
_ELSEWHERE = """
SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname <> ALL(%(writable)s) AND n.nspname NOT LIKE 'pg\\_%%'
  AND n.nspname <> 'information_schema'
  AND (has_table_privilege(c.oid, 'INSERT') OR has_table_privilege(c.oid, 'UPDATE') OR has_table_privilege(c.oid, 'DELETE')
       OR has_table_privilege(c.oid, 'TRUNCATE'))
UNION ALL SELECT n.nspname FROM pg_namespace n WHERE n.nspname <> ALL(%(writable)s) AND n.nspname NOT LIKE 'pg\\_%%'
  AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'CREATE')
LIMIT 1
"""


_COLUMNS = """
SELECT n.nspname, c.relname, array_agg(a.attname::text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY(%(writable)s) AND lower(c.relname) = lower(%(name)s)
  AND %(schema)s IN ('', lower(n.nspname))
GROUP BY n.nspname, c.relname
"""


class PostgresWriter:
    """The account that may write, behind its URL."""

    def __init__(self, url: str, timeout_s: float) -> None:
        self._url = "postgresql://" + url.split("://", 1)[1]
        self._timeout_s = timeout_s

    def apply(self, key: UUID, script_hash: str, statements: Sequence[str], writable: Sequence[str], unique: Unique | None = None) -> bool:
        """Run the statements; False: they ran before, and nothing is done. Raises `StatementFailed`, also where two rows have the same key
        afterwards, `UnsafeAccount` or `SourceUnavailable`; then nothing of them is left."""
        try:
            connection = psycopg.connect(self._url, application_name="bullpen-writer", connect_timeout=10, prepare_threshold=None)
        except psycopg.Error as error:
            where, reason = name(redact_url(self._url)), passage(first_line(error))
            raise SourceUnavailable.of(say("refused.source.away", engine=name("Postgres"), where=where, reason=reason)) from None
        try:
            with connection.transaction():
                self._prepare(connection, writable)
                ledger = sql.Identifier(writable[0], LEDGER)
                connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(key)])
                made = "CREATE TABLE IF NOT EXISTS {} (key uuid PRIMARY KEY, script_hash text NOT NULL, done_at timestamptz DEFAULT now())"
                connection.execute(sql.SQL(made).format(ledger))
                if connection.execute(sql.SQL("SELECT 1 FROM {} WHERE key = %s").format(ledger), [key]).fetchone() is not None:
                    return False
                for number, statement in enumerate(statements):
                    if number:
                        failpoint("between_statements")
                    connection.execute(statement.encode(), binary=True)  # binary: the protocol that takes exactly one statement
                if unique is not None:
                    _check_unique(connection, unique, writable)
                connection.execute(sql.SQL("INSERT INTO {} (key, script_hash) VALUES (%s, %s)").format(ledger), [key, script_hash])
        except psycopg.Error as error:
            raise StatementFailed.of(say("refused.writing.failed", reason=passage(first_line(error)))) from None
        finally:
            connection.close()
        failpoint("after_source_commit")
        return True

    def _prepare(self, connection: psycopg.Connection[tuple[object, ...]], writable: Sequence[str]) -> None:
        if connection.info.parameter_status("is_superuser") == "on":
            raise UnsafeAccount.of(say("refused.writing.superuser"))
        connection.execute(
            "SELECT set_config('statement_timeout', %s, true), set_config('lock_timeout', '10s', true)", [str(int(self._timeout_s * 1000))]
        )
        found = connection.execute(_ELSEWHERE, {"writable": list(writable)}).fetchone()
        if found is not None:
            raise UnsafeAccount.of(say("refused.writing.may_change", table=name(found[0])))


def _check_unique(connection: psycopg.Connection[tuple[object, ...]], unique: Unique, writable: Sequence[str]) -> None:
    """Raises `StatementFailed` where several rows have the same key. A table or column that is not found in any spelling is not checked."""
    table, key = unique
    schema, _, bare = table.replace('"', "").rpartition(".")
    found = connection.execute(_COLUMNS, {"writable": list(writable), "name": bare, "schema": schema.rpartition(".")[2].lower()}).fetchall()
    wanted = {column.lower() for column in key}
    for there, relation, columns in found[:1] if len(found) == 1 else ():
        own = [str(column) for column in cast("Sequence[object]", columns)]
        names_ = [column for column in own if column.lower() in wanted]
        if len(names_) != len(wanted):
            continue
        grouped = sql.SQL(", ").join(map(sql.Identifier, names_))
        repeated = sql.SQL("SELECT 1 FROM {} GROUP BY {} HAVING count(*) > 1 LIMIT 1")
        if connection.execute(repeated.format(sql.Identifier(str(there), str(relation)), grouped)).fetchone() is not None:
            raise StatementFailed.of(say("refused.writing.key_repeats", table=name(table), key=names(key)))
