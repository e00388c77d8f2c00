"""A loop that runs one plan for one value after another, made one pass over all its values."""

from collections.abc import Iterator

from contracts.figures import FigureId
from contracts.statements import say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import ScriptSpot, Verdict
from workers.engines.spark.plan import attributes
from workers.engines.spark.script_places import LOOP
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised, Patch
from workers.kinds.tune.rules.advice.rewrites.loops import one_pass
from workers.kinds.tune.rules.saying import line_name, shown_name

DYNAMIC_SINCE = (2, 4)
"""Spark's version from which on a write itself may say that it replaces only the partitions it has rows for."""


def once_for_all(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Where the log shows the loop, its script is there, and each step of it does for all values at once what it does for one."""
    spots = [spot for spot in verdict.blame.spots if spot.operation == LOOP]
    if case.value(verdict, FigureId.TURNS) is None or not spots:
        return
    made = [draft for spot in spots for draft in _of_loop(case, verdict, spot)]
    if len(made) == 1:
        yield from made
    else:
        yield NotAdvised(say("tune.not_advised.one_pass", line=line_name(spots[0])))


def _of_loop(case: Case, verdict: Verdict, spot: ScriptSpot) -> Iterator[Draft]:
    for script in case.scripts:
        source = case.source(script) if spot.artefact in ("", script.name) else None
        found = one_pass(script, source, spot.line) if source and script.facts.language == "python" else None
        if found is None or not _is_in_plan(case, verdict, found.column) or (found.is_overwritten and not _may_replace_partitions(case)):
            continue
        yield Draft(
            kind=FixKind.MERGE_TURNS,
            remedy="one_pass_overwriting" if found.is_overwritten else "one_pass",
            risk=Risk.MEDIUM,
            confidence=0.9,
            saves=0.8,
            values={"line": line_name(spot), "column": shown_name(found.column), "values": shown_name(found.values)},
            patch=Patch(script.name, found.diff),
            is_alternative=False,
        )


def _is_in_plan(case: Case, verdict: Verdict, column: str) -> bool:
    """The plan that was repeated works with this column: the loop of the script is the loop of the log."""
    plan = case.plan_of(verdict)
    return plan is not None and any(found.name == column for node in plan.nodes.values() for found in attributes(node.simple_string))


def _may_replace_partitions(case: Case) -> bool:
    return case.version is not None and case.version >= DYNAMIC_SINCE
