"""Folders of migrations, each file a step: the catalogue shows what they leave."""

from pathlib import Path

import pytest

from contracts.catalogue import NodeKind
from tests.support.said import said
from tests.unit.test_catalogue_forms import nodes, problems, write
from workers.catalogue.forms.ddl import read_ddl
from workers.catalogue.store import Item


def _read(folder: Path, files: dict[str, str], dialect: str = "postgres") -> list[Item]:
    for name, text in files.items():
        write(folder, name, text)
    return list(read_ddl(folder, "shop", dialect))


def test_a_folder_of_migrations_gives_the_tables_that_it_leaves(tmp_path: Path) -> None:
    items = _read(tmp_path, {
        "V1__init.sql": (
            "CREATE TABLE guests (id SERIAL PRIMARY KEY, town TEXT); CREATE TABLE scratch (line TEXT);"
            "CREATE TABLE stays (id INT, guest INT, paid NUMERIC(10,2), memo TEXT); COMMENT ON COLUMN stays.guest IS 'Who stayed';"
        ),
        "V2__keys.sql": (
            "ALTER TABLE stays ADD CONSTRAINT pk PRIMARY KEY (id); ALTER TABLE stays ADD FOREIGN KEY (guest) REFERENCES guests (id);"
            "ALTER TABLE stays RENAME COLUMN guest TO guest_id; ALTER TABLE stays ADD COLUMN state TEXT NOT NULL, ADD COLUMN left_on DATE;"
        ),
        "V3__less.sql": "DROP TABLE IF EXISTS scratch; ALTER TABLE stays DROP COLUMN memo;",
        "V10__names.sql": (
            "ALTER TABLE guests RENAME TO visitors; ALTER TABLE visitors RENAME COLUMN town TO city;"
            "ALTER TABLE stays ALTER COLUMN paid TYPE NUMERIC(14,4);"
        ),
        "U10__names.sql": "DROP TABLE visitors;",
    })  # fmt: skip

    tables, columns = nodes(items, NodeKind.TABLE), nodes(items, NodeKind.COLUMN)
    assert set(tables) == {"visitors", "stays"}
    assert tables["stays"]["primary_key"] == ["id"]
    assert tables["stays"]["foreign_keys"] == [{"columns": ["guest_id"], "table": "visitors", "references": ["id"]}]
    assert set(columns) == {
        "visitors.id", "visitors.city", "stays.id", "stays.guest_id", "stays.paid", "stays.state", "stays.left_on",
    }  # fmt: skip
    assert columns["stays.guest_id"]["description"] == "Who stayed"
    assert columns["stays.paid"]["type"] == "DECIMAL(14, 4)"
    assert [problem.place for problem in problems(items)] == ["V3__less.sql"]


def test_changes_of_mysql_keep_keys_and_names(tmp_path: Path) -> None:
    items = _read(
        tmp_path,
        {
            "1.up.sql": "CREATE TABLE a (id INT PRIMARY KEY, b INT, c INT); CREATE TABLE d (a_id INT REFERENCES a(id));",
            "2.up.sql": "ALTER TABLE a CHANGE b bee BIGINT COMMENT 'Busy', MODIFY COLUMN c VARCHAR(9) NOT NULL; RENAME TABLE d TO e;",
            "2.down.sql": "ALTER TABLE a DROP COLUMN bee;",
        },
        "mysql",
    )

    columns = nodes(items, NodeKind.COLUMN)
    assert set(columns) == {"a.id", "a.bee", "a.c", "e.a_id"}
    assert (columns["a.bee"]["description"], columns["a.c"]["type"]) == ("Busy", "VARCHAR(9)")


@pytest.mark.parametrize("mark", ["-- +goose {}", "-- +migrate {}", "-- migrate:{}", "-- rambler {}", "-- !{}s", "# --- !{}s"])
def test_the_way_back_in_a_file_is_not_gone(tmp_path: Path, mark: str) -> None:
    up, down = mark.format("Up"), mark.format("Down")
    items = _read(tmp_path, {"001_a.sql": f"{up}\nCREATE TABLE a (id INT);\n{down}\nDROP TABLE a;\n"})

    assert set(nodes(items, NodeKind.TABLE)) == {"a"}


def test_what_stands_above_the_way_back_leads_forward(tmp_path: Path) -> None:
    items = _read(tmp_path, {"1.sql": "-- // create a\nCREATE TABLE a (id INT);\n\n-- //@UNDO\n-- SQL to undo.\nDROP TABLE a;\n"})

    assert set(nodes(items, NodeKind.TABLE)) == {"a"}
    assert not problems(items)


def test_scripts_that_take_a_change_back_are_not_carried_out(tmp_path: Path) -> None:
    made = {f"deploy/{name}.sql": f"CREATE TABLE {name} (id INT);" for name in ("a", "b")}
    items = _read(tmp_path, {**made, **{f"revert/{name}.sql": f"DROP TABLE {name};" for name in ("a", "b")}})

    assert set(nodes(items, NodeKind.TABLE)) == {"a", "b"}
    assert not problems(items)


