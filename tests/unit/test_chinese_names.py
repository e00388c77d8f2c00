"""Requirements over tables whose names are Chinese, as files from a spreadsheet have them."""

# ruff: noqa: E501 requirements as users write them, and rows

from datetime import UTC, datetime

import pytest

from contracts.pipelines.analysis import SourceWork
from contracts.tables import ColumnDetail, TableDetail
from tests.support.requirement_rows import assert_gives
from workers.engines.requirements import RequirementReading, observed_keys, read_requirement
from workers.engines.requirements.chinese_names import stand_ins
from workers.engines.steps import Relations, spoken_names
from workers.saying import text_of

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SETUP = (
    'CREATE TABLE "船员" ("船员编号" VARCHAR, "姓名" VARCHAR, "所属班组" VARCHAR)',
    "INSERT INTO \"船员\" VALUES ('C1', '王伟', '甲班'), ('C2', '李娜', '甲班'), ('C3', '王伟', '乙班')",
    'CREATE TABLE "车辆" ("车牌号" VARCHAR, "车型" VARCHAR)',
    "INSERT INTO \"车辆\" VALUES ('沪A1', '货车'), ('沪A2', '冷藏车'), ('沪A3', '货车')",
    'CREATE TABLE "运单" ("运单号" VARCHAR, "车牌号" VARCHAR, "船员编号" VARCHAR, "始发城市" VARCHAR, "目的城市" VARCHAR, "发出时间" TIMESTAMP, "签收时间" TIMESTAMP, "运费" DOUBLE, "状态" VARCHAR)',
    "INSERT INTO \"运单\" VALUES ('W1', '沪A1', 'C1', '上海', '南京', '2025-06-01 08:00:00', '2025-06-04 09:00:00', 100, '已签收'), "
    "('W2', '沪A1', 'C1', '上海', '南京', '2025-06-20 08:00:00', NULL, 50, '已取消'), ('W3', '沪A2', 'C2', '上海', '宁波', '2025-07-01 23:00:00', '2025-07-02 01:00:00', NULL, '已签收'), "
    "('W4', '沪A2', 'C3', '杭州', '宁波', '2025-07-05 08:00:00', NULL, 70, '运输中')",
)


def column(name: str, type_: str, distinct: int, nulls: int = 0, values: tuple[str, ...] = ()) -> ColumnDetail:
    return ColumnDetail(name=name, type=type_, nullable=True, distinct=distinct, nulls=nulls, values=values)


TABLES, _ = observed_keys((
    TableDetail(name="船员", rows=3, columns=(column("船员编号", "VARCHAR", 3), column("姓名", "VARCHAR", 2), column("所属班组", "VARCHAR", 2, 0, ("甲班", "乙班")))),
    TableDetail(name="车辆", rows=3, columns=(column("车牌号", "VARCHAR", 3), column("车型", "VARCHAR", 2, 0, ("货车", "冷藏车")))),
    TableDetail(
        name="运单", rows=4,
        columns=(
            column("运单号", "VARCHAR", 4), column("车牌号", "VARCHAR", 2), column("船员编号", "VARCHAR", 3), column("始发城市", "VARCHAR", 2, 0, ("上海", "杭州")),
            column("目的城市", "VARCHAR", 2, 0, ("南京", "宁波")), column("发出时间", "TIMESTAMP", 4), column("签收时间", "TIMESTAMP", 2, 2),
            column("运费", "DOUBLE", 3, 1), column("状态", "VARCHAR", 3, 0, ("已签收", "已取消", "运输中")),
        ),
    ),
))  # fmt: skip


def read(text: str) -> RequirementReading:
    return read_requirement(text, TABLES, (), NOW)


