"""Postgres: one read-only transaction a statement, by an account that can only SELECT.

The transaction is made read-only by BEGIN, and a first statement of ours closes the door behind it: Postgres lets no
transaction become writable once it has run a query. Statements go by the extended protocol, which takes exactly one.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.rows import tuple_row

from contracts.sources import SourceKind
from contracts.statements import Name, Statement, count, passage, say
from workers.errors import SourceUnavailable, UnsafeAccount
from workers.secrets import redact_url
from workers.sources.schema import KeysByTable, KnownColumn, KnownKeys, KnownReference, KnownTable, SourceSchema
from workers.sources.sessions.base import EVERYTHING, Batches, Opening, Session, Values, Wanted

_Connection = psycopg.Connection[tuple[Any, ...]]

_TABLES = """
SELECT c.oid, n.nspname, c.relname, c.relkind, obj_description(c.oid, 'pg_class'),
       CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END,
       ARRAY(SELECT pn.nspname || chr(1) || p.relname FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent
             JOIN pg_namespace pn ON pn.oid = p.relnamespace WHERE i.inhrelid = c.oid),
       EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%%'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
"""
_COLUMNS = """
SELECT a.attrelid, a.attname,
       CASE b.typtype WHEN 'e' THEN (SELECT 'enum(' || string_agg(quote_literal(e.enumlabel), ',' ORDER BY e.enumsortorder) || ')'
                                     FROM pg_enum e WHERE e.enumtypid = b.oid)
                      ELSE CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod)
                                          ELSE format_type(a.atttypid, a.atttypmod) END END,
       col_description(a.attrelid, a.attnum)
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
WHERE a.attrelid = ANY(%s) AND a.attnum > 0 AND NOT a.attisdropped
  AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attrelid, a.attnum
"""
_KEYS = """
SELECT n.nspname, c.relname, k.contype::text,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY p(number, place)
             JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.number ORDER BY p.place),
       fn.nspname, f.relname,
       ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY p(number, place)
             JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = p.number ORDER BY p.place)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_class f ON f.oid = k.confrelid LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
WHERE k.contype IN ('p', 'u', 'f') AND has_any_column_privilege(c.oid, 'SELECT') AND n.nspname NOT LIKE 'pg\\_%'
"""
_SIZES = """
SELECT n.nspname, c.relname, c.reltuples::bigint,
       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND a.attnotnull AND NOT a.attisdropped),
       c.relkind IN ('r', 'p')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
  AND has_any_column_privilege(c.oid, 'SELECT')
