"""What a report says first: what failed, and what the first fix answers."""

from pathlib import Path
from typing import Any

import pytest

from contracts.spark import FailureKind, JobFacts, RunFacts, StageStatus
from contracts.spark_time import TimeAccount, TimePart, TimeSlice
from contracts.tune.plan import Fix, FixKind, Risk
from contracts.verdicts import Figure, Findings, Severity, TuningClass, Unit, Verdict, VerdictKind
from contracts.whatif import Gain
from tests.support.said import said as shown
from tests.support.tuning import run_of, stage_of
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.verdicts.error_lines import line_of_failure, line_of_text
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import find
from workers.kinds.tune.rules.headline import headline
from workers.kinds.tune.rules.review import review

GAVE_UP = "Job aborted due to stage failure: Task 3 in stage 7.0 failed 4 times, most recent failure: Lost task 3.3 in stage 7.0 (TID 9): "


def failing(jobs: int = 1) -> RunFacts:
    """Stage 7 is given up and takes the jobs with it; stage 3 lost attempts, and went well; stage 5 spills."""
    oom = FailureKind(reason="ExceptionFailure", error="x.OutOfMemory", message="no room for 9 GB\nat x.Y", count=4)
    passing = FailureKind(reason="ExceptionFailure", error="x.Reset", message="connection reset", count=9)
    spilling: dict[str, Any] = {"shuffle_read_bytes": [1 << 26] * 64, "disk_spill_bytes": 1 << 33, "memory_spill_bytes": 1 << 34}
    return run_of(
        stage_of(3, [500] * 64, failed_tasks=9, lost_task_ms=900, failures=(passing,)),
        stage_of(5, [90_000] * 64, **spilling),
        stage_of(7, [500], status=StageStatus.FAILED, failure=f"{GAVE_UP}x.OutOfMemory: no room", failed_tasks=4, failures=(oom,)),
        stage_of(8, [500], status=StageStatus.FAILED, failure="Stage cancelled because SparkContext was shut down"),
        jobs=tuple(JobFacts(job_id=n, status=StageStatus.FAILED if n < jobs else StageStatus.SUCCEEDED) for n in range(100)),
    )


def verdict(kind: VerdictKind, share: float, severity: Severity = Severity.PROBLEM) -> Verdict:
    figures = (Figure(name="spilled", value=1, unit=Unit.BYTES, source="x"),)
    return Verdict(kind=kind, severity=severity, share=share, summary=f"It is {kind.value}.", figures=figures)


def fix(number: int, place: int, saved: float | None = 0.1) -> Fix:
    gain = Gain(before_ms=100, after_ms=90, low_ms=80, high_ms=99, saved_share=saved, method="replay") if saved else None
    return Fix(fix_id=f"F{number}", kind=FixKind.OTHER, title="t", what="w", verdicts=(place,), risk=Risk.LOW, gain=gain)


@pytest.mark.parametrize("jobs", [1, 40])
def test_a_job_that_failed_leads_with_its_stage_and_the_line_of_its_error(jobs: int) -> None:
    """T28: however little of the time it took, for the run did not do its work."""
    found = find(failing(jobs))
    plan = advise(found, failing(jobs), [])
    said = shown(headline(found, plan.fixes))

    assert said.startswith(f"Failed: Stage 7 was aborted. {jobs} of 100 jobs failed.")
    assert "The error: `no room for 9 GB`." in said
    assert said.index("no room") < said.index("Stage 5 spilled")
    assert plan.fixes[0].kind is FixKind.FIX_FAILURES
    assert "for stage 7, " in shown(plan.fixes[0].what)
    assert review(plan, found, failing(jobs), []) == ()


def test_a_job_that_the_program_stopped_has_not_failed() -> None:
    """T27: of a stream that was stopped in its batch an error was to be fixed that comes back with each retry."""
    stopped = JobFacts(job_id=0, status=StageStatus.FAILED, failure="Job 0 cancelled part of cancelled job group 06237aee")
    stage = stage_of(1, [500] * 16, status=StageStatus.FAILED, failure="Job 0 cancelled part of cancelled job group 06237aee")
    run = run_of(stage, jobs=(stopped,))
    findings = find(run)

    assert VerdictKind.FAILURES not in [verdict.kind for verdict in findings.verdicts]
    assert not advise(findings, run, []).fixes


def test_a_failure_is_told_before_the_rest_in_chinese_too() -> None:
    """T27."""
    found = find(failing())

    said = shown(headline(found, advise(found, failing(), []).fixes), "zh")

    assert said.startswith("运行失败：Stage 7 中止。100 个 job 中有 1 个失败")
    assert said.index("报错：`no room for 9 GB`。") < said.index("溢写")


