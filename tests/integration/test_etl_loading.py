"""The last stage of an `etl` job that writes: asked, approved by the hash, run once in a transaction, whatever dies in between."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.pipelines.analysis import AnalysisResult, EtlTarget, TargetColumn
from contracts.pipelines.package import EtlPackage, PackageState
from contracts.pipelines.script import SqlScript, WriteQuestion, WriteResult
from contracts.pipelines.wishes import Component, PackageForm
from contracts.pipelines.workflow import Workflow, WorkflowJob, WorkflowStage
from contracts.reports import Outcome, Report
from contracts.sources import SourceKind
from tests.support.context import step_context
from tests.support.servers import Servers
from tests.support.warehouse import Warehouse, open_warehouse
from workers.blackboard.engine import Database
from workers.errors import StatementFailed
from workers.kinds.etl.roles.loader import SHOWN, approves, load, statements_of
from workers.roles.base import HeardRequest, StepContext
from workers.saying import text_of
from workers.sources.writing import Writer, script_hash
from workers.sources.writing.scripts import check_script

SCRIPT = ("CREATE TABLE mart.totals AS SELECT region, SUM(total) AS total FROM public.orders GROUP BY region",)
"""It would fail at a second run: that it has run once shows."""


@pytest.fixture
def warehouse(servers: Servers, database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Warehouse]:
    with open_warehouse(servers, database, monkeypatch) as found:
        yield found


def package(*statements: str) -> EtlPackage:
    target = EtlTarget(table="mart.totals", columns=(TargetColumn(name="region"), TargetColumn(name="total")), key=("region",))
    stage = WorkflowStage(id="totals", step_ids=(), inputs=("orders",), output="mart.totals")
    job = WorkflowJob(id="totals", name="totals", step_ids=(), stages=(stage,), component=Component.SQL)
    return EtlPackage(
        language="en", state=PackageState.DONE, form=PackageForm.SQL, headline="",
        analysis=AnalysisResult(source="sales", summary="", steps=(), target=target, confidence=1),
        workflow=Workflow(name="totals", jobs=(job,), layers=(("totals",),)),
        scripts=(SqlScript(job="totals", dialect="postgres", statements=statements or SCRIPT, target="mart.totals"),), reviews=(),
    )  # fmt: skip


class OnlyDatabase:
    """Services of a step that uses the database alone."""

    def __init__(self, database: Database) -> None:
        self.database = database


def context(
    database: Database, made: EtlPackage, *, reply: str = "", asked: Report[Any] | None = None, job: UUID | None = None
) -> StepContext:
    needs = {"input": {"kind": "etl", "requirement": "x", "write": True}, "package": made.to_json()}
    heard: tuple[HeardRequest, ...] = ()
    if reply and asked is not None and asked.question is not None:
        detail = asked.question.payload
        heard = (HeardRequest("load/1", "load/1", "question", {"kind": detail["kind"], "detail": detail}, {"text": reply}),)
    found = step_context(stage="load/1", needs=needs, requests=heard, services=OnlyDatabase(database), owner="ann")  # type: ignore[arg-type]
    object.__setattr__(found, "job_id", job or found.job_id)
    return found


def hash_of(made: EtlPackage) -> str:
    return script_hash("sales", statements_of(made))


def test_nothing_is_written_before_a_human_has_approved_this_script(database: Database, warehouse: Warehouse) -> None:
    asked = load(context(database, package()))

    assert asked.outcome is Outcome.NEEDS_CLARIFICATION
    assert asked.question is not None
    assert WriteQuestion.model_validate(asked.question.payload).script_hash == hash_of(package())
    assert warehouse.rows() == []


def test_what_a_new_table_is_stands_beside_it_for_the_next_import_of_the_catalogue(database: Database, warehouse: Warehouse) -> None:
    """The descriptions were lost; a table that may be somebody else's is left as it is described."""
    made = described(*SCRIPT, column="Region")
    asked = load(context(database, made))

    done = load(context(database, made, reply=f"yes {hash_of(made)[:SHOWN]}", asked=asked))

    assert done.outcome is Outcome.COMPLETED
    assert warehouse.comments() == ["Turnover", "Where it's sold"]
    assert statements_of(described("INSERT INTO mart.totals SELECT 'EU', 1")) == ("INSERT INTO mart.totals SELECT 'EU', 1",)


