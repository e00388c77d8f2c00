"""Skew of a grouping that cannot be combined before its shuffle, and of a window."""

import re
from collections.abc import Iterator

from contracts.code import OperationKind
from contracts.spark import SqlNode
from contracts.statements import say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.spark.plan import Plan, is_join, is_window, items
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised, patch_of
from workers.kinds.tune.rules.advice.rewrites import groups
from workers.kinds.tune.rules.advice.skew_joins import salt_values, salts_for
from workers.kinds.tune.rules.saying import shown_name

RANK = re.compile(r"(?:row_number|rank|dense_rank)\(.*#(\d+)L?$", re.DOTALL)
"""A window expression that numbers rows: `row_number() windowspecdefinition(...) AS place#9`."""

LIMITED = "WindowGroupLimit"
"""Spark keeps the first rows of each group before they meet, by itself."""

LINE = 1_000
"""Characters of a plan's line that are read."""


def count_instead_of_list(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A list that is only measured need not be made."""
    spot, script, source = case.code_of(verdict, OperationKind.GROUP)
    if script is None or source is None or spot is None:
        return
    diff, column = groups.counted_instead(script, source, spot)
    if diff:
        yield Draft(
            kind=FixKind.PRE_AGGREGATION,
            remedy="count_instead_of_list",
            risk=Risk.LOW,
            confidence=0.95,
            saves=1.0,
            values={"list": shown_name(column)},
            changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
            patch=patch_of(script, diff),
        )


def two_stages(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """By key and salt, then by key."""
    if any("salt" in column.column.lower() for column in verdict.blame.columns):
        yield NotAdvised(say("tune.not_advised.salted_already"))
        return
    salts = salts_for(case, verdict)
    spot, script, source = case.code_of(verdict, OperationKind.GROUP)
    diff = groups.in_two_stages(script, source, spot, salts) if script and source and spot else ""
    yield Draft(
        kind=FixKind.TWO_STAGE_AGGREGATION,
        remedy="two_stage_aggregation",
        risk=Risk.MEDIUM,
        confidence=0.75,
        saves=0.7,
        values=salt_values(salts),
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids, partitions=salts),),
        patch=patch_of(script, diff),
    )


def keys_aggregated_apart(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Rows of an unknown key are rarely wanted in a result by key."""
    keys = case.keys(verdict)
    if keys:
        alone = any(key.is_sentinel for key in keys)
        yield Draft(
            kind=FixKind.FILTER_SENTINEL if alone else FixKind.SPLIT_HOT_KEYS,
            remedy="sentinel_group" if alone else "hot_keys_group",
            risk=Risk.HIGH if alone else Risk.MEDIUM,
            confidence=0.7 if alone else 0.5,
            saves=0.8,
            changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
        )


def ranks_in_two_steps(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """The first rows of each key and salt, then those of each key. Right for ranks of which the plan keeps the first few, and for nothing
    else: a mean or a deviation over a frame needs the rows around each row, whichever salt they have."""
    plan = case.plan_of(verdict)
    nodes = [plan.nodes[number] for number in verdict.blame.nodes if number in plan.nodes] if plan else []
    windows = [node for node in nodes if is_window(node) and node.name != LIMITED]
    if plan is None or not windows or not all(_keeps_the_first(plan, window) for window in windows):
        yield NotAdvised(say("tune.not_advised.window_needs_all"))
        return
    if any(node.name == LIMITED for node in plan.nodes.values()):
        yield NotAdvised(say("tune.not_advised.window_limited"))
        return
    yield Draft(
        kind=FixKind.TWO_STAGE_AGGREGATION,
        remedy="window_in_two_steps",
        risk=Risk.MEDIUM,
        confidence=0.6,
        saves=0.7,
        values=salt_values(salts_for(case, verdict)),
        changes=(Change(kind=ChangeKind.BALANCE, stage_ids=verdict.stage_ids),),
        is_proved=True,
    )


def _keeps_the_first(plan: Plan, window: SqlNode) -> bool:
    """All that the window makes are ranks, and a filter over it keeps those up to a number."""
    made = window.simple_string[:LINE].partition("[")[2].partition("], [")[0]
    ranks = [found[1] if found else "" for found in (RANK.match(expression) for expression in items(made))]
    if not ranks or not all(ranks):
        return False
    for node in plan.above(window.node):
        if node.name == "Filter" and any(re.search(rf"#{rank}L? (?:<|<=|=) \d", node.simple_string[:LINE]) for rank in ranks):
            return True
        if is_join(node) or node.name.endswith("Exchange"):
            break
    return False