"""
CHUNK = 20
"""Rows that the driver reads at once; it holds them whole before anybody can count their bytes."""

_ROLES = (
    "pg_write_all_data", "pg_execute_server_program", "pg_read_server_files", "pg_write_server_files", "pg_signal_backend", "pg_maintain",
    "pg_checkpoint", "pg_create_subscription",
)  # fmt: skip
_FAULTS = """
SELECT 'writes', string_agg(DISTINCT lower(p.privilege), ', '), count(DISTINCT c.oid), min(n.nspname || '.' || c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
CROSS JOIN (VALUES ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE')) p(privilege)
WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%%'
  AND (has_table_privilege(c.oid, p.privilege) OR (p.privilege IN ('INSERT', 'UPDATE') AND has_any_column_privilege(c.oid, p.privilege)))
HAVING count(*) > 0
UNION ALL SELECT 'owns', '', count(*), min(c.relname)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE pg_has_role(c.relowner, 'MEMBER') AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%%' HAVING count(*) > 0
UNION ALL SELECT 'creates_tables', '', 0, n.nspname FROM pg_namespace n
WHERE n.nspname NOT LIKE 'pg\\_%%' AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'CREATE')
UNION ALL SELECT 'creates_schemas', '', 0, '' WHERE has_database_privilege(current_database(), 'CREATE')
UNION ALL SELECT 'member', '', 0, r.rolname FROM pg_roles r WHERE r.rolname = ANY(%s) AND pg_has_role(r.oid, 'MEMBER')
UNION ALL SELECT 'manages', '', 0, '' FROM pg_roles r
WHERE r.rolname = current_user AND (r.rolcreatedb OR r.rolcreaterole OR r.rolreplication)
"""
"""Each thing that an account could do besides reading: which, the rights, the number of tables, an example."""


def _fault(what: str, rights: str, tables: int, example: str) -> Statement:
    match what:
        case "writes":
            return say("refused.account.writes", rights=Name(text=rights), n=count(tables), table=Name(text=example))
        case "owns":
            return say("refused.account.owns", n=count(tables), table=Name(text=example))
        case "creates_tables":
            return say("refused.account.creates_tables", schema=Name(text=example))
        case "creates_schemas":
            return say("refused.account.creates_schemas")
        case "member":
            return say("refused.account.member", role=Name(text=example))
        case _:
            return say("refused.account.manages")


class Postgres:
    """The source behind a URL."""

    value_form = "%({})s"
    doubles_percent = True

    def __init__(self, url: str) -> None:
        self._url = "postgresql://" + url.split("://", 1)[1]

    def _connect(self) -> _Connection:
        try:
            return psycopg.Connection[tuple[Any, ...]].connect(
                self._url, row_factory=tuple_row, application_name="bullpen-source", connect_timeout=10, prepare_threshold=None
            )
        except psycopg.Error as error:
            where, reason = Name(text=redact_url(self._url)), passage(first_line(error))
            raise SourceUnavailable.of(say("refused.source.away", engine=Name(text="Postgres"), where=where, reason=reason)) from None

    @contextmanager
    def open(self, opening: Opening) -> Generator[Session]:
        """See `SourceEngine`."""
        connection = self._connect()
        try:
            if connection.info.parameter_status("is_superuser") == "on" and not opening.superuser:
                raise UnsafeAccount.of(say("refused.source.superuser"))
            connection.read_only = opening.read_only
            connection.execute(
                "SELECT set_config('statement_timeout', %s, true), set_config('idle_in_transaction_session_timeout', %s, true), "
                "set_config('lock_timeout', '5s', true)",
                [str(max(int(opening.timeout_s * 1000), 1)), str(int(opening.timeout_s * 1000) + 10_000)],
            )
            yield _Session(connection)
        finally:
            connection.close()

    def introspect(self) -> SourceSchema:
        """See `SourceEngine`. Only what the account may read."""
        connection = self._connect()
        try:
            connection.read_only = True
            tables = connection.execute(_TABLES, []).fetchall()
            columns = connection.execute(_COLUMNS, [[row[0] for row in tables]]).fetchall()
            search = connection.execute("SELECT unnest(current_schemas(false))").fetchall()
        finally:
            connection.close()
        by_table: dict[int, list[KnownColumn]] = {}
        for oid, name, kind, comment in columns:
            by_table.setdefault(oid, []).append(KnownColumn(name, kind, comment))
        known = [
            KnownTable(
                schema, name, tuple(by_table.get(oid, ())), comment, is_view=kind in ("v", "m"), definition=definition, stored=kind == "m",
                parents=tuple((place, parent) for place, _, parent in (text.partition("\x01") for text in parents)), of_extension=foreign,
            )
            for oid, schema, name, kind, comment, definition, parents, foreign in tables
        ]  # fmt: skip
        return SourceSchema(SourceKind.POSTGRES, tuple(known), tuple(str(row[0]) for row in search))

    def keys(self) -> KeysByTable:
        """See `SourceEngine`. The numbers of rows are those of the last ANALYZE."""
        connection = self._connect()
        try:
            connection.read_only = True
            sizes = connection.execute(_SIZES.encode()).fetchall()
            declared = connection.execute(_KEYS.encode()).fetchall()
        finally:
            connection.close()
        found: KeysByTable = {
            (schema, name): KnownKeys(rows=rows if rows >= 0 else None, not_null=set(columns), nullable_known=stored)
            for schema, name, rows, columns, stored in sizes
        }
        for schema, name, kind, columns, other_schema, other, others in declared:
            keys = found.setdefault((schema, name), KnownKeys())
            if kind == "p":
                keys.primary_key = tuple(columns)
            elif kind == "u":
                keys.unique.append(tuple(columns))
            else:
                keys.references.append(KnownReference(tuple(columns), other_schema, other, tuple(others)))
        return found

    def faults(self) -> list[Statement]:
        """See `SourceEngine`."""
        connection = self._connect()
        try:
            connection.read_only = True
            if connection.info.parameter_status("is_superuser") == "on":
                return [say("refused.account.superuser")]
            return [_fault(*row) for row in connection.execute(_FAULTS, [list(_ROLES)]).fetchall()]
        finally:
            connection.close()

    def brief(self, error: Exception, *, values_hidden: bool) -> str | None:
        """See `SourceEngine`."""
        if not isinstance(error, psycopg.Error):
            return None
        return f"{type(error).__name__} ({error.sqlstate})" if values_hidden else first_line(error)


class _Session:
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    def run(self, statement: str, values: Values, wanted: Wanted = EVERYTHING) -> Batches:
        cursor = self._connection.cursor()
        # stream() goes by the extended protocol, also without values, and holds no more than a batch in memory
        stream = cursor.stream(statement.encode(), dict(values), size=CHUNK)  # bytes: psycopg's type for SQL that is not a literal
        first = next(stream, None)
        columns = [(column.name, column.type_display) for column in cursor.description or []]
        return Batches(tuple(name for name, _ in columns), tuple(kind for _, kind in columns), _batches(first, stream))

    def cost(self, statement: str, values: Values) -> float | None:
        cursor = self._connection.cursor()
        plans = list(cursor.stream(b"EXPLAIN (FORMAT JSON) " + statement.encode(), dict(values)))
        return float(plans[0][0][0]["Plan"]["Total Cost"])

    def cancel(self) -> None:
        self._connection.cancel_safe(timeout=5)


def _batches(first: tuple[Any, ...] | None, stream: Iterator[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    if first is not None:
        yield [first]
    for row in stream:
        yield [row]


def first_line(error: Exception) -> str:
    """What a server says of an error: 500 characters at most, without the password of an address."""
    return redact_url((str(error).strip().splitlines() or [type(error).__name__])[0])[:500]
