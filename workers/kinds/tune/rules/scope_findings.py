"""From what was read of a SCOPE job to the findings on it: the way in for a role."""

from collections.abc import Iterable

from contracts.base import Contract
from contracts.code import TableFacts
from contracts.scope import ScopeDataFlow, ScopeJobStatistics, ScopePlan, ScopeScriptFacts
from contracts.statements import Sayable, Statement, say
from contracts.verdicts import Findings
from workers.engines.scope.verdicts import judge_scope
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import NO_TABLES, heaviest_of_each

MISSING: tuple[tuple[type[Contract], Statement], ...] = (
    (ScopeScriptFacts, say("tune.not_known.scope_script")),
    (ScopeJobStatistics, say("tune.not_known.scope_statistics")),
    (ScopeDataFlow, say("tune.not_known.scope_flow")),
    (ScopePlan, say("tune.not_known.scope_plan")),
)


def find_scope(facts: Iterable[Contract], tables: tuple[TableFacts, ...] = ()) -> Findings:
    """The verdicts and the class of a job; `not_known` says which of the telling artefacts were not there."""
    known = tuple(facts)
    not_known: list[Sayable] = [why for kind, why in MISSING if not any(isinstance(fact, kind) for fact in known)]
    if not tables:
        not_known.append(NO_TABLES)
    shown = heaviest_of_each(judge_scope(known, tables), not_known)
    return classify(tuple(shown), tuple(not_known))
