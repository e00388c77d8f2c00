"""Executors that are lost or come late, and copies of tasks that nobody needed."""

import math
from collections.abc import Iterator

from contracts.figures import FigureId
from contracts.statements import Value, code, count
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.container_memory import memory_advice
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised
from workers.kinds.tune.rules.advice.failures import BY_EXECUTOR, CAUSES, EXECUTORS_LOST, settings_for
from workers.kinds.tune.rules.advice.settings import changed, raised
from workers.kinds.tune.rules.advice.values import values_of
from workers.kinds.tune.rules.clipping import clipped

OF_EXECUTORS = ("overhead_out_of_memory", "out_of_memory", "disk_full")
"""Causes by which an executor ends; any other reason is the cluster's."""


def keep_executors(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """By the reason that the cluster gives: memory or a full disk for any of them, else that of the first."""
    reasons = [verdict.error, *(executor.removed_reason for executor in (case.run.executors if case.run else ()))]
    known = ((name, reason) for reason in reasons for name, form in CAUSES if name in OF_EXECUTORS and form.search(reason))
    cause, error = next(known, (EXECUTORS_LOST, verdict.error))
    values: dict[str, Value] = {
        **values_of(case, verdict),
        "failed": count(int(case.value(verdict, FigureId.LOST_EXECUTORS) or 0)),
    }
    yield Draft(
        kind=FixKind.FIX_FAILURES,
        remedy=f"{cause}{BY_EXECUTOR}",
        risk=Risk.LOW,
        confidence=0.8,
        saves=0.9,
        values={
            **values,
            "error": code(clipped(error)) if error else values["finding"],
            "memory": memory_advice(case, verdict),
        },
        settings=settings_for(case, cause, error),
        changes=(Change(kind=ChangeKind.NO_RETRIES, stage_ids=verdict.stage_ids),),
        is_alternative=False,
    )


def fewer_copies(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Speculation only for tasks that are really slow. Without an estimate: the log does not tell whether a copy kept a slot from a task
    that waited."""
    wanted = (("spark.speculation.multiplier", "3"), ("spark.speculation.quantile", "0.9"), ("spark.speculation.minTaskRuntime", "10s"))
    settings = tuple(changed(case, *wanted))
    yield Draft(
        kind=FixKind.SPECULATION,
        remedy="fewer_copies",
        risk=Risk.LOW,
        confidence=0.8,
        saves=0.8,
        settings=settings or tuple(changed(case, ("spark.speculation", "false"))),
        is_alternative=False,
    )


def earlier_executors(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """As many executors from the beginning as the run came to need."""
    cores = max((executor.cores or 0 for executor in (case.run.executors if case.run else ())), default=0) or 1
    executors = math.ceil(case.slots / cores)
    yield Draft(
        kind=FixKind.EARLIER_EXECUTORS,
        remedy="earlier_executors",
        risk=Risk.LOW,
        confidence=0.8,
        saves=0.8,
        values={"count": count(executors)},
        settings=tuple(
            raised(
                case,
                ("spark.dynamicAllocation.initialExecutors", str(executors)),
                ("spark.dynamicAllocation.executorIdleTimeout", "300s"),
            )
        ),
        is_alternative=False,
    )
