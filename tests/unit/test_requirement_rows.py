"""What a row of a target is, and which rows count: said in one breath, with restrictions, and with rows that refer to nothing."""

# ruff: noqa: E501 requirements as users write them, and rows

from datetime import UTC, datetime

import pytest

from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.requirement_rows import assert_gives
from workers.engines.requirements import RequirementReading, read_requirement
from workers.engines.requirements.outline.heads import Head
from workers.engines.requirements.outline.per import grain_said, grains_with_times, per_in
from workers.saying import text_of

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SETUP = (
    "CREATE TABLE branches (branch_id INTEGER, branch_name VARCHAR)",
    "INSERT INTO branches VALUES (1, 'Kiel'), (2, 'Bonn'), (3, 'Ulm')",
    "CREATE TABLE machines (machine_id INTEGER, category VARCHAR, branch_id INTEGER, retired_on DATE)",
    "INSERT INTO machines VALUES (1, 'lift', 1, NULL), (2, 'saw', 1, '2025-02-01'), (3, 'saw', 2, NULL), (4, 'lift', NULL, NULL)",
    "CREATE TABLE customers (customer_id INTEGER, company VARCHAR)",
    "INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy')",
    "CREATE TABLE rentals (rental_id INTEGER, customer_id INTEGER, machine_id INTEGER, taken_at TIMESTAMP, returned_at TIMESTAMP)",
    "INSERT INTO rentals VALUES (1, 1, 1, '2024-03-01 08:00:00', '2024-03-04 09:00:00'), (2, 1, 3, '2025-03-01 23:00:00', '2025-03-04 22:00:00'), "
    "(3, 2, 1, '2024-05-01 08:00:00', NULL), (4, 2, 4, '2023-05-01 08:00:00', '2023-05-01 09:00:00')",
    "CREATE TABLE invoices (invoice_id INTEGER, rental_id INTEGER, issued_on DATE, amount DECIMAL(10,2), paid_on DATE)",
    "INSERT INTO invoices VALUES (1, 1, '2025-01-10', 100, '2025-01-20'), (2, 1, '2025-01-12', 50, NULL), (3, 3, '2025-02-10', 70, NULL), (4, 2, '2024-02-10', 9, '2024-03-01')",
)


def table(name: str, columns: str, key: str, *refers: tuple[str, str], about: str = "") -> TableDetail:
    """`columns`: `name type comment; ...`, where `?` behind the type means that it may be null."""
    made: list[ColumnDetail] = []
    for part in columns.split(";"):
        label, kind, *comment = part.strip().split(" ", 2)
        made.append(ColumnDetail(name=label, type=kind.rstrip("?"), description="".join(comment), nullable=kind.endswith("?")))
    keys = tuple(ForeignKey(columns=(column,), table=other, references=(column,)) for column, other in refers)
    return TableDetail(name=name, columns=tuple(made), primary_key=(key,), foreign_keys=keys, description=about)


TABLES = (
    table("branches", "branch_id INTEGER; branch_name VARCHAR", "branch_id", about="Branches of the firm (门店)"),
    table("machines", "machine_id INTEGER; category VARCHAR Category (机器类别); branch_id INTEGER?; retired_on DATE? null while it is in service", "machine_id", ("branch_id", "branches"), about="Machines (机器)"),
    table("customers", "customer_id INTEGER; company VARCHAR", "customer_id", about="Customers (客户)"),
    table("rentals", "rental_id INTEGER; customer_id INTEGER; machine_id INTEGER; taken_at TIMESTAMP; returned_at TIMESTAMP? null while it is out", "rental_id", ("customer_id", "customers"), ("machine_id", "machines"), about="Rentals (租赁)"),
    table("invoices", "invoice_id INTEGER; rental_id INTEGER; issued_on DATE; amount DECIMAL(10,2) (发票金额); paid_on DATE? null while it is unpaid (未付为空)", "invoice_id", ("rental_id", "rentals"), about="Invoices (发票)"),
)  # fmt: skip


def read(text: str) -> RequirementReading:
    return read_requirement(text, TABLES, (), NOW)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (
            "Build open_invoices: invoice_id, company of the customer and amount of all invoices that are not paid yet and were issued before 2025-02-01.",
            "SELECT 2, 'Ada', 50",
        ),
        (
            "Build in_use, one row per machine that is still in service: machine_id, rentals (number of rentals).",
            "SELECT machine_id, (SELECT COUNT(*) FROM rentals r WHERE r.machine_id = m.machine_id) FROM machines m WHERE retired_on IS NULL",
        ),
        ("We need lapsed: customer_id and company of the customers who have rentals taken in 2024 but none in 2025.", "SELECT 2, 'Bo'"),
        ("建立 lapsed：2024年有租赁但2025年没有的客户的 customer_id 和 company。", "SELECT 2, 'Bo'"),
        (
            "Build top_machines: for every branch the one machine with the highest rental count (number of rentals): branch_id, place (1 to 1; ties by the smaller machine_id), machine_id, rental count.",
            "SELECT 1, 1, 1, 2 UNION ALL SELECT 2, 1, 3, 1",
        ),
        (
            "建立 branch_facts，每个门店一行：branch_id；machines（机器数）。",
            "SELECT branch_id, (SELECT COUNT(*) FROM machines m WHERE m.branch_id = b.branch_id) FROM branches b",
        ),
        (
            "建立 rm：2025年每月每个机器类别的发票数和发票金额合计。",
            "SELECT DATE_TRUNC('month', issued_on), category, COUNT(*), SUM(amount) FROM invoices JOIN rentals USING (rental_id) JOIN machines USING (machine_id) WHERE issued_on >= '2025-01-01' GROUP BY 1, 2",
        ),
        (
            "Build by_month, one row per month of issued_on: month; paid (total paid amount); unpaid (total unpaid amount).",
            "SELECT DATE_TRUNC('month', issued_on), SUM(amount) FILTER (WHERE paid_on IS NOT NULL), SUM(amount) FILTER (WHERE paid_on IS NULL) FROM invoices GROUP BY 1",
        ),
        (
            "Build long_ones: rental_id of rentals where returned_at is more than 3 days after taken_at.",
            "SELECT 1",
        ),
    ],
)  # fmt: skip
def test_which_rows_count(text: str, gold: str) -> None:
    assert_gives(read(text), TABLES, SETUP, gold)


