"""What a request says in closed form is tried on rows, whatever a script looks like."""

import pytest

from contracts.sql_review import Defect, ReviewCheck, ReviewTarget, Severity, SqlReview, WriteMode
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox

SHOPS = TableDetail(
    name="shops",
    columns=(ColumnDetail(name="shop_id", type="INTEGER", nullable=False), ColumnDetail(name="city", type="TEXT")),
    primary_key=("shop_id",),
)
SALES = TableDetail(
    name="sales",
    columns=(
        ColumnDetail(name="sale_id", type="INTEGER", nullable=False),
        ColumnDetail(name="shop_id", type="INTEGER", nullable=False),
        ColumnDetail(name="amount", type="INTEGER", nullable=False),
        ColumnDetail(name="status", type="TEXT", nullable=False, values=("paid", "open")),
        ColumnDetail(name="sold_on", type="TEXT", holds="date", nullable=False),
    ),
    primary_key=("sale_id",),
    foreign_keys=(ForeignKey(columns=("shop_id",), table="shops", references=("shop_id",)),),
)
TARGET = ReviewTarget(table="shop_sales", key=("shop_id",))
RIGHT = (
    "CREATE TABLE shop_sales AS SELECT s.shop_id, COALESCE(SUM(x.amount), 0) AS amount FROM shops s "
    "LEFT JOIN sales x ON x.shop_id = s.shop_id AND x.status = 'paid' GROUP BY s.shop_id"
)
CLAUSES = TARGET.model_copy(
    update={
        "keeps_all": "shops",
        "only": (("sales", "status = 'paid'"),),
        "totals": (("amount", "SELECT SUM(amount) FROM sales WHERE status = 'paid'"),),
    }
)


DATED = SALES.model_copy(update={"columns": (*SALES.columns[:4], ColumnDetail(name="sold_on", type="DATE", nullable=False))})
COPIES = DATED.model_copy(update={"name": "copies", "foreign_keys": ()})


def reviewed(sql: str, target: ReviewTarget, tables: tuple[TableDetail, ...] = (SHOPS, SALES)) -> SqlReview:
    with open_sandbox() as sandbox:
        return review([sql], tables, "postgres", sandbox, target=target)


def blocked(found: SqlReview) -> set[Defect]:
    assert all(finding.counterexample is not None for finding in found.blockers)
    return {finding.defect for finding in found.blockers}


def test_a_right_script_passes_and_the_review_says_what_it_looked_at() -> None:
    found = reviewed(RIGHT, CLAUSES)

    assert blocked(found) == set()
    assert set(found.checked) >= {ReviewCheck.GRAIN, ReviewCheck.ROWS_KEPT, ReviewCheck.ROWS_COUNTED, ReviewCheck.TOTALS}
    assert found.not_checked == (ReviewCheck.LATER_RUNS,)


def test_what_the_request_does_not_say_is_named_as_not_checked() -> None:
    found = reviewed(RIGHT, TARGET)

    assert set(found.not_checked) == {ReviewCheck.ROWS_KEPT, ReviewCheck.ROWS_COUNTED, ReviewCheck.TOTALS, ReviewCheck.LATER_RUNS}


@pytest.mark.parametrize(
    ("old", "new", "clause", "defect"),
    [
        ("LEFT JOIN", "JOIN", "keeps_all", Defect.ROWS_MISSING),
        (" AND x.status = 'paid'", "", "only", Defect.ROWS_NOT_LEFT_OUT),
        (" AND x.status = 'paid'", "", "totals", Defect.TOTAL_DIFFERS),
        ("x.amount", "x.sale_id", "totals", Defect.TOTAL_DIFFERS),
    ],
)
def test_a_script_that_breaks_a_clause_is_shown_on_rows(old: str, new: str, clause: str, defect: Defect) -> None:
    target = TARGET.model_copy(update={clause: getattr(CLAUSES, clause)})

    assert blocked(reviewed(RIGHT.replace(old, new), target)) == {defect}
    assert blocked(reviewed(RIGHT.replace(old, new), TARGET)) == set(), "where nothing is said, nothing blocks"


