"""The diagnoser of `tune`: what may be the cause, and what to do about it."""

from collections.abc import Sequence

from contracts.reports import Report, completed
from contracts.statements import count, name, say, share
from contracts.tune.edits import CausesEdit, PlanEdit
from contracts.tune.plan import TuningPlan
from contracts.tune.steps import Causes, Classification, Evidence, ExperienceFound, KeyCode
from workers.engines.scope.replay import ScopeReplay
from workers.engines.spark.whatif import Replay
from workers.kinds.tune.roles.case import Case, again
from workers.kinds.tune.roles.consult import Consult
from workers.kinds.tune.rules.advice import Objection, advise, without_kinds
from workers.kinds.tune.rules.advice.case import Case as Facts
from workers.kinds.tune.rules.by_model.redone import redone
from workers.kinds.tune.rules.causes import suppose
from workers.kinds.tune.rules.saying import kind_term
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason

FIX = "fix_id"
"""What a reviewer's remark names and an operator's does not."""


def suppose_causes(ctx: StepContext) -> Report[Causes]:
    """Hypotheses from class, code, experience and what was read so far; and those that an operator wants to see judged."""
    case = Case(ctx)
    classified, code = ctx.need(Classification, "classification"), ctx.need(KeyCode, "key_code")
    known = case.read(again([*classified.read, *code.read]))
    experience = ctx.need(ExperienceFound, "experience")
    findings = case.judged(known).findings
    known = case.of_its_application(known)
    edited = CausesEdit.model_validate(ctx.edit())
    by_rules = suppose(classified, code, experience, findings, case.request.description, edited.suppose)
    consult = Consult(case.request.description, case.language, ctx.session.context())

    def by_model(chat: ChatClient) -> Causes:
        facts = Facts(findings, known.run, known.scripts, known.tables)
        return consult.suppose(chat, facts, by_rules, classified, experience)

    made = reason(ctx, by_model, lambda: by_rules)
    found = made.value
    n = count(len(found.hypotheses))
    likeliest = [kind_term(hypothesis.kind) for hypothesis in found.hypotheses[:1]]
    summary = say("tune.step.causes", n=n, likeliest=likeliest[0]) if likeliest else say("tune.step.no_causes")
    return completed(found, summary, engine=made.engine, notes=(*consult.notes, *made.notes))


def plan_fixes(ctx: StepContext) -> Report[TuningPlan]:
    """Ranked fixes for what the evidence bears, without those that the reviewer objected to."""
    case = Case(ctx)
    evidence = ctx.need(Evidence, "evidence")
    known = case.of_its_application(case.read(again(evidence.read)))
    facts = Facts(evidence.findings, known.run, known.scripts, known.tables, known.scope, known.settings, known.plans)
    nothing = TuningPlan(left_out=(say("tune.other_engine", engine=name(known.other_engine)),), engine=known.other_engine)
    made = Reasoned(nothing, RULES) if known.other_engine else _plan(ctx, case, facts)
    found = made.value
    n = count(len(found.fixes))
    saved = share(found.combined.saved_share) if found.combined and found.combined.is_promised else None
    summary = say("tune.step.plan", n=n) if saved is None else say("tune.step.plan_saves", n=n, saved=saved)
    return completed(found, summary, engine=made.engine, notes=made.notes)


def _plan(ctx: StepContext, case: Case, facts: Facts) -> Reasoned[TuningPlan]:
    """The rules' plan with what a model adds; after a review, the plan before without what was objected to."""
    experience = ctx.need(ExperienceFound, "experience")
    objections = [Objection.model_validate(remark) for remark in ctx.objections() if FIX in remark]

    without = PlanEdit.model_validate(ctx.edit()).leave_out
    replay = Replay(facts.run) if facts.run is not None else ScopeReplay(facts.scope) if facts.scope is not None else None

    def by_rules(order: Sequence[str] = (), objections: Sequence[Objection] = objections) -> TuningPlan:
        return advise(
            facts.findings,
            facts.run,
            facts.scripts,
            facts.tables,
            experience=experience.items,
            estimate=replay.gain if replay else None,
            objections=objections,
            order=order,
            scope=facts.scope,
            without=without,
            settings=facts.settings,
            plans=facts.plans,
        )

    if _is_reviewed(ctx) and ctx.previous is not None:
        before = TuningPlan.model_validate(ctx.previous)
        plan = by_rules([fix.fix_id for fix in before.fixes])
        return Reasoned(without_kinds(redone(plan, before, objections, facts), without), RULES)
    taken = (*(fix.fix_id for fix in by_rules(objections=()).fixes), *(objection.fix_id for objection in objections))
    after = max((int(fix_id[1:]) for fix_id in taken), default=0)
    classified = ctx.need(Classification, "classification")
    evidence, causes = ctx.need(Evidence, "evidence"), ctx.need(Causes, "causes")
    consult = Consult(case.request.description, case.language, ctx.session.context())

    def by_model(chat: ChatClient) -> TuningPlan:  # only a model can follow an instruction, so only here are they read
        remarks = [str(request.get("text", "")) for request in ctx.remarks() if FIX not in request]
        return without_kinds(consult.plan(chat, facts, by_rules, after, classified, evidence, causes, experience, remarks), without)

    made = reason(ctx, by_model, by_rules)
    return Reasoned(made.value, made.engine, (*consult.notes, *made.notes))


def _is_reviewed(ctx: StepContext) -> bool:
    """The latest request on this stage is a remark of the reviewer, and not a request to run it again."""
    requests = [
        request for request in ctx.requests if request.target == ctx.stage and request.kind in ("remark", "replay") and not request.held
    ]
    return bool(requests) and requests[-1].kind == "remark" and FIX in requests[-1].payload