@pytest.mark.parametrize(
    ("text", "gold", "says"),
    [
        (
            "Build by_branch, one row per branch_name of the branch of the machine: branch_name; machines (number of machines).",
            "SELECT branch_name, COUNT(*) FROM machines LEFT JOIN branches USING (branch_id) GROUP BY 1",
            True,
        ),
        (
            "Build machine_list: machine_id and branch_name of all machines.",
            "SELECT machine_id, branch_name FROM machines LEFT JOIN branches USING (branch_id)",
            False,
        ),
        (
            "Build by_branch_id, one row per branch of the machines: branch_id; machines (number of machines).",
            "SELECT branch_id, COUNT(m.machine_id) FROM branches LEFT JOIN machines m USING (branch_id) GROUP BY 1",
            False,
        ),
    ],
)  # fmt: skip
def test_rows_that_refer_to_nothing_are_kept_unless_a_row_is_one_of_what_they_lack(text: str, gold: str, *, says: bool) -> None:
    """A machine without a branch is in the group without a name, and in no row for a branch."""
    reading = read(text)

    if reading.target is None:  # a row for each branch may be asked about; it is never given with a row for none
        assert not says
        return
    assert_gives(reading, TABLES, SETUP, gold)
    assert any("branch_name" in text_of(item, "en") for item in reading.assumptions) is says


def test_a_name_that_several_rows_have_does_not_stand_for_each_of_them() -> None:
    """The first of every branch, where two branches are known to have the same name."""
    named = TABLES[0].model_copy(
        update={"rows": 3, "columns": (TABLES[0].columns[0], TABLES[0].columns[1].model_copy(update={"distinct": 2}))}
    )
    text = (
        "Build top_machines: for every branch the one machine with the most rentals (number of rentals): branch_name, machine_id, rentals."
    )

    reading = read_requirement(text, (named, *TABLES[1:]), (), NOW)

    assert reading.target is None


def test_two_columns_that_are_asked_about_are_not_offered_as_the_same() -> None:
    reading = read("Build sums, one row per month of issued_on: month; gross_amount; booked_amount.")

    choices = [text_of(choice, "en") for choice in reading.ambiguities[0].choices] if reading.ambiguities else []
    assert reading.target is None or {column.name for column in reading.target.columns} == {"month", "gross_amount", "booked_amount"}
    assert not any(choice.count("sum of amount") > 1 for choice in choices)


@pytest.mark.parametrize(
    ("rest", "wanted"),
    [
        (": revenue and scans per month and lift", ", one row per month and lift: revenue, scans"),
        (" the number of rentals per branch", ", one row per branch: number of rentals"),
        ("：每月每个门店的租赁数和金额", "，每个月、门店一行：租赁数、金额"),
        (": revenue per", None),
        (", one row per branch: revenue", None),
        ("：每个门店一行：租赁数", None),
        (": a, b, c, d, e, f, g, h, i per branch", None),
    ],
)
def test_what_is_measured_and_by_what_in_one_breath(rest: str, wanted: str | None) -> None:
    made = per_in(Head("t", "", rest, ""))

    assert (made.rest if made is not None else None) == wanted


def test_a_bare_unit_of_time_is_offered_of_each_time() -> None:
    """Times of the same name are told apart by their table; without a unit there is nothing to offer."""
    parts = grain_said(Head("t", "", ", one row per month and branch: n", ""))
    other = table("returns", "return_id INTEGER; taken_at TIMESTAMP", "return_id")

    assert parts == ["month", "branch"]
    assert list(grains_with_times(parts, (TABLES[3], other), is_chinese=False)) == [
        "month of rentals.taken_at and branch", "month of returned_at and branch", "month of returns.taken_at and branch",
    ]  # fmt: skip
    assert list(grains_with_times(["月", "门店"], TABLES[3:4], is_chinese=True)) == ["taken_at 的月、门店", "returned_at 的月、门店"]
    assert list(grains_with_times(["branch"], TABLES, is_chinese=False)) == []
    assert grain_said(None) == []
