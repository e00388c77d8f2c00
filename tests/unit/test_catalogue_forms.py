"""The forms that the catalogue reads: files of users, good and bad."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest

from contracts.catalogue import CatalogueProblem, EdgeKind, NodeKind
from contracts.tables import ColumnDetail, TableDetail
from tests.support.said import said
from tests.support.workbooks import workbook
from workers.catalogue.forms.dbt import read_dbt
from workers.catalogue.forms.ddl import read_ddl
from workers.catalogue.forms.documents import MOST_DOCUMENT_BYTES, read_documents, sections_of
from workers.catalogue.forms.files import files_in
from workers.catalogue.forms.plain import read_plain
from workers.catalogue.forms.queries import read_queries_in
from workers.catalogue.importing import Form, guess_form
from workers.catalogue.nodes import Edge, Node, join_given, node_id
from workers.catalogue.store import Item
from workers.errors import InvalidInput, NotFound


def nodes(items: Iterable[Item], kind: NodeKind) -> dict[str, dict[str, object]]:
    return {item.key: item.content for item in items if isinstance(item, Node) and item.kind is kind}


def problems(items: Iterable[Item]) -> list[CatalogueProblem]:
    return [item for item in items if isinstance(item, CatalogueProblem)]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


TABLE = {
    "db": "shop", "table": "orders", "rows": 3, "description": "What was bought", "primary_key": ["id"],
    "foreign_keys": ["FOREIGN KEY (customer_id) REFERENCES customers(id)"],
    "columns": [{"name": "id", "type": "int", "min": 1, "max": 3}, {"name": "status", "values": ["a", True, 3]}, "note"],
}  # fmt: skip


def test_json_lines_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    lines = list(read_plain(write(tmp_path, "a.jsonl", json.dumps(TABLE)), ""))
    whole = list(read_plain(write(tmp_path, "a.json", json.dumps({"source": "shop", "tables": [TABLE]})), ""))
    yaml = list(read_plain(write(tmp_path, "a.yaml", "source: shop\ntables:\n- " + json.dumps(TABLE)), ""))

    assert lines == whole == yaml
    assert nodes(lines, NodeKind.COLUMN)["orders.id"]["minimum"] == "1"
    assert nodes(lines, NodeKind.VALUE_DOMAIN)["orders.status"]["values"] == ["a", "true", "3"]
    assert nodes(lines, NodeKind.TABLE)["orders"]["foreign_keys"] == [
        {"columns": ["customer_id"], "table": "customers", "references": ["id"]}
    ]


def test_a_text_of_yaml_is_what_stands_there(tmp_path: Path) -> None:
    """By YAML 1.1 the country NO was false, the plant 010 was 8, and 12:30 was 750."""
    text = """