@pytest.mark.parametrize(
    ("text", "columns", "gold"),
    [
        (
            "建立 out_now：所有状态为运输中的运单的运单号、车牌号和发出时间。",
            "运单号 车牌号 发出时间",
            'SELECT "运单号", "车牌号", "发出时间" FROM "运单" WHERE "状态" = \'运输中\'',
        ),
        (
            "建立 crew_month，每个船员每个月（按发出时间）一行：船员编号、月份、运单数、运费合计，不含已取消的运单。",
            "船员编号 月份 运单数 运费合计",
            'SELECT "船员编号", DATE_TRUNC(\'month\', "发出时间"), COUNT(*), SUM("运费") FROM "运单" WHERE "状态" <> \'已取消\' GROUP BY 1, 2',
        ),
        (
            "建立 car_facts，每辆车一行：车牌号、车型、运单数、运费合计（没有则为 0）、最近发出时间。",
            "车牌号 车型 运单数 运费合计 最近发出时间",
            'SELECT v."车牌号", "车型", COUNT("运单号"), COALESCE(SUM("运费"), 0), MAX("发出时间") FROM "车辆" v LEFT JOIN "运单" USING ("车牌号") GROUP BY 1, 2',
        ),
        (
            "建立 routes，每条线路（始发城市、目的城市）一行：始发城市、目的城市、运单数、签收率（已签收的运单数除以运单数）。",
            "始发城市 目的城市 运单数 签收率",
            'SELECT "始发城市", "目的城市", COUNT(*), COUNT(*) FILTER (WHERE "状态" = \'已签收\') / COUNT(*) FROM "运单" GROUP BY 1, 2',
        ),
        (
            "建立 best_crew：每个班组运费合计最高的一名船员：所属班组、名次（1到1，相同则船员编号小者优先）、船员编号、运费合计。",
            "所属班组 名次 船员编号 运费合计",
            "SELECT '甲班', 1, 'C1', 150 UNION ALL SELECT '乙班', 1, 'C3', 70",
        ),
        (
            "建立 idle：2025年6月没有运单的车辆的车牌号和车型。",
            "车牌号 车型",
            "SELECT '沪A2', '冷藏车' UNION ALL SELECT '沪A3', '货车'",
        ),
        (
            "Build slow: 运单号 and 目的城市 of 运单 where 签收时间 is more than 3 days after 发出时间.",
            "运单号 目的城市",
            "SELECT 'W1', '南京'",
        ),
        (
            "Build car_month, one row per 车牌号 and month of 发出时间: 车牌号, month, freight (sum of 运费).",
            "车牌号 month freight",
            'SELECT "车牌号", DATE_TRUNC(\'month\', "发出时间"), SUM("运费") FROM "运单" GROUP BY 1, 2',
        ),
        (
            "建立 route_sum，每个目的城市一行：目的城市、取消数（状态为已取消的运单数）、首次发出时间。",
            "目的城市 取消数 首次发出时间",
            'SELECT "目的城市", COUNT(*) FILTER (WHERE "状态" = \'已取消\'), MIN("发出时间") FROM "运单" GROUP BY 1',
        ),
    ],
)  # fmt: skip
def test_chinese_names_are_read_like_others(text: str, columns: str, gold: str) -> None:
    """The target's columns are called as the requirement says, and no stand-in is left anywhere."""
    reading = read(text)

    assert_gives(reading, TABLES, SETUP, gold)
    assert reading.target is not None
    assert [item.name for item in reading.target.columns] == columns.split()
    said = " ".join(text_of(item, "zh") for item in (*reading.assumptions, *(step.name for step in reading.steps)))
    assert "attr" not in said
    assert "sheet" not in " ".join(step.work.table for step in reading.steps if isinstance(step.work, SourceWork))


def test_a_question_speaks_of_the_names_of_the_source() -> None:
    reading = read("建立 car_facts，每辆车一行：车牌号、载客率。")

    said = " ".join([text_of(reading.ambiguities[0].question, "zh"), *(text_of(item, "zh") for item in reading.ambiguities[0].choices)])
    assert reading.target is None
    assert "载客率" in said
    assert "attr" not in f"{said} {reading.unread}"


def test_words_that_requirements_use_are_no_names_in_a_sentence() -> None:
    """数量 may be a column or how many there are; the comment decides."""
    table = TableDetail(name="订单", columns=(column("订单号", "VARCHAR", 2), column("数量", "INTEGER", 2)))
    names = stand_ins((table,), "")

    assert names is not None
    assert names.text("订单的数量、订单号") == "订单的数量、attr1_no"
    assert stand_ins((table,), "attr1_no") is None


def test_a_source_with_latin_names_has_no_stand_ins() -> None:
    assert stand_ins((TableDetail(name="orders", columns=(column("id", "INTEGER", 1),)),), "建立 x") is None


