"""A plan as a model fills it in: names as models spell them, joins from the graph, and what goes back to the model."""

from typing import Any

import pytest

from contracts.queries import Aggregate, Operator, QueryPlan
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.sql.build import build_sql
from workers.kinds.ask.rules.plan_drafts import NoSuchPlan, PlanDraft, plan_of

INTEGER = "integer"


def column(name: str, kind: str = INTEGER) -> ColumnDetail:
    return ColumnDetail(name=name, type=kind)


def references(name: str, table: str) -> ForeignKey:
    return ForeignKey(columns=(name,), table=table, references=("id",))


TABLES = (
    TableDetail(name="hall", schema_name="main", primary_key=("id",), columns=(column("id"), column("city", "varchar"))),
    TableDetail(
        name="machine",
        schema_name="main",
        primary_key=("id",),
        columns=(column("id"), column("hall_id"), column("name", "varchar")),
        foreign_keys=(references("hall_id", "main.hall"),),
    ),
    TableDetail(
        name="fault",
        schema_name="main",
        primary_key=("id",),
        columns=(column("id"), column("machine_id"), column("minutes")),
        foreign_keys=(references("machine_id", "main.machine"),),
    ),
    TableDetail(name="weather", schema_name="main", columns=(column("rain"), column("wind"))),
)


def plan(**fields: Any) -> QueryPlan:
    return plan_of(PlanDraft.model_validate(fields), TABLES, Edges(TABLES))


def result(name: str, function: str = "value") -> dict[str, str]:
    return {"column": name, "function": function}


def test_joins_follow_from_the_tables_with_those_between_them() -> None:
    made = plan(tables=["fault", "hall"], results=[result("hall.city"), result("fault.minutes", "sum")])

    assert {source.table for source in made.sources} == {"main.fault", "main.machine", "main.hall"}
    assert len(made.joins) == 2
    assert [measure.column for measure in made.group_by] == ["hall.city"]
    assert "GROUP BY" in build_sql(made, TABLES, "duckdb")


def test_a_table_that_only_a_column_names_is_joined() -> None:
    made = plan(tables=["machine"], results=[result("machine.name")], conditions=[{"column": "HALL.City", "values": ["Rome"]}])

    assert {source.table for source in made.sources} == {"main.machine", "main.hall"}
    assert made.filters[0].column == "hall.city"


def test_a_column_without_its_table_is_found_where_only_one_has_it() -> None:
    made = plan(tables=["main.fault"], results=[result("minutes", "maximum")])

    assert made.selected[0].value.column == "fault.minutes"
    assert made.selected[0].value.aggregate is Aggregate.MAXIMUM
    assert made.group_by == ()


def test_rows_are_counted_without_a_column_and_ordered_by_the_count() -> None:
    order = {"column": "", "function": "count"}
    made = plan(tables=["machine"], results=[result("machine.hall_id"), result("", "count")], order=order, descending=True, limit=3)

    assert (made.order_by[0].descending, made.limit) == (True, 3)
    assert made.order_by[0].value == made.selected[1].value


def test_several_values_of_an_equality_are_a_list() -> None:
    made = plan(tables=["hall"], results=[result("hall.id")], conditions=[{"column": "hall.city", "values": ["Rome", "Berlin"]}])

    assert made.filters[0].operator is Operator.IN


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"tables": ["halls"], "results": [result("hall.city")]}, "There is no table halls. The tables are: main.hall"),
        ({"tables": ["fault"], "results": [result("fault.minute")]}, "There is no column fault.minute. The nearest: main.fault.minutes"),
        ({"tables": ["hall"], "results": [result("id")]}, "Several tables have a column id: write main.hall.id or main.machine.id"),
        ({"tables": ["hall", "weather"], "results": [result("city"), result("rain")]}, "can be joined in no way"),
        ({"tables": ["hall"], "results": [result("hall.city", "sum")]}, "city"),
        ({"tables": ["hall"], "results": [result("moon.city")]}, "There is no column moon.city"),
    ],
)
def test_what_is_wrong_goes_back_with_what_there_is(fields: dict[str, Any], expected: str) -> None:
    with pytest.raises(NoSuchPlan) as raised:
        plan(**fields)

    assert expected in str(raised.value)


def test_tables_of_one_name_in_two_schemas_get_names_of_their_own() -> None:
    other = TABLES[0].model_copy(update={"schema_name": "old"})
    draft = PlanDraft.model_validate({"tables": ["old.hall"], "results": [result("old.hall.city")]})

    made = plan_of(draft, (*TABLES, other), Edges((*TABLES, other)))

    assert [(source.table, source.alias) for source in made.sources] == [("old.hall", "old_hall")]
    assert made.selected[0].value.column == "old_hall.city"
    with pytest.raises(NoSuchPlan, match="There is no table hall"):
        plan_of(PlanDraft.model_validate({"tables": ["hall"], "results": [result("hall.city")]}), (*TABLES, other), Edges((*TABLES, other)))
