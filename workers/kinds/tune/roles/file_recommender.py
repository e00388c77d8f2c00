"""The file-recommender of `tune`: what the bundle holds, whether enough of it was read, and what to read next."""

from contracts.bundles import Catalogue
from contracts.reports import Delegation, Report, completed, delegates
from contracts.stages import INPUT
from contracts.tune.request import RecommenderProfile, TuneRequest
from contracts.tune.steps import Causes, Classification, Evidence, InformationCheck, KeyCode
from workers.bundles import open_job_bundle
from workers.errors import InvalidInput
from workers.kinds.tune import seed
from workers.kinds.tune.roles.case import Case
from workers.kinds.tune.rules.first_look import is_measured
from workers.kinds.tune.rules.recommend import check
from workers.kinds.tune.rules.recommend.choosing import MOST
from workers.roles.base import StepContext


def catalogue_bundle(ctx: StepContext) -> Report[Catalogue]:
    """Look through the bundle without reading it: names, kinds, sizes, hashes."""
    request = ctx.need(TuneRequest, INPUT)
    catalogue = open_job_bundle(request.bundle, ctx.services.settings).catalogue
    if not catalogue.artefacts:
        reasons = " ".join(f"{one.name}: {one.message}" for one in catalogue.refused[:3])
        raise InvalidInput(f"The bundle holds nothing that can be read. {reasons}".strip())
    refused = f", {len(catalogue.refused)} refused" if catalogue.refused else ""
    return completed(catalogue, f"{len(catalogue.artefacts)} artefacts{refused}")


def check_information(ctx: StepContext) -> Report[InformationCheck]:
    """Go on when enough is known; else ask the evidence for at most three more artefacts, or the classification to think again when
    the evidence contradicts it. The boss grants five such rounds, and then one last run that may not ask."""
    case = Case(ctx)
    classified, evidence = ctx.need(Classification, "classification"), ctx.need(Evidence, "evidence")
    contradicts = evidence.findings.tuning_class is not classified.tuning_class and is_measured(evidence.findings, evidence.read)
    if ctx.may_ask and contradicts:
        again = Delegation(stage="classification", payload={"evidence": evidence.to_json()})
        return delegates(again, f"the evidence says {evidence.findings.tuning_class}, not {classified.tuning_class}")
    checked = _check(ctx, case, classified, evidence)
    if ctx.may_ask and not checked.sufficient and checked.recommended:
        wanted = [{"name": one.name, "reason": one.reason} for one in checked.recommended[:MOST]]
        names = ", ".join(one["name"] for one in wanted)
        return delegates(Delegation(stage="evidence", payload={"read": wanted}), f"asks for {names}", draft=checked.to_json())
    return completed(checked, f"{'enough' if checked.sufficient else 'not all'} is known ({checked.score:.0%})")


def _check(ctx: StepContext, case: Case, classified: Classification, evidence: Evidence) -> InformationCheck:
    description = case.request.description
    if case.request.profile is RecommenderProfile.SEED:
        told = [(one.name, one.summary) for one in evidence.read]
        return seed.check(classified.tuning_class, description, case.catalogue, told, case.kinds)
    return check(
        classification=classified,
        causes=ctx.need(Causes, "causes"),
        evidence=evidence,
        key_code=ctx.need(KeyCode, "key_code"),
        catalogue=case.catalogue,
        kinds=case.kinds,
        description=description,
        language=case.language,
    )
