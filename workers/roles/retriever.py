"""The retriever: finds the part of the ticket history that bears on an incident."""

from contracts.diagnosis import Finding, PhenomenonQuestion, TicketEvidence
from contracts.jobs import DiagnoseRequest
from contracts.reports import Report, completed
from contracts.stages import INPUT
from workers.engines.diagnosis import read_answer
from workers.knowledge.evidence import gather_evidence
from workers.roles.base import StepContext


def retrieve_tickets(ctx: StepContext) -> Report[TicketEvidence]:
    """Search by the description, what the user told beside it, and the phenomena they confirmed."""
    request = ctx.need(DiagnoseRequest, INPUT)
    observations: list[str] = []
    confirmed: list[str] = []
    for question, text in ctx.dialogue(PhenomenonQuestion):
        reading = read_answer(text, question)
        observations.extend(reading.observations)
        confirmed.extend(key for key, finding in reading.findings.items() if finding == Finding.CONFIRMED)
    evidence = gather_evidence(ctx.services.database, ctx.services.embedder, request.description, observations, confirmed)
    summary = (
        f"{len(evidence.tickets)} of {evidence.total_tickets} tickets, {len(evidence.causes)} causes, {len(evidence.phenomena)} phenomena"
    )
    return completed(evidence, summary)
