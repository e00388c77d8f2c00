"""Joins that compare every row with every row, since no column of one side has to equal one of the other."""

import re
from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import SqlNode
from contracts.statements import count, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.spark.plan import Plan, attributes, is_join, is_scan, metric
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import TASK_METRICS, of_node
from workers.engines.verdicts import figure, measured, problem_if

KEYLESS = ("CartesianProduct", "BroadcastNestedLoopJoin")
"""Ends of the names of such joins, which Spark's GPU plugin and Photon put their own before."""

NULL_AWARE = re.compile(r"\bOR isnull\(\(", re.IGNORECASE)
"""In the condition of an anti join: the pair also counts where its equality is not known."""

MADE_UP = ("Range", "LocalTableScan")
"""Beginnings of the names of scans that read no table: numbers and rows that the script itself lists."""

FILTERS = ("Filter", "GpuFilter", "PhotonFilter")

FEWEST_ROWS = 10
"""Of the smaller side: a table of one row is a constant, and comparing with a handful is what a filter does."""

FEWEST_PAIRS = 1_000_000

PROBLEM_SHARE = 0.1
"""Of the run's wall clock, in the stages of the join."""


def cross_joins(run: Run) -> Iterator[Verdict]:
    """One verdict a join; of several joins in the same stages the one with the most pairs, since they share the stages' time. A join
    that copies each row on purpose, as for a salt, is none."""
    heaviest: dict[tuple[int, tuple[int, ...]], tuple[int, Verdict]] = {}
    for plan in run.plans:
        for join in plan.nodes.values():
            if not is_keyless(join) or is_copying(plan, join):
                continue
            sides = [_rows(plan, side) for side in plan.children[join.node]]
            known = [rows for rows in sides if rows is not None]
            if len(known) != 2 or min(known) < FEWEST_ROWS or known[0] * known[1] < FEWEST_PAIRS:
                continue
            pairs, verdict = known[0] * known[1], _verdict(run, plan, join, known)
            place = plan.execution.execution_id, verdict.stage_ids or (-1 - join.node,)
            if place not in heaviest or heaviest[place][0] < pairs:
                heaviest[place] = pairs, verdict
    yield from (verdict for _, verdict in heaviest.values())


def is_keyless(join: SqlNode) -> bool:
    """No column of one side has to equal one of the other."""
    return join.name.endswith(KEYLESS)


def is_null_aware(join: SqlNode) -> bool:
    """NOT IN, where a null may be on either side: an equality counts as met where it is not known."""
    return is_keyless(join) and "LeftAnti" in join.simple_string and NULL_AWARE.search(join.simple_string) is not None


def is_copying(plan: Plan, join: SqlNode) -> bool:
    """Each row is repeated for each of some values that the script itself lists: a salt, a calendar, a grid. All pairs are wanted."""
    return keeps_all_pairs(plan, join) and any(_is_made_up(plan, side) for side in plan.children[join.node])


def keeps_all_pairs(plan: Plan, join: SqlNode) -> bool:
    """The plan shows no condition on the pairs: neither in the join's own line nor in a filter over it that looks at both sides."""
    if attributes(join.simple_string) or len(plan.children[join.node]) != 2:
        return False
    left, right = (plan.output(side) for side in plan.children[join.node])
    for node in plan.above(join.node):
        named = set(attributes(node.simple_string))
        if node.name in FILTERS and (named - (left | right) or (named & left and named & right)):
            return False
        if is_join(node) or node.name.endswith("Exchange"):
            break
    return True


def _is_made_up(plan: Plan, side: int) -> bool:
    scans = [node for node in (plan.nodes[side], *plan.below(side)) if is_scan(node)]
    return bool(scans) and all(node.name.startswith(MADE_UP) for node in scans)


def _verdict(run: Run, plan: Plan, join: SqlNode, known: list[int]) -> Verdict:
    stages = _stages(plan, join)
    share = run.share_of_run(run.span_ms(stages))
    pairs, source = known[0] * known[1], of_node(plan.execution.execution_id, join.node)
    return Verdict(
        kind=VerdictKind.CROSS_JOIN,
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=stages,
        share=round(share, 4),
        summary=say(
            "spark.verdict.cross_join",
            left=measured(known[0], Unit.RECORDS),
            right=measured(known[1], Unit.RECORDS),
            pairs=count(pairs),
            operator=statements.name(join.name),
        ),
        figures=(
            figure(FigureId.PAIRS, pairs, Unit.RECORDS, source, FEWEST_PAIRS),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
        ),
        blame=Blame(execution_id=plan.execution.execution_id, nodes=(join.node,)),
    )


def _rows(plan: Plan, number: int) -> int | None:
    """What comes up from a side: the rows of the nearest node that counts them."""
    while True:
        rows = metric(plan.nodes[number], "number of output rows")
        if rows is not None:
            return rows
        if len(plan.children[number]) != 1:
            return None
        number = plan.children[number][0]


def _stages(plan: Plan, join: SqlNode) -> tuple[int, ...]:
    """The stages that count pairs; where the join counts none, those of the nearest operator above it."""
    if join.stage_ids:
        return join.stage_ids
    return next((node.stage_ids for node in plan.above(join.node) if node.stage_ids), ())
