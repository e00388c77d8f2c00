"""Locks 1 and 2 alone: what a statement may be, and which names it may use. No engine runs here."""

import json
from pathlib import Path

import pytest

from contracts.sources import Lock, SourceKind
from workers.errors import StatementRefused
from workers.sources.known import resolve_names
from workers.sources.parsing import parse_statement
from workers.sources.schema import KnownColumn, KnownTable, SourceSchema

ENGINES = (SourceKind.POSTGRES, SourceKind.MYSQL, SourceKind.SQLITE, SourceKind.DUCKDB)
MAIN = {SourceKind.POSTGRES: "public", SourceKind.MYSQL: "shop", SourceKind.SQLITE: "main", SourceKind.DUCKDB: "main"}

ATTACKS = [
    "",
    ";",
    "SELECT",
    "SELECT 1; DROP TABLE orders",
    "DROP TABLE orders",
    "INSERT INTO orders VALUES (1)",
    "UPDATE orders SET id = 1",
    "DELETE FROM orders",
    "CREATE TABLE x (id INT)",
    "CREATE TABLE x AS SELECT 1",
    "ALTER TABLE orders ADD x INT",
    "TRUNCATE TABLE orders",
    "SELECT * FROM orders FOR UPDATE",
    "GRANT ALL ON orders TO bob",
    "SET x = 1",
    "BEGIN",
    "COMMIT",
    "CALL poke()",
    "EXPLAIN SELECT 1",
    "SELECT nextval('s')",
    "SELECT poke()",
    "SELECT evil.lower('x')",
    "SELECT load_extension('x')",
    "SELECT REPEAT('x', 1000000000)",
    "SELECT LPAD('x', 1000000000)",
    "SELECT REPEAT(REPEAT('x', 10000), 300)",
    "SELECT REPEAT(CONCAT('a', UPPER(REPEAT('x', 9000))), 9000)",
    "SELECT REPEAT('" + "x" * 2000 + "', 10000)",
    "SELECT CURRENT_USER",
    "SELECT 'x\x00'",
    "SELECT " + "(" * 300 + "1" + ")" * 300,
    "SELECT '" + "x" * 100_001 + "'",
]

ATTACKS_BY_ENGINE = {
    SourceKind.POSTGRES: [
        "COPY orders TO '/tmp/x'",
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_sleep(60)",
        "SELECT pg_terminate_backend(1)",
        "SELECT pg_advisory_lock(1)",
        "NOTIFY x",
        "LISTEN x",
        "SET TRANSACTION READ WRITE",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d",
        "SELECT * INTO x FROM orders",
        "DO $$ BEGIN END $$",
        "VACUUM",
        "SELECT lo_import('/etc/passwd')",
        "SELECT dblink('host=x', 'SELECT 1')",
        "SELECT query_to_xml('SELECT 1', true, true, '')",
        "SELECT 'orders'::regclass",
        "SELECT current_setting('data_directory')",
        "SELECT * FROM pg_ls_dir('.')",
        "SELECT $1",
        "SELECT version()",
        "SELECT 1 OPERATOR(evil.+) 2",
    ],
    SourceKind.MYSQL: [
        "SELECT * FROM orders INTO OUTFILE '/tmp/x'",
        "SELECT 1 INTO DUMPFILE '/tmp/x'",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT SLEEP(60)",
        "SELECT GET_LOCK('x', 60)",
        "SELECT @@version",
        "SELECT @x := 1",
        "SET GLOBAL max_connections = 1",
        "SHOW PROCESSLIST",
        "SET SESSION TRANSACTION READ WRITE",
        "SELECT * FROM orders LOCK IN SHARE MODE",
        "SELECT BENCHMARK(1000000000, MD5('x'))",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE orders",
        "HANDLER orders OPEN",
        "SELECT /*+ SET_VAR(max_execution_time=0) */ 1 FROM orders",
        "SELECT SYS_EXEC('id')",
    ],
    SourceKind.SQLITE: [
        "ATTACH DATABASE '/tmp/x' AS x",
        "PRAGMA writable_schema = 1",
        "SELECT writefile('/tmp/x', 'x')",
        "SELECT readfile('/etc/passwd')",
        "VACUUM INTO '/tmp/x'",
        "REINDEX",
        "SELECT randomblob(1000000000)",
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%999999999d', 1)",
        "SELECT * FROM pragma_table_info('orders')",
        "REPLACE INTO orders VALUES (1)",
    ],
    SourceKind.DUCKDB: [
        "COPY orders TO '/tmp/x'",
        "ATTACH '/tmp/x' AS x",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM query('DROP TABLE orders')",
        "PRAGMA database_list",
        "SELECT * FROM duckdb_settings()",
        "SELECT getenv('HOME')",
        "EXPORT DATABASE '/tmp/x'",
        "PREPARE x AS SELECT 1",
        "CHECKPOINT",
        "SELECT * FROM query_table('orders')",
        "PIVOT orders ON region",
        "SUMMARIZE orders",
        "SET threads = 64",
        "SELECT nextval('s')",
        "SELECT * FROM range(1000000000)",
        "SELECT current_setting('x')",
        "CALL pragma_version()",
    ],
}


