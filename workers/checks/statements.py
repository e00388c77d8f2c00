"""The statements that may be run on a system: one SELECT over the server's own statistics and nothing else.

The parts and functions are those of the sources' first lock (`workers.sources.parsing`), with functions that tell of the server; the
relations are an allow-list of views and catalogues that hold no user's data. Names are printed with their schema, so that nothing of a
user's own can stand in for them.
"""

from sqlglot import exp

from contracts.sources import Lock, SourceKind
from contracts.statements import name, say
from workers.errors import StatementRefused
from workers.sources.parsing import parse_statement

FUNCTIONS = frozenset(
    [
        "pg_blocking_pids",
        "pg_safe_snapshot_blocking_pids",
        "pg_database_size",
        "pg_total_relation_size",
        "pg_relation_size",
        "pg_table_size",
        "pg_indexes_size",
        "pg_tablespace_size",
        "pg_size_pretty",
        "pg_wal_lsn_diff",
        "pg_current_wal_lsn",
        "pg_last_wal_receive_lsn",
        "pg_last_wal_replay_lsn",
        "pg_last_xact_replay_timestamp",
        "pg_is_in_recovery",
        "pg_postmaster_start_time",
        "pg_conf_load_time",
        "pg_backend_pid",
        "current_setting",
        "pg_stat_get_backend_pid",
        "pg_stat_get_live_tuples",
        "pg_stat_get_dead_tuples",
        "txid_current_if_assigned",
        "mxid_age",
        "pg_snapshot_xmin",
        "pg_encoding_to_char",
        "clock_timestamp",
        "statement_timestamp",
        "current_database",
        "host",
        "pg_size_bytes",
        "age",
    ]
)
"""Functions that tell of the server and change nothing: no `pg_stat_reset`, `pg_stat_file`, `pg_terminate_backend` and their like."""

VIEWS = frozenset(
    [
        "pg_stat_activity",
        "pg_stat_all_indexes",
        "pg_stat_all_tables",
        "pg_stat_archiver",
        "pg_stat_bgwriter",
        "pg_stat_checkpointer",
        "pg_stat_database",
        "pg_stat_database_conflicts",
        "pg_stat_gssapi",
        "pg_stat_io",
        "pg_stat_progress_analyze",
        "pg_stat_progress_basebackup",
        "pg_stat_progress_cluster",
        "pg_stat_progress_copy",
        "pg_stat_progress_create_index",
        "pg_stat_progress_vacuum",
        "pg_stat_recovery_prefetch",
        "pg_stat_replication",
        "pg_stat_replication_slots",
        "pg_stat_slru",
        "pg_stat_ssl",
        "pg_stat_subscription",
        "pg_stat_subscription_stats",
        "pg_stat_sys_indexes",
        "pg_stat_sys_tables",
        "pg_stat_user_functions",
        "pg_stat_user_indexes",
        "pg_stat_user_tables",
        "pg_stat_wal",
        "pg_stat_wal_receiver",
        "pg_stat_xact_all_tables",
        "pg_stat_xact_user_tables",
        "pg_statio_all_indexes",
        "pg_statio_all_tables",
        "pg_statio_all_sequences",
        "pg_statio_user_indexes",
        "pg_statio_user_tables",
        "pg_locks",
        "pg_settings",
        "pg_database",
        "pg_tablespace",
        "pg_class",
        "pg_namespace",
        "pg_index",
        "pg_indexes",
        "pg_tables",
        "pg_constraint",
        "pg_replication_slots",
        "pg_replication_origin_status",
        "pg_prepared_xacts",
        "pg_roles",
        "pg_sequences",
        "pg_extension",
        "pg_db_role_setting",
        "pg_wait_events",
    ]
)
"""All of the schema `pg_catalog`. `pg_stats` shows values of columns, `pg_authid` and `pg_shadow` passwords: they are not here."""


def parse_check(statement: str) -> exp.Query:
    """The tree of a statement that may be run on a system, as it is written. Raises `StatementRefused`."""
    tree = parse_statement(statement, SourceKind.POSTGRES, also=FUNCTIONS, tells_names=True)
    views_of(tree)
    return tree


def views_of(tree: exp.Query) -> dict[str, list[exp.Table]]:
    """The views that it reads, by their names. Raises `StatementRefused` for any other relation."""
    found: dict[str, list[exp.Table]] = {}
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Func):
            continue
        named = _named(table.this)
        if not table.db and _is_defined(table, named):
            continue
        if named not in VIEWS or table.catalog or table.db.lower() not in ("", "pg_catalog"):
            raise StatementRefused(Lock.KNOWN, say("check.refused.relation", relation=name(table.sql("postgres")[:80])))
        found.setdefault(named, []).append(table)
    return found


def _is_defined(table: exp.Table, named: str) -> bool:
    """Whether a name is that of a WITH in whose reach it is: one before it, or of a query around it."""
    child: exp.Expr = table
    while (parent := child.parent) is not None:
        within: exp.Expr | None = parent if isinstance(parent, exp.With) else parent.args.get("with_")
        if isinstance(within, exp.With) and child is not within:
            defined: list[exp.Expr] = within.expressions
            if parent is within and not within.args.get("recursive"):
                defined = defined[: defined.index(child)]
            if any(_named(each.args["alias"].this) == named for each in defined):
                return True
        child = parent
    return False


def printed(tree: exp.Query) -> str:
    """What runs: printed from the tree, each view with its schema."""
    tree = tree.copy()
    for tables in views_of(tree).values():
        for table in tables:
            table.set("db", exp.to_identifier("pg_catalog"))
    return tree.sql("postgres", comments=False)


def _named(identifier: exp.Expr) -> str:
    """A name as the server takes it: in lower case, unless it is quoted."""
    return identifier.name if identifier.args.get("quoted") else identifier.name.lower()
