"""What is carried through an exchange in vain: columns that nothing above needs, rows that a later filter drops."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import SqlNode
from contracts.statements import Join, Statement, listing, name, say
from contracts.verdicts import Blame, ColumnRef, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.plan import (
    BY_PLACE,
    EXCHANGES,
    PROJECTIONS,
    ROW_FILTERS,
    Attribute,
    Plan,
    attributes,
    is_aggregate,
    is_by_row,
    is_distinct,
    is_join,
    is_partial,
    is_scan,
    is_sort,
    items,
    keys_of,
    metric,
)
from workers.engines.spark.recomputed import CACHED
from workers.engines.spark.verdicts.broadcast import sides_apart
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.plan_alone import BY_BATCH, BY_ROW
from workers.engines.spark.verdicts.sources import (
    TASK_METRICS,
    of_node,
)
from workers.engines.verdicts import figure, measured, problem_if
from workers.engines.verdicts.thresholds import MIB

UNUSED_SHARE = 0.3
"""Of an exchange's columns. Below it, a projection changes little; columns of text weigh more than their number says."""

MIN_BYTES = 16 * MIB
"""Written by the exchange."""

KEPT_SHARE = 0.5
"""Share of rows up to which a later filter counts: a filter that keeps more saves less than half of the exchange."""

PROBLEM_SHARE = 0.1
"""Of the tasks' time, in proportion to what is carried in vain."""

SHOWN_COLUMNS = 8

PASSED = (*EXCHANGES, "BroadcastExchange", BY_ROW, BY_BATCH)
"""Operators that a filter may come before, beside those that take each row by itself."""