@pytest.mark.parametrize(("kind", "attack"), [(kind, attack) for kind in ENGINES for attack in [*ATTACKS, *ATTACKS_BY_ENGINE[kind]]])
def test_the_parsed_lock_alone_refuses_every_attack(kind: SourceKind, attack: str) -> None:
    with pytest.raises(StatementRefused) as caught:
        parse_statement(attack, kind)

    assert caught.value.lock is Lock.PARSED


@pytest.mark.parametrize("kind", ENGINES)
def test_what_a_comment_holds_is_never_run(kind: SourceKind) -> None:
    tree = parse_statement("SELECT /*!50000 SLEEP(5), */ id /* x */ FROM orders -- y", kind)

    assert tree.sql(str(kind), comments=False) == "SELECT id FROM orders"


@pytest.mark.parametrize("kind", ENGINES)
def test_queries_of_data_engineers_pass(kind: SourceKind) -> None:
    for statement in (
        "SELECT region, COUNT(*), SUM(total) FILTER_ FROM orders GROUP BY region HAVING COUNT(*) > 1 ORDER BY 2 DESC LIMIT 10",
        "WITH a AS (SELECT id, ROW_NUMBER() OVER (PARTITION BY region ORDER BY total DESC) AS n FROM orders) SELECT * FROM a WHERE n = 1",
        "SELECT CASE WHEN total > 10 THEN 'high' ELSE 'low' END AS c, COALESCE(note, '-'), UPPER(region), ROUND(total, 2) FROM orders",
        "SELECT CAST(total AS DECIMAL(10, 2)) FROM orders WHERE region IN ('EU', 'US') AND total BETWEEN 1 AND 9 AND note LIKE 'a%'",
        "SELECT id FROM orders WHERE region = :region UNION ALL SELECT id FROM customers",
    ):
        parse_statement(statement, kind)


def schema(kind: SourceKind) -> SourceSchema:
    def table(name: str, *columns: str) -> KnownTable:
        return KnownTable(MAIN[kind], name, tuple(KnownColumn(column) for column in columns))

    return SourceSchema(kind, (table("orders", "id", "customer_id", "total"), table("customers", "id", "name")), (MAIN[kind],))


UNKNOWN = [
    ("SELECT * FROM ordres", "orders"),
    ("SELECT totl FROM orders", "orders.total"),
    ("SELECT o.totl FROM orders o", "orders.total"),
    ("SELECT id FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.custmer_id = c.id)", "orders.customer_id"),
    ("SELECT (SELECT nmae FROM customers WHERE customers.id = orders.id) FROM orders", "customers.name"),
    ("WITH a AS (SELECT id FROM orders) SELECT total FROM a", "orders.total"),
    ("SELECT id FROM orders ORDER BY totl", "orders.total"),
    ("SELECT id FROM orders UNION SELECT idd FROM customers", "orders.id"),
    ("SELECT * FROM information_schema.tables", None),
    ("SELECT * FROM sqlite_master", None),
    ("SELECT * FROM pg_shadow", None),
    ("SELECT * FROM mysql.user", None),
    ("SELECT * FROM other.orders", "orders"),
    ("SELECT * FROM a.b.orders", None),
    ("SELECT * FROM orders o, (SELECT nosuch FROM customers) x", None),
    ("SELECT rowid FROM customers GROUP BY nosuch", None),
]


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize(("statement", "near"), UNKNOWN)
def test_the_known_lock_alone_refuses_unknown_names_with_the_nearest(kind: SourceKind, statement: str, near: str | None) -> None:
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(statement, read=str(kind))
    assert isinstance(tree, exp.Query)

    with pytest.raises(StatementRefused) as caught:
        resolve_names(tree, schema(kind))

    assert caught.value.lock is Lock.KNOWN
    assert near is None or near in caught.value.nearest


@pytest.mark.parametrize("kind", ENGINES)
def test_names_are_compared_as_the_engine_compares_them(kind: SourceKind) -> None:
    place = MAIN[kind]
    for statement in (
        "SELECT O.ID, Total FROM orders AS O",
        f"SELECT {place}.orders.id FROM {place}.orders",
        "SELECT total AS t FROM orders ORDER BY t",
    ):
        resolve_names(parse_statement(statement, kind), schema(kind))


def test_real_questions_pass_both_locks(eval_data: Path) -> None:
    """Gold queries of six databases, in two dialects: none is refused."""
    tables = [json.loads(line) for line in (eval_data / "nl2sql" / "catalogue.jsonl").read_text("utf-8").splitlines()]
    refused: list[str] = []
    for line in (eval_data / "nl2sql" / "questions.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        for kind, name in ((SourceKind.POSTGRES, "gold_postgres"), (SourceKind.SQLITE, "gold_sqlite")):
            known = tuple(
                KnownTable(MAIN[kind], table["table"], tuple(KnownColumn(column["name"]) for column in table["columns"]))
                for table in tables
                if table["db"] == question["db"]
            )
            for statement in question[name] if isinstance(question[name], list) else [question[name]]:
                try:
                    resolve_names(parse_statement(statement, kind), SourceSchema(kind, known, (MAIN[kind],)))
                except StatementRefused as error:
                    refused.append(f"{error}: {statement}")

    assert refused == []
