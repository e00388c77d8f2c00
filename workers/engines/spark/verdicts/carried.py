"""What is carried through an exchange in vain: columns that nothing above needs, rows that a later filter drops."""

from collections.abc import Iterator

from contracts.spark import SqlNode
from contracts.verdicts import Blame, ColumnRef, Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.plan import (
    EXCHANGES,
    PROJECTIONS,
    Attribute,
    Plan,
    attributes,
    is_aggregate,
    is_distinct,
    is_join,
    is_partial,
    is_window,
    items,
    keys_of,
    metric,
)
from workers.engines.spark.verdicts.measures import MIB, Run, figure

UNUSED_SHARE = 0.3
"""Of an exchange's columns. Below it, a projection changes little; columns of text weigh more than their number says."""

MIN_BYTES = 16 * MIB
"""Written by the exchange."""

KEPT_SHARE = 0.5
"""Of the rows: a later filter that keeps more saves less than half of the exchange."""

PROBLEM_SHARE = 0.1
"""Of the tasks' time, in proportion to what is carried in vain."""

ROW_FILTERS = ("Filter", "GpuFilter")


def late_projections(run: Run) -> Iterator[Verdict]:
    """One verdict an exchange that carries much in vain."""
    for plan in run.plans:
        if not plan.is_whole:
            continue
        needed = _needed(plan)
        for exchange in plan.exchanges:
            carried = plan.output(exchange.node)
            unused = carried - needed.get(exchange.node, carried)
            written = metric(exchange, "shuffle bytes written") or 0
            if not carried or written < MIN_BYTES or len(unused) < UNUSED_SHARE * len(carried) or _is_shaped_unseen(plan, exchange):
                continue
            users = [node.node for node in plan.above(exchange.node) if is_distinct(node) or is_join(node)]
            compared = any(is_distinct(node) for node in plan.above(exchange.node))
            part = len(unused) / len(carried)
            share = part * run.share_of_stages(exchange.stage_ids)
            source = f"event log, plan of execution {plan.execution.execution_id}, node {exchange.node}"
            yield Verdict(
                kind=VerdictKind.LATE_PROJECTION,
                severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
                stage_ids=exchange.stage_ids,
                share=round(share, 4),
                summary=f"An exchange of {human.size(written)} carries {human.counted(len(carried), 'column')}, of which {len(unused)} "
                f"({', '.join(sorted(one.name for one in unused)[:8])}) are used by nothing after it"
                + (" but a distinct, which compares whatever it is given." if compared else "."),
                figures=(
                    figure("columns carried", len(carried), Unit.COUNT, source),
                    figure("columns not used", part, Unit.SHARE, source, UNUSED_SHARE),
                    figure("shuffled", written, Unit.BYTES, source, MIN_BYTES),
                    figure("tasks' time in its stages, in proportion", share, Unit.SHARE, "event log, task metrics", PROBLEM_SHARE),
                ),
                blame=Blame(
                    execution_id=plan.execution.execution_id,
                    nodes=(exchange.node, *users),
                    columns=tuple(
                        ColumnRef(table=plan.tables.get(one.number, ""), column=one.name)
                        for one in sorted(unused, key=lambda one: (plan.tables.get(one.number, ""), one.name))
                    ),
                ),
            )


def late_filters(run: Run) -> Iterator[Verdict]:
    """One verdict a filter that could stand before an exchange: it looks at scanned columns only, and keeps little."""
    for plan in run.plans:
        for node in plan.nodes.values():
            if node.name not in ROW_FILTERS:
                continue
            below = list(plan.below(node.node))
            exchange = next((one for one in below if one.name in EXCHANGES), None)
            kept, came = metric(node, "number of output rows"), _rows_below(plan, node)
            looked_at = attributes(node.simple_string)
            if exchange is None or kept is None or not came or kept > KEPT_SHARE * came or any(map(is_window, below)):
                continue
            written = metric(exchange, "shuffle bytes written") or 0
            if not looked_at or any(one.number not in plan.tables for one in looked_at) or written < MIN_BYTES:
                continue
            dropped = 1 - kept / came
            share = dropped * run.share_of_stages(exchange.stage_ids)
            source = f"event log, plan of execution {plan.execution.execution_id}, node {node.node}"
            yield Verdict(
                kind=VerdictKind.LATE_FILTER,
                severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
                stage_ids=exchange.stage_ids,
                share=round(share, 4),
                summary=f"A filter over scanned columns drops {human.share(dropped)} of {human.count(came, 'en')} rows after "
                f"{human.size(written)} were shuffled.",
                figures=(
                    figure("rows before the filter", came, Unit.RECORDS, source),
                    figure("rows kept", kept / came, Unit.SHARE, source, KEPT_SHARE),
                    figure("shuffled before it", written, Unit.BYTES, source, MIN_BYTES),
                    figure(
                        "tasks' time in the exchange's stages, in proportion", share, Unit.SHARE, "event log, task metrics", PROBLEM_SHARE
                    ),
                ),
                blame=Blame(
                    execution_id=plan.execution.execution_id,
                    nodes=(node.node, exchange.node),
                    columns=tuple(ColumnRef(table=plan.tables[one.number], column=one.name) for one in looked_at),
                ),
            )


def _is_shaped_unseen(plan: Plan, exchange: SqlNode) -> bool:
    """A finished aggregate hands up an expression of its own, which its line does not tell; Spark has left out what is not needed."""
    number = exchange.node
    shaping: SqlNode | None = None
    while len(plan.children[number]) == 1:
        number = plan.children[number][0]
        node = plan.nodes[number]
        if shaping is not None and is_aggregate(node):
            return set(keys_of(node)) == set(keys_of(shaping))
        if is_aggregate(node):
            shaping = node
        elif node.name in (*PROJECTIONS, *EXCHANGES):
            break
    return shaping is not None and not is_partial(shaping) and not is_distinct(shaping)


def _rows_below(plan: Plan, node: SqlNode) -> int | None:
    """What comes into a filter: the rows of the nearest node under it that counts them."""
    number = node.node
    while len(plan.children[number]) == 1:
        number = plan.children[number][0]
        rows = metric(plan.nodes[number], "number of output rows")
        if rows is not None:
            return rows
    return None


def _needed(plan: Plan) -> dict[int, frozenset[Attribute]]:
    """Per node, the columns that those above it make use of. The root's are needed, since they are the result; what a distinct
    merely compares is not, since it compares whatever it is given."""
    needed: dict[int, frozenset[Attribute]] = {}
    for number in sorted(plan.nodes):  # parents have lower numbers
        node = plan.nodes[number]
        wanted = needed.setdefault(number, plan.output(number))
        for child in plan.children[number]:
            needed[child] = plan.output(child) & (_asked_of_child(node, wanted))
    return needed


def _asked_of_child(node: SqlNode, wanted: frozenset[Attribute]) -> frozenset[Attribute]:
    if node.name in PROJECTIONS:
        return frozenset(one for item in items(node.simple_string) if set(attributes(item)[-1:]) & wanted for one in attributes(item))
    if is_distinct(node):
        return wanted
    return wanted | frozenset(attributes(node.simple_string))
