"""A verdict and its best hypothesis as the diagnosis that a user reads, for every profile."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import Diagnosis, Evidence, Finding, Fix, Hypothesis, PhenomenonItem, Verdict
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.wording import Measure, explain
from workers.tickets.blanks import says_nothing

_CITED = 5
"""Tickets that a diagnosis cites at most."""
_ALTERNATIVES = 4
_FIXES = 3
"""Texts of what helped."""


def conclusion(
    verdict: Verdict,
    hypotheses: Sequence[Hypothesis],
    evidence: TicketEvidence,
    *,
    citable: Sequence[str],
    not_checked: tuple[str, ...],
    turns: int,
    to_check: tuple[PhenomenonItem, ...] = (),
    measure: Measure = "posterior",
) -> Diagnosis:
    """The diagnosis with this verdict; one without a ticket to cite is no diagnosis and becomes `unknown`. `hypotheses`: best
    first; `citable`: tickets of the best one, those to be cited first first."""
    top = hypotheses[0] if hypotheses else None
    cited = tuple(ticket for ticket in citable if ticket.strip())[:_CITED] if verdict is not Verdict.UNKNOWN else ()
    if not cited:
        verdict = Verdict.UNKNOWN
    named = top if verdict is not Verdict.UNKNOWN else None
    weighed = top.evidence if top else ()
    speaks_for = tuple(finding for finding in weighed if finding.weight > 0)
    speaks_against = tuple(finding for finding in weighed if finding.weight < 0)
    return Diagnosis(
        verdict=verdict,
        root_cause=named.root_cause if named else None,
        cause_id=named.cause_id if named else None,
        confidence=top.confidence if top else 0.0,
        forced=verdict is Verdict.UNCERTAIN,
        solution=solution_of(named, evidence),
        fixes=fixes_of(named, cited, evidence),
        evidence_for=speaks_for if named else (),
        evidence_against=speaks_against if named else _denied(weighed),
        cited_tickets=cited,
        reported=evidence.reported,
        to_check=to_check,
        not_checked=not_checked,
        alternatives=tuple(hypotheses[1 if named else 0 :][:_ALTERNATIVES]),
        explanation=explain(
            verdict,
            top,
            speaks_for=speaks_for,
            speaks_against=speaks_against,
            cited=cited,
            not_checked=not_checked,
            total_tickets=evidence.total_tickets,
            measure=measure,
        ),
        turns=turns,
    )


def solution_of(named: Hypothesis | None, evidence: TicketEvidence) -> str | None:
    """The solution that the history knows for the cause; None when it knows none."""
    if named is None:
        return None
    known = next((cause.solution for cause in evidence.causes if cause.cause_id == named.cause_id), "")
    return None if says_nothing(known) else known


def fixes_of(named: Hypothesis | None, cited: Sequence[str], evidence: TicketEvidence) -> tuple[Fix, ...]:
    """What helped in the cited tickets, each text once with the tickets that have it; the one that is the cause's solution first."""
    if named is None:
        return ()
    texts = {ticket.ticket_id: ticket.solution for ticket in evidence.tickets if not says_nothing(ticket.solution)}
    of_cause = solution_of(named, evidence) or ""
    own = [ticket.ticket_id for ticket in evidence.tickets if ticket.cause_id == named.cause_id and texts.get(ticket.ticket_id) == of_cause]
    tickets: dict[str, list[str]] = {}
    for ticket in dict.fromkeys((*own[:1], *cited)):
        if ticket in texts:
            tickets.setdefault(" ".join(texts[ticket].split()), []).append(ticket)
    return tuple(Fix(solution=texts[same[0]], tickets=tuple(same)) for same in tickets.values())[:_FIXES]


def _denied(weighed: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The denied phenomena: the only evidence of an `unknown`."""
    return tuple(finding for finding in weighed if finding.finding is Finding.DENIED and finding.source != "unsaid")
