"""The diagnoser: asks what tells the causes apart, and concludes when the evidence bears it."""

from contracts.diagnosis import Diagnosis, PhenomenonQuestion, TicketEvidence
from contracts.jobs import DiagnoseRequest
from contracts.reports import Question, Report, asks, completed
from contracts.stages import INPUT
from workers.engines.diagnosis import answering_queries, language_of, next_move, question_text
from workers.roles.base import StepContext


def conclude_diagnosis(ctx: StepContext) -> Report[Diagnosis]:
    """One turn of the dialogue: the next question, or the diagnosis."""
    request = ctx.need(DiagnoseRequest, INPUT)
    evidence = ctx.need(TicketEvidence, "tickets")
    dialogue = ctx.dialogue(PhenomenonQuestion)
    move = answering_queries(
        request, evidence, dialogue, lambda counted: next_move(request, evidence, counted, may_ask=ctx.may_ask), may_ask=ctx.may_ask
    )
    if isinstance(move, Diagnosis):
        return completed(move, f"{move.verdict}: {move.root_cause or 'no cause found'} ({move.confidence:.0%})")
    text = question_text(move, language_of(request.description))
    question = Question(text=text, payload=move.to_json(), also=("tickets",))
    return asks(question, f"asks {len(move.items)} phenomena, turn {move.turn}")
