"""The rules of `etl`: design, reviews of it, rounds, components, and texts in both languages."""

import re
from pathlib import Path
from uuid import uuid4

import pytest

import workers.kinds.etl
from contracts.etl.request import EtlRequest
from contracts.pipelines.analysis import (
    AggregateWork,
    Ambiguity,
    AnalysisResult,
    AnalysisStep,
    EtlClarification,
    EtlTarget,
    OpenPart,
    SourceWork,
    TargetColumn,
)
from contracts.pipelines.expressions import Call, ColumnOf, Function, NamedExpression
from contracts.pipelines.package import PackageState
from contracts.pipelines.review import DesignRule, ReviewIssue, ReviewPart, ReviewResult
from contracts.pipelines.trial import CheckKind, CheckStatus
from contracts.pipelines.wishes import Component, Environment
from contracts.pipelines.workflow import COMPONENTS
from contracts.sql_review import WriteMode
from contracts.statements import name, say
from contracts.tables import ColumnDetail, TableDetail
from tests.support.texts import catalogue_problems, codes_used
from workers.kinds.etl.playbook import LOAD_STAGE, PACKAGE, PLAYBOOK
from workers.kinds.etl.roles.architect import read_component
from workers.kinds.etl.roles.reviewer import warned
from workers.kinds.etl.rules.answers import Answered, about, answered
from workers.kinds.etl.rules.architecture import Known, component_of, design, dialect_of
from workers.kinds.etl.rules.assignment import job_spec
from workers.kinds.etl.rules.design_review import review_design
from workers.kinds.etl.rules.rounds import chosen_role, rounds_of
from workers.kinds.etl.rules.writing import as_statements, problem_of
from workers.roles.base import HeardRequest, StepContext

HERE = Path(workers.kinds.etl.__file__).parent
ENUMS = {
    "etl.mode": [WriteMode],
    "etl.part": [ReviewPart],
    "etl.state": [PackageState],
    "etl.check": [CheckKind],
    "etl.check_status": [CheckStatus],
}
SALES = TableDetail(name="sales", columns=(ColumnDetail(name="day", type="DATE"), ColumnDetail(name="amount", type="DECIMAL")))


def analysis(**target: object) -> AnalysisResult:
    """Sales per day."""
    total = Call(function=Function.SUM, arguments=(ColumnOf(step="sales", name="amount"),))
    grouped = AggregateWork(
        input="sales", by=(NamedExpression(name="day", value=ColumnOf(step="sales", name="day")),),
        measures=(NamedExpression(name="amount", value=total),),
    )  # fmt: skip
    steps = (
        AnalysisStep(id="sales", name="read", work=SourceWork(table="sales")),
        AnalysisStep(id="grouped", name="group", work=grouped, depends_on=("sales",)),
    )
    columns = (TargetColumn(name="day"), TargetColumn(name="amount"))
    made = EtlTarget(table="sales_by_day", columns=columns, key=("day",)).model_copy(update=target)
    return AnalysisResult(source="shop", summary="", steps=steps, target=made, tables=("sales",), confidence=1)


def rules_broken(found: AnalysisResult, **changed: object) -> set[DesignRule | None]:
    workflow = design(found, Component.SHELL, Environment.DEV, "duckdb", Known()).model_copy(update=changed)
    review = review_design(found, workflow, [SALES])
    assert review.passed is not bool(review.issues)
    assert review.score >= 60 or review.issues
    return {issue.rule for issue in review.issues}


def test_every_text_of_etl_is_in_both_languages() -> None:
    assert catalogue_problems(HERE / "locale", codes_used([HERE], ENUMS)) == []


def test_the_playbook_is_the_pipeline_of_the_design() -> None:
    """E3."""
    assert [stage.name for stage in PLAYBOOK.stages] == ["analysis", "workflow", "design_review", "script", "development_review", "package"]
    assert PLAYBOOK.result == "package"


def test_the_stage_that_writes_is_one_that_the_package_may_add() -> None:
    """A stage that another adds has a number behind its name, and needs its maker or what that was made from."""
    package = next(stage for stage in PLAYBOOK.stages if stage.name == PACKAGE)

    assert re.fullmatch(r"[a-z_]+/\d+", LOAD_STAGE.name)
    assert set(LOAD_STAGE.needs) <= {PACKAGE, *package.needs}


