"""Verdicts on a plan that was not measured: what its operators do with any data."""

import re
from collections.abc import Iterator, Sequence

from contracts import statements
from contracts.artefacts import PlanText
from contracts.code import ScriptFacts
from contracts.figures import FigureId
from contracts.spark import LogReading, RunFacts, SqlExecution, SqlNode
from contracts.statements import Statement, say
from contracts.verdicts import Blame, Severity, Unit, Verdict, VerdictKind
from workers.engines.spark.blame import with_blame
from workers.engines.spark.plan import Plan, attributes, is_window
from workers.engines.spark.verdicts.cross_join import is_copying, is_keyless, is_null_aware
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.plan_alone import plan_alone
from workers.engines.spark.verdicts.sources import of_node
from workers.engines.verdicts import figure

SHARE = 0.05
"""Of the run, which nobody measured: above what a problem needs, and below what a table of stages or a log would say of its own."""

LARGE = ("CartesianProduct", "GpuCartesianProduct")
"""Spark takes it only where neither side is small enough to be sent to all."""

CONDITION_CHARS = 200

EVALUATED = ("BatchEvalPython", "ArrowEvalPython")
"""Operators that hand rows to a Python function."""
FIRST_LIST = re.compile(r"\[([^\[\]]*)\]")


def planned(texts: Sequence[PlanText], script: ScriptFacts) -> tuple[Verdict, ...]:
    """Joins without a key, windows over all rows, and what a plan proves besides, with their place in the script."""
    found: list[Verdict] = []
    for text in texts:
        run = Run(run_of_plans(text.executions))
        found += with_blame(run, (verdict for plan in run.plans for verdict in (*_of_plan(plan), *plan_alone(plan))), script, ())
    return tuple(found)


def run_of_plans(executions: Sequence[SqlExecution]) -> RunFacts:
    """A run of which nothing is known but its plans."""
    reading = LogReading(files=(), layout="single", compressions=("none",), expanded_bytes=0, lines=0, malformed_lines=0)
    return RunFacts(platform="unknown", start_from="first_event", end_from="last_event", executions=tuple(executions), reading=reading)


def _of_plan(plan: Plan) -> Iterator[Verdict]:
    for node in plan.nodes.values():
        if is_keyless(node) and not is_copying(plan, node):
            severity = Severity.PROBLEM if node.name in LARGE else Severity.HINT
            yield _verdict(plan, node, VerdictKind.CROSS_JOIN, _keyless(plan, node), severity)
        elif is_window(node) and node.simple_string.rstrip().count("[") > 1 and _is_over_all(plan, node):
            summary = say("spark.planned.window", operator=statements.name(node.name))
            yield _verdict(plan, node, VerdictKind.SINGLE_TASK, summary, Severity.HINT)


def _verdict(plan: Plan, node: SqlNode, kind: VerdictKind, summary: Statement, severity: Severity) -> Verdict:
    blame = Blame(execution_id=plan.execution.execution_id, nodes=(node.node,))
    shown = figure(FigureId.OPERATORS, 1, Unit.COUNT, of_node(plan.execution.execution_id, node.node))
    return Verdict(kind=kind, severity=severity, share=SHARE, summary=summary, figures=(shown,), blame=blame)


def _keyless(plan: Plan, join: SqlNode) -> Statement:
    text = join.simple_string.partition(" ")[2].strip()
    text = text[max(0, text.find("(")) :]  # behind the kind of join and its side
    condition = text if attributes(text) else ""
    if (function := _python_over(plan, join)) and not condition:
        return say("spark.planned.cross_join_python", operator=statements.name(join.name), function=statements.code(function))
    if is_null_aware(join):
        return say("spark.planned.not_in", operator=statements.name(join.name))
    if not condition:
        return say("spark.planned.cross_join_all", operator=statements.name(join.name))
    return say("spark.planned.cross_join", operator=statements.name(join.name), condition=statements.code(condition[:CONDITION_CHARS]))


def _python_over(plan: Plan, join: SqlNode) -> str:
    """The call of a Python function by which a filter over the join chooses pairs; empty: none."""
    calls = ""
    for node in plan.above(join.node):
        if node.name in EVALUATED and (listed := FIRST_LIST.search(node.simple_string)):
            calls = listed[1]
        elif node.name == "Filter":
            return calls[:CONDITION_CHARS] if "pythonUDF" in node.simple_string else ""
        elif node.name != "Project":
            return ""
    return ""


def _is_over_all(plan: Plan, window: SqlNode) -> bool:
    """All rows come into one partition for it."""
    for node in plan.below(window.node):
        if node.name.endswith("Exchange"):
            return "SinglePartition" in node.simple_string
    return False
