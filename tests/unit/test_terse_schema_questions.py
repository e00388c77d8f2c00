"""Questions over a schema of terse names that its comments explain, as many have grown: `ch_cd` with the comment "sales channel"."""

from datetime import datetime
from pathlib import Path

import pytest

from contracts.ask.results import ChartWish
from contracts.charts import Mark
from contracts.queries import QueryPlan, Relation
from contracts.questions import Verdict
from contracts.statements import name
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.catalogue.forms.documents import read_documents
from workers.catalogue.nodes import Node
from workers.engines.questions import Reader
from workers.engines.questions.defining import measures_in
from workers.engines.questions.descriptions import event, head
from workers.engines.results.charts import chart_of, with_titles
from workers.engines.sql.build import build_sql
from workers.kinds.ask.rules.charts import wish_in
from workers.kinds.ask.rules.desk import Desk
from workers.kinds.ask.rules.titles import named_days, titles_of, weekdays_of
from workers.kinds.ask.rules.value_names import ValueNames

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the data


def column(name: str, type_: str, description: str = "", **facts: object) -> ColumnDetail:
    return ColumnDetail.model_validate({"name": name, "type": type_, "description": description, "nulls": 0, **facts})


DATES = {"minimum": "2025-01-01", "maximum": "2026-11-20"}
TABLES = (
    TableDetail(
        name="acct", description="Customer accounts: bars and shops", rows=40, primary_key=("acct_id",),
        columns=(
            column("acct_id", "INTEGER", distinct=40), column("nm", "TEXT", "name of the customer", distinct=40),
            column("ctry", "TEXT", "country code", values=("DE", "FR")),
            column("sgn_dt", "DATE", "date on which the customer signed up", **DATES),
            column("cls_dt", "DATE", "date on which the account was closed, empty while it is open", nulls=30, **DATES),
        ),
    ),
    TableDetail(
        name="ordr", description="Orders of customers", rows=600, primary_key=("ordr_id",),
        foreign_keys=(ForeignKey(columns=("acct_id",), table="acct", references=("acct_id",)),),
        columns=(
            column("ordr_id", "INTEGER", distinct=600), column("acct_id", "INTEGER", distinct=37),
            column("ord_dt", "DATE", "date of the order", **DATES),
            column("ch_cd", "TEXT", "sales channel: web, rep, phone", values=("phone", "rep", "web")),
            column("amt", "REAL", "amount charged in EUR"), column("rfnd", "REAL", "amount refunded in EUR"),
            column("wgt_kg", "REAL", "weight in kg"),
        ),
    ),
)  # fmt: skip
DEFINED = ("net revenue = sum(amt) - sum(rfnd)", "refund rate = sum(rfnd) / sum(amt)", "average basket = sum(amt) / number of orders")


@pytest.fixture(scope="module")
def desk() -> Desk:
    return Desk(Reader(TABLES, NOW, definitions=DEFINED), ValueNames(TABLES), TABLES)


def plan_of(desk: Desk, question: str) -> QueryPlan:
    reading = desk.read(question)
    assert reading.verdict is Verdict.ANSWERED, (reading.verdict, reading.unplaced, reading.remarks)
    return reading.readings[0].plan


def sql(desk: Desk, question: str) -> str:
    return build_sql(plan_of(desk, question), desk.tables, "sqlite", pretty=False)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("What is our net revenue in March 2026?", 'SUM("ordr"."amt") - SUM("ordr"."rfnd")'),
        ("Net revenue per channel", 'GROUP BY "ordr"."ch_cd"'),
        ("Orders per channel in 2025", 'GROUP BY "ordr"."ch_cd"'),
        ("What is the refund rate per channel?", 'SUM("ordr"."rfnd")'),
        ("What is the average basket per country?", 'COUNT(*)'),
        ("How many customers signed up per month in 2025?", '"acct"."sgn_dt"'),
        ("How many accounts were closed in 2026?", '"acct"."cls_dt" >= '),
        ("Total weight per channel", 'SUM("ordr"."wgt_kg")'),
        ("How many customers per ctry?", 'GROUP BY "acct"."ctry"'),
        ("What percentage of orders are from each channel?", "SUM(COUNT(*)) OVER ()"),
    ],
)  # fmt: skip
def test_comments_and_formulas_explain_terse_names(desk: Desk, question: str, part: str) -> None:
    assert part in sql(desk, question)


