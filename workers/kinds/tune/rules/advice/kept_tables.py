"""What several actions need is computed once: the variable of the script that they share is kept in memory."""

import ast
from collections.abc import Iterator

from contracts.code import OperationKind, ScriptOperation
from contracts.statements import name
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised, patch_of
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.rewrites.source import Source
from workers.kinds.tune.rules.saying import shown_name

ENDS = (OperationKind.ACTION, OperationKind.WRITE)


def keep(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """`.cache()` behind the last assignment that all of the repeated actions use; in words where no script shows it."""
    found = next((shared for script in case.scripts for shared in [shared_table(script, case.source(script))] if shared), None)
    script, variable, line, diff = found if found else (None, "", 0, "")
    yield Draft(
        kind=FixKind.CACHE,
        remedy="cache" if found else "cache_unnamed",
        risk=Risk.LOW,
        confidence=0.9 if diff else 0.7,
        saves=0.9,
        values={"variable": shown_name(variable), "line": name(line)} if found else {},
        changes=(Change(kind=ChangeKind.REMOVED, stage_ids=verdict.stage_ids),),
        patch=patch_of(script, diff),
        is_alternative=False,
    )


def shared_table(script: NamedScript, source: Source | None) -> tuple[NamedScript, str, int, str] | None:
    """(script, variable, line, diff) of the table nearest to the actions that more than one of them needs, or one in a loop."""
    if source is None or any(operation.kind is OperationKind.CACHE for operation in script.facts.operations):
        return None
    assigned = _assignments(source.tree)
    best: tuple[int, ast.Assign, str] | None = None
    for operation in script.facts.operations:
        statement = assigned.get((operation.variable, operation.line)) or _around(source, operation)
        if statement is None or operation.kind in ENDS or operation.kind is OperationKind.READ:
            continue
        runs = sum(_times(source, statement, end) for end in _ends(script, operation))
        target = statement.targets[0]
        if runs > 1 and isinstance(target, ast.Name):
            best = max(filter(None, (best, (statement.lineno, statement, target.id))), key=lambda candidate: candidate[0])
    if best is None:
        return None
    line, statement, variable = best
    end = source.end(statement.value)
    simple = isinstance(statement.value, ast.Call | ast.Name | ast.Attribute)
    return script, variable, line, diff_by(script, [Edit(end, end, ".cache()")]) if simple else ""


def _assignments(tree: ast.Module) -> dict[tuple[str, int], ast.Assign]:
    found: dict[tuple[str, int], ast.Assign] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[node.targets[0].id, line] = node
    return found


def _around(source: Source, operation: ScriptOperation) -> ast.Assign | None:
    """The assignment that the operation is in."""
    for node in ast.walk(source.tree):
        is_one = isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        if is_one and isinstance(node, ast.Assign) and node.lineno <= operation.line <= (node.end_lineno or node.lineno):
            return node
    return None


def _ends(script: NamedScript, begin: ScriptOperation) -> list[ScriptOperation]:
    """The actions and writes downstream."""
    reached = {begin.number}
    for operation in script.facts.operations:
        if reached & set(operation.inputs):
            reached.add(operation.number)
    return [operation for operation in script.facts.operations if operation.number in reached and operation.kind in ENDS]


def _times(source: Source, statement: ast.Assign, end: ScriptOperation) -> int:
    """2 for an action in a loop that the assignment is not in: more than once."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.For | ast.While) and _has(node, end.line) and not _has(node, statement.lineno):
            return 2
    return 1


def _has(loop: ast.For | ast.While, line: int) -> bool:
    return loop.lineno <= line <= (loop.end_lineno or loop.lineno)
