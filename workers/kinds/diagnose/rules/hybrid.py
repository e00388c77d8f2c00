"""Hybrid: GAR leads the dialogue; RAR is consulted when GAR is stuck, and its conclusion counts only if the history supports it.

GAR is stuck when it asks, after the first turn, with its best cause below a threshold; when it has nothing to ask; and when it would
conclude without a diagnosis. While GAR can still ask, only a full diagnosis of RAR ends the dialogue.
"""

from collections.abc import Callable

from contracts.diagnose.deliverables import Diagnosis, Finding, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.statements import Statement
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.conclude import next_move
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar import wording
from workers.kinds.diagnose.rules.rar.case import RarCase
from workers.kinds.diagnose.rules.rar.extract import answer
from workers.kinds.diagnose.rules.rar.method import Consult, advise, read_for

CONSULT_BAR = 0.30
"""Posterior of GAR's best cause below which RAR is consulted although GAR has something to ask."""

_STRENGTH = {Verdict.UNKNOWN: 0, Verdict.UNCERTAIN: 1, Verdict.DIAGNOSED: 2}

Move = Diagnosis | PhenomenonQuestion
Gar = Callable[..., Move]
"""GAR under one of its profiles: `(request, evidence, dialogue, *, may_ask)`."""


def hybrid_move(
    request: DiagnoseRequest,
    evidence: TicketEvidence,
    dialogue: Dialogue,
    *,
    may_ask: bool = True,
    consult: Consult = answer,
    gar: Gar = next_move,
) -> Move:
    """What the diagnoser does after `dialogue`."""
    tracked = gar(request, evidence, dialogue, may_ask=may_ask)
    if evidence.total_tickets == 0 or not _at_a_loss(tracked, dialogue):
        return tracked
    case = read_for(consult, request, evidence, dialogue, may_ask=may_ask)
    return _choose(tracked, advise(case, consult), case)


def _at_a_loss(move: Move, dialogue: Dialogue) -> bool:
    """Whether RAR is consulted."""
    if isinstance(move, Diagnosis):
        return move.verdict is not Verdict.DIAGNOSED
    best = max((hypothesis.confidence for hypothesis in move.hypotheses), default=0.0)
    return not move.items or (bool(dialogue) and best < CONSULT_BAR)


def _choose(tracked: Move, advised: Move, case: RarCase) -> Move:
    """GAR's move, or RAR's if it is better and supported."""
    if isinstance(tracked, PhenomenonQuestion):
        if isinstance(advised, Diagnosis) and advised.verdict is Verdict.DIAGNOSED and objection(advised, case) is None:
            return advised
        return tracked
    if isinstance(advised, PhenomenonQuestion):
        return advised if advised.items else tracked
    reason = advised.downgraded
    stronger = _STRENGTH[advised.verdict] > _STRENGTH[tracked.verdict]
    if advised.root_cause is not None and (stronger or advised.cause_id != tracked.cause_id):
        reason = objection(advised, case)
        if stronger and reason is None:
            return advised
    return tracked.model_copy(update={"downgraded": reason}) if reason else tracked


def objection(found: Diagnosis, case: RarCase) -> Statement | None:
    """Why the history does not support a diagnosis of RAR; None if it does.

    It is supported if its tickets exist and have its cause; a phenomenon that the user confirmed or reported is linked to that cause,
    or a cited ticket is very similar; and of the cause's phenomena no more are denied than confirmed.
    """
    cause = found.root_cause or ""
    tickets = {ticket.ticket_id: ticket for ticket in case.evidence.tickets}
    cited = [tickets[ticket] for ticket in found.cited_tickets if ticket in tickets]
    if not cited:
        return wording.no_citation(cause)
    if len(cited) < len(found.cited_tickets) or any(ticket.cause_id != found.cause_id for ticket in cited):
        return wording.other_cause(cause)
    linked = [fact for fact in case.known.facts if fact.family.shown.get(found.cause_id or "")]
    confirmed = sum(fact.finding is Finding.CONFIRMED for fact in linked)
    denied = sum(fact.finding is Finding.DENIED for fact in linked)
    if not confirmed and max(ticket.similarity for ticket in cited) < OURS.strong_symptom:
        return wording.not_linked(cause)
    if denied > confirmed:
        return wording.more_denied(cause, denied, confirmed)
    return None
