"""From what was read of a SCOPE job to the findings on it: the way in for a role."""

from collections.abc import Iterable

from contracts.base import Contract
from contracts.code import TableFacts
from contracts.scope import ScopeDataFlow, ScopeJobStatistics, ScopePlan, ScopeScriptFacts
from contracts.verdicts import Findings
from workers.engines.scope.verdicts import judge_scope
from workers.kinds.tune.rules.classify import classify
from workers.kinds.tune.rules.findings import heaviest_of_each

MISSING: tuple[tuple[type[Contract], str], ...] = (
    (ScopeScriptFacts, "Script: none was read. Lines cannot be named."),
    (ScopeJobStatistics, "Job statistics: none were read. Times of stages and skewed tasks cannot be named."),
    (ScopeDataFlow, "Data flow: none was read. The volume of the shuffles cannot be named."),
    (ScopePlan, "Plan: neither algebra nor vertex definition was read. Stages are tied to lines by their names alone."),
)


def find_scope(facts: Iterable[Contract], tables: tuple[TableFacts, ...] = ()) -> Findings:
    """The verdicts and the class of a job; `not_known` says which of the telling artefacts were not there."""
    known = tuple(facts)
    not_known = [words for kind, words in MISSING if not any(isinstance(one, kind) for one in known)]
    if not tables:
        not_known.append("Table metadata: none was read. Heavy keys and sizes of tables cannot be named.")
    shown = heaviest_of_each(judge_scope(known, tables), not_known)
    return classify(tuple(shown), tuple(not_known))
