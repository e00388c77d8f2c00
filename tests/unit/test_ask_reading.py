"""What surrounds the reader of questions: formulas of the user, other names of values, changes of a plan, ranks without a measure."""

from datetime import datetime

import pytest

from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool
from contracts.queries import Operator, Relation
from contracts.questions import Verdict
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql
from workers.kinds.ask.rules.business_words import business_words
from workers.kinds.ask.rules.composing import compositions
from workers.kinds.ask.rules.desk import Desk
from workers.kinds.ask.rules.formulas import formulas_in, without_definitions
from workers.kinds.ask.rules.glosses import glosses
from workers.kinds.ask.rules.labels import labelled
from workers.kinds.ask.rules.plan_edits import edits_in
from workers.kinds.ask.rules.value_names import ValueNames

CUSTOMERS = TableDetail(
    name="customers", primary_key=("customer_id",), rows=20,
    columns=(
        ColumnDetail(name="customer_id", type="INTEGER"), ColumnDetail(name="customer_name", type="TEXT"),
        ColumnDetail(name="state", type="TEXT", values=("CA", "NY", "TX"), distinct=3),
        ColumnDetail(name="city", type="TEXT", values=("San Francisco", "Austin"), distinct=2),
        ColumnDetail(name="status", type="TEXT", values=("active", "suspended"), distinct=2),
    ),
)  # fmt: skip
PARTS = TableDetail(
    name="parts", primary_key=("part_id",), rows=30,
    columns=(
        ColumnDetail(name="part_id", type="INTEGER"), ColumnDetail(name="brand", type="TEXT", values=("Ace", "Bolt"), distinct=2),
        ColumnDetail(name="cost", type="REAL"),
    ),
)  # fmt: skip
SALES = TableDetail(
    name="sales", primary_key=("sale_id",), rows=200,
    columns=(
        ColumnDetail(name="sale_id", type="INTEGER"), ColumnDetail(name="customer_id", type="INTEGER"),
        ColumnDetail(name="part_id", type="INTEGER"), ColumnDetail(name="sale_price", type="REAL"),
        ColumnDetail(name="outcome", type="TEXT", values=("success", "failed"), distinct=2),
        ColumnDetail(name="sale_date", type="DATE"),
    ),
    foreign_keys=(
        ForeignKey(columns=("customer_id",), table="customers", references=("customer_id",)),
        ForeignKey(columns=("part_id",), table="parts", references=("part_id",)),
    ),
)  # fmt: skip
TABLES = (CUSTOMERS, PARTS, SALES)
MARGIN = "We define margin as (total revenue - total cost) / total cost * 100."


def desk(*definitions: str) -> Desk:
    reader = Reader(TABLES, datetime(2026, 3, 1, 12), synonyms=business_words(TABLES))  # noqa: DTZ001  local time of the source
    return Desk(reader, ValueNames(TABLES), TABLES, (), "", tuple(formulas_in(definitions)))


def sql_of(question: str, *definitions: str) -> str:
    found = desk(*definitions).read(question)
    assert found.verdict is Verdict.ANSWERED, (found.unplaced, found.remarks)
    return build_sql(found.readings[0].plan, TABLES, "sqlite", pretty=False)


@pytest.mark.parametrize(
    ("sentence", "first", "second", "relation", "in_percent"),
    [
        (MARGIN, "total revenue", "total cost", Relation.CHANGE, True),
        ("By basket we mean total revenue / number of sales.", "total revenue", "number of sales", Relation.RATIO, False),
        ("毛利率定义为（总收入 - 总成本）/ 总成本 * 100", "总收入", "总成本", Relation.CHANGE, True),
        ("Profit is defined as total revenue - total cost", "total revenue", "total cost", Relation.DIFFERENCE, False),
    ],
)
def test_a_formula_of_the_user_is_read(sentence: str, first: str, second: str, relation: Relation, in_percent: bool) -> None:
    (formula,) = formulas_in([sentence])

    assert (formula.first, formula.second, formula.relation, formula.in_percent) == (first, second, relation, in_percent)


def test_a_formula_over_two_tables_becomes_a_query() -> None:
    sql = sql_of("Give me the margin of all sales in 2025 by brand", MARGIN)

    assert 'SUM("sales"."sale_price") - SUM("parts"."cost")' in sql
    assert 'GROUP BY "parts"."brand"' in sql
    assert "2025-01-01" in sql


