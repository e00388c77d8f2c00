"""The diagnoser: asks what tells the causes apart, and concludes when the evidence bears it."""

from contracts.diagnosis import Diagnosis, PhenomenonQuestion, TicketEvidence
from contracts.jobs import DiagnoseRequest
from contracts.reports import Question, Report, asks, completed
from contracts.stages import INPUT
from workers.engines.diagnosis import language_of, move, question_text
from workers.roles.base import StepContext


def conclude_diagnosis(ctx: StepContext) -> Report[Diagnosis]:
    """One turn of the dialogue: the next question, or the diagnosis."""
    request = ctx.need(DiagnoseRequest, INPUT)
    evidence = ctx.need(TicketEvidence, "tickets")
    method = request.method or ctx.services.settings.diagnose_method
    found = move(request, evidence, ctx.dialogue(PhenomenonQuestion), method=method, profile=request.profile, may_ask=ctx.may_ask)
    if isinstance(found, Diagnosis):
        return completed(found, f"{found.verdict}: {found.root_cause or 'no cause found'} ({found.confidence:.0%})")
    text = question_text(found, language_of(request.description))
    question = Question(text=text, payload=found.to_json(), also=("tickets",))
    return asks(question, f"asks {len(found.items)} phenomena, turn {found.turn}")
