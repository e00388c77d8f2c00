"""Exchanges that are done in vain: repartitions and global sorts that the next exchange undoes, and repeated ones."""

from collections.abc import Iterator
from itertools import takewhile

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import SqlNode
from contracts.statements import Join, Statement, listing, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.plan import (
    EXCHANGES,
    Plan,
    is_aggregate,
    is_distinct,
    is_explicit,
    is_join,
    is_partial,
    is_partial_limit,
    is_range,
    is_sort,
    is_window,
    keys_of,
    metric,
)
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import (
    TASK_METRICS,
    of_plan,
)
from workers.engines.verdicts import figure, problem_if
from workers.engines.verdicts.thresholds import MIB

PROBLEM_SHARE = 0.1
"""Of the tasks' time, in the stages that would not be, or not so, without the exchange."""

MIN_BYTES = 1 * MIB
"""Written by the exchange: a smaller one costs nothing that could be measured."""

CARES = (
    "Limit",
    "TakeOrdered",
    "Generate",
    "Python",
    "Pandas",
    "Arrow",
    "MapPartitions",
    "MapElements",
    "MapGroups",
    "Deserialize",
    "Serialize",
    "Expand",
    "Sample",
)
"""Operators for whose sake work may be spread, or which make use of an order."""


WRAPPERS = ("WholeStageCodegen", "InputAdapter", "Project")
"""Nodes that take rows in any order, and hand them on in the same."""


def redundant_exchanges(run: Run) -> Iterator[Verdict]:
    """One verdict a plan, over all of its exchanges in vain."""
    for plan in run.plans:
        undone = {exchange.node: exchange for exchange in plan.exchanges if _is_undone(plan, exchange)}
        repeated = {
            exchange.node: exchange for exchange in plan.exchanges if exchange.node not in undone and _is_repeated(plan, exchange, undone)
        }
        vain = [exchange for exchange in (undone | repeated).values() if (metric(exchange, "shuffle bytes written") or 0) >= MIN_BYTES]
        if not vain:
            continue
        stages = sorted({stage for exchange in vain for stage in (*plan.readers(exchange), *_sampling(plan, exchange))})
        share = run.share_of_stages(stages)
        written = sum(metric(exchange, "shuffle bytes written") or 0 for exchange in vain)
        source = of_plan(plan.execution.execution_id)
        all_written = sum(metric(exchange, "shuffle bytes written") or 0 for exchange in plan.exchanges)
        yield Verdict(
            kind=VerdictKind.REDUNDANT_EXCHANGE,
            severity=problem_if(share >= PROBLEM_SHARE),
            stage_ids=tuple(stages),
            share=round(share, 4),
            summary=say(
                "spark.verdict.redundant_exchanges",
                n=exactly(len(vain)),
                all=say("spark.exchanges", n=exactly(len(plan.exchanges))),
                why=listing(*(_why(exchange, undone) for exchange in vain), join=Join.PLAIN),
                shuffled=statements.size(written),
                share=statements.share(share),
            ),
            figures=(
                figure(FigureId.EXCHANGES_IN_VAIN, len(vain), Unit.COUNT, source, 1),
                figure(FigureId.EXCHANGES, len(plan.exchanges), Unit.COUNT, source),
                figure(FigureId.SHUFFLED_IN_VAIN, written, Unit.BYTES, source, MIN_BYTES),
                figure(FigureId.SHARE_OF_SHUFFLED, written / max(1, all_written), Unit.SHARE, source),
                figure(FigureId.TIME_OF_STAGES, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
            ),
            blame=Blame(execution_id=plan.execution.execution_id, nodes=tuple(exchange.node for exchange in vain)),
        )


def _why(exchange: SqlNode, undone: dict[int, SqlNode]) -> Statement:
    if exchange.node not in undone:
        return say("spark.vain.repeated")
    return say("spark.vain.order") if is_range(exchange) else say("spark.vain.repartition")


def _next_exchange(plan: Plan, exchange: SqlNode) -> tuple[list[SqlNode], SqlNode | None]:
    """The operators between an exchange and the next one above it."""
    over = list(plan.above(exchange.node))
    between = list(takewhile(lambda node: node.name not in EXCHANGES, over))
    return between, over[len(between)] if len(between) < len(over) else None


def _is_undone(plan: Plan, exchange: SqlNode) -> bool:
    """It was asked for, by a repartition or a global sort, and nobody makes use of it before the next exchange."""
    if not (is_explicit(exchange) or is_range(exchange)):
        return False
    between, following = _next_exchange(plan, exchange)
    return following is not None and not any(_uses(plan, node, following, exchange) for node in between)


def _uses(plan: Plan, node: SqlNode, following: SqlNode, exchange: SqlNode) -> bool:
    if is_partial_limit(node):
        return False
    if is_join(node) or is_window(node) or any(word in node.name for word in CARES) or "BroadcastExchange" in node.name:
        return True
    if is_aggregate(node) and not is_partial(node):
        return not (is_distinct(node) and _is_lower_half(plan, node, following))
    if is_sort(node) and not is_range(exchange):  # sorted within partitions: someone wants it so, unless it serves the next grouping
        above = next((other for other in plan.above(node.node) if not other.name.startswith(WRAPPERS)), None)
        return above is None or not (is_partial_limit(above) or (is_aggregate(above) and is_partial(above)))
    return False


def _is_lower_half(plan: Plan, node: SqlNode, following: SqlNode) -> bool:
    """A distinct has two aggregates of the same keys; the lower one, before the exchange, takes any distribution."""
    upper = next((node for node in plan.above(following.node) if is_aggregate(node)), None)
    between = list(takewhile(lambda other: other.node != following.node, plan.above(node.node)))
    nearest = not any(is_aggregate(other) for other in between)
    return nearest and upper is not None and is_distinct(upper) and set(keys_of(upper)) == set(keys_of(node))


def _is_repeated(plan: Plan, exchange: SqlNode, undone: dict[int, SqlNode]) -> bool:
    """Below it, but for exchanges in vain, the rows lie by some of its keys already: equal keys are in one place."""
    wanted = set(keys_of(exchange))
    if not wanted or is_range(exchange):
        return False
    number = exchange.node
    while len(plan.children[number]) == 1:
        number = plan.children[number][0]
        node = plan.nodes[number]
        if is_join(node):
            return False
        if node.name in EXCHANGES and number not in undone:
            known = set(keys_of(node))
            return bool(known) and known <= wanted and not is_range(node)
    return False


def _sampling(plan: Plan, exchange: SqlNode) -> tuple[int, ...]:
    """A global sort runs all below it once more beforehand, to learn how the keys are spread."""
    if not is_range(exchange):
        return ()
    below = {stage for child in plan.children[exchange.node] for stage in plan.nodes[child].stage_ids}
    return tuple(sorted(stage for stage in below if exchange.stage_ids and stage < exchange.stage_ids[0]))
