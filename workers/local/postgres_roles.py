"""The two roles of an embedded Postgres: an administrator that only the server's owner uses, and the fleet's own, which is no superuser.

A superuser reads and writes any file of the server's account and runs programs, so a thief of the fleet's URL would have the
account too. Clusters of earlier releases have a single role, which `split_role` turns into these two.
"""

from collections.abc import Callable
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from workers.loggers import get_logger

log = get_logger(__name__)

FLEET = "bullpen"
"""Name of the fleet's role and of its database."""
ADMIN = "bullpen_admin"
"""The superuser that the cluster is created with."""
_HELPER = "bullpen_setup"
"""Exists while an old cluster is changed: a role cannot rename itself."""

Connect = Callable[[str, str], psycopg.Connection[Any]]
"""Role and database → a connection with autocommit."""

_OWN_OBJECTS: LiteralString = """
SELECT CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE'
       ELSE 'TABLE' END || ' ' || c.oid::regclass
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                    AND (d.deptype = 'e' OR (c.relkind = 'S' AND d.deptype IN ('a', 'i'))))
UNION ALL
SELECT 'ROUTINE ' || p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT 'TYPE ' || t.oid::regtype FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
 WHERE t.typtype IN ('e', 'd', 'r') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
   AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e')
UNION ALL
SELECT 'SCHEMA ' || quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public')
"""
"""What the migrations made, without the parts of extensions and the sequences that follow their tables."""


def provide(connect: Connect, password: str) -> None:
    """Make sure of the fleet's role, its database, and pgvector, which only a superuser may create; databases to come have it too."""
    with connect(ADMIN, "postgres") as admin:
        if not _has_role(admin, FLEET):
            _create_role(admin, FLEET, password, "NOSUPERUSER")
        admin.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(sql.Identifier(FLEET)))  # evaluations work in databases of their own
        if admin.execute("SELECT FROM pg_database WHERE datname = %s", [FLEET]).fetchone() is None:
            admin.execute(sql.SQL("CREATE DATABASE {0} OWNER {0}").format(sql.Identifier(FLEET)))
    for database in (FLEET, "template1"):
        with connect(ADMIN, database) as admin:
            admin.execute("CREATE EXTENSION IF NOT EXISTS vector")


def split_role(connect: Connect, password: str, admin_password: str) -> None:
    """Change a cluster whose only role is a superuser called like the fleet's. That role, which the system's own objects belong to, is
    renamed to the administrator; the fleet gets a new one with the same name and password, and all that it made.

    One transaction makes the change; stopped at any moment, it is made at the next start.
    """
    with connect(FLEET, "postgres") as old:
        if not _has_role(old, _HELPER):
            _create_role(old, _HELPER, admin_password, "SUPERUSER")
        _set_password(old, _HELPER, admin_password)
        has_database = old.execute("SELECT FROM pg_database WHERE datname = %s", [FLEET]).fetchone() is not None
    with connect(_HELPER, FLEET if has_database else "postgres") as helper, helper.transaction():
        helper.execute(sql.SQL("ALTER ROLE {} RENAME TO {}").format(sql.Identifier(FLEET), sql.Identifier(ADMIN)))
        _set_password(helper, ADMIN, admin_password)
        _create_role(helper, FLEET, password, "NOSUPERUSER")
        if has_database:
            helper.execute(sql.SQL("ALTER DATABASE {0} OWNER TO {0}").format(sql.Identifier(FLEET)))
            for (thing,) in helper.execute(_OWN_OBJECTS).fetchall():  # names that Postgres itself has quoted
                helper.execute(sql.SQL("ALTER {} OWNER TO {}").format(sql.SQL(thing), sql.Identifier(FLEET)))
    log.info("cluster_role_split", fleet=FLEET, admin=ADMIN)


def drop_helper(connect: Connect) -> None:
    """Remove the role of `split_role`, if it is still there."""
    with connect(ADMIN, "postgres") as admin:
        admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(_HELPER)))


def _has_role(connection: psycopg.Connection[Any], name: str) -> bool:
    return connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [name]).fetchone() is not None


def _create_role(connection: psycopg.Connection[Any], name: str, password: str, kind: LiteralString) -> None:
    connection.execute(sql.SQL("CREATE ROLE {} LOGIN " + kind).format(sql.Identifier(name)))
    _set_password(connection, name, password)


def _set_password(connection: psycopg.Connection[Any], name: str, password: str) -> None:
    """The server gets the hash, so that no log of statements holds the password."""
    coded = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(name), sql.Literal(coded)))
