"""What the contracts of the pipeline promise by themselves, without a job (BEHAVIOURS 1.4)."""

import pytest
from pydantic import ValidationError

from contracts.catalogue import KnownQuery
from contracts.etl.request import EtlRequest
from contracts.pipelines.analysis import AnalysisResult, EtlTarget
from contracts.pipelines.review import ReviewIssue, ReviewPart, ReviewResult
from contracts.pipelines.wishes import Component, Environment
from contracts.pipelines.workflow import COMPONENTS, Workflow, WorkflowJob, WorkflowStage
from contracts.queries import Aggregate, Measure, PlanJoin, QueryPlan, Selected, Source
from contracts.reports import Outcome
from contracts.stages import INPUT
from contracts.tables import ColumnDetail, JoinEvidence, JoinPath, TableDetail
from tests.support.context import step_context
from workers.engines.requirements.from_query import QuerySteps
from workers.kinds.etl.playbook import ANALYSIS, WORKFLOW
from workers.kinds.etl.roles.architect import design_workflow
from workers.kinds.etl.roles.developer import assign
from workers.kinds.etl.rules.architecture import Known, design
from workers.kinds.etl.rules.design_review import result_of
from workers.saying import text_of

ISSUE = ReviewIssue(text="The key is not unique.")
NOTHING = AnalysisResult(source="shop", summary="", steps=(), target=EtlTarget(table="t", columns=()), confidence=1.0)


def test_a_review_with_issues_does_not_pass() -> None:
    """Part A, 1.4, defect 8: neither where code says so, nor in an answer of a model."""
    with pytest.raises(ValidationError, match="with issues does not pass"):
        ReviewResult(part=ReviewPart.DESIGN, passed=True, score=95, summary="", issues=(ISSUE,))

    assert not result_of(ReviewPart.DEVELOPMENT, [ISSUE], []).passed
    assert result_of(ReviewPart.DEVELOPMENT, [], [ISSUE]).passed


@pytest.mark.parametrize(("issues", "warnings", "low", "high"), [(0, 0, 90, 100), (0, 2, 70, 99), (1, 0, 0, 59), (3, 5, 0, 59)])
def test_the_score_of_a_review_is_in_the_band_of_its_outcome(issues: int, warnings: int, low: int, high: int) -> None:
    """90 and more without a word, below 60 with an issue."""
    assert low <= result_of(ReviewPart.DESIGN, [ISSUE] * issues, [ISSUE] * warnings).score <= high


def test_a_job_of_a_workflow_has_an_hour_and_three_retries_a_minute_apart() -> None:
    stage = WorkflowStage(id="a", step_ids=("s",), inputs=("t",), output="o")
    job = WorkflowJob(id="a", name="a", step_ids=("s",), stages=(stage,), component=Component.SQL)

    assert (job.timeout_s, job.retries, job.retry_delay_s) == (3600, 3, 60)
    assert {item.value for item in Environment} == {"dev", "stg", "prod"}
    assert {item.component for item in COMPONENTS} == set(Component)


def test_a_role_that_lacks_its_input_asks_its_producer_for_it() -> None:
    """E3: the architect without steps asks the analyst, the developer without jobs the architect."""
    request = EtlRequest(kind="etl", requirement="x")
    workflow = Workflow(name="t", jobs=(), layers=(), dialect="duckdb", confidence=1.0)

    designed = design_workflow(step_context(stage=WORKFLOW, needs={INPUT: request, ANALYSIS: NOTHING}))
    assigned = assign(step_context(stage="script", needs={ANALYSIS: NOTHING, WORKFLOW: workflow}))

    for report, stage in ((designed, ANALYSIS), (assigned, WORKFLOW)):
        assert report.outcome is Outcome.NEEDS_DELEGATION
        assert report.delegation is not None
        assert report.delegation.stage == stage


def column(name: str) -> ColumnDetail:
    return ColumnDetail(name=name, type="INTEGER", nullable=False, nulls=0)


TABLES = (
    TableDetail(name="boats", rows=2, primary_key=("boat_id",), columns=(column("boat_id"), column("metres"))),
    TableDetail(name="trips", rows=5, primary_key=("trip_id",), columns=(column("trip_id"), column("boat_id"), column("guests"))),
)
"""No key is declared between them: only the names say that they belong together."""


def test_queries_of_the_past_are_followed_and_a_join_by_names_alone_is_said() -> None:
    """1.4: historical join patterns are followed; a join without evidence is a deviation that the package shows."""
    plan = QueryPlan(
        sources=(Source(table="trips", alias="trips"), Source(table="boats", alias="boats")),
        joins=(PlanJoin(left="trips", left_columns=("boat_id",), right="boats", right_columns=("boat_id",)),),
        selected=(Selected(value=Measure(column="trips.guests", aggregate=Aggregate.SUM)),),
        group_by=(Measure(column="boats.metres"),),
    )
    steps, target = QuerySteps(plan, TABLES).make("guests_by_metres", ())
    analysis = NOTHING.model_copy(update={"steps": tuple(steps.made), "target": target, "tables": ("trips", "boats"), "requirement": "x"})
    path = JoinPath(
        left="trips", left_columns=("boat_id",), right="boats", right_columns=("boat_id",), evidence=JoinEvidence.QUERIES, queries=3
    )
    known = KnownQuery(place="q", source="shop", sql="SELECT 1", tables=("trips", "boats"), joins=("trips.boat_id = boats.boat_id",))

    alone = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known())
    followed = design(analysis, Component.SQL, Environment.DEV, "duckdb", Known(joins=(path,), queries=(known,)))

    assert [text_of(item, "en") for item in alone.deviations]
    assert not alone.followed
    assert followed.joins == (path,)
    assert len(followed.followed) == 1
