"""A loop that runs one plan for one value after another, made one pass over all its values."""

import re
from collections.abc import Iterator

from contracts.figures import FigureId
from contracts.spark import SqlExecution
from contracts.statements import say
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import ScriptSpot, Verdict
from workers.engines.spark.plan import SCAN_LOCATION, is_scan
from workers.engines.spark.script_places import LOOP
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import Draft, NotAdvised, Patch
from workers.kinds.tune.rules.advice.rewrites.loops import OnePass, one_pass
from workers.kinds.tune.rules.advice.rewrites.paths import is_same
from workers.kinds.tune.rules.saying import line_name, shown_name

DYNAMIC_SINCE = (2, 4)
"""Spark's version from which on a write itself may say that it replaces only the partitions it has rows for."""

MOST_VALUES = 500
"""A condition with more comparisons is itself a burden: Spark goes through it again and again."""

WRITTEN = re.compile(r"Execute InsertIntoHadoopFsRelationCommand ([^,]+),")
COMPARED = re.compile(r"\(([^\s()#]+)#\d+L? = ([^()]+)\)")
"""A column itself, not what a cast made of it, with a value."""


def once_for_all(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Where the log shows the loop, its script is there, and each step of it does for all values at once what it does for one. Of several
    loops the log does not tell which one it shows."""
    spots = [spot for spot in verdict.blame.spots if spot.operation == LOOP]
    turns = case.value(verdict, FigureId.TURNS)
    if turns is None or not spots:
        return
    made = list(_of_loop(case, verdict, spots[0])) if len(spots) == 1 and turns <= MOST_VALUES else []
    if len(made) == 1:
        yield from made
    else:
        yield NotAdvised(say("tune.not_advised.one_pass", line=line_name(spots[0])))


def _of_loop(case: Case, verdict: Verdict, spot: ScriptSpot) -> Iterator[Draft]:
    for script in case.scripts:
        source = case.source(script) if spot.artefact in ("", script.name) else None
        found = one_pass(script, source, spot.line) if source and script.facts.language == "python" else None
        if found is None or not _is_in_plan(case, verdict, found) or (found.is_overwritten and not _may_replace_partitions(case)):
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


def _is_in_plan(case: Case, verdict: Verdict, found: OnePass) -> bool:
    """The loop of the script is the loop of the log: the plan that was repeated reads what the loop reads. And the text of each value is
    what the column has: a loop that looks for "01" among numbers writes a folder "01", and one pass a folder "1"."""
    plan = case.plan_of(verdict)
    if plan is None or case.run is None:
        return False
    scanned = [place[1] for node in plan.nodes.values() if is_scan(node) and (place := SCAN_LOCATION.search(node.simple_string))]
    if not all(any(is_same(path, place) for place in scanned) for path in found.reads):
        return False
    if not all(any(is_same(path, place) for path in found.reads) for place in scanned):
        return False
    turns = [texts for execution in case.run.executions if (texts := _written(execution, found))]
    return bool(turns) and all(f"{found.column} = {value}" in compared for value, compared in turns)


def _written(execution: SqlExecution, found: OnePass) -> tuple[str, frozenset[str]] | None:
    """(the value of the folder that a query writes, the comparisons that it makes); None for a query that writes no folder of the loop."""
    texts = [node.simple_string for node in execution.nodes]
    folder = f"/{found.column}="
    places = (place[1] for text in texts if (place := WRITTEN.match(text)))
    value = next((value for place in places for root, _, value in [place.partition(folder)] if value and is_same(found.root, root)), None)
    if value is None:
        return None
    compared = frozenset(f"{name} = {to}" for text in texts for name, to in COMPARED.findall(text))
    return value, compared


def _may_replace_partitions(case: Case) -> bool:
    return case.version is not None and case.version >= DYNAMIC_SINCE
