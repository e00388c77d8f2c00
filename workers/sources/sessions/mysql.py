"""MySQL and MariaDB: an account with SELECT alone, in a read-only session.

`START TRANSACTION READ ONLY` is no wall here: DDL commits it implicitly and passes, and INTO OUTFILE never asks. What
holds is the account's grants; the session is set to read-only besides.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pymysql
from pymysql.cursors import SSCursor

from contracts.sources import SourceKind
from contracts.statements import Name, Statement, names, passage, quote, say
from workers.errors import SourceUnavailable
from workers.sources.schema import KeysByTable, KnownColumn, KnownKeys, KnownReference, KnownTable, SourceSchema
from workers.sources.sessions.base import EVERYTHING, Batches, Opening, Session, Values, Wanted, in_batches

_HARMLESS = frozenset({"SELECT", "USAGE", "SHOW VIEW", "SHOW DATABASES"})
_GRANT = re.compile(r"^GRANT (?P<what>.+?) ON (?P<where>.+?) TO ", re.IGNORECASE)
_NO_DATABASE = ("information_schema", "mysql", "performance_schema", "sys")
_UNKNOWN_VARIABLE = 1193
_SIZES = "SELECT table_schema, table_name, table_rows FROM information_schema.tables WHERE table_schema NOT IN %s"
_NEVER_NULL = (
    "SELECT table_schema, table_name, column_name FROM information_schema.columns WHERE table_schema NOT IN %s AND is_nullable = 'NO'"
)
_KEYS = (
    "SELECT c.table_schema, c.table_name, c.constraint_name, c.constraint_type, k.column_name, k.referenced_table_schema, "
    "k.referenced_table_name, k.referenced_column_name FROM information_schema.table_constraints c "
    "JOIN information_schema.key_column_usage k ON k.constraint_schema = c.constraint_schema AND k.table_name = c.table_name "
    "AND k.constraint_name = c.constraint_name WHERE c.table_schema NOT IN %s "
    "AND c.constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY') ORDER BY 1, 2, 3, k.ordinal_position"
)


class MySQL:
    """The source behind a URL: `mysql://user:password@host:3306/database`."""

    value_form = "%({})s"
    doubles_percent = True

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)

    def _connect(self, timeout_s: float = 30.0) -> "pymysql.Connection[Any]":
        parts = self._parts
        asked = parse_qs(parts.query)
        tls = {"ca": asked["ssl_ca"][0]} if "ssl_ca" in asked else None
        try:
            return pymysql.connect(
                host=parts.hostname or "127.0.0.1", port=parts.port or 3306, user=unquote(parts.username or ""),
                password=unquote(parts.password or ""), database=unquote(parts.path.lstrip("/")) or None, charset="utf8mb4",
                connect_timeout=10, read_timeout=int(timeout_s) + 15, write_timeout=30, local_infile=False, autocommit=False, ssl=tls,
                program_name="bullpen-source",
            )  # fmt: skip
        except (pymysql.Error, OSError) as error:
            where, reason = Name(text=f"{parts.hostname}:{parts.port or 3306}"), passage(_text(error))
            raise SourceUnavailable.of(say("refused.source.away", engine=Name(text="MySQL"), where=where, reason=reason)) from None

    @contextmanager
    def open(self, opening: Opening) -> Generator[Session]:
        """See `SourceEngine`."""
        connection = self._connect(opening.timeout_s)
        try:
            with connection.cursor() as cursor:
                if opening.read_only:
                    cursor.execute("SET SESSION TRANSACTION READ ONLY")
                _limit_time(cursor, opening.timeout_s)
            connection.begin()
            yield _Session(connection, lambda: self._connect())
        finally:
            connection.close()  # says goodbye and closes the socket, without reading what is left of an unfinished result

    def introspect(self) -> SourceSchema:
        """See `SourceEngine`."""
        connection = self._connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT t.table_schema, t.table_name, t.table_type, t.table_comment, v.view_definition "
                    "FROM information_schema.tables t "
                    "LEFT JOIN information_schema.views v ON v.table_schema = t.table_schema AND v.table_name = t.table_name "
                    "WHERE t.table_schema NOT IN %s",
                    [_NO_DATABASE],
                )
                tables: list[Any] = list(cursor.fetchall())
                cursor.execute(
                    "SELECT table_schema, table_name, column_name, column_type, column_comment "
                    "FROM information_schema.columns "
                    "WHERE table_schema NOT IN %s ORDER BY ordinal_position",
                    [_NO_DATABASE],
                )
                columns: list[Any] = list(cursor.fetchall())
                cursor.execute("SELECT database()")
                row: Any = cursor.fetchone()
        finally:
            connection.close()
        by_table: dict[tuple[str, str], list[KnownColumn]] = {}
        for schema, table, name, kind, comment in columns:
            by_table.setdefault((schema, table), []).append(KnownColumn(name, str(kind), comment or None))
        database = str(row[0]) if row and row[0] else None
        known = [
            KnownTable(
                schema,
                name,
                tuple(by_table.get((schema, name), ())),
                comment or None,
                is_view="VIEW" in kind,
                definition=definition or None,
                elsewhere=database is not None and schema != database,
            )
            for schema, name, kind, comment, definition in tables
        ]  # fmt: skip
        return SourceSchema(SourceKind.MYSQL, tuple(known), (database,) if database else ())

    def keys(self) -> KeysByTable:
        """See `SourceEngine`. The numbers of rows are the engine's estimates."""
        connection = self._connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(_SIZES, [_NO_DATABASE])
                sizes: list[Any] = list(cursor.fetchall())
                cursor.execute(_NEVER_NULL, [_NO_DATABASE])
                never_null: list[Any] = list(cursor.fetchall())
                cursor.execute(_KEYS, [_NO_DATABASE])
                declared: list[Any] = list(cursor.fetchall())
        finally:
            connection.close()
        found: KeysByTable = {(schema, name): KnownKeys(rows=rows) for schema, name, rows in sizes}
        for schema, name, column in never_null:
            found.setdefault((schema, name), KnownKeys()).not_null.add(column)
        parts: dict[tuple[str, str, str], list[Any]] = {}
        for schema, name, constraint, kind, column, *other in declared:
            parts.setdefault((schema, name, constraint), []).append((kind, column, *other))
        for (schema, name, _), members in parts.items():
            keys, columns = found.setdefault((schema, name), KnownKeys()), tuple(member[1] for member in members)
            kind, _, other_schema, other, _ = members[0]
            if kind == "PRIMARY KEY":
                keys.primary_key = columns
            elif kind == "UNIQUE":
                keys.unique.append(columns)
            else:
                keys.references.append(KnownReference(columns, other_schema, other, tuple(member[4] for member in members)))
        return found

    def faults(self) -> list[Statement]:
        """See `SourceEngine`."""
        connection = self._connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute("SHOW GRANTS")
                grants = [str(row[0]) for row in cursor.fetchall()]
        finally:
            connection.close()
        return [fault for grant in grants if (fault := grant_fault(grant))]

    def brief(self, error: Exception, *, values_hidden: bool) -> str | None:
        """See `SourceEngine`."""
        if not isinstance(error, pymysql.Error):
            return None
        return f"{type(error).__name__} ({error.args[0] if error.args else '?'})" if values_hidden else _text(error)