rows: 1_200
is_view: false
table: orders
columns:
- {name: country, values: [DE, NO, null]}
- {name: active, values: [yes, No, True], nullable: no}
- {name: plant, values: [001, 010, 1.10], description: ~}
- {name: slot, values: [09:00, 12:30, 2025-01-02], nulls: 3}
- {name: on, type: null}
"""

    found = list(read_plain(write(tmp_path, "a.yaml", text), "shop"))

    assert {key: node["values"] for key, node in nodes(found, NodeKind.VALUE_DOMAIN).items()} == {
        "orders.country": ["DE", "NO"],
        "orders.active": ["yes", "No", "True"],
        "orders.plant": ["001", "010", "1.10"],
        "orders.slot": ["09:00", "12:30", "2025-01-02"],
    }
    columns, table = nodes(found, NodeKind.COLUMN), nodes(found, NodeKind.TABLE)["orders"]
    assert table["rows"] == 1200
    assert not table.get("is_view")
    assert columns["orders.active"]["nullable"] is False
    assert columns["orders.slot"]["nulls"] == 3
    assert "description" not in columns["orders.plant"]
    assert not columns["orders.on"].get("type")


def test_a_csv_has_a_row_a_column_or_a_table(tmp_path: Path) -> None:
    text = (
        "table,column,description,type,values,primary_key\nmain.orders,,What was bought,,,\nmain.orders,id,,int,,yes\n"
        "main.orders,status,How it ended,text,a | b,\n,x,,,,\n"
    )

    found = list(read_plain(write(tmp_path, "a.csv", text), "shop"))

    assert nodes(found, NodeKind.TABLE)["main.orders"] == {
        "name": "orders",
        "schema_name": "main",
        "description": "What was bought",
        "primary_key": ["id"],
    }
    assert nodes(found, NodeKind.VALUE_DOMAIN)["main.orders.status"]["values"] == ["a", "b"]
    assert [problem.place for problem in problems(found)] == ["line 5"]


def test_metrics_and_terms_are_tied_to_tables(tmp_path: Path) -> None:
    text = json.dumps(
        {
            "source": "shop",
            "metrics": [{"name": "revenue", "unit": "EUR", "description": "Money", "tables": ["orders"]}],
            "terms": [{"term": "GMV", "definition": "Gross value", "synonyms": ["turnover"], "tables": "orders"}],
        }
    )
    found = list(read_plain(write(tmp_path, "a.json", text), ""))

    assert nodes(found, NodeKind.METRIC)["revenue"]["unit"] == "EUR"
    assert nodes(found, NodeKind.TERM)["GMV"] == {"name": "GMV", "description": "Gross value", "synonyms": ["turnover"]}
    assert [(edge.kind, edge.end) for edge in found if isinstance(edge, Edge)] == [
        (EdgeKind.MEASURES, node_id(NodeKind.TABLE, "shop", "orders")), (EdgeKind.SYNONYM, node_id(NodeKind.TABLE, "shop", "orders")),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "row",
    [
        "[1, 2", "3", "null", '{"table": 5, "columns": 7}', '{"table": "x", "columns": [{"nme": "y"}]}', '{"table": "x", "primary_key": 3}',
        '{"table": "x", "rows": "many"}', '{"columns": []}', '{"table": "x", "foreign_keys": [5]}', '{"table": "x", "tags": 5}',
        '{"table": "x", "columns": [{"name": "y", "values": 5}]}', '{"metric": ""}', "[" * 100_000,
    ],
)  # fmt: skip
def test_a_line_that_is_wrong_is_a_problem_and_the_next_is_read(tmp_path: Path, row: str) -> None:
    path = write(tmp_path, "a.jsonl", f"{row}\n{json.dumps(TABLE)}\n")

    found = list(read_plain(path, "shop"))

    assert problems(found) or row == '{"table": 5, "columns": 7}'
    assert "orders" in nodes(found, NodeKind.TABLE)


def test_yaml_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"

    with pytest.raises(InvalidInput, match="aliases"):
        list(read_plain(write(tmp_path, "a.yaml", bomb), "shop"))
    with pytest.raises(InvalidInput, match="not YAML"):
        list(read_plain(write(tmp_path, "b.yaml", "!!python/object/apply:os.system ['true']"), "shop"))


def test_ddl_gives_keys_comments_views_and_partitions(tmp_path: Path) -> None:
    text = """
    CREATE TABLE sales.customers (id INT PRIMARY KEY, email TEXT NOT NULL UNIQUE);
    CREATE TABLE sales.orders (id INT, customer_id INT REFERENCES sales.customers, total NUMERIC(10, 2), PRIMARY KEY (id));
    ALTER TABLE sales.orders ADD CONSTRAINT fk FOREIGN KEY (customer_id) REFERENCES sales.customers (id);
    COMMENT ON TABLE sales.orders IS 'What was bought';
    COMMENT ON COLUMN sales.orders.total IS 'With tax';
    CREATE VIEW sales.big AS SELECT id, total FROM sales.orders WHERE total > 100;
    CREATE TABEL broken (;
    GRANT SELECT ON sales.orders TO x;
    """
    found = list(read_ddl(write(tmp_path, "schema.sql", text), "shop", "postgres"))

    tables = nodes(found, NodeKind.TABLE)
    assert set(tables) == {"sales.customers", "sales.orders", "sales.big"}
    assert tables["sales.orders"]["primary_key"] == ["id"]
    assert tables["sales.orders"]["description"] == "What was bought"
    assert {"columns": ["customer_id"], "table": "sales.customers", "references": ["id"]} in tables["sales.orders"]["foreign_keys"]  # type: ignore[operator]
    assert tables["sales.customers"]["unique"] == [["email"]]
    assert tables["sales.big"]["is_view"] is True
    columns = nodes(found, NodeKind.COLUMN)
    assert (columns["sales.orders.total"]["description"], columns["sales.customers.email"]["nullable"]) == ("With tax", False)
    assert "sales.big.total" in columns


def test_queries_of_a_log_are_counted_and_taken_apart(tmp_path: Path) -> None:
    known = [
        TableDetail(name="orders", schema_name="main", columns=tuple(ColumnDetail(name=name) for name in ("id", "customer_id", "status"))),
        TableDetail(name="customers", schema_name="main", columns=(ColumnDetail(name="id"), ColumnDetail(name="name"))),
    ]  # fmt: skip
    sql = "SELECT c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status = 'failed'"
    rows = [{"query": sql, "calls": 3}, {"sql": sql.replace(" WHERE", "\n WHERE"), "question": "Who failed?"}, {"sql": "SELEC 1"}, {"x": 1}]
    path = write(tmp_path, "log.jsonl", "\n".join(json.dumps(row) for row in rows))

    found = list(read_queries_in(path, "shop", "duckdb", known))

    (query,) = nodes(found, NodeKind.QUERY).values()
    assert (query["runs"], query["question"]) == (4, "Who failed?")
    assert query["tables"] == ["main.orders", "main.customers"]
    assert query["joins"] == ["main.customers.id = main.orders.customer_id"]
    assert query["filters"] == ["o.status = 'failed'"]
    assert "main.orders.status" in query["columns"]  # type: ignore[operator]
    joins = [edge for edge in found if isinstance(edge, Edge) and edge.content.get("evidence") == "queries"]
    assert [edge.content["queries"] for edge in joins] == [4]
    assert len(problems(found)) == 2


def test_a_script_says_in_comments_what_its_statements_are(tmp_path: Path) -> None:
    found = list(read_queries_in(write(tmp_path, "a.sql", "-- Orders by day\nSELECT count(*) FROM orders;\n"), "shop", "duckdb", ()))

    assert [query["summary"] for query in nodes(found, NodeKind.QUERY).values()] == ["Orders by day"]


def test_documents_are_cut_by_headings(tmp_path: Path) -> None:
    text = (
        "# Guide\n\nAbout.\n\n## One\n\nText of one, see `orders`.\n\n```\n# not a heading\n```\n\n"
        "### Deep\n\nDeep text.\n\nTwo\n---\n\nText of two.\n"
    )
    known = [TableDetail(name="orders", schema_name="main", columns=())]

    found = list(read_documents(write(tmp_path, "guide.md", text), "shop", known))

    sections = [(content["title"], content.get("heading", "")) for content in nodes(found, NodeKind.DOCUMENT).values()]
    assert sections == [("Guide", ""), ("Guide", "One"), ("Guide", "One > Deep"), ("Guide", "Two")]
    assert "# not a heading" in str(nodes(found, NodeKind.DOCUMENT)["guide.md#2"]["text"])
    assert [edge.kind for edge in found if isinstance(edge, Edge)] == [EdgeKind.ANSWERS]


def test_html_gives_text_and_nothing_that_runs() -> None:
    page = (
        "<html><head><title>x</title><script>alert(1)</script></head><body><h1>Help &amp; more</h1><p>Read <b>this</b>.</p>"
        "<script>steal()</script><style>p{}</style><h2>Prices</h2><ul><li>With tax</li></ul><img src=x onerror=alert(1)></body>"
    )
    sections = list(sections_of(".html", page, "page"))

    assert [(section.title, section.headings) for section in sections] == [("Help & more", ()), ("Help & more", ("Prices",))]
    text = " ".join(section.text for section in sections)
    assert "With tax" in text
    assert not any(word in text for word in ("alert", "steal", "onerror", "<"))


def test_a_long_section_is_cut_between_paragraphs() -> None:
    text = "# Long\n\n" + "\n\n".join("word " * 100 for _ in range(10)) + "\n\n" + "x" * 5_000

    sections = list(sections_of(".md", text, "long"))

    assert all(len(section.text) <= 1_600 for section in sections)
    assert "".join("".join(section.text.split()) for section in sections) == "".join(text.removeprefix("# Long").split())


def test_a_dbt_project_gives_tables_tests_and_lineage(tmp_path: Path) -> None:
    model = {
        "resource_type": "model", "name": "daily", "schema": "mart", "description": "Orders a day", "tags": ["gold"],
        "columns": {"day": {"name": "day", "description": "Day"}}, "depends_on": {"nodes": ["source.a.raw.orders"]},
        "compiled_code": "select day, count(id) as orders from raw.orders group by 1", "config": {"materialized": "view"},
    }  # fmt: skip
    tests = {
        f"test.a.{name}": {
            "resource_type": "test",
            "attached_node": "model.a.daily",
            "test_metadata": {"name": name, "kwargs": {"column_name": "day"}},
        }
        for name in ("unique", "not_null")
    }
    raw = {"resource_type": "source", "name": "orders", "schema": "raw", "columns": {"id": {"name": "id"}, "day": {"name": "day"}}}
    manifest = {
        "metadata": {"adapter_type": "postgres"},
        "nodes": {"model.a.daily": model, **tests, "bad": 5},
        "sources": {"source.a.raw.orders": raw},
        "metrics": {"metric.a.orders": {"name": "orders", "label": "Orders", "depends_on": {"nodes": ["model.a.daily"]}}},
    }
    typed = {"DAY": {"name": "day", "type": "date", "index": 1}, "orders": {"name": "orders", "type": "bigint", "index": 2}}
    catalog = {"nodes": {"model.a.daily": {"columns": typed}}}
    write(tmp_path, "target/manifest.json", json.dumps(manifest))
    write(tmp_path, "target/catalog.json", json.dumps(catalog))

    found = list(read_dbt(tmp_path / "target", "shop"))

    assert problems(found) == []
    assert nodes(found, NodeKind.TABLE)["mart.daily"]["primary_key"] == ["day"]
    assert nodes(found, NodeKind.COLUMN)["mart.daily.day"]["type"] == "date"
    assert nodes(found, NodeKind.COLUMN)["mart.daily.orders"]["type"] == "bigint"
    assert set(nodes(found, NodeKind.METRIC)) == {"Orders"}
    derives = {(edge.start, edge.end) for edge in found if isinstance(edge, Edge) and edge.kind is EdgeKind.DERIVES}
    assert (node_id(NodeKind.COLUMN, "shop", "mart.daily.orders"), node_id(NodeKind.COLUMN, "shop", "raw.orders.id")) in derives
    with pytest.raises(NotFound, match="dbt docs generate"):
        list(read_dbt(tmp_path, "shop"))


def test_links_that_lead_out_of_a_folder_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "# Secret\n\ntext")
    folder = tmp_path / "docs"
    write(folder, "a.md", "# A\n\ntext")
    (folder / "b.md").symlink_to(tmp_path / "secret.md")

    assert set(nodes(read_documents(folder, ""), NodeKind.DOCUMENT)) == {"a.md#1"}


@pytest.mark.parametrize(
    ("name", "form"), [("a.md", Form.DOCUMENTS), ("a.html", Form.DOCUMENTS), ("a.csv", Form.TABLES), ("manifest.json", Form.DBT)]
)
def test_the_form_of_a_file_is_guessed_where_it_is_plain(tmp_path: Path, name: str, form: Form) -> None:
    assert guess_form(write(tmp_path, name, "x")) is form


def test_the_form_of_sql_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--form"):
        guess_form(write(tmp_path, "a.sql", "SELECT 1"))


def test_structure_is_believed_from_the_database_and_descriptions_from_people() -> None:
    given = {
        "tables:/x.csv": {"type": "text", "description": "For readers"},
        "source:shop": {"type": "varchar", "description": "comment", "rows": 3},
        "dbt:/target": {"description": "From dbt", "unit": "EUR"},
    }

    assert join_given(given) == {"type": "varchar", "rows": 3, "description": "For readers", "unit": "EUR"}
    assert join_given(dict(reversed(given.items()))) == join_given(given)


def dimension_project(**config: object) -> dict[str, object]:
    """A project of a dimension with versions and facts that refer to it; `config` is that of the test `unique`."""
    models = {
        f"model.a.{name}": {"resource_type": "model", "name": name, "columns": {"customer_id": {"name": "customer_id"}}}
        for name in ("dim", "facts")
    }
    tests = {
        "test.a.unique": ("unique", "dim", config),
        "test.a.not_null": ("not_null", "dim", {}),
        "test.a.there": ("relationships", "facts", {}),
    }
    made = {
        key: {
            "resource_type": "test",
            "attached_node": f"model.a.{on}",
            "test_metadata": {"name": name, "kwargs": {"column_name": "customer_id", "field": "customer_id"}},
            "depends_on": {"nodes": [f"model.a.{on}", "model.a.dim"]},
            "config": given,
        }
        for key, (name, on, given) in tests.items()
    }
    return {"metadata": {}, "nodes": {**models, **made}}


@pytest.mark.parametrize(
    "config",
    [{"where": "is_current"}, {"severity": "warn"}, {"severity": "WARN"}, {"enabled": False}, {"error_if": ">10"}, {"fail_calc": "0"}],
)
def test_a_dbt_test_of_some_rows_or_without_consequence_proves_no_key(tmp_path: Path, config: dict[str, object]) -> None:
    """Case 01: a join by such a key doubled every total."""
    write(tmp_path, "manifest.json", json.dumps(dimension_project(**config)))

    found = nodes(read_dbt(tmp_path, "shop"), NodeKind.TABLE)

    assert not found["dim"].get("primary_key")
    assert not found["dim"].get("unique")
    assert not found["facts"].get("foreign_keys"), "a relationship says nothing of how often a value is there"


def test_a_dbt_test_of_all_rows_is_a_key_and_what_refers_to_it_a_reference(tmp_path: Path) -> None:
    write(tmp_path, "manifest.json", json.dumps(dimension_project(where=None, severity="ERROR", enabled=True)))

    found = nodes(read_dbt(tmp_path, "shop"), NodeKind.TABLE)

    assert found["dim"]["primary_key"] == ["customer_id"]
    assert found["facts"]["foreign_keys"]


def contract_project(**dim: object) -> dict[str, object]:
    """A project in which `facts` has the constraints of its contract, and `dim` those that are given."""
    key: dict[str, object] = {"type": "primary_key", "to": None, "to_columns": []}
    leads = {"type": "foreign_key", "columns": ["customer_id"], "to": "ref('dim')", "to_columns": ["customer_id"]}
    config = {"materialized": "table", "contract": {"enforced": True}}
    models: dict[str, dict[str, object]] = {
        "model.a.dim": {"columns": {"customer_id": {"name": "customer_id", "constraints": [key]}}, "config": config, "name": "dim"},
        "model.a.facts": {
            "columns": {"id": {"name": "id"}, "line": {"name": "line"}, "customer_id": {"name": "customer_id"}},
            "constraints": [leads, {**key, "columns": ["id", "line"]}], "config": config, "name": "facts",
        },
    }  # fmt: skip
    models["model.a.dim"]["config"] = {**config, **dim}
    return {"metadata": {"adapter_type": "postgres"}, "nodes": {key: {**node, "resource_type": "model"} for key, node in models.items()}}


def test_constraints_of_an_enforced_contract_are_keys(tmp_path: Path) -> None:
    write(tmp_path, "manifest.json", json.dumps(contract_project()))

    found = nodes(read_dbt(tmp_path, "shop"), NodeKind.TABLE)

    assert found["dim"]["primary_key"] == ["customer_id"]
    assert found["facts"]["primary_key"] == ["id", "line"]
    assert found["facts"]["foreign_keys"] == [{"columns": ["customer_id"], "table": "dim", "references": ["customer_id"]}]


@pytest.mark.parametrize("config", [{"materialized": "view"}, {"contract": {"enforced": False}}])
def test_constraints_that_dbt_does_not_write_prove_nothing(tmp_path: Path, config: dict[str, object]) -> None:
    write(tmp_path, "manifest.json", json.dumps(contract_project(**config)))

    found = nodes(read_dbt(tmp_path, "shop"), NodeKind.TABLE)

    assert not found["dim"].get("primary_key")
    assert not found["facts"].get("foreign_keys")


def test_a_key_that_the_database_does_not_hold_rows_to_proves_nothing(tmp_path: Path) -> None:
    write(tmp_path, "manifest.json", json.dumps({**contract_project(), "metadata": {"adapter_type": "snowflake"}}))

    assert not nodes(read_dbt(tmp_path, "shop"), NodeKind.TABLE)["facts"].get("primary_key")


def test_tests_of_a_source_and_of_columns_together_are_keys(tmp_path: Path) -> None:
    """dbt attaches a test of a source to nothing."""
    together = {"name": "unique_combination_of_columns", "kwargs": {"combination_of_columns": ["ID", "line"]}, "namespace": "dbt_utils"}
    raw = {"resource_type": "source", "name": "orders", "identifier": "orders_2024", "schema": "landing", "columns": {"id": {"name": "id"}}}
    tests = {
        f"test.a.{number}": {
            "resource_type": "test", "attached_node": on, "test_metadata": about, "depends_on": {"nodes": [on or "source.a.raw.orders"]},
        }
        for number, (on, about) in enumerate([
            (None, {"name": "unique", "kwargs": {"column_name": "id"}}), (None, {"name": "not_null", "kwargs": {"column_name": "id"}}),
            ("model.a.lines", together),
        ])
    }  # fmt: skip
    lines: dict[str, object] = {"resource_type": "model", "name": "lines", "schema": "mart", "columns": {}}
    project = {"nodes": {"model.a.lines": lines, **tests}, "sources": {"source.a.raw.orders": raw}}
    write(tmp_path, "manifest.json", json.dumps(project))

    found = nodes(read_dbt(tmp_path, "shop"), NodeKind.TABLE)

    assert found["landing.orders_2024"]["primary_key"] == ["id"]
    assert found["mart.lines"]["unique"] == [["id", "line"]]


def test_a_folder_of_a_dbt_project_is_read_by_its_manifest(tmp_path: Path) -> None:
    write(tmp_path, "dbt_project.yml", "name: a\n")
    models = write(tmp_path, "models/schema.yml", "version: 2\nmodels:\n  - {name: dim}\n").parent
    assert guess_form(models) is Form.DBT
    with pytest.raises(NotFound, match="dbt docs generate"):
        list(read_dbt(models, "shop"))
    (problem,) = problems(read_plain(models / "schema.yml", "shop"))
    assert "dbt parse" in said(problem.reason)

    write(tmp_path, "target/manifest.json", json.dumps(contract_project()))

    assert set(nodes(read_dbt(models, "shop"), NodeKind.TABLE)) == {"dim", "facts"}


def test_a_file_of_an_unknown_ending_is_refused_with_what_to_export(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"end in \.dbml are not read here. Export it as SQL"):
        guess_form(write(tmp_path, "shop.dbml", "Table orders {\n}\n"))


def test_an_ephemeral_model_is_no_table_and_what_it_reads_is_read_by_its_readers(tmp_path: Path) -> None:
    def model(name: str, *reads: str, materialized: str = "table") -> dict[str, object]:
        return {
            "resource_type": "model", "name": name, "schema": "mart", "columns": {}, "config": {"materialized": materialized},
            "depends_on": {"nodes": list(reads)},
        }  # fmt: skip

    nodes_of = {
        "model.p.raw": model("raw"),
        "model.p.cleaned": model("cleaned", "model.p.raw", materialized="ephemeral"),
        "model.p.orders": model("orders", "model.p.cleaned"),
    }

    items = list(read_dbt(write(tmp_path, "manifest.json", json.dumps({"nodes": nodes_of})), "wh"))

    assert set(nodes(items, NodeKind.TABLE)) == {"mart.raw", "mart.orders"}
    edges = {(item.start, item.end) for item in items if isinstance(item, Edge) and item.kind is EdgeKind.DERIVES}
    assert edges == {(node_id(NodeKind.TABLE, "wh", "mart.orders"), node_id(NodeKind.TABLE, "wh", "mart.raw"))}


def test_an_object_of_another_tool_makes_no_table_of_its_name(tmp_path: Path) -> None:
    """A suite of Great Expectations has a name, and is no table."""
    suite = {"name": "orders_suite", "expectations": [{"type": "expect_column_values_to_be_unique", "kwargs": {"column": "id"}}]}

    items = list(read_plain(write(tmp_path, "suite.json", json.dumps(suite)), "shop"))

    assert not nodes(items, NodeKind.TABLE)
    assert ["expectations" in said(problem.reason) for problem in problems(items)] == [True]


def test_tables_that_openmetadata_exports_are_read(tmp_path: Path) -> None:
    schema = "name*,displayName,description,owner,tags\norders,Orders,All orders,user:a,\n"
    assert nodes(read_plain(write(tmp_path, "schema.csv", schema), "om"), NodeKind.TABLE)["orders"]["description"] == "All orders"

    heads = "name*,description,entityType*,fullyQualifiedName,column.dataTypeDisplay\n"
    rows = (
        "sales,,databaseSchema,pg.shop.sales,\n"
        "orders,All orders,table,pg.shop.sales.orders,\n"
        'net,"Net, EUR",column,"pg.shop.sales.orders.""net.eur""","decimal(12,2)"\n'
    )
    items = list(read_plain(write(tmp_path, "database.csv", heads + rows), "om"))
    assert set(nodes(items, NodeKind.TABLE)) == {"sales.orders"}
    assert [(column["name"], column["type"]) for column in nodes(items, NodeKind.COLUMN).values()] == [("net.eur", "decimal(12,2)")]


