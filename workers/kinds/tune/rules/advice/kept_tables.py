"""What several actions need is computed once: the variable of the script that they share is kept in memory."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from contracts.code import OperationKind, ScriptOperation
from contracts.statements import Value, name
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.counts import exactly
from workers.engines.scripts.given import NamedScript
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised, patch_of
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.rewrites.source import Source
from workers.kinds.tune.rules.saying import shown_name

ENDS = (OperationKind.ACTION, OperationKind.WRITE)
SHUFFLED = frozenset({OperationKind.GROUP, OperationKind.DISTINCT})
"""What comes out of these has as many partitions as a shuffle."""
PLACED = frozenset({OperationKind.SORT, OperationKind.REPARTITION, OperationKind.COALESCE})
"""The script decides by one of these how the rows are to lie."""
DEFAULT_PARTITIONS = 200
TASKS_A_SLOT = 3
"""Spark's tuning guide has two or three."""
MANY = 4
"""Times as many partitions as that, from which the start of their tasks costs more than a coalesce takes."""


@dataclass(frozen=True)
class Shared:
    """A table that several actions need."""

    script: NamedScript
    variable: str
    line: int
    source: Source
    statement: ast.Assign

    def diff(self, code: str) -> str:
        """With this behind the assigned expression; empty where that would need brackets."""
        end = self.source.end(self.statement.value)
        return diff_by(self.script, [Edit(end, end, code)]) if self.source.is_chained(self.statement.value) else ""

    def kinds(self) -> set[OperationKind]:
        """What the assignment does."""
        last = self.statement.end_lineno or self.line
        return {found.kind for found in self.script.facts.operations if found.variable == self.variable and self.line <= found.line <= last}


def keep(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """`.cache()` behind the last assignment that all of the repeated actions use; in words where no script shows it."""
    found = next((shared for script in case.scripts for shared in [shared_table(script, case.calls_of(script))] if shared), None)
    partitions = _partitions(case, found) if found else None
    diff = found.diff(f".coalesce({partitions[1]}).cache()" if partitions else ".cache()") if found else ""
    values: dict[str, Value] = {"variable": shown_name(found.variable), "line": name(found.line)} if found else {}
    if partitions:
        values |= {"partitions": exactly(partitions[0]), "fewer": exactly(partitions[1])}
    yield Draft(
        kind=FixKind.CACHE,
        remedy=("cache_coalesced" if partitions else "cache") if found else "cache_unnamed",
        risk=Risk.LOW,
        confidence=0.9 if diff else 0.7,
        saves=0.9,
        values=values,
        changes=(Change(kind=ChangeKind.REMOVED, stage_ids=verdict.stage_ids),),
        patch=patch_of(found.script if found else None, diff),
        is_proved=True,
        is_alternative=False,
    )


def _partitions(case: Case, found: Shared) -> tuple[int, int] | None:
    """(partitions of a shuffle, those that are enough) where adaptive execution has put the partitions of a shuffle together: what is kept
    was seen to have all of them (200 tasks for each action, where two had done)."""
    kinds = found.kinds()
    given = case.setting("spark.sql.shuffle.partitions")
    most = int(given) if given and given.isdigit() else DEFAULT_PARTITIONS
    enough = TASKS_A_SLOT * case.slots
    if not case.is_adaptive or not kinds & SHUFFLED or kinds & PLACED or most < MANY * enough:
        return None
    return most, enough


def shared_table(script: NamedScript, source: Source | None) -> Shared | None:
    """The table nearest to the actions that more than one of them needs, or one in a loop."""
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
    return Shared(script, variable, line, source, statement)


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
