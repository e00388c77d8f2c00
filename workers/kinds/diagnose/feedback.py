"""The options of `bullpen feedback` for a diagnosis, and its reply."""

from pydantic import Field, ValidationError, model_validator

from contracts.base import Contract, Json, Text
from contracts.diagnose.deliverables import Diagnosis
from contracts.diagnose.feedback import DiagnosisFeedback, Learnt
from contracts.statements import Sayable, Statement, Target, Value, name, passage, quote, ref, say, term
from workers.kinds.base import FeedbackChoice, FeedbackGiven, FeedbackPlace, Giving
from workers.kinds.diagnose.judging import feed_back_diagnosis, preview_ticket


class DiagnosisSaid(Contract):
    """A user's feedback on a finished diagnosis."""

    right: bool = Field(default=False, description="A diagnosis: it was right.")
    wrong: Text | None = Field(
        default=None,
        max_length=4_000,
        description="A diagnosis: it was wrong, and the cause was CAUSE: a known cause (C-... or its text) or a new one.",
        json_schema_extra={"metavar": "CAUSE"},
    )
    solution: Text | None = Field(
        default=None,
        max_length=8_000,
        description="A diagnosis: what solved the incident. Default: the solution that the history has for the cause.",
    )

    @model_validator(mode="after")
    def _says_one(self) -> "DiagnosisSaid":
        if self.right == (self.wrong is not None):
            raise ValueError("say one of the two: --right, or --wrong CAUSE with what it really was (C-..., or in words)")
        if self.wrong is not None and not self.wrong.strip():
            raise ValueError("--wrong needs the cause that it really was")
        return self


def give_feedback(given: Giving, form: DiagnosisSaid) -> FeedbackGiven:
    """Make a solved ticket of the diagnosis. Raises what `feed_back_diagnosis` raises."""
    learnt = feed_back_diagnosis(given.database, given.embedder, given.job_id, _feedback(form))
    return FeedbackGiven(learnt, (_line(learnt),))


def preview_feedback(given: Giving, form: DiagnosisSaid) -> tuple[Sayable, ...]:
    """The ticket that would be stored, line by line. Raises what `feed_back_diagnosis` raises."""
    ticket, known = preview_ticket(given.database, given.job_id, _feedback(form))
    return (
        say("diagnose.preview.head", ticket=ref(Target.TICKET, ticket.ticket_id)),
        say("diagnose.preview.description", text=passage(ticket.description)),
        *(say("diagnose.preview.phenomenon", text=passage(anomaly.description)) for anomaly in ticket.anomalies),
        *(() if ticket.anomalies else (say("diagnose.preview.no_phenomena"),)),
        say(
            "diagnose.preview.cause",
            text=quote(ticket.root_cause),
            known=term("diagnose.feedback.known") if known else term("diagnose.feedback.new"),
        ),
        say("diagnose.preview.solution", text=passage(ticket.solution)) if ticket.solution else say("diagnose.preview.no_solution"),
    )


def places(content: Json, given: Json | None) -> tuple[FeedbackPlace, ...]:
    """The cause that a diagnosis names, and what it was instead: a cause that it weighed, or another."""
    try:
        found = Diagnosis.model_validate(content)
    except ValidationError:
        return ()
    before = given or {}
    others = tuple((item.cause_id, passage(item.root_cause)) for item in found.alternatives)
    right = FeedbackChoice(term("diagnose.feedback.it_was"), {"right": True}, is_given=before.get("verdict") == "right")
    wrong = FeedbackChoice(
        term("diagnose.feedback.it_was_not") if found.root_cause else term("diagnose.feedback.it_was_this"),
        {"wrong": "", "solution": ""}, asks=("wrong", "solution"), needs=True, suggested=others, is_given=before.get("verdict") == "wrong",
    )  # fmt: skip
    about = say("diagnose.feedback.about", cause=quote(found.root_cause)) if found.root_cause else term("diagnose.feedback.about_unknown")
    return (FeedbackPlace(about, (right, wrong) if found.root_cause else (wrong,)),)


def _feedback(form: DiagnosisSaid) -> DiagnosisFeedback:
    return DiagnosisFeedback(verdict="right" if form.right else "wrong", cause=form.wrong, solution=form.solution)


def _line(learnt: Learnt) -> Statement:
    values: dict[str, Value] = {
        "ticket": ref(Target.TICKET, learnt.ticket_id),
        "cause": quote(learnt.root_cause),
        "known": term("diagnose.feedback.known") if learnt.known_cause else term("diagnose.feedback.new"),
        "id": name(learnt.cause_id),
    }
    match learnt.stored:
        case "imported":
            return say("diagnose.feedback.imported", **values)
        case "updated":
            return say("diagnose.feedback.updated", **values)
        case "unchanged":
            return say("diagnose.feedback.unchanged", **values)