def test_a_glossary_is_one_of_terms(tmp_path: Path) -> None:
    """Its rows became tables of the terms' names."""
    rows = (
        "parent,name*,displayName,description,synonyms,relatedTerms,glossaryStatus\n"
        ',GMV,Gross value,"<p>All orders, <b>with</b> returns</p>",turnover;成交额,,Approved\n'
        ",Churn,,Do not use,,,Deprecated\n"
    )
    items = list(read_plain(write(tmp_path, "terms.csv", rows), "shop"))

    assert not nodes(items, NodeKind.TABLE)
    (term,) = nodes(items, NodeKind.TERM).values()
    assert (term["description"], term["synonyms"]) == ("All orders, **with** returns", ["Gross value", "turnover", "成交额"])
    assert [said(problem.reason) for problem in problems(items)] == ["was left out: its status is `Deprecated`"]


def test_of_the_assets_of_a_catalogue_the_terms_are_read(tmp_path: Path) -> None:
    rows = "Name,Asset Type,Definition,Synonym\nNet revenue,Business Term,Less returns,NR\nnet,Column,,\n"

    items = list(read_plain(write(tmp_path, "assets.csv", rows), "shop"))

    assert set(nodes(items, NodeKind.TERM)) == {"Net revenue"}
    assert [said(problem.reason) for problem in problems(items)] == ["was left out: it is a `Column`, not a term"]


