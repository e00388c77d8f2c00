"""Without a model, a query that does not use all of a question is not an answer to it: the user is asked."""

import pytest

from contracts.queries import Aggregate, Condition, Measure, Operator, Ordering, QueryPlan, Relation, Selected, Source
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.items import Item, Kind
from workers.kinds.ask.rules.unused import unused_parts

TABLES = (
    TableDetail(
        name="sales",
        columns=(
            ColumnDetail(name="city", type="VARCHAR"),
            ColumnDetail(name="amount", type="DOUBLE", description="in euros"),
            ColumnDetail(name="amt_chf", type="DOUBLE"),
        ),
    ),
)


def plan(column: str = "amount", **fields: object) -> QueryPlan:
    selected = (Selected(value=Measure(column="s.city")), Selected(value=Measure(column=f"s.{column}", aggregate=Aggregate.SUM)))
    return QueryPlan.model_validate({"sources": (Source(table="sales", alias="s"),), "selected": selected, **fields})


def item(kind: Kind, text: str, payload: object = None) -> Item:
    return Item(kind, 0, 1, text, payload=payload)


def test_a_unit_that_no_shown_column_has_is_asked_about() -> None:
    assert unused_parts(plan("amt_chf"), [], "turnover per city in EUR", TABLES) == ["EUR"]
    assert unused_parts(plan("amount"), [], "turnover per city in EUR", TABLES) == []
    assert unused_parts(plan("amount"), [], "最近7天出库了多少吨", TABLES) == ["吨"]


def test_a_number_that_stands_nowhere_in_the_plan_is_asked_about() -> None:
    more = [item(Kind.NUMBER, "100", 100)]
    bounded = plan(filters=(Condition(column="s.amount", operator=Operator.GREATER, values=("100",)),))

    assert unused_parts(plan(), more, "cities with more than 100 sales", TABLES) == ["100"]
    assert unused_parts(bounded, more, "sales above 100", TABLES) == []
    assert unused_parts(plan(limit=100), more, "the first 100 cities", TABLES) == []


@pytest.mark.parametrize("kind", [Kind.TOP, Kind.DIRECTION, Kind.ORDER])
def test_an_order_that_the_plan_does_not_have_is_asked_about(kind: Kind) -> None:
    ordered = plan(order_by=(Ordering(position=2, descending=True),))

    assert unused_parts(plan(), [item(kind, "worst first")], "sales per city, worst first", TABLES) == ["worst first"]
    assert unused_parts(ordered, [item(kind, "worst first")], "sales per city, worst first", TABLES) == []
    assert unused_parts(plan(), [item(kind, "worst first")], "sales per city, worst first", TABLES, is_ordered=True) == []


def test_a_ratio_of_a_value_to_itself_is_no_answer() -> None:
    count = Measure(aggregate=Aggregate.COUNT)
    share = plan(selected=(Selected(value=count, relation=Relation.RATIO, other=count),))

    assert unused_parts(share, [item(Kind.RATIO, "占全部")], "2026年的出库单占全部的比例", TABLES) == ["占全部"]