DETAILED = (
    'CREATE TABLE "客户" ("客户编号" VARCHAR, "姓名" VARCHAR, "城市" VARCHAR)',
    "INSERT INTO \"客户\" VALUES ('K1', '张三', '北京'), ('K2', '李四', '北京'), ('K3', '王五', '上海')",
    'CREATE TABLE "订单" ("订单编号" VARCHAR, "客户编号" VARCHAR, "下单时间" TIMESTAMP, "状态" VARCHAR)',
    "INSERT INTO \"订单\" VALUES ('D1', 'K1', '2025-03-03 08:10:00', '已完成'), ('D2', 'K1', '2025-03-10 08:30:00', '已取消'), "
    "('D3', 'K2', '2025-04-01 17:00:00', '已完成'), ('D4', NULL, '2025-04-02 09:00:00', '已完成')",
    'CREATE TABLE "订单明细" ("明细编号" INTEGER, "订单编号" VARCHAR, "数量" INTEGER, "金额" DOUBLE)',
    "INSERT INTO \"订单明细\" VALUES (1, 'D1', 2, 10), (2, 'D1', 1, 5), (3, 'D2', 1, 7), (4, 'D3', 4, 20), (5, 'D4', 1, 9)",
)
ORDERS, _ = observed_keys((
    TableDetail(name="客户", rows=3, columns=(column("客户编号", "VARCHAR", 3), column("姓名", "VARCHAR", 3), column("城市", "VARCHAR", 2, 0, ("北京", "上海")))),
    TableDetail(
        name="订单", rows=4,
        columns=(column("订单编号", "VARCHAR", 4), column("客户编号", "VARCHAR", 2, 1), column("下单时间", "TIMESTAMP", 4), column("状态", "VARCHAR", 2, 0, ("已完成", "已取消"))),
    ),
    TableDetail(name="订单明细", rows=5, columns=(column("明细编号", "INTEGER", 5), column("订单编号", "VARCHAR", 4), column("数量", "INTEGER", 3), column("金额", "DOUBLE", 5))),
))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "columns", "gold"),
    [
        (
            "建立 客户汇总，每位客户一行：客户编号、姓名、订单数、金额合计。",
            "客户编号 姓名 订单数 金额合计",
            "SELECT * FROM (VALUES ('K1', '张三', 2, 22), ('K2', '李四', 1, 20), ('K3', '王五', 0, NULL))",
        ),
        (
            "做一张城市月报：每个城市每个月一行，列出订单数、客户数（去重）、金额合计。",
            "城市 month 订单数 客户数 金额合计",
            "SELECT * FROM (VALUES ('北京', DATE '2025-03-01', 2, 1, 22), ('北京', DATE '2025-04-01', 1, 1, 20), (NULL, DATE '2025-04-01', 1, 0, 9))",
        ),
        (
            "建立 cancel，每位客户一行：客户编号、取消率（已取消的订单数除以订单数，百分比，保留一位小数）。",
            "客户编号 取消率",
            "SELECT * FROM (VALUES ('K1', 50.0), ('K2', 0.0), ('K3', NULL))",
        ),
        (
            "建立 best：每个城市金额合计最高的前一名客户：城市、名次、姓名、金额合计。",
            "城市 名次 姓名 金额合计",
            "SELECT '北京', 1, '张三', 22",
        ),
        (
            "建立 cities，每个城市一行：销量（数量合计）、销售额（金额合计）。",
            "城市 销量 销售额",
            "SELECT * FROM (VALUES ('北京', 8, 42), (NULL, 1, 9))",
        ),
        (
            "建立 hours，每个下单时间的时段一行：订单数。",
            "hour 订单数",
            "SELECT * FROM (VALUES (8, 2), (17, 1), (9, 1))",
        ),
    ],
)  # fmt: skip
def test_a_row_of_orders_is_none_of_their_details(text: str, columns: str, gold: str) -> None:
    """订单 is the noun of one table, though 订单明细 without its ending is called so too; the target may have a Chinese name."""
    reading = read_requirement(text, ORDERS, (), NOW)

    assert_gives(reading, ORDERS, DETAILED, gold)
    assert reading.target is not None
    assert [item.name for item in reading.target.columns] == columns.split()


def test_sql_is_aliased_by_the_names_of_the_source() -> None:
    """No stand-in is left in a script, nor in what steps are called."""
    reading = read_requirement("建立 客户汇总，每位客户一行：客户编号、姓名、订单数、金额合计。", ORDERS, (), NOW)
    assert reading.target is not None
    spoken = spoken_names(reading.steps)

    sql = Relations(reading.steps, ORDERS, "duckdb", spoken=spoken).sql(reading.steps[-1].id)

    assert '"订单_by_客户"' in sql
    assert "sheet" not in sql
    assert "attr" not in sql


def test_the_first_of_each_city_are_not_the_first_of_all() -> None:
    """Words beside a column's, such as 2025年每个城市, are not passed over."""
    reading = read_requirement("建立 a：2025年每个城市订单数最多的前两名客户：城市、姓名、订单数。", ORDERS, (), NOW)

    assert reading.target is None
