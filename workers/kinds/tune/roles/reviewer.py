"""The reviewer of `tune`: lets out only what the evidence on the board bears, as the report of the job."""

from collections.abc import Sequence

from contracts.reports import Remark, Report, completed
from contracts.statements import Target, name, ref, say
from contracts.tune.edits import ReviewEdit
from contracts.tune.plan import DroppedFix, TuningPlan, TuningReport
from contracts.tune.steps import Causes, Classification, Evidence, InformationCheck, KeyCode
from workers.kinds.tune.roles.case import Case, again
from workers.kinds.tune.roles.consult import Consult
from workers.kinds.tune.rules.advice import Objection
from workers.kinds.tune.rules.advice.case import Case as Facts
from workers.kinds.tune.rules.findings import not_missing
from workers.kinds.tune.rules.recommend.wanted import wanted
from workers.kinds.tune.rules.review import review
from workers.kinds.tune.rules.saying import shown_name, value_of
from workers.kinds.tune.rules.summarise import report
from workers.llm.client import ChatClient
from workers.roles.base import StepContext
from workers.roles.reasoning import RULES, Reasoned, reason
from workers.saying import text_of

UNWANTED = "unwanted"
"""The rule of an objection that an operator makes in an edit."""


def review_plan(ctx: StepContext) -> Report[TuningReport]:
    """Object to fixes that break a rule; the plan is then made again without them. The report holds the fixes that pass,
    without those that an operator leaves out."""
    case, edited = Case(ctx), ReviewEdit.model_validate(ctx.edit())
    language = edited.language or case.language
    plan, evidence = ctx.need(TuningPlan, "plan"), ctx.need(Evidence, "evidence")
    known = case.read(again(evidence.read))
    judged = case.judged(known)
    known = known.without(judged.others)
    by_rules = review(plan, evidence.findings, judged.settings, known.scripts)
    consult = Consult(case.request.description, language, ctx.session.context())

    def by_model(chat: ChatClient) -> Sequence[Objection]:
        facts = Facts(evidence.findings, known.run, known.scripts, known.tables, settings=known.settings)
        return consult.review(chat, facts, plan, by_rules)

    looked: Reasoned[Sequence[Objection]] = Reasoned(by_rules, RULES)
    if plan.fixes and not _has_objected(ctx):
        looked = reason(ctx, by_model, lambda: by_rules)
    objections = looked.value
    titles = {fix.fix_id: fix.title for fix in plan.fixes}
    unwanted = [Objection(fix_id=each, rule=UNWANTED, text=say("tune.review.unwanted")) for each in edited.leave_out if each in titles]
    refused = {objection.fix_id for objection in (*objections, *unwanted)}
    read = {artefact.name for artefact in evidence.read}
    made = report(
        not_missing(evidence.findings, {artefact.kind for artefact in case.catalogue.artefacts if artefact.name not in read}),
        ctx.need(Classification, "classification"),
        plan.model_copy(update={"fixes": tuple(fix for fix in plan.fixes if fix.fix_id not in refused)}),
        language=language,
        key_code=ctx.need(KeyCode, "key_code").spots,
        hypotheses=ctx.need(Causes, "causes").hypotheses,
        standings=evidence.hypotheses,
        dropped=[
            DroppedFix(
                title=titles.get(objection.fix_id, say("tune.fix_named", fix=ref(Target.FIX, objection.fix_id))), reason=objection.text
            )
            for objection in (*objections, *unwanted)
        ],
        read=evidence.read,
        not_read=[artefact.name for artefact in case.catalogue.artefacts if artefact.name not in read],
        not_known=[
            *(say("tune.labelled", label=shown_name(file.name), value=value_of(file.message)) for file in case.catalogue.refused),
            *case.of_foreign_kinds(),
            *wanted(ctx.need(InformationCheck, "information_check"), case.kinds, evidence.read, is_scope=case.is_scope),
        ],
        time=judged.time,
        runs=case.runs,
        engine=plan.engine,
        generated=evidence.generated,
    )
    remarks = tuple(Remark(text=text_of(objection.text, language), stage="plan", payload=objection.to_json()) for objection in objections)
    missing = tuple(say("tune.note.no_such_fix", fix=name(each)) for each in edited.leave_out if each not in titles)
    notes = (*consult.notes, *looked.notes, *missing)
    return completed(made, made.headline, remarks=remarks, engine=looked.engine, notes=notes)


def _has_objected(ctx: StepContext) -> bool:
    """It has looked at a plan before. A model looks once: what it did not see then it may not find by and by, or there is no end."""
    return any(request.asker == ctx.stage and request.kind == "remark" for request in ctx.requests)
