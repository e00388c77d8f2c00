"""From what is known of a run to the findings on it: the way in for a role."""

from collections import Counter
from collections.abc import Collection

from contracts.code import ScriptFacts, TableFacts
from contracts.spark import RunFacts
from contracts.statements import Sayable, count, say
from contracts.verdicts import Findings, TuningClass, Verdict, VerdictKind
from workers.engines.artefacts.descriptions import CommonKind
from workers.engines.spark.blame import with_blame
from workers.engines.spark.verdicts import judge
from workers.engines.spark.verdicts.measures import Run
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.saying import value_of

NO_TABLES = say("tune.not_known.tables")
"""Without table metadata."""

OF_TABLES = (TuningClass.DATA_SKEW, TuningClass.EXCESS_SHUFFLE)

MOST_ALIKE = 20
"""Verdicts of one kind: a run of thousands of stages may spill in each."""

NO_SCRIPT = ScriptFacts(unreadable=say("tune.not_known.no_script"))
NO_SCRIPT_SAID = say("tune.not_known.lines", problem=say("tune.not_known.no_script"))
"""As it is said of a run without any script."""


def find(facts: RunFacts, script: ScriptFacts = NO_SCRIPT, tables: tuple[TableFacts, ...] = ()) -> Findings:
    """The verdicts on a run with their origin, and its class. Script and tables are optional: without them the origin ends at the
    plan, and `not_known` says so."""
    not_known: list[Sayable] = []
    if script.unreadable:
        problem = value_of(script.unreadable)
        of_all = say("tune.not_known.lines", problem=problem)
        not_known.append(say("tune.not_known.some_lines", problem=problem) if script.operations else of_all)
    if not any(execution.nodes for execution in facts.executions):
        not_known.append(say("tune.not_known.plans"))
    shown = heaviest_of_each(judge(facts), not_known)
    return with_gaps(classify(with_blame(Run(facts), shown, script, tables), tuple(not_known)), tables)


def with_gaps(findings: Findings, tables: tuple[TableFacts, ...]) -> Findings:
    """That tables are not known matters to the classes whose fixes name keys and sizes."""
    if tables or findings.tuning_class not in OF_TABLES:
        return findings
    return findings.model_copy(update={"not_known": (*findings.not_known, NO_TABLES)})


def not_missing(findings: Findings, kinds: Collection[str]) -> Findings:
    """Without the gaps that an artefact of these kinds would close: it is there, and was not needed."""
    if CommonKind.TABLE_METADATA not in kinds:
        return findings
    return findings.model_copy(update={"not_known": tuple(gap for gap in findings.not_known if gap != NO_TABLES)})


def heaviest_of_each(verdicts: tuple[Verdict, ...], not_known: list[Sayable]) -> list[Verdict]:
    """The first `MOST_ALIKE` of each kind; that others were left out is said in `not_known`."""
    shown: list[Verdict] = []
    seen: Counter[VerdictKind] = Counter()
    for verdict in verdicts:
        seen[verdict.kind] += 1
        if seen[verdict.kind] <= MOST_ALIKE:
            shown.append(verdict)
    if len(shown) < len(verdicts):
        not_known.append(say("tune.not_known.alike", n=count(len(verdicts) - len(shown)), most=count(MOST_ALIKE)))
    return shown
