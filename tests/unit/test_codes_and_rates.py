"""Codes that comments explain, rates of a state, English questions over Chinese comments, units behind numbers, groups by size."""

from datetime import datetime
from pathlib import Path

import pytest

from contracts.queries import Aggregate, Operator, QueryPlan, Relation
from contracts.questions import Verdict
from contracts.tables import ColumnDetail
from workers.engines.questions import Reader
from workers.engines.questions.codes import english_glosses
from workers.engines.questions.comments import glossed_values
from workers.engines.questions.english_names import english_names
from workers.engines.questions.rates import holds_states
from workers.engines.questions.units import units_of_numbers
from workers.evaluation.questions.cases import load_tables, value_look_up
from workers.evaluation.questions.companies import write_companies

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the data


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reader]:
    folder: Path = tmp_path_factory.mktemp("companies")
    write_companies(folder, ("vets", "water", "hotels"))
    return {
        name: Reader(tables, NOW, look_up=value_look_up(folder / "sqlite" / f"{name}.sqlite", tables))
        for name, tables in load_tables(folder).items()
    }


def read(reader: Reader, question: str) -> QueryPlan:
    reading = reader.read(question)
    assert reading.verdict is Verdict.ANSWERED, (reading.verdict, reading.unplaced, [remark.code for remark in reading.remarks])
    return reading.readings[0].plan


def refused(reader: Reader, question: str) -> list[str]:
    reading = reader.read(question)
    assert reading.verdict is not Verdict.ANSWERED
    return [remark.code for remark in reading.remarks]


@pytest.mark.parametrize(
    ("comment", "known", "found"),
    [
        ("Species: D dog, C cat, R rabbit", "DCR", {("dog", "D"), ("cat", "C"), ("rabbit", "R")}),
        ("1 = cash, 2 = bank card", "12", {("cash", "1"), ("bank card", "2")}),
        ("Status: S scheduled; N no-show", "SN", {("scheduled", "S"), ("no-show", "N")}),
        ("R: returned, A: accepted", "RA", {("returned", "R"), ("accepted", "A")}),
        ("returned (R), accepted (A)", "RA", {("returned", "R"), ("accepted", "A")}),
        ("1 if paid", "01", {("paid", "1"), ("unpaid", "0"), ("not paid", "0")}),
        ("Y when the row is active", "YN", {("active", "Y"), ("unactive", "N"), ("not active", "N")}),
        ("Score from 1 to 5", "12345", set[tuple[str, str]]()),
        ("1 of 3 attempts", "123", set[tuple[str, str]]()),
        ("A note", "AB", set[tuple[str, str]]()),
    ],
)
def test_codes_of_a_comment(comment: str, known: str, found: set[tuple[str, str]]) -> None:
    assert set(english_glosses(comment, set(known))) == found


def test_words_that_are_values_themselves_explain_nothing() -> None:
    comment = "active subscription, cancelled subscription"

    assert list(english_glosses(comment, {"active", "cancelled"})) == []


def test_the_name_of_a_column_is_no_word_for_its_first_value() -> None:
    column = ColumnDetail(name="part", type="text", description="部件：brake 刹车，tyre 轮胎", values=("brake", "tyre"))

    assert ("部件", "brake") not in set(glossed_values(column))
    assert ("刹车", "brake") in set(glossed_values(column))


@pytest.mark.parametrize(
    ("company", "question", "column", "values"),
    [
        ("vets", "How many cats are female?", "tbl_pet.spc_cd", ("C",)),
        ("vets", "狗的平均体重是多少？", "tbl_pet.spc_cd", ("D",)),
        ("vets", "What is the total amount of unpaid invoices?", "tbl_inv.pd_flg", ("0",)),
        ("vets", "未付发票的总金额是多少？", "tbl_inv.pd_flg", ("0",)),
        ("water", "How many meters are faulty?", "t_mtr.mtr_st", ("F",)),
        ("water", "What is the average cost of urgent work orders?", "t_wo.lvl", ("3",)),
    ],
)
def test_a_code_is_found_by_its_word(readers: dict[str, Reader], company: str, question: str, column: str, values: tuple[str, ...]) -> None:
    plan = read(readers[company], question)

    assert (column, values) in {(item.column, item.values) for item in plan.filters}


@pytest.mark.parametrize(
    ("company", "question", "value"),
    [
        ("vets", "What is the no-show rate per clinic in 2026?", "N"),
        ("vets", "2026年每家诊所的爽约率是多少？", "N"),
        ("vets", "Cancellation rate by reason", "X"),
        ("vets", "各就诊原因的取消率", "X"),
        ("vets", "2026年10月预约的完成率是多少？", "C"),
        ("water", "Failure rate of meters per brand", "F"),
        ("water", "各品牌水表的故障率", "F"),
    ],
)
def test_a_rate_is_the_share_of_the_rows_with_a_state(readers: dict[str, Reader], company: str, question: str, value: str) -> None:
    shown = read(readers[company], question).selected[-1]

    assert (shown.relation, shown.value.aggregate) == (Relation.RATIO, Aggregate.COUNT)
    assert [item.values for item in shown.value.where] == [(value,)]
    assert shown.other is not None
    assert not shown.other.where


