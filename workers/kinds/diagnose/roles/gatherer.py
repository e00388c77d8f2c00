"""A look at the incident's system, before anybody is asked."""

from typing import cast

from contracts.checks import Gathered, System
from contracts.diagnose.edits import EvidenceEdit
from contracts.diagnose.request import DiagnoseRequest
from contracts.reports import Report, completed
from contracts.stages import INPUT, Nothing
from contracts.statements import Statement, as_value, code, name, names, say
from workers.checks.gathering import Looking, gather
from workers.checks.systems import get_system, is_labelled, list_systems, named_in
from workers.errors import InvalidInput, NotFound, SourceUnavailable, StatementRefused, UnsafeAccount
from workers.kinds.diagnose.playbook import EVIDENCE
from workers.kinds.diagnose.rules.by_data import looked_at
from workers.roles.base import StepContext
from workers.saying import text_of
from workers.saying.reasons import statement_of

NO_SYSTEM = "diagnose.evidence.none"
"""The code of the reason that no system is registered, of which a question says nothing."""


def gather_evidence(ctx: StepContext) -> Report[Gathered]:
    """Run the checks of the system that the incident is about: the one that the request names, else the one that its words name, else the
    only one there is. Where there is no such system or there are several, or it cannot be looked at, the step says why, and goes on."""
    request = ctx.need(DiagnoseRequest, INPUT)
    named = EvidenceEdit.model_validate(ctx.edit()).system or request.system
    try:
        chosen = _choose(ctx, named, request.description)
        if not isinstance(chosen, System):
            return _nothing(ctx, chosen)
        looking = Looking(ctx.services.database, ctx.services.settings.data_dir, ctx.owner, ctx.job_id, ctx.step_id)
        found = gather(looking, chosen)
    except (NotFound, SourceUnavailable, StatementRefused, InvalidInput, UnsafeAccount) as error:
        return _nothing(ctx, say("diagnose.evidence.not_looked", reason=as_value(statement_of(error))))
    is_named = bool(named or named_in([chosen], request.description))
    is_sure = bool(named) or is_labelled(chosen, request.description)
    return completed(found.model_copy(update={"is_named": is_named, "is_sure": is_sure}), looked_at(found))


def gathered_in(ctx: StepContext) -> Gathered | Nothing | None:
    """What the look gave, or why there was none. None: the job is of an earlier release, which had no such stage."""
    return ctx.need_or_nothing(Gathered, EVIDENCE) if EVIDENCE in ctx.needs else None


def _nothing(ctx: StepContext, why: Statement) -> Report[Gathered]:
    return cast("Report[Gathered]", completed(Nothing(nothing=text_of(why, ctx.language), says=why), why))


def _choose(ctx: StepContext, named: str, description: str) -> System | Statement:
    """The system, or why there is none. Raises `NotFound`."""
    if named:
        system = get_system(ctx.services.database, named)
        if not system.is_open_to(ctx.owner):
            return say("diagnose.evidence.not_yours", system=name(system.name))
        return system
    systems = list_systems(ctx.services.database, ctx.owner)
    meant = named_in(systems, description)
    if len(meant) == 1:
        return meant[0]
    if meant:
        return say("diagnose.evidence.several", systems=names(system.name for system in meant), command=code("--system NAME"))
    if len(systems) > 1:
        return say("diagnose.evidence.which", command=code("--system NAME"))
    return systems[0] if systems else say("diagnose.evidence.none")