def test_a_sound_design_passes_and_a_broken_one_names_its_rule() -> None:
    good = analysis()

    assert rules_broken(good) == set()
    assert rules_broken(analysis(key=("hour",))) == {DesignRule.KEY, DesignRule.GRAIN}
    assert rules_broken(analysis(mode=WriteMode.UPSERT, key=())) == {DesignRule.KEY}
    assert rules_broken(analysis(columns=(TargetColumn(name="day"), TargetColumn(name="profit")))) == {DesignRule.COLUMN}
    assert rules_broken(good.model_copy(update={"steps": good.steps[1:]})) >= {DesignRule.INPUT}
    assert rules_broken(good, layers=()) == {DesignRule.ORDER}
    assert rules_broken(good, jobs=()) == {DesignRule.COVERAGE}


def test_a_temporary_table_of_another_job_is_an_issue() -> None:
    workflow = design(analysis(), Component.SHELL, Environment.DEV, "duckdb", Known())
    job = workflow.jobs[0]
    temporary = job.stages[0].model_copy(update={"output": "scratch", "is_temp": True})
    first = job.model_copy(update={"id": "first", "stages": (temporary,)})
    second = job.model_copy(update={"depends": ("first",), "stages": (job.stages[0].model_copy(update={"inputs": ("scratch",)}),)})

    found = rules_broken(analysis(), jobs=(first, second), layers=(("first",), (job.id,)))

    assert found == {DesignRule.TEMPORARY}


@pytest.mark.parametrize(
    ("text", "component"),
    [
        ("HIVE", Component.HIVE), ("spark sql", Component.SPARK_SQL), ("4", Component.DATAX), ("flink (SQL)", Component.FLINK),
        ("my laptop", None), ("", None), ("8", None),
    ],
)  # fmt: skip
def test_a_component_is_one_of_the_list_or_nothing(text: str, component: Component | None) -> None:
    """Part A, 1.4, defect 2."""
    assert read_component(text) is component
    assert len(COMPONENTS) == len(Component)


def test_the_component_of_a_dialect_is_its_own_engine() -> None:
    assert (component_of("hive"), component_of("spark"), component_of("postgres")) == (Component.HIVE, Component.SPARK_SQL, Component.SQL)


def heard(*requests: tuple[str, str, str]) -> StepContext:
    """A review that heard these: (kind, text, response)."""
    made = tuple(
        HeardRequest(
            asker="development_review", target="human" if kind == "question" else "script/1", kind=kind, payload={"text": text},
            response={"text": answer} if answer else None,
        )
        for kind, text, answer in requests
    )  # fmt: skip
    return StepContext(
        job_id=uuid4(), step_id=uuid4(), stage="development_review", kind="etl", attempt=1, params={}, needs={}, requests=made,
        services=None,  # type: ignore[arg-type]
    )  # fmt: skip


def test_rounds_count_from_the_humans_last_word() -> None:
    """1.4: delegate and reset the counter."""
    twice = heard(("remark", "a", ""), ("remark", "b", ""), ("remark", "a", ""))
    answered = heard(("remark", "a", ""), ("remark", "a", ""), ("question", "", "2"))

    assert rounds_of(twice) == 2
    assert chosen_role(twice) is None
    assert rounds_of(answered) == 0
    assert chosen_role(answered) == "architect"
    assert chosen_role(heard(("question", "", "开发工程师"))) == "developer"
    assert chosen_role(heard(("question", "", "开发工程师"), ("remark", "a", ""))) is None


def test_the_question_about_a_blocker_names_the_warnings_too() -> None:
    """They were shown only once the blocker was mended, one after another."""
    review = ReviewResult(
        part=ReviewPart.DEVELOPMENT, passed=False, score=40, summary="", issues=(ReviewIssue(text="the last day is lost"),),
        warnings=(ReviewIssue(text="the LEFT JOIN is undone"), ReviewIssue(text="the LEFT JOIN is undone")),
    )  # fmt: skip

    assert warned(review, "en") == ["Warnings, which do not block:", "- the LEFT JOIN is undone"]
    assert warned(review.model_copy(update={"warnings": ()}), "en") == []


SPEC = "target: joy_per_day\nsql: SELECT 1 AS joy"
CLOSED = "Build joy_per_day: amount per day; partition_by: day"


