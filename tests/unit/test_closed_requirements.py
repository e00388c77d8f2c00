"""The closed form of a requirement: its grammar, and its question as typed steps."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.pipelines.analysis import DeriveWork, OpenPart
from contracts.queries import Aggregate, Measure, Ordering, QueryPlan, Selected, Source
from contracts.sql_review import WriteMode
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.requirements import ClosedForm, RequirementReading, closed_form, read_closed, target_in
from workers.engines.requirements.facts import NotRead
from workers.engines.requirements.from_query import QuerySteps

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SALES = TableDetail(
    name="sales", rows=9, primary_key=("sale_id",), description="Sales, one row a sale",
    columns=(
        ColumnDetail(name="sale_id", type="INTEGER", nullable=False), ColumnDetail(name="region", type="VARCHAR", nullable=False),
        ColumnDetail(name="ship_cost", type="DECIMAL(10,2)"), ColumnDetail(name="sold_at", type="VARCHAR", holds="timestamp"),
    ),
)  # fmt: skip


def read(text: str, **options: int) -> RequirementReading:
    form = closed_form(text)
    assert form is not None
    return read_closed(form, (SALES,), (), NOW, **options)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Build region_sales: number of sales per region", ClosedForm("region_sales", "number of sales per region")),
        ("create Mart.Totals : sales per region.", ClosedForm("mart.totals", "sales per region")),
        ("建立 地区汇总：每个地区的收入。", ClosedForm("地区汇总", "每个地区的收入")),
        ("新建region_sales:每个地区的收入", ClosedForm("region_sales", "每个地区的收入")),
        (
            "Make x: sales per region; mode: upsert; partition_by: a, b; schedule: 0 6 * * *",
            ClosedForm("x", "sales per region", WriteMode.UPSERT, ("a", "b"), "0 6 * * *"),
        ),
        ("Build x: sales per region\nschedule: @daily\n", ClosedForm("x", "sales per region", schedule="@daily")),
    ],
)
def test_a_requirement_in_the_form_has_a_name_and_a_question(text: str, form: ClosedForm) -> None:
    assert closed_form(text) == form


@pytest.mark.parametrize(
    "text",
    [
        "", "revenue per region", "Build region_sales", "Build a table region_sales: sales per region", "Build x: ", "Builder x: sales",
        "We need: sales per region", "Build x: sales per region\nIt runs every day.", "Build x: sales; schedule: every day",
        "Build x: sales; mode: history", "Build x: sales; colour: red", "Build a.b.c: sales", f"Build x: {'a' * 4_001}",
    ],
)  # fmt: skip
def test_what_is_not_in_the_form_is_not_read(text: str) -> None:
    assert closed_form(text) is None


@given(st.text())
def test_any_text_is_in_the_form_or_not(text: str) -> None:
    closed_form(text)
    target_in(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Build customer_facts, one row for each customer", "customer_facts"), ("Build sales: each day", "sales"),
        ("建立 医生汇总：每位医生一行", "医生汇总"), ("Build a report", ""), ("We need customer_facts", ""), ("Build", ""),
    ],
)  # fmt: skip
def test_a_name_is_taken_only_where_it_can_be_nothing_else(text: str, name: str) -> None:
    assert target_in(text) == name


def test_a_question_becomes_steps_with_the_grain_as_key() -> None:
    reading = read("Build region_sales: number of sales per region; schedule: 0 6 * * *")

    assert reading.target is not None
    assert reading.target.key == ("region",)
    assert [column.name for column in reading.target.columns] == ["region", "number_of_sales"]
    assert (reading.target.mode, reading.schedule, reading.tables) == (WriteMode.OVERWRITE, "0 6 * * *", ("sales",))


def test_a_partition_that_the_target_does_not_have_is_asked_about_with_its_columns() -> None:
    reading = read("Build region_sales: number of sales per region; partition_by: day")

    [point] = reading.ambiguities
    assert (point.part, point.words, len(point.choices)) == (OpenPart.PARTITION, "day", 2)


@pytest.mark.parametrize("question", ["happiness per region", "number of sales per region and ship_cost_class"])
def test_words_without_a_place_are_named_and_nothing_is_read(question: str) -> None:
    reading = read(f"Build region_sales: {question}")

    assert reading.target is None
    assert reading.unread


def plan(**given: object) -> QueryPlan:
    selected = (Selected(value=Measure(column="s.sold_at")), Selected(value=Measure(column="s.region")))
    return QueryPlan(sources=(Source(table="sales", alias="s"),), selected=selected).model_copy(update=given)


def test_a_text_column_that_holds_times_is_converted_where_it_is_read() -> None:
    made = QuerySteps(plan(), (SALES,))
    steps, _ = made.make("x", ())

    assert isinstance(steps.made[1].work, DeriveWork)
    assert '"convert"' in steps.made[1].work.model_dump_json()
    assert made.assumptions


def test_the_first_groups_of_several_values_are_not_the_first_things() -> None:
    """The 3 products per category: no first three rows are meant."""
    grouped = plan(
        selected=(Selected(value=Measure(aggregate=Aggregate.COUNT)),),
        group_by=(Measure(column="s.region"), Measure(column="s.ship_cost")),
        order_by=(Ordering(position=1, descending=True),),
        limit=3,
    )

    with pytest.raises(NotRead):
        QuerySteps(grouped, (SALES,)).make("x", ())
