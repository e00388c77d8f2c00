"""dbt's metrics become formulas of the grammar, or say why not."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from contracts.base import Json
from contracts.catalogue import CatalogueProblem, NodeKind
from contracts.tables import ColumnDetail, TableDetail
from tests.support.said import said
from workers.catalogue.forms.dbt import read_dbt
from workers.catalogue.nodes import Node
from workers.engines.definitions.definition import Definition
from workers.engines.questions import Reader

ORDERS = TableDetail(
    name="orders", schema_name="main", rows=4, primary_key=("order_id",),
    columns=(
        ColumnDetail(name="order_id", type="integer", distinct=4), ColumnDetail(name="country", type="varchar", values=("DE", "FR")),
        ColumnDetail(name="status", type="varchar", values=("paid", "open"), distinct=2), ColumnDetail(name="amount", type="integer"),
        ColumnDetail(name="quantity", type="integer"), ColumnDetail(name="discount", type="integer"),
    ),
)  # fmt: skip
PAID = {"where_filters": [{"where_sql_template": "{{ Dimension('order__status') }} = 'paid'"}]}


def _legacy(**more: object) -> Json:
    given: Json = {"calculation_method": "sum", "expression": "amount", "filters": [], "depends_on": {"nodes": ["model.a.orders"]}}
    return given | more


def _simple(measure: str, **more: object) -> Json:
    return {"type": "simple", "type_params": {"measure": {"name": measure}}, "filter": None} | more


def _own(agg: str, expr: str, **more: object) -> Json:
    aggregates = {"semantic_model": "orders", "agg": agg, "expr": expr}
    return {"type": "simple", "type_params": {"expr": expr, "metric_aggregation_params": aggregates}} | more


def _read(tmp_path: Path, metric: Json, **others: Json) -> tuple[str, list[str]]:
    """The formula of a metric `net_sales` with its restriction, and what the import says."""
    measures = [
        {"name": "total", "agg": "sum", "expr": "amount"},
        {"name": "n", "agg": "count", "expr": "1"},
        {"name": "mid", "agg": "median"},
    ]
    model = {
        "name": "orders", "node_relation": {"alias": "orders", "schema_name": "main"}, "measures": measures,
        "entities": [{"name": "order", "type": "primary", "expr": "order_id"}],
        "dimensions": [{"name": "status", "expr": None}, {"name": "place", "expr": "country"}],
    }  # fmt: skip
    metrics = {f"metric.a.{name}": {"name": name} | item for name, item in (("net_sales", metric), *others.items())}
    node: Json = {"resource_type": "model", "name": "orders", "schema": "main", "config": {}}
    manifest: Json = {"nodes": {"model.a.orders": node}, "metrics": metrics, "semantic_models": {"semantic_model.a.orders": model}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    items = list(read_dbt(tmp_path, "shop"))
    (formula,) = [
        Definition("", formula=item.content["formula"], restriction=item.content.get("restriction", "")).computed
        for item in items
        if isinstance(item, Node) and item.kind is NodeKind.METRIC and item.content["name"] == "net_sales"
    ]
    return formula, [said(item.reason) for item in items if isinstance(item, CatalogueProblem)]


@pytest.mark.parametrize(
    ("metric", "formula"),
    [
        (_legacy(), "sum of orders.amount"),
        (_legacy(filters=[{"field": "status", "operator": "=", "value": "'paid'"}]), "sum of orders.amount with orders.status 'paid'"),
        (_legacy(expression="amount * quantity"), "sum of orders.amount * orders.quantity"),
        (_legacy(calculation_method="count_distinct", expression="country"), "number of different orders.country"),
        (_legacy(calculation_method="count", expression="*"), "number of orders"),
        (_legacy(calculation_method="count", expression="discount"), "number of orders with orders.discount is not empty"),
        ({"type": "max", "sql": "amount", "filters": [], "depends_on": {"nodes": ["model.a.orders"]}}, "highest orders.amount"),
        (_simple("total"), "sum of orders.amount"),
        (_simple("total", filter=PAID), "sum of orders.amount with orders.status 'paid'"),
        (_own("average", "amount", filter=PAID), "average orders.amount with orders.status 'paid'"),
        (
            _own("sum", "amount", filter="{{ Dimension('order__place') }} IN ('DE', 'FR') AND {{ Dimension('order__status') }} = 'paid'"),
            "sum of orders.amount with orders.country 'DE' or 'FR' with orders.status 'paid'",
        ),
        (_legacy(filters=[{"field": "amount", "operator": ">", "value": "10"}]), "sum of orders.amount with orders.amount > 10"),
    ],
)
def test_an_aggregate_of_a_column_with_conditions_is_a_formula_that_is_computed(tmp_path: Path, metric: Json, formula: str) -> None:
    found, problems = _read(tmp_path, metric)

    assert (found, problems) == (formula, [])
    reading = Reader((ORDERS,), datetime(2026, 11, 21), definitions=[f"net sales = {found}"]).read("net sales")  # noqa: DTZ001 local time
    assert len(reading.readings) == 1
    assert ("paid" in formula) is ("paid" in str(reading.readings[0].plan.model_dump_json()))


@pytest.mark.parametrize(
    ("metric", "problem", "written"),
    [
        (_legacy(expression="amount - discount"), "`amount - discount` is neither a column", "SQL: sum(amount - discount)"),
        (_simple("mid"), "the aggregation median is not computed", "SQL: median(mid)"),
        (_legacy(window={"count": 14, "period": "day"}), "a metric of the kind window", "SQL: sum amount"),
        ({"type": "derived", "type_params": {"expr": "a - b"}}, "a metric of the kind derived", "SQL: derived a - b"),
        (
            _simple("total", filter={"where_filters": [{"where_sql_template": "{{ TimeDimension('order__at', 'day') }} > '2024-01-01'"}]}),
            "its filter", "SQL: sum(amount) where {{ TimeDimension('order__at', 'day') }} > '2024-01-01'",
        ),
        (
            _legacy(filters=[{"field": "status", "operator": "!=", "value": "'open'"}]),
            "its filter `status != 'open'`", "SQL: sum(amount) where",
        ),
    ],
)  # fmt: skip
def test_what_is_more_is_kept_as_text_and_the_import_and_a_question_say_so(
    tmp_path: Path, metric: Json, problem: str, written: str
) -> None:
    """The filter and the expression were dropped, and the import reported the metric as if it were whole."""
    found, problems = _read(tmp_path, metric)

    assert len(problems) == 1
    assert problem in problems[0]
    assert found.startswith(written)
    reading = Reader((ORDERS,), datetime(2026, 11, 21), definitions=[f"net sales = {found}"]).read("net sales per country")  # noqa: DTZ001
    assert not reading.readings
    assert said(reading.remarks[0]).startswith(f"net sales is defined as “{found}”")


def test_a_filter_is_the_restriction_of_the_metric(tmp_path: Path) -> None:
    _read(tmp_path, _simple("total", filter=PAID))

    (metric,) = [item for item in read_dbt(tmp_path, "shop") if isinstance(item, Node) and item.kind is NodeKind.METRIC]

    assert (metric.content["formula"], metric.content["restriction"]) == ("sum of orders.amount", "with orders.status 'paid'")


def test_a_ratio_keeps_the_filters_of_both_sides(tmp_path: Path) -> None:
    ratio = {"type": "ratio", "type_params": {"numerator": {"name": "paid"}, "denominator": {"name": "all"}}, "filter": None}

    found, problems = _read(tmp_path, ratio, paid=_simple("total", filter=PAID), all=_simple("n"))

    assert (found, problems) == ("sum of orders.amount with orders.status 'paid' / number of orders", [])


def test_the_definition_is_named_also_where_its_name_begins_with_a_word_of_the_grammar() -> None:
    reader = Reader((ORDERS,), datetime(2026, 11, 21), definitions=["Average basket = SQL: ratio net_sales / paid_orders"])  # noqa: DTZ001

    assert said(reader.read("average basket").remarks[0]).startswith("Average basket is defined as “SQL: ratio")
