"""Verdicts on a run: each looks for one thing that can be wrong, by its own thresholds, and says it with its numbers."""

from collections.abc import Callable, Iterator

from contracts.tuning import RunFacts
from contracts.tuning_verdicts import Severity, Verdict
from workers.engines.tuning.verdicts.broadcast import broadcastable_joins
from workers.engines.tuning.verdicts.carried import late_filters, late_projections
from workers.engines.tuning.verdicts.completeness import incomplete_log
from workers.engines.tuning.verdicts.exchanges import redundant_exchanges
from workers.engines.tuning.verdicts.failures import failures
from workers.engines.tuning.verdicts.measures import Run
from workers.engines.tuning.verdicts.memory import gc_pressure, spill
from workers.engines.tuning.verdicts.parallelism import idle_executors, tiny_tasks, too_few_tasks
from workers.engines.tuning.verdicts.skew import data_skew
from workers.engines.tuning.verdicts.straggler import uneven_time
from workers.engines.tuning.verdicts.volume import shuffle_volume

JUDGES: tuple[Callable[[Run], Iterator[Verdict]], ...] = (
    data_skew,
    uneven_time,
    broadcastable_joins,
    redundant_exchanges,
    late_projections,
    late_filters,
    shuffle_volume,
    spill,
    gc_pressure,
    failures,
    tiny_tasks,
    too_few_tasks,
    idle_executors,
    incomplete_log,
)

RANK = {Severity.PROBLEM: 0, Severity.HINT: 1, Severity.NOTE: 2}


def judge(facts: RunFacts) -> tuple[Verdict, ...]:
    """All verdicts on a run: problems first, the heaviest first, ties in the order of the judges."""
    run = Run(facts)
    found = [verdict for one in JUDGES for verdict in one(run)]
    return tuple(sorted(found, key=lambda verdict: (RANK[verdict.severity], -verdict.share)))


__all__ = ["JUDGES", "judge"]