def test_tests_of_old_manifests_say_in_an_argument_of_what_they_are(tmp_path: Path) -> None:
    """Before dbt 1.5 no test was attached to a model."""
    project = dimension_project(where=None)
    for node in (members := cast("dict[str, dict[str, Any]]", project["nodes"])).values():
        if on := node.pop("attached_node", ""):
            node["test_metadata"]["kwargs"]["model"] = f"{{{{ get_where_subquery(ref('{on.rpartition('.')[2]}')) }}}}"
    assert members
    write(tmp_path, "manifest.json", json.dumps(project))

    found = nodes(read_dbt(tmp_path, "shop"), NodeKind.TABLE)

    assert found["dim"]["primary_key"] == ["customer_id"]
    assert found["facts"]["foreign_keys"]


def test_a_data_dictionary_in_chinese_is_read_by_its_headings(tmp_path: Path) -> None:
    rows = "数据字典,,,,\n表名,字段名,字段类型,是否主键,注释\nt_bed,bed_id,bigint,是,床位编号\nt_bed,ward,varchar(8),否,病区\n"

    items = list(read_plain(write(tmp_path, "dictionary.csv", rows), "clinic"))

    assert nodes(items, NodeKind.TABLE)["t_bed"]["primary_key"] == ["bed_id"]
    assert nodes(items, NodeKind.COLUMN)["t_bed.ward"]["description"] == "病区"