def test_a_name_that_ends_with_down_takes_nothing_back_by_itself(tmp_path: Path) -> None:
    items = _read(tmp_path, {"V1__a.sql": "CREATE TABLE a (id INT);", "V2__slow_down.sql": "CREATE TABLE slow (id INT);"})

    assert set(nodes(items, NodeKind.TABLE)) == {"a", "slow"}


def test_tables_that_a_file_drops_are_named(tmp_path: Path) -> None:
    """One that is made again, as dumps and SQLite's changes of a column do, is not gone."""
    items = _read(tmp_path, {
        "001.sql": "CREATE TABLE a (id INT); CREATE TABLE b (id INT);",
        "002.sql": "CREATE TABLE b_new (id INT, c INT); DROP TABLE b; ALTER TABLE b_new RENAME TO b;", "drop_a.sql": "DROP TABLE a;",
    })  # fmt: skip

    assert set(nodes(items, NodeKind.TABLE)) == {"b"}
    (problem,) = problems(items)
    assert (problem.place, said(problem.reason).split(";")[0]) == ("drop_a.sql", "drops a")


def test_versions_of_flyway_count_by_their_parts(tmp_path: Path) -> None:
    items = _read(tmp_path, {
        "R__view.sql": "ALTER TABLE a ADD COLUMN last INT;", "V2.1__note.sql": "ALTER TABLE a ADD COLUMN note TEXT;",
        "V2__a.sql": "CREATE TABLE a (id INT);", "V2_0_5__b.sql": "ALTER TABLE a ADD COLUMN b INT;",
    })  # fmt: skip

    assert [name.rpartition(".")[2] for name in nodes(items, NodeKind.COLUMN)] == ["id", "b", "note", "last"]
    assert not problems(items)


@pytest.mark.parametrize("change", ["ADD COLUMN b INT", "ADD (b INT, c INT)"])
def test_a_change_of_a_table_that_is_made_later_is_named(tmp_path: Path, change: str) -> None:
    items = _read(tmp_path, {"migrations/001.sql": f"ALTER TABLE a {change};", "schema.sql": "CREATE TABLE a (id INT);"}, "mysql")

    assert [problem.place for problem in problems(items)] == ["migrations/001.sql"]


@pytest.mark.parametrize(
    ("written", "columns", "dialect"),
    [
        (
            "CREATE TABLE sales.orders (id INT, a TEXT); DROP TABLE IF EXISTS staging.orders; ALTER TABLE archive.orders DROP COLUMN a;"
            "ALTER TABLE archive.orders ADD PRIMARY KEY (a);",
            {"sales.orders.id", "sales.orders.a"}, "postgres",
        ),
        (
            "CREATE TABLE orders (id INT, a TEXT); DROP TABLE IF EXISTS staging.orders; ALTER TABLE archive.orders DROP COLUMN a;",
            {"orders.id", "orders.a"}, "postgres",
        ),
        ("CREATE TABLE orders (id INT); ALTER TABLE public.orders ADD COLUMN a TEXT;", {"orders.id", "orders.a"}, "postgres"),
        ("CREATE TABLE public.orders (id INT); ALTER TABLE orders ADD COLUMN a TEXT;", {"public.orders.id", "public.orders.a"}, "postgres"),
        ("USE shop; CREATE TABLE orders (id INT); ALTER TABLE shop.orders ADD COLUMN a TEXT;", {"orders.id", "orders.a"}, "mysql"),
        ("CREATE TABLE orders (id INT); RENAME TABLE orders TO archive.orders; DROP TABLE staging.orders;", {"archive.orders.id"}, "mysql"),
    ],
)  # fmt: skip
def test_a_table_of_another_schema_stays(tmp_path: Path, written: str, columns: set[str], dialect: str) -> None:
    items = _read(tmp_path, {"1.sql": written}, dialect)

    assert set(nodes(items, NodeKind.COLUMN)) == columns
    assert not any("primary_key" in table for table in nodes(items, NodeKind.TABLE).values())
    assert not problems(items)


@pytest.mark.parametrize(
    ("change", "tables"),
    [
        ("ALTER TABLE orders ADD COLUMN a TEXT;", set[str]()),
        ("DROP TABLE orders;", set[str]()),
        ("COMMENT ON TABLE orders IS 'x'; CREATE TABLE stock.lines (order_id INT REFERENCES orders (id));", {"stock.lines"}),
    ],
)
def test_a_name_that_several_schemas_have_is_not_clear(tmp_path: Path, change: str, tables: set[str]) -> None:
    items = _read(tmp_path, {"1.sql": f"CREATE TABLE sales.orders (id INT); CREATE TABLE crm.orders (id INT); {change}"}, "postgres")

    found = nodes(items, NodeKind.TABLE)
    assert set(found) == {"sales.orders", "crm.orders", *tables}
    assert not any(table.get("foreign_keys") or table.get("description") for table in found.values())
    assert ["is a table of several schemas" in said(problem.reason) for problem in problems(items)] == [True]