def test_an_answer_is_a_choice_a_specification_or_a_closed_form_and_nothing_else() -> None:
    """E3: no text is put into a text; what is none of these changes nothing, and is said again."""
    readings = (say("etl.role.analyst"), say("etl.role.architect"))
    names = tuple(say("requirements.choice.name", name=name(column)) for column in ("region", "month"))
    reading = EtlClarification(ambiguities=(Ambiguity(question="?", choices=readings, part=OpenPart.READING),), confidence=0.5)
    partition = EtlClarification(
        ambiguities=(Ambiguity(question="?", choices=names, words="day", part=OpenPart.PARTITION),), confidence=0.5
    )
    asked = EtlClarification(ambiguities=(Ambiguity(question="?", part=OpenPart.SPECIFICATION),), confidence=0.0)
    of_a_model = EtlClarification(ambiguities=(Ambiguity(question="?", choices=("first", "second")),), confidence=0.5)

    assert answered(CLOSED, [(reading, "2.")]) == Answered(CLOSED, reading=1)
    assert answered(CLOSED, [(reading, "分析员")]) == Answered(CLOSED, reading=0)
    assert answered(CLOSED, [(reading, "the first one")]) == Answered(CLOSED, unread="the first one")
    assert answered(CLOSED, [(partition, "soon"), (partition, "region")]) == Answered(CLOSED, partitions={"day": "region"})
    assert answered("joy per day", [(asked, SPEC)]) == Answered("joy per day", spec=SPEC)
    assert answered("joy per day", [(asked, "joy is the sum of amount")]) == Answered("joy per day", unread="joy is the sum of amount")
    assert answered("joy per day", [(asked, CLOSED)]) == Answered(CLOSED)
    assert answered(CLOSED, [(of_a_model, "1")]) == Answered(CLOSED)


def test_an_answer_about_a_requirement_that_an_edit_replaced_does_not_count() -> None:
    before = EtlClarification(
        ambiguities=(Ambiguity(question="?", part=OpenPart.SPECIFICATION),), confidence=0.0, requirement=about("joy per day")
    )

    assert answered(CLOSED, [(before, SPEC)]) == Answered(CLOSED)


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT 1", "etl.script.no_sql"),
        ("please write the table for me now", "etl.script.no_sql"),
        ("SELECT day, FROM sales GROUP BY (", "etl.script.not_parsed"),
        ("DROP TABLE IF EXISTS customers_of_mine", "etl.script.writes_elsewhere"),
        ("CREATE TABLE sales_by_day AS SELECT day, SUM(amount) AS amount FROM sales GROUP BY day", ""),
    ],
)
def test_a_text_that_is_no_script_of_its_job_is_refused(sql: str, code: str) -> None:
    """1.4: at least 20 characters that begin as SQL, and only the job's own target."""
    found = analysis()
    workflow = design(found, Component.SHELL, Environment.DEV, "duckdb", Known())

    problem = problem_of([sql], job_spec(found, workflow, workflow.jobs[0]))

    assert (problem.code if problem is not None and not isinstance(problem, str) else "") == code


def test_a_query_alone_becomes_the_content_of_the_target() -> None:
    found = analysis()
    workflow = design(found, Component.SHELL, Environment.DEV, "duckdb", Known())

    statements, _ = as_statements("SELECT day, SUM(amount) AS amount FROM sales GROUP BY day", job_spec(found, workflow, workflow.jobs[0]))

    assert statements[0] == "DROP TABLE IF EXISTS sales_by_day"
    assert statements[1].startswith("CREATE TABLE sales_by_day AS")


def test_a_request_refuses_what_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="component"):
        EtlRequest.model_validate({"kind": "etl", "requirement": "x", "component": "ABACUS"})


@pytest.mark.parametrize(
    ("component", "dialect", "wanted"),
    [
        (Component.SPARK_SQL, "duckdb", "spark"), (Component.HIVE, "postgres", "hive"), (Component.SPARK_SQL, "databricks", "databricks"),
        (Component.SQL, "postgres", "postgres"), (Component.FLINK, "duckdb", "duckdb"),
    ],
)  # fmt: skip
def test_a_component_that_runs_one_dialect_gets_its_scripts_in_it(component: Component, dialect: str, wanted: str) -> None:
    assert dialect_of(component, dialect) == wanted