def test_sheets_of_a_workbook_describe_tables_together(tmp_path: Path) -> None:
    """A list of the tables in one sheet, the columns of each in its own, below a title."""
    path = tmp_path / "dictionary.xlsx"
    path.write_bytes(workbook({
        "目录": [["序号", "表名", "中文名"], ["1", "t_bed", "床位表"]],
        "床位": [["表名：t_bed（床位表）"], ["字段名", "字段类型", "是否主键", "注释"], ["bed_id", "bigint", "Y", "床位编号"]],
        "说明": [["本文件由信息科维护"]],
    }))  # fmt: skip

    items = list(read_plain(path, "clinic"))

    assert nodes(items, NodeKind.TABLE)["t_bed"]["description"] == "床位表"
    assert nodes(items, NodeKind.TABLE)["t_bed"]["primary_key"] == ["bed_id"]
    assert nodes(items, NodeKind.COLUMN)["t_bed.bed_id"]["description"] == "床位编号"


def test_a_row_of_a_sheet_that_has_a_name_only_is_a_column(tmp_path: Path) -> None:
    """It became the name of a table to which the columns below it went."""
    path = tmp_path / "dictionary.xlsx"
    heads = ["Column", "Type", "Description"]
    path.write_bytes(workbook({
        "orders": [["Data dictionary v2"], heads, ["id", "int", "Key"], ["created_at", "", ""], ["amount", "decimal", ""]],
        "all": [["t_bed（床位表）"], heads, ["bed_id", "int", ""], ["Our wards"], heads, ["ward", "int", ""],
                ["Table: stays"], ["Field name", "Type", "Remarks"], ["day", "date", "First"]],
        "list": [["Table", "Column", "Type", "Description"], ["guests", "", "", ""], ["guests", "id", "int", ""], ["rooms", "", "", ""]],
    }))  # fmt: skip

    items = list(read_plain(path, "shop"))

    assert set(nodes(items, NodeKind.COLUMN)) == {
        "orders.id", "orders.created_at", "orders.amount", "t_bed.bed_id", "Our wards.ward", "stays.day", "guests.id",
    }  # fmt: skip
    assert {"guests", "rooms"} < set(nodes(items, NodeKind.TABLE))


