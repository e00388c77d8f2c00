"""What dbt's tests promise of a table: those of whole columns alone, and those whose meaning is known."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.base import Json
from contracts.catalogue import NodeKind
from workers.catalogue.forms.dbt import promises_of, read_dbt
from workers.catalogue.nodes import Node
from workers.kinds.etl.existing.dbt_models import _compiled_project, _key, _listed_tests  # pyright: ignore[reportPrivateUsage]

LINES = "model.shop.lines"


def lines_with(*tests: Json, **more: Any) -> dict[str, Json]:
    """The nodes of a project with a model `lines` and its tests."""
    model: Json = {"resource_type": "model", "name": "lines", "columns": {"order_id": {"name": "order_id"}}, "config": {}}
    nodes: dict[str, Json] = {LINES: {**model, **more}}
    for number, test in enumerate(tests):
        about = {"resource_type": "test", "attached_node": LINES, "config": {}, **test}
        nodes[f"test.shop.{number}"] = {**about, "depends_on": {"nodes": [LINES], **test.get("depends_on", {})}}
    return nodes


def generic(name: str, column: object = "order_id", package: str | None = None, **more: Any) -> Json:
    """A test of a column, or of a combination of columns."""
    argument = "combination_of_columns" if isinstance(column, list) else "column_name"
    return {"test_metadata": {"name": name, "namespace": package, "kwargs": {argument: column}}, **more}


@pytest.mark.parametrize(
    "test",
    [
        generic("unique", "lower(status)"),
        generic("unique", "order_id || '-' || line"),
        generic("unique_combination_of_columns", ["order_id", "date_trunc('day', sold_at)"], "dbt_utils"),
        generic("unique", package="checks"),
        generic("unique", depends_on={"macros": ["macro.shop.test_unique", "macro.dbt.get_where_subquery"]}),
    ],
)
def test_a_test_of_an_expression_or_of_another_package_proves_no_key(tmp_path: Path, test: Json) -> None:
    """A project may have a test of its own in the place of dbt's: the manifest says so by its macro alone."""
    (tmp_path / "manifest.json").write_text(json.dumps({"nodes": lines_with(test, generic("not_null"))}))

    (table,) = [item for item in read_dbt(tmp_path, "shop") if isinstance(item, Node) and item.kind is NodeKind.TABLE]

    assert not table.content.get("unique")
    assert not table.content.get("primary_key")


@pytest.mark.parametrize("package", ["dbt", None])
def test_dbts_own_test_is_known_by_its_macro_or_its_package(package: str | None) -> None:
    macros = {"depends_on": {"macros": ["macro.dbt.test_unique"]}} if package else {}

    promised = promises_of(lines_with(generic("unique", **macros), generic("not_null")), {LINES: "lines"})

    assert promised[LINES]["primary_key"] == ["order_id"]


def test_a_quoted_column_is_the_column() -> None:
    together = generic("unique_combination_of_columns", ['"Order_ID"', "`line`", "2024_sales", "EMP#"], "dbt_utils")

    assert promises_of(lines_with(together), {LINES: "lines"})[LINES]["together"] == [("order_id", "line", "2024_sales", "emp#")]


@pytest.mark.parametrize(("config", "key"), [({}, ("order_id", "line")), ({"where": "is_current"}, ())])
def test_the_key_of_a_model_that_is_made_again_is_one_of_all_its_rows(tmp_path: Path, config: Json, key: tuple[str, ...]) -> None:
    together = generic("unique_combination_of_columns", ["order_id", "line"], "dbt_utils", config=config)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"nodes": lines_with(together, raw_code="select 1 as order_id")}))

    assert _key(_compiled_project(manifest, tmp_path).models[LINES]) == key


@pytest.mark.parametrize("config", [{"enabled": False}, {"error_if": ">10"}, {"severity": "warn"}, {"where": "x"}])
def test_a_listed_test_that_proves_nothing_of_all_rows_is_left_out(config: Json) -> None:
    assert list(_listed_tests({"data_tests": [{"unique": {"config": config}}]})) == []
