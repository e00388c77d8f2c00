"""`spec.yaml`: what a person writes is taken as it is, and what is wrong in it is said with its line."""

import pytest

from contracts.pipelines.analysis import HistoryColumns, Origin, SourceWork
from contracts.pipelines.review import DesignRule
from contracts.pipelines.wishes import Component, Environment
from contracts.sql_review import WriteMode
from contracts.statements import Statement
from contracts.tables import ColumnDetail, TableDetail
from workers.kinds.base import WrongSpec
from workers.kinds.etl.playbook import PLAYBOOK
from workers.kinds.etl.rules.again import spec_again
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.design_review import review_design
from workers.kinds.etl.rules.specification import analysis_of, read_spec
from workers.kinds.etl.rules.writing import script_of
from workers.saying import text_of

TABLES = (
    TableDetail(
        name="orders",
        schema_name="main",
        columns=tuple(
            ColumnDetail(name=name, type=kind) for name, kind in (("order_id", "INTEGER"), ("city", "VARCHAR"), ("amount", "DOUBLE"))
        ),
        primary_key=("order_id",),
    ),
)
GOOD = """\
target: revenue_by_city
source: shop
grain: [city]
mode: upsert
columns:
  - {name: city, meaning: Where the order came from}
  - {name: revenue, type: DOUBLE}
queries:
  - name: counted
    sql: SELECT city, amount FROM orders WHERE amount > 0
sql: |
  SELECT city, SUM(amount) AS revenue
  FROM counted
  GROUP BY city
"""


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(WrongSpec) as caught:
        analysis_of(read_spec(text), "shop", "duckdb", TABLES)
    return [(fault.line, text_of(fault.text, "en") if isinstance(fault.text, Statement) else fault.text) for fault in caught.value.faults]


def test_a_specification_is_an_analysis_that_nobody_had_to_read() -> None:
    analysis = analysis_of(read_spec(GOOD), "shop", "duckdb", TABLES)

    assert analysis.read_by is Origin.HUMAN
    assert analysis.tables == ("main.orders",)
    assert [type(step.work) for step in analysis.steps] == [SourceWork, type(None)]
    assert (analysis.target.table, analysis.target.mode, analysis.target.key) == ("revenue_by_city", WriteMode.UPSERT, ("city",))
    assert [column.name for column in analysis.target.columns] == ["city", "revenue"]
    assert analysis.sql.startswith("WITH counted AS")


def test_columns_that_are_not_listed_are_those_of_the_query() -> None:
    text = "target: t\nsql: SELECT city, COUNT(*) AS n FROM main.orders GROUP BY city\n"

    assert [column.name for column in analysis_of(read_spec(text), "shop", "duckdb", TABLES).target.columns] == ["city", "n"]


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("mode: upsert", "mode: merge", 4, "mode"),
        ("grain: [city]", "grain: [town]", 3, "town: no such column"),
        ("SELECT city, SUM(amount)", "SELECT city, SUM(amonut)", 12, "There is no amonut. The nearest: amount"),
        ("FROM counted\n", "FROM countd\n", 13, "countd"),
        ("SELECT city, SUM(amount)", "SELECT city, SUM(xyzzyq)", 12, "There is no xyzzyq, and nothing like it."),
        ("{name: revenue, type: DOUBLE}", "{name: turnover}", 5, "The query has the columns city, revenue"),
        ("target: revenue_by_city\n", "target: revenue_by_city\ntarget: twice\n", 2, "target"),
        ("GROUP BY city", "GROUP BY (city", 14, "cannot be parsed"),
        ("grain: [city]", "grain: *all", 3, "alias"),
        ("grain: [city]\n", "", 1, "mode upsert needs a `grain`"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, line: int, says: str) -> None:
    found = faults(GOOD.replace(old, new))

    assert found[0][0] == line
    assert says in found[0][1]


def test_columns_are_spelled_as_the_query_spells_them() -> None:
    text = GOOD.replace("[city]", "[City]\npartition_by: [CITY]").replace("{name: city,", "{name: CITY,")

    target = analysis_of(read_spec(text), "shop", "duckdb", TABLES).target

    assert (target.key, target.partition_by, [column.name for column in target.columns]) == (("city",), ("city",), ["city", "revenue"])


def test_lists_in_one_line_and_columns_by_name_are_taken() -> None:
    """As people write them: each was refused with "must be a list"."""
    head = "target: t\ngrain: city, n\npartition_by: city\ncolumns: [city, {name: n, type: BIGINT}]\n"
    text = f"{head}sql: SELECT city, COUNT(*) AS n FROM main.orders GROUP BY city;\n"  # noqa: S608

    analysis = analysis_of(read_spec(text), "shop", "duckdb", TABLES)

    assert [column.name for column in analysis.target.columns] == ["city", "n"]
    assert list(analysis.target.key) == ["city", "n"]