@pytest.mark.parametrize(
    "rows",
    [
        "Table,Field,Field Name,Type\norders,ord_id,Order number,int\n",
        "Table,Field Name,Field,Type\norders,Order number,ord_id,int\n",
        "表名,字段名,字段名称,类型\norders,ord_id,Order number,int\n",
        "表英文名,表名,字段名,说明\norders,订单,ord_id,Order number\n",
    ],
)
def test_of_two_headings_for_a_name_one_is_its_description(tmp_path: Path, rows: str) -> None:
    """The last one was the name."""
    items = list(read_plain(write(tmp_path, "columns.csv", rows), "shop"))

    assert set(nodes(items, NodeKind.TABLE)) == {"orders"}
    assert nodes(items, NodeKind.COLUMN)["orders.ord_id"]["description"] == "Order number"


def test_rows_of_columns_without_their_table_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "columns.csv", "name,displayName,description,dataType\norder_id,,Key,BIGINT\n")

    with pytest.raises(InvalidInput, match="no heading `table` says of which table"):
        list(read_plain(path, "om"))


def test_what_a_table_of_hive_is_partitioned_by_is_a_column(tmp_path: Path) -> None:
    text = "CREATE EXTERNAL TABLE visits (id bigint COMMENT 'Number') PARTITIONED BY (dt string COMMENT 'Day') STORED AS PARQUET;"

    items = list(read_ddl(write(tmp_path, "hive.sql", text), "lake", "spark"))

    assert nodes(items, NodeKind.TABLE)["visits"]["partitioned_by"] == ["dt"]
    assert nodes(items, NodeKind.COLUMN)["visits.dt"]["description"] == "Day"


