"""Joins without a usable key. What helps depends on the condition that the plan shows: two equalities of which one is enough, a range, or
none at all, where every pair is wanted and a condition would lose rows."""

import re
from collections.abc import Iterator

from contracts.spark import SqlNode
from contracts.statements import say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from workers.engines.spark.plan import Plan, attributes
from workers.engines.spark.verdicts.cross_join import is_keyless, is_null_aware, keeps_all_pairs
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised

EQUALITY = re.compile(r"\(([^()=<>]{1,200}) = ([^()=<>]{1,200})\)")
INNER = ", Inner,"


def another_condition(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """An equality for the join to use, where a condition exists."""
    plan = case.plan_of(verdict)
    join = next((plan.nodes[number] for number in verdict.blame.nodes if number in plan.nodes), None) if plan else None
    if plan is not None and join is not None and is_keyless(join) and keeps_all_pairs(plan, join):
        yield NotAdvised(say("tune.not_advised.all_pairs_wanted"))
        return
    if join is not None and is_null_aware(join):
        yield Draft(kind=FixKind.REWRITE_CROSS_JOIN, remedy="not_exists", risk=Risk.MEDIUM, confidence=0.8, saves=0.5, is_alternative=False)
        return
    either = plan is not None and join is not None and is_either_equal(plan, join)
    yield Draft(
        kind=FixKind.REWRITE_CROSS_JOIN,
        remedy="either_key" if either else "cross_join",
        risk=Risk.MEDIUM if either else Risk.HIGH,
        confidence=0.8 if either else 0.5,
        saves=0.5,
        is_alternative=False,
    )


def is_either_equal(plan: Plan, join: SqlNode) -> bool:
    """An inner join by one of several equalities between both sides: `((a#1 = c#3) OR (b#2 = d#4))`."""
    sides = [plan.output(side) for side in plan.children[join.node]]
    parts = join.simple_string.partition(INNER)[2].split(" OR ")
    return len(parts) > 1 and len(sides) == 2 and all(_is_equality(part, sides[0], sides[1]) for part in parts)


def _is_equality(part: str, left: frozenset[object], right: frozenset[object]) -> bool:
    found = EQUALITY.search(part)
    if found is None or " AND " in part:
        return False
    first, second = set(attributes(found[1])), set(attributes(found[2]))
    return bool(first and second) and ((first <= left and second <= right) or (first <= right and second <= left))