BY_CITY = (
    "CREATE TABLE city_sales AS SELECT s.city, AVG(x.amount) AS mean FROM shops s "
    "LEFT JOIN sales x ON x.shop_id = s.shop_id GROUP BY s.city"
)
MEAN_OF_MEANS = (
    "CREATE TABLE city_sales AS SELECT s.city, AVG(x.mean) AS mean FROM shops s "
    "LEFT JOIN (SELECT shop_id, AVG(amount) AS mean FROM sales GROUP BY shop_id) x ON x.shop_id = s.shop_id GROUP BY s.city"
)


@pytest.mark.parametrize(
    ("sql", "clause", "defects"),
    [
        (BY_CITY, {"keeps_all": "shops"}, set[Defect]()),
        (BY_CITY.replace("LEFT JOIN", "JOIN"), {"keeps_all": "shops"}, {Defect.ROWS_MISSING}),
        (BY_CITY.replace("GROUP BY", "WHERE x.status = 'paid' GROUP BY"), {"keeps_all": "shops"}, {Defect.ROWS_MISSING}),
        (BY_CITY, {"totals": (("mean", BY_CITY.partition(" AS ")[2]),)}, set[Defect]()),
        (MEAN_OF_MEANS, {"totals": (("mean", BY_CITY.partition(" AS ")[2]),)}, {Defect.TOTAL_DIFFERS}),
    ],
)
def test_a_clause_about_groups_is_tried_for_each_group(sql: str, clause: dict[str, object], defects: set[Defect]) -> None:
    """Rows of a table that is kept are in a group each, and a definition may say what a column is for each key."""
    assert blocked(reviewed(sql, ReviewTarget(table="city_sales", key=("city",)).model_copy(update=clause))) == defects


def test_equal_amounts_are_not_added_up_once() -> None:
    sql = RIGHT.replace("SUM(x.amount)", "SUM(DISTINCT x.amount)")

    assert blocked(reviewed(sql, TARGET.model_copy(update={"totals": CLAUSES.totals}))) == {Defect.TOTAL_DIFFERS}


STAFF = TableDetail(
    name="staff",
    columns=(
        ColumnDetail(name="staff_id", type="INTEGER", nullable=False),
        ColumnDetail(name="kind", type="TEXT", nullable=False, values=("own", "agency")),
        ColumnDetail(name="crew_id", type="INTEGER"),
    ),
    primary_key=("staff_id",),
    foreign_keys=(ForeignKey(columns=("crew_id",), table="crews", references=("crew_id",)),),
)
CREWS = TableDetail(
    name="crews",
    columns=(ColumnDetail(name="crew_id", type="INTEGER", nullable=False), ColumnDetail(name="lead_id", type="INTEGER")),
    primary_key=("crew_id",),
    foreign_keys=(ForeignKey(columns=("lead_id",), table="staff", references=("staff_id",)),),
)
OWN = ReviewTarget(table="own_staff", key=("staff_id",), only=(("staff", "kind = 'own'"),))


@pytest.mark.parametrize(
    ("sql", "defects"),
    [
        ("SELECT s.staff_id, c.crew_id FROM staff s LEFT JOIN crews c ON c.crew_id = s.crew_id WHERE s.kind = 'own'", set[Defect]()),
        ("SELECT s.staff_id, c.crew_id FROM staff s LEFT JOIN crews c ON c.crew_id = s.crew_id", {Defect.ROWS_NOT_LEFT_OUT}),
    ],
)
def test_what_refers_to_rows_that_do_not_count_may_count_itself(sql: str, defects: set[Defect]) -> None:
    """A crew that somebody of an agency leads is a crew; who is of the agency is not in the table."""
    assert blocked(reviewed(f"CREATE TABLE own_staff AS {sql}", OWN, (STAFF, CREWS))) == defects


