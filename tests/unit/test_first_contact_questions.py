"""Questions of the companies that were asked before any rule had seen them: what was wrong or silent then, and what is doubtful now."""

from datetime import datetime
from pathlib import Path

import pytest

from contracts.questions import Verdict
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions import Reader
from workers.engines.questions.event_times import event_times
from workers.engines.sql.build import build_sql
from workers.engines.sql.truth import holds_truth
from workers.evaluation.questions.cases import load_tables, value_look_up
from workers.evaluation.questions.companies import write_companies
from workers.kinds.ask.rules.following import definitions_in

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the data
COMPANIES = ("academy", "airline", "recruit", "helpdesk", "game", "solar")


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reader]:
    folder: Path = tmp_path_factory.mktemp("companies")
    write_companies(folder, COMPANIES)
    return {
        name: Reader(tables, NOW, look_up=value_look_up(folder / "sqlite" / f"{name}.sqlite", tables))
        for name, tables in load_tables(folder).items()
    }


def _sql(reader: Reader, question: str) -> str:
    reading = reader.read(question)
    assert reading.verdict is Verdict.ANSWERED, (reading.verdict, reading.unplaced, reading.remarks)
    return build_sql(reading.readings[0].plan, reader.tables, "sqlite", pretty=False)


@pytest.mark.parametrize(
    ("company", "question", "part"),
    [
        ("airline", "丢失的行李有多少件？", 'WHERE "fct_baggage"."is_lost" = 1'),
        ("airline", "各舱位的退票率", 'WHEN "fct_booking"."is_refunded" = 1'),
        ("helpdesk", "What share of tickets is reopened?", '"reopened" = 1'),
        ("game", "What percentage of players is banned?", '"is_banned" = 1'),
        ("solar", "Which staff have a certificate?", ""),
    ],
)
def test_a_column_of_0_and_1_is_a_flag(readers: dict[str, Reader], company: str, question: str, part: str) -> None:
    if part:
        assert part in _sql(readers[company], question)
    else:
        assert readers[company].read(question).verdict is not Verdict.ANSWERED  # `certificate` is no form of `has_cert`


@pytest.mark.parametrize(
    ("name", "type_", "bounds", "description", "says"),
    [
        ("is_lost", "INTEGER", ("0", "1"), "", True),
        ("lost", "INTEGER", ("0", "1"), "是否丢失", True),
        ("newsletter", "TINYINT", ("0", "1"), "1 if they get it", True),
        ("paid", "BOOLEAN", (None, None), "", True),
        ("children", "INTEGER", ("0", "1"), "Number of children", False),
        ("is_lost", "INTEGER", ("0", "7"), "", False),
        ("passed", "TEXT", ("0", "1"), "", False),
    ],
)
def test_which_columns_say_yes_or_no(name: str, type_: str, bounds: tuple[str | None, str | None], description: str, says: bool) -> None:
    column = ColumnDetail(name=name, type=type_, minimum=bounds[0], maximum=bounds[1], description=description)
    assert holds_truth(column) is says


def _times(*columns: tuple[str, str, str, int]) -> TableDetail:
    details = [
        ColumnDetail(name=name, type="timestamp", minimum=low or None, maximum=high or None, nulls=nulls)
        for name, low, high, nulls in columns
    ]
    return TableDetail(name="ticket", columns=tuple(details), rows=100)


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (_times(("created_at", "2026-01-01", "2026-05-01", 0), ("first_response_at", "2026-01-01", "2026-05-02", 0)), ["created_at"]),
        (_times(("created_at", "2026-02-01", "2026-05-01", 0), ("held_at", "2024-01-01", "2026-04-30", 0)), ["held_at"]),
        (_times(("created_at", "", "", 0), ("resolved_at", "", "", 9)), ["created_at"]),
        (_times(("created_at", "", "", 0), ("held_at", "", "", 0)), ["held_at"]),
        (_times(("updated_at", "2026-01-01", "2026-05-01", 0), ("held_at", "2026-01-01", "2026-05-02", 0)), ["held_at"]),
        (_times(("created_at", "2026-01-01", "2026-05-01", 0), ("birth_date", "1950-01-01", "1999-01-01", 0)), ["created_at"]),
    ],
)
def test_what_is_created_first_is_the_event(table: TableDetail, found: list[str]) -> None:
    assert event_times(table) == found


