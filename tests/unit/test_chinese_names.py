"""Requirements over tables whose names are Chinese, as files from a spreadsheet have them."""

# ruff: noqa: E501 requirements as users write them, and rows

from datetime import UTC, datetime

import pytest

from contracts.pipelines.analysis import SourceWork
from contracts.tables import ColumnDetail, TableDetail
from tests.support.requirement_rows import assert_gives
from workers.engines.requirements import RequirementReading, observed_keys, read_requirement
from workers.engines.requirements.chinese_names import stand_ins
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
