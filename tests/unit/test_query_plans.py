"""Query plans: what the check finds, and that the SQL which is built from them gives the right rows."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import duckdb
import pytest
import sqlglot

from contracts.queries import (
    Aggregate,
    Arithmetic,
    Condition,
    DatePart,
    GroupCondition,
    JoinKind,
    Measure,
    Operator,
    Ordering,
    Period,
    PlanJoin,
    QueryPlan,
    Related,
    Relation,
    Selected,
    Source,
    TimeUnit,
)
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.build import build_sql
from workers.engines.sql.plan_check import plan_problems

TABLES = (
    TableDetail(
        name="customer",
        primary_key=("id",),
        rows=3,
        columns=(
            ColumnDetail(name="id", type="integer"),
            ColumnDetail(name="city", type="varchar", values=("Berlin", "Rome")),
        ),
    ),
    TableDetail(
        name="purchase",
        primary_key=("id",),
        rows=5,
        columns=(
            ColumnDetail(name="id", type="integer"),
            ColumnDetail(name="customer_id", type="integer"),
            ColumnDetail(name="bought", type="date"),
            ColumnDetail(name="sent", type="date"),
            ColumnDetail(name="quantity", type="integer"),
            ColumnDetail(name="price", type="double"),
            ColumnDetail(name="is_paid", type="boolean"),
        ),
    ),
)
SCHEMA = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, city VARCHAR(20));
CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER, bought DATE, sent DATE, quantity INT, price DOUBLE, is_paid BOOL);
INSERT INTO customer VALUES (1, 'Berlin'), (2, 'Rome'), (3, 'Rome');
INSERT INTO purchase VALUES (1, 1, '2025-01-04', '2025-01-06', 2, 10, true), (2, 1, '2025-01-31', '2025-02-01', 1, 10, false),
  (3, 2, '2025-03-31', '2025-04-03', 3, 4, true), (4, 2, '2025-04-01', '2025-04-01', 1, 8, true), (5, 2, '2025-12-29', NULL, 1, 8, false);
"""
CUSTOMER, PURCHASE = Source(table="customer", alias="customer"), Source(table="purchase", alias="purchase")
BY_CUSTOMER = PlanJoin(left="purchase", left_columns=("customer_id",), right="customer", right_columns=("id",))
ROWS = Measure(aggregate=Aggregate.COUNT)
REVENUE = Measure(column="purchase.quantity", operator=Arithmetic.TIMES, operand="purchase.price", aggregate=Aggregate.SUM)


def rows_of(plan: QueryPlan, dialect: str) -> list[tuple[Any, ...]]:
    sql = build_sql(plan, TABLES, dialect)
    if dialect == "sqlite":
        connection = sqlite3.connect(":memory:")
        connection.executescript(SCHEMA)
        found: Sequence[Any] = connection.execute(sql).fetchall()
        connection.close()
    else:
        with duckdb.connect() as engine:
            engine.execute(SCHEMA)
            found = engine.execute(sql).fetchall()
    return [
        tuple(round(value, 3) if isinstance(value, float) else str(value) if hasattr(value, "year") else value for value in row)
        for row in found
    ]


def plan(*selected: Measure | Selected, **fields: Any) -> QueryPlan:
    shown = tuple(item if isinstance(item, Selected) else Selected(value=item) for item in selected)
    return QueryPlan(**({"sources": (PURCHASE,), "selected": shown} | fields))


def column(name: str, **fields: Any) -> Measure:
    return Measure(column=name, **fields)


def condition(name: str, operator: Operator, *values: str, **fields: Any) -> Condition:
    return Condition(column=name, operator=operator, values=values, **fields)


