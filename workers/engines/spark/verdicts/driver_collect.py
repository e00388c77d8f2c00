"""Many rows taken to the driver: `collect`, `toPandas`, `toLocalIterator`."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageFacts
from contracts.statements import say
from contracts.verdicts import Unit, Verdict, VerdictKind
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import TASK_METRICS, of_stage
from workers.engines.verdicts import figure, measured, problem_if
from workers.engines.verdicts.thresholds import MIB

LEAST_BYTES = 16 * MIB
"""Sent to the driver by the tasks of a stage."""

WITHOUT_ROWS = 16 << 10
"""Bytes that a task's result takes with its metrics alone. A task that writes files says which, and hands over no rows."""

TO_EVERYBODY = ("broadcast", "$anonfun$withThreadLocalCaptured", " at ThreadPoolExecutor.java:", " at FutureTask.java:")
"""In the names of stages that Spark runs in a thread of its own (2.x: `run at ThreadPoolExecutor.java:1149`), to send a table to every
executor by way of the driver: an action of the user's, in whichever thread, is called by its own line."""

BROADCAST = "broadcast exchange ("
"""The beginning of the description that Spark 3 gives to such a job."""

ONE_BY_ONE = "toLocalIterator"
"""The action that takes a partition after the other, each by a job of its own."""

PROBLEM_SHARE = 0.1
"""Of the run's wall clock: the stage that sends the rows, and the driver alone with them until the next stage begins."""


def driver_collects(run: Run) -> Iterator[Verdict]:
    """One verdict for each action that takes rows."""
    sent = {stage for job in run.facts.jobs if job.description.startswith(BROADCAST) for stage in job.stage_ids}
    for stages in _actions(run):
        stage, taken = stages[0], sum(stage.result_bytes for stage in stages)
        least = max(LEAST_BYTES, WITHOUT_ROWS * sum(stage.succeeded_tasks for stage in stages))
        if taken < least or stage.output_bytes or stage.stage_id in sent or any(word in stage.name for word in TO_EVERYBODY):
            continue
        numbers = tuple(stage.stage_id for stage in stages)
        alone = sum(_alone_after(run, stage) for stage in stages)
        lost = alone + run.span_ms(numbers)
        share = run.share_of_run(lost)
        yield Verdict(
            kind=VerdictKind.DRIVER_COLLECT,
            severity=problem_if(share >= PROBLEM_SHARE),
            stage_ids=numbers,
            share=round(share, 4),
            summary=say(
                "spark.verdict.driver_collect",
                stage=statements.name(stage.stage_id),
                size=measured(taken, Unit.BYTES),
                alone=statements.milliseconds(alone),
            ),
            figures=(
                figure(FigureId.TO_DRIVER, taken, Unit.BYTES, of_stage(stage), least),
                figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
            ),
        )


def _actions(run: Run) -> list[list[StageFacts]]:
    """The stages of each action: `toLocalIterator` has one for each partition."""
    found: dict[tuple[object, ...], list[StageFacts]] = {}
    for stage in run.stages:
        is_one_by_one = stage.name.startswith(ONE_BY_ONE) and stage.execution_id is not None
        found.setdefault((stage.execution_id, stage.name) if is_one_by_one else (stage.stage_id, stage.attempt), []).append(stage)
    return list(found.values())


def _alone_after(run: Run, stage: StageFacts) -> int:
    """Milliseconds from the stage's end in which nothing else ran: none where another stage still runs then."""
    end = stage.completed_at or stage.last_finish_at
    return next((until - end for begin, until in run.gaps if begin <= end < until), 0) if end is not None else 0
