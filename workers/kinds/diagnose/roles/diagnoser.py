"""The diagnoser: asks what tells the causes apart, and concludes when the evidence bears it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from contracts.checks import Gathered, SensorKind
from contracts.diagnose.deliverables import Diagnosis, HeardTurn, PhenomenonQuestion
from contracts.diagnose.edits import DiagnosisEdit
from contracts.diagnose.request import DiagnoseRequest, DiagnosisMethod
from contracts.reports import Question, Report, asks, completed
from contracts.sources import SourceKind
from contracts.stages import INPUT, Nothing
from contracts.statements import Sayable, Statement, count, quote, say, say_member, share
from contracts.tickets import TicketEvidence
from workers.checks.own import OWN
from workers.kinds.diagnose.looked_up import runs_of, with_runs
from workers.kinds.diagnose.roles.consult import consult_with, hear_answer_with, lead_with
from workers.kinds.diagnose.roles.gatherer import NO_SYSTEM, gathered_in
from workers.kinds.diagnose.rules.by_data import by_data, is_acute, looked_at, with_like
from workers.kinds.diagnose.rules.differential import NOTHING_HEARD, Heard, differential_move
from workers.kinds.diagnose.rules.known import heard_so_far, latest_findings, noted, read_all, with_heard
from workers.kinds.diagnose.rules.methods import move
from workers.kinds.diagnose.rules.rar import Consult, answer
from workers.kinds.diagnose.rules.ruled_out import causes_ruled_out, without_causes
from workers.kinds.diagnose.rules.turn import led_move
from workers.kinds.diagnose.rules.wording import question_text
from workers.kinds.diagnose.settings import DiagnoseSettings
from workers.llm.brief import moment_text
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason

if TYPE_CHECKING:
    from workers.llm.client import ChatClient


MOST_QUOTED = 200
"""Characters of a cause in a note: enough to recognise it."""


def conclude_diagnosis(ctx: StepContext) -> Report[Diagnosis]:
    """One turn of the dialogue: the next question, or the diagnosis. An operator may rule causes out, and have it concluded now."""
    request, edited = ctx.need(DiagnoseRequest, INPUT), DiagnosisEdit.model_validate(ctx.edit())
    whole = ctx.need(TicketEvidence, "tickets")
    evidence, unknown = without_causes(whole, edited.rule_out)
    looked = gathered_in(ctx)
    gathered = _without(looked, edited.rule_out) if isinstance(looked, Gathered) else None
    unknown = tuple(cause for cause in unknown if not _is_check(cause))
    turns = len(ctx.dialogue(PhenomenonQuestion))
    is_contested = bool(evidence.reported or edited.method)  # somebody has said more than what was seen then
    if (
        gathered is not None
        and not is_contested
        and is_acute(gathered)
        and (acute := by_data(request, gathered, evidence, turns)) is not None
    ):
        acute = with_like(acute, differential_move(request, evidence, (), may_ask=False))
        return completed(acute, _concluded(acute))
    made = _move(ctx, request, edited, evidence)
    notes = (*made.notes, *(say("diagnose.note.no_such_cause", cause=quote(cause[:MOST_QUOTED])) for cause in unknown))
    if isinstance(found := made.value, Diagnosis):
        remarks = noted(read_all(with_heard(ctx.dialogue(PhenomenonQuestion), found.heard)), evidence)
        found = found.model_copy(update={"noted": remarks, "ruled_out": causes_ruled_out(whole, edited.rule_out)})
        if gathered is not None:
            found = _with_data(request, gathered, evidence, found)
            found = found.model_copy(update={"gathered": _with_runs(ctx, found.gathered or gathered, found.heard)})
        return completed(found, _concluded(found), engine=made.engine, notes=notes)
    if not turns and (seen := _seen(gathered or looked)):
        found = found.model_copy(update={"notes": (seen, *found.notes)})
    question = Question(text=question_text(found), payload=found.to_json(), also=("tickets",))
    return asks(question, _asked(found), engine=made.engine, notes=(*notes, *found.left_out))


def _is_check(cause: str) -> bool:
    """Whether what an operator rules out is what a check found: `postgres.idle_transaction_blocks`."""
    return cause.partition(".")[0] in (*SourceKind, *SensorKind, "system", OWN)


def _without(gathered: Gathered, ruled_out: Sequence[str]) -> Gathered:
    """What was looked up, without what was ruled out."""
    kept = tuple(found for found in gathered.findings if gathered.id_of(found) not in ruled_out)
    return gathered.model_copy(update={"findings": kept})


def _seen(looked: Gathered | Nothing | None) -> Sayable | None:
    """What was seen before the first question, or why nothing was; nothing where no system is registered."""
    if isinstance(looked, Gathered):
        return looked_at(looked)
    if looked is None or (looked.says is not None and looked.says.code == NO_SYSTEM):
        return None
    return looked.says or looked.nothing


def _with_data(request: DiagnoseRequest, gathered: Gathered, evidence: TicketEvidence, found: Diagnosis) -> Diagnosis:
    """What tickets and answers say, with what was found: that is the guess where they name nothing."""
    by_looking = by_data(request, gathered, evidence, found.turns) if found.root_cause is None else None
    if by_looking is None:
        return found.model_copy(update={"gathered": gathered})
    kept = ("heard", "unread", "noted", "ruled_out", "evidence_against", "to_check")
    return by_looking.model_copy(update={field: getattr(found, field) for field in kept})


def _with_runs(ctx: StepContext, gathered: Gathered, heard: Sequence[HeardTurn]) -> Gathered:
    """What was looked up, with the rows of what a person had looked up by the methods of the questions."""
    dialogue = ctx.dialogue(PhenomenonQuestion)
    runs = runs_of(ctx.services.database, ctx.job_id) if dialogue and ctx.job_id else {}
    if not runs:
        return gathered
    dialogue = with_heard(dialogue, heard)
    return with_runs(gathered, runs, latest_findings(dialogue, read_all(dialogue)))


def _asked(question: PhenomenonQuestion) -> Statement:
    turn = count(question.turn, exact=True)
    if not question.items:
        return say("diagnose.step.asks_symptom", turn=turn)
    return say("diagnose.step.asks", n=count(len(question.items)), turn=turn)


def _concluded(found: Diagnosis) -> Statement:
    if found.root_cause is None:
        return say_member("diagnose.step.no_cause", found.verdict)
    return say_member("diagnose.step.concluded", found.verdict, cause=quote(found.root_cause), confidence=share(found.confidence))


def _move(
    ctx: StepContext, request: DiagnoseRequest, edited: DiagnosisEdit, evidence: TicketEvidence
) -> Reasoned[Diagnosis | PhenomenonQuestion]:
    """The next move by the method of the job. GAR reasons by its formulas alone; RAR and the hybrid may consult a model, and one may
    lead the differential method."""
    settings = ctx.settings(DiagnoseSettings)
    method = edited.method or request.method or settings.diagnose_method
    may_ask = ctx.may_ask and edited.ask
    given = ctx.dialogue(PhenomenonQuestion)

    def by(consult: Consult = answer, heard: Heard = NOTHING_HEARD) -> Diagnosis | PhenomenonQuestion:
        dialogue = with_heard(given, (heard.turn,) if heard.turn else ())
        made = move(
            request, evidence, dialogue,
            method=method, profile=request.profile, may_ask=may_ask, consult=consult, heard=heard,
        )  # fmt: skip
        return made.model_copy(update={"heard": heard_so_far(dialogue)})

    if method is DiagnosisMethod.GAR:
        return Reasoned(by(), RULES)
    notes: list[Sayable] = []

    def by_model(chat: "ChatClient") -> Diagnosis | PhenomenonQuestion:
        if method is DiagnosisMethod.DIFFERENTIAL:
            now = moment_text(ctx.now)
            return led_move(
                request, evidence, given, lambda brief: lead_with(chat, brief, now), chat.context_tokens, may_ask=may_ask,
                session=ctx.session.context(),
            )  # fmt: skip
        heard = hear_answer_with(chat, with_heard(given), tell=notes.append)
        return by(lambda case: consult_with(chat, case, rerank=settings.rar_rerank, tell=notes.append), heard)

    made = reason(ctx, by_model, by)
    return replace(made, notes=(*notes, *made.notes))
