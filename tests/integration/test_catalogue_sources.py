"""The catalogue of real sources in every engine, and the commands."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from typer.testing import CliRunner, Result

from contracts.catalogue import NodeKind
from contracts.sources import EVERYONE, Source, SourceKind, SourceLimits, SourcePolicy
from contracts.tables import JoinEvidence
from tests.support.servers import Servers
from tests.support.sources import Shop
from workers.blackboard.engine import Database
from workers.catalogue import Catalogue, import_source, offer_sample
from workers.catalogue.importing import Form, import_path
from workers.catalogue.sample import import_sample
from workers.cli import context
from workers.cli.main import app
from workers.sources import Sources, add_source, list_executions, list_sources, remove_source, set_policy
from workers.sources.sessions.postgres import Postgres
from workers.sources.sessions.sqlite_file import SQLiteFile


def test_a_source_of_every_engine_describes_itself_with_samples(
    shop: Shop, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BULLPEN_SOURCE_SHOP_URL", shop.url)
    add_source(database, tmp_path, Source(name="shop", kind=shop.kind, limits=SourceLimits(timeout_s=60)))
    before = shop.fingerprint()

    report = import_source(database, None, tmp_path, "shop")
    again = import_source(database, None, tmp_path, "shop")

    catalogue = Catalogue(database, None)
    orders, view = catalogue.table("shop", "orders", owner="ann"), catalogue.table("shop", "totals", owner="ann")
    assert orders is not None
    assert view is not None
    columns = {column.name: column for column in orders.columns}
    assert report.problems == ()
    assert {kind: (counts.new, counts.changed) for kind, counts in again.kinds.items()} == dict.fromkeys(again.kinds, (0, 0))
    assert (orders.primary_key, orders.rows, columns["id"].nullable) == (("id",), 4, False)
    assert (columns["region"].values, columns["region"].nullable) == (("EU", "US"), True)
    assert (columns["total"].minimum, columns["total"].maximum, columns["total"].distinct, columns["total"].nulls) == ("10", "80", 4, 0)
    assert view.is_view
    assert [path.evidence for path in catalogue.joins("shop", ["customers", "orders"], owner="ann")] == []
    assert shop.fingerprint() == before
    assert {row.owner for row in list_executions(database)} == {"catalogue"}


def test_what_is_hidden_from_everyone_is_never_read(
    shop: Shop, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BULLPEN_SOURCE_SHOP_URL", shop.url)
    add_source(database, tmp_path, Source(name="shop", kind=shop.kind))
    set_policy(database, tmp_path, "shop", SourcePolicy(owner=EVERYONE, table="orders", predicate="region = 'EU'", hidden=("note",)))

    report = import_source(database, None, tmp_path, "shop")

    kept = database.statement("SELECT content::text FROM catalogue_nodes WHERE key NOT LIKE '%.events%'")  # which has no policy
    assert [row["content"] for row in kept if "SECRET" in row["content"] or '"US"' in row["content"]] == []
    assert any(problem.place.endswith("orders") for problem in report.problems) or report.problems == ()


def test_a_source_for_named_owners_is_sampled_as_the_first(database: Database, tmp_path: Path) -> None:
    add_source_of_sample(database, tmp_path, owners=("ann", "bob"))

    import_source(database, None, tmp_path, "shop")

    assert {row.owner for row in list_executions(database)} == {"ann"}


def add_source_of_sample(database: Database, folder: Path, owners: tuple[str, ...] = ()) -> None:
    from workers.sources.addresses import sample_path
    from workers.sources.sample import make_shop

    make_shop(sample_path(folder))
    add_source(database, folder, Source(name="shop", kind=SourceKind.DUCKDB, sample=True, owners=owners))


def _fresh(servers: Servers, name: str) -> str:
    """The URL of an empty Postgres database."""
    with psycopg.connect(servers.postgres.url, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return servers.database_url(name)


def test_foreign_keys_and_uniques_of_postgres_are_read(servers: Servers) -> None:
    url = _fresh(servers, "keys_of_it")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE a (x int, y int, email text UNIQUE, PRIMARY KEY (y, x)); CREATE TABLE b (id serial PRIMARY KEY, ax int, ay int, "
            "FOREIGN KEY (ax, ay) REFERENCES a (x, y)); INSERT INTO a VALUES (1, 2, 'e')"
        )
        connection.execute(sql.SQL("ANALYZE"))

    keys = Postgres(url).keys()

    assert keys["public", "a"].primary_key == ("y", "x")
    assert (keys["public", "a"].unique, keys["public", "a"].rows) == ([("email",)], 1)
    (reference,) = keys["public", "b"].references
    assert (reference.columns, reference.table, reference.references) == (("ax", "ay"), "a", ("x", "y"))


def test_types_of_ones_own_and_what_extensions_bring_are_told_apart(servers: Servers) -> None:
    """The labels of an enum are its type, a domain is what it stands on, and the views of an extension are no data of the user's."""
    url = _fresh(servers, "types_of_it")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "CREATE EXTENSION IF NOT EXISTS vector; CREATE TYPE state AS ENUM ('reserved', 'it''s off'); "
            "CREATE DOMAIN euro AS numeric(10,2); "
            "CREATE TABLE stays (id int, state state, price euro, list_price money)"
        )
        connection.execute("CREATE VIEW of_extension AS SELECT 1 AS one; ALTER EXTENSION vector ADD VIEW of_extension")

    found = Postgres(url).introspect()

    (stays,) = [table for table in found.tables if not table.of_extension]
    assert [column.type for column in stays.columns] == ["integer", "enum('reserved','it''s off')", "numeric(10,2)", "money"]
    assert [table.name for table in found.tables if table.of_extension] == ["of_extension"]


