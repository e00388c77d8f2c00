"""A look at the incident's system, before anybody is asked."""

from typing import cast

from contracts.checks import CheckOutcome, Gathered, System
from contracts.diagnose.edits import EvidenceEdit
from contracts.diagnose.request import DiagnoseRequest
from contracts.reports import Report, completed
from contracts.stages import INPUT, Nothing
from contracts.statements import Statement, code, count, name, say
from workers.checks.gathering import gather
from workers.checks.systems import get_system, list_systems, named_in
from workers.roles.base import StepContext
from workers.saying import text_of


def gather_evidence(ctx: StepContext) -> Report[Gathered]:
    """Run the checks of the system that the incident is about: the one that the request names, else the one that its words name, else the
    only one there is. Where there is no such system or there are several, nothing is looked at."""
    request = ctx.need(DiagnoseRequest, INPUT)
    named = EvidenceEdit.model_validate(ctx.edit()).system or request.system
    system, is_named, why_not = _system_of(ctx, named, request.description)
    if system is None:
        return cast("Report[Gathered]", completed(Nothing(nothing=text_of(why_not, ctx.language)), why_not))
    found = gather(ctx.services.database, system, owner=ctx.owner, job_id=ctx.job_id, step_id=ctx.step_id)
    confirmed, undecided = len(found.of(CheckOutcome.CONFIRMED)), len(found.of(CheckOutcome.UNDECIDED))
    summary = say(
        "diagnose.step.looked",
        system=name(system.name),
        n=count(len(found.findings)),
        confirmed=count(confirmed),
        undecided=count(undecided),
    )
    return completed(found.model_copy(update={"is_named": is_named}), summary)


def _system_of(ctx: StepContext, name_of_it: str, description: str) -> tuple[System | None, bool, Statement]:
    """The system, whether the incident names it, and why there is none."""
    if name_of_it:
        system = get_system(ctx.services.database, name_of_it)
        if system.owners and ctx.owner not in system.owners:
            return None, False, say("diagnose.evidence.not_yours", system=name(system.name))
        return system, True, say("diagnose.evidence.none")
    systems = list_systems(ctx.services.database, ctx.owner)
    if not systems:
        return None, False, say("diagnose.evidence.none")
    named = named_in(systems, description)
    if len(named) == 1:
        return named[0], True, say("diagnose.evidence.none")
    if named:
        return None, False, say("diagnose.evidence.several", command=code("--system NAME"))
    if len(systems) > 1:
        return None, False, say("diagnose.evidence.which", command=code("--system NAME"))
    return systems[0], False, say("diagnose.evidence.none")
