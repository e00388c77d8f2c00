"""Glossaries as a spreadsheet saves them and as DataHub writes them, and dbt's catalog.json without its manifest."""

import json
from pathlib import Path

import pytest
import yaml

from contracts.catalogue import CatalogueProblem, NodeKind
from workers.catalogue.forms.plain import read_plain
from workers.catalogue.importing import Form, guess_form
from workers.catalogue.nodes import Node
from workers.errors import InvalidInput


def _nodes(path: Path, kind: NodeKind) -> dict[str, Node]:
    items = list(read_plain(path, "shop"))
    assert not [item for item in items if isinstance(item, CatalogueProblem)]
    return {item.content["name"]: item for item in items if isinstance(item, Node) and item.kind is kind}


@pytest.mark.parametrize("heads", ["term;definition;synonyms", "Name;Definition;Synonyms"])
def test_a_csv_of_terms_is_a_glossary(tmp_path: Path, heads: str) -> None:
    """Each line was refused for naming no table."""
    path = tmp_path / "terms.csv"
    path.write_text(f'{heads}\nStammkunde;Kunde mit Bestellung;Bestandskunde, regular\nQuote;"Anteil; ohne Umtausch";\n', "utf-8-sig")

    terms = _nodes(path, NodeKind.TERM)

    assert terms["Quote"].content["description"] == "Anteil; ohne Umtausch"
    assert terms["Stammkunde"].content["synonyms"] == ["Bestandskunde", "regular"]


def test_a_csv_of_metrics_keeps_their_formulas(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text("metric,formula,unit\nrevenue,sum of orders.amount,EUR\n")

    assert _nodes(path, NodeKind.METRIC)["revenue"].content["formula"] == "sum of orders.amount"


def test_a_csv_of_columns_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "columns.csv"
    path.write_text("table,column,definition\nmain.orders,amount,What was paid\n")

    assert list(_nodes(path, NodeKind.COLUMN)) == ["amount"]


def test_a_csv_that_names_nothing_is_refused_with_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")

    with pytest.raises(InvalidInput, match="term"):
        list(read_plain(path, "shop"))


def test_the_glossary_of_datahub_is_read_with_its_inner_nodes(tmp_path: Path) -> None:
    path = tmp_path / "business_glossary.yml"
    fill_rate = {"name": "FillRate", "description": "Share of items that left"}
    sales = {"name": "Sales", "terms": [{"name": "NetRevenue", "description": "Invoiced"}], "nodes": [{"name": "L", "terms": [fill_rate]}]}
    path.write_text(yaml.safe_dump({"version": "1", "source": "DataHub", "nodes": [sales]}))

    terms = _nodes(path, NodeKind.TERM)

    assert {name: (term.source, term.content["description"]) for name, term in terms.items()} == {
        "NetRevenue": ("shop", "Invoiced"), "FillRate": ("shop", "Share of items that left"),
    }  # fmt: skip


def test_a_catalog_json_alone_gives_the_comments_of_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    columns = {
        "SIZE": {"name": "SIZE", "index": 2, "type": "NUMBER", "comment": "in m²"},
        "ID": {"name": "ID", "index": 1, "type": "NUMBER"},
    }
    table = {"metadata": {"name": "DIM_STORE", "schema": "MAIN", "comment": "One row for each shop"}, "columns": columns}
    about = {"dbt_schema_version": "https://schemas.getdbt.com/dbt/catalog/v1.json"}
    path.write_text(json.dumps({"metadata": about, "nodes": {"model.a.dim_store": table}, "sources": {}}))

    assert guess_form(tmp_path) is Form.TABLES
    assert _nodes(path, NodeKind.TABLE)["DIM_STORE"].content["description"] == "One row for each shop"
    assert _nodes(path, NodeKind.COLUMN)["SIZE"].content["description"] == "in m²"