def test_foreign_keys_of_sqlite_are_read_with_and_without_columns(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE a (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE);"
            "CREATE TABLE b (a_id REFERENCES a, code REFERENCES a (code));"
        )

    keys = SQLiteFile(tmp_path / "x.sqlite").keys()

    assert (keys["main", "a"].primary_key, keys["main", "a"].unique) == (("id",), [("code",)])
    assert {(found.columns, found.references) for found in keys["main", "b"].references} == {(("a_id",), ("id",)), (("code",), ("code",))}


def test_texts_in_a_column_that_sqlite_declares_as_dates_are_noted(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite keeps any text in a column of dates: the values say what they are."""
    with closing(sqlite3.connect(tmp_path / "v.sqlite")) as connection:
        connection.execute("CREATE TABLE visits (id INTEGER, visit_date DATE, paid_on DATE, seen_at DATETIME)")
        connection.executemany(
            "INSERT INTO visits VALUES (?, ?, ?, ?)",
            [(1, "28/01/2024", "2024-01-28", "2024-01-28 09:00:00"), (2, "02/02/2024", None, "2024-02-02T10:00:00Z")],
        )
        connection.commit()
    monkeypatch.setenv("BULLPEN_SOURCE_VISITS_URL", f"sqlite:///{tmp_path / 'v.sqlite'}")
    add_source(database, tmp_path, Source(name="visits", kind=SourceKind.SQLITE))

    import_source(database, None, tmp_path, "visits")

    table = Catalogue(database, None).table("visits", "visits", owner="ann")
    assert table is not None
    assert {column.name: column.holds_no_times for column in table.columns} == {
        "id": False, "visit_date": True, "paid_on": False, "seen_at": False,
    }  # fmt: skip


def test_a_file_in_capitals_describes_the_table_that_the_source_has_in_small_letters(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A catalog.json of another engine has its names in capitals."""
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as connection:
        connection.execute("CREATE TABLE dim_store (store_id INTEGER, size_sqm INTEGER)")
    monkeypatch.setenv("BULLPEN_SOURCE_STORES_URL", f"sqlite:///{tmp_path / 's.sqlite'}")
    add_source(database, tmp_path, Source(name="stores", kind=SourceKind.SQLITE))
    import_source(database, None, tmp_path, "stores")
    file = tmp_path / "tables.yaml"
    file.write_text("tables: [{name: MAIN.DIM_STORE, description: Shops, columns: [{name: SIZE_SQM, description: in square metres}]}]")

    import_path(database, None, file, form=Form.TABLES, source="stores")

    catalogue = Catalogue(database, None)
    assert [table.full_name for table in catalogue.tables("stores", owner="ann")] == ["main.dim_store"]
    table = catalogue.table("stores", "dim_store", owner="ann")
    assert table is not None
    assert table.description == "Shops"
    assert [(column.name, column.description) for column in table.columns] == [("store_id", ""), ("size_sqm", "in square metres")]


def test_the_shop_comes_with_documents_and_queries_that_run(database: Database, tmp_path: Path) -> None:
    first, second = offer_sample(database, tmp_path), offer_sample(database, tmp_path)
    catalogue, sources = Catalogue(database, None), Sources(database, tmp_path)

    rows = database.statement("SELECT content ->> 'sql' AS sql FROM catalogue_nodes WHERE kind = 'query'")
    problems = [row["report"]["problems"] for row in database.statement("SELECT report FROM catalogue_origins")]
    assert (first, second) == (True, False)
    assert len(rows) >= 12
    assert all(sources.query("shop", row["sql"], owner="ann").rows for row in rows)
    assert problems == [[], [], []]
    assert catalogue.passages("Why did orders fail in September 2025?", owner="ann")[0].heading == "Payment outage in September 2025"
    assert catalogue.passages("客单价", owner="ann")[0].title == "Average order value"
    assert catalogue.queries("revenue by month", "shop", owner="ann")
    evidence = {
        (path.left, path.right): path.evidence for path in catalogue.joins("shop", ["order_items", "returns", "orders"], owner="ann")
    }
    assert evidence["main.order_items", "main.orders"] is JoinEvidence.DECLARED
    assert evidence["main.order_items", "main.returns"] is JoinEvidence.QUERIES


def test_who_removed_the_shop_is_not_given_it_again(database: Database, tmp_path: Path) -> None:
    offer_sample(database, tmp_path)
    remove_source(database, "shop")

    assert offer_sample(database, tmp_path) is False
    assert list_sources(database) == []


def test_importing_the_sample_twice_changes_nothing(database: Database, tmp_path: Path) -> None:
    offer_sample(database, tmp_path)
    before = database.statement("SELECT node_id, updated_at FROM catalogue_nodes ORDER BY 1")

    import_sample(database, None, tmp_path)

    assert database.statement("SELECT node_id, updated_at FROM catalogue_nodes ORDER BY 1") == before


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    monkeypatch.setenv("BULLPEN_DATABASE_URL", database_url)
    monkeypatch.setenv("BULLPEN_BROKER_URL", broker_url)
    monkeypatch.setenv("BULLPEN_EMBEDDINGS", "none")
    monkeypatch.setenv("BULLPEN_HOME", str(tmp_path / "home"))
    context.forget()
    yield lambda *arguments: CliRunner().invoke(app, list(arguments))
    context.forget()


def test_the_commands_import_search_show_and_follow(bullpen: Callable[..., Result], tmp_path: Path) -> None:
    added = bullpen("source", "add", "shop", "--sample")
    again = bullpen("catalogue", "import", "shop", "--json")
    found = json.loads(bullpen("catalogue", "search", "revenue by channel", "--kind", "table", "--json").stdout)
    table = bullpen("catalogue", "show", "shop.orders")
    shown = json.loads(bullpen("catalogue", "show", "shop.orders", "--json").stdout)
    (tmp_path / "etl.sql").write_text("CREATE TABLE daily AS SELECT channel, count(order_id) AS orders FROM orders GROUP BY 1")
    script = bullpen("catalogue", "import", str(tmp_path / "etl.sql"), "--form", "queries", "--source", "shop")
    lineage = json.loads(bullpen("catalogue", "lineage", "shop.daily.orders", "--json").stdout)
    reindexed = bullpen("catalogue", "reindex")

    assert added.exit_code == again.exit_code == script.exit_code == 0, added.output + again.output + script.output
    assert json.loads(again.stdout)["kinds"]["table"] == {"new": 0, "changed": 0, "unchanged": 6, "gone": 0}
    assert {pointer["place"] for pointer in found[:2]} == {"shop.main.orders", "shop.main.order_items"}
    assert found[0]["keys"] == ["get_table_detail", "get_table_lineage", "get_lineage_sql"]
    assert "completed, failed" in " ".join(table.stdout.split())
    assert "a foreign key" in " ".join(table.stdout.split())
    assert (shown["source"], shown["table"]["name"]) == ("shop", "orders")
    assert [(edge["result"], edge["origin"]) for edge in lineage] == [("daily.orders", "main.orders.order_id")]
    assert "Nothing differed" in reindexed.stdout


def test_the_commands_show_an_owner_only_what_they_may_see(bullpen: Callable[..., Result]) -> None:
    bullpen("source", "add", "shop", "--sample")
    policy = bullpen("source", "policy", "set", "shop", "customers", "--owner", "eve", "--hide", "email", "--json")

    mine = json.loads(bullpen("catalogue", "show", "shop.customers", "--as", "eve", "--json").stdout)
    assert json.loads(policy.stdout)["hidden"] == ["email"]
    assert "email" not in [column["name"] for column in mine["table"]["columns"]]
    assert json.loads(bullpen("source", "policy", "remove", "shop", "customers", "--owner", "eve", "--json").stdout)["removed"] is True
    removed = json.loads(bullpen("source", "remove", "shop", "--json").stdout)
    assert removed["catalogue_entries"] > 50
    assert bullpen("catalogue", "show", "shop.customers").exit_code == 4
    assert json.loads(bullpen("catalogue", "search", "orders", "--json").stdout) == []


def test_wrong_input_says_the_next_move(bullpen: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"table": "x", "columns": [{}]}\n{"table": "y", "columns": ["a"]}')
    (tmp_path / "x.sql").write_text("SELECT 1")

    nothing = bullpen("catalogue", "import", "nowhere")
    partly = bullpen("catalogue", "import", str(tmp_path / "bad.jsonl"), "--source", "shop")
    unclear = bullpen("catalogue", "import", str(tmp_path / "x.sql"))
    nameless = bullpen("catalogue", "import", str(tmp_path / "x.sql"), "--form", "queries")

    assert (nothing.exit_code, partly.exit_code, unclear.exit_code, nameless.exit_code) == (4, 3, 2, 2)
    assert "bullpen source add" in nothing.stderr
    assert "a column has no name" in " ".join(partly.stdout.split())
    assert "--form" in unclear.stderr
    assert "--source" in nameless.stderr


def test_kinds_of_a_search_are_those_asked_for(bullpen: Callable[..., Result]) -> None:
    bullpen("source", "add", "shop", "--sample")

    found = json.loads(bullpen("catalogue", "search", "orders", "--kind", NodeKind.DOCUMENT, "--kind", NodeKind.QUERY, "--json").stdout)

    assert {pointer["kind"] for pointer in found} == {"document", "sql"}
