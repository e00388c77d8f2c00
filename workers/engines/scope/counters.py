"""Numbers by name: the engine's internal information, and profiles in plain text."""

import re

from contracts.base import Contract
from contracts.bundles import Information
from contracts.scope import ScopeCounters
from contracts.statements import say
from workers.engines import counts
from workers.engines.artefacts.kinds import MIB, ArtefactSource, Parsed
from workers.engines.counts import exactly
from workers.engines.problems import EMPTY
from workers.engines.scope.documents import read_document
from workers.engines.scope.plan import plan_of, plan_tells
from workers.engines.scope.sentences import clauses
from workers.engines.scope.text import read_text
from workers.engines.scope.values import number

PROFILE_BYTES = 20 * MIB
COUNTERS = 500
NAME_CHARS = 200
LINES = 500_000
NAMED = re.compile(
    r"^\s{0,40}([A-Za-z_\u4e00-\u9fff][\w .%()/\u4e00-\u9fff-]{0,100}?)\s{0,20}[:=\t,]\s{0,20}"
    r"(-?\d[\d,.]{0,30}(?:e[-+]?\d{1,3})?)\s{0,3}([A-Za-z%]{0,12})\s{0,40}$",
    re.IGNORECASE,
)
"""`PeakWorkingSet: 1,234 KB`, `cpu.user = 12.5 %`."""


def parse_internal_info(source: ArtefactSource) -> Parsed:
    """`ScopeCounters`, and a `ScopePlan` where the file holds the optimizer's tree."""
    read = read_document(source)
    if read.root is None:
        return Parsed(problem=read.problem)
    counters: dict[str, float] = {}
    for node in read.root.walk():
        name = node.get("Name") if node.key in ("counter", "metric", "statistic") else node.tag if not node.children and node.text else ""
        value = number(node.get("Value") or node.text or "?")
        if name and value is not None and len(counters) < COUNTERS:
            counters.setdefault(name[:NAME_CHARS], value)
    plan = plan_of(read.root, source.name)
    mapped = sum(1 for _ in read.root.find("Mapping"))
    if not counters and not plan.operators:
        if mapped:
            return Parsed(summary=say("scope.summary.mapped", n=exactly(mapped)), problem=read.problem)
        return Parsed(problem=read.problem or say("scope.problem.no_counter"))
    facts: list[Contract] = [ScopeCounters(artefact=source.name, counters=counters)] if counters else []
    facts += [plan] if plan.operators else []
    tells = plan_tells(plan) | ({Information.RUN_METRICS} if counters else set[Information]())
    summary = clauses(say("scope.counters", n=exactly(len(counters))), say("scope.operators", n=exactly(len(plan.operators))))
    return Parsed(tuple(facts), frozenset(tells), summary, read.problem)


def parse_profile(source: ArtefactSource) -> Parsed:
    """`ScopeCounters`: of a name that comes more often, the largest number."""
    read = read_text(source, PROFILE_BYTES)
    counters: dict[str, float] = {}
    lines = read.text.splitlines()[:LINES]
    for line in lines:
        found = NAMED.match(line[:300])
        size = number(found[2]) if found else None
        if found is None or size is None:
            continue
        name = f"{found[1].strip()} [{found[3]}]" if found[3] else found[1].strip()
        if name in counters or len(counters) < COUNTERS:
            counters[name] = max(size, counters.get(name, size))
    if not counters:
        return Parsed(problem=read.problem or (EMPTY if not lines else say("scope.problem.no_number")))
    facts = ScopeCounters(artefact=source.name, counters=counters)
    summary = say("scope.summary.numbers", n=exactly(len(counters)), lines=counts.lines(len(lines)))
    return Parsed((facts,), frozenset({Information.RUN_METRICS}), summary, read.problem)
