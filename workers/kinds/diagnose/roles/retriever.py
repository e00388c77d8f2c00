"""The retriever: finds the part of the ticket history that is relevant to an incident."""

from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.diagnose.edits import TicketsEdit
from contracts.diagnose.request import DiagnoseRequest
from contracts.reports import Report, completed
from contracts.stages import INPUT
from contracts.statements import count, say
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.known import with_heard
from workers.kinds.diagnose.rules.search_terms import read_reported, search_terms, systems_named
from workers.kinds.diagnose.rules.wording import words_only
from workers.roles.base import StepContext
from workers.tickets import await_vectors
from workers.tickets.evidence import gather_evidence

_WAIT_S = 15.0
"""Seconds that the first search of a job waits for vectors that are being made: the same incident has other weights without them.
After that it goes by words alone, and says so."""
_FEW = 3_000
"""Texts without a vector from which waiting is in vain."""


def retrieve_tickets(ctx: StepContext) -> Report[TicketEvidence]:
    """Search by the description, the user's other observations, the system they named, and the phenomena they confirmed: by id where the
    history has them, else by their words. What a person tells the job besides, and what an
    operator adds, counts as what they say."""
    request = ctx.need(DiagnoseRequest, INPUT)
    dialogue = with_heard(ctx.dialogue(PhenomenonQuestion))
    observations, confirmed = search_terms(dialogue)
    by_meaning = await_vectors(ctx.services.database, ctx.services.embedder, at_most_s=0.0 if dialogue else _WAIT_S, few=_FEW)
    added = TicketsEdit.model_validate(ctx.edit())
    reported, systems_reported = read_reported([str(remark.get("text", "")) for remark in ctx.remarks()])
    reported = tuple(dict.fromkeys((*reported, *added.observations)))
    evidence = gather_evidence(
        ctx.services.database, ctx.services.embedder, request.description, [*observations, *reported], confirmed,
        systems=[*systems_named(dialogue), *systems_reported, *added.systems],
    )  # fmt: skip
    summary = say(
        "diagnose.step.tickets",
        tickets=count(len(evidence.tickets)),
        total=count(evidence.total_tickets),
        causes=say("diagnose.step.causes", n=count(len(evidence.causes))),
        phenomena=say("diagnose.step.phenomena", n=count(len(evidence.phenomena))),
    )
    made = evidence.model_copy(update={"reported": reported, "words_only": not by_meaning and evidence.total_tickets > 0})
    return completed(made, summary, notes=(words_only(),) if made.words_only else ())