CLAUSES = """\
only:
  - {table: orders, condition: amount > 0}
totals:
  - column: revenue
    sql: SELECT SUM(amount) FROM orders WHERE amount > 0
late_days: 3
"""


def test_clauses_of_a_specification_are_those_of_its_target_and_are_written_again() -> None:
    analysis = analysis_of(read_spec(GOOD + CLAUSES), "shop", "duckdb", TABLES)

    assert analysis.target.only == (("main.orders", "amount > 0"),)
    assert analysis.target.totals == (("revenue", "SELECT SUM(amount) FROM orders WHERE amount > 0"),)
    again = analysis_of(read_spec(spec_again({}, analysis.to_json(), ("shop", "duckdb"), TABLES)), "shop", "duckdb", TABLES)
    assert (again.target.only, again.target.totals, again.target.late_days) == (analysis.target.only, analysis.target.totals, 3)


def test_a_definition_may_say_what_a_column_is_for_each_key() -> None:
    of_keys = CLAUSES.replace("SELECT SUM(amount)", "SELECT city, SUM(amount) AS revenue").replace("> 0\nlate", "> 0 GROUP BY city\nlate")

    target = analysis_of(read_spec(GOOD + of_keys), "shop", "duckdb", TABLES).target

    assert target.totals == (("revenue", "SELECT city, SUM(amount) AS revenue FROM orders WHERE amount > 0 GROUP BY city"),)


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("table: orders", "table: bills", 16, "bills: no such table"),
        ("amount > 0}", "amuont > 0}", 16, "There is no amuont. The nearest: amount"),
        ("amount > 0}", "amount > (SELECT MAX(amount) FROM orders)}", 16, "a condition over the columns of one row"),
        ("column: revenue", "column: income", 18, "income: no such column"),
        ("SELECT SUM(amount)", "SELECT city, SUM(amount)", 18, "one value"),
        ("SELECT SUM(amount)", "SELECT *", 18, "one value"),
        ("SELECT SUM(amount)", "SELECT customer_id, SUM(amount) AS revenue", 18, "all columns of the grain"),
        ("SELECT SUM(amount)", "SELECT SUM(amuont)", 18, "There is no amuont. The nearest: amount"),
    ],
)
def test_what_is_wrong_in_a_clause_is_said_with_its_line(old: str, new: str, line: int, says: str) -> None:
    found = faults(GOOD + CLAUSES.replace(old, new))

    assert found[0][0] == line
    assert says in found[0][1]


def test_a_definition_by_part_of_the_grain_is_refused() -> None:
    text = "target: t\ngrain: [city, day]\ncolumns: [city, day, n]\nsql: SELECT city, 1 AS day, 2 AS n FROM orders\n"
    total = "totals: [{column: n, sql: 'SELECT city, COUNT(*) AS n FROM orders GROUP BY city'}]\n"

    assert [line for line, said in faults(text + total) if "all columns of the grain" in said] == [5]


def test_a_history_has_the_columns_that_code_fills_in() -> None:
    text = (
        "target: t\ngrain: [city]\nmode: history\nhistory: {valid_from: since, valid_to: till}\n"
        "sql: SELECT city, CURRENT_DATE AS since FROM orders\n"
    )

    target = analysis_of(read_spec(text), "shop", "duckdb", TABLES).target

    assert [column.name for column in target.columns] == ["city", "since", "till"]


HISTORY = "target: t\ngrain: [city]\nmode: history\nhistory: {valid_from: since, valid_to: till}\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("target: t\ngrain: [city]\nsql: SELECT city, SUM(amount) FROM orders GROUP BY city\n", "needs a name of its own"),
        ("target: t\ngrain: [city]\nsql: SELECT city, amount, order_id AS amount FROM orders\n", "needs a name of its own"),
        ("HISTORY sql: SELECT city, amount FROM orders\n", "since: no such column"),
        ("HISTORY sql: SELECT city, CURRENT_DATE AS since, NULL AS till FROM orders\n", "yields till, which mode history fills in"),
        ("OVERWRITE sql: SELECT city, CURRENT_DATE AS since FROM orders\n", "`mode: history`"),
    ],
)
def test_a_column_that_would_be_lost_in_silence_is_a_fault(text: str, says: str) -> None:
    """A sum without a name was left out of the table, and `history` without its mode was passed over."""
    written = text.replace("HISTORY ", HISTORY).replace("OVERWRITE ", HISTORY.replace("mode: history", "mode: overwrite"))

    assert [says in fault for _, fault in faults(written)] == [True]


def test_a_star_stands_for_the_columns_of_its_table() -> None:
    """The grain was said to be no column of the table."""
    analysis = analysis_of(read_spec("target: t\ngrain: [order_id]\nsql: SELECT o.*, 1 AS one FROM orders o\n"), "shop", "duckdb", TABLES)

    assert [column.name for column in analysis.target.columns] == ["order_id", "city", "amount", "one"]


