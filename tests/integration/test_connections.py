"""The connections of a process to Postgres: how many are opened, which are kept, and what the others see of each other's."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import LiteralString
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from tests.support.servers import Servers, lasting_port
from workers.blackboard import engine
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate, require_current
from workers.errors import ConfigurationError, DatabaseUnavailable

KEPT, MOST = 2, 4
"""Of a pool of two: the connections that stay, and those that may be open at once."""


@pytest.fixture
def pooled(database_url: str) -> Iterator[Database]:
    db = Database(database_url, pool_size=KEPT, name="pooled")
    yield db
    db.close()


def open_connections(database_url: str) -> set[int]:
    with psycopg.connect(database_url) as admin:
        return {pid for (pid,) in admin.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'pooled'")}


def meet(db: Database, threads: int) -> None:
    """Use as many connections at the same time."""
    together = threading.Barrier(threads)

    def use(_: int) -> None:
        with db.session():
            together.wait(60)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(use, range(threads)))


def test_threads_that_meet_again_find_the_connections_of_last_time(pooled: Database, database_url: str) -> None:
    """A new connection costs as much as several steps."""
    meet(pooled, MOST)
    first = open_connections(database_url)

    for _ in range(5):
        meet(pooled, MOST)

    assert len(first) == MOST
    assert open_connections(database_url) == first


def test_what_nobody_needed_for_a_while_is_closed(pooled: Database, database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    meet(pooled, MOST)
    monkeypatch.setattr(engine, "IDLE_S", -1.0)

    for _ in range(MOST):
        meet(pooled, 1)

    give_up = threading.Event()
    ends = threading.Timer(60, give_up.set)
    ends.start()
    while len(open_connections(database_url)) != KEPT and not give_up.is_set():  # the server notices a moment later
        give_up.wait(0.05)
    ends.cancel()
    assert len(open_connections(database_url)) == KEPT


def test_a_connection_that_was_left_in_a_transaction_is_not_used_again(pooled: Database, database_url: str) -> None:
    with pooled.session() as left:
        left.execute("BEGIN")

    with pooled.session() as another:
        assert another is not left
    assert left.closed


def test_a_statement_without_rows_gives_none_and_one_without_columns_too(pooled: Database) -> None:
    assert pooled.statement("SELECT 1 AS one WHERE false") == []
    assert pooled.statement("SET statement_timeout = 0") == []
    assert pooled.statement("SELECT 1 AS one") == [{"one": 1}]


@pytest.fixture
def read_only_for_a_while(database_url: str) -> Iterator[Callable[[bool], None]]:
    """Lets new connections be read-only, as those to an old primary are, or no more. Those that there are already stay as they are."""
    with psycopg.connect(database_url, autocommit=True) as admin:
        name = sql.Identifier(admin.info.dbname)

        def switch(on: bool) -> None:
            change = "SET default_transaction_read_only = on" if on else "RESET default_transaction_read_only"
            admin.execute(sql.SQL("ALTER DATABASE {} " + change).format(name))  # pyright: ignore[reportArgumentType]

        yield switch
        switch(False)


def test_connections_to_a_server_that_became_read_only_are_given_up(
    pooled: Database, read_only_for_a_while: Callable[[bool], None]
) -> None:
    """After a failover the pool leads to the old primary: a statement that may be repeated finds the new one, the others say that Postgres
    does not answer, and work the next time."""
    pooled.statement("CREATE TABLE kept (n int)")
    insert: LiteralString = "INSERT INTO kept VALUES (1)"
    pooled.close()
    read_only_for_a_while(True)
    meet(pooled, MOST)
    with pooled._lane.lend() as lane, pooled._company.lend() as company:  # pyright: ignore[reportPrivateUsage]
        assert {c.execute("SHOW transaction_read_only").fetchall()[0]["transaction_read_only"] for c in (lane, company)} == {"on"}
    read_only_for_a_while(False)

    pooled.statement(insert)
    with pooled._lane.lend() as lane:  # pyright: ignore[reportPrivateUsage]
        lane.execute("SET default_transaction_read_only = on")
    pooled.statement(insert)
    for do in (_in_session, _in_company, _in_unit_of_work):
        read_only_for_a_while(True)
        pooled.close()
        with pytest.raises(DatabaseUnavailable, match="read-only"):
            do(pooled, insert)
        read_only_for_a_while(False)
        do(pooled, insert)

    assert pooled.row("SELECT count(*) AS n FROM kept") == {"n": 5}


def _in_session(db: Database, insert: LiteralString) -> None:
    with db.session() as connection:
        connection.execute(insert)


def _in_company(db: Database, insert: LiteralString) -> None:
    db.statements([(insert, {})])


def _in_unit_of_work(db: Database, insert: LiteralString) -> None:
    with db.unit_of_work() as connection:
        connection.exec_driver_sql(insert)


def test_of_several_servers_in_the_url_the_primary_is_used(database_url: str, read_only_for_a_while: Callable[[bool], None]) -> None:
    """As docs say for a Postgres that fails over."""
    parts = urlsplit(database_url)
    there = f"{parts.username}:{parts.password}@127.0.0.1,127.0.0.1:{parts.port}"
    url = parts._replace(netloc=there, query="target_session_attrs=read-write").geturl()
    with closing(Database(url, reconnect_s=0.0)) as db:
        db.statement("CREATE TABLE kept (n int)")
        _in_unit_of_work(db, "INSERT INTO kept VALUES (1)")
        db.close()
        read_only_for_a_while(True)

        with pytest.raises(DatabaseUnavailable, match="read-only"):
            db.statement("SELECT 1 AS one")


def test_a_server_of_its_own_keeps_sessions(pooled: Database) -> None:
    pooled.require_sessions()


@pytest.mark.parametrize("mode", ["transaction", "session"])
def test_a_pooler_that_gives_connections_away_is_refused_in_a_sentence(database_url: str, mode: str) -> None:
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("PgBouncer is not installed")
    with behind_pgbouncer(program, database_url, mode) as url, closing(Database(url, reconnect_s=0.0)) as db:
        if mode == "session":
            require_current(db)
            return
        for refused in (require_current, migrate):
            with pytest.raises(ConfigurationError, match="pool_mode = session"):
                refused(db)


@pytest.fixture
def without_vector(servers: Servers) -> Iterator[tuple[str, str]]:
    """An empty database, as most servers give it: pgvector is not created, and its owner may not create it. Its URL, and a superuser's."""
    plain = f"plain_{uuid4().hex[:8]}"
    with psycopg.connect(servers.postgres.admin_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'pw'").format(sql.Identifier(plain)))
        admin.execute(sql.SQL("CREATE DATABASE {0} OWNER {0} TEMPLATE template0").format(sql.Identifier(plain)))
    above = urlsplit(servers.postgres.admin_url)._replace(path=f"/{plain}")
    yield above._replace(netloc=f"{plain}:pw@{above.netloc.rpartition('@')[2]}").geturl(), above.geturl()
    with psycopg.connect(servers.postgres.admin_url, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(plain)))
        admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(plain)))


