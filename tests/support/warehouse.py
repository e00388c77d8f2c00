"""A Postgres of the user's with a schema that is open to scripts, beside the blackboard's database."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from contracts.sources import Source, SourceKind
from tests.support.servers import Servers
from workers.blackboard.engine import Database, jsonb
from workers.sources.writing import allow_writing


@dataclass
class Warehouse:
    """A Postgres with a schema that is open to scripts."""

    admin_url: str
    write_url: str

    def rows(self) -> list[tuple[object, ...]]:
        with psycopg.connect(self.admin_url) as admin:
            if admin.execute("SELECT to_regclass('mart.totals')").fetchone() == (None,):
                return []
            return admin.execute("SELECT region, total FROM mart.totals ORDER BY 1, 2").fetchall()

    def comments(self) -> list[str]:
        """Those on `mart.totals` and its columns, in their order."""
        query = "SELECT description FROM pg_description WHERE objoid = 'mart.totals'::regclass ORDER BY objsubid"
        with psycopg.connect(self.admin_url) as admin:
            return [row[0] for row in admin.execute(query)]

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.admin_url, autocommit=True) as admin:
            for statement in statements:
                admin.execute(statement.encode())


@contextmanager
def open_warehouse(servers: Servers, database: Database, monkeypatch: pytest.MonkeyPatch) -> Generator[Warehouse]:
    """A source `sales` with three orders and an empty schema `mart`, and an account that may write there."""
    name, role = f"warehouse_{uuid4().hex[:8]}", f"writer_{uuid4().hex[:8]}"
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'secret'").format(sql.Identifier(role)))
    admin_url = servers.database_url(name)
    write_url = admin_url.replace(f"{admin_url.split('://')[1].split('@')[0]}@", f"{role}:secret@")
    found = Warehouse(admin_url, write_url)
    found.run(
        "CREATE TABLE orders (id integer, region text, total integer)",
        "INSERT INTO orders VALUES (1, 'EU', 10), (2, 'EU', 20), (3, 'US', 40)",
        f"CREATE SCHEMA mart AUTHORIZATION {role}",
        "REVOKE CREATE ON SCHEMA public FROM public",
        f"GRANT SELECT ON orders TO {role}",
    )
    source = Source(name="sales", kind=SourceKind.POSTGRES)
    database.statement(
        "INSERT INTO sources (name, kind, limits, owners, insisted, sample) VALUES ('sales', 'postgres', %(limits)s, '{}', false, false)",
        {"limits": jsonb(source.limits.to_json())},
    )
    monkeypatch.setenv("BULLPEN_SOURCE_SALES_WRITE_URL", write_url)
    allow_writing(database, "sales", "mart")
    yield found
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))
