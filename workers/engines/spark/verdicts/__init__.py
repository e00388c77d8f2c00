"""Verdicts on a run: each looks for one thing that can be wrong, by its own thresholds, and says it with its numbers."""

from collections.abc import Callable, Iterator

from contracts.spark import RunFacts
from contracts.verdicts import Verdict
from workers.engines.spark.lost_time import seconds_of
from workers.engines.spark.verdicts.broadcast import broadcastable_joins
from workers.engines.spark.verdicts.carried import late_filters, late_projections
from workers.engines.spark.verdicts.completeness import compacted_log, incomplete_log
from workers.engines.spark.verdicts.cross_join import cross_joins
from workers.engines.spark.verdicts.driver_collect import driver_collects
from workers.engines.spark.verdicts.exchanges import redundant_exchanges
from workers.engines.spark.verdicts.executors import late_executors, lost_executors, superfluous_copies
from workers.engines.spark.verdicts.failed_queries import failed_queries
from workers.engines.spark.verdicts.failures import failures
from workers.engines.spark.verdicts.grouped_rows import grouped_rows
from workers.engines.spark.verdicts.hanging import hanging_tasks
from workers.engines.spark.verdicts.lost import lost_time
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.memory import gc_pressure, spill
from workers.engines.spark.verdicts.on_the_clock import on_the_clock
from workers.engines.spark.verdicts.parallelism import idle_executors, tiny_tasks, too_few_tasks
from workers.engines.spark.verdicts.python_rows import python_rows
from workers.engines.spark.verdicts.recomputation import recomputation
from workers.engines.spark.verdicts.single_task import single_tasks
from workers.engines.spark.verdicts.skew import data_skew
from workers.engines.spark.verdicts.small_files import small_files
from workers.engines.spark.verdicts.straggler import uneven_time
from workers.engines.spark.verdicts.volume import shuffle_volume
from workers.engines.verdicts import heaviest_first

JUDGES: tuple[Callable[[Run], Iterator[Verdict]], ...] = (
    hanging_tasks,
    data_skew,
    uneven_time,
    broadcastable_joins,
    redundant_exchanges,
    late_projections,
    late_filters,
    shuffle_volume,
    grouped_rows,
    spill,
    gc_pressure,
    failures,
    failed_queries,
    lost_executors,
    superfluous_copies,
    late_executors,
    tiny_tasks,
    too_few_tasks,
    idle_executors,
    single_tasks,
    python_rows,
    recomputation,
    small_files,
    driver_collects,
    cross_joins,
    compacted_log,
    incomplete_log,
)


def judge(facts: RunFacts) -> tuple[Verdict, ...]:
    """All verdicts on a run: problems first, the heaviest first, ties in the order of the judges. Below the families that these know,
    each second of the run has a class: what is lost in a way that no family speaks of is named too."""
    run = Run(facts)
    found = [on_the_clock(run, verdict) for find in JUDGES for verdict in find(run)]
    lost = (on_the_clock(run, verdict) for verdict in lost_time(run, seconds_of(facts), found))
    return heaviest_first([*found, *lost])


__all__ = ["JUDGES", "judge"]
