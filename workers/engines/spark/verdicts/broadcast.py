"""Joins that shuffle both sides although one is small enough to be sent to every executor."""

from collections.abc import Iterator
from dataclasses import dataclass

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import RunFacts, SqlNode
from contracts.statements import Statement, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.spark.plan import EITHER_SIDE, LEFT_SIDE, RIGHT_SIDE, Plan, metric
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import (
    TASK_METRICS,
    of_node,
    of_plan,
)
from workers.engines.verdicts import figure, measured, problem_if
from workers.engines.verdicts.thresholds import MIB, SIDES_RATIO

SPARK_DEFAULT = 10 * MIB
"""`spark.sql.autoBroadcastJoinThreshold`, with which Spark compares its estimate of a side."""

CLEARLY_SMALL = SPARK_DEFAULT // 2
"""Below half of it a side is worth its hash table, which takes about twice the bytes of the rows, in any executor; above, it is worth a
try and no more. A side of 3.7 MiB, broadcast against the settings of a run, made the run a fifth to a third shorter in six pairs of rounds;
it was a mere hint at a quarter."""

PROBLEM_SHARE = 0.1
"""Of the tasks' time, in stages that read the join's exchanges."""


MEMORY_PARTS = 32
"""A side may take this part of an executor's memory: its hash table takes about twice its bytes, and is made again for each join."""

MOST_BYTES = 64 * MIB
"""However much memory there is: the driver collects a side and sends it to everybody."""

LEAST_RATIO = 2.0
"""With one executor: sides that are about as large are shuffled as cheaply."""

THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"


def broadcast_bytes(facts: RunFacts) -> int:
    """The largest side that may be sent to every executor: Spark's default, or what the smallest executor's memory bears."""
    memories = [executor.memory_bytes for executor in facts.executors if executor.memory_bytes]
    return max(SPARK_DEFAULT, min(MOST_BYTES, min(memories) // MEMORY_PARTS)) if memories else SPARK_DEFAULT


def sides_ratio(facts: RunFacts) -> float:
    """How many times larger the other side has to be: a broadcast is paid once an executor, and a shuffle moves both sides once. A log that
    names no executor may be of a large cluster."""
    if not facts.executors:
        return SIDES_RATIO
    executors = [executor for executor in facts.executors if executor.executor_id != "driver"]
    return max(LEAST_RATIO, min(SIDES_RATIO, float(len(executors))))


def _is_safe(run: Run, plan: Plan) -> bool:
    """The executors' memory is known, and nobody has turned broadcasts off: otherwise only a side that is clearly small is worth it."""
    is_off = plan.execution.configuration.get(THRESHOLD, run.facts.configuration.get(THRESHOLD, "")).strip().startswith("-")
    return not is_off and any(executor.memory_bytes for executor in run.facts.executors)


def broadcastable_joins(run: Run) -> Iterator[Verdict]:
    """One verdict a join."""
    for plan in run.plans:
        for join in plan.joins:
            verdict = _judge(run, plan, join)
            if verdict:
                yield verdict


@dataclass(frozen=True)
class _Sides:
    """The two sides of a join that is made by shuffling both."""

    small: int
    """Which side could be sent to every executor: 0 or 1."""
    small_exchange: SqlNode
    large_exchange: SqlNode
    size: int
    """Bytes of the small side, as rows in memory."""
    other: int


def _sides(plan: Plan, join: SqlNode) -> _Sides | None:
    """None: a side is not shuffled for this join, or neither may be broadcast."""
    sides = plan.children[join.node]
    if len(sides) != 2:
        return None
    first, second = (plan.exchange_below(side) for side in sides)
    if first is None or second is None:
        return None
    exchanges = (first, second)
    sizes = [metric(exchange, "data size") for exchange in exchanges]
    candidates = [side for side in sides_that_may(join) if sizes[side]]
    if not candidates:
        return None
    small = min(candidates, key=lambda side: sizes[side] or 0)
    return _Sides(small, exchanges[small], exchanges[1 - small], sizes[small] or 0, sizes[1 - small] or 0)


def _judge(run: Run, plan: Plan, join: SqlNode) -> Verdict | None:
    sides = _sides(plan, join)
    ratio = sides_ratio(run.facts)
    if sides is None or sides.size > broadcast_bytes(run.facts) or sides.other < ratio * sides.size:
        return None
    written = metric(sides.large_exchange, "shuffle bytes written")
    if written and written <= sides.size:
        return None  # as compressed, the larger side is moved for less than the smaller one would take
    readers = sorted({stage for exchange in (sides.small_exchange, sides.large_exchange) for stage in plan.readers(exchange)})
    share = run.share_of_stages(readers)
    number = plan.execution.execution_id
    return Verdict(
        kind=VerdictKind.BROADCASTABLE_JOIN,
        severity=problem_if(share >= PROBLEM_SHARE and (sides.size <= CLEARLY_SMALL or _is_safe(run, plan))),
        stage_ids=tuple(readers),
        share=round(share, 4),
        summary=_summary(written or sides.other, sides.size, metric(sides.small_exchange, "shuffle records written")),
        figures=(
            figure(FigureId.SMALL_SIDE, sides.size, Unit.BYTES, of_node(number, sides.small_exchange.node), CLEARLY_SMALL),
            figure(FigureId.LARGE_TO_SMALL, sides.other / max(1, sides.size), Unit.RATIO, of_plan(number), ratio),
            figure(FigureId.SHUFFLED_FOR_LARGE_SIDE, written or 0, Unit.BYTES, of_node(number, sides.large_exchange.node)),
            figure(FigureId.TIME_OF_STAGES, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
        ),
        blame=Blame(execution_id=number, nodes=(join.node,), tables=plan.scanned(plan.children[join.node][sides.small])),
    )


def _summary(shuffled: float, small: float, rows: int | None) -> Statement:
    amounts = {"shuffled": statements.size(shuffled), "small": statements.size(small)}
    if rows is None:
        return say("spark.verdict.broadcastable", **amounts)
    return say("spark.verdict.broadcastable_rows", **amounts, rows=measured(rows, Unit.RECORDS))


def sides_that_may(join: SqlNode) -> tuple[int, ...]:
    """Which sides Spark can broadcast for this kind of join: 0 is the left one."""
    words = {word.strip(",[]()") for word in join.simple_string.split()}
    if words & set(RIGHT_SIDE) or any(word.startswith("ExistenceJoin") for word in words):
        return (1,)
    if words & set(LEFT_SIDE):
        return (0,)
    return (0, 1) if words & set(EITHER_SIDE) else ()


def sides_apart(join: SqlNode) -> frozenset[int]:
    """The sides whose rows are in the result, or not, each by itself: they may be filtered first, and joined in parts. The other side of
    an outer, semi or anti join may not: without some of its rows, others of the result are filled with nulls. 0 is the left one."""
    return frozenset(1 - side for side in sides_that_may(join))
