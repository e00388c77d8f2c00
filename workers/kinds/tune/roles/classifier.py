"""The classifier of `tune`: what the run suffers from most, by what is cheapest to read, or by what the evidence found since."""

from contracts.artefacts import LogFacts
from contracts.reports import Report, completed
from contracts.statements import count, say
from contracts.tune.edits import ClassificationEdit
from contracts.tune.steps import Classification, Evidence
from workers.kinds.tune.roles.case import Case, Chosen, again, named
from workers.kinds.tune.roles.consult import Consult
from workers.kinds.tune.rules.first_look import by_operator, classification, classify_by_words
from workers.kinds.tune.rules.known import Known
from workers.kinds.tune.rules.recommend import first_reads
from workers.kinds.tune.rules.saying import class_term
from workers.roles.base import StepContext
from workers.roles.reasoning import reason

MOST_SCRIPTS = 2
"""Named beside the application."""


def classify_run(ctx: StepContext) -> Report[Classification]:
    """Read the few artefacts that tell a class soonest, those that an operator names, and those that the evidence asked to take into
    account."""
    case = Case(ctx)
    edited = ClassificationEdit.model_validate(ctx.edit())
    description = case.request.description
    first = first_reads(case.catalogue, description, case.kinds)
    contradicted = [Evidence.model_validate(asked["evidence"]) for asked in ctx.delegated()]
    known = case.read(
        [
            *(Chosen(artefact.name, artefact.reason) for artefact in first),
            *named(edited.read),
            *(artefact for evidence in contradicted for artefact in again(evidence.read)),
        ]
    )
    before = classify_by_words(description, known.scripts, case.catalogue)
    if contradicted and ctx.previous is not None:
        before = Classification.model_validate(ctx.previous)
    findings = case.judged(known).findings
    by_rules = classification(findings, before, known.read)
    consult = Consult(description, case.language, ctx.session.context())
    made = reason(ctx, lambda chat: consult.classify(chat, known, findings, by_rules), lambda: by_rules)
    found = made.value if edited.tuning_class is None else by_operator(made.value, edited.tuning_class)
    found = found.model_copy(update={"about": _about(known)})
    read, of = count(len(found.read)), count(len(case.catalogue.artefacts))
    summary = say("tune.step.classified", tuning_class=class_term(found.tuning_class), read=read, n=of)
    return completed(found, summary, engine=made.engine, notes=(*consult.notes, *made.notes))


def _about(known: Known) -> str:
    """The application of the log, else of a plain one, and the scripts."""
    logged = next((log.application for log in known.each(LogFacts) if log.application), "")
    application = (known.run.app_name if known.run else "") or logged
    scripts = [script.name for script in known.scripts][:MOST_SCRIPTS]
    return ", ".join(part for part in (application, *scripts) if part)
