"""The five causes in question, each with its confidence and what every finding adds to it or takes from it."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import VOLUNTEERED, Evidence, Finding, Hypothesis
from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.rules.posterior import nearest_symptoms, tickets_of
from workers.kinds.diagnose.seed.confidence import Candidate, candidates, confidence, exclusive
from workers.kinds.diagnose.seed.findings import Findings

KEPT = 5
"""Hypotheses that are kept (the document says 3, the code 5)."""


def hypotheses(evidence: TicketEvidence, retrieved: Sequence[PhenomenonCard], findings: Findings) -> tuple[Hypothesis, ...]:
    """Best first, ties in the order of retrieval. `Hypothesis.prior` is the confidence before any finding; neither is a
    probability here."""
    scored = [(confidence(candidate, findings.confirmed, findings.denied), candidate) for candidate in candidates(evidence, retrieved)]
    scored.sort(key=lambda pair: -pair[0])
    final = exclusive([own for own, _ in scored])
    symptoms = nearest_symptoms(evidence)
    shown = [frozenset({key}) for key in sorted(findings.confirmed)]
    return tuple(
        Hypothesis(
            cause_id=candidate.cause.cause_id,
            root_cause=candidate.cause.description,
            confidence=value,
            prior=confidence(candidate, (), ()),
            symptom_similarity=symptoms[candidate.cause.cause_id],
            evidence=weighed(candidate, evidence, findings),
            ticket_ids=tickets_of(candidate.cause, evidence.tickets, shown),
        )
        for value, (_, candidate) in zip(final[:KEPT], scored[:KEPT], strict=True)
    )


def weighed(candidate: Candidate, evidence: TicketEvidence, findings: Findings) -> tuple[Evidence, ...]:
    """The findings on phenomena of the cause, heaviest first; others do not move its confidence.

    `Evidence.weight` is here no likelihood ratio but the change of confidence that the finding makes: the confidence with
    all findings less the confidence without this one, before exclusivity lowers the others. It is 0 where denials have
    taken everything already.
    """
    full = confidence(candidate, findings.confirmed, findings.denied)
    found: list[Evidence] = []
    for card in evidence.phenomena:
        key = card.phenomenon_id
        if key not in candidate.related or key not in findings.confirmed | findings.denied:
            continue
        without = confidence(candidate, findings.confirmed - {key}, findings.denied - {key})
        found.append(
            Evidence(
                phenomenon_id=key,
                description=card.description,
                finding=Finding.CONFIRMED if key in findings.confirmed else Finding.DENIED,
                weight=round(full - without, 9),
                tickets=_showing(candidate.cause.cause_id, key, evidence),
                source=VOLUNTEERED if key in findings.volunteered else "asked",
            )
        )
    return tuple(sorted(found, key=lambda item: (-abs(item.weight), item.phenomenon_id)))


def _showing(cause_id: str, phenomenon_id: str, evidence: TicketEvidence) -> tuple[str, ...]:
    """Tickets of the cause that show the phenomenon."""
    own = (ticket for ticket in evidence.tickets if ticket.cause_id == cause_id)
    return tuple(ticket.ticket_id for ticket in own if phenomenon_id in ticket.phenomenon_ids)