def test_a_dump_of_postgres_keeps_its_keys_beside_its_rows(tmp_path: Path) -> None:
    """A semicolon in a copied row swallowed the statement with the key."""
    dump = (
        "CREATE TABLE public.users (id integer NOT NULL, email text);\n"
        "COPY public.users (id, email) FROM stdin;\n1\tb;c@example.org\n\\.\n\n"
        "ALTER TABLE ONLY public.users\n    ADD CONSTRAINT users_pkey PRIMARY KEY (id);\n"
    )

    items = list(read_ddl(write(tmp_path, "dump.sql", dump), "web", "postgres"))

    assert not problems(items)
    assert nodes(items, NodeKind.TABLE)["public.users"]["primary_key"] == ["id"]


def test_a_script_of_sql_server_is_read_by_batches(tmp_path: Path) -> None:
    """It has no semicolons, and gave nothing without a word."""
    script = (
        "USE [Shop]\nGO\nCREATE TABLE [dbo].[Orders](\n\t[OrderId] [int] NOT NULL,\n\t[Total] [decimal](12, 2) NULL,\n"
        " CONSTRAINT [PK_Orders] PRIMARY KEY CLUSTERED \n(\n\t[OrderId] ASC\n)WITH (PAD_INDEX = OFF) ON [PRIMARY]\n) ON [PRIMARY]\nGO\n"
        "EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'Customer''s total' , @level0type=N'SCHEMA',@level0name=N'dbo', "
        "@level1type=N'TABLE',@level1name=N'Orders', @level2type=N'COLUMN',@level2name=N'Total'\nGO\n"
    )

    items = list(read_ddl(write(tmp_path, "script.sql", script.replace("\n", "\r\n")), "erp", "tsql"))

    assert nodes(items, NodeKind.TABLE)["dbo.Orders"]["primary_key"] == ["OrderId"]
    assert nodes(items, NodeKind.COLUMN)["dbo.Orders.Total"]["description"] == "Customer's total"