JOINED = {"sources": (PURCHASE, CUSTOMER), "joins": (BY_CUSTOMER,)}
CASES = {
    "count": (plan(ROWS), [(5,)]),
    "sum of a product": (plan(REVENUE), [(58,)]),
    "group over a join": (
        plan(
            column("customer.city"),
            REVENUE,
            **JOINED,
            group_by=(column("customer.city"),),
            order_by=(Ordering(position=2, descending=True),),
        ),
        [("Berlin", 30), ("Rome", 28)],
    ),
    "month": (
        plan(
            column("purchase.bought", unit=TimeUnit.MONTH),
            ROWS,
            group_by=(column("purchase.bought", unit=TimeUnit.MONTH),),
            order_by=(Ordering(position=1),),
        ),
        [("2025-01-01", 2), ("2025-03-01", 1), ("2025-04-01", 1), ("2025-12-01", 1)],
    ),
    "quarter": (
        plan(
            column("purchase.bought", unit=TimeUnit.QUARTER),
            ROWS,
            group_by=(column("purchase.bought", unit=TimeUnit.QUARTER),),
            order_by=(Ordering(position=1),),
        ),
        [("2025-01-01", 3), ("2025-04-01", 1), ("2025-10-01", 1)],
    ),
    "week": (
        plan(column("purchase.bought", unit=TimeUnit.WEEK), filters=(condition("purchase.id", Operator.EQUAL, "1"),)),
        [("2024-12-30",)],
    ),
    "weekend": (plan(ROWS, filters=(condition("purchase.bought", Operator.IN, "6", "7", part=DatePart.WEEKDAY),)), [(1,)]),
    "half-open period": (plan(ROWS, periods=(Period(column="purchase.bought", start="2025-01-31", end="2025-04-01"),)), [(2,)]),
    "ratio of parts": (
        plan(
            Selected(
                value=column("purchase.id", aggregate=Aggregate.COUNT, where=(condition("purchase.is_paid", Operator.IS_TRUE),)),
                relation=Relation.RATIO,
                other=ROWS,
            )
        ),
        [(0.6,)],
    ),
    "days between": (
        plan(column("purchase.sent", operator=Arithmetic.DAYS_SINCE, operand="purchase.bought", aggregate=Aggregate.AVERAGE)),
        [(1.5,)],
    ),
    "the row with the highest": (
        plan(column("purchase.id"), filters=(condition("purchase.quantity", Operator.EQUAL, aggregate=Aggregate.MAXIMUM),)),
        [(3,)],
    ),
    "rows without a partner": (
        plan(
            column("customer.id"),
            sources=(CUSTOMER,),
            related=(Related(table="purchase", source="customer", source_columns=("id",), columns=("customer_id",), exists=False),),
        ),
        [(3,)],
    ),
    "alternatives": (
        plan(
            column("purchase.id"),
            filters=(
                condition("purchase.quantity", Operator.GREATER, "2", alternative=1),
                condition("purchase.price", Operator.EQUAL, "10", alternative=1),
                condition("purchase.is_paid", Operator.IS_TRUE),
            ),
            order_by=(Ordering(position=1),),
        ),
        [(1,), (3,)],
    ),
    "contained text": (
        plan(column("customer.id"), sources=(CUSTOMER,), filters=(condition("customer.city", Operator.CONTAINS, "BERL"),)),
        [(1,)],
    ),
    "groups with a condition": (
        plan(
            column("purchase.customer_id"),
            group_by=(column("purchase.customer_id"),),
            having=(GroupCondition(value=ROWS, operator=Operator.GREATER, values=("2",)),),
        ),
        [(2,)],
    ),
    "share of the total": (
        plan(
            column("purchase.customer_id"),
            Selected(value=ROWS, share_of_total=True),
            group_by=(column("purchase.customer_id"),),
            order_by=(Ordering(position=1),),
        ),
        [(1, 0.4), (2, 0.6)],
    ),
    "rows kept without a partner": (
        plan(
            column("customer.id"),
            column("purchase.id", aggregate=Aggregate.COUNT),
            sources=(CUSTOMER, PURCHASE),
            joins=(PlanJoin(left="customer", left_columns=("id",), right="purchase", right_columns=("customer_id",), kind=JoinKind.LEFT),),
            group_by=(column("customer.id"),),
            order_by=(Ordering(position=1),),
        ),
        [(1, 2), (2, 3), (3, 0)],
    ),
}


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
@pytest.mark.parametrize("case", CASES)
def test_a_plan_becomes_sql_that_gives_its_rows(case: str, dialect: str) -> None:
    made, expected = CASES[case]

    assert plan_problems(made, TABLES) == ()
    assert rows_of(made, dialect) == expected


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "trino", "clickhouse", "snowflake", "bigquery", "spark"])
@pytest.mark.parametrize("case", CASES)
def test_a_plan_becomes_sql_that_parses_in_other_dialects(case: str, dialect: str) -> None:
    assert sqlglot.parse_one(build_sql(CASES[case][0], TABLES, dialect), read=dialect) is not None


def test_a_value_never_becomes_sql() -> None:
    nasty = "x' OR 1=1; DROP TABLE customer; --"

    made = plan(column("customer.id"), sources=(CUSTOMER,), filters=(condition("customer.city", Operator.NOT_EQUAL, nasty),))

    assert sorted(rows_of(made, "sqlite")) == sorted(rows_of(made, "duckdb")) == [(1,), (2,), (3,)]


WRONG = {
    "queries.problem.unknown_table_near": plan(ROWS, sources=(Source(table="purchases", alias="p"),)),
    "queries.problem.unknown_column_near": plan(column("purchase.prices")),
    "queries.problem.unknown_alias": plan(column("order.price")),
    "queries.problem.not_numeric": plan(column("customer.city", aggregate=Aggregate.SUM), sources=(CUSTOMER,)),
    "queries.problem.not_a_time": plan(column("purchase.price", unit=TimeUnit.MONTH)),
    "queries.problem.not_joined": plan(ROWS, sources=(PURCHASE, CUSTOMER)),
    "queries.problem.neither_grouped_nor_aggregated": plan(column("purchase.id"), ROWS),
    "queries.problem.no_such_value": plan(ROWS, sources=(CUSTOMER,), filters=(condition("customer.city", Operator.EQUAL, "Berlln"),)),
    "queries.problem.not_a_number": plan(ROWS, filters=(condition("purchase.price", Operator.GREATER, "much"),)),
    "queries.problem.not_a_boolean": plan(ROWS, filters=(condition("purchase.price", Operator.IS_TRUE),)),
    "queries.problem.values": plan(ROWS, filters=(condition("purchase.price", Operator.GREATER),)),
    "queries.problem.order": plan(ROWS, order_by=(Ordering(position=2),)),
    "queries.problem.no_column": plan(Measure(aggregate=Aggregate.SUM)),
    "queries.problem.operand": plan(Measure(column="purchase.price", operator=Arithmetic.TIMES)),
    "queries.problem.relation": plan(Selected(value=ROWS, other=ROWS)),
    "queries.problem.repeated_rows": plan(
        column("customer.id", aggregate=Aggregate.SUM), sources=(PURCHASE, CUSTOMER), joins=(BY_CUSTOMER,)
    ),
    "queries.problem.open_period": plan(ROWS, periods=(Period(column="purchase.bought"),)),
}  # fmt: skip


@pytest.mark.parametrize("code", WRONG)
def test_the_check_says_what_is_wrong_with_a_plan(code: str) -> None:
    assert code in [problem.code for problem in plan_problems(WRONG[code], TABLES)]