UNION = "Union"


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
            source = of_node(plan.execution.execution_id, exchange.node)
            yield Verdict(
                kind=VerdictKind.LATE_PROJECTION,
                severity=problem_if(share >= PROBLEM_SHARE and not compared),  # without the column, a distinct may keep fewer rows
                stage_ids=exchange.stage_ids,
                share=round(share, 4),
                summary=_carries(written, len(carried), unused, compared=compared),
                figures=(
                    figure(FigureId.COLUMNS_CARRIED, len(carried), Unit.COUNT, source),
                    figure(FigureId.COLUMNS_NOT_USED, part, Unit.SHARE, source, UNUSED_SHARE),
                    figure(FigureId.SHUFFLED, written, Unit.BYTES, source, MIN_BYTES),
                    figure(FigureId.TIME_IN_PROPORTION, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
                ),
                blame=Blame(
                    execution_id=plan.execution.execution_id,
                    nodes=(exchange.node, *users),
                    columns=tuple(
                        ColumnRef(table=plan.tables.get(column.number, ""), column=column.name)
                        for column in sorted(unused, key=lambda column: (plan.tables.get(column.number, ""), column.name))
                    ),
                ),
            )


def _carries(written: int, carried: int, unused: frozenset[Attribute], *, compared: bool) -> Statement:
    values = {
        "shuffled": statements.size(written),
        "columns": say("spark.columns", n=exactly(carried)),
        "unused": exactly(len(unused)),
        "names": listing(*(name(column) for column in sorted(column.name for column in unused)[:SHOWN_COLUMNS]), join=Join.PLAIN),
    }
    return say("spark.verdict.late_projection_distinct", **values) if compared else say("spark.verdict.late_projection", **values)


def late_filters(run: Run) -> Iterator[Verdict]:
    """One verdict for each filter that could run before an exchange: it reads only columns of one scan, and keeps few rows."""
    for plan in run.plans:
        for node in plan.nodes.values():
            if node.name not in ROW_FILTERS or any(function in node.simple_string for function in BY_PLACE):
                continue
            looked_at = attributes(node.simple_string)
            exchange = next((below for below in _way_to_scan(plan, node, looked_at) if below.name in EXCHANGES), None)
            kept, came = metric(node, "number of output rows"), _rows_below(plan, node)
            if exchange is None or kept is None or not came or kept > KEPT_SHARE * came:
                continue
            written = metric(exchange, "shuffle bytes written") or 0
            if written < MIN_BYTES:
                continue
            dropped = 1 - kept / came
            share = dropped * run.share_of_stages(exchange.stage_ids)
            source = of_node(plan.execution.execution_id, node.node)
            yield Verdict(
                kind=VerdictKind.LATE_FILTER,
                severity=problem_if(share >= PROBLEM_SHARE),
                stage_ids=exchange.stage_ids,
                share=round(share, 4),
                summary=say(
                    "spark.verdict.late_filter",
                    dropped=statements.share(dropped),
                    rows=measured(came, Unit.RECORDS),
                    shuffled=statements.size(written),
                ),
                figures=(
                    figure(FigureId.ROWS_BEFORE_FILTER, came, Unit.RECORDS, source),
                    figure(FigureId.ROWS_KEPT, kept / came, Unit.SHARE, source, KEPT_SHARE),
                    figure(FigureId.SHUFFLED_BEFORE_FILTER, written, Unit.BYTES, source, MIN_BYTES),
                    figure(FigureId.TIME_IN_PROPORTION, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
                ),
                blame=Blame(
                    execution_id=plan.execution.execution_id,
                    nodes=(node.node, exchange.node),
                    columns=tuple(ColumnRef(table=plan.tables[column.number], column=column.name) for column in looked_at),
                ),
            )


def _way_to_scan(plan: Plan, row_filter: SqlNode, columns: Sequence[Attribute]) -> Sequence[SqlNode]:
    """The nodes from a filter down to the scan of all its columns; empty where several scans have them, or where a node of the way would
    hand up other rows if the filter came before it."""
    numbers = {column.number for column in columns}
    scans = [
        node for node in plan.below(row_filter.node) if is_scan(node) and numbers & {column.number for column in plan.output(node.node)}
    ]
    if len(scans) != 1 or not numbers <= {column.number for column in plan.output(scans[0].node)}:
        return ()
    way = [scans[0], *takewhile(lambda node: node.node != row_filter.node, plan.above(scans[0].node))]
    return way[::-1] if all(_lets_first(plan, node, below, numbers) for below, node in pairwise(way)) else ()


def _lets_first(plan: Plan, node: SqlNode, below: SqlNode, numbers: set[int]) -> bool:
    """A filter by these columns, which come from the node below, may come before a node: the other rows of the result stay as they are."""
    if is_join(node):
        return plan.children[node.node].index(below.node) in sides_apart(node)
    if is_aggregate(node):
        return numbers <= {column.number for column in keys_of(node)}
    return len(plan.children[node.node]) == 1 and (is_by_row(node) or is_sort(node) or node.name in PASSED)


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
    """The columns of each node that the nodes above it use. Those of the root are needed, since they are the result. Columns that a
    distinct only compares are not, since it compares every column it is given."""
    reused = "\n".join(node.simple_string for node in plan.nodes.values() if node.name == "ReusedExchange")
    needed: dict[int, frozenset[Attribute]] = {}
    for number in sorted(plan.nodes):  # parents have lower numbers
        node = plan.nodes[number]
        if number not in needed or node.simple_string in reused:  # by somebody who calls its columns otherwise
            needed[number] = plan.output(number)
        for place, child in enumerate(plan.children[number]):
            is_all = UNION in node.name or CACHED in node.name or (place and not is_join(node))  # a subquery, a group beside another
            needed[child] = plan.output(child) if is_all else plan.output(child) & _asked_of_child(node, needed[number])
    return needed


def _asked_of_child(node: SqlNode, wanted: frozenset[Attribute]) -> frozenset[Attribute]:
    if node.name in PROJECTIONS:
        return frozenset(
            attribute for item in items(node.simple_string) if set(attributes(item)[-1:]) & wanted for attribute in attributes(item)
        )
    if is_distinct(node):
        return wanted
    return wanted | frozenset(attributes(node.simple_string))
