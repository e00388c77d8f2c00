"""Every verdict on one basis: the wall clock of the run, of which a fix's gain is a share too."""

from contracts.spark_time import TimePart
from contracts.verdicts import Verdict, VerdictKind
from workers.engines.spark.time_account import ms_by_stage
from workers.engines.spark.verdicts.lost import FAMILIES
from workers.engines.spark.verdicts.measures import Run

OF_ACTIVE_TIME = frozenset({VerdictKind.DATA_SKEW, VerdictKind.STRAGGLER, VerdictKind.TOO_FEW_TASKS})
"""Kinds whose share is of the time in which stages were running."""

OF_THE_RUN = frozenset(
    {
        VerdictKind.HANGING_TASK,
        VerdictKind.SINGLE_TASK,
        VerdictKind.PYTHON_UDF,
        VerdictKind.RECOMPUTATION,
        VerdictKind.SMALL_FILES,
        VerdictKind.LOST_EXECUTORS,
        VerdictKind.LATE_EXECUTORS,
        VerdictKind.DRIVER_COLLECT,
        VerdictKind.CROSS_JOIN,
        *FAMILIES,
    }
)
"""Kinds whose share is of the run already. That of all others is of the tasks' time."""


def on_the_clock(run: Run, verdict: Verdict) -> Verdict:
    """With its share of the run, and that of the time in which its stages ran. Unchanged where the log does not tell how long it ran."""
    wall_ms = run.facts.wall_ms or 0
    if wall_ms <= 0 or not verdict.share:
        return verdict
    span = min(1.0, run.span_ms(verdict.stage_ids) / wall_ms)
    if verdict.kind in OF_THE_RUN:
        share = verdict.share
    elif verdict.kind is VerdictKind.FAILURES and (failed_ms := _failed_ms(run)):
        share = failed_ms / wall_ms
    elif verdict.kind is VerdictKind.GC_PRESSURE and (collected_ms := sum(ms_by_stage(run.facts, TimePart.GC).values())):
        share = collected_ms / wall_ms
    elif verdict.kind in OF_ACTIVE_TIME:
        share = verdict.share * min(1.0, run.active_ms / wall_ms)
    else:
        of_tasks = run.share_of_stages(verdict.stage_ids)
        share = min(1.0, verdict.share / of_tasks) * span if of_tasks else 0.0
    return verdict.model_copy(update={"run_share": round(min(1.0, share), 4), "span_share": round(max(span, min(1.0, share)), 4)})


def _failed_ms(run: Run) -> float:
    """What failed attempts took, as the account of the run's time has it; 0 where there is none."""
    slices = run.account.slices if run.account else ()
    return sum(part.ms for part in slices if part.part is TimePart.FAILED)
