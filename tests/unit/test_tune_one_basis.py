"""A report whose parts agree: title, first sentence and first fix, gains and the findings they answer, feedback and its causes."""

import pytest

from contracts.spark import FailureKind, RunFacts, StageStatus
from contracts.statements import say
from contracts.tune.plan import Fix, FixKind, TuningReport
from contracts.tune.steps import Classification, Experience
from contracts.verdicts import Severity, TuningClass, VerdictKind
from contracts.whatif import Gain
from tests.support.advice import script_of
from tests.support.said import said
from tests.support.tune_bundles import findings_of, verdict_of
from tests.support.tuning import run_of, stage_of
from workers.engines.code.scala_script import read_scala
from workers.engines.scripts.given import NamedScript
from workers.kinds.base import ShowOptions
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.code_leads import heavier_first, speaks_for
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.summarise import report
from workers.kinds.tune.view import show_result
from workers.saying.document import texts_in

GPU = "com.nvidia.spark.rapids.jni.GpuSplitAndRetryOOM: GPU OutOfMemory: could not split inputs"
FETCH = "org.apache.spark.shuffle.FetchFailedException: no block"


def failing(error: str, **settings: str) -> RunFacts:
    kind = FailureKind(reason="ExceptionFailure", error=error.split(":")[0], message=error, count=9)
    stage = stage_of(1, [20_000] * 9).model_copy(
        update={"failed_tasks": 9, "failures": (kind,), "lost_task_ms": 90_000, "status": StageStatus.SUCCEEDED}
    )
    return run_of(stage, configuration={name.replace("_", "."): value for name, value in settings.items()})


def piece(slug: str, text: str) -> Experience:
    return Experience(
        experience_id=f"p/{slug}",
        pack="p",
        title=slug,
        tuning_class=TuningClass.OTHER,
        kinds=(VerdictKind.FAILURES,),
        language="en",
        text=text,
        score=1,
        remedies=(FixKind.FIX_FAILURES.value,),
        ignored=9,
    )


PIECES = (piece("fetch", "`FetchFailedException`: look for lost executors."), piece("oom", "exit code 137, `java.lang.OutOfMemoryError`."))


def failure_fix(run: RunFacts) -> Fix:
    plan = advise(find(run), run, [], experience=PIECES)
    return next(fix for fix in plan.fixes if fix.kind is FixKind.FIX_FAILURES)


@pytest.mark.parametrize(("now", "wanted"), [("4", "1"), ("2", "1"), ("1", None)])
def test_fewer_tasks_at_a_time_on_the_gpu_is_a_setting_too(now: str, wanted: str | None) -> None:
    run = failing(GPU)
    run = run.model_copy(update={"configuration": {**run.configuration, "spark.rapids.sql.concurrentGpuTasks": now}})
    fix = failure_fix(run)
    settings = {setting.name: setting.value for setting in fix.configuration}

    assert settings.get("spark.rapids.sql.concurrentGpuTasks") == wanted
    assert settings["spark.rapids.sql.batchSizeBytes"] == "268435456"
    assert ("Let fewer tasks use the GPU" in said(fix.what)) is (wanted is not None)


def test_a_word_on_a_failure_counts_for_experience_with_its_cause_alone() -> None:
    gpu, fetch = failure_fix(failing(GPU)), failure_fix(failing(FETCH))

    assert (gpu.cause, gpu.experience) == ("gpu_out_of_memory", ())
    assert (fetch.cause, fetch.experience) == ("fetch_failed", ("p/fetch",))
    assert not gpu.cons or not any("did not take" in said(text) for text in gpu.cons)


def test_functions_over_rows_in_scala_are_not_said_to_run_in_python() -> None:
    text = 'val orders = spark.read.parquet("/in")\nval named = orders.map(r => r.getString(0))\n'
    (scala, *_), (python, *_) = (
        heavier_first([NamedScript("a.scala", read_scala(text), text)]),
        heavier_first([script_of('orders = spark.read.parquet("/in")\norders.rdd.map(lambda r: r[0]).count()\n')]),
    )

    assert VerdictKind.PYTHON_UDF not in speaks_for(scala[2], "scala")
    assert VerdictKind.PYTHON_UDF in speaks_for(python[2], "python")


def gain(saved: float) -> Gain:
    after = round(10_000 * (1 - saved))
    return Gain(before_ms=10_000, after_ms=after, low_ms=after, high_ms=after, saved_share=saved, method=say("tune.gain.no_run"))


def made(saved: float, first: int = 1) -> TuningReport:
    """A hint at tiny tasks and a problem of garbage collection; the first fix answers the `first` of them."""
    findings = findings_of(
        verdict_of(VerdictKind.GC_PRESSURE, 0.12).model_copy(update={"run_share": 0.05}),
        verdict_of(VerdictKind.TINY_TASKS, 0.06, Severity.HINT).model_copy(update={"run_share": 0.03}),
    )
    fix = Fix(
        fix_id="F1",
        kind=FixKind.FEWER_PARTITIONS,
        title=say("tune.gain.no_run"),
        what=say("tune.gain.no_run"),
        verdicts=(first,),
        risk="low",  # pyright: ignore[reportArgumentType]
        gain=gain(saved),
    )
    plan = advise(findings, None, []).model_copy(update={"fixes": (fix,)})
    classified = Classification(tuning_class=findings.tuning_class, scores=findings.scores)
    return report(findings, classified, plan, language="en")


def shown(content: TuningReport) -> list[str]:
    document = show_result(content.to_json(), ShowOptions())
    assert document is not None
    return [said(document.title), *(said(text) for text in texts_in(document))]


@pytest.mark.parametrize(("first", "kind"), [(0, "garbage collection"), (1, "tiny tasks")])
def test_the_title_and_the_first_sentence_speak_of_what_the_first_fix_answers(first: int, kind: str) -> None:
    content = made(0.25, first)

    assert kind in shown(content)[0].lower()
    assert said(content.headline).lower().startswith(kind)


def test_a_fix_that_saves_more_than_its_finding_takes_says_why() -> None:
    more, less = shown(made(0.25)), shown(made(0.02))

    assert any("The findings take 3% of the run" in text and "opening files" in text for text in more)
    assert not any("The findings take" in text for text in less)
