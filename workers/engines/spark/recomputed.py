"""Stages that do again what an earlier stage of the run did: the same operators over the same tables, or a part of them, and no cache
between them."""

import re
from collections.abc import Iterator

from contracts.spark import RunFacts, SqlNode
from workers.engines.spark.pieces import CALL, CONDITIONS, Step, is_part_of, steps_of
from workers.engines.spark.plan import EXCHANGES, Plan, is_scan

NUMBERED = re.compile(r"#(\d+)L?")
"""What tells a plan's columns apart; it is another number in every plan."""

PLAN_ID = re.compile(r"\[?plan_id=\d+\]?")
LITERAL = re.compile(r"\b\d+(?:\.\d+)?\b")
CACHED = "InMemoryTableScan"
WRITING = ("WriteFiles", "Execute ", "AdaptiveSparkPlan", "ResultQueryStage")
"""Beginnings of the names of nodes that only wrap or write what is under them."""


MOST_ALIKE = 50
"""Pieces that each one is compared with, of those that look alike."""


def repeated_stages(facts: RunFacts) -> tuple[int, ...]:
    """The stages of the repetitions; the first time is none. Of two of which one does a part of the other's work, it is the lesser one."""
    seen: dict[str, tuple[int, ...]] = {}
    wider: dict[tuple[str, ...], list[tuple[tuple[Step, ...], tuple[int, ...]]]] = {}
    found: dict[int, None] = {}
    for execution in facts.executions:
        plan = Plan(execution)
        for root, stages in pieces(plan):
            signature = _signature(plan, root)
            if signature is None or not stages:
                continue
            before = seen.setdefault(signature, stages)
            again = before is not stages and set(stages) - set(before)
            steps = steps_of(in_order(plan, root))
            alike = wider.setdefault(tuple(step.what for step in steps), []) if steps else []
            for other, others in () if again else alike:
                if is_part_of(steps, other):
                    again = set(stages) - set(others)
                elif is_part_of(other, steps):
                    found.update(dict.fromkeys(stage for stage in others if stage not in stages))
            if len(alike) < MOST_ALIKE:
                alike.append((steps, stages))
            found.update(dict.fromkeys(sorted(again or ())))
    return tuple(found)


def pieces(plan: Plan) -> Iterator[tuple[SqlNode, tuple[int, ...]]]:
    """(the node on top of what a stage computes, the stage): under each shuffle, and under the action where nothing is shuffled."""
    for exchange in plan.exchanges:
        for child in plan.children[exchange.node]:
            if exchange.stage_ids:
                yield plan.nodes[child], exchange.stage_ids[:1]
    if plan.exchanges or not plan.nodes:
        return
    top = min(plan.nodes)
    while plan.nodes[top].name.startswith(WRITING) and len(plan.children[top]) == 1:
        top = plan.children[top][0]
    stages = tuple(dict.fromkeys(stage for node in [plan.nodes[top], *plan.below(top)] for stage in node.stage_ids))
    yield plan.nodes[top], stages


def _signature(plan: Plan, root: SqlNode) -> str | None:
    """The same for pieces that do the same. None: it reads no table, or one that is kept in memory."""
    nodes = list(in_order(plan, root))
    if any(CACHED in node.name for node in nodes) or not any(is_scan(node) and "Location" in node.simple_string for node in nodes):
        return None
    numbers: dict[str, int] = {}
    computes = any(CALL.search(node.simple_string) for node in nodes if node.name not in EXCHANGES and not is_scan(node))
    if not computes:
        return None
    return "\n".join(_plain(node, numbers) for node in nodes)


def in_order(plan: Plan, root: SqlNode) -> Iterator[SqlNode]:
    """The node and all under it, parents first."""
    yield root
    for child in plan.children[root.node]:
        yield from in_order(plan, plan.nodes[child])


def _plain(node: SqlNode, numbers: dict[str, int]) -> str:
    """The node's line with its columns numbered as they come, and a computed condition without the values it compares with."""
    line = NUMBERED.sub(lambda found: f"#{numbers.setdefault(found[1], len(numbers))}", PLAN_ID.sub("", node.simple_string))
    if node.name in CONDITIONS and CALL.search(line):
        return LITERAL.sub("?", line)
    return line
