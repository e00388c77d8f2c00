"""The dry run: which queries a source is asked about, and what its replies make of a trial."""

from collections.abc import Callable

import pytest

from contracts.pipelines.trial import CheckKind, CheckStatus, TrialCheck, TrialReport
from tests.support.pipelines import DROP, KEPT, REVENUE, TABLES, UPSERT, analysis_of, chinese, english, script_of, workflow_of
from workers.engines.pipelines import Reply, SourceAtHand, SourceReply, trial

PLANNED = SourceReply(Reply.PLANNED)
STAGED = script_of(
    "CREATE TEMPORARY TABLE done AS SELECT * FROM shop.orders WHERE status = 'completed'",
    DROP,
    REVENUE.replace("shop.orders", "done"),
    temporary=("done",),
)


class Source:
    """A source with one reply, which keeps what it was asked."""

    def __init__(self, reply: SourceReply = PLANNED, dialect: str = "duckdb") -> None:
        self.asked: list[str] = []
        self.at_hand = SourceAtHand("shop", dialect, lambda query: self.asked.append(query) or reply)


def tried(script: object, source: Source, *, dialect: str = "duckdb", upserts: bool = False) -> TrialReport:
    tables = (*TABLES, KEPT) if upserts else TABLES
    analysis = analysis_of(UPSERT) if upserts else analysis_of()
    return trial(analysis, workflow_of(script, dialect=dialect), [script], tables, dialect=dialect, source=source.at_hand)  # type: ignore[arg-type, list-item]


def check(report: TrialReport) -> TrialCheck:
    return next(item for item in report.checks if item.kind is CheckKind.SOURCE)


def test_every_query_is_asked_about_with_the_tables_that_the_script_makes_in_their_place() -> None:
    source = Source()

    report = tried(STAGED, source)

    assert source.asked[0] == "SELECT * FROM shop.orders WHERE orders.status = 'completed'"
    assert "(SELECT * FROM shop.orders WHERE orders.status = 'completed') AS " in source.asked[1]
    assert check(report).status is CheckStatus.PASSED
    assert english(check(report).text) == "shop (duckdb) plans all 2 queries of the scripts. It did not run them."
    assert report.has_run


def test_a_query_that_the_source_refuses_stops_the_script() -> None:
    report = tried(STAGED, Source(SourceReply(Reply.REFUSED, "permission denied for orders.")))

    assert [item.kind for item in report.failures] == [CheckKind.SOURCE]
    assert "permission denied for orders" in english(check(report).text)
    assert not report.has_run


@pytest.mark.parametrize(("said", "word"), [(english, "was not asked"), (chinese, "未向")])
def test_a_query_that_never_came_to_the_source_is_said_and_stops_nothing(said: Callable[[object], str], word: str) -> None:
    report = tried(STAGED, Source(SourceReply(Reply.NOT_TAKEN, "no such function here")))

    assert report.has_run
    assert check(report).status is CheckStatus.NOT_TRIED
    assert word in said(report.not_tried[0])


def test_scripts_in_another_dialect_than_the_source_are_not_asked_about() -> None:
    source = Source(dialect="postgres")

    report = tried(script_of(DROP, REVENUE), source)

    assert source.asked == []
    assert check(report).status is CheckStatus.NOT_TRIED
    assert "postgres" in english(check(report).text)
    assert report.has_run


def test_statements_that_change_rows_are_asked_about_by_the_rows_that_they_are_about() -> None:
    source = Source()
    rows = REVENUE.partition("AS\n")[2]
    script = script_of(
        "DELETE FROM mart.customer_revenue WHERE region = 'north'",
        "UPDATE mart.customer_revenue SET revenue = revenue * 2 WHERE revenue < 0",
        f"INSERT INTO mart.customer_revenue {rows}",
    )

    tried(script, source, upserts=True)

    assert len(source.asked) == 3
    assert source.asked[0].startswith("SELECT 1 FROM mart.customer_revenue WHERE ")
    assert "revenue * 2 FROM mart.customer_revenue WHERE " in source.asked[1]
    assert all(query.startswith("SELECT ") for query in source.asked)