def test_the_highest_rate_is_shown_with_whose_it_is(readers: dict[str, Reader]) -> None:
    plan = read(readers["hotels"], "取消率最高的渠道")

    assert plan.limit == 1
    assert [item.value.column.rpartition(".")[2] for item in plan.selected[:1]] == ["channel"]
    assert plan.order_by[0].position == 2
    assert plan.order_by[0].descending


@pytest.mark.parametrize(
    "question", ["What is the churn rate of 2026?", "2026年的流失率是多少？", "What is the growth rate of appointments?"]
)
def test_a_rate_of_no_state_is_not_guessed(readers: dict[str, Reader], question: str) -> None:
    assert refused(readers["vets"], question)


@pytest.mark.parametrize(
    ("name", "comment", "is_state"),
    [
        ("order_status", "", True), ("stat", "", True), ("pd_flg", "1 if paid", True), ("st", "账单状态", True), ("is_returned", "", True),
        ("type", "What was done: open, click", False), ("channel", "", False), ("station", "", False),
    ],
)  # fmt: skip
def test_only_a_column_of_states_has_rates(name: str, comment: str, is_state: bool) -> None:
    assert holds_states(ColumnDetail(name=name, type="text", description=comment)) is is_state


@pytest.mark.parametrize(
    ("question", "counted", "shown"),
    [
        ("哪些主人有超过一只宠物？", "", ["fst_nm", "lst_nm"]),
        ("Which owners have more than one pet?", "", ["fst_nm", "lst_nm"]),
        ("预约超过60次的兽医有哪些？", "", ["fst_nm", "lst_nm"]),
    ],
)
def test_what_is_counted_stands_on_either_side_of_the_number(
    readers: dict[str, Reader], question: str, counted: str, shown: list[str]
) -> None:
    plan = read(readers["vets"], question)

    assert [item.value.column.rpartition(".")[2] for item in plan.selected] == shown
    assert [(item.value.column, item.operator) for item in plan.having] == [(counted, Operator.GREATER)]


def test_rows_of_a_table_without_a_name_are_shown_by_their_key(readers: dict[str, Reader]) -> None:
    for question in ("Top 5 pets by number of appointments", "预约次数最多的5只宠物"):
        plan = read(readers["vets"], question)
        assert plan.selected[0].value.column in ("tbl_pet.chip_no", "tbl_appt.chip_no")
        assert plan.limit == 5


def test_a_description_that_tells_rows_apart_is_their_name(readers: dict[str, Reader]) -> None:
    assert read(readers["vets"], "Total quantity per item").selected[0].value.column == "tbl_itm.descr"


def test_a_key_with_a_chinese_comment_is_grouped_by_the_name_that_it_refers_to(readers: dict[str, Reader]) -> None:
    for question in ("每个片区有多少用水户？", "How many customers are there per area?"):
        assert read(readers["water"], question).selected[0].value.column == "dim_area.area_nm"


def test_the_most_common_value_is_grouped_by_itself(readers: dict[str, Reader]) -> None:
    for question in ("What is the most common pipe material in work orders?", "工单中最常见的管材是什么？"):
        assert [item.column for item in read(readers["water"], question).group_by] == ["t_wo.pipe_mat"]


def test_a_quantity_by_its_comment_is_added_up(readers: dict[str, Reader]) -> None:
    for question in ("2026年每月的用水量是多少？", "Water use per month in 2026"):
        assert read(readers["water"], question).selected[-1].value.aggregate is Aggregate.SUM


def test_a_chain_of_declared_keys_upwards_is_the_only_way_to_read_it(readers: dict[str, Reader]) -> None:
    assert len(read(readers["water"], "各水厂的总用水量").joins) == 4


@pytest.mark.parametrize("question", ["How many meters have a caliber of 100 mm?", "口径为100毫米的水表有多少？"])
def test_a_unit_behind_a_number_is_that_of_the_column(readers: dict[str, Reader], question: str) -> None:
    assert [(item.column, item.values) for item in read(readers["water"], question).filters] == [("t_mtr.cal_mm", ("100",))]


@pytest.mark.parametrize("question", ["How many meters have a caliber of 10 cm?", "口径为10厘米的水表有多少？"])
def test_a_number_in_another_unit_is_not_compared(readers: dict[str, Reader], question: str) -> None:
    assert refused(readers["water"], question)


def test_units_of_numbers() -> None:
    assert units_of_numbers("more than 1,200 m3 or 5 weeks") == [("1200", "m3", ("volume", "m3"))]
    assert units_of_numbers("口径为100毫米的水表") == [("100", "毫米", ("length", "mm"))]


def test_english_names_of_chinese_words() -> None:
    assert (("water", "meter"), 0.8) in set(english_names("水表"))
    assert (("repair", "ticket"), 0.75) in set(english_names("维修工单")) or dict(english_names("维修工单"))
    assert not list(english_names("不存在的词"))
