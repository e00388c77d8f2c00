"""A script in Postgres: one transaction with its ledger row, so that it happens as a whole, and once."""

from collections.abc import Sequence
from dataclasses import dataclass
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
SELECT n.nspname, c.relname, array_agg(a.attname::text),
       array_agg(a.attname::text) FILTER (WHERE has_column_privilege(c.oid, a.attnum, 'SELECT'))
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY(%(writable)s) AND lower(c.relname) = lower(%(name)s)
  AND %(schema)s IN ('', lower(n.nspname))
GROUP BY n.nspname, c.relname
"""


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a script."""

    ran_before: bool
    """It had run, and nothing was done now."""
    is_checked: bool
    """False: the account may not read the table, so that nobody knows whether the script wrote a key twice."""


class PostgresWriter:
    """The account that may write, behind its URL."""

    def __init__(self, url: str, timeout_s: float) -> None:
        self._url = "postgresql://" + url.split("://", 1)[1]
        self._timeout_s = timeout_s

    def apply(
        self, key: UUID, script_hash: str, statements: Sequence[str], writable: Sequence[str], unique: Unique | None = None
    ) -> Applied:
        """Run the statements, unless they ran before. Raises `StatementFailed`, also where more rows than before have the same key
        afterwards, `UnsafeAccount` or `SourceUnavailable`; then nothing of them is left."""
        try:
            connection = psycopg.connect(self._url, application_name="bullpen-writer", connect_timeout=10, prepare_threshold=None)
        except psycopg.Error as error:
            where, reason = name(redact_url(self._url)), passage(first_line(error))
            raise SourceUnavailable.of(say("refused.source.away", engine=name("Postgres"), where=where, reason=reason)) from None
        try:
            with connection.transaction():  # of its own: it would lock the table against a load beside this one
                self._prepare(connection, writable)
                before = _repeated(connection, unique, writable)
            with connection.transaction():
                ledger = sql.Identifier(writable[0], LEDGER)
                connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(key)])
                made = "CREATE TABLE IF NOT EXISTS {} (key uuid PRIMARY KEY, script_hash text NOT NULL, done_at timestamptz DEFAULT now())"
                connection.execute(sql.SQL(made).format(ledger))
                if connection.execute(sql.SQL("SELECT 1 FROM {} WHERE key = %s").format(ledger), [key]).fetchone() is not None:
                    return Applied(ran_before=True, is_checked=before is not None)
                for number, statement in enumerate(statements):
                    if number:
                        failpoint("between_statements")
                    connection.execute(statement.encode(), binary=True)  # binary: the protocol that takes exactly one statement
                after = None if before is None else _repeated(connection, unique, writable)
                if unique and any(rows > (before or {}).get(key, 1) for key, rows in (after or {}).items()):
                    raise StatementFailed.of(say("refused.writing.key_repeats", table=name(unique[0]), key=names(unique[1])))
                connection.execute(sql.SQL("INSERT INTO {} (key, script_hash) VALUES (%s, %s)").format(ledger), [key, script_hash])
        except psycopg.Error as error:
            raise StatementFailed.of(say("refused.writing.failed", reason=passage(first_line(error)))) from None
        finally:
            connection.close()
        failpoint("after_source_commit")
        return Applied(ran_before=False, is_checked=after is not None)

    def _prepare(self, connection: psycopg.Connection[tuple[object, ...]], writable: Sequence[str]) -> None:
        if connection.info.parameter_status("is_superuser") == "on":
            raise UnsafeAccount.of(say("refused.writing.superuser"))
        connection.execute(
            "SELECT set_config('statement_timeout', %s, false), set_config('lock_timeout', '10s', false)",
            [str(int(self._timeout_s * 1000))],
        )
        found = connection.execute(_ELSEWHERE, {"writable": list(writable)}).fetchone()
        if found is not None:
            raise UnsafeAccount.of(say("refused.writing.may_change", table=name(found[0])))


def _repeated(
    connection: psycopg.Connection[tuple[object, ...]], unique: Unique | None, writable: Sequence[str]
) -> dict[object, int] | None:
    """The keys that several rows have, by a hash, with how many rows; as for UNIQUE, one with a NULL is like no other. Empty where the
    table or a column is not found in any spelling. None: the account may not read them."""
    if unique is None:
        return {}
    table, key = unique
    schema, _, bare = table.replace('"', "").rpartition(".")
    found = connection.execute(_COLUMNS, {"writable": list(writable), "name": bare, "schema": schema.rpartition(".")[2].lower()}).fetchall()
    wanted = {column.lower() for column in key}
    for there, relation, columns, readable in found[:1] if len(found) == 1 else ():
        own = [str(column) for column in cast("Sequence[object]", columns) if str(column).lower() in wanted]
        if len(own) != len(wanted):
            continue
        if not set(own) <= set(cast("Sequence[object]", readable or ())):
            return None
        grouped = sql.SQL(", ").join(map(sql.Identifier, own))
        whole = sql.SQL(" AND ").join(sql.SQL("{} IS NOT NULL").format(sql.Identifier(column)) for column in own)
        counted = sql.SQL("SELECT hashtextextended(ROW({0})::text, 0), count(*) FROM {1} WHERE {2} GROUP BY {0} HAVING count(*) > 1")
        rows = connection.execute(counted.format(grouped, sql.Identifier(str(there), str(relation)), whole))
        return {hashed: cast("int", many) for hashed, many in rows}
    return {}
