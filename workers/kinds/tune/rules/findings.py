"""From what is known of a run to the findings on it: the way in for a role."""

from collections import Counter

from contracts.code import ScriptFacts, TableFacts
from contracts.spark import RunFacts
from contracts.verdicts import Findings, Verdict, VerdictKind
from workers.engines.spark.blame import with_blame
from workers.engines.spark.verdicts import judge
from workers.engines.spark.verdicts.measures import Run
from workers.kinds.tune.rules.classify import classify

MOST_ALIKE = 20
"""Verdicts of one kind: a run of thousands of stages may spill in each."""

NO_SCRIPT = ScriptFacts(unreadable="No script was given.")


def find(facts: RunFacts, script: ScriptFacts = NO_SCRIPT, tables: tuple[TableFacts, ...] = ()) -> Findings:
    """The verdicts on a run with their origin, and its class. Script and tables are optional: without them the origin ends at the
    plan, and `not_known` says so."""
    not_known: list[str] = []
    if script.unreadable:
        not_known.append(f"Script: {script.unreadable} Lines {'of that part ' if script.operations else ''}cannot be named.")
    if not tables:
        not_known.append("Table metadata: none was read. Heavy keys and sizes of tables cannot be named.")
    if not any(execution.nodes for execution in facts.executions):
        not_known.append("Plans: the log has none. Operators and their columns cannot be named from it.")
    shown = heaviest_of_each(judge(facts), not_known)
    return classify(with_blame(Run(facts), shown, script, tables), tuple(not_known))


def heaviest_of_each(verdicts: tuple[Verdict, ...], not_known: list[str]) -> list[Verdict]:
    """The first `MOST_ALIKE` of each kind; that others were left out is told in `not_known`."""
    shown: list[Verdict] = []
    told: Counter[VerdictKind] = Counter()
    for verdict in verdicts:
        told[verdict.kind] += 1
        if told[verdict.kind] <= MOST_ALIKE:
            shown.append(verdict)
    if len(shown) < len(verdicts):
        not_known.append(f"{len(verdicts) - len(shown)} verdicts beyond the {MOST_ALIKE} heaviest of their kind are left out.")
    return shown
