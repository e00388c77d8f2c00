"""A query that is written in another dialect than the scripts: its translation is held against what it means in its own."""

import pytest

from contracts.pipelines.trial import CheckKind, TrialReport
from contracts.pipelines.wishes import Component, Environment
from contracts.statements import Statement
from contracts.tables import ColumnDetail, TableDetail
from tests.support.pipelines import chinese, english
from workers.errors import InvalidInput
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.specification import analysis_of, read_spec
from workers.kinds.etl.rules.writing import as_statements, script_of
from workers.kinds.etl.work.trying import try_scripts

ORDERS = TableDetail(
    name="orders",
    schema_name="main",
    columns=tuple(ColumnDetail(name=column, type=kind, nullable=False) for column, kind in (("order_id", "INTEGER"), ("n", "INTEGER"))),
    primary_key=("order_id",),
)


def tried(written: str, dialect: str, query: str, *, edited: str = "") -> TrialReport:
    spec = f"target: t\ngrain: [order_id]\ndialect: {written}\nsql: {query}\n"
    analysis = analysis_of(read_spec(spec), "shop", dialect, [ORDERS])
    workflow = design(analysis, Component.SQL, Environment.DEV, dialect, Known())
    wanted = job_spec(analysis, workflow, workflow.jobs[0])
    statements, temporary = as_statements(edited or wanted.sql, wanted, [ORDERS])
    script = script_of(wanted, statements, [ORDERS], temporary=temporary)
    return try_scripts(analysis, workflow, [script], [ORDERS])


@pytest.mark.parametrize(("written", "dialect"), [("postgres", "duckdb"), ("tsql", "mysql")])
def test_a_translation_that_gives_other_figures_stops_the_script(written: str, dialect: str) -> None:
    """A whole quotient became a fraction, and every check passed."""
    report = tried(written, dialect, "SELECT order_id, n / 2 AS pairs FROM orders")

    [failed] = report.failures
    assert failed.kind is CheckKind.REQUIREMENT
    assert english(failed.text).startswith(f"The query is written in {written}, and its translation into {dialect} gives other rows.")
    assert dialect in chinese(failed.text)
    assert [table.name for table in failed.shown] == [written, dialect]
    assert all(table.rows for table in (*failed.given, *failed.shown))


@pytest.mark.parametrize(("written", "dialect"), [("postgres", "duckdb"), ("duckdb", "spark")])
def test_a_translation_that_gives_the_same_says_that_it_is_one(written: str, dialect: str) -> None:
    report = tried(written, dialect, "SELECT order_id, n * 2 AS twice FROM orders")

    assert report.failures == ()
    assert [text.code for text in report.not_tried if isinstance(text, Statement)] == ["etl.trial.translated_query"]


def test_a_query_in_the_dialect_of_the_scripts_and_what_an_operator_wrote_are_not_compared() -> None:
    query = "SELECT order_id, n / 2 AS pairs FROM orders"

    own, edited = tried("duckdb", "duckdb", query), tried("postgres", "duckdb", query, edited=query.replace("/", "//"))

    assert (own.failures, own.not_tried, edited.failures, edited.not_tried) == ((), (), (), ())


def test_a_query_of_which_a_translation_would_leave_a_part_out_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        tried("postgres", "mysql", "SELECT order_id, n FROM orders TABLESAMPLE SYSTEM (10)")

    assert refused.value.says is not None
    assert refused.value.says.code == "etl.refused.no_translation"
