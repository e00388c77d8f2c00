"""The fleet's own faults as incidents: solved faults become the ticket history, and the diagnosis names the likely cause and its fixes.

A cause is an error class in one place with one form of message; numbers, ids and quoted values are not part of the form.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from contracts.diagnose.deliverables import Diagnosis, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.faults import Fault, FaultAdvice, Fix, SolvedFault
from contracts.tickets import CauseCard, ObservationMatch, PhenomenonCard, TicketCard, TicketEvidence
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.likeness import normalised, overlap, wording
from workers.kinds.diagnose.rules.profiles import OURS

MOST_CAUSES = 40
"""Causes that the evidence holds, as `gather_evidence` bounds those of tickets: the nearest by their messages."""
_CITED = 10
_VALUE = re.compile(r"""[0-9a-f]{8}-[0-9a-f-]{27}|'[^']*'|"[^"]*"|“[^”]*”|https?://\S+|[0-9a-f]{12,}|\d+(?:[.,]\d+)*""", re.IGNORECASE)


def advise(fault: Fault, solved: Sequence[SolvedFault]) -> FaultAdvice | None:
    """What helped with the solved faults that are likely the same; None if the diagnosis names no cause."""
    by_cause: dict[str, list[SolvedFault]] = defaultdict(list)
    text = wording(_shape(fault))
    for other in solved:
        if other.error == fault.error or overlap(text, normalised(_shape(other))) > OURS.retold_from:
            by_cause[_cause_of(other)].append(other)
    if not by_cause:  # the engine weighs known causes against each other: another error in other words is not one of them
        return None
    found = next_move(DiagnoseRequest(description=_shape(fault)), _evidence(fault, by_cause), (), may_ask=False)
    if not isinstance(found, Diagnosis) or found.verdict is Verdict.UNKNOWN or found.cause_id not in by_cause:
        return None
    same = by_cause[found.cause_id]
    return FaultAdvice(cause=_shape(same[0]), confidence=found.confidence, faults=len(same), fixes=_fixes(same))


def _fixes(faults: Sequence[SolvedFault]) -> tuple[Fix, ...]:
    """What helped, by how often and how lately. The same note in other letter cases and spaces is one."""
    groups: dict[tuple[str, str], list[SolvedFault]] = defaultdict(list)
    for fault in faults:
        groups[fault.fix, normalised(fault.note or "")].append(fault)
    fixes = [
        Fix(kind=group[0].fix, note=group[0].note, times=len(group), last_at=max(fault.at for fault in group)) for group in groups.values()
    ]
    return tuple(sorted(fixes, key=lambda fix: (-fix.times, -fix.last_at.timestamp())))


def _shape(fault: Fault) -> str:
    """The error, its place, and its message with the values left out."""
    return f"{fault.error} of {fault.where}: {' '.join(_VALUE.sub('…', fault.message).split())[:300]}"


def _cause_of(fault: Fault) -> str:
    return hashlib.sha256(_shape(fault).casefold().encode()).hexdigest()[:16]


def _facts(fault: Fault) -> list[str]:
    """What is observed of a fault, as phenomena."""
    return [f"error {fault.error}", f"at {fault.where}", *([f"stage {fault.stage}"] if fault.stage else [])]


def _evidence(fault: Fault, by_cause: dict[str, list[SolvedFault]]) -> TicketEvidence:
    text = wording(_shape(fault))
    likeness = {cause: overlap(text, normalised(_shape(faults[0])), 0.0) for cause, faults in by_cause.items()}
    near = sorted(by_cause, key=lambda cause: (-likeness[cause], cause))[:MOST_CAUSES]
    observed = _facts(fault)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for cause in near:
        for other in by_cause[cause]:
            for fact in _facts(other):
                counts[fact][cause] += 1
    return TicketEvidence(
        causes=tuple(
            CauseCard(
                cause_id=cause,
                description=_shape(by_cause[cause][0]),
                solution="",
                ticket_count=len(by_cause[cause]),
                ticket_ids=tuple(other.id for other in by_cause[cause][:_CITED]),
            )
            for cause in near
        ),
        phenomena=tuple(
            PhenomenonCard(
                phenomenon_id=fact,
                description=fact,
                observation_method="",
                similarity=float(fact in observed),
                cause_tickets=dict(counts[fact]),
                cause_count=len(counts[fact]),
            )
            for fact in sorted(counts, key=lambda fact: (fact not in observed, fact))
        ),
        tickets=tuple(
            TicketCard(
                ticket_id=other.id,
                description=_shape(other),
                cause_id=cause,
                similarity=likeness[cause],
                phenomenon_ids=tuple(_facts(other)),
            )
            for cause in near
            for other in by_cause[cause][:_CITED]
        ),
        observations=tuple(ObservationMatch(text=fact, phenomenon_id=fact, similarity=1.0) for fact in observed if fact in counts),
        total_tickets=sum(len(faults) for faults in by_cause.values()),
        total_causes=len(by_cause),
    )
