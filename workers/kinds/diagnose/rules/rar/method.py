"""The next move by RAR: read the nearest tickets, reason about them, and apply the guardrails."""

from collections.abc import Callable

from contracts.diagnose.deliverables import Diagnosis, PhenomenonQuestion, RarAnswer, Verdict
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.rar.case import CANDIDATES, RarCase, read_case
from workers.kinds.diagnose.rules.rar.extract import answer
from workers.kinds.diagnose.rules.rar.guard import ask, guard
from workers.kinds.diagnose.rules.wording import explain

Consult = Callable[[RarCase], RarAnswer]
"""The step of reasoning: a model, or `extract.answer`."""


def rar_move(
    request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, *, may_ask: bool = True, consult: Consult = answer
) -> Diagnosis | PhenomenonQuestion:
    """What the diagnoser does after `dialogue`."""
    return advise(read_for(consult, request, evidence, dialogue, may_ask=may_ask), consult)


def read_for(consult: Consult, request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, *, may_ask: bool) -> RarCase:
    """The case for a reasoner. The vote reads all tickets of the evidence: it has no prompt to fill, and of the sample
    history's hidden tickets 72 % have their cause among 50 tickets, 41 % among 20."""
    return read_case(request, evidence, dialogue, may_ask=may_ask, most=None if consult is answer else CANDIDATES)


def advise(case: RarCase, consult: Consult = answer) -> Diagnosis | PhenomenonQuestion:
    """The move in a case. Without a ticket near the incident, or without any progress, nobody is consulted."""
    if case.evidence.total_tickets == 0:
        return _no_history(case)
    if case.needs_symptom:
        return ask((), case)
    return guard(consult(case) if case.tickets else answer(case), case)


def _no_history(case: RarCase) -> Diagnosis:
    """Unknown, and how to import tickets."""
    text = explain(Verdict.UNKNOWN, None, speaks_for=(), speaks_against=(), cited=(), not_checked=(), total_tickets=0)
    return Diagnosis(verdict=Verdict.UNKNOWN, confidence=0.0, explanation=text, turns=case.turns, method=DiagnosisMethod.RAR)
