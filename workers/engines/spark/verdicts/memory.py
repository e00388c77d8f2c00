"""Memory: what tasks spill because it does not fit, and what the collector takes."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageFacts
from contracts.spark_time import TimePart
from contracts.statements import Statement, say
from contracts.verdicts import Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.time_account import ms_by_stage
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import TASK_METRICS, of_stage
from workers.engines.verdicts import figure, problem_if
from workers.engines.verdicts.thresholds import GC_SHARE, SPILL_BYTES, SPILL_SHARE
from workers.engines.verdicts.thresholds import MEMORY_PROBLEM_SHARE as PROBLEM_SHARE

GC_STAGE_MS = 5_000
"""The least task time of a stage, in ms: in shorter stages the collector's share is that of a JVM that starts."""

GC_WALL_MS = 250
"""Pauses that make up less on the clock are not felt. They are counted in each task that waits, so they are divided by
the tasks that ran at the same time."""

UNCOUNTED = ("0.", "1.")
"""How versions begin that count no bytes of their sorter on disk."""

ACCELERATED = ("spark.rapids.",)
PLUGIN = "com.nvidia.spark"
"""What the settings of a run on an accelerator have."""

GC_RUN_SHARE = 0.05
"""Share of all task time, over the stages above, below which nothing can be gained."""

GC_GAIN = 0.03
"""Of the run, beyond that usual share: with less to gain it is a hint. The same share from which on a fix is advised."""


def spill(run: Run) -> Iterator[Verdict]:
    """One verdict a stage."""
    for stage in run.stages:
        read = stage.shuffle_read_bytes + stage.input_bytes
        spilled = max(stage.disk_spill_bytes, stage.memory_spill_bytes)
        on_disk = stage.disk_spill_bytes or stage.memory_spill_bytes
        if on_disk < SPILL_BYTES or on_disk < SPILL_SHARE * read:
            continue
        share, source = run.share_of_stages([stage.stage_id]), of_stage(stage)
        yield Verdict(
            kind=VerdictKind.SPILL,
            severity=problem_if(share >= PROBLEM_SHARE),
            stage_ids=(stage.stage_id,),
            share=round(share, 4),
            summary=_spilled(run, stage, spilled, read),
            figures=(
                figure(FigureId.SPILLED_FROM_MEMORY, stage.memory_spill_bytes, Unit.BYTES, source),
                figure(FigureId.SPILLED_TO_DISK, stage.disk_spill_bytes, Unit.BYTES, source, SPILL_BYTES),
                figure(FigureId.SPILLED_TO_READ, on_disk / max(1, read), Unit.RATIO, source, SPILL_SHARE),
                figure(FigureId.TASKS, stage.succeeded_tasks, Unit.TASKS, source),
                figure(FigureId.READ_BY_TASK, read / max(1, stage.succeeded_tasks), Unit.BYTES, source),
                figure(FigureId.TIME_OF_STAGES, share, Unit.SHARE, source, PROBLEM_SHARE),
            ),
        )


def _spilled(run: Run, stage: StageFacts, spilled: int, read: int) -> Statement:
    on_disk = stage.disk_spill_bytes
    return say(
        "spark.verdict.spill",
        stage=statements.name(stage.stage_id),
        spilled=statements.size(spilled),
        where=say("spark.spill.on_disk", size=statements.size(on_disk)) if on_disk else _not_on_disk(run),
        tasks=say("verdicts.tasks", n=exactly(stage.succeeded_tasks)),
        read=statements.size(read),
    )


def _not_on_disk(run: Run) -> Statement:
    """Only an accelerator spills to the host's memory. Spark counts no bytes on disk before its second version."""
    if _has_accelerator(run):
        return say("spark.spill.to_the_host")
    version = run.facts.spark_version or ""
    if version.startswith(UNCOUNTED):
        return say("spark.spill.not_counted", version=statements.name(version))
    return say("spark.spill.not_on_disk")


def _has_accelerator(run: Run) -> bool:
    """By its plugin in the settings, or its operators in a plan."""
    settings = run.facts.configuration
    named = any(name.startswith(ACCELERATED) or PLUGIN in value for name, value in settings.items())
    return named or any(node.name.startswith("Gpu") for plan in run.plans for node in plan.nodes.values())


def _avoidable(run: Run, share: float, on_the_clock: float) -> float:
    """The share of the run's wall time that collection takes beyond what it usually takes; all of it where the wall time is not known."""
    wall_ms = run.facts.wall_ms
    return on_the_clock * (1 - GC_RUN_SHARE / share) / wall_ms if wall_ms else 1.0


def gc_pressure(run: Run) -> Iterator[Verdict]:
    """One verdict a run. A pause of a JVM is counted in each of its tasks, so a stage's collection is at most its tasks' time."""
    hit = [stage for stage in run.stages if stage.task_ms >= GC_STAGE_MS and stage.gc_ms >= GC_SHARE * stage.task_ms]
    collected = sum(min(stage.gc_ms, stage.task_ms) for stage in hit)
    on_the_clock = sum(min(stage.gc_ms, stage.task_ms) / min(run.slots, stage.succeeded_tasks) for stage in hit)
    share = collected / run.task_ms
    if not hit or share < GC_RUN_SHARE or on_the_clock < GC_WALL_MS:
        return
    worst = max(hit, key=lambda stage: stage.gc_ms)
    of_all = sum(min(stage.gc_ms, stage.task_ms) for stage in run.stages)
    of_clock = sum(ms_by_stage(run.facts, TimePart.GC).values()) or on_the_clock
    yield Verdict(
        kind=VerdictKind.GC_PRESSURE,
        severity=problem_if(_avoidable(run, share, on_the_clock) >= GC_GAIN),
        stage_ids=tuple(dict.fromkeys(stage.stage_id for stage in hit)),
        share=round(min(1.0, share), 4),
        summary=say(
            "spark.verdict.gc",
            collected=statements.milliseconds(of_all),
            share=statements.share(min(1.0, of_all / run.task_ms)),
            stage=statements.name(worst.stage_id),
            stage_share=statements.share(min(1.0, worst.gc_ms / worst.task_ms)),
        ),
        figures=(
            figure(FigureId.COLLECTION, of_all, Unit.MS, TASK_METRICS),
            figure(FigureId.SHARE_OF_TASK_TIME, min(1.0, of_all / run.task_ms), Unit.SHARE, TASK_METRICS, GC_RUN_SHARE),
            figure(FigureId.COLLECTION_ON_THE_CLOCK, of_clock, Unit.MS, TASK_METRICS, GC_WALL_MS),
            figure(FigureId.WORST_STAGE_COLLECTION_SHARE, min(1.0, worst.gc_ms / worst.task_ms), Unit.SHARE, of_stage(worst), GC_SHARE),
            figure(FigureId.WORST_STAGE_TASK_TIME, worst.task_ms, Unit.MS, of_stage(worst), GC_STAGE_MS),
        ),
    )