def test_a_difference_of_sums_is_a_relation_of_two(desk: Desk) -> None:
    """Rows in which one of the two is missing still count for the other."""
    assert plan_of(desk, "Net revenue per month").selected[-1].relation is Relation.DIFFERENCE


def test_a_share_of_some_rows_is_not_read_as_the_share_of_each_group(desk: Desk) -> None:
    reading = desk.read("What percentage of orders of each channel are above 500?")

    assert reading.verdict is not Verdict.ANSWERED or "OVER ()" not in build_sql(reading.readings[0].plan, desk.tables, "sqlite")


def test_who_is_ranked_first_is_shown_with_the_figure(desk: Desk) -> None:
    """The name of the customer and not its key, and how many orders they are."""
    text = sql(desk, "Which customer has the most orders?")

    assert text.startswith('SELECT "acct"."nm", COUNT(*)')
    assert "ORDER BY COUNT(*) DESC LIMIT 1" in text


@pytest.mark.parametrize(
    ("description", "first", "happened"),
    [
        ("weight in kg", ["weight"], ()),
        ("sales channel: web, rep", ["sales", "channel"], ()),
        ("alcohol by volume in percent", ["alcohol", "by", "volume"], ()),
        ("date on which the customer signed up", [], ("signed", "up")),
        ("Date of delivery", [], ("delivery",)),
        ("when the ticket was closed by the agent", [], ("closed",)),
        ("", [], ()),
    ],
)
def test_a_description_says_what_a_column_is_called(description: str, first: list[str], happened: tuple[str, ...]) -> None:
    assert head(description) == first
    assert event(description) == happened


def test_a_document_defines_measures_and_its_prose_and_code_do_not(tmp_path: Path) -> None:
    """Definitions of imported documents are terms, as those of a glossary are."""
    page = tmp_path / "handbook.md"
    page.write_text(
        "# Figures\n\nAverage basket = sum(amt) / number of orders.\n\nAn order is a contract with a customer.\n\n"
        "```\ntotal = sum(rows)\n```\n\n客单价是指金额之和除以订单数量。\n",
        encoding="utf-8",
    )

    found = [item for item in read_documents(page, "brew") if isinstance(item, Node) and item.kind == "term"]

    assert [node.content["name"] for node in found] == ["Average basket", "客单价"]
    assert list(measures_in("An order is a contract.")) == []


def test_weekdays_and_chinese_titles_of_a_result() -> None:
    """A picture shows the names of days, and in Chinese the comments of columns."""
    tables = (
        TableDetail(name="work", description="工单", columns=(column("opened_at", "DATE", "报修时间", **DATES), column("fee", "REAL", "人工费（元）"))),  # noqa: E501 a table
    )  # fmt: skip
    plan = Reader(tables, NOW).read("每个星期几的人工费").readings[0].plan
    columns = ["weekday", "total_fee"]

    assert weekdays_of(plan, columns) == ("weekday",)
    assert named_days(columns, [(1, 5.0), (7, 2.0)], ("weekday",), "en") == [("Monday", 5.0), ("Sunday", 2.0)]
    assert titles_of(plan, columns, tables, "zh") == {"weekday": "星期", "total_fee": "人工费（合计）"}
    assert titles_of(plan, columns, tables, "en") == {}


ROWS = [("web", "2026-01-01", 5), ("web", "2026-02-01", 7), ("rep", "2026-01-01", 3)]


def test_a_heat_map_has_the_times_across_and_the_names_down() -> None:
    """Drawn where it is asked for; a pair without a row stays empty."""
    chart = chart_of(["ch_cd", "month", "n"], ROWS, mark="heat")

    assert chart is not None
    assert (chart.mark, [(row["x"], row["series"], row["y"]) for row in chart.data]) == (
        Mark.HEAT,
        [("2026-01", "rep", 3.0), ("2026-01", "web", 5.0), ("2026-02", "web", 7.0)],
    )
    assert wish_in("orders by channel and month as a heat map") == ChartWish(mark="heat")
    assert wish_in("各渠道每月订单数，用热力图展示") == ChartWish(mark="heat")


def test_a_chart_is_titled_by_other_names_of_its_columns() -> None:
    chart = chart_of(["ch_cd", "month", "total_fee"], ROWS)

    assert chart is not None
    titled = with_titles(chart, {"ch_cd": "渠道", "month": "月份", "total_fee": "人工费（合计）"})
    assert (titled.x.title, titled.y.title) == (name("渠道, 月份"), name("人工费（合计）"))
    assert "total_fee" not in titled.model_dump_json()