@pytest.mark.parametrize("kept", ["COALESCE(s.city, '') <> 'X'", "s.city <> 'X' OR s.city IS NULL"])
def test_what_refers_to_rows_that_do_not_count_may_not_count_either(kept: str) -> None:
    """A sale of a shop that does not count, which a left join would keep."""
    target = ReviewTarget(table="all_sales", key=("sale_id",), only=(("shops", "COALESCE(city, '') <> 'X'"),))
    sql = f"CREATE TABLE all_sales AS SELECT x.sale_id, s.city FROM sales x LEFT JOIN shops s ON s.shop_id = x.shop_id WHERE {kept}"  # noqa: S608

    assert blocked(reviewed(sql, target)) == set()
    assert blocked(reviewed(sql.replace(kept, "1 = 1"), target)) == {Defect.ROWS_NOT_LEFT_OUT}


def test_a_clause_with_the_day_of_the_run_has_the_day_of_the_script() -> None:
    days = "CAST(sold_on AS DATE) BETWEEN CURRENT_DATE - 30 AND CURRENT_DATE - 1"
    target = TARGET.model_copy(update={"totals": (("amount", f"SELECT SUM(amount) FROM sales WHERE {days}"),)})  # noqa: S608
    sql = f"CREATE TABLE shop_sales AS SELECT shop_id, SUM(amount) AS amount FROM sales WHERE {days} GROUP BY shop_id"  # noqa: S608

    assert blocked(reviewed(sql, target)) == set()
    assert blocked(reviewed(sql.replace("SUM(amount) AS", "SUM(amount + 1) AS"), target)) == {Defect.TOTAL_DIFFERS}


def test_a_condition_that_is_no_condition_is_not_tried() -> None:
    target = TARGET.model_copy(update={"only": (("sales", "status = 'paid'; DROP TABLE sales"), ("sales", "this is no SQL"))})

    assert blocked(reviewed(RIGHT, target)) == set()


@pytest.mark.parametrize(
    ("days", "late_days", "severities"),
    [
        ("CAST(sold_on AS DATE) = CURRENT_DATE", 0, {Severity.WARNING}),
        ("CAST(sold_on AS DATE) = CURRENT_DATE", 3, {Severity.BLOCKER}),
        ("CAST(sold_on AS DATE) >= CURRENT_DATE - INTERVAL '3' DAY", 3, set[Severity]()),
        ("CAST(sold_on AS DATE) >= CURRENT_DATE - INTERVAL '1' DAY", 3, {Severity.BLOCKER}),
        ("sold_on > CURRENT_DATE - INTERVAL '7' DAY", 3, set[Severity]()),
        ("sold_on >= CURRENT_DATE - 7", 10, {Severity.BLOCKER}),
        ("sold_on >= CURRENT_DATE - 10", 10, set[Severity]()),
        ("sold_on >= CURRENT_DATE - 15", 30, {Severity.BLOCKER}),
        ("sold_on IN (CURRENT_DATE, CURRENT_DATE - 1)", 3, {Severity.BLOCKER}),
        ("sold_on = CAST(LOCALTIMESTAMP AS DATE)", 3, {Severity.BLOCKER}),
    ],
)
def test_rows_that_arrive_after_their_day_are_looked_for_as_late_as_the_request_says(
    days: str, late_days: int, severities: set[Severity]
) -> None:
    sql = f"INSERT INTO copies SELECT * FROM sales WHERE {days} AND sale_id NOT IN (SELECT sale_id FROM copies)"  # noqa: S608
    target = ReviewTarget(table="copies", key=("sale_id",), mode=WriteMode.APPEND, late_days=late_days)

    found = reviewed(sql, target, (SHOPS, DATED, COPIES))

    assert {finding.severity for finding in found.findings if finding.defect is Defect.DAY_OF_RUN} == severities
    assert all(finding.defect is Defect.DAY_OF_RUN for finding in found.blockers)


def test_rows_behind_a_watermark_are_missed_whatever_the_watermark_looks_like() -> None:
    copies = SALES.model_copy(update={"name": "copies", "foreign_keys": ()})
    sql = "INSERT INTO copies SELECT * FROM sales WHERE sold_on >= COALESCE((SELECT MAX(sold_on) FROM copies), '') "
    sql += "AND sale_id NOT IN (SELECT sale_id FROM copies)"
    target = ReviewTarget(table="copies", key=("sale_id",), mode=WriteMode.APPEND)

    found = reviewed(sql, target, (SHOPS, SALES, copies))

    assert blocked(found) & {Defect.NOT_AS_AT_ONCE, Defect.LATE_ROWS}
    assert ReviewCheck.LATER_RUNS in found.checked


