"""Much work in one task: what the script can change about it depends on why there is one."""

import ast
from collections.abc import Iterator
from itertools import takewhile

from contracts.code import OperationKind, ScriptOperation
from contracts.spark import SqlNode
from contracts.statements import count, name, say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.plan import EXCHANGES, Plan, is_by_row, is_scan, is_sort, is_window
from workers.engines.spark.recomputed import WRITING
from workers.engines.spark.verdicts.single_task import is_asked_for, is_of_database
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised, Patch
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by
from workers.kinds.tune.rules.advice.rewrites.patches import Edit

WAVES = 2
"""Tasks a slot."""

QUERIES = 8
"""At a time, of which a database that others use too is asked at most."""


def several_tasks(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """A key for the window, more partitions, a file that can be split, or several queries."""
    plan = case.plan_of(verdict)
    nodes = [plan.nodes[number] for number in verdict.blame.nodes if number in plan.nodes] if plan else []
    wanted = WAVES * case.slots
    change = Change(kind=ChangeKind.PARTITIONS, stage_ids=verdict.stage_ids, partitions=wanted)
    if any(is_window(node) for node in nodes):
        yield Draft(FixKind.WINDOW_PARTITIONS, "window_partitions", Risk.MEDIUM, 0.7, 0.8, changes=(change,))
        return
    if any(is_of_database(node) for node in nodes):
        parts = min(case.slots, QUERIES)
        change = Change(kind=ChangeKind.PARTITIONS, stage_ids=verdict.stage_ids, partitions=parts)
        yield Draft(FixKind.FILE_SIZES, "parallel_read", Risk.MEDIUM, 0.7, 0.7, values={"count": count(parts)}, changes=(change,))
        return
    if any(is_scan(node) for node in nodes):
        yield Draft(FixKind.FILE_SIZES, "split_input", Risk.LOW, 0.8, 0.8, changes=(change,))
        return
    if plan is not None and (user := next((user for node in nodes for user in [_relies_on_one(plan, node)] if user), None)):
        yield NotAdvised(say("tune.not_advised.relies_on_one", operator=name(user.name)))
        return
    asked = [
        (script, operation)
        for script in case.scripts
        for operation in script.facts.operations
        if operation.kind in (OperationKind.COALESCE, OperationKind.REPARTITION) and operation.count == 1
    ]
    is_proved = bool(nodes) and not any(_relies_on_one(made_by, node) for made_by, node in _all_asked(case))
    patch = _more(case, *asked[0], wanted) if len(asked) == 1 and is_proved else NO_PATCH
    writes = is_proved and any(stage.output_bytes for number in verdict.stage_ids for stage in [case.stage(number)] if stage)
    yield Draft(
        FixKind.MORE_PARTITIONS,
        "several_partitions_written" if writes else "several_partitions",
        Risk.LOW if is_proved else Risk.MEDIUM,
        0.9 if patch.diff else 0.7,
        0.8,
        values={"count": count(wanted)},
        changes=(change,),
        patch=patch,
        is_proved=is_proved,
    )


def _all_asked(case: Case) -> Iterator[tuple[Plan, SqlNode]]:
    """What the script's call has made: each single partition that was asked for, in all plans."""
    for execution in case.executions:
        plan = Plan(execution)
        yield from ((plan, node) for node in plan.nodes.values() if is_asked_for(node))


def _relies_on_one(plan: Plan, node: SqlNode) -> SqlNode | None:
    """The nearest operator that makes use of all rows lying in one partition, or may: the one over it, before the next shuffle,
    that neither takes each row by itself nor writes it. Of a `coalesce`, the order below it too, which one partition keeps."""
    for user in takewhile(lambda user: user.name not in EXCHANGES, plan.above(node.node)):
        if not (is_by_row(user) or user.name.startswith(WRITING)):
            return user
    top = [node, *plan.above(node.node)][-1]
    if not top.name.startswith(WRITING):
        return top
    below = node
    while node.name not in EXCHANGES and len(plan.children[below.node]) == 1:
        below = plan.nodes[plan.children[below.node][0]]
        if is_sort(below):
            return below
        if not is_by_row(below):
            break
    return None


def _more(case: Case, script: NamedScript, operation: ScriptOperation, wanted: int) -> Patch:
    """Another number in the same call: `coalesce` stays one, so that nothing more is shuffled."""
    source = case.calls_of(script)
    spot = spot_of(operation)
    call = source.call_at(spot) if source else None
    if source is None or call is None or not call.args or not isinstance(call.args[0], ast.Constant):
        return NO_PATCH
    return Patch(script.name, diff_by(script, [Edit(source.start(call.args[0]), source.end(call.args[0]), str(wanted))]))