def test_a_key_leads_to_the_schema_of_its_table_and_like_takes_columns(tmp_path: Path) -> None:
    items = _read(tmp_path, {"1.sql": (
        "CREATE TABLE sales.orders (id INT); CREATE TABLE crm.orders (id INT PRIMARY KEY);"
        "CREATE TABLE crm.lines (order_id INT REFERENCES orders (id)); CREATE TABLE crm.old (LIKE orders INCLUDING ALL, at DATE);"
        "CREATE TABLE crm.bare (LIKE orders); CREATE TABLE crm.none (LIKE gone, x INT);"
    )})  # fmt: skip

    tables = nodes(items, NodeKind.TABLE)
    assert tables["crm.lines"]["foreign_keys"] == [{"columns": ["order_id"], "table": "crm.orders", "references": ["id"]}]
    assert (tables["crm.old"]["primary_key"], tables["crm.bare"].get("primary_key")) == (["id"], None)
    assert {"crm.old.id", "crm.old.at", "crm.bare.id", "crm.none.x"} <= set(nodes(items, NodeKind.COLUMN))
    assert ["LIKE gone" in str(problem.reason) for problem in problems(items)] == [True]


def test_what_is_there_already_is_not_made_again(tmp_path: Path) -> None:
    items = _read(tmp_path, {
        "1.sql": "CREATE TABLE orders (id INT); ALTER TABLE orders ADD COLUMN a BIGINT;",
        "2.sql": "CREATE TABLE IF NOT EXISTS orders (id INT); ALTER TABLE orders ADD COLUMN IF NOT EXISTS a TEXT;",
    })  # fmt: skip

    columns = nodes(items, NodeKind.COLUMN)
    assert set(columns) == {"orders.id", "orders.a"}
    assert columns["orders.a"]["type"] == "BIGINT"


def test_a_script_that_clears_everything_away_is_left_out(tmp_path: Path) -> None:
    items = _read(tmp_path, {
        "create.sql": "CREATE TABLE a (id INT); CREATE TABLE b (id INT);", "drop.sql": "DROP TABLE a; DROP TABLE b;",
        "down/1.sql": "DROP TABLE a;",
    })  # fmt: skip

    assert set(nodes(items, NodeKind.TABLE)) == {"a", "b"}
    assert [problem.place for problem in problems(items)] == ["down/1.sql", "drop.sql"]


def test_a_change_that_is_not_understood_is_named(tmp_path: Path) -> None:
    items = _read(tmp_path, {"1.sql": "CREATE TABLE a (id INT); ALTER TABLE a ADD (b INT, c INT); ALTER TABLE a OWNER TO x;"}, "mysql")

    (problem,) = problems(items)
    assert "ADD (b INT, c INT)" in str(problem.reason)


def test_what_a_dump_has_beside_its_tables_is_no_problem(tmp_path: Path) -> None:
    """Of a dump of Postgres every function, trigger and index was named as unread."""
    items = _read(tmp_path, {"dump.sql": (
        "\\restrict Xk3\nSET client_encoding = 'UTF8';\nCREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN x := 1; END; $$;\n"
        "CREATE TABLE public.a (id bigint NOT NULL) PARTITION BY RANGE (id);\n"
        "ALTER TABLE public.a ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME public.s NO MINVALUE CACHE 1);\n"
        "ALTER TABLE ONLY public.a ADD CONSTRAINT k PRIMARY KEY (id);\n"
        "CREATE INDEX ix ON ONLY public.a USING btree (id) WHERE (id = 1::public.t);\n"
        "CREATE TRIGGER t BEFORE UPDATE ON public.a FOR EACH ROW EXECUTE FUNCTION touch();\n\\unrestrict Xk3\n"
    )})  # fmt: skip

    assert nodes(items, NodeKind.TABLE)["public.a"]["primary_key"] == ["id"]
    assert not problems(items)


@pytest.mark.parametrize(
    ("looks", "dialect"), [("SET search_path TO shop, public;", "postgres"), ("ALTER SESSION SET CURRENT_SCHEMA = SHOP;", "oracle")]
)
def test_a_script_that_says_where_it_looks_means_its_own_tables_by_their_schema(tmp_path: Path, looks: str, dialect: str) -> None:
    items = _read(
        tmp_path,
        {"1.sql": f"{looks} CREATE TABLE customers (id INT PRIMARY KEY); ALTER TABLE shop.customers ADD email VARCHAR(90);"},
        dialect,
    )

    assert set(nodes(items, NodeKind.COLUMN)) == {"customers.id", "customers.email"}
    assert not problems(items)


def test_a_key_to_a_schema_that_no_file_makes_leads_to_the_table_of_that_name(tmp_path: Path) -> None:
    items = _read(
        tmp_path, {"1.sql": "CREATE TABLE orders (id INT); CREATE TABLE items (order_id INT REFERENCES shop.orders(id));"}, "mysql"
    )

    assert nodes(items, NodeKind.TABLE)["items"]["foreign_keys"] == [{"columns": ["order_id"], "table": "orders", "references": ["id"]}]