def test_versions_whose_dates_are_text_have_an_end() -> None:
    """Their rows were made with `type(start)(9999, 12, 31)`, which is no text."""
    versions = TableDetail(
        name="versions",
        columns=tuple(ColumnDetail(name=name, type="TEXT", nullable=False) for name in ("shop_id", "valid_from", "valid_to")),
        primary_key=("shop_id", "valid_from"),
    )
    sql = "CREATE TABLE held AS SELECT shop_id, valid_from, valid_to FROM versions WHERE valid_to > '2024-01-01'"

    found = reviewed(sql, ReviewTarget(table="held", key=("shop_id", "valid_from")), (versions,))

    assert [finding for finding in found.findings if finding.severity is Severity.BLOCKER] == []


def test_a_counterexample_has_no_row_that_ends_before_it_begins() -> None:
    """A key that holds only because nothing ends before it begins is no defect."""
    stays = TableDetail(
        name="stays",
        columns=(
            ColumnDetail(name="stay_id", type="INTEGER", nullable=False),
            ColumnDetail(name="started_on", type="DATE", nullable=False),
            ColumnDetail(name="ended_on", type="DATE", nullable=False),
        ),
        primary_key=("stay_id",),
    )
    sql = (
        "CREATE TABLE ends AS SELECT stay_id, started_on AS day FROM stays WHERE started_on <= ended_on "
        "UNION ALL SELECT stay_id, ended_on AS day FROM stays WHERE ended_on < started_on "
        "UNION ALL SELECT stay_id, started_on AS day FROM stays WHERE ended_on < started_on"
    )

    assert blocked(reviewed(sql, ReviewTarget(table="ends", key=("stay_id",)), (stays,))) == set()


@pytest.mark.parametrize(
    ("amount", "days"),
    [
        ("x.amount", "x.sold_on >= '2023-01-01' AND x.sold_on < '2024-01-01' AND x.sold_on <= CURRENT_DATE"),
        ("x.amount) AS total, SUM(CASE WHEN x.sold_on >= CURRENT_DATE - INTERVAL '30' DAY THEN 1 END", "x.sold_on < '2024-01-01'"),
        ("x.amount", "x.sold_on < '2024-01-01' AND x.sold_on <= CURRENT_TIMESTAMP"),
    ],
)
def test_a_column_that_is_compared_with_the_clock_and_with_days_has_rows_on_both(amount: str, days: str) -> None:
    """Rows of the day of the run alone never come through the other conditions."""
    sql = f"CREATE TABLE shop_sales AS SELECT s.shop_id, SUM({amount}) AS amount FROM shops s JOIN sales x ON x.shop_id = s.shop_id "  # noqa: S608
    sql += f"JOIN sales y ON y.shop_id = s.shop_id WHERE {days} GROUP BY s.shop_id"
    kind = "TIMESTAMP" if "TIMESTAMP" in days else "DATE"
    sales = DATED.model_copy(update={"columns": (*SALES.columns[:4], ColumnDetail(name="sold_on", type=kind, nullable=False))})

    assert Defect.FAN_OUT in blocked(reviewed(sql, TARGET, (SHOPS, sales)))


DAILY = TableDetail(
    name="daily",
    columns=(ColumnDetail(name="sold_on", type="DATE", nullable=False), ColumnDetail(name="amount", type="INTEGER")),
    primary_key=("sold_on",),
)
NEW_DAYS = "NOT EXISTS (SELECT 1 FROM daily d WHERE d.sold_on = x.sold_on)"


