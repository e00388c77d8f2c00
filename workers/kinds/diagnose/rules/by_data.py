"""A diagnosis by what was found in the system itself, which needs nobody's answers and no ticket."""

from contracts.checks import CheckFinding, Gathered
from contracts.diagnose.deliverables import Diagnosis, Hypothesis, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.statements import Statement, as_value, lines, name, say
from contracts.tickets import TicketEvidence
from workers.engines.language import language_of
from workers.saying import text_of

LEAST_SEVERE = 0.3
"""Severity from which a finding is worth telling beside what tickets say."""
BAR = 0.5
"""Severity above which a finding is the cause of an incident that somebody noticed: it stops or slows what runs now. Below, it is a state
that may be, and a guess."""
_APART = 0.2
"""By as much the worst has to be worse than the next to be the diagnosis alone."""
_SURE = 0.9
"""Confidence of a single cause: of the faults that are planted in the tests one in ten may be another."""
_ALIKE = 0.6
"""Similarity from which a phenomenon of the history is like a finding."""
_CITED = 3


def by_data(request: DiagnoseRequest, gathered: Gathered, evidence: TicketEvidence, turns: int) -> Diagnosis | None:
    """The diagnosis by what was found; None where nothing that was found is bad enough to be the cause. It is a guess where several causes
    weigh much the same, where what was found is no acute fault, and where the incident does not name the system."""
    causes = [cause for cause in gathered.causes if cause.severity >= LEAST_SEVERE]
    if not causes:
        return None
    top, others = causes[0], causes[1:]
    rivals = [cause for cause in others if cause.severity > max(top.severity - _APART, BAR if top.severity > BAR else LEAST_SEVERE)]
    is_sure = gathered.is_named and top.severity > BAR and not rivals
    confidence = _SURE if is_sure else _SURE / (2 + len(rivals))
    lang = language_of(request.description)
    return Diagnosis(
        verdict=Verdict.DIAGNOSED if is_sure else Verdict.UNCERTAIN,
        root_cause=text_of(top.says, lang),
        cause_id=_id(gathered, top),
        confidence=confidence,
        forced=False,
        cited_tickets=_like(top, evidence, lang),
        reported=evidence.reported,
        alternatives=tuple(_hypothesis(gathered, cause, confidence, lang) for cause in others[:4]),
        explanation=lines(*_why(gathered, top, rivals, is_sure)),
        turns=turns,
        gathered=gathered,
        by_data=True,
    )


def _why(gathered: Gathered, top: CheckFinding, rivals: list[CheckFinding], is_sure: bool) -> list[Statement]:
    reasons = [say("diagnose.data.found", system=name(gathered.system), finding=as_value(top.says))]
    follows = [found for found in gathered.findings if top.check in found.because_of]
    reasons += [say("diagnose.data.follows", finding=as_value(found.says)) for found in follows]
    reasons += [say("diagnose.data.rival", finding=as_value(found.says)) for found in rivals]
    if not is_sure and not gathered.is_named:
        reasons.append(say("diagnose.data.not_named", system=name(gathered.system)))
    return reasons


def _hypothesis(gathered: Gathered, cause: CheckFinding, most: float, lang: str) -> Hypothesis:
    return Hypothesis(
        cause_id=_id(gathered, cause), root_cause=text_of(cause.says, lang), confidence=min(most, cause.severity * most), prior=0.0,
        symptom_similarity=0.0,
    )  # fmt: skip


def _id(gathered: Gathered, cause: CheckFinding) -> str:
    return f"{gathered.engine.value}.{cause.check}"


def _like(top: CheckFinding, evidence: TicketEvidence, lang: str) -> tuple[str, ...]:
    """Tickets that show the like of a finding, the nearest first."""
    text = text_of(top.says, lang)
    near = {match.phenomenon_id for match in evidence.observations if match.text == text and match.similarity >= _ALIKE}
    return tuple(ticket.ticket_id for ticket in evidence.tickets if near.intersection(ticket.phenomenon_ids))[:_CITED]
