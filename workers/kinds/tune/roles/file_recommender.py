"""The file-recommender of `tune`: what the bundle holds, whether enough of it was read, and what to read next."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from contracts import statements
from contracts.bundles import Catalogue
from contracts.reports import Delegation, Report, completed, delegates
from contracts.stages import INPUT
from contracts.statements import Join, Sayable, count, listing, say, share
from contracts.statements import name as identifier
from contracts.tune.edits import BundleEdit, InformationEdit
from contracts.tune.request import RecommenderProfile, TuneRequest
from contracts.tune.steps import Causes, Classification, Evidence, InformationCheck, KeyCode
from workers.bundles import Days, bring, give, open_job_bundle, require_own
from workers.errors import InvalidInput
from workers.kinds.tune import seed
from workers.kinds.tune.opening import PASTED
from workers.kinds.tune.playbook import comparing_runs
from workers.kinds.tune.roles.case import Case
from workers.kinds.tune.roles.consult import Consult
from workers.kinds.tune.rules.by_model.thoughts import Unread
from workers.kinds.tune.rules.first_look import is_measured
from workers.kinds.tune.rules.recommend import check
from workers.kinds.tune.rules.recommend.choosing import MOST
from workers.kinds.tune.rules.recommend.needs import can_tell, unread
from workers.kinds.tune.rules.runs import logs_of
from workers.kinds.tune.rules.saying import class_term, names, shown_name
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason
from workers.saying import text_of

ENGLISH = "en"
"""The language of errors, and of the words that the `seed` profile looks for in what parsers say."""


def catalogue_bundle(ctx: StepContext) -> Report[Catalogue]:
    """Look through the bundle without reading it: names, kinds, sizes, hashes. An operator may leave files out."""
    request = ctx.need(TuneRequest, INPUT)
    unwanted = BundleEdit.model_validate(ctx.edit()).leave_out
    ref = request.bundle or _kept_text(ctx, request.description)
    require_own(ctx.services.database, ref, ctx.owner)
    opened = open_job_bundle(ref, ctx.services.settings, days=_days(request))
    give(ctx.services.database, opened.manifest.ref, ctx.owner)
    catalogue, notes = _without(opened.catalogue, unwanted)
    if not catalogue.artefacts:
        reasons = listing(
            *(
                say("tune.refused.file", file=identifier(file.name), reason=statements.as_value(file.message))
                for file in catalogue.refused[:3]
            ),
            join=Join.SENTENCES,
        )
        raise InvalidInput.of(say("tune.refused.nothing_read", reasons=reasons))
    n, refused = count(len(catalogue.artefacts)), count(len(catalogue.refused))
    summary = say("tune.step.catalogue_refused", n=n, refused=refused) if catalogue.refused else say("tune.step.catalogue", n=n)
    has_choice = len(logs_of(catalogue)) > 1 or request.run is not None
    stages = (comparing_runs(),) if has_choice else ()
    return completed(catalogue, summary, stages=stages, notes=notes)


def _kept_text(ctx: StepContext, text: str) -> str:
    """The reference of the bundle whose only file is this text."""
    with TemporaryDirectory(prefix="bullpen-text-") as folder:
        path = Path(folder) / PASTED
        path.write_text(text, "utf-8")
        return bring(ctx.services.database, ctx.services.settings, [path], owner=ctx.owner).ref


def _without(catalogue: Catalogue, unwanted: Sequence[str]) -> tuple[Catalogue, tuple[Sayable, ...]]:
    """The catalogue without these files, and a note about each that it does not have."""
    there = {artefact.name for artefact in catalogue.artefacts}
    notes = tuple(say("tune.note.no_such_file", artefact=shown_name(each)) for each in unwanted if each not in there)
    kept = tuple(artefact for artefact in catalogue.artefacts if artefact.name not in unwanted)
    return (catalogue.model_copy(update={"artefacts": kept}) if len(kept) < len(there) else catalogue), notes


def _days(request: TuneRequest) -> Days:
    """Of which days a history server's runs are meant."""
    first, last = (date.fromisoformat(day) if day else None for day in (request.first_day, request.last_day))
    return Days(first, last)


def check_information(ctx: StepContext) -> Report[InformationCheck]:
    """Go on when enough is known; else ask the evidence for at most three more artefacts, or the classification to think again when
    the evidence contradicts it. The boss grants five such rounds, and then one last run that may not ask. An operator may say that it
    is enough."""
    case, edited = Case(ctx), InformationEdit.model_validate(ctx.edit())
    may_ask = ctx.may_ask and not edited.go_on
    classified, evidence = ctx.need(Classification, "classification"), ctx.need(Evidence, "evidence")
    contradicts = evidence.findings.tuning_class is not classified.tuning_class and is_measured(evidence.findings, evidence.read)
    if may_ask and contradicts and not classified.is_by_operator:
        again = Delegation(stage="classification", payload={"evidence": evidence.to_json()})
        found, before = class_term(evidence.findings.tuning_class), class_term(classified.tuning_class)
        return delegates(again, say("tune.step.contradicted", found=found, before=before))
    made = _check(ctx, case, classified, evidence, edited)
    checked = made.value
    if may_ask and not checked.sufficient and checked.recommended:
        asked = [{"name": artefact["name"], "reason": artefact["reason"]} for artefact in checked.to_json()["recommended"][:MOST]]
        summary = say("tune.step.asks", artefacts=names(artefact["name"] for artefact in asked))
        return delegates(
            Delegation(stage="evidence", payload={"read": asked}),
            summary,
            draft=checked.to_json(),
            engine=made.engine,
            notes=made.notes,
        )
    known = share(checked.score)
    summary = say("tune.step.enough", known=known) if checked.sufficient else say("tune.step.not_all", known=known)
    return completed(checked, summary, engine=made.engine, notes=made.notes)


def _check(
    ctx: StepContext, case: Case, classified: Classification, evidence: Evidence, edited: InformationEdit
) -> Reasoned[InformationCheck]:
    """The rules' check. Where they have nothing more to read, a model is asked whether something is missing; not in the last round."""
    profile = edited.profile or case.request.profile
    by_rules, causes, kinds = _by_rules(ctx, case, classified, evidence, profile), ctx.need(Causes, "causes"), case.kinds
    left = [
        Unread(artefact.name, kinds[artefact.kind], artefact.size_bytes)
        for artefact in unread(case.catalogue, evidence.read)
        if can_tell(artefact, kinds)
    ]
    if not ctx.may_ask or edited.go_on or not left or by_rules.recommended or by_rules.profile is RecommenderProfile.SEED:
        return Reasoned(by_rules, RULES)
    consult = Consult(case.request.description, case.language, ctx.session.context())
    made = reason(ctx, lambda chat: consult.check(chat, evidence, causes, left, by_rules), lambda: by_rules)
    return Reasoned(made.value, made.engine, (*consult.notes, *made.notes))


def _by_rules(
    ctx: StepContext, case: Case, classified: Classification, evidence: Evidence, profile: RecommenderProfile
) -> InformationCheck:
    description = case.request.description
    if profile is RecommenderProfile.SEED:
        read = [(artefact.name, text_of(artefact.summary, ENGLISH)) for artefact in evidence.read]
        return seed.check(classified.tuning_class, description, case.catalogue, read, case.kinds)
    return check(
        classification=classified,
        causes=ctx.need(Causes, "causes"),
        evidence=evidence,
        key_code=ctx.need(KeyCode, "key_code"),
        catalogue=case.catalogue,
        kinds=case.kinds,
        description=description,
    )