@pytest.mark.parametrize(
    ("target", "column", "statement", "place"),
    [
        ("mart.totals", "Region", "CREATE TABLE mart.totals AS SELECT o.region, 1 AS total FROM orders AS o", "mart.totals.region"),
        ("mart.totals", "region", 'CREATE TABLE mart.totals AS SELECT region AS "Region" FROM orders', 'mart.totals."Region"'),
        ("mart.totals", "Region", "CREATE TABLE mart.totals (region TEXT)", "mart.totals.region"),
        ("mart.Sales", "region", 'CREATE TABLE mart."Sales" AS SELECT region FROM orders', 'mart."Sales".region'),
        ("mart.order", "region", 'CREATE TABLE mart."order" AS SELECT region FROM orders', 'mart."order".region'),
        ("mart.totals", "area", "CREATE TABLE mart.totals AS SELECT region FROM orders", ""),
    ],
)
def test_what_is_described_is_spelt_as_the_script_makes_it(target: str, column: str, statement: str, place: str) -> None:
    """A comment on a name that is not there undid the whole load."""
    made = described(statement, target=target, column=column)

    wanted = [f"COMMENT ON COLUMN {place} IS 'Where it''s sold'"] if place else []
    assert list(statements_of(made))[2:] == wanted
    assert len(check_script(statements_of(made), SourceKind.POSTGRES, ("mart",))) == 2 + len(wanted)


def described(*statements: str, target: str = "mart.totals", column: str = "region") -> EtlPackage:
    made = package(*statements)
    columns = (TargetColumn(name=column, description="Where it's sold"), TargetColumn(name="total"))
    changed = made.analysis.target.model_copy(update={"table": target, "columns": columns, "description": "Turnover"})
    return made.model_copy(update={"analysis": made.analysis.model_copy(update={"target": changed})})


def test_the_approved_script_is_written_once_however_often_the_step_is_run(database: Database, warehouse: Warehouse) -> None:
    made, job = package(), uuid4()
    asked = load(context(database, made))
    step = context(database, made, reply=f"approve {hash_of(made)[:SHOWN]}", asked=asked, job=job)

    first, second = load(step), load(step)

    assert [result(report).ran_before for report in (first, second)] == [False, True]
    assert warehouse.rows() == [("EU", 30), ("US", 40)]