def test_a_role_that_may_not_add_pgvector_is_told_who_can(without_vector: tuple[str, str]) -> None:
    url, above = without_vector
    with closing(Database(url, reconnect_s=0.0)) as db:
        with pytest.raises(ConfigurationError, match="An administrator runs `CREATE EXTENSION vector` in it once"):
            migrate(db)
        with psycopg.connect(above, autocommit=True) as admin:
            admin.execute("CREATE SCHEMA extensions")
            admin.execute("CREATE EXTENSION vector SCHEMA extensions")

        with pytest.raises(ConfigurationError, match=r"pgvector is in the schema extensions .* SET search_path = public, extensions"):
            migrate(db)


def test_a_role_that_may_create_no_table_is_told_what_it_lacks(without_vector: tuple[str, str]) -> None:
    url, above = without_vector
    with psycopg.connect(above, autocommit=True) as admin:
        admin.execute("CREATE EXTENSION vector")
        admin.execute(sql.SQL("ALTER DATABASE {} OWNER TO CURRENT_USER").format(sql.Identifier(urlsplit(url).path[1:])))

    with closing(Database(url, reconnect_s=0.0)) as db, pytest.raises(ConfigurationError, match="GRANT CREATE ON SCHEMA public"):
        migrate(db)


@contextmanager
def behind_pgbouncer(program: str, database_url: str, mode: str) -> Iterator[str]:
    """PgBouncer in front of the database: its URL."""
    parts = urlsplit(database_url)
    port = lasting_port()
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)  # it does not run as root
    (folder / "users.txt").write_text(f'"{parts.username}" "{parts.password or ""}"\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={parts.hostname} port={parts.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
        f"unix_socket_dir =\nauth_type = plain\nauth_file = {folder}/users.txt\npool_mode = {mode}\n"
    )
    as_other = {"user": "nobody"} if os.getuid() == 0 else {}
    (folder / "users.txt").chmod(0o644)
    process = subprocess.Popen([program, str(folder / "pgbouncer.ini")], stderr=subprocess.DEVNULL, **as_other)
    try:
        while process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
                break
        yield parts._replace(netloc=f"{parts.netloc.rpartition('@')[0]}@127.0.0.1:{port}").geturl()
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)