class _Session:
    def __init__(self, connection: "pymysql.Connection[Any]", connect: Any) -> None:
        self._connection = connection
        self._connect = connect

    def run(self, statement: str, values: Values, wanted: Wanted = EVERYTHING) -> Batches:
        cursor = self._connection.cursor(SSCursor)
        cursor.execute(statement, dict(values) if values else {"": None})  # with values, so that `%%` is read the same way
        columns: list[Any] = list(cursor.description or [])
        return Batches(
            tuple(str(column[0]) for column in columns),
            tuple(_TYPES.get(column[1], "") for column in columns),
            in_batches(cursor.fetchmany),
        )

    def cost(self, statement: str, values: Values) -> float | None:
        import json

        with self._connection.cursor() as cursor:
            cursor.execute("EXPLAIN FORMAT=JSON " + statement, dict(values) if values else {"": None})
            row: Any = cursor.fetchone()
        block: dict[str, Any] = json.loads(row[0]).get("query_block", {})
        found = block.get("cost_info", {}).get("query_cost", block.get("cost"))  # MySQL; MariaDB from 11 on
        return None if found is None else float(found)

    def cancel(self) -> None:
        killer = self._connect()
        try:
            with killer.cursor() as cursor:
                cursor.execute("KILL QUERY %s", [self._connection.thread_id()])
        finally:
            killer.close()


def _limit_time(cursor: Any, timeout_s: float) -> None:
    """MariaDB in seconds, MySQL in milliseconds."""
    try:
        cursor.execute("SET SESSION max_statement_time = %s", [timeout_s])
    except pymysql.Error as error:
        if not error.args or error.args[0] != _UNKNOWN_VARIABLE:
            raise
        cursor.execute("SET SESSION max_execution_time = %s", [max(int(timeout_s * 1000), 1)])


def grant_fault(grant: str) -> Statement | None:
    """What a line of SHOW GRANTS allows besides reading; None: nothing."""
    found = _GRANT.match(grant)
    if found is None:
        return say("refused.account.role", grant=quote(grant.partition(" TO ")[0][:100]))
    rights = {re.sub(r"\s*\(.*?\)", "", right).strip().upper() for right in re.split(r",(?![^(]*\))", found["what"])}
    if "WITH GRANT OPTION" in grant.upper():
        rights.add("GRANT OPTION")
    more = sorted(rights - _HARMLESS)
    return say("refused.account.has", rights=names(more), where=Name(text=found["where"])) if more else None


def _text(error: Exception) -> str:
    return str(error.args[-1] if error.args else error)[:500]


_TYPES = {
    0: "decimal", 1: "tinyint", 2: "smallint", 3: "int", 4: "float", 5: "double", 7: "timestamp", 8: "bigint", 9: "mediumint", 10: "date",
    11: "time", 12: "datetime", 13: "year", 15: "varchar", 16: "bit", 245: "json", 246: "decimal", 252: "text", 253: "varchar", 254: "char",
}  # fmt: skip
"""The protocol's numbers of types."""
