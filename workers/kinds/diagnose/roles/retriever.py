"""The retriever: finds the part of the ticket history that is relevant to an incident."""

from contracts.checks import CheckOutcome, Gathered
from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.diagnose.edits import TicketsEdit
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.reports import Report, completed
from contracts.stages import INPUT
from contracts.statements import count, say
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.roles.gatherer import gathered_in
from workers.kinds.diagnose.rules.by_data import LEAST_SEVERE
from workers.kinds.diagnose.rules.known import with_heard
from workers.kinds.diagnose.rules.search_terms import read_reported, search_terms, systems_named
from workers.kinds.diagnose.rules.turn import free_answers
from workers.kinds.diagnose.rules.wording import words_only
from workers.kinds.diagnose.settings import DiagnoseSettings
from workers.roles.base import StepContext
from workers.saying import text_of
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
    given = ctx.dialogue(PhenomenonQuestion)
    dialogue = with_heard(given, free_answers(given) if ctx.chat is not None and _is_led(ctx, request) else ())
    observations, confirmed = search_terms(dialogue)
    by_meaning = await_vectors(ctx.services.database, ctx.services.embedder, at_most_s=0.0 if dialogue else _WAIT_S, few=_FEW)
    looked_up = _looked_up(ctx)
    added = TicketsEdit.model_validate(ctx.edit())
    reported, systems_reported = read_reported([str(remark.get("text", "")) for remark in ctx.remarks()])
    reported = tuple(dict.fromkeys((*reported, *added.observations)))
    evidence = gather_evidence(
        ctx.services.database, ctx.services.embedder, request.description, [*observations, *looked_up, *reported], confirmed,
        systems=[*([request.system] if request.system else []), *systems_named(dialogue), *systems_reported, *added.systems],
    )  # fmt: skip
    summary = say(
        "diagnose.step.tickets",
        tickets=count(len(evidence.tickets)),
        total=count(evidence.total_tickets),
        causes=say("diagnose.step.causes", n=count(len(evidence.causes))),
        phenomena=say("diagnose.step.phenomena", n=count(len(evidence.phenomena))),
    )
    by_words = not by_meaning and evidence.total_tickets > 0
    made = evidence.model_copy(update={"reported": reported, "looked_up": looked_up, "absent": _absent(ctx), "words_only": by_words})
    return completed(made, summary, notes=(words_only(),) if made.words_only else ())


def _is_led(ctx: StepContext, request: DiagnoseRequest) -> bool:
    """Whether a model reads the answers, so that their words are searched for."""
    return (request.method or ctx.settings(DiagnoseSettings).diagnose_method) is DiagnosisMethod.DIFFERENTIAL


def _looked_up(ctx: StepContext) -> tuple[str, ...]:
    """What is the matter with the system, in the user's language."""
    gathered = gathered_in(ctx)
    if not isinstance(gathered, Gathered):
        return ()
    return tuple(text_of(found.says, ctx.language) for found in gathered.of(CheckOutcome.CONFIRMED) if found.severity > LEAST_SEVERE)


def _absent(ctx: StepContext) -> tuple[str, ...]:
    """What an operator's checks have looked for and not found."""
    gathered = gathered_in(ctx)
    return tuple(found.about for found in gathered.of(CheckOutcome.DENIED) if found.about) if isinstance(gathered, Gathered) else ()