def test_amundsens_files_describe_the_source_that_is_named(tmp_path: Path) -> None:
    """Its sort of database was taken for the source, and the columns' texts for those of their table."""
    table = "database,cluster,schema,name,description\nhive,gold,sales,orders,All orders\n"
    column = "name,description,col_type,sort_order,database,cluster,schema,table_name\namount,Net in EUR,double,1,hive,gold,sales,orders\n"

    items = [*read_plain(write(tmp_path, "t.csv", table), "lake"), *read_plain(write(tmp_path, "c.csv", column), "lake")]

    assert {item.source for item in items if isinstance(item, Node)} == {"lake"}
    assert nodes(items, NodeKind.COLUMN)["sales.orders.amount"]["description"] == "Net in EUR"


def test_a_link_to_a_file_of_the_folder_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "orders.sql").write_text("CREATE TABLE orders (id INT)")
    (tmp_path / "latest.sql").symlink_to("orders.sql")

    assert [named for named, _ in files_in(tmp_path, (".sql",))] == ["orders.sql"]


def test_a_file_that_is_no_text_is_no_document(tmp_path: Path) -> None:
    """An archive was cut into thousands of sections."""
    (tmp_path / "book.md").write_bytes(b"PK\x03\x04" + b"\0" * 40 + b"sheet" * 40)

    (problem,) = read_documents(tmp_path, "shop")

    assert isinstance(problem, CatalogueProblem)
    assert "is not text" in said(problem.reason)


def test_a_document_of_more_than_any_handbook_is_left_out_unread(tmp_path: Path) -> None:
    """An archive of 128 MB that was sent as a document took the gateway 650 MB, and minutes."""
    with (tmp_path / "book.md").open("wb") as file:
        file.truncate(MOST_DOCUMENT_BYTES + 1)

    (problem,) = read_documents(tmp_path, "shop")

    assert isinstance(problem, CatalogueProblem)
    assert "20 MB is the most" in said(problem.reason)
