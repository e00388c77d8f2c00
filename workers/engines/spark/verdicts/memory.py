"""Memory: what tasks spill because it does not fit, and what the collector takes."""

from collections.abc import Iterator

from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.verdicts.measures import MIB, Run, figure, of_stage

SPILL_SHARE = 0.1
"""Of what the stage reads: below it the last rows did not fit, and another size of partition changes little."""

SPILL_BYTES = 16 * MIB
PROBLEM_SHARE = 0.05
"""Of the tasks' time."""

GC_SHARE = 0.1
"""Of a stage's task time. Spark's own UI marks tasks red from a tenth on."""

GC_STAGE_MS = 5_000
"""Of task time: in shorter stages the collector's share is that of a JVM that starts."""

GC_WALL_MS = 250
"""Pauses that make up less on the clock are not felt. They are counted in each task that waits, so they are divided by
the tasks that ran at the same time."""

GC_RUN_SHARE = 0.05
"""Of all task time, over the stages above: below it there is nothing to win."""


def spill(run: Run) -> Iterator[Verdict]:
    """One verdict a stage."""
    for stage in run.stages:
        read = stage.shuffle_read_bytes + stage.input_bytes
        spilled = max(stage.disk_spill_bytes, stage.memory_spill_bytes)
        on_disk = stage.disk_spill_bytes or stage.memory_spill_bytes
        if on_disk < SPILL_BYTES or on_disk < SPILL_SHARE * read:
            continue
        share, source = run.share_of_stages([stage.stage_id]), of_stage(stage)
        where = (
            f"{human.size(stage.disk_spill_bytes)} on disk"
            if stage.disk_spill_bytes
            else "none of it on disk, so an accelerator's memory to the host's"
        )
        yield Verdict(
            kind=VerdictKind.SPILL,
            severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
            stage_ids=(stage.stage_id,),
            share=round(share, 4),
            summary=f"Stage {stage.stage_id} spilled {human.size(spilled)} ({where}) "
            f"in {human.counted(stage.succeeded_tasks, 'task')} that read {human.size(read)}.",
            figures=(
                figure("spilled from memory", stage.memory_spill_bytes, Unit.BYTES, source),
                figure("spilled to disk", stage.disk_spill_bytes, Unit.BYTES, source, SPILL_BYTES),
                figure("spilled to read", on_disk / max(1, read), Unit.RATIO, source, SPILL_SHARE),
                figure("tasks", stage.succeeded_tasks, Unit.TASKS, source),
                figure("read by a task", read / max(1, stage.succeeded_tasks), Unit.BYTES, source),
                figure("tasks' time in the stage", share, Unit.SHARE, source, PROBLEM_SHARE),
            ),
        )


def gc_pressure(run: Run) -> Iterator[Verdict]:
    """One verdict a run. A pause of a JVM is counted in each of its tasks, so a stage's collection is at most its tasks' time."""
    hit = [stage for stage in run.stages if stage.task_ms >= GC_STAGE_MS and stage.gc_ms >= GC_SHARE * stage.task_ms]
    collected = sum(min(stage.gc_ms, stage.task_ms) for stage in hit)
    on_the_clock = sum(min(stage.gc_ms, stage.task_ms) / min(run.slots, stage.succeeded_tasks) for stage in hit)
    share = collected / run.task_ms
    if not hit or share < GC_RUN_SHARE or on_the_clock < GC_WALL_MS:
        return
    worst = max(hit, key=lambda stage: stage.gc_ms)
    source = f"event log, stages {', '.join(str(stage.stage_id) for stage in hit[:20])}, task metrics"
    yield Verdict(
        kind=VerdictKind.GC_PRESSURE,
        severity=Severity.PROBLEM,
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in hit)),
        share=round(min(1.0, share), 4),
        summary=f"Garbage collection took {human.took(collected)}, {human.share(share)} of all task time; in stage {worst.stage_id} "
        f"{human.share(min(1.0, worst.gc_ms / worst.task_ms))} of its tasks' time.",
        figures=(
            figure("collection in these stages", collected, Unit.MS, source),
            figure("of all task time", share, Unit.SHARE, source, GC_RUN_SHARE),
            figure("on the clock, about", on_the_clock, Unit.MS, source, GC_WALL_MS),
            figure("of the task time of the worst stage", min(1.0, worst.gc_ms / worst.task_ms), Unit.SHARE, of_stage(worst), GC_SHARE),
            figure("task time of the worst stage", worst.task_ms, Unit.MS, of_stage(worst), GC_STAGE_MS),
        ),
    )
