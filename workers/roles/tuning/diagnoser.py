"""The diagnoser of `tune`: what may be the cause, and what to do about it."""

from functools import partial

from contracts.reports import Report, completed
from contracts.tuning_plan import TuningPlan
from contracts.tuning_steps import Causes, Classification, Evidence, ExperienceFound, KeyCode
from workers.engines.tuning.advice import Objection, advise
from workers.engines.tuning.causes import suppose
from workers.engines.tuning.whatif import estimate
from workers.roles.base import StepContext
from workers.roles.tuning.case import Case, again


def suppose_causes(ctx: StepContext) -> Report[Causes]:
    """Hypotheses from class, code, experience and what was read so far."""
    case = Case(ctx)
    classified, code = ctx.need(Classification, "classification"), ctx.need(KeyCode, "key_code")
    known = case.read(again([*classified.read, *code.read]))
    experience = ctx.need(ExperienceFound, "experience")
    found = suppose(classified, code, experience, known.findings(), case.request.description, case.language)
    likeliest = f", likeliest {found.hypotheses[0].kind}" if found.hypotheses else ""
    return completed(found, f"{len(found.hypotheses)} hypotheses{likeliest}")


def plan_fixes(ctx: StepContext) -> Report[TuningPlan]:
    """Ranked fixes for what the evidence bears, without those that the reviewer objected to."""
    case = Case(ctx)
    evidence = ctx.need(Evidence, "evidence")
    known = case.read(again(evidence.read))
    found = advise(
        evidence.findings,
        known.run,
        known.scripts,
        known.tables,
        language=case.language,
        experience=ctx.need(ExperienceFound, "experience").items,
        estimate=partial(estimate, language=case.language),
        objections=[Objection(**one["payload"]) for one in ctx.remarks() if one.get("payload")],
    )
    saved = f", saving {found.combined.saved_share:.0%} of the time together" if found.combined else ""
    return completed(found, f"{len(found.fixes)} fixes{saved}")