def test_a_job_that_failed_is_the_runs_problem_even_if_nothing_else_is() -> None:
    """T2: one of a thousand jobs is little of the time."""
    failed = verdict(VerdictKind.FAILURES, 0.001).model_copy(
        update={"figures": (Figure(id="failed_jobs", name="failed jobs", value=1, unit=Unit.COUNT, source="event log, job ends"),)}
    )

    assert classify((failed,)).tuning_class is TuningClass.OTHER
    assert classify((verdict(VerdictKind.FAILURES, 0.001),)).tuning_class is TuningClass.NONE


def test_a_run_that_mostly_waited_says_so() -> None:
    """T5: of a run of seven minutes with twenty seconds of stages nothing was said."""
    nothing = find(run_of())
    waited = TimeAccount(
        wall_ms=1_000,
        slices=(TimeSlice(part=TimePart.DRIVER, ms=700, share=0.7), TimeSlice(part=TimePart.START, ms=240, share=0.24)),
    )
    busy = waited.model_copy(update={"slices": (TimeSlice(part=TimePart.COMPUTING, ms=900, share=0.9),)})

    assert shown(headline(nothing, [], waited)) == (
        "What was read shows no problem of the run. "
        "No stage was running for 94% of the run, its start among that: what the application did then is not in the log."
    )
    assert "No stage" not in shown(headline(nothing, [], busy))
    most = Findings(tuning_class=TuningClass.OTHER, scores=nothing.scores, verdicts=(verdict(VerdictKind.SPILL, 0.96),))
    assert "No stage" in shown(headline(nothing, [fix(1, 0)], waited))  # a fix of a small problem says nothing of where the time went
    assert "No stage" not in shown(headline(most, [fix(1, 0)], waited))


def test_no_time_is_promised_for_what_made_a_job_fail() -> None:
    """T27: how long the rest would have taken is not in the log."""

    def estimate(changes: object) -> Gain:
        return Gain(before_ms=100, after_ms=10, low_ms=1, high_ms=100, saved_share=0.9, method="replay")

    first, *_ = advise(find(failing()), failing(), [], estimate=estimate).fixes

    assert first.gain is None
    assert shown(first.gain_unknown).startswith("A job failed")


def test_the_real_log_of_a_job_that_ran_out_of_memory_leads_with_that(eval_data: Path) -> None:
    """T28: 5 of 37 jobs failed, four of them because the first one took the application with it."""
    run = read_run(next((eval_data / "spark" / "logs").glob("36de551d77*")))
    found = find(run)

    said = shown(headline(found, advise(found, run, []).fixes))

    assert said.startswith("Failed: Stage 34 was aborted. 5 of 37 jobs failed. 112 of 12,416 task attempts failed")
    assert "GPU OutOfMemory: could not split inputs and retry" in said


def findings(*verdicts: Verdict) -> Findings:
    return classify(verdicts)


@pytest.mark.parametrize(
    ("fixes", "begins", "holds"),
    [
        ((fix(1, 0),), "Spill: It is spill.", ""),
        (
            (fix(1, 4), fix(2, 0, 0.05)),
            "A straggler: ",
            "spill, affects more of the time (50%), but F2 against it is estimated to bring less.",
        ),
        ((fix(1, 4), fix(2, 0, None)), "A straggler: ", "F2 against it is less certain to bring much."),
        ((fix(1, 4),), "A straggler: ", "spill, affects more of the time (50%), but no fix is advised for it."),
        ((fix(1, 1), fix(2, 0)), "Spill: ", "F2 answers it; F1 answers another problem, garbage collection"),
        ((fix(1, 1),), "Spill: ", "F1 answers another problem, garbage collection: for this one nothing is advised."),
        ((fix(1, 2), fix(2, 0)), "Spill: ", "F2 answers it; F1 answers another problem, tiny tasks"),
        ((fix(1, 3),), "Spill: ", "F1 answers another problem, data skew: for this one nothing is advised."),
        ((), "Spill: It is spill.", ""),
    ],
)
def test_the_headline_speaks_of_what_the_first_fix_answers_or_says_why_not(fixes: tuple[Fix, ...], begins: str, holds: str) -> None:
    """T28."""
    found = findings(
        verdict(VerdictKind.SPILL, 0.5),
        verdict(VerdictKind.GC_PRESSURE, 0.2),
        verdict(VerdictKind.TINY_TASKS, 0.1, Severity.HINT),
        verdict(VerdictKind.DATA_SKEW, 0.04),
        verdict(VerdictKind.STRAGGLER, 0.3),
    )

    said = shown(headline(found, fixes))

    assert said.startswith(begins)
    assert holds in said
    assert ("F" in said.removeprefix(begins)) == bool(holds and "F" in holds)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("no room\n\tat x.Y(Z.java:1)", "no room"),
        ('Traceback (most recent call last):\n  File "a.py", line 3, in f\n    raise X\nX: bad row\n\n\tat org.x', "X: bad row"),
        ("", ""),
    ],
)
def test_the_line_of_an_error_is_the_one_that_says_why(text: str, line: str) -> None:
    """T5: of a Python traceback the end, of any other the beginning."""
    assert line_of_text(text) == line
    assert line_of_failure(GAVE_UP + text) == line