@pytest.mark.parametrize(
    ("days", "of_day"), [(NEW_DAYS, ""), (f"x.sold_on = CURRENT_DATE AND {NEW_DAYS}", " WHERE sold_on = CURRENT_DATE")]
)
def test_what_is_appended_adds_up_in_one_run(days: str, of_day: str) -> None:
    """A day that is there stays as it is, so that later rows of it are in no total."""
    sql = f"INSERT INTO daily SELECT x.sold_on, SUM(x.amount) AS amount FROM sales x WHERE {days} GROUP BY x.sold_on"  # noqa: S608
    totals = (("amount", f"SELECT SUM(amount) FROM sales{of_day}"),)  # noqa: S608
    target = ReviewTarget(table="daily", key=("sold_on",), mode=WriteMode.APPEND, totals=totals)

    assert Defect.TOTAL_DIFFERS not in blocked(reviewed(sql, target, (DATED, DAILY)))
    assert Defect.TOTAL_DIFFERS in blocked(reviewed(sql.replace("SUM(x.amount)", "MAX(x.amount)"), target, (DATED, DAILY)))


@pytest.mark.parametrize(
    "definition",
    [
        "SELECT shop_id, SUM(amount) AS amount FROM sales GROUP BY shop_id",
        "SELECT shop_id, status FROM sales",
        "SELECT SUM(day) FROM calendar",
    ],
)
def test_a_definition_that_cannot_be_tried_is_said_and_stops_nothing(definition: str) -> None:
    """By part of the key, without its column, or over a table that the script does not read."""
    calendar = TableDetail(name="calendar", columns=(ColumnDetail(name="day", type="INTEGER"),))
    sql = "CREATE TABLE sums AS SELECT shop_id, status, SUM(amount) AS amount FROM sales GROUP BY shop_id, status"
    target = ReviewTarget(table="sums", key=("shop_id", "status"), totals=(("amount", definition),))

    found = reviewed(sql, target, (SALES, calendar))

    assert blocked(found) == set()
    assert ReviewCheck.TOTALS in found.not_checked


def test_the_condition_that_leaves_late_rows_out_is_named() -> None:
    sql = "INSERT INTO copies SELECT * FROM sales WHERE sold_on <= CURRENT_DATE AND sold_on >= CURRENT_DATE "
    sql += "AND sale_id NOT IN (SELECT sale_id FROM copies)"
    target = ReviewTarget(table="copies", key=("sale_id",), mode=WriteMode.APPEND, late_days=3)

    found = reviewed(sql, target, (SHOPS, DATED, COPIES))

    named = [finding for finding in found.blockers if finding.defect is Defect.DAY_OF_RUN]
    assert ["sold_on >= CURRENT_DATE" in str(finding.summary) for finding in named] == [True]


@pytest.mark.parametrize(
    ("inner", "outer", "defects"),
    [
        ("AVG(amount) AS total", "AVG(x.total)", {Defect.AVERAGE_OF_AVERAGES}),
        ("1.0 * SUM(amount) / COUNT(*) AS total", "AVG(x.total)", {Defect.AVERAGE_OF_AVERAGES}),
        ("SUM(amount) AS total", "AVG(x.total / 100.0)", set[Defect]()),
        ("SUM(amount) / 100.0 AS total", "AVG(x.total)", set[Defect]()),
        ("COUNT(DISTINCT status) AS total", "SUM(x.total)", {Defect.DISTINCT_ADDED}),
        ("COUNT(DISTINCT sale_id) AS total", "SUM(x.total)", set[Defect]()),
        ("COUNT(*) AS total", "SUM(x.total)", set[Defect]()),
    ],
)
def test_figures_of_groups_that_cannot_be_combined_are_warned_of(inner: str, outer: str, defects: set[Defect]) -> None:
    sql = f"CREATE TABLE city_sales AS SELECT s.city, {outer} AS figure FROM shops s JOIN (SELECT shop_id, {inner} "  # noqa: S608
    sql += "FROM sales GROUP BY shop_id) x ON x.shop_id = s.shop_id GROUP BY s.city"

    found = reviewed(sql, ReviewTarget(table="city_sales", key=("city",)))

    assert {finding.defect for finding in found.findings} & {Defect.AVERAGE_OF_AVERAGES, Defect.DISTINCT_ADDED} == defects
    assert blocked(found) == set()
