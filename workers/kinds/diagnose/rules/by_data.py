"""A diagnosis by what was found in the system itself, which needs nobody's answers and no ticket."""

from contracts.checks import CheckFinding, CheckOutcome, Gathered
from contracts.diagnose.deliverables import Diagnosis, Hypothesis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.statements import Statement, as_value, count, lines, name, say
from contracts.tickets import TicketEvidence
from workers.engines.language import language_of
from workers.saying import text_of

LEAST_SEVERE = 0.3
"""Severity from which a finding is worth telling beside what tickets say."""
BAR = 0.5
"""Severity above which a finding is the cause of an incident that somebody noticed: it stops or slows what runs now. Below, it is a state
that may be, and a guess."""
BAR_BY_A_WORD = 0.7
"""The same where only a word of the description names the system: "orders" may be a system, or what customers wait for."""
_APART = 0.2
"""By as much the worst has to be worse than the next to be the diagnosis alone."""
_SURE = 0.9
"""Confidence of a single cause: of the faults that are planted in the tests one in ten may be another."""
_ALIKE = 0.3
"""Probability from which a cause of the history is like what was found, when that counts as observed."""
_CITED = 3


def is_acute(gathered: Gathered) -> bool:
    """Whether the worst cause is a fault that is the diagnosis, by how surely the incident names the system."""
    return bool(gathered.causes) and gathered.is_named and gathered.causes[0].severity > (BAR if gathered.is_sure else BAR_BY_A_WORD)


def looked_at(gathered: Gathered) -> Statement:
    """What a look found, in a line."""
    system, causes = name(gathered.system), [cause for cause in gathered.causes if cause.severity >= LEAST_SEVERE]
    if causes:
        return say("diagnose.step.looked_found", system=system, finding=as_value(causes[0].says))
    unseen = len(gathered.of(CheckOutcome.UNDECIDED))
    if unseen == len(gathered.findings):
        return say(
            "diagnose.step.looked_not", system=system, reason=as_value(gathered.findings[0].says) if gathered.findings else name("-")
        )
    return say("diagnose.step.looked_fine", system=system, n=count(len(gathered.findings)), unseen=count(unseen))


def by_data(request: DiagnoseRequest, gathered: Gathered, evidence: TicketEvidence, turns: int) -> Diagnosis | None:
    """The diagnosis by what was found; None where nothing that was found is bad enough to be the cause. It is a guess where several causes
    weigh much the same, where what was found is no acute fault, and where the incident does not name the system."""
    causes = [cause for cause in gathered.causes if cause.severity >= LEAST_SEVERE]
    if not causes:
        return None
    top, others = causes[0], causes[1:]
    rivals = [cause for cause in others if cause.severity > max(top.severity - _APART, BAR if top.severity > BAR else LEAST_SEVERE)]
    is_sure = is_acute(gathered) and not rivals
    confidence = _SURE if is_sure else _SURE / (2 + len(rivals))
    lang = language_of(request.description)
    return Diagnosis(
        verdict=Verdict.DIAGNOSED if is_sure else Verdict.UNCERTAIN,
        root_cause=text_of(top.says, lang),
        cause_id=gathered.id_of(top),
        confidence=confidence,
        forced=False,
        reported=evidence.reported,
        alternatives=tuple(_hypothesis(gathered, cause, confidence, lang) for cause in others[:4]),
        explanation=lines(*_why(gathered, top, rivals, is_sure)),
        turns=turns,
        gathered=gathered,
        by_data=True,
    )


def _why(gathered: Gathered, top: CheckFinding, rivals: list[CheckFinding], is_sure: bool) -> list[Statement]:
    reasons = [say("diagnose.data.found", system=name(gathered.system), finding=as_value(top.says))]
    follows = [found for found in gathered.of(CheckOutcome.CONFIRMED) if top.check in found.because_of]
    reasons += [say("diagnose.data.follows", finding=as_value(found.says)) for found in follows]
    reasons += [say("diagnose.data.rival", finding=as_value(found.says)) for found in rivals]
    if not is_sure and not gathered.is_named:
        reasons.append(say("diagnose.data.not_named", system=name(gathered.system)))
    return reasons


def _hypothesis(gathered: Gathered, cause: CheckFinding, most: float, lang: str) -> Hypothesis:
    return Hypothesis(
        cause_id=gathered.id_of(cause), root_cause=text_of(cause.says, lang), confidence=min(most, cause.severity * most), prior=0.0,
        symptom_similarity=0.0,
    )  # fmt: skip


def with_like(found: Diagnosis, nearest: Diagnosis | PhenomenonQuestion) -> Diagnosis:
    """The diagnosis with tickets that have its like and what helped then, where what was found makes a cause of the history likely."""
    if not isinstance(nearest, Diagnosis) or nearest.root_cause is None or nearest.confidence < _ALIKE:
        return found
    alike = {"cited_tickets": nearest.cited_tickets[:_CITED], "solution": nearest.solution, "fixes": nearest.fixes}
    return found.model_copy(update=alike)