@pytest.mark.parametrize(
    ("company", "question", "part"),
    [
        ("recruit", "How many vacancies are currently open?", 'WHERE "vacancy"."closed_date" IS NULL'),
        ("recruit", "candidates who never applied", 'NOT EXISTS(SELECT 1 FROM "application"'),
        ("academy", "Which courses have never been enrolled in?", 'NOT EXISTS(SELECT 1 FROM "enrollments"'),
        ("academy", "completion rate by course level", 'NOT "enrollments"."completed_at" IS NULL'),
        ("game", "Highest score in ranked matches", 'SELECT MAX("matches"."score")'),
        ("game", "How many players are above level 50?", '"players"."level" > 50'),
        ("game", "How many matches did Japanese players play last month?", '"players"."country" = \'Japan\''),
        ("helpdesk", "Number of employees per office and department", "COUNT(*)"),
        ("helpdesk", "办公室有多少台打印机？", 'SELECT "employees"."office", COUNT(*)'),
        ("helpdesk", "How many printers does Dublin have?", '"devices"."device_type" = \'printer\' AND "employees"."office" = \'Dublin\''),
        ("helpdesk", "Tickets per category in 2026", '"tickets"."created_at" >='),
        ("recruit", "How many candidates have more than 10 years of experience?", '"candidate"."years_experience" > 10'),
    ],
)
def test_what_was_wrong_or_silent_at_the_first_look(readers: dict[str, Reader], company: str, question: str, part: str) -> None:
    assert part in _sql(readers[company], question)


@pytest.mark.parametrize(
    ("company", "question"),
    [
        ("airline", "Bookings made through the app last month"),  # their number or their keys
        ("academy", "Which learner has completed the most courses?"),  # each course once, or each time
        ("recruit", "What's the highest salary we offer for an accountant?"),  # of the vacancy, or expected by candidates
        ("recruit", "工作经验超过10年的候选人有多少？"),  # 年 is no group
        ("recruit", "2025年以来没有职位的慕尼黑客户"),
        ("game", "从未购买过商品的玩家"),  # not the goods that nobody bought
        ("helpdesk", "How many tickets are still open?"),  # not those that were opened again
        ("academy", "报名超过5门课程的学员有多少？"),
    ],
)
def test_what_may_mean_two_things_is_not_answered(readers: dict[str, Reader], company: str, question: str) -> None:
    assert readers[company].read(question).verdict is not Verdict.ANSWERED


def test_a_column_found_by_a_part_of_its_name_is_confirmed(readers: dict[str, Reader]) -> None:
    reading = readers["recruit"].read("Accountant职位的最高薪资是多少？")
    assert reading.verdict is not Verdict.ANSWERED


CLINIC = (
    TableDetail(
        name="treatments",
        rows=2_000,
        columns=(
            ColumnDetail(name="id", type="INTEGER"),
            ColumnDetail(name="medicine", type="TEXT"),
            ColumnDetail(name="units", type="INTEGER", minimum="1", maximum="9"),
            ColumnDetail(name="unit_price", type="DECIMAL(8,2)"),
        ),
    ),
)


@pytest.mark.parametrize(
    ("question", "computed"),
    [
        ("Sum of units * unit_price of treatments per medicine", "SUM"),
        ("total units × unit_price per medicine", "SUM"),
        ("What is sum(units * unit_price) per medicine?", "SUM"),
        ("average units * unit_price per medicine", "AVG"),
        ("Sum of the units multiplied by unit_price per medicine", "SUM"),
    ],
)
def test_a_product_in_a_question_is_computed(question: str, computed: str) -> None:
    product = f'{computed}(("treatments"."units" * "treatments"."unit_price"))'

    assert product in _sql(Reader(CLINIC, NOW), question)


@pytest.mark.parametrize(
    "question", ["units * unit_price per medicine", "Sum of units * 3 * unit_price", "Sum of doses * unit_price per medicine"]
)
def test_a_formula_that_is_not_understood_is_never_dropped(question: str) -> None:
    assert Reader(CLINIC, NOW).read(question).verdict is not Verdict.ANSWERED


@pytest.mark.parametrize(
    "definition",
    [
        "Revenue is the sum of units * unit_price",
        "We define revenue as total of units * unit_price",
        "By revenue we mean sum(units * unit_price)",
        "revenue = sum of units * unit_price",
    ],
)
def test_a_measure_may_be_defined_in_several_ways(definition: str) -> None:
    reading = Reader(CLINIC, NOW).read("What is the revenue per medicine?", definition)

    assert reading.verdict is Verdict.ANSWERED
    assert "units" in build_sql(reading.readings[0].plan, CLINIC, "sqlite")
    assert definitions_in(definition) == [definition]


def test_a_question_about_a_sum_defines_nothing() -> None:
    assert definitions_in("What is the sum of units?") == definitions_in("And what is the number of visits") == []
