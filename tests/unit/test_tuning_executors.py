"""Lost executors, late ones, and copies of tasks in vain: from the log's own facts to the advice."""

from pathlib import Path

import pytest

from contracts.spark import ExecutorFacts, FailureKind, RunFacts, StageFacts
from contracts.tune.plan import FixKind, TuningPlan
from contracts.verdicts import Severity, TuningClass, Verdict, VerdictKind
from tests.support.said import said
from workers.engines.spark.eventlog import read_run
from workers.engines.spark.verdicts import judge
from workers.engines.spark.whatif import Replay
from workers.kinds.tune.rules.advice import advise
from workers.kinds.tune.rules.findings import find

RUN = read_run(Path(__file__).parents[1] / "bench" / "spark_pairs" / "fixtures" / "late_projection.zstd")
START, END = RUN.started_at or 0, RUN.ended_at or 0
HEAVY = max(RUN.stages, key=lambda stage: stage.task_ms)
OUT_OF_MEMORY = "Container killed by YARN for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used."


def executor(number: int, added_at: int = START, removed_at: int | None = None, reason: str = "") -> ExecutorFacts:
    return ExecutorFacts(executor_id=str(number), cores=4, added_at=added_at, removed_at=removed_at, removed_reason=reason)


def with_stage(run: RunFacts, **changes: object) -> RunFacts:
    """The heavy stage with other facts."""
    return run.model_copy(update={"stages": tuple(stage.model_copy(update=changes) if stage is HEAVY else stage for stage in run.stages)})


def run_with_loss(reason: str, removed_at: int = END - 5_000) -> RunFacts:
    """One of two executors was lost, and the heavy stage ran a second time."""
    again = HEAVY.model_copy(update={"attempt": 1})
    failures = (FailureKind(reason="ExecutorLostFailure", error=reason, count=4),)
    lost = with_stage(RUN, failed_tasks=4, lost_task_ms=2_000, failures=failures)
    return lost.model_copy(
        update={"stages": (*lost.stages, again), "executors": (executor(1), executor(2, removed_at=removed_at, reason=reason)), "slots": 8}
    )


def of_kind(run: RunFacts, kind: VerdictKind) -> list[Verdict]:
    return [verdict for verdict in judge(run) if verdict.kind is kind]


def plan_of(run: RunFacts) -> TuningPlan:
    return advise(find(run), run, (), (), estimate=Replay(run).gain)


def test_an_executor_that_is_lost_with_its_work_is_a_problem_with_its_reason() -> None:
    """T31: what was done again counts, and the reason is the cluster's own."""
    (verdict,) = of_kind(run_with_loss(OUT_OF_MEMORY), VerdictKind.LOST_EXECUTORS)

    assert verdict.severity is Severity.PROBLEM
    assert HEAVY.stage_id in verdict.stage_ids
    assert verdict.share > 0.05
    assert "Container killed by YARN" in said(verdict.summary)


@pytest.mark.parametrize(
    ("reason", "removed_at"),
    [("Executor killed by driver.", END - 5_000), ("Command exited with code 0", END - 5_000), (OUT_OF_MEMORY, END)],
)
def test_an_executor_that_is_given_back_or_goes_at_the_end_is_not_lost(reason: str, removed_at: int) -> None:
    assert of_kind(run_with_loss(reason, removed_at), VerdictKind.LOST_EXECUTORS) == []


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (OUT_OF_MEMORY, "memory outside of the heap"),
        ("java.lang.OutOfMemoryError: Java heap space", "Smaller tasks, or more heap"),
        ("No space left on device", "More room for shuffle files"),
        ("Container was preempted", "keep them, or lose less with them"),
    ],
)
def test_lost_executors_are_answered_by_their_reason_and_their_failures_get_no_advice_of_their_own(reason: str, words: str) -> None:
    """T31: one cause, one fix."""
    plan = plan_of(run_with_loss(reason))

    found = [fix for fix in plan.fixes if fix.kind is FixKind.FIX_FAILURES]
    assert len(found) == 1
    assert words in said(found[0].title)


def test_stages_that_wait_for_executors_of_dynamic_allocation_are_found() -> None:
    """T31: one executor at first, three more when half of the run is over."""
    late = (START + END) // 2
    configuration = {**RUN.configuration, "spark.dynamicAllocation.enabled": "true"}
    executors = (executor(1), *(executor(number, added_at=late) for number in (2, 3, 4)))
    run = with_stage(RUN, planned_tasks=16).model_copy(update={"configuration": configuration, "executors": executors, "slots": 16})

    (verdict,) = of_kind(run, VerdictKind.LATE_EXECUTORS)
    plan = plan_of(run)

    assert 0.05 < verdict.share < 0.75
    assert "room for 4 where later 16 tasks could run" in said(verdict.summary)
    (fix,) = [fix for fix in plan.fixes if fix.kind is FixKind.EARLIER_EXECUTORS]
    assert {setting.name: setting.value for setting in fix.configuration}["spark.dynamicAllocation.initialExecutors"] == "4"
    assert find(run).tuning_class is TuningClass.OTHER


def test_executors_that_are_there_from_the_beginning_are_not_late() -> None:
    configuration = {**RUN.configuration, "spark.dynamicAllocation.enabled": "true"}
    executors = tuple(executor(number) for number in range(1, 5))
    there = with_stage(RUN, planned_tasks=16).model_copy(update={"configuration": configuration, "executors": executors, "slots": 16})

    assert of_kind(there, VerdictKind.LATE_EXECUTORS) == []
    assert of_kind(there.model_copy(update={"configuration": {}, "executors": executors[:1]}), VerdictKind.LATE_EXECUTORS) == []


def test_copies_that_were_no_faster_are_a_problem_and_the_setting_is_named() -> None:
    """T31."""
    run = copied(HEAVY.task_ms // 2)

    (verdict,) = of_kind(run, VerdictKind.SUPERFLUOUS_COPIES)
    (fix,) = [fix for fix in plan_of(run).fixes if fix.kind is FixKind.SPECULATION]

    assert verdict.stage_ids == (HEAVY.stage_id,)
    assert "spark.speculation.multiplier" in {setting.name for setting in fix.configuration}
    assert fix.gain is None
    killed: dict[str, object] = {"speculative_tasks": 6, "killed_tasks": 6, "failed_tasks": 6, "lost_task_ms": HEAVY.task_ms // 2}
    helped = with_stage(RUN, **killed)  # the copies were first, and the tasks were killed
    assert of_kind(helped, VerdictKind.SUPERFLUOUS_COPIES) == []


def test_a_few_copies_are_no_problem() -> None:
    assert of_kind(copied(HEAVY.task_ms // 100), VerdictKind.SUPERFLUOUS_COPIES) == []


def copied(lost_ms: int) -> RunFacts:
    killed = (FailureKind(reason="TaskKilled", error="another attempt succeeded", count=6),)
    changes: dict[str, object] = {"speculative_tasks": 6, "killed_tasks": 6, "failed_tasks": 6, "lost_task_ms": lost_ms, "failures": killed}
    changes |= {"copies_in_vain": 6, "copies_in_vain_ms": lost_ms}
    assert set(changes) <= set(StageFacts.model_fields)
    return with_stage(RUN, **changes).model_copy(update={"configuration": {**RUN.configuration, "spark.speculation": "true"}})
