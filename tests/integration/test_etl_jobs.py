"""Requirements on the sample shop as whole `etl` jobs, by boss and roles, without a model."""

from collections.abc import Iterator, Sequence

import pytest

from contracts.jobs import EngineChoice, JobStatus
from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.package import PackageState
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.workflow import COMPONENTS
from contracts.sql_review import Defect
from contracts.statements import Statement
from contracts.tables import TableDetail
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import FACTS, FACTS_OF_FAILED, MONTHS, content, package_of, requests, runs
from workers.catalogue import offer_sample
from workers.coordinator.actions import revise
from workers.coordinator.replay import fork, replay_stage
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob, ShowOptions
from workers.kinds.etl.roles import developer
from workers.kinds.etl.roles.analyst import MOST_ROUNDS
from workers.kinds.etl.rules.assignment import JobSpec
from workers.kinds.etl.rules.writing import as_statements, script_of
from workers.kinds.etl.view import show_result
from workers.saying import text_of
from workers.saying.terminal import to_lines
from workers.settings import load_settings

FAN_OUT = (
    "SELECT c.region, SUM(p.amount) AS revenue FROM customers c JOIN orders o ON o.customer_id = c.customer_id "
    "JOIN payments p ON p.order_id = o.order_id JOIN order_items i ON i.order_id = o.order_id GROUP BY c.region"
)
REGIONS = "Build region_revenue: revenue per region in 2026."


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    settings = load_settings().model_copy(update={"home": home, "embeddings": "none"})
    with silent_bench(settings, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def submit(bench: EmbeddedBench, requirement: str = "", **fields: object) -> FinishedJob:
    request = {"kind": "etl", "requirement": requirement, "source": "shop", **fields}
    return bench.run_job(request, EngineChoice.RULES)


@pytest.fixture(scope="module")
def regions(bench: EmbeddedBench) -> FinishedJob:
    """A job that is done. Tests fork it and leave it as it is."""
    return submit(bench, REGIONS)


def said(text: object) -> str:
    return text if isinstance(text, str) else text_of(Statement.model_validate(text), "en")


def printed(job: FinishedJob, language: str = "en", width: int = 80) -> str:
    document = show_result(job.result or {}, ShowOptions())
    assert document is not None
    return "\n".join(line.plain for line in to_lines(document, language, width))


def test_a_requirement_becomes_a_package_that_has_run(bench: EmbeddedBench) -> None:
    """E3, E4: analyst, architect, reviewer, developer, reviewer, finalize; the schedule is the requirement's."""
    job = submit(bench, MONTHS)
    package = package_of(job)

    assert runs(bench, job.job_id) == ["analysis", "workflow", "design_review", "script", "script/1", "development_review", "package"]
    assert package.state is PackageState.DONE
    assert package.analysis.target.key == ("month", "channel")
    assert [column.name for column in package.analysis.target.columns] == ["month", "channel", "revenue"]
    assert package.workflow.schedule == "0 6 * * *"
    assert all(review.passed for review in package.reviews)
    trial = package.reviews[-1].trial
    assert trial is not None
    assert trial.has_run
    assert any(file.path.endswith(".sql") for file in package.files)
    assert "revenue_by_month is done" in printed(job)


def test_a_requirement_in_chinese_is_answered_in_chinese(bench: EmbeddedBench) -> None:
    job = submit(bench, "建立 region_revenue：2026年每个地区的收入；schedule：0 2 * * *")
    package = package_of(job)

    assert package.state is PackageState.DONE
    assert package.analysis.target.key == ("region",)
    assert package.workflow.schedule == "0 2 * * *"
    assert "region_revenue 已完成" in printed(job, "zh")


def test_measures_of_several_tables_are_jobs_of_a_layer(bench: EmbeddedBench) -> None:
    """E3: two aggregates that need nothing of each other may run at the same time; the target waits for both."""
    job = submit(bench, spec=FACTS)
    package = package_of(job)

    assert [len(layer) for layer in package.workflow.layers] == [2, 1]
    assert package.workflow.jobs[-1].depends == package.workflow.layers[0]
    assert package.state is PackageState.DONE
    assert len(package.scripts) == 3
    assert package.analysis.target.keeps_all.endswith("customers")
    models = next(file.text for file in package.files if file.path == "models/models.yml")
    assert models.count("- unique") == 3, "the key of each model, also of those on the way"
    assert models.count("number of orders with status = 'completed'") == 2


def test_a_word_without_a_place_is_asked_and_never_guessed(bench: EmbeddedBench) -> None:
    """E18: the job waits; a requirement said again in the closed form is read in its place."""
    job = submit(bench, "Build region_value: the customer happiness per region")
    [(_, _, _, payload)] = requests(bench, job.job_id)

    assert job.status is JobStatus.WAITING_HUMAN
    assert runs(bench, job.job_id) == ["analysis"]
    assert "happiness" in said(payload["text"])
    ended = bench.answer(job.job_id, REGIONS)
    assert package_of(ended).state is PackageState.DONE


PROSE = "We would love to have one row per customer, with what they have paid so far and their e-mail address. Call it customer_paid."
PAID = """\
target: customer_paid
grain: [customer_id]
sql: |
  SELECT c.customer_id, c.email, SUM(p.amount) AS paid
  FROM customers c JOIN orders o ON o.customer_id = c.customer_id JOIN payments p ON p.order_id = o.order_id
  GROUP BY c.customer_id, c.email
"""


def test_prose_gives_back_a_specification_to_edit_and_the_answer_is_read_as_one(bench: EmbeddedBench) -> None:
    """E3: any other answer changes nothing and is asked about again; a fault is asked back with its line."""
    job = submit(bench, PROSE)
    again = bench.answer(job.job_id, "all that they paid, please")
    faulty = bench.answer(job.job_id, PAID.replace("p.amount", "p.amuont"))
    ended = bench.answer(job.job_id, PAID)
    payloads = [payload for _, _, target, payload in requests(bench, job.job_id) if target == "human"]
    draft = payloads[0]["detail"]["spec"]

    assert [each.status for each in (job, again, faulty)] == [JobStatus.WAITING_HUMAN] * 3
    assert PROSE in draft
    assert "main.customers" in draft
    assert "TODO" in draft
    assert "all that they paid, please" in said(payloads[1]["text"])
    assert payloads[1]["detail"]["spec"] == draft
    assert "Line 4" in said(payloads[2]["text"])
    assert payloads[2]["detail"]["spec"] == PAID.replace("p.amount", "p.amuont")
    package = package_of(ended)
    assert package.state is PackageState.DONE
    assert package.analysis.target.table == "customer_paid"
    assert package.analysis.requirement == PROSE


def test_a_draft_that_comes_back_as_it_was_is_told_what_is_still_to_be_done(bench: EmbeddedBench) -> None:
    """After eight rounds the job ends with what was asked last."""
    job = submit(bench, PROSE)
    draft = requests(bench, job.job_id)[0][3]["detail"]["spec"]
    for _ in range(MOST_ROUNDS):
        assert job.status is JobStatus.WAITING_HUMAN
        job = bench.answer(job.job_id, draft)

    assert job.status is JobStatus.FAILED
    assert "Still to be done: WHERE TODO" in (job.error or "")


def test_a_partition_that_the_target_does_not_have_is_a_question(bench: EmbeddedBench) -> None:
    """Clarification when the confidence is below 0.7 and something is ambiguous (1.4)."""
    job = submit(bench, "Build region_revenue: revenue per region in 2026; partition_by: day")
    [(kind, asker, target, payload)] = requests(bench, job.job_id)

    assert (kind, asker, target) == ("question", "analysis", "human")
    assert len(payload["choices"]) == 2
    assert package_of(bench.answer(job.job_id, "1")).analysis.target.partition_by == ("region",)


@pytest.mark.parametrize("reply", ["shop", "1"])
def test_an_unknown_source_is_asked_for(bench: EmbeddedBench, reply: str) -> None:
    job = submit(bench, REGIONS, source="warehouse")

    assert job.status is JobStatus.WAITING_HUMAN
    assert package_of(bench.answer(job.job_id, reply)).analysis.source == "shop"


def test_a_changed_requirement_redoes_only_the_scripts_whose_job_changed(bench: EmbeddedBench) -> None:
    """E3: `revise` of the input. One of three jobs has another design; the script that reads its table follows, the third stays."""
    job = submit(bench, spec=FACTS)
    before = len(runs(bench, job.job_id))
    revise(bench.database, job.job_id, "input", {"kind": "etl", "spec": FACTS_OF_FAILED, "source": "shop"})

    ended = bench.go_on(job.job_id)
    again = runs(bench, job.job_id)[before:]

    package_of(ended)
    assert [stage for stage in again if stage.startswith("script/")] == ["script/1", "script/3"]
    assert "package" in again


def test_a_fan_out_in_an_edited_script_is_stopped_with_its_counterexample(bench: EmbeddedBench) -> None:
    """A replayed developer step with an edit: the reviewer shows the rows, and the developer writes from the design again."""
    job = submit(bench, REGIONS)
    before = len(runs(bench, job.job_id))
    replay_stage(bench.database, job.job_id, "script/1", edit={"sql": FAN_OUT})

    ended = bench.go_on(job.job_id)
    remarks = [payload for kind, asker, _, payload in requests(bench, job.job_id) if kind == "remark" and asker == "development_review"]
    reviews = bench.database.statement(
        "SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'development_review' ORDER BY version", {"id": job.job_id}
    )
    stopped = ReviewResult.model_validate(reviews[1]["content"])

    assert package_of(ended).state is PackageState.DONE
    assert remarks
    assert not stopped.passed
    assert stopped.score < 60
    found = [issue.finding for issue in stopped.issues if issue.finding is not None]
    assert Defect.FAN_OUT in {finding.defect for finding in found}
    assert any(finding.counterexample is not None for finding in found)
    assert set(runs(bench, job.job_id)[before:]) == {"script/1", "development_review"}


def test_an_edit_that_is_right_is_kept_and_named_as_an_open_point(bench: EmbeddedBench) -> None:
    job = submit(bench, REGIONS)
    sql = (
        "SELECT c.region, SUM(i.quantity * i.unit_price) AS revenue FROM customers c JOIN orders o ON o.customer_id = c.customer_id "
        "JOIN order_items i ON i.order_id = o.order_id WHERE o.status = 'completed' AND o.ordered_at >= TIMESTAMP '2026-01-01 00:00:00' "
        "AND o.ordered_at < TIMESTAMP '2027-01-01 00:00:00' GROUP BY c.region"
    )
    before = len(runs(bench, job.job_id))
    replay_stage(bench.database, job.job_id, "script/1", edit={"sql": sql})

    package = package_of(bench.go_on(job.job_id))

    assert package.state is PackageState.DRAFT
    assert package.open
    assert "c.region" in package.scripts[0].sql
    assert runs(bench, job.job_id)[before:] == ["script/1", "development_review", "package"]


def test_a_fork_from_the_workflow_leaves_the_analysis_as_it_is(bench: EmbeddedBench, regions: FinishedJob) -> None:
    before = runs(bench, regions.job_id)
    forked = fork(bench.database, regions.job_id, "workflow", edit={"component": "FLINK"})

    ended = bench.go_on(forked)

    assert runs(bench, forked)[0] == "workflow"
    assert "analysis" not in runs(bench, forked)
    assert len(runs(bench, forked)) == len(set(runs(bench, forked))), "each stage once"
    assert runs(bench, regions.job_id) == before, "nothing of the job that was forked is done again"
    assert package_of(ended).workflow.jobs[0].component == "FLINK"
    assert content(bench, forked, "analysis") == content(bench, regions.job_id, "analysis")


def test_a_component_that_is_not_on_the_list_is_asked_again(bench: EmbeddedBench, regions: FinishedJob) -> None:
    """Part A, 1.4, defect 2: free text is checked against the typed list."""
    forked = fork(bench.database, regions.job_id, "workflow", edit={"component": "the big cluster"})

    waiting = bench.go_on(forked)
    [(_, _, _, payload)] = [request for request in requests(bench, forked) if request[0] == "question"]
    again = bench.answer(forked, "my laptop")
    ended = bench.answer(forked, "2")

    assert waiting.status is JobStatus.WAITING_HUMAN
    assert payload["kind"] == "etl_component"
    assert len(payload["choices"]) == len(COMPONENTS)
    assert again.status is JobStatus.WAITING_HUMAN
    assert package_of(ended).workflow.jobs[0].component == "SPARK_SQL"
    assert package_of(ended).workflow.dialect == "spark"


def test_the_third_review_that_does_not_pass_goes_to_the_human_with_choices(
    bench: EmbeddedBench, regions: FinishedJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1.4: analyst, architect or developer; their work is done again, and the count begins again."""

    def wrong(spec: JobSpec, tables: Sequence[TableDetail]) -> SqlScript:
        statements, temporary = as_statements(FAN_OUT, spec, tables)
        return script_of(spec, statements, tables, temporary=temporary)

    with monkeypatch.context() as patched:
        patched.setattr(developer, "write_script", wrong)
        forked = fork(bench.database, regions.job_id, "script/1")
        waiting = bench.go_on(forked)
    questions = [payload for kind, _, target, payload in requests(bench, forked) if kind == "question" and target == "human"]
    assert questions, bench.steps(forked)
    ended = bench.answer(forked, "developer")

    assert waiting.status is JobStatus.WAITING_HUMAN
    assert [question["kind"] for question in questions] == ["etl_review_choice"]
    assert len(questions[0]["choices"]) == 3
    assert runs(bench, forked).count("development_review") == 5
    assert package_of(ended).state is PackageState.DONE


def test_a_remark_on_a_revised_analysis_is_a_question_to_its_author(bench: EmbeddedBench, regions: FinishedJob) -> None:
    """A pinned version is never overwritten: the human keeps it or has it redone."""
    analysis = AnalysisResult.model_validate(content(bench, regions.job_id, "analysis"))
    wrong = analysis.model_copy(update={"target": analysis.target.model_copy(update={"key": ("nobody",)})})
    forked = fork(bench.database, regions.job_id, "analysis")
    revise(bench.database, forked, "analysis", wrong.to_json())

    waiting = bench.go_on(forked)

    assert waiting.status is JobStatus.WAITING_HUMAN
    assert [payload["kind"] for _, _, target, payload in requests(bench, forked) if target == "human"] == ["escalation"]
    assert "script/1" not in runs(bench, forked)


def test_scripts_in_other_dialects_are_tried_too(bench: EmbeddedBench) -> None:
    job = submit(bench, REGIONS, dialect="spark", form="sql")
    package = package_of(job)

    assert package.workflow.jobs[0].component == "SPARK_SQL"
    assert SqlScript.model_validate(content(bench, job.job_id, "script/1")).dialect == "spark"
    trial = package.reviews[-1].trial
    assert trial is not None
    assert trial.translated


@pytest.mark.parametrize("width", [80, 200])
def test_a_package_is_read_at_any_width(regions: FinishedJob, width: int) -> None:
    text = printed(regions, width=width)

    assert max(map(len, text.splitlines())) <= width
    assert "etl." not in text


def test_scripts_are_tried_on_rows_of_the_source_where_the_request_asks_for_it(bench: EmbeddedBench, regions: FinishedJob) -> None:
    """Children are taken with the rows that they refer to, so a join loses none; each statement is in the audit."""
    job = submit(bench, spec=FACTS, samples=True)

    trial = package_of(job).reviews[-1].trial
    assert trial is not None
    assert {table.table for table in trial.tables if table.is_sample} == {"main.customers", "main.orders", "main.order_items"}
    assert not trial.failures
    usual = package_of(regions).reviews[-1].trial
    assert usual is not None
    assert not any(table.is_sample for table in usual.tables)
    audited = bench.database.statement("SELECT statement FROM source_executions WHERE job_id = %(id)s", {"id": job.job_id})
    plans = [row["statement"] for row in audited if row["statement"].startswith("EXPLAIN ")]
    assert len(audited) - len(plans) == 3
    assert len(plans) == len(package_of(job).scripts)