def test_the_definition_is_no_part_of_the_question() -> None:
    assert without_definitions(f"{MARGIN} Show the margin per brand.") == "Show the margin per brand."
    assert without_definitions(MARGIN) == MARGIN


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("number of successful sales", "success"),
        ("how many customers are in California", "CA"),
        ("加州有多少客户", "CA"),
        ("旧金山的客户有几个", "San Francisco"),
    ],
)
def test_a_value_may_be_named_in_other_words(question: str, value: str) -> None:
    assert f"'{value}'" in sql_of(question)


def test_a_word_that_is_a_value_itself_is_left_alone() -> None:
    assert ValueNames(TABLES).value_of("active") is None
    assert ValueNames(TABLES).value_of("nonsense") is None


@pytest.mark.parametrize(
    ("words", "rest", "operator", "number"),
    [
        ("By number of sales, and only those with at least 5.", "By number of sales", Operator.GREATER_EQUAL, "5"),
        ("only those above 100", "", Operator.GREATER, "100"),
        ("按销售次数，至少5次的", "按销售次数", Operator.GREATER_EQUAL, "5"),
        ("5 次以上的", "", Operator.GREATER_EQUAL, "5"),
    ],
)
def test_a_bound_behind_a_question_is_a_change_of_its_plan(words: str, rest: str, operator: Operator, number: str) -> None:
    left, (edit,) = edits_in(words)

    assert (left, edit.operator, edit.number) == (rest, operator, number)


def test_a_question_without_a_bound_has_no_change() -> None:
    assert edits_in("customers in California") == ("customers in California", [])


def test_a_rank_without_a_measure_offers_measures() -> None:
    """S19, S21."""
    found = desk().ranks("Who are our best customers?")

    assert found is not None
    statements = [build_sql(reading.plan, TABLES, "sqlite", pretty=False) for reading in found.readings]
    assert "COUNT(*)" in statements[0]
    assert 'SUM("sales"."sale_price")' in statements[1]
    assert all("DESC" in statement and "LIMIT 10" in statement for statement in statements)


def follow_up(before: str, words: str) -> str:
    """The SQL of a follow-up."""
    carried = Carried(question=before)
    understanding = Understanding(
        question=words, words=words, intent=Tool.DATA_DISCOVERY, final_intent=Tool.EXECUTE, is_follow_up=True, carried=carried
    )
    at = desk()
    for composed in compositions(understanding, at):
        found = at.read(composed.text, composed.edits)
        if found.verdict is Verdict.ANSWERED:
            return build_sql(found.readings[0].plan, TABLES, "sqlite", pretty=False)
    return ""


@pytest.mark.parametrize(
    ("before", "words", "parts"),
    [
        ("How many customers are there in California?", "and in Texas?", ["'TX'", "COUNT"]),
        ("How many sales are there per brand?", "only those with more than 3", ["HAVING COUNT(*) > 3"]),
        ("How many sales are there per brand?", "just the top 5", ["DESC", "LIMIT 5"]),
        ("total revenue per brand", "average sale price instead", ["AVG", "brand"]),
        ("Delete all customers in Texas", "how many are there?", ["COUNT(*)", "'TX'"]),
        ("加州有多少客户？", "德州呢", ["'TX'", "COUNT"]),
    ],
)
def test_a_follow_up_changes_the_question_before_it(before: str, words: str, parts: list[str]) -> None:
    """S6."""
    sql = follow_up(before, words)

    assert all(part in sql for part in parts), sql


def test_grouped_by_a_column_a_question_is_no_longer_about_one_of_its_values() -> None:
    sql = follow_up("How many customers are active?", "now by status")

    assert 'GROUP BY "customers"."status"' in sql
    assert "'active'" not in sql


def test_names_are_explained_in_the_language_of_the_reader() -> None:
    found = dict(glosses("SELECT customer_name, sale_price FROM customers JOIN sales", TABLES, "zh"))

    assert found["customer_name"].startswith("客户")
    assert dict(glosses("SELECT customer_name FROM customers", TABLES, "en")) == {}


def test_a_part_of_its_whole_is_called_a_share_and_a_ratio_of_two_things_is_not() -> None:
    reader = Reader((CUSTOMERS,), datetime(2026, 11, 24))  # noqa: DTZ001 the reader only needs a day
    (part,) = reader.read("What share of customers is suspended?").readings
    (both,) = reader.read("What is the ratio of active customers to suspended customers?").readings

    assert labelled(part.plan).selected[-1].label == "share"
    assert labelled(both.plan).selected[-1].label == "ratio"