def test_a_crash_between_the_commit_and_the_report_writes_nothing_twice(
    database: Database, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F7: the process dies when the source has committed and the blackboard does not know it yet."""
    made, job = package(), uuid4()
    step = context(database, made, reply=hash_of(made)[:SHOWN], asked=load(context(database, made)), job=job)
    with monkeypatch.context() as patched:
        patched.setattr("workers.sources.writing.writer.mark_done", _dies)
        with pytest.raises(KeyboardInterrupt):
            load(step)

    assert result(load(step)).ran_before
    assert warehouse.rows() == [("EU", 30), ("US", 40)]


def test_a_crash_between_two_statements_leaves_nothing(database: Database, warehouse: Warehouse) -> None:
    job = uuid4()
    made = package(*SCRIPT, "INSERT INTO mart.totals SELECT region, total / 0 FROM public.orders")
    step = context(database, made, reply=hash_of(made)[:SHOWN], asked=load(context(database, made)), job=job)

    report = load(step)

    assert report.outcome is Outcome.FAILED
    assert warehouse.rows() == []
    with pytest.raises(StatementFailed):
        Writer(database).write(_approval(database, job), statements_of(made), owner="ann")


def test_two_rows_of_one_key_leave_nothing(database: Database, warehouse: Warehouse) -> None:
    """An upsert wrote both, so that the key no longer held, and which of them a reader met was chance."""
    made = package(SCRIPT[0], "INSERT INTO mart.totals SELECT region, total FROM public.orders")
    step = context(database, made, reply=hash_of(made)[:SHOWN], asked=load(context(database, made)), job=uuid4())

    report = load(step)

    assert report.outcome is Outcome.FAILED
    assert "mart.totals would have several rows with the same region" in text_of(report.summary, "en")
    assert warehouse.rows() == []


@pytest.mark.parametrize(
    ("there", "statement", "is_written"),
    [
        ("INSERT INTO mart.totals VALUES ('EU', 1), ('EU', 2)", "INSERT INTO mart.totals VALUES ('US', 3)", True),
        ("INSERT INTO mart.totals VALUES ('EU', 1), ('EU', 2)", "UPDATE mart.totals SET total = 7", True),
        ("INSERT INTO mart.totals VALUES ('EU', 1), ('EU', 2)", "INSERT INTO mart.totals VALUES ('EU', 3)", False),
        ("INSERT INTO mart.totals VALUES ('EU', 1), ('EU', 2), ('US', 1)", "INSERT INTO mart.totals VALUES ('US', 3)", False),
        ("INSERT INTO mart.totals VALUES (NULL, 1)", "INSERT INTO mart.totals VALUES (NULL, 2), (NULL, 3)", True),
    ],
)
def test_only_keys_that_the_script_itself_repeats_undo_it(
    database: Database, warehouse: Warehouse, there: str, statement: str, *, is_written: bool
) -> None:
    """Rows of before undid every load, and NULL was like NULL, which UNIQUE says of no two."""
    warehouse.run(*written_by_others(warehouse), there, "GRANT SELECT ON mart.totals TO public")
    made = package(statement)

    report = load(context(database, made, reply=hash_of(made)[:SHOWN], asked=load(context(database, made)), job=uuid4()))

    assert (report.outcome is Outcome.COMPLETED) is is_written, report.summary


def test_an_account_that_may_not_read_the_table_writes_and_says_that_keys_were_not_checked(
    database: Database, warehouse: Warehouse
) -> None:
    warehouse.run(*written_by_others(warehouse))
    made = package("INSERT INTO mart.totals VALUES ('EU', 1), ('EU', 2)")
    step = context(database, made, reply=hash_of(made)[:SHOWN], asked=load(context(database, made)), job=uuid4())

    told = [text_of(result(load(step)).headline, "en") for _ in range(2)]

    assert all(text.endswith("may not read mart.totals, so it was not checked whether region repeats.") for text in told), told
    assert warehouse.rows() == [("EU", 1), ("EU", 2)]


def written_by_others(warehouse: Warehouse) -> tuple[str, ...]:
    """A table of another account, which this one may change."""
    role = warehouse.write_url.partition("://")[2].partition(":")[0]
    return ("CREATE TABLE mart.totals (region text, total integer)", f"GRANT INSERT, UPDATE ON mart.totals TO {role}")


def _dies(_db: Database, _approval: UUID) -> None:
    raise KeyboardInterrupt


def _approval(database: Database, job: UUID) -> UUID:
    row = database.row("SELECT id FROM source_writes WHERE job_id = %(job)s", {"job": job})
    assert row is not None
    return row["id"]


@pytest.mark.parametrize("reply", ["do not write", "no, not 0123", "yes", "不写入"])
def test_without_the_hash_nothing_is_written(database: Database, warehouse: Warehouse, reply: str) -> None:
    made = package()

    report = load(context(database, made, reply=reply, asked=load(context(database, made))))

    assert not result(report).is_written
    assert warehouse.rows() == []


def test_an_approval_is_of_one_script_only() -> None:
    one, other = hash_of(package()), hash_of(package("CREATE TABLE mart.totals AS SELECT 1 AS region, 2 AS total"))

    assert approves(f"approve {one[:SHOWN]}", one)
    assert not approves(f"approve {one[:SHOWN]}", other)
    assert not approves(f"do not approve {one[:SHOWN]}", one)


def result(report: Report[WriteResult]) -> WriteResult:
    assert report.outcome is Outcome.COMPLETED, report.summary
    assert report.deliverable is not None
    return report.deliverable