def test_a_key_of_a_history_has_several_versions_so_its_beginning_belongs_to_the_grain() -> None:
    """The package tested that the key alone is unique, which fails from the first change on; so did a definition by the key alone."""
    text = (
        "target: t\ngrain: [City]\nmode: history\nhistory: {valid_from: since, valid_to: till}\n"
        "sql: SELECT city, amount AS total, CURRENT_DATE AS since FROM orders\n"
    )
    total = 'totals: [{column: total, sql: "SELECT city, SUM(amount) AS total FROM orders GROUP BY city"}]\n'

    assert analysis_of(read_spec(text), "shop", "duckdb", TABLES).target.key == ("city", "since")
    with pytest.raises(WrongSpec):
        analysis_of(read_spec(text + total), "shop", "duckdb", TABLES)


@pytest.mark.parametrize(("end", "read"), [("9999-12-31", "9999-12-31"), ("null", ""), ("''", ""), ("2999-01-01", "2999-01-01")])
def test_a_history_says_how_a_row_that_holds_ends_and_whether_what_is_gone_is_closed(end: str, read: str) -> None:
    history = f"history: {{valid_from: since, valid_to: till, open_end: {end}, closes_missing: true}}"
    text = "\n".join(["target: t", "grain: [city]", "mode: history", history, "sql: SELECT city, CURRENT_DATE AS since FROM orders", ""])
    analysis = analysis_of(read_spec(text), "shop", "duckdb", TABLES)

    assert analysis.target.history == HistoryColumns(valid_from="since", valid_to="till", open_end=read, closes_missing=True)
    again = spec_again({}, analysis.to_json(), ("shop", "duckdb"), TABLES)
    assert analysis_of(read_spec(again), "shop", "duckdb", TABLES).target.history == analysis.target.history


def test_an_end_that_is_no_day_is_said_with_its_line() -> None:
    text = (
        "target: t\ngrain: [city]\nmode: history\nhistory:\n  valid_from: since\n  valid_to: till\n  open_end: 2024-13-45\nsql: SELECT 1\n"
    )

    assert [line for line, _ in faults(text)] == [7]


def test_a_specification_has_either_a_query_or_steps() -> None:
    assert "one of `sql`, `script` and `steps`" in faults("target: t\n")[0][1]


def test_a_statement_that_writes_is_no_query() -> None:
    assert faults("target: t\nsql: DELETE FROM orders\n")[0][0] == 2


def test_a_table_has_one_name_in_the_lineage() -> None:
    analysis = analysis_of(read_spec(GOOD), "shop", "duckdb", TABLES)
    workflow = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known((), ()))
    spec = job_spec(analysis, workflow, workflow.jobs[0])

    script = script_of(spec, (f"CREATE TABLE revenue_by_city AS {analysis.sql}",), TABLES)

    assert script.reads == ("main.orders",)
    assert {table for item in script.lineage for table, _ in item.origins} == {"main.orders"}


def test_a_specification_is_called_by_its_table_and_what_it_is() -> None:
    request = {"kind": "etl", "spec": f"description: >\n  Turnover,\n  by city\n{GOOD}"}

    assert PLAYBOOK.read_request(request)["title"] == "revenue_by_city: Turnover, by city"
    assert PLAYBOOK.read_request({"kind": "etl", "spec": "target: ["})["title"] == ""
    assert PLAYBOOK.read_request({"kind": "etl", "requirement": "a table", "spec": GOOD})["title"] == ""


@pytest.mark.parametrize(
    ("target", "others", "exists", "is_refused"),
    [
        ("orders", (), True, True),
        ("orders", ("public.customers",), False, True),
        ("orders", ("public.orders",), True, False),
        ("public.orders", ("public.customers",), False, False),
        ("raw.orders", ("public.customers",), True, True),
        ("paid_orders", (), False, False),
    ],
)
def test_a_target_is_not_the_table_of_another_schema_that_it_reads(
    target: str, others: tuple[str, ...], exists: bool, is_refused: bool
) -> None:
    columns = (ColumnDetail(name="id", type="INTEGER"), ColumnDetail(name="status", type="TEXT"))
    tables = [
        TableDetail(name=name, schema_name=schema, columns=columns, primary_key=("id",))
        for schema, _, name in (full.partition(".") for full in ("raw.orders", *others))
    ]
    text = f"target: {target}\ngrain: [id]\nmode: overwrite\nsql: SELECT id, status FROM raw.orders WHERE status = 'paid'\n"  # noqa: S608

    analysis = analysis_of(read_spec(text), "shop", "postgres", tables)
    review = review_design(analysis, design(analysis, Component.SQL, Environment.DEV, "postgres", Known()), tables)

    assert analysis.tables == ("raw.orders",)
    assert analysis.target.exists is exists
    assert {issue.rule for issue in review.issues} == ({DesignRule.INPUT} if is_refused else set())
