"""Words that are common elsewhere and mean something in a schema: flags, grades, passed exams, and what is most and least frequent."""

from datetime import datetime

import pytest

from contracts.queries import Operator, QueryPlan, Relation
from contracts.questions import Verdict
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.questions import Reader

NOW = datetime(2026, 11, 28, 12)  # noqa: DTZ001 local time of the data


def column(name: str, type_: str, description: str = "", **facts: object) -> ColumnDetail:
    return ColumnDetail.model_validate({"name": name, "type": type_, "description": description, "nulls": 0, **facts})


def flag(name: str, description: str) -> ColumnDetail:
    return column(name, "tinyint(1)", description, minimum="0", maximum="1", distinct=2)


DONORS = TableDetail(
    name="donors", description="People who give blood", rows=400, primary_key=("donor_id",),
    columns=(
        column("donor_id", "int", distinct=400), column("full_name", "varchar(60)", distinct=400),
        column("blood_group", "varchar(3)", values=("O+", "O-", "A+", "A-", "AB-")),
        column("town", "varchar(40)", values=("Alden", "Brook")),
        column("kind", "varchar(20)", "Kind of visit", values=("first", "regular")),
        flag("wants_newsletter", "1 if the donor agreed to receive the newsletter"),
    ),
)  # fmt: skip
COACHES = TableDetail(
    name="t_coach", description="教练", rows=18, primary_key=("id",),
    columns=(
        column("id", "int", distinct=18), column("nm", "varchar(20)", "教练姓名", distinct=18),
        column("lvl", "tinyint", "等级：1 初级，2 中级，3 高级", minimum="1", maximum="3", distinct=3),
        column("campus", "varchar(20)", "校区", values=("东区", "南湖")),
    ),
)  # fmt: skip
LESSONS = TableDetail(
    name="t_lesson", description="练车预约", rows=5000, primary_key=("id",),
    foreign_keys=(ForeignKey(columns=("coach_id",), table="t_coach", references=("id",)),),
    columns=(
        column("id", "int", distinct=5000), column("coach_id", "int", "教练", distinct=16),
        column("st", "varchar(10)", "状态：done 已完成，noshow 爽约", values=("done", "noshow")),
    ),
)  # fmt: skip
EXAMS = TableDetail(
    name="t_exam", description="考试记录", rows=2400, primary_key=("id",),
    columns=(
        column("id", "int", distinct=2400),
        column("subj", "tinyint", "科目：1 科目一，2 科目二", minimum="1", maximum="2", distinct=2),
        flag("passed", "是否通过"),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader((DONORS, COACHES, LESSONS, EXAMS), NOW)


def plan_of(reader: Reader, question: str) -> QueryPlan:
    reading = reader.read(question)
    assert reading.verdict is Verdict.ANSWERED, (reading.unplaced, reading.readings)
    return reading.readings[0].plan


def kept(plan: QueryPlan) -> set[tuple[str, Operator, tuple[str, ...]]]:
    return {(one.column.rpartition(".")[2], one.operator, tuple(map(str, one.values))) for one in plan.filters}


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("How many O- donors do we have in Alden?", {("blood_group", Operator.EQUAL, ("O-",)), ("town", Operator.EQUAL, ("Alden",))}),
        ("How many donors are A+ or AB-?", {("blood_group", Operator.IN, ("A+", "AB-"))}),
        ("How many donors want the newsletter?", {("wants_newsletter", Operator.IS_TRUE, ())}),
        ("科目二通过的考试有多少", {("subj", Operator.EQUAL, ("2",)), ("passed", Operator.IS_TRUE, ())}),
        ("南湖校区的高级教练有几个", {("campus", Operator.EQUAL, ("南湖",)), ("lvl", Operator.EQUAL, ("3",))}),
        ("考试记录有多少条", set()),
    ],
)
def test_a_word_of_the_schema_is_a_condition(reader: Reader, question: str, conditions: set[tuple[str, Operator, tuple[str, ...]]]) -> None:
    """通过 means `by` elsewhere, and O+ is not O."""
    assert kept(plan_of(reader, question)) == conditions


def test_a_pass_rate_is_the_share_of_the_passed(reader: Reader) -> None:
    (item,) = plan_of(reader, "科目二的通过率是多少？").selected

    assert item.relation is Relation.RATIO
    assert [(one.column, one.values) for one in item.value.where] == [("t_exam.passed", ("1",))]


@pytest.mark.parametrize(
    ("question", "descends"),
    [
        ("Which blood group is the most common?", True),
        ("Which blood group is the rarest?", False),
        ("What is the least common blood group?", False),
        ("最少见的校区是什么", False),
    ],
)
def test_what_is_frequent_and_what_is_rare(reader: Reader, question: str, *, descends: bool) -> None:
    plan = plan_of(reader, question)

    assert plan.group_by
    assert [order.descending for order in plan.order_by] == [descends]


def test_who_has_the_most_rows_of_a_kind(reader: Reader) -> None:
    plan = plan_of(reader, "哪个教练的爽约最多？")

    assert ("st", Operator.EQUAL, ("noshow",)) in kept(plan)
    assert any("t_coach" in str(group) for group in plan.group_by)
    assert [order.descending for order in plan.order_by] == [True]


@pytest.mark.parametrize("question", ["How many donors per kind of visit?", "Number of donors per visit kind"])
def test_the_words_that_describe_a_column_belong_to_its_name(reader: Reader, question: str) -> None:
    assert [group.column.rpartition(".")[2] for group in plan_of(reader, question).group_by] == ["kind"]
