"""Columns that SQLite declares as dates and that hold other texts."""

from datetime import datetime

import pytest

from contracts.tables import ColumnDetail, TableDetail
from tests.support.said import said
from workers.engines.questions import Reader
from workers.engines.sql.texts_as_times import texts_as_times

DAY = ColumnDetail(name="visit_date", type="DATE", holds="text", minimum="02/02/2024", maximum="28/01/2024")
VISITS = TableDetail(name="visits", schema_name="main", rows=4, columns=(ColumnDetail(name="visit_id", type="INTEGER", distinct=4), DAY))


@pytest.mark.parametrize("question", ["How many visits per month in 2024?", "number of visits in 2024"])
def test_a_question_about_such_a_date_is_asked_back_with_the_reason(question: str) -> None:
    """It gave no rows, as if nothing had happened in that year."""
    reading = Reader((VISITS,), datetime(2026, 11, 21, 12)).read(question)  # noqa: DTZ001 local time of the source

    assert not reading.readings
    (remark,) = (said(remark) for remark in reading.remarks)
    assert remark.startswith("visit_date is declared as DATE, but not all of its values are dates")
    assert "02/02/2024" in remark


def test_the_sum_of_a_text_says_what_type_it_is() -> None:
    invoices = TableDetail(name="invoices", rows=3, columns=(ColumnDetail(name="amount", type="VARCHAR", minimum="1,5"),))

    reading = Reader((invoices,), datetime(2026, 11, 21, 12)).read("total amount of invoices")  # noqa: DTZ001 as above

    assert [said(remark) for remark in reading.remarks] == [
        "amount is of the type VARCHAR: nothing can be added up of it, and it is no time. "
        "Convert it at the source, or in a view, or ask for another column."
    ]


@pytest.mark.parametrize(
    ("sql", "is_used"),
    [
        ("SELECT COUNT(*) FROM visits WHERE visit_date BETWEEN '01/01/2024' AND '31/01/2024'", True),
        ("SELECT COUNT(*) FROM visits WHERE visit_date >= '2024-01-01'", True),
        ("SELECT strftime('%m', visit_date) FROM visits", True),
        ("SELECT * FROM visits ORDER BY visit_date", True),
        ("SELECT visit_date FROM visits WHERE visit_date = '28/01/2024'", False),
        ("SELECT * FROM visits WHERE substr(visit_date, 7) || substr(visit_date, 4, 2) >= '202401'", False),
    ],
)
def test_a_statement_that_takes_the_texts_for_times_is_seen(sql: str, is_used: bool) -> None:
    """Bounds of texts gave 5 rows for 2, without a word."""
    assert texts_as_times(sql, "sqlite", (VISITS,)) == ([DAY] if is_used else [])
